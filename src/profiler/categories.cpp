// Goes through the changes of memory and the marks of all threads in order of time: a mark names
// what is live at its address, or else what was allocated before the recording.
#include "profiler/categories.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace vitro {
namespace {

using events::MemoryCategory;

// The outermost op or region around a slice; null if there is none.
const Slice* owner_of(const Track& track, uint32_t slice) {
  const Slice* owner = nullptr;
  for (; slice != Slice::none; slice = track.slices[slice].parent) {
    const Slice& each = track.slices[slice];
    if (each.kind == SliceKind::op || each.kind == SliceKind::region) owner = &each;
  }
  return owner;
}

class Categoriser {
 public:
  explicit Categoriser(std::vector<Track>& tracks) {
    for (Track& track : tracks) {
      for (MemoryChange& change : track.memory) changes_.push_back({&change, &track});
    }
    std::ranges::stable_sort(changes_, {}, [](const Entry& e) { return e.change->at; });
  }

  void run(std::vector<CategoryMark> marks) {
    std::ranges::stable_sort(marks, {}, &CategoryMark::at);
    auto mark = marks.begin();
    for (const Entry& entry : changes_) {
      for (; mark != marks.end() && mark->at <= entry.change->at; ++mark) apply(*mark);
      visit(entry);
    }
    for (; mark != marks.end(); ++mark) apply(*mark);
    for (const auto& [address, entry] : live_) settle(entry, INT64_MAX);
  }
  BytesByPurpose before() const {
    BytesByPurpose out{};
    for (const auto& [address, mark] : before_)
      out[static_cast<size_t>(mark.category)] += mark.bytes;
    return out;
  }

 private:
  struct Entry {
    MemoryChange* change;
    const Track* track;
  };

  void apply(const CategoryMark& mark) {
    const auto found = live_.find(mark.address);
    if (found != live_.end()) {
      found->second.change->category = mark.category;
    } else if (mark.bytes != 0 && !changed_.contains(mark.address)) {
      before_.try_emplace(mark.address, mark);
    }
  }

  void visit(const Entry& entry) {
    changed_.insert(entry.change->address);
    if (entry.change->bytes >= 0) {
      live_[entry.change->address] = entry;
      return;
    }
    const auto found = live_.find(entry.change->address);
    if (found == live_.end()) {
      const auto known = before_.find(entry.change->address);
      if (known != before_.end()) entry.change->category = known->second.category;
      return;
    }
    settle(found->second, entry.change->at);
    entry.change->category = found->second.change->category;
    live_.erase(found);
  }

  static void settle(const Entry& entry, int64_t freed) {
    if (entry.change->category != MemoryCategory::other) return;
    const Slice* owner = owner_of(*entry.track, entry.change->slice);
    if (!owner) return;
    entry.change->category =
        freed <= owner->end ? MemoryCategory::temporary : MemoryCategory::activation;
  }

  std::vector<Entry> changes_;  // in order of time
  // By address: what was allocated in the recording, and the first marks of what was before it.
  std::unordered_map<uint64_t, Entry> live_;
  std::unordered_map<uint64_t, CategoryMark> before_;
  std::unordered_set<uint64_t> changed_;
};

}  // namespace

BytesByPurpose categorise(std::vector<Track>& tracks, std::vector<CategoryMark> marks) {
  if (std::ranges::all_of(tracks, [](const Track& track) { return track.memory.empty(); }))
    return {};
  Categoriser all(tracks);
  all.run(std::move(marks));
  return all.before();
}

}  // namespace vitro
