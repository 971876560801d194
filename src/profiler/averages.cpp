// Sums slices by name and group, and counts what was compiled meanwhile; Profiler::averages() and
// key_averages() return the result.
#include "vitro/profiler/averages.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/sort_list.h"
#include "profiler/shapes.h"
#include "vitro/base/cat.h"
#include "vitro/profiler/stacks.h"

namespace vitro {
namespace {

// Self and total values of the slices of a track.
struct Shares {
  std::vector<int64_t> self_ns, self_bytes, total_bytes;

  Shares(const Track& track, bool memory) : self_ns(track.slices.size()) {
    const std::vector<Slice>& slices = track.slices;
    for (const Slice& slice : slices) {
      self_ns[static_cast<size_t>(&slice - slices.data())] += slice.duration();
      if (slice.parent != Slice::none) self_ns[slice.parent] -= slice.duration();
    }
    if (!memory) return;
    self_bytes.resize(slices.size());
    for (const MemoryChange& change : track.memory) {
      if (change.slice != Slice::none) self_bytes[change.slice] += change.bytes;
    }
    total_bytes = self_bytes;
    for (size_t i = slices.size(); i-- > 0;) {  // inner slices come after outer ones
      if (slices[i].parent != Slice::none) total_bytes[slices[i].parent] += total_bytes[i];
    }
  }
};

struct Key {
  SliceKind kind;
  events::NameId name, product;
  uint32_t shapes, stack;
  int64_t thread;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& key) const {
    uint64_t h = uint64_t{key.name.n} << 32 | key.shapes;
    const uint64_t more = uint64_t{key.stack} << 12 ^ static_cast<uint64_t>(key.thread) << 40 ^
                          static_cast<uint64_t>(key.product.n) << 17;
    h = (h ^ more ^ static_cast<uint64_t>(key.kind) << 24) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
  }
};

// Numbers for the innermost frames of stacks, equal if the frames are equal.
class StackNumbers {
 public:
  StackNumbers(const std::vector<Stack>& stacks, size_t frames)
      : stacks_(stacks), frames_(frames), numbers_(stacks.size()) {}

  // From 1 on; 0 without a stack.
  uint32_t number(uint32_t stack) {
    if (frames_ == 0 || stack == Slice::none) return 0;
    if (numbers_[stack] != 0) return numbers_[stack];
    std::vector<std::string> texts;
    std::string key;
    for (const Frame& frame : symbols_.of(stacks_[stack])) {
      if (texts.size() == frames_) break;
      texts.push_back(text_of(frame));
      key += texts.back() + '\n';
    }
    const auto [found, fresh] =
        by_text_.try_emplace(std::move(key), static_cast<uint32_t>(texts_.size() + 1));
    if (fresh) texts_.push_back(std::move(texts));
    return numbers_[stack] = found->second;
  }
  const std::vector<std::string>& text(uint32_t number) const { return texts_[number - 1]; }

 private:
  const std::vector<Stack>& stacks_;
  size_t frames_;
  std::vector<uint32_t> numbers_;  // of each stack, 0: not computed yet
  std::unordered_map<std::string, uint32_t> by_text_;
  std::vector<std::vector<std::string>> texts_;
  Symbols symbols_;
};

std::string name_of(const Track& track) {
  return track.name.empty() ? cat(track.tid) : cat(track.tid, " (", track.name, ")");
}

std::string compiled_function(const Track& track, const Slice& slice) {
  const events::NameId label = slice.kind == SliceKind::region  ? slice.detail
                               : slice.kind == SliceKind::eager ? track.extra(slice).function
                                                                : events::NameId{};
  return std::string(events::text(label));
}

// Sums slices.
class AverageSums {
 public:
  AverageSums(const AverageOptions& options, ShapeNumbers& shapes, StackNumbers& stacks)
      : options_(options), shapes_(shapes), stacks_(stacks) {}

  void add(const Track& track, const Shares& shares, size_t i) {
    const Slice& slice = track.slices[i];
    const size_t place = place_of(track, slice);
    Average& entry = entries_[place];
    ++entry.count;
    entry.self_ns += shares.self_ns[i];
    entry.kernel_bytes += slice.bytes;
    entry.flops += slice.flops;
    if (slice.kind == SliceKind::kernel && options_.peaks)
      entry.least_ns += options_.peaks->least_ns(slice.bytes, slice.flops);
    if (options_.memory) entry.self_bytes += shares.self_bytes[i];
    Covered& covered = covered_[place];
    if (covered.track == &track && slice.begin < covered.until)
      return;  // nested in one of the same name
    covered = {&track, slice.end};
    entry.total_ns += slice.duration();
    if (options_.memory) entry.total_bytes += shares.total_bytes[i];
  }
  std::vector<Average> take() { return std::move(entries_); }

 private:
  // The end of the outermost slice of an entry on the current track.
  struct Covered {
    const Track* track = nullptr;
    int64_t until = 0;
  };

  size_t place_of(const Track& track, const Slice& slice) {
    Key key{slice.kind, slice.name_id, slice.product, 0, 0, 0};
    if (options_.group.group_by_thread) key.thread = track.tid;
    if (slice.extra != Slice::none) {
      const SliceExtra& extra = track.extra(slice);
      if (options_.group.group_by_input_shape) key.shapes = shapes_.number(extra.inputs);
      key.stack = stacks_.number(extra.stack);
    }
    const auto [found, fresh] = places_.try_emplace(key, entries_.size());
    if (fresh) {
      entries_.push_back({.name = std::string(slice.name()), .kind = slice.kind});
      entries_.back().compiled_function = compiled_function(track, slice);
      entries_.back().product = std::string(events::text(slice.product));
      if (key.shapes != 0) entries_.back().input_shapes = shapes_.text(key.shapes);
      if (key.stack != 0) entries_.back().stack = stacks_.text(key.stack);
      if (key.thread != 0) entries_.back().thread = name_of(track);
      covered_.emplace_back();
    }
    return found->second;
  }

  const AverageOptions& options_;
  ShapeNumbers& shapes_;
  StackNumbers& stacks_;
  std::unordered_map<Key, size_t, KeyHash> places_;
  std::vector<Average> entries_;
  std::vector<Covered> covered_;
};

}  // namespace

Averages::Averages(const Profile& profile, AverageOptions options)
    : options_(std::move(options)), dropped_(profile.dropped) {
  ShapeNumbers shapes;
  StackNumbers stacks(profile.stacks, options_.group.group_by_stack_n);
  AverageSums all(options_, shapes, stacks), top(options_, shapes, stacks);
  for (const Track& track : profile.tracks) {
    const Shares shares(track, options_.memory);
    for (size_t i = 0; i < track.slices.size(); ++i) {
      all.add(track, shares, i);
      busy_ns_ += shares.self_ns[i];
      if (track.slices[i].parent == Slice::none) top.add(track, shares, i);
    }
  }
  add_compilations(profile);
  entries_ = all.take();
  top_level_ = top.take();
}

namespace {

// The outermost phases of each thread, by begin.
std::vector<Slice> outermost_phases(const Profile& profile) {
  std::vector<Slice> phases;
  for (const Track& track : profile.tracks) {
    int64_t until = 0;
    for (const Slice& slice : track.slices) {
      if (slice.kind != SliceKind::phase || slice.begin < until) continue;
      until = slice.end;
      phases.push_back(slice);
    }
  }
  sort_list(phases, {}, &Slice::begin);
  return phases;
}

}  // namespace

// Each graph goes through several phases, some on helper threads: a compilation is one graph, and
// another one when the phase that it began with recurs.
void Averages::add_compilations(const Profile& profile) {
  std::unordered_map<uint32_t, uint32_t> begins_with;  // first phase by subject
  int64_t until = std::numeric_limits<int64_t>::min();
  for (const Slice& phase : outermost_phases(profile)) {
    const auto [known, fresh] = begins_with.try_emplace(phase.detail.n, phase.name_id.n);
    if (fresh || known->second == phase.name_id.n) ++compilations_;
    compiling_ns_ += std::max<int64_t>(phase.end - std::max(phase.begin, until), 0);
    compiling_threads_ns_ += phase.duration();
    until = std::max(until, phase.end);
  }
}

const Average* Averages::find(std::string_view name) const& {
  const auto found = std::ranges::find(entries_, name, &Average::name);
  return found == entries_.end() ? nullptr : &*found;
}

}  // namespace vitro
