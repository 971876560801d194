#include "analyze/questions/threads/pools.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/findings/findings.h"
#include "analyze/model/arrows.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_events = 10;
struct Handed {
  EventId launch = 0;
  std::vector<EventId> shares;
};

// Shares by launch, in the order in which they begin.
std::vector<Handed> handed_out(const Trace& trace, const TrackOrder& order) {
  std::map<std::pair<int64_t, EventId>, Handed> by_launch;
  for (const Arrow& arrow : arrows_of(trace, order, "launch")) {
    Handed& handed = by_launch[{trace.ts()[arrow.from], arrow.from}];
    handed.launch = arrow.from;
    handed.shares.push_back(arrow.to);
  }
  std::vector<Handed> out;
  for (auto& [begin, handed] : by_launch) out.push_back(std::move(handed));
  return out;
}

struct Group {
  Threads::Pool pool;
  std::set<uint32_t> threads;
  std::vector<std::pair<int64_t, EventId>> each;
  Pieces pieces;
};

}  // namespace

std::vector<Threads::Pool> pools_of(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const Window& window = index->window();
  std::map<uint32_t, Group> groups;  // by the launching track
  for (const Handed& handed : handed_out(trace, index->host())) {
    const int64_t begin = trace.ts()[handed.launch];
    if (begin < window.begin || begin >= window.end) continue;
    const int64_t length = end_of(trace, handed.launch) - begin;
    int64_t shares = 0;
    Group& group = groups[trace.track_ids()[handed.launch]];
    for (const EventId share : handed.shares) {
      shares += end_of(trace, share) - trace.ts()[share];
      group.threads.insert(trace.track_ids()[share]);
    }
    const auto threads = static_cast<int64_t>(handed.shares.size()) + 1;
    const int64_t lost = std::max<int64_t>(length - (length + shares) / threads, 0);
    ++group.pool.launches;
    group.pool.launched += length;
    group.pool.shares += shares;
    group.pool.lost += lost;
    group.pieces.add(begin, begin + length);
    group.each.emplace_back(-lost, handed.launch);
  }
  std::vector<Threads::Pool> out;
  for (auto& [track, group] : groups) {
    group.pool.track = track;
    group.pool.threads = group.threads.size() + 1;
    group.pool.when = group.pieces.take(window);
    std::ranges::sort(group.each);
    group.each.resize(std::min(group.each.size(), most_events));
    for (const auto& [lost, launch] : group.each) group.pool.worst.push_back(launch);
    out.push_back(std::move(group.pool));
  }
  return out;
}

}  // namespace vitro::analyze
