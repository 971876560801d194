// Replays the allocations and frees of each device to find totals, the peak, what was live then,
// and what was never freed; memory_answer.cpp presents them.
#include "analyze/questions/memory/memory.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analyze/model/index.h"
#include "analyze/questions/memory/levels.h"
#include "analyze/questions/memory/memory_changes.h"
#include "base/sort_list.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_allocations = 20, most_moments = 200;

// Replays the changes of one device from first to last.
class Player {
 public:
  Player(const Trace& trace, const MemoryChanges& all, std::vector<MemoryChange> changes)
      : trace_(trace), all_(all), changes_(std::move(changes)) {
    fill_totals();
  }

  Memory::Device play(const std::vector<Step>& steps) {
    out_.name = memory_device(changes_.front().device);
    out_.first = changes_.front().total - changes_.front().bytes;
    out_.last = changes_.back().total;
    const auto peak = std::ranges::max_element(changes_, {}, &MemoryChange::total);
    out_.peak = peak->total;
    out_.peak_at = peak->at;
    out_.peak_event = peak->event;
    find_reserved();
    out_.usual = usual();
    for (const MemoryChange& change : changes_) {
      (change.bytes > 0 ? out_.allocations : out_.frees) += change.bytes != 0;
      (change.bytes > 0 ? out_.allocated : out_.freed) += std::abs(change.bytes);
      take_place(change);
      if (change.event != peak->event) continue;
      out_.at_peak = groups();
      out_.before_trace = out_.peak;
      for (const Memory::Group& group : out_.at_peak) out_.before_trace -= group.bytes;
    }
    out_.never_freed = groups();
    find_largest();
    draw_timeline();
    for (const Step& step : steps) out_.after_steps.push_back(total_at(step.end));
    return std::move(out_);
  }

 private:
  // Totals are summed up if the writer gives none.
  void fill_totals() {
    const bool given = std::ranges::any_of(
        changes_, [](const MemoryChange& c) { return c.total != none && c.total > 0; });
    int64_t sum = 0;
    for (MemoryChange& change : changes_) {
      sum += change.bytes;
      if (!given || change.total == none) change.total = sum;
      sum = change.total;
    }
  }

  void take_place(const MemoryChange& change) {
    const auto number = static_cast<size_t>(&change - changes_.data());
    if (change.bytes > 0) {
      live_[change.address] = number;
    } else if (const auto known = live_.find(change.address); known != live_.end()) {
      freed_at_[known->second] = change.at;
      live_.erase(known);
    }
  }

  void find_reserved() {
    const auto most = std::ranges::max_element(changes_, {}, &MemoryChange::reserved);
    if (most->reserved <= 0) return;
    out_.reserved = most->reserved;
    out_.reserved_event = most->event;
  }

  int64_t usual() const {
    std::vector<Level> levels;
    for (const MemoryChange& change : changes_) levels.push_back({change.at, change.total});
    return usual_level(levels);
  }

  std::string within(const MemoryChange& change) const {
    return change.within == UINT32_MAX ? "" : trace_.names()[change.within];
  }

  // Groups of live allocations, the largest first.
  std::vector<Memory::Group> groups() const {
    struct Sum {
      Memory::Group group;
      int64_t largest = -1;
    };
    std::map<std::pair<uint16_t, uint32_t>, Sum> sums;
    for (const auto& [address, number] : live_) {
      const MemoryChange& change = changes_[number];
      Sum& sum = sums[{change.category, change.within}];
      ++sum.group.allocations;
      sum.group.bytes += change.bytes;
      if (std::pair(change.bytes, change.event) < std::pair(sum.largest, sum.group.largest))
        continue;
      sum.largest = change.bytes;
      sum.group.largest = change.event;
    }
    std::vector<Memory::Group> out;
    for (auto& [key, sum] : sums) {
      sum.group.category = all_.categories[key.first];
      if (key.second != UINT32_MAX) sum.group.within = trace_.names()[key.second];
      out.push_back(std::move(sum.group));
    }
    sort_list(out, std::ranges::greater(), &Memory::Group::bytes);
    return out;
  }

  void find_largest() {
    std::vector<size_t> order;
    for (size_t i = 0; i < changes_.size(); ++i)
      if (changes_[i].bytes > 0) order.push_back(i);
    const size_t count = std::min(order.size(), most_allocations);
    std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count), {},
                              [&](size_t i) { return std::pair(-changes_[i].bytes, i); });
    order.resize(count);
    for (const size_t i : order) {
      const MemoryChange& c = changes_[i];
      const auto freed = freed_at_.find(i);
      out_.largest.push_back({c.event, c.at, c.bytes,
                              freed == freed_at_.end() ? none : freed->second,
                              all_.categories[c.category], within(c)});
    }
  }

  void draw_timeline() {
    const int64_t begin = changes_.front().at;
    const int64_t part = (changes_.back().at - begin) / static_cast<int64_t>(most_moments) + 1;
    int64_t total = out_.first;
    size_t next = 0;
    for (int64_t at = begin; at <= changes_.back().at; at += part) {
      int64_t most = total;
      for (; next < changes_.size() && changes_[next].at < at + part; ++next) {
        total = changes_[next].total;
        most = std::max(most, total);
      }
      out_.timeline.push_back({at, most});
    }
  }

  int64_t total_at(int64_t moment) const {
    const auto behind = std::ranges::upper_bound(changes_, moment, {}, &MemoryChange::at);
    return behind == changes_.begin() ? out_.first : (behind - 1)->total;
  }

  const Trace& trace_;
  const MemoryChanges& all_;
  std::vector<MemoryChange> changes_;
  std::unordered_map<int64_t, size_t> live_;      // by address
  std::unordered_map<size_t, int64_t> freed_at_;  // by allocation
  Memory::Device out_;
};

}  // namespace

Result<Memory> memory(const TraceIndex& index) {
  const Trace& trace = index.trace();
  auto changes = memory_changes(index);
  if (!changes) return changes.failure();
  std::map<int32_t, std::vector<MemoryChange>> by_device;
  for (const MemoryChange& change : changes->list) by_device[change.device].push_back(change);
  const std::vector<Step>& steps = index->steps();
  Memory out;
  out.unread = changes->unread;
  for (auto& [device, list] : by_device) {
    out.devices.push_back(Player(trace, *changes, std::move(list)).play(steps));
    for (const auto& [failed, times] : changes->out_of_memory)
      if (failed == device) out.devices.back().out_of_memory = times;
  }
  return out;
}

}  // namespace vitro::analyze
