// Counts what waits in the queue of a stream, and finds the launches that a full one held up.
#include "analyze/questions/launches/queues.h"

#include <algorithm>
#include <functional>
#include <map>

#include "analyze/model/sort_runs.h"

namespace vitro::analyze {
namespace {

constexpr int64_t most_parts = 40;

// The lengths of a queue, each valid from one moment to the next, given in order.
class LengthTrack {
 public:
  LengthTrack(uint32_t track, int64_t begin, int64_t end, uint64_t full_queue)
      : full_queue_(full_queue), begin_(begin) {
    out_.queue.track = track;
    out_.queue.span = end - begin;
    part_length_ = std::max<int64_t>((end - begin + most_parts - 1) / most_parts, 1);
    for (int64_t at = begin; at < end; at += part_length_) out_.parts.push_back({track, at});
  }

  void lasts(uint64_t length, int64_t from, int64_t to) {
    out_.queue.most = std::max(out_.queue.most, length);
    if (to <= from) return was(length, from);
    out_.queue.mean += weight(length, from, to);
    if (length >= full_queue_) out_.queue.full += to - from;
    for (auto part = static_cast<size_t>((from - begin_) / part_length_);
         part < out_.parts.size() && out_.parts[part].begin < to; ++part) {
      Launches::QueuePart& p = out_.parts[part];
      p.most = std::max(p.most, length);
      p.mean += weight(length, std::max(from, p.begin), std::min(to, p.begin + part_length_));
    }
  }

  QueueOverTime take() {
    Launches::Queue& queue = out_.queue;
    if (queue.span > 0) queue.mean /= static_cast<double>(queue.span);
    for (Launches::QueuePart& p : out_.parts) {
      const int64_t end = std::min(p.begin + part_length_, begin_ + queue.span);
      p.mean /= static_cast<double>(end - p.begin);
    }
    return std::move(out_);
  }

 private:
  // For no time.
  void was(uint64_t length, int64_t at) {
    if (out_.parts.empty()) return;
    const auto part = static_cast<size_t>((at - begin_) / part_length_);
    Launches::QueuePart& p = out_.parts[std::min(part, out_.parts.size() - 1)];
    p.most = std::max(p.most, length);
  }

  static double weight(uint64_t length, int64_t from, int64_t to) {
    return static_cast<double>(length) * static_cast<double>(to - from);
  }

  QueueOverTime out_;
  uint64_t full_queue_;
  int64_t begin_, part_length_ = 1;
};

}  // namespace

QueueOverTime queue_of(const Trace& trace, const Links& links, uint32_t track,
                       std::span<const EventId> work, uint64_t full_queue) {
  std::vector<int64_t> launched, begun;
  for (const EventId e : paced(work)) {
    const EventId launch = links.launch_of(e);
    if (launch == Links::nobody) continue;
    launched.push_back(trace.ts()[launch]);
    begun.push_back(trace.ts()[e]);
  }
  if (launched.empty()) return {};
  sort_runs_by(launched, std::identity());
  sort_runs_by(begun, std::identity());
  LengthTrack recorder(track, launched.front(), std::max(launched.back(), begun.back()),
                       full_queue);
  uint64_t length = 0;
  int64_t at = launched.front();
  size_t in = 0, out = 0;
  while (in < launched.size() || out < begun.size()) {
    const bool enters = in < launched.size() && (out == begun.size() || launched[in] <= begun[out]);
    const int64_t next = enters ? launched[in] : begun[out];
    recorder.lasts(length, at, next);
    at = next;
    (enters ? in : out)++;
    // With a skewed clock work may begin before its launch.
    length = in > out ? in - out : 0;
  }
  QueueOverTime all = recorder.take();
  all.queue.launched = launched.size();
  return all;
}

namespace {

// A launch, and how many of its stream had not begun when it was made.
struct Queued {
  EventId call;
  bool slow;
  size_t ahead;
};

std::vector<Queued> queued(const Trace& trace, std::vector<Launch> list, int64_t slow_ns) {
  std::vector<int64_t> begun;
  for (const Launch& launch : list) begun.push_back(launch.first_begin);
  sort_runs_by(begun, std::identity());
  sort_runs_by(list, [&](const Launch& l) { return trace.ts()[l.call]; });
  std::vector<Queued> out;
  for (size_t i = 0; i < list.size(); ++i) {
    const int64_t at = trace.ts()[list[i].call];
    const auto left = static_cast<size_t>(std::ranges::upper_bound(begun, at) - begun.begin());
    const bool slow = end_of(trace, list[i].call) - at > slow_ns;
    out.push_back({list[i].call, slow, i > left ? i - left : 0});
  }
  return out;
}

// The length from which the queue is full; SIZE_MAX if it has no plateau.
size_t full_length(const std::vector<Queued>& launches) {
  constexpr size_t least_length = 32, least_slow = 5, seldom = 4;
  size_t most = 0;
  for (const Queued& each : launches) most = std::max(most, each.ahead);
  if (most < least_length) return SIZE_MAX;
  const size_t near = most - most / 10;
  size_t slow_there = 0, all_there = 0, slow_below = 0, all_below = 0, least = SIZE_MAX;
  for (const Queued& each : launches) {
    const bool there = each.ahead >= near;
    (there ? all_there : all_below) += 1;
    (there ? slow_there : slow_below) += each.slow;
    if (there && each.slow) least = std::min(least, each.ahead);
  }
  const bool cluster = slow_there >= least_slow && slow_there >= 3 * slow_below;
  return cluster && slow_there * all_below >= seldom * slow_below * all_there ? least : SIZE_MAX;
}

}  // namespace

std::vector<EventId> blocked_by_full_queue(const Trace& trace, const std::vector<Launch>& list,
                                           int64_t slow_ns) {
  std::map<uint32_t, std::vector<Launch>> by_stream;
  for (const Launch& each : list) by_stream[trace.track_ids()[each.first]].push_back(each);
  std::vector<EventId> out;
  for (auto& [stream, launches] : by_stream) {
    const std::vector<Queued> all = queued(trace, std::move(launches), slow_ns);
    const size_t full = full_length(all);
    for (const Queued& each : all)
      if (each.slow && each.ahead >= full) out.push_back(each.call);
  }
  return out;
}

}  // namespace vitro::analyze
