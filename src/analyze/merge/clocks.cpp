// Finds the offset between the clocks of two traces: bounds from launches, synchronisations and
// steps. merge_traces.cpp uses it to put device work at the host's times.
#include "analyze/merge/clocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "analyze/model/device_work.h"
#include "analyze/model/timeline.h"
#include "kineto/names.h"
#include "vitro/analyze/events.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

constexpr int64_t jitter = 10'000, prompt = 10'000'000;

int64_t begin_at(const Trace& trace, EventId e) {
  return trace.base() + trace.ts()[e];
}

int64_t end_at(const Trace& trace, EventId e) {
  return trace.base() + end_of(trace, e);
}

// A cause on the host and its effect on a device, each by its own clock.
struct Pair {
  int64_t cause, begin, end;
};

// The smallest offset that puts every begin after its cause.
int64_t least_offset(const std::vector<Pair>& pairs) {
  int64_t least = INT64_MIN;
  for (const Pair& p : pairs) least = std::max(least, p.cause - p.begin);
  return least;
}

// The largest offset with which all work ends before a device synchronisation called after its
// launch returns.
std::optional<int64_t> most_offset(const Trace& host, std::vector<Pair> pairs) {
  std::ranges::sort(pairs, {}, &Pair::cause);
  for (size_t i = 1; i < pairs.size(); ++i) pairs[i].end = std::max(pairs[i].end, pairs[i - 1].end);
  const Classes classes(host);
  std::optional<int64_t> most;
  for (const EventId e : host.events()) {
    if (classes[e] != EventClass::runtime || !host.name(e).ends_with("DeviceSynchronize")) continue;
    const auto next = std::ranges::lower_bound(pairs, begin_at(host, e), {}, &Pair::cause);
    if (next == pairs.begin()) continue;
    const int64_t bound = end_at(host, e) - (next - 1)->end;
    most = most ? std::min(*most, bound) : bound;
  }
  return most;
}

// Steps in both traces: for devices either their side of the steps, or ranges of the same name.
std::vector<Pair> steps_of_both(const Trace& host, const Trace& devices) {
  std::map<std::string_view, EventId> by_name;
  for (const Step& step : profiler_steps(host)) by_name.emplace(host.name(step.event), step.event);
  std::vector<Pair> out;
  std::map<std::string_view, bool> seen;
  for (const EventId e : devices.events()) {
    const auto step = by_name.find(devices.name(e));
    if (devices.phases()[e] != 'X' || step == by_name.end() || seen[step->first]) continue;
    seen[step->first] = true;
    out.push_back({begin_at(host, step->second), begin_at(devices, e), end_at(devices, e)});
  }
  return out;
}

bool overlap(const Trace& a, const Trace& b) {
  const Window in_a = measured_window(a), in_b = measured_window(b);
  return a.base() + in_a.begin < b.base() + in_b.end && b.base() + in_b.begin < a.base() + in_a.end;
}

Clock clock_by(const Trace& host, const std::vector<Pair>& pairs, std::string by,
               const MergeTracesOptions& options) {
  const int64_t least = least_offset(pairs);
  const std::optional<int64_t> most = most_offset(host, pairs);
  const bool fits = least <= jitter && least >= -prompt && (!most || *most >= -jitter);
  Clock out{0, {}, cat(by, ", as recorded")};
  if (!fits) out = {least + std::llround(options.latency_us * 1000), {}, std::move(by)};
  if (most) out.room = *most - out.offset;
  return out;
}

std::vector<Pair> times_of(const Trace& host, const Trace& devices,
                           const std::vector<Launched>& launched) {
  std::vector<Pair> out;
  for (const Launched& each : launched) {
    out.push_back(
        {begin_at(host, each.launch), begin_at(devices, each.work), end_at(devices, each.work)});
  }
  return out;
}

std::vector<EventId> work_of(const Trace& devices) {
  const Classes classes(devices);
  std::vector<EventId> out;
  for (const EventId e : devices.events())
    if (classes.is_device_work(e)) out.push_back(e);
  return out;
}

// Host events of one class by one of their numbers: the first of each.
std::unordered_map<int64_t, EventId> by_number(const Trace& host, EventClass which,
                                               std::span<const int64_t> numbers) {
  const Classes classes(host);
  std::unordered_map<int64_t, EventId> out;
  for (const EventId e : host.events())
    if (numbers[e] != none && classes[e] == which) out.emplace(numbers[e], e);
  return out;
}

std::vector<Launched> launched_by(const std::unordered_map<int64_t, EventId>& launches,
                                  const Trace& devices, std::span<const int64_t> numbers) {
  std::vector<Launched> out;
  for (const EventId e : work_of(devices)) {
    const auto launch = launches.find(numbers[e]);
    if (launch != launches.end()) out.push_back({launch->second, e});
  }
  return out;
}

}  // namespace

std::vector<Launched> launched_by_correlation(const Trace& host, const Trace& devices) {
  return launched_by(by_number(host, EventClass::runtime, host.links()), devices, devices.links());
}

std::vector<Launched> launched_by_id(const Trace& host, const Trace& devices) {
  const std::vector<EventId> work = work_of(devices);
  const bool own = std::ranges::any_of(work, [&](EventId e) {
    return devices.external_ids()[e] != none && devices.external_ids()[e] != devices.links()[e];
  });
  if (!own) return {};
  return launched_by(by_number(host, EventClass::op, host.external_ids()), devices,
                     devices.external_ids());
}

Result<Clock> clock_of(const Trace& host, const Trace& devices, const std::vector<Launched>& pairs,
                       const MergeTracesOptions& options) {
  if (options.offset_us) return Clock{std::llround(*options.offset_us * 1000), {}, "given"};
  if (!pairs.empty()) {
    const bool calls = Classes(host)[pairs.front().launch] == EventClass::runtime;
    return clock_by(host, times_of(host, devices, pairs),
                    std::string(calls ? "correlation" : kineto::argument::external_id), options);
  }
  const std::vector<Pair> steps = steps_of_both(host, devices);
  if (!steps.empty()) return clock_by(host, steps, "steps", options);
  if (overlap(host, devices)) return Clock{0, {}, "as recorded"};
  return Failure{
      "merge: the traces have no correlation, External id or step in common, and their times do "
      "not "
      "overlap: pass --offset-us, the offset to add to the devices' times"};
}

}  // namespace vitro::analyze
