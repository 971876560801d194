// Attributes the idle time of devices: gap by gap what ended it, and, where that was a late launch,
// moment by moment what the launching thread did.
#include "analyze/model/attribution.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "analyze/model/captures.h"
#include "analyze/model/index.h"
#include "analyze/model/pieces.h"
#include "analyze/model/self_spans.h"
#include "analyze/model/sort_runs.h"
#include "base/sort_list.h"

namespace vitro::analyze {
namespace {

constexpr uint32_t no_name = UINT32_MAX, no_track = UINT32_MAX;
constexpr EventId nobody = Links::nobody;
constexpr size_t most_events = 10;
constexpr int64_t long_silence_ns = 1'000'000;  // an interpreter takes less between two ops

// An idle stretch that a launch ended too late: until `called` the thread had not launched.
struct Late {
  int64_t begin = 0, called = 0, end = 0;
  int64_t gap = 0;          // when the device ran out of work
  EventId launch = nobody;  // or the work, in a file without launches; none: the end
  EventId waited = nobody;  // the wait for the device that the thread was in then
  uint32_t track = no_track, within = no_name;  // of that
};

// What is known about the whole trace, for every device.
class Host {
 public:
  explicit Host(const TraceIndex& index)
      : trace(index.trace()),
        classes(index->classes()),
        waits(index->waits()),
        links(index->links()),
        launched(index->launched()),
        order(index->host()),
        kinds(index->kinds()),
        is_step_(index->is_step()),
        frames_(index->frames()),
        updates_(index->updates().events),
        index_(index),
        compiles_(trace.size()),
        brief_(trace.size()),
        captures_(captures_of(trace, classes, order)) {
    if (!index->steps().empty()) lead = trace.track_ids()[index->steps().front().event];
    std::map<uint32_t, size_t> launches;
    for (const Launch& launch : index->launches()) {
      latency = std::min(latency, launch.first_begin - trace.ts()[launch.call]);
      ++launches[trace.track_ids()[launch.call]];
      brief_[launch.call] = is_brief(trace, launch);
    }
    if (latency < 0 || latency >= short_gap_ns) latency = 0;
    const auto most =
        std::ranges::max_element(launches, {}, [](auto& each) { return each.second; });
    if (lead == no_track && most != launches.end()) lead = most->first;
    const auto& phases = index->compile_phases();
    for (const CompilePhase& phase : phases ? *phases : std::vector<CompilePhase>())
      if (phase.outermost) compiles_[phase.event] = true;
  }

  bool is_step(EventId e) const { return is_step_[trace.name_ids()[e]]; }
  bool waits_for_device(EventId e) const { return index_->waits_for_device(e); }
  bool awaits_earlier(EventId e) const { return index_->awaits_earlier(e); }

  struct Reason {
    IdleCause cause;
    size_t place;  // of its event in `open`
  };
  Reason reason(std::span<const EventId> open, int64_t at) const {
    for (size_t i = 0; i < open.size(); ++i)
      if (waits[open[i]] == WaitKind::data && end_of(trace, open[i]) > at)
        return {IdleCause::data, i};
    const size_t last = open.size() - 1;
    const EventId e = open[last];
    const WaitKind kind = waits[e];
    if (kind == WaitKind::lock) return {IdleCause::lock, last};
    if (kind == WaitKind::sleep) return {IdleCause::sleep, last};
    if (kind == WaitKind::threads) return {IdleCause::threads, last};
    if (captures(trace.track_ids()[e], at)) return {IdleCause::capture, last};
    for (size_t i = 0; i < open.size(); ++i)
      if (compiles_[open[i]]) return {IdleCause::compilation, i};
    if (awaits_earlier(e)) return {IdleCause::earlier, last};
    if (waits_for_device(e)) return {IdleCause::device, last};
    for (size_t i = 0; i < open.size(); ++i)
      if (updates(open[i]) && !is_slow(e)) return {IdleCause::update, last};
    if (classes[e] != EventClass::runtime) return {IdleCause::host, last};
    if (is_slow(e)) return {IdleCause::slow_call, last};
    return {links.work_of(e).empty() ? IdleCause::host
            : brief_[e]              ? IdleCause::brief
                                     : IdleCause::launch,
            last};
  }

  // Whether the thread is between the calls that begin and end a capture.
  bool captures(uint32_t track, int64_t at) const {
    const auto found = captures_.find(track);
    return found != captures_.end() && found->second.length_in(at, at + 1) > 0;
  }

  bool updates(EventId e) const { return !updates_.empty() && updates_[e]; }
  bool is_slow(EventId e) const {
    return classes[e] == EventClass::runtime && end_of(trace, e) - trace.ts()[e] > slow_call_ns &&
           !frames_[e];
  }

  // The name around a wait, as in threads.h.
  uint32_t within(std::span<const EventId> open, size_t at) const {
    for (size_t i = at; i-- > 0;) {
      if (end_of(trace, open[i]) < end_of(trace, open[at])) continue;  // crossing
      if (!is_step(open[i]) && waits[open[i]] == WaitKind::nothing)
        return trace.name_ids()[open[i]];
    }
    return no_name;
  }

  const Trace& trace;
  const Classes& classes;
  const Waits& waits;
  const Links& links;
  const LaunchTimes& launched;
  const TrackOrder& order;
  const WorkKinds& kinds;
  uint32_t lead = no_track;
  int64_t latency = short_gap_ns;  // the least from the begin of a launch to that of its work

 private:
  const std::vector<bool>&is_step_, &frames_, &updates_;
  const TraceIndex& index_;
  std::vector<bool> compiles_, brief_;  // by event
  const std::map<uint32_t, Intervals> captures_;
};

// One device.
class Attribution {
 public:
  Attribution(const Host& host, const Window& window, const Device& device)
      : host_(host), trace_(host.trace) {
    out_.track = device.track;
    out_.window = window;
    int64_t until = window.begin;
    for (const EventId e : paced(device.work)) {
      if (host.kinds[e] == WorkKind::wait) continue;
      if (trace_.ts()[e] > until) gap(until, std::min(trace_.ts()[e], window.end), e);
      until = std::max(until, end_of(trace_, e));
      if (until >= window.end) break;
    }
    if (until < window.end) late_on(host.lead, {until, window.end, window.end, until});
  }

  DeviceIdle take() {
    std::vector<Late> left;  // the part in which nothing is recorded on the launching thread
    const auto keep = [&](const Late& late) { left.push_back(late); };
    for (auto& [track, list] : late_)
      if (track != host_.lead) read(track, list, keep);
    std::vector<Late>& lead = late_[host_.lead];
    lead.insert(lead.end(), left.begin(), left.end());
    sort_runs_by(lead, &Late::begin);
    read(host_.lead, lead, [&](const Late& late) { silent(late); });
    for (auto& [key, sum] : sums_) {
      if (sum.group.time == 0) continue;
      sum.group.when = sum.pieces.take(out_.window);
      std::ranges::sort(sum.gaps);
      sum.group.gaps = sum.gaps.size() - std::ranges::unique(sum.gaps).size();
      keep_longest(sum.group.each, most_events);
      out_.idle += sum.group.time;
      out_.groups.push_back(std::move(sum.group));
    }
    sort_list(out_.groups, std::ranges::greater(), &IdleGroup::time);
    return std::move(out_);
  }

 private:
  using Key = std::tuple<IdleCause, uint32_t, uint32_t, uint32_t>;  // cause, track, name, within

  // Had the host not waited for the device, it would be ahead by the time that it waited, less what
  // the device has made up for since.
  struct Ahead {
    int64_t time = 0, until = INT64_MIN;
  };

  struct Sum {
    IdleGroup group;
    Pieces pieces;
    std::vector<int64_t> gaps;  // their begins, some repeated
    Ahead ahead;                // of waits
  };

  static void keep_longest(std::vector<std::pair<int64_t, EventId>>& each, size_t most) {
    std::ranges::sort(each);
    each.resize(std::min(each.size(), most));
  }

  void late_on(uint32_t track, Late late) { late_[track].push_back(late); }

  void gap(int64_t begin, int64_t end, EventId work) {
    if (end <= begin) return;
    const EventId launch = host_.links.launch_of(work);
    if (launch != nobody && trace_.ts()[launch] > begin) {
      const int64_t called = std::clamp(end_of(trace_, launch), begin, end);
      return late_on(trace_.track_ids()[launch], {begin, called, end, begin, launch});
    }
    // Launched just before: it arrives too late, too.
    if (launch != nobody && begin > out_.window.begin &&
        trace_.ts()[launch] + host_.latency > begin) {
      const int64_t arrives = std::min(trace_.ts()[launch] + host_.latency, end);
      late_on(trace_.track_ids()[launch], {begin, arrives, arrives, begin, launch});
      begin = arrives;
    }
    const int64_t launched = host_.launched.of(work);
    if (launch == nobody && launched > begin && host_.lead != no_track)
      return late_on(host_.lead, {begin, end, end, begin, work});
    const bool known = launch != nobody || launched == LaunchTimes::before_all;
    const IdleCause cause = !known                       ? IdleCause::unknown
                            : end - begin < short_gap_ns ? IdleCause::latency
                                                         : IdleCause::dependency;
    add({cause, no_track, no_name, no_name}, begin, end, work, begin, true);
  }

  void add(const Key& key, int64_t begin, int64_t end, EventId event, int64_t gap, bool own) {
    if (end <= begin) return;
    Sum& sum = sums_[key];
    IdleGroup& group = sum.group;
    std::tie(group.cause, group.track, group.name, group.within) = key;
    group.time += end - begin;
    if (own) group.own += end - begin;
    if (sum.gaps.empty() || sum.gaps.back() != gap) sum.gaps.push_back(gap);
    sum.pieces.add(begin, end);
    if (event == nobody) return;
    group.each.emplace_back(begin - end, event);
    if (group.each.size() >= 4 * most_events) keep_longest(group.each, most_events);
  }

  // What a thread did in these stretches, in their order; calls `rest` with what it did not record.
  template <class Rest>
  void read(uint32_t track, std::vector<Late>& list, Rest rest) {
    size_t next = 0;
    int64_t filled = INT64_MIN;
    const auto skip = [&](Late& late, int64_t to) {
      const int64_t from = std::max(filled, late.begin);
      if (to <= from) return;
      Late part = late;
      part.begin = from;
      part.called = part.end = to;
      rest(part);
    };
    const auto finish = [&](Late& late) {
      skip(late, late.called);
      if (late.end > late.called) launch(late);
    };
    const auto use = [&](std::span<const EventId> open, int64_t begin, int64_t end) {
      for (; next < list.size() && list[next].called <= begin; ++next) finish(list[next]);
      for (size_t i = next; i < list.size() && list[i].begin < end; ++i) {
        const int64_t from = std::max(begin, list[i].begin), to = std::min(end, list[i].called);
        if (from >= to || host_.is_step(open.back())) continue;
        skip(list[i], from);
        piece(list[i], track, open, from, to);
        filled = to;
      }
    };
    if (track != no_track) each_self(trace_, host_.order.track(track), use);
    for (; next < list.size(); ++next) finish(list[next]);
  }

  Key waited(const Late& late) const {
    return {IdleCause::device, late.track, trace_.name_ids()[late.waited], late.within};
  }

  void piece(Late& late, uint32_t track, std::span<const EventId> open, int64_t from, int64_t to) {
    // A wait that began after the launch is for its work.
    const bool launched = late.launch != nobody && trace_.ts()[late.launch] <= late.gap;
    for (size_t i = 0; from == late.gap && !launched && i < open.size(); ++i) {
      if (!host_.waits_for_device(open[i]) || host_.awaits_earlier(open[i]) ||
          trace_.ts()[open[i]] >= late.gap)
        continue;
      late.waited = open[i];
      late.track = track;
      late.within = host_.within(open, i);
    }
    if (from == late.gap && late.waited != nobody) {
      Ahead& ahead = sums_[waited(late)].ahead;
      ahead.time += late.gap - std::max(trace_.ts()[late.waited], ahead.until);
      ahead.until = late.gap;
    }
    const Host::Reason why = host_.reason(open, from);
    const EventId e = open[why.place];
    if (why.cause == IdleCause::device && (launched || is_awaited_by(e, late)))
      return add(
          {launched ? IdleCause::latency : IdleCause::dependency, no_track, no_name, no_name}, from,
          to, late.launch, late.gap, true);
    if (why.cause == IdleCause::capture || why.cause == IdleCause::earlier)
      return add({why.cause, no_track, no_name, no_name}, from, to, e, late.gap, true);
    if (why.cause == IdleCause::update)
      return add({why.cause, no_track, no_name, no_name}, from, to, e, late.gap,
                 host_.classes[e] == EventClass::runtime);
    const bool launches = why.cause == IdleCause::brief || why.cause == IdleCause::launch;
    const bool general = launches || why.cause == IdleCause::host;
    if (launches || (general && to - from < long_silence_ns)) from = after_wait(late, from, to);
    if (why.cause == IdleCause::host) out_.host_names[trace_.name_ids()[e]] += to - from;
    if (launches) in_call(e, to - from, why.cause == IdleCause::brief);
    if (general) return add({why.cause, no_track, no_name, no_name}, from, to, e, late.gap, true);
    add({why.cause, track, trace_.name_ids()[e], host_.within(open, why.place)}, from, to, e,
        late.gap, true);
  }

  // Attributes to the wait before what the host would have done ahead without it; returns the end
  // of that.
  int64_t after_wait(const Late& late, int64_t from, int64_t to) {
    if (late.waited == nobody) return from;
    int64_t& ahead = sums_[waited(late)].ahead.time;
    to = std::min(to, from + ahead);
    ahead -= to - from;
    add(waited(late), from, to, nobody, late.gap, false);
    return to;
  }

  // Whether the work that ends the idle time began in this wait: it had been launched before.
  bool is_awaited_by(EventId wait, const Late& late) const {
    return late.launch != nobody && host_.classes.is_device_work(late.launch) &&
           trace_.ts()[late.launch] < end_of(trace_, wait);
  }

  void in_call(EventId call, int64_t time, bool is_brief) {
    out_.calls += time;
    if (!is_brief) return;
    int64_t work = 0;
    for (const auto& [correlation, each] : host_.links.work_of(call))
      work += end_of(trace_, each) - trace_.ts()[each];
    out_.excess += std::min(time, end_of(trace_, call) - trace_.ts()[call] - work);
  }

  // From the end of the call to the begin of its work, which waits for something if that is long.
  void launch(const Late& late) {
    if (late.end - late.called >= short_gap_ns)
      return add({IdleCause::dependency, no_track, no_name, no_name}, late.called, late.end,
                 late.launch, late.gap, true);
    const bool updates = late.launch != nobody && host_.updates(late.launch);
    add({updates ? IdleCause::update : IdleCause::launch, no_track, no_name, no_name},
        after_wait(late, late.called, late.end), late.end, late.launch, late.gap, !updates);
  }

  void silent(Late late) {
    const bool is_long = late.end - late.begin >= long_silence_ns;
    if (!is_long) late.begin = after_wait(late, late.begin, late.end);
    if (late.begin == late.end) return;
    const IdleCause cause = host_.captures(host_.lead, late.begin) ? IdleCause::capture
                            : late.launch == nobody                ? IdleCause::end
                            : is_long                              ? IdleCause::unrecorded
                                                                   : IdleCause::host;
    if (cause == IdleCause::host) out_.host_names[no_name] += late.end - late.begin;
    add({cause, no_track, no_name, no_name}, late.begin, late.end, late.launch, late.gap, true);
  }

  const Host& host_;
  const Trace& trace_;
  std::map<uint32_t, std::vector<Late>> late_;  // by thread, ascending
  std::map<Key, Sum> sums_;
  DeviceIdle out_;
};

}  // namespace

std::string_view name_of(IdleCause cause) {
  constexpr std::array<std::string_view, idle_causes> names{
      "waiting for data",
      "waiting for a lock",
      "sleeping",
      "waiting for other threads",
      "capturing a device graph",
      "compiling",
      "slow runtime calls",
      "waiting for work from before the recording",
      "synchronising calls",
      "updating parameters one by one",
      "launching work shorter than its launch",
      "launching",
      "host code between launches",
      "nothing recorded on the host",
      "latency between kernels",
      "launched work that waits",
      "launches not in the file",
      "after its last work"};
  return names[static_cast<size_t>(cause)];
}

int64_t DeviceIdle::of(IdleCause cause) const {
  int64_t sum = 0;
  for (const IdleGroup& each : groups)
    if (each.cause == cause) sum += each.time;
  return sum;
}

const IdleGroup* DeviceIdle::group(IdleCause cause, uint32_t name, uint32_t within) const {
  const auto found = std::ranges::find_if(groups, [&](const IdleGroup& g) {
    return g.cause == cause && g.name == name && g.within == within;
  });
  return found == groups.end() ? nullptr : &*found;
}

std::vector<DeviceIdle> attribute_idle(const TraceIndex& index) {
  const Host host(index);
  std::vector<DeviceIdle> out;
  for (const Device& device : index->devices())
    out.push_back(Attribution(host, index->window(), device).take());
  return out;
}

}  // namespace vitro::analyze
