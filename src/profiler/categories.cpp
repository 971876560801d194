#include "profiler/categories.h"

#include <algorithm>
#include <unordered_map>

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

 private:
  struct Entry {
    MemoryChange* change;
    const Track* track;
  };

  void apply(const CategoryMark& mark) {
    const auto found = live_.find(mark.address);
    if (found != live_.end()) found->second.change->category = mark.category;
  }

  void visit(const Entry& entry) {
    if (entry.change->bytes >= 0) {
      live_[entry.change->address] = entry;
      return;
    }
    const auto found = live_.find(entry.change->address);
    if (found == live_.end()) return;  // allocated before the recording
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

  std::vector<Entry> changes_;                // in order of time
  std::unordered_map<uint64_t, Entry> live_;  // by address
};

}  // namespace

void categorise(std::vector<Track>& tracks, std::vector<CategoryMark> marks) {
  if (std::ranges::all_of(tracks, [](const Track& track) { return track.memory.empty(); })) return;
  Categoriser(tracks).run(std::move(marks));
}

}  // namespace vitro
