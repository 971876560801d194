// Finds the programs of a package in either layout, and with each its weights and constants.
#include "io/pt2/package.h"

#include <algorithm>
#include <utility>

#include "io/pt2/foreign.h"
#include "io/pt2/package_archive.h"
#include "io/shown.h"
#include "vitro/base/cat.h"
#include "vitro/base/nearest.h"

namespace vitro::io {
namespace {

constexpr uint64_t largest_program = uint64_t{1} << 30, largest_word = 64;
constexpr std::string_view flat_program = "serialized_exported_program.json";

// The text of a small entry without the line end; empty if there is none.
Result<std::string> word(const PackageArchive& package, const std::string& name) {
  if (!package.archive.find(name)) return std::string();
  const auto text = package.text(name, largest_word);
  if (!text) return text.failure();
  return std::string(text->substr(0, text->find('\n')));
}

Result<Done> check_root(const PackageArchive& package) {
  const auto& entries = package.archive.entries();
  const auto other = std::ranges::find_if(
      entries, [&](const ZipEntry& e) { return !e.name.starts_with(package.root); });
  if (other == entries.end()) return Done{};
  return package.failure(cat("entry ", shown(other->name), " is outside the folder ",
                             shown(package.root), " of the others"));
}

Result<Done> check_format(PackageArchive& package) {
  const auto format = word(package, cat(package.root, "archive_format"));
  if (!format) return format.failure();
  if (*format != "pt2") {
    const std::string kind = foreign_archive(package.archive, package.root);
    if (!kind.empty()) return package.failure(kind);
    return package.failure(
        cat("is a zip archive, but not a package of torch.export.save: its archive_format is ",
            format->empty() ? "missing" : shown(*format), ", needed \"pt2\""));
  }
  auto version = word(package, cat(package.root, "archive_version"));
  if (!version) return version.failure();
  package.version = *std::move(version);
  if (package.version != "0")
    return package.failure(cat("has version ", shown(package.version),
                               " of the archive, and only \"0\" is known: export it with PyTorch "
                               "2.13 or an older one"));
  const auto order = word(package, cat(package.root, "byteorder"));
  if (!order) return order.failure();
  if (!order->empty() && *order != "little")
    return package.failure(cat("has byte order ", shown(*order),
                               ", and only \"little\" can be read: export it on a little-endian "
                               "machine"));
  auto id = word(package, cat(package.root, ".data/serialization_id"));
  if (!id) return id.failure();
  package.serialization_id = *std::move(id);
  return Done{};
}

// The names NAME of entries FOLDER NAME SUFFIX.
std::vector<std::string> names_in(const PackageArchive& package, std::string_view folder,
                                  std::string_view suffix) {
  std::vector<std::string> names;
  for (const ZipEntry& entry : package.archive.entries()) {
    const std::string_view name = entry.name;
    if (name.size() > folder.size() + suffix.size() && name.starts_with(folder) &&
        name.ends_with(suffix))
      names.emplace_back(name.substr(folder.size(), name.size() - folder.size() - suffix.size()));
  }
  return names;
}

// Where the parts of a model are.
struct Places {
  std::string program, weights_list, weights_pickle, constants_list, constants_pickle, samples;
};

Places places_of(const PackageArchive& package, const std::string& name) {
  if (package.flat)
    return {std::string(flat_program),  "",
            "serialized_state_dict.pt", "",
            "serialized_constants.pt",  "serialized_example_inputs.pt"};
  const std::string weights = cat(package.root, "data/weights/", name),
                    constants = cat(package.root, "data/constants/", name);
  return {cat(package.root, "models/", name, ".json"),
          cat(weights, "_weights_config.json"),
          cat(weights, ".pt"),
          cat(constants, "_constants_config.json"),
          cat(constants, ".pt"),
          cat(package.root, "data/sample_inputs/", name, ".pt")};
}

std::vector<PackageTensor> described(const TensorList& list) {
  std::vector<PackageTensor> tensors;
  for (const TensorRecord& record : list.records())
    tensors.push_back({record.name, record.is_parameter});
  return tensors;
}

// Reads a model's texts and lists; the lists go into the archive.
Result<PackageModel> read_model(PackageArchive& package, const std::string& name) {
  const Places places = places_of(package, name);
  PackageModel model;
  model.name = name;
  const auto program = package.text(places.program, largest_program);
  if (!program) return program.failure();
  model.program_json = *program;
  auto weights = package.list("weight", places.weights_list, places.weights_pickle);
  if (!weights) return weights.failure();
  auto constants = package.list("constant", places.constants_list, places.constants_pickle);
  if (!constants) return constants.failure();
  const ZipEntry* samples = package.archive.find(places.samples);
  if (samples && samples->size == 0) samples = nullptr;
  model.has_sample_inputs = samples != nullptr;
  model.weights = described(*weights);
  model.constants = described(*constants);
  package.models.push_back({*std::move(weights), *std::move(constants), samples});
  return model;
}

Result<std::vector<std::string>> names_of_models(PackageArchive& package) {
  if (package.archive.find(flat_program)) {
    package.flat = true;
    package.extra_folder = "extra_files/";
    auto version = word(package, "version");
    if (!version) return version.failure();
    package.version = *std::move(version);
    return std::vector<std::string>{"model"};
  }
  package.root = root_of(package.archive);
  package.extra_folder = cat(package.root, "extra/");
  if (auto format = check_format(package); !format) return format.failure();
  if (auto one = check_root(package); !one) return one.failure();
  auto names = names_in(package, cat(package.root, "models/"), ".json");
  if (!names.empty()) return names;
  const std::string kind = foreign_archive(package.archive, package.root);
  return package.failure(kind.empty() ? "has no program: no entry models/NAME.json" : kind);
}

}  // namespace

Result<Tensor> PackageModel::weight(std::string_view tensor_name) const {
  return archive_->tensor(archive_->models[index_].weights, tensor_name);
}

Result<Tensor> PackageModel::constant(std::string_view tensor_name) const {
  return archive_->tensor(archive_->models[index_].constants, tensor_name);
}

Result<std::vector<Tensor>> PackageModel::sample_tensors() const {
  const ZipEntry* const samples = archive_->models[index_].samples;
  if (!samples) return archive_->failure("has no sample inputs");
  return archive_->samples(*samples);
}

Result<Package> Package::open(const std::string& path) {
  auto opened = PackageArchive::open(path);
  if (!opened) return opened.failure();
  const std::shared_ptr<PackageArchive> package = *opened;
  auto names = names_of_models(*package);
  if (!names) return names.failure();
  package->extra_files = names_in(*package, package->extra_folder, "");
  Package made;
  for (const std::string& name : *names) {
    auto model = read_model(*package, name);
    if (!model) return model.failure();
    model->archive_ = package;
    model->index_ = made.models_.size();
    made.models_.push_back(*std::move(model));
  }
  made.archive_ = package;
  return made;
}

const std::string& Package::path() const {
  return archive_->path();
}

Result<PackageModel> Package::model(std::string_view name) const {
  if (name.empty() && models_.size() == 1) return models_[0];
  std::vector<std::string> known;
  for (const PackageModel& model : models_) {
    if (model.name == name) return model;
    known.push_back(model.name);
  }
  std::string list;
  for (const std::string& one : known) list += cat(list.empty() ? "" : ", ", shown(one));
  if (name.empty())
    return archive_->failure(cat("has ", known.size(), " models, ", list, ": name one"));
  return archive_->failure(cat("has no model ", shown(name), ", but ", list));
}

const std::string& Package::archive_version() const {
  return archive_->version;
}
bool Package::is_flat() const {
  return archive_->flat;
}
const std::string& Package::serialization_id() const {
  return archive_->serialization_id;
}
const std::vector<std::string>& Package::extra_files() const {
  return archive_->extra_files;
}

Result<std::string_view> Package::extra_file(std::string_view name) const {
  return archive_->text(cat(archive_->extra_folder, name), largest_program);
}

Result<Done> Package::check() const {
  return archive_->file->check();
}

Result<Done> Package::verify() const {
  if (auto whole = check(); !whole) return whole;
  for (const ZipEntry& entry : archive_->archive.entries()) {
    if (auto right = archive_->archive.verify(entry); !right) return archive_->failure(right.why());
  }
  return Done{};
}

}  // namespace vitro::io
