// Presents launches as tables, and finds avoidable cost: short launches, slow calls, full queues;
// answers `vitro trace launches`.
#include <algorithm>
#include <map>

#include "analyze/findings/findings.h"
#include "analyze/model/attribution.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/launch_list.h"
#include "analyze/model/timeline.h"
#include "analyze/model/waits.h"
#include "analyze/model/words.h"
#include "analyze/questions/launches/launches.h"
#include "analyze/questions/launches/queues.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"

namespace vitro::analyze {
namespace {

// The avoidable cost of calls.
struct Cost {
  uint64_t calls = 0;
  int64_t total = 0, work = 0, high = 0, most = 0;
  std::vector<std::pair<int64_t, EventId>> each;  // its cost, negated; the call
  Pieces when;

  void add(EventId call, int64_t begin, int64_t length, int64_t excess) {
    when.add(begin, begin + length);
    ++calls;
    total += length;
    most = std::max(most, length);
    high += excess;
    each.emplace_back(-excess, call);
  }
  std::vector<EventId> events() {
    std::ranges::sort(each);
    std::vector<EventId> out;
    for (const auto& [excess, call] : each) out.push_back(call);
    return out;
  }
};

class Costs {
 public:
  Costs(const TraceIndex& index, const LaunchOptions& options)
      : index_(index),
        trace_(index.trace()),
        options_(options),
        classes_(index->classes()),
        window_(index->window()),
        devices_(index->devices()),
        device_of_(trace_.tracks().size()),
        idle_(index->idle()) {
    for (size_t d = 0; d < devices_.size(); ++d)
      for (const EventId e : devices_[d].work) device_of_[trace_.track_ids()[e]] = d;
  }

  std::vector<Finding> conclude() {
    Findings findings(index_);
    const std::vector<Launch>& list = index_->launches();
    conclude_brief(list, findings);
    conclude_slow(list, findings);
    return findings.take();
  }

 private:
  bool measured(EventId call) const {
    return trace_.ts()[call] >= window_.begin && trace_.ts()[call] < window_.end;
  }
  // The most idle time of any device in slow calls of these names; only in files with devices.
  IdleGroup idle_in(const std::vector<uint32_t>& names) const;
  int64_t of_first_launches(const std::vector<EventId>& calls, int64_t limit);
  // Whether its call waits for the device.
  bool blocks(const Launch& launch) const { return index_->blocks()[launch.call]; }
  int64_t length(EventId call) const { return end_of(trace_, call) - trace_.ts()[call]; }

  struct Calls {
    bool is_of_memory = false;
    std::vector<uint32_t> names;
    std::vector<EventId> events, first;  // measured; the first of each name in the file
  };
  std::vector<Calls> calls() const;
  void conclude_brief(const std::vector<Launch>& list, Findings& findings) const;
  void conclude_slow(const std::vector<Launch>& list, Findings& findings);
  std::vector<bool> excused(const std::vector<Launch>& list) const;

  const TraceIndex& index_;
  const Trace& trace_;
  const LaunchOptions& options_;
  const Classes& classes_;
  const Window& window_;
  const std::vector<Device>& devices_;
  std::vector<size_t> device_of_;        // by track
  const std::vector<DeviceIdle>& idle_;  // as devices_
  std::map<uint32_t, EventId> first_;    // launch of each kernel, by its name; made on demand
};

void Costs::conclude_brief(const std::vector<Launch>& list, Findings& findings) const {
  std::vector<Cost> by_device(devices_.size());
  std::vector<uint64_t> launches(devices_.size());
  for (const Launch& launch : list) {
    if (!measured(launch.call) || blocks(launch)) continue;
    const size_t device = device_of_[trace_.track_ids()[launch.first]];
    ++launches[device];
    const int64_t call = length(launch.call);
    if (!is_brief(trace_, launch) || call > options_.slow_call_ns) continue;  // reported as slow
    by_device[device].add(launch.call, trace_.ts()[launch.call], call, call - launch.work);
    by_device[device].work += launch.work;
  }
  for (size_t d = 0; d < devices_.size(); ++d) {
    Cost& cost = by_device[d];
    if (cost.calls == 0) continue;
    const TrackInfo& track = trace_.tracks()[devices_[d].track];
    const int64_t brief = idle_[d].excess;
    Pieces when;
    for (const IdleGroup& group : idle_[d].groups)
      if (group.cause == IdleCause::brief) when.add(group.when);
    findings.add({cat("launches.brief.", track.pid),
                  cat(cost.calls, " of ", counted(launches[d], "launch"), " on ",
                      device_name(track), " started work shorter than the call itself: ",
                      time_text(cost.total), " of calls for ", time_text(cost.work),
                      " of work; for ", time_text(brief), " of that the device waits for the call"),
                  "fuse small kernels (compile the region) or replay them as a device graph"},
                 brief, brief, cost.events(), std::move(when));
  }
}

IdleGroup Costs::idle_in(const std::vector<uint32_t>& names) const {
  IdleGroup most;
  for (const DeviceIdle& device : idle_) {
    IdleGroup here;
    Pieces when;
    for (const IdleGroup& group : device.groups) {
      if (group.cause != IdleCause::slow_call ||
          std::ranges::find(names, group.name) == names.end())
        continue;
      here.time += group.time;
      when.add(group.when);
    }
    if (here.time <= most.time) continue;
    most = std::move(here);
    most.when = when.take(device.window);
  }
  return most;
}

// Calls that are long because they wait for a device (copies from unpinned memory, launches into a
// full queue) or for the calls inside them.
std::vector<bool> Costs::excused(const std::vector<Launch>& list) const {
  std::vector<bool> out = index_->frames();
  std::vector<Launch> others;
  for (const Launch& launch : list) {
    if (blocks(launch))
      out[launch.call] = true;
    else
      others.push_back(launch);
  }
  for (const EventId call : blocked_by_full_queue(trace_, others, options_.slow_call_ns))
    out[call] = true;
  return out;
}

constexpr std::string_view advice_on_memory =
    "let the allocator keep its memory: warm up with the largest shapes, do not empty its cache, "
    "use expandable segments";

// Calls that need not be repeated, however long each takes.
std::string_view advice_on_calls(std::string_view name) {
  if (holds(name, {"Malloc", "Free", "HostAlloc", "MemAlloc"})) return advice_on_memory;
  if (holds(name, {"Module", "Library", "FuncSetAttribute", "FuncGetAttr"}))
    return "code is loaded on first use: warm up before the measured steps, or load it eagerly "
           "(CUDA_MODULE_LOADING=EAGER)";
  if (holds(name, {"StreamCreate", "EventCreate", "DeviceProperties"}))
    return "create streams and events once, and query properties once";
  if (holds(name, {"GraphInstantiate", "Capture"}))
    return "capture the graph once, before the measured steps";
  return {};
}

constexpr std::string_view advice_on_first_calls =
    "the first call of a kind loads code or initialises the device: warm up before measuring";
constexpr std::string_view advice_on_other_calls =
    "check what else the host does at that time: other threads that hold the driver's lock, a "
    "first use, a page fault; launch less often";

// Measured calls by their names, those for memory together.
std::vector<Costs::Calls> Costs::calls() const {
  std::map<uint32_t, Calls> groups;   // by the first name
  std::map<uint32_t, EventId> first;  // of the file
  uint32_t for_memory = UINT32_MAX;
  for (const EventId e : trace_.events()) {
    if (classes_[e] != EventClass::runtime) continue;
    const uint32_t name = trace_.name_ids()[e];
    const auto known = first.try_emplace(name, e).first;
    if (trace_.ts()[e] < trace_.ts()[known->second]) known->second = e;
    if (!measured(e)) continue;
    const bool is_of_memory = advice_on_calls(trace_.names()[name]) == advice_on_memory;
    if (is_of_memory && for_memory == UINT32_MAX) for_memory = name;
    Calls& group = groups[is_of_memory ? for_memory : name];
    group.is_of_memory = is_of_memory;
    group.events.push_back(e);
    if (std::ranges::find(group.names, name) == group.names.end()) group.names.push_back(name);
  }
  std::vector<Calls> out;
  for (auto& [name, group] : groups) {
    for (const uint32_t each : group.names) group.first.push_back(first[each]);
    out.push_back(std::move(group));
  }
  return out;
}

// The time of calls that take longer than `limit` and launch a kernel before any other call does:
// they load its code.
int64_t Costs::of_first_launches(const std::vector<EventId>& calls, int64_t limit) {
  if (first_.empty()) {
    for (const Launch& launch : index_->launches()) {
      const auto known = first_.try_emplace(trace_.name_ids()[launch.first], launch.call).first;
      if (trace_.ts()[launch.call] < trace_.ts()[known->second]) known->second = launch.call;
    }
  }
  int64_t out = 0;
  for (const EventId e : calls) {
    const auto work = index_->links().work_of(e);
    if (work.empty() || length(e) <= limit) continue;
    const auto known = first_.find(trace_.name_ids()[work.front().second]);
    if (known != first_.end() && known->second == e) out += length(e);
  }
  return out;
}

void Costs::conclude_slow(const std::vector<Launch>& list, Findings& findings) {
  const Waits& waits = index_->waits();
  const std::vector<bool> excuse = excused(list);
  for (const Calls& group : calls()) {
    const std::vector<EventId>& calls = group.events;
    std::string text;
    for (const uint32_t each : group.names)
      text += cat(text.empty() ? "" : ", ", trace_.names()[each]);
    const std::string_view avoid = advice_on_calls(text);
    std::vector<int64_t> lengths;
    for (const EventId e : paced(calls)) lengths.push_back(length(e));
    std::ranges::sort(lengths);
    // The median is the usual time of a call, unless the call need not be made at all.
    const int64_t median = nearest_rank(lengths, 50), most_usual = options_.slow_call_ns;
    const int64_t usual = avoid.empty() ? median : 0;
    // If all are that long, twice the usual: half of any calls take over their median.
    const int64_t limit = usual > most_usual ? 2 * usual : most_usual;
    Cost cost;
    uint64_t judged = 0;
    for (const EventId e : paced(calls)) {
      if (waits[e] != WaitKind::nothing || excuse[e]) continue;
      ++judged;
      if (length(e) <= limit) continue;
      cost.add(e, trace_.ts()[e], length(e), length(e) - usual);
    }
    if (cost.calls == 0) continue;
    const std::vector<EventId> events = cost.events();
    const bool is_first = (std::ranges::find(group.first, events.front()) != group.first.end() &&
                           2 * cost.most > cost.total) ||
                          2 * of_first_launches(calls, limit) > cost.total;
    const std::string half =
        cost.calls < judged && median < limit ? cat("; the median is ", time_text(median)) : "";
    const IdleGroup idle = idle_in(group.names);
    const int64_t most = idle_.empty() ? cost.high : std::min(cost.high, idle.time);
    const int64_t least = idle_.empty() ? 0 : most;
    findings.add({cat("launches.slow.", group.is_of_memory ? "memory" : text),
                  cat(text, ": ", cost.calls, " of ", counted(judged, "call"),
                      cost.calls == 1 ? " takes over " : " take over ", time_text(limit), ", ",
                      time_text(cost.total), " together, the longest ", time_text(cost.most), half),
                  std::string(is_first         ? advice_on_first_calls
                              : !avoid.empty() ? avoid
                                               : advice_on_other_calls)},
                 least, most, events, idle_.empty() ? std::move(cost.when) : Pieces(idle.when));
  }
}

AnswerTable call_table(const Launches& all) {
  AnswerTable table{"calls",
                    "Runtime calls",
                    {{"name", "Name"},
                     {"calls", "Calls", Unit::count},
                     {"total_ns", "Total", Unit::ns},
                     {"median_ns", "Median", Unit::ns},
                     {"p99_ns", "99 %", Unit::ns},
                     {"most_ns", "Most", Unit::ns},
                     {"slow", "Slow", Unit::count},
                     {"launches", "Launches", Unit::count},
                     {"brief", "Short", Unit::count},
                     {"delay_median_ns", "Delay", Unit::ns},
                     {"delay_p99_ns", "99 %", Unit::ns},
                     {"delay_most_ns", "Most", Unit::ns},
                     {"delayed", "Delayed", Unit::count},
                     {"longest", "Event", Unit::count}},
                    {}};
  const auto where = [](bool known, int64_t value) {
    return known ? AnswerCell(value) : AnswerCell();
  };
  for (const Launches::CallStatistics& c : all.calls) {
    const bool launches = c.launches > 0;
    table.rows.push_back(
        {c.name, static_cast<int64_t>(c.calls), c.total, c.median, c.p99, c.most,
         static_cast<int64_t>(c.slow), static_cast<int64_t>(c.launches),
         where(launches, static_cast<int64_t>(c.brief)), where(launches, c.delay_median),
         where(launches, c.delay_p99), where(launches, c.delay_most),
         where(launches, static_cast<int64_t>(c.delayed)), static_cast<int64_t>(c.longest)});
  }
  return table;
}

AnswerTable brief_table(const Launches& all) {
  AnswerTable table{"short",
                    "Work shorter than its launch",
                    {{"name", "Name"},
                     {"launches", "Launches", Unit::count},
                     {"short", "Short", Unit::count},
                     {"work_ns", "Work", Unit::ns},
                     {"calls_ns", "Calls", Unit::ns},
                     {"example", "Event", Unit::count}},
                    {}};
  for (const Launches::Brief& b : all.briefs) {
    table.rows.push_back({b.name, static_cast<int64_t>(b.launches), static_cast<int64_t>(b.brief),
                          b.work, b.calls, static_cast<int64_t>(b.example)});
  }
  return table;
}

AnswerTable queue_table(const Trace& trace, const Launches& all) {
  AnswerTable table{"queues",
                    "Work launched but not begun",
                    {{"stream", "Stream"},
                     {"launched", "Launched", Unit::count},
                     {"mean", "Mean", Unit::number},
                     {"most", "Most", Unit::count},
                     {"full_ns", "Full", Unit::ns},
                     {"full_percent", "Full", Unit::percent}},
                    {}};
  for (const Launches::Queue& q : all.queues) {
    table.rows.push_back({stream_name(trace.tracks()[q.track]), static_cast<int64_t>(q.launched),
                          q.mean, static_cast<int64_t>(q.most), q.full, percent(q.full, q.span)});
  }
  return table;
}

AnswerTable part_table(const TraceIndex& index, const Launches& all) {
  const Trace& trace = index.trace();
  AnswerTable table{"queues_over_time",
                    "Work launched but not begun, over time",
                    {{"stream", "Stream"},
                     {"begin_ns", "From", Unit::ns},
                     {"mean", "Mean", Unit::number},
                     {"most", "Most", Unit::count}},
                    {}};
  const int64_t first = index->windows().front().window.begin;  // as viewers count
  for (const Launches::QueuePart& p : all.queue_parts) {
    table.rows.push_back({stream_name(trace.tracks()[p.track]), p.begin - first, p.mean,
                          static_cast<int64_t>(p.most)});
  }
  table.plot = {AnswerPlot::Kind::levels, "begin_ns", "most", "stream"};
  return table;
}

}  // namespace

Answer answer_launches(const TraceIndex& index, const LaunchOptions& options) {
  const Trace& trace = index.trace();
  const Launches all = launches(index, options);
  return {"launches",
          {call_table(all), brief_table(all), queue_table(trace, all), part_table(index, all)},
          Costs(index, options).conclude()};
}

}  // namespace vitro::analyze
