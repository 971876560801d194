// Reads and writes the part of a compiled file that is Vitro's own.
#include "exported/compiled_file.h"

#include <algorithm>
#include <filesystem>

#include "base/build_id.h"
#include "io/shown.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/hash.h"
#include "vitro/base/split.h"
#include "vitro/report/output.h"

namespace vitro::exported {
namespace {

constexpr std::string_view own_folder = "vitro/", header_name = "compiled", first_line = "vitro 1",
                           panels_folder = "panels/";
constexpr uint64_t largest_header = 1 << 20, largest_entry = uint64_t{1} << 30;

// "model/", the folder that all entries are in; empty if there is none.
std::string root_of(const io::ZipArchive& archive) {
  const auto& entries = archive.entries();
  if (entries.empty()) return {};
  const std::string_view first = entries[0].name;
  const std::string_view root = first.substr(0, first.find('/') + 1);
  const bool all = std::ranges::all_of(
      entries, [&](const io::ZipEntry& entry) { return entry.name.starts_with(root); });
  return all && root != own_folder ? std::string(root) : std::string();
}

bool is_own(std::string_view name, std::string_view root) {
  return name.substr(root.size()).starts_with(own_folder);
}

Result<std::string> unpacked(const io::ZipArchive& archive, const io::ZipEntry& entry,
                             uint64_t largest) {
  if (entry.size > largest)
    return Failure{cat("entry ", io::shown(entry.name), ": has ", entry.size, " bytes")};
  if (auto right = archive.check_size(entry); !right) return right.failure();
  std::string out(entry.size, '\0');
  auto done = archive.unpack(entry, std::as_writable_bytes(std::span(out)));
  if (!done) return done.failure();
  return out;
}

std::string text_of(const CompiledHeader& header) {
  std::string out = cat(first_line, "\nbuild ", header.build, "\nmodel ", header.model, "\nname ",
                        header.name, "\nexact ", header.exact ? 1 : 0, '\n');
  if (!header.package.empty())
    out += cat("package ", header.package, "\nidentity ", header.identity, '\n');
  for (const CompiledTarget& target : header.targets)
    out += cat("target ", target.isa, ' ', target.bf16_tiles ? "tiles" : "no_tiles", ' ',
               target.triple, ' ', target.features, '\n');
  return out;
}

std::optional<CompiledTarget> target_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (int i = 0; i < 3; ++i) {
    const size_t space = text.find(' ');
    if (space == text.npos) return std::nullopt;
    words.push_back(text.substr(0, space));
    text.remove_prefix(space + 1);
  }
  return CompiledTarget{std::string(words[0]), std::string(words[2]), std::string(text),
                        words[1] == "tiles"};
}

Result<CompiledHeader> header_in(std::string_view text) {
  CompiledHeader out;
  if (!text.starts_with(cat(first_line, '\n')))
    return Failure{"has another form of compiled files than this library: compile it again"};
  text.remove_prefix(first_line.size() + 1);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const size_t space = std::min(line.find(' '), line.size() - 1);
    const std::string_view key = line.substr(0, space), value = line.substr(space + 1);
    if (key == "build") out.build = value;
    if (key == "model") out.model = value;
    if (key == "name") out.name = value;
    if (key == "exact") out.exact = value == "1";
    if (key == "package") out.package = value;
    if (key == "identity") out.identity = value;
    if (key != "target") continue;
    auto target = target_in(value);
    if (!target) return Failure{cat("has a target that cannot be read, ", io::shown(value))};
    out.targets.push_back(*std::move(target));
  }
  return out;
}

std::string identity_of(const io::ZipArchive& archive) {
  const std::string root = root_of(archive);
  Hasher h;
  for (const io::ZipEntry& entry : archive.entries()) {
    if (is_own(entry.name, root)) continue;
    h.add(entry.name), h.add(entry.size), h.add(entry.checksum);
  }
  return h.finish().hex();
}

struct OpenArchive {
  std::shared_ptr<const io::MappedFile> file;
  io::ZipArchive archive;
};
Result<OpenArchive> open_archive(const std::string& path) {
  auto file = io::MappedFile::open(path);
  if (!file) return file.failure();
  auto archive = io::ZipArchive::over((*file)->bytes());
  if (!archive) return Failure{cat(path, ": ", archive.why())};
  return OpenArchive{*std::move(file), *std::move(archive)};
}

void copy_entries(const io::ZipArchive& from, const std::string& path, io::ZipWriter& to) {
  const std::string root = root_of(from);
  for (const io::ZipEntry& entry : from.entries()) {
    if (is_own(entry.name, root)) continue;
    if (auto bytes = from.stored(entry)) {
      if (auto right = from.verify(entry); !right) throw_error(cat(path, ": ", right.why()));
      to.add(entry.name, {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    } else {
      auto content = unpacked(from, entry, UINT64_MAX);
      if (!content) throw_error(cat(path, ": ", content.why()));
      to.add(entry.name, *content);
    }
  }
}

std::string names_of(std::span<const CompiledTarget> targets) {
  std::string out;
  for (const CompiledTarget& one : targets)
    out += cat(out.empty() ? "" : ", ", one.isa, one.bf16_tiles ? " with tiles" : "");
  return out;
}

}  // namespace

std::optional<kernels::Isa> isa_named(std::string_view name) {
  for (const kernels::Isa isa : {kernels::Isa::baseline, kernels::Isa::avx2, kernels::Isa::avx512})
    if (name == kernels::name(isa)) return isa;
  return std::nullopt;
}

CompiledTarget compiled_target(kernels::Isa isa) {
  const jit::Target target = jit::target_of(isa);
  const bool has_tiles = isa == kernels::machine_isa() && kernels::machine_has_bf16_tiles();
  return {kernels::name(isa), target.triple, target.features, has_tiles};
}

Result<std::string> identity_of(const std::string& package) {
  const auto open = open_archive(package);
  if (!open) return open.failure();
  return identity_of(open->archive);
}

Result<std::shared_ptr<const CompiledFile>> CompiledFile::open(const std::string& path) {
  auto file = io::MappedFile::open(path);
  if (!file) return file.failure();
  if (!io::begins_as_zip((*file)->bytes())) return std::shared_ptr<const CompiledFile>();
  auto archive = io::ZipArchive::over((*file)->bytes());
  if (!archive) return Failure{cat(path, ": ", archive.why())};
  auto made = std::make_shared<CompiledFile>();
  made->file_ = *std::move(file);
  made->archive_ = *std::move(archive);
  made->folder_ = cat(root_of(made->archive_), own_folder);
  const io::ZipEntry* entry = made->archive_.find(cat(made->folder_, header_name));
  if (!entry) return std::shared_ptr<const CompiledFile>();
  const auto text = unpacked(made->archive_, *entry, largest_header);
  if (!text) return Failure{cat(path, ": ", text.why())};
  auto header = header_in(*text);
  if (!header) return Failure{cat(path, ": ", header.why())};
  made->header_ = *std::move(header);
  if (auto fits = made->choose_target(); !fits) return Failure{cat(path, ": ", fits.why())};
  if (auto whole = made->verify(); !whole) return Failure{cat(path, ": ", whole.why())};
  if (auto found = made->find_package(); !found) return Failure{cat(path, ": ", found.why())};
  return std::shared_ptr<const CompiledFile>(std::move(made));
}

Result<Done> CompiledFile::choose_target() {
  constexpr std::string_view remedy =
      "; compile it again with this library (`vitro compile`), or load the .pt2 that it was made "
      "of";
  if (header_.build != build_id())
    return Failure{cat("was compiled by another build of Vitro, ", io::shown(header_.build),
                       ", and this one is ", io::shown(build_id()), remedy)};
  const CompiledTarget here = compiled_target(kernels::machine_isa());
  for (const CompiledTarget& one : header_.targets) {
    const bool fits = one.isa == here.isa && one.triple == here.triple &&
                      one.features == here.features && (!one.bf16_tiles || here.bf16_tiles);
    if (!fits) continue;
    folder_ += cat(one.isa, '/');
    return Done{};
  }
  return Failure{cat("was compiled for ", names_of(header_.targets), ", and this machine runs ",
                     here.isa, " (", here.triple, "); compile it again with `vitro compile --isa ",
                     here.isa, "`, or load the .pt2 that it was made of")};
}

Result<Done> CompiledFile::verify() const {
  for (const io::ZipEntry& entry : archive_.entries()) {
    const std::string_view name = entry.name;
    if (!name.starts_with(folder_) || name.substr(folder_.size()).starts_with(panels_folder))
      continue;
    if (auto right = archive_.verify(entry); !right) return right;
  }
  return Done{};
}

// A relative path is one from the folder of this file.
Result<Done> CompiledFile::find_package() {
  if (header_.package.empty()) {
    package_ = file_->path();
    return Done{};
  }
  const std::filesystem::path given = header_.package;
  package_ = given.is_absolute()
                 ? header_.package
                 : (std::filesystem::path(file_->path()).parent_path() / given).string();
  const auto identity = identity_of(package_);
  if (!identity) return Failure{cat("its weights are in another file: ", identity.why())};
  if (*identity == header_.identity) return Done{};
  return Failure{cat("its weights are in ", package_,
                     ", which is not the file that it was compiled from; compile it again")};
}

std::optional<std::string> CompiledFile::find(std::string_view key, jit::EntryKind kind) const {
  const io::ZipEntry* entry =
      archive_.find(cat(folder_, key, kind == jit::EntryKind::plan ? ".plan" : ".so"));
  if (!entry) return std::nullopt;
  auto bytes = unpacked(archive_, *entry, largest_entry);
  if (!bytes) return std::nullopt;
  return *std::move(bytes);
}

std::optional<std::span<const std::byte>> CompiledFile::panels(std::string_view key) const {
  const io::ZipEntry* entry = archive_.find(cat(folder_, panels_folder, key));
  if (!entry) return std::nullopt;
  const auto bytes = archive_.stored(*entry);
  if (!bytes) return std::nullopt;
  return *bytes;
}

std::string path_from(const std::string& file, const std::string& package) {
  const auto whole = std::filesystem::absolute(package).lexically_normal();
  const auto folder = std::filesystem::absolute(file).lexically_normal().parent_path();
  const auto from = whole.lexically_relative(folder);
  return from.empty() || *from.begin() == ".." ? whole.string() : from.string();
}

void write_compiled_file(const std::string& path, const std::string& package,
                         const CompiledHeader& header, std::span<const TargetEntries> targets) {
  const OpenArchive from = open_archive(package).value();
  const std::string text = text_of(header);
  for (const std::string* one : {&header.model, &header.name, &header.package})
    VITRO_CHECK(one->find('\n') == one->npos, path, ": the name ", io::shown(*one),
                " has a line end, which the file cannot hold");
  for (const std::string_view ending : {".gz", ".zst"})
    VITRO_CHECK(!path.ends_with(ending), path,
                ": is compressed, by its name, and could not be loaded; leave out ", ending);
  const auto file = report::create_file(path);
  io::ZipWriter zip(*file);
  std::string folder = std::string(own_folder);
  if (header.package.empty()) {
    copy_entries(from.archive, package, zip);
    folder = root_of(from.archive) + folder;
  }
  zip.add(cat(folder, header_name), text);
  for (size_t i = 0; i < targets.size(); ++i) {
    const std::string of_target = cat(folder, header.targets.at(i).isa, '/');
    const auto& [code, panels] = targets[i];
    for (const auto& [key, bytes] : code.plans) zip.add(cat(of_target, key, ".plan"), bytes);
    for (const auto& [key, bytes] : code.modules) zip.add(cat(of_target, key, ".so"), bytes);
    for (const auto& [key, bytes] : panels)
      zip.add(cat(of_target, panels_folder, key),
              {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  zip.finish();
  file->finish();
}

}  // namespace vitro::exported
