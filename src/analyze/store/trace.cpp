// Opens a trace, from the cache or by loading the file, and reads the text of events again on
// request.
#include "vitro/analyze/trace.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analyze/store/columns.h"
#include "analyze/store/kept.h"
#include "analyze/store/load.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/output.h"

namespace vitro::analyze {

struct Trace::Impl {
  std::string path;
  bool from_cache = false;
  std::string not_kept;
  Columns columns;
};

namespace {

Result<Columns> read_kept(const std::string& key, bool keep) {
  const std::string folder = kept_folder(key);
  if (key.empty() || folder.empty()) return Failure{"nothing is cached for it"};
  auto columns = Columns::open(folder);
  if (!columns) return columns;
  keep ? touch(folder) : remove_folder(folder);
  return columns;
}

Result<std::unique_ptr<Bytes>> open_again(const std::string& path) {
  if (path == "-") return Failure{"-: standard input cannot be read twice: pass a file"};
  return open_bytes(path);
}

}  // namespace

Result<Trace> Trace::open(const std::string& path, const LoadOptions& options) try {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  std::string key;  // empty: nothing is cached for standard input
  if (path != "-") {
    auto made = key_of(path);
    if (!made) return made.failure();
    key = *std::move(made);
    if (auto columns = read_kept(key, options.keep)) {
      impl->columns = *std::move(columns);
      impl->from_cache = true;
      return Trace(std::move(impl));
    }
  }
  ColumnWriter writer(folder_to_write());
  auto facts = load(path, writer, options);
  if (!facts) return facts.failure();
  impl->columns = writer.finish(*std::move(facts));
  if (options.keep && !key.empty()) {
    const auto kept = analyze::keep(key, [&](const std::string& folder) {
      return writer.name_files(folder, impl->columns.facts);
    });
    if (!kept) impl->not_kept = kept.why();
  }
  return Trace(std::move(impl));
} catch (const Error& e) {  // columns cannot be written
  return Failure{cat(path, ": cannot be read: ", e.what())};
}

Trace::Trace(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)),
      ts_(impl_->columns.ts.as<int64_t>()),
      dur_(impl_->columns.dur.as<int64_t>()),
      links_(impl_->columns.link.as<int64_t>()),
      external_ids_(impl_->columns.external.as<int64_t>()),
      name_ids_(impl_->columns.name.as<uint32_t>()),
      track_ids_(impl_->columns.track.as<uint32_t>()),
      category_ids_(impl_->columns.category.as<uint16_t>()),
      phases_(impl_->columns.phase.as<char>()) {}
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;
Trace::~Trace() = default;

std::string_view Trace::name(EventId event) const {
  return names()[name_ids()[event]];
}
std::string_view Trace::category(EventId event) const {
  return categories()[category_ids()[event]];
}
const std::vector<std::string>& Trace::names() const {
  return impl_->columns.facts.names;
}
const std::vector<std::string>& Trace::categories() const {
  return impl_->columns.facts.categories;
}
const std::vector<TrackInfo>& Trace::tracks() const {
  return impl_->columns.facts.tracks;
}
int64_t Trace::base() const {
  return impl_->columns.facts.base;
}
const std::map<std::string, std::string>& Trace::metadata() const {
  return impl_->columns.facts.metadata;
}
const std::vector<Note>& Trace::notes() const {
  return impl_->columns.facts.notes;
}
uint64_t Trace::file_bytes() const {
  return impl_->columns.facts.file_bytes;
}
uint64_t Trace::unpacked_bytes() const {
  return impl_->columns.facts.unpacked_bytes;
}
bool Trace::from_cache() const {
  return impl_->from_cache;
}
const std::string& Trace::not_kept() const {
  return impl_->not_kept;
}

Result<Done> Trace::read_events(std::span<const EventId> events,
                                const std::function<void(EventId, std::string_view)>& use) const {
  auto bytes = open_again(impl_->path);
  if (!bytes) return bytes.failure();
  const auto lengths = impl_->columns.length.as<uint32_t>();
  constexpr size_t piece = size_t{1} << 20;
  std::string text;
  uint64_t begin = 0;  // of `text` in the unpacked file
  for (const EventId event : events) {
    const uint64_t from = impl_->columns.offset_of(event), end = from + lengths[event];
    while (begin + text.size() < end) {
      const size_t done = from > begin ? std::min<uint64_t>(from - begin, text.size()) : 0;
      text.erase(0, done);
      begin += done;
      const size_t before = text.size();
      text.resize(before + piece);
      const size_t got = (*bytes)->read(text.data() + before, piece);
      text.resize(before + got);
      if (got == 0) return Failure{cat(impl_->path, ": is shorter than when it was read")};
    }
    use(event, std::string_view(text).substr(from - begin, end - from));
  }
  return Done{};
}

Result<Done> Trace::copy_with(report::Output& out,
                              const std::function<void(report::Output&)>& more) const {
  if (size() == 0) return Failure{cat(impl_->path, ": has no events to add to")};
  auto bytes = open_again(impl_->path);
  if (!bytes) return bytes.failure();
  const uint64_t first = impl_->columns.offset_of(0);
  std::vector<char> buffer(size_t{1} << 20);
  uint64_t at = 0;
  while (const size_t got = (*bytes)->read(buffer.data(), buffer.size())) {
    const std::string_view text(buffer.data(), got);
    const bool here = at <= first && first < at + got;
    const size_t before = here ? first - at : got;
    out.write(text.substr(0, before));
    if (here) more(out);
    out.write(text.substr(before));
    at += got;
  }
  if (at != unpacked_bytes()) return Failure{cat(impl_->path, ": has changed since it was read")};
  return Done{};
}

}  // namespace vitro::analyze
