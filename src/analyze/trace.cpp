#include "vitro/analyze/trace.h"

#include <algorithm>
#include <utility>

#include "analyze/columns.h"
#include "analyze/kept.h"
#include "analyze/load.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {

struct Trace::Impl {
  std::string path, folder;
  bool remove = false;  // the folder with the trace
  bool from_cache = false;
  Columns columns;

  ~Impl() {
    if (remove) remove_folder(folder);
  }
};

namespace {

// Removes a folder that came to nothing.
class Unfinished {
 public:
  explicit Unfinished(std::string folder) : folder_(std::move(folder)) {}
  Unfinished(const Unfinished&) = delete;
  ~Unfinished() {
    if (!folder_.empty()) remove_folder(folder_);
  }
  const std::string& folder() const { return folder_; }
  std::string take() { return std::exchange(folder_, {}); }

 private:
  std::string folder_;
};

}  // namespace

Result<Trace> Trace::open(const std::string& path, const LoadOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  const bool is_file = path != "-";
  std::string key;
  if (is_file) {
    auto made = key_of(path);
    if (!made) return made.failure();
    key = *std::move(made);
    impl->folder = kept_folder(key);
    auto columns = Columns::open(impl->folder);
    if (columns) {
      touch(impl->folder);
      impl->columns = *std::move(columns);
      impl->from_cache = true;
      return Trace(std::move(impl));
    }
  }
  Unfinished unfinished(new_folder());
  const auto loaded = load(path, unfinished.folder(), options);
  if (!loaded) return loaded.failure();
  impl->remove = !is_file || !options.keep;
  impl->folder = unfinished.take();
  if (!impl->remove) {
    const std::string made = std::exchange(impl->folder, keep(impl->folder, key));
    impl->remove = impl->folder == made;  // it could not be kept
  }
  auto columns = Columns::open(impl->folder);
  if (!columns) return columns.failure();
  impl->columns = *std::move(columns);
  return Trace(std::move(impl));
}

Trace::Trace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;
Trace::~Trace() = default;

size_t Trace::size() const {
  return impl_->columns.facts.events;
}
std::span<const int64_t> Trace::ts() const {
  return impl_->columns.ts.as<int64_t>();
}
std::span<const int64_t> Trace::dur() const {
  return impl_->columns.dur.as<int64_t>();
}
std::span<const uint32_t> Trace::name_ids() const {
  return impl_->columns.name.as<uint32_t>();
}
std::span<const uint16_t> Trace::category_ids() const {
  return impl_->columns.category.as<uint16_t>();
}
std::span<const uint32_t> Trace::track_ids() const {
  return impl_->columns.track.as<uint32_t>();
}
std::span<const char> Trace::phases() const {
  return impl_->columns.phase.as<char>();
}
std::span<const int64_t> Trace::links() const {
  return impl_->columns.link.as<int64_t>();
}
std::span<const int64_t> Trace::external_ids() const {
  return impl_->columns.external.as<int64_t>();
}
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

Result<Done> Trace::read_events(std::span<const EventId> events,
                                const std::function<void(EventId, std::string_view)>& use) const {
  auto bytes = open_bytes(impl_->path);
  if (!bytes) return bytes.failure();
  const auto offsets = impl_->columns.offset.as<uint64_t>();
  const auto lengths = impl_->columns.length.as<uint32_t>();
  constexpr size_t piece = size_t{1} << 20;
  std::string text;
  uint64_t begin = 0;  // of `text` in the unpacked file
  for (const EventId event : events) {
    const uint64_t from = offsets[event], end = from + lengths[event];
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

}  // namespace vitro::analyze
