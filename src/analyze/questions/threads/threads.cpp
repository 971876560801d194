// Measures busy, waiting and idle time of host threads, and what their waits cost; answers `vitro
// trace threads`.
#include "analyze/questions/threads/threads.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/findings/findings.h"
#include "analyze/model/attribution.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/launch_list.h"
#include "analyze/model/producer.h"
#include "analyze/model/self_spans.h"
#include "analyze/model/waits.h"
#include "analyze/model/words.h"
#include "analyze/questions/threads/pools.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_events = 10;
constexpr uint32_t no_name = UINT32_MAX;

void keep_longest(std::vector<std::pair<int64_t, EventId>>& each, std::vector<EventId>& out) {
  std::ranges::sort(each);
  each.resize(std::min(each.size(), most_events));
  for (const auto& [length, e] : each) out.push_back(e);
}

class ThreadActivityReader {
 public:
  explicit ThreadActivityReader(const TraceIndex& index)
      : index_(index),
        trace_(index.trace()),
        waits_(index->waits()),
        is_step_(index->is_step()),
        has_steps_(trace_.tracks().size()),
        launches_(trace_.tracks().size()),
        waits_for_data_(trace_.tracks().size()),
        blocks_(index->blocks()) {
    out_.window = index->window();
    for (const Step& step : index->steps()) has_steps_[trace_.track_ids()[step.event]] = true;
    for (const Device& device : index->devices())
      busy_ = united(busy_, times_of(trace_, index->kinds(), device.work).busy);
    for (const Launch& launch : index->launches())
      launches_[trace_.track_ids()[launch.call]] = true;
  }

  Threads take() {
    const TrackOrder& order = index_->host();
    for (uint32_t t = 0; t < order.tracks(); ++t) {
      if (!order.track(t).empty() && !index_->is_stream()[t]) read(t, order.track(t));
    }
    lead();
    for (auto& [key, wait] : waits_by_name_) {
      keep_longest(wait.each, wait.wait.longest);
      wait.wait.until_work_when = wait.pieces.take(out_.window);
      out_.waits.push_back(std::move(wait.wait));
    }
    sort_list(out_.waits, std::ranges::greater(), &Threads::Wait::total);
    out_.pools = pools_of(index_);
    return std::move(out_);
  }

 private:
  struct WaitGroup {
    Threads::Wait wait;
    EventId last = UINT32_MAX;
    int64_t last_begin = INT64_MIN;
    int64_t waited = INT64_MIN;         // end of the waits so far
    int64_t counted_until = INT64_MIN;  // idle devices are counted up to here
    std::vector<std::pair<int64_t, EventId>> each;
    Pieces pieces;
  };

  void read(uint32_t track, std::span<const EventId> events);
  void wait(uint32_t track, std::span<const EventId> open, size_t at, WaitKind kind,
            int64_t length);
  void gap(Threads::Thread& thread, std::vector<std::pair<int64_t, EventId>>& gaps, int64_t length,
           EventId behind);
  void lead();

  // The innermost function of Python among these that has a line; empty if there is none.
  std::string caller(std::span<const EventId> open) const {
    for (; !open.empty(); open = open.first(open.size() - 1)) {
      const std::string_view name = trace_.name(open.back());
      if (index_->classes()[open.back()] == EventClass::python &&
          name.find(".py(") != std::string_view::npos)
        return std::string(name);
    }
    return {};
  }

  // When a device last worked before a moment; the moment itself if one works then.
  int64_t busy_end(int64_t moment) const {
    const auto next = busy_.after(moment);
    if (next != busy_.end() && next->begin < moment) return moment;
    return next == busy_.begin() ? INT64_MIN : std::prev(next)->end;
  }

  // The position in `open` of the wait that a piece belongs to, and its kind: everything inside the
  // iterator of a data loader belongs to the iterator.
  std::pair<size_t, WaitKind> wait_in(std::span<const EventId> open, int64_t at) const {
    for (size_t i = 0; i < open.size(); ++i) {
      if (waits_[open[i]] == WaitKind::data && end_of(trace_, open[i]) > at)
        return {i, WaitKind::data};
    }
    const EventId e = open.back();
    return {open.size() - 1, blocks_[e] ? WaitKind::device : waits_[e]};
  }

  const TraceIndex& index_;
  const Trace& trace_;
  const Waits& waits_;
  const std::vector<bool>& is_step_;                         // by name
  std::vector<bool> has_steps_, launches_, waits_for_data_;  // by track
  const std::vector<bool>& blocks_;
  Intervals busy_;  // any device
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, WaitGroup> waits_by_name_;
  Threads out_;
};

void ThreadActivityReader::gap(Threads::Thread& thread,
                               std::vector<std::pair<int64_t, EventId>>& gaps, int64_t length,
                               EventId behind) {
  ++thread.gaps;
  if (length > thread.longest_gap) {
    thread.longest_gap = length;
    thread.behind_gap = behind;
  }
  gaps.emplace_back(-length, behind);
  if (gaps.size() >= 2 * most_events) {
    std::ranges::sort(gaps);
    gaps.resize(most_events);
  }
}

void ThreadActivityReader::read(uint32_t track, std::span<const EventId> events) {
  Threads::Thread thread;
  thread.track = track;
  std::vector<std::pair<int64_t, EventId>> gaps;
  Pieces pieces;
  int64_t last = INT64_MIN;  // latest end so far
  each_self(trace_, events, [&](std::span<const EventId> open, int64_t begin, int64_t end) {
    begin = std::max(begin, out_.window.begin);
    end = std::min(end, out_.window.end);
    if (end <= begin || is_step_[trace_.name_ids()[open.back()]]) return;
    if (last != INT64_MIN && begin > last) {
      gap(thread, gaps, begin - last, open.back());
      pieces.add(last, begin);
    }
    last = end;
    for (int64_t to = 0; begin < end; begin = to) {
      const auto [at, kind] = wait_in(open, begin);
      to = kind == WaitKind::data ? std::min(end, end_of(trace_, open[at])) : end;
      (kind == WaitKind::nothing ? thread.busy : thread.waiting) += to - begin;
      if (kind != WaitKind::nothing) wait(track, open, at, kind, to - begin);
    }
  });
  if (thread.busy + thread.waiting == 0 && !has_steps_[track]) return;
  thread.idle = out_.window.length() - thread.busy - thread.waiting;
  keep_longest(gaps, thread.behind_gaps);
  thread.idle_when = pieces.take(out_.window);
  out_.threads.push_back(std::move(thread));
}

void ThreadActivityReader::wait(uint32_t track, std::span<const EventId> open, size_t at,
                                WaitKind kind, int64_t length) {
  uint32_t within = no_name;
  for (size_t i = at; i-- > 0 && within == no_name;) {
    const uint32_t name = trace_.name_ids()[open[i]];
    if (end_of(trace_, open[i]) < end_of(trace_, open[at])) continue;  // crossing
    if (!is_step_[name] && waits_[open[i]] == WaitKind::nothing) within = name;
  }
  const EventId e = open[at];
  if (kind == WaitKind::data) waits_for_data_[track] = true;
  WaitGroup& group = waits_by_name_[{track, trace_.name_ids()[e], within}];
  Threads::Wait& w = group.wait;
  w.total += length;
  // A wait inside one of the same kind may be reported before and after it.
  if (group.last == e || trace_.ts()[e] < group.last_begin) return;
  group.last = e;
  group.last_begin = trace_.ts()[e];
  if (w.calls++ == 0) {
    w.track = track;
    w.name = trace_.name(e);
    w.kind = name_of(kind);
    if (within != no_name) w.within = trace_.names()[within];
  }
  const int64_t begin = trace_.ts()[e], end = end_of(trace_, e);
  if (kind == WaitKind::device && end - begin > w.longest_time) w.caller = caller(open.first(at));
  w.longest_time = std::max(w.longest_time, end - begin);
  group.each.emplace_back(begin - end, e);
  const int64_t until = std::min(end, out_.window.end);
  int64_t from = std::min(std::max({begin, group.waited, out_.window.begin}), until);
  group.waited = std::max(group.waited, until);
  w.devices_idle += until - from - busy_.length_in(from, until);
  w.idle_behind += until - std::clamp(busy_end(until), from, until);
  // If no device worked there was nothing to wait for: without the call no work would start
  // earlier.
  const auto next = busy_.after(end);
  const bool ahead = busy_.length_in(begin, end) > 0 && next != busy_.end();
  const int64_t works = ahead ? std::clamp(next->begin, until, out_.window.end) : until;
  from = std::max({begin, group.counted_until, out_.window.begin});
  if (from >= works) return;
  group.counted_until = works;
  w.until_work += works - from - busy_.length_in(from, works);
  for (auto busy = busy_.after(from); busy != busy_.end() && busy->begin < works; ++busy) {
    group.pieces.add(from, busy->begin);
    from = busy->end;
  }
  group.pieces.add(from, works);
}

void ThreadActivityReader::lead() {
  const auto mark = [&](const std::vector<bool>& tracks) {
    for (Threads::Thread& thread : out_.threads) thread.leads = tracks[thread.track];
    return std::ranges::any_of(out_.threads, &Threads::Thread::leads);
  };
  if (mark(has_steps_) || mark(launches_) || mark(waits_for_data_) || out_.threads.empty()) return;
  std::ranges::max_element(out_.threads, {}, &Threads::Thread::busy)->leads = true;
}

std::string_view advice_on_wait(std::string_view kind, std::string_view within) {
  const auto is_op = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) {
      return within == name || within == std::string("aten::").append(name);
    });
  };
  if (kind == "data")
    return "load ahead: more workers, prefetch_factor, persistent_workers, pin_memory, and less "
           "work per sample";
  if (within.ends_with("): start"))
    return "starting a thread blocks until it runs: start threads once and keep them (a pool)";
  if (within.ends_with("_wait_for_tstate_lock") || within.ends_with("): join"))
    return "this waits until other threads end: balance their work, or do something else meanwhile";
  if (kind == "lock")
    return "find which thread holds the lock (Python's GIL counts too), and do less while holding "
           "it";
  if (kind == "threads") return "balance the work of the others, or do something else meanwhile";
  if (kind == "sleep") return "wait for the awaited event instead of a fixed time";
  if (is_op({"item", "_local_scalar_dense", "is_nonzero", "equal"}))
    return "do not read tensor values in the loop (.item(), print, if): keep them on the device, "
           "read them only every few steps";
  if (is_op({"nonzero", "masked_select", "unique", "_unique2", "unique_consecutive", "index",
             "repeat_interleave", "bincount"}))
    return "data-dependent sizes make the host wait: use masks (where) or fixed sizes";
  if (is_op({"copy_", "to", "_to_copy"}))
    return "copy with non_blocking from and to pinned memory, and synchronise where the value is "
           "used";
  return "synchronise once, where a value is used, not in the loop";
}

// The idle time that this wait explains, of the device where it is most.
const IdleGroup* explained(const Trace& trace, const std::vector<DeviceIdle>& devices,
                           const Threads::Wait& wait) {
  const IdleGroup* most = nullptr;
  for (const DeviceIdle& device : devices) {
    for (const IdleGroup& group : device.groups) {
      if (group.name == no_name || group.track != wait.track ||
          trace.names()[group.name] != wait.name || group.cause == IdleCause::slow_call)
        continue;
      const std::string_view within =
          group.within == no_name ? std::string_view() : trace.names()[group.within];
      if (within == wait.within && (!most || group.time > most->time)) most = &group;
    }
  }
  return most;
}

// Waits with one cause: those for a device within one op or range are its copy and the
// synchronising call after it.
struct JoinedWait {
  const Threads::Wait* first = nullptr;  // the longest
  std::string names;
  uint64_t calls = 0;
  int64_t total = 0, low = 0, high = 0;
  const IdleGroup* idle = nullptr;  // the longest
  std::vector<EventId> events;
  Pieces when;

  void add(const Threads::Wait& w, const IdleGroup* explains) {
    names += cat(names.empty() ? "" : ", ", short_name(stable_name(w.name)));
    calls += w.calls;
    total += w.total;
    low += explains ? explains->own : 0;
    high += explains ? explains->time : w.total;
    if (explains && (!idle || explains->time > idle->time)) idle = explains;
    events.insert(events.end(), w.longest.begin(), w.longest.end());
    when.add(explains ? explains->when : w.until_work_when);
  }
};

std::vector<JoinedWait> joined(const Trace& trace, const Threads& all,
                               const std::vector<DeviceIdle>& devices) {
  std::vector<JoinedWait> out;
  for (const Threads::Wait& w : all.waits) {
    const auto thread = std::ranges::find(all.threads, w.track, &Threads::Thread::track);
    const IdleGroup* idle = explained(trace, devices, w);
    if (thread == all.threads.end() || (devices.empty() ? !thread->leads : !idle)) continue;
    const auto same = std::ranges::find_if(out, [&](const JoinedWait& j) {
      return idle && !w.within.empty() && j.first->track == w.track && w.kind == "device" &&
             j.first->kind == w.kind && j.first->within == w.within;
    });
    JoinedWait& j = same == out.end() ? out.emplace_back() : *same;
    if (!j.first) j.first = &w;
    j.add(w, idle);
  }
  return out;
}

void conclude_waits(const Trace& trace, const Threads& all, const std::vector<DeviceIdle>& devices,
                    Findings& findings) {
  for (JoinedWait& j : joined(trace, all, devices)) {
    const Threads::Wait& w = *j.first;
    const std::string within = w.within.empty() ? "" : cat(" in ", short_name(w.within));
    const std::string cost =
        j.idle ? cat("; for that a device is idle for ", time_text(j.high),
                     j.idle->cause == IdleCause::device ? " until it works again" : "")
               : "";
    findings.add({cat("threads.wait.", stable_name(w.name), w.within.empty() ? "" : ".",
                      stable_name(w.within)),
                  cat(thread_name(trace.tracks()[w.track]), " waits ", time_text(j.total), " of ",
                      time_text(all.window.length()), " in ", counted(j.calls, "call"), " of ",
                      j.names, within,
                      w.caller.empty() || w.caller == w.within
                          ? ""
                          : cat(", the longest from ", short_name(w.caller)),
                      cost),
                  std::string(advice_on_wait(w.kind, w.within))},
                 j.low, j.high, std::move(j.events), std::move(j.when));
  }
}

// By what follows the longest gap.
std::string advice_on_idle(const Trace& trace, std::string_view follows) {
  if (is_from_vitro(trace) && follows.starts_with("Torch-Compiled Region"))
    return "before a region the compiled function's own code runs, and its ops are compared with "
           "the recorded ones: give each call more work, or compile the function frozen if its "
           "code need not run";
  return in_words_of_producer(trace,
                              "record with_stack=True, or your own ranges, to see what "
                              "runs there, then move it to another thread or out of the loop");
}

// For leading threads without a device: with a device, `gaps` reports the cost.
void conclude_idle(const TraceIndex& index, const Threads& all, Findings& findings) {
  const Trace& trace = index.trace();
  const std::vector<Step>& steps = index->steps();
  size_t number = 0;
  for (const Threads::Thread& t : all.threads) {
    if (!t.leads) continue;
    Intervals idle;
    for (const Window& each : t.idle_when) idle.add(each.begin, each.end);
    findings.add(
        {cat("threads.idle.", number++),
         cat("nothing is recorded on ", thread_name(trace.tracks()[t.track]), " for ",
             percent_text(t.idle, all.window.length()), " of ", time_text(all.window.length()),
             ", in ", counted(t.gaps, "gap"), "; the longest lasts ", time_text(t.longest_gap),
             ", until ", short_name(trace.name(t.behind_gap))),
         advice_on_idle(trace, trace.name(t.behind_gap))},
        beyond_other_steps(steps, all.window, idle), t.idle, t.behind_gaps, Pieces(t.idle_when));
  }
}

void conclude_pools(const Trace& trace, const Threads& all, Findings& findings) {
  for (const Threads::Pool& p : all.pools) {
    findings.add({cat("threads.balance.", trace.name(p.worst.front())),
                  cat(thread_name(trace.tracks()[p.track]), " hands out work in ",
                      counted(p.launches, "launch"), " of ", time_text(p.launched), " to ",
                      counted(p.threads - 1, "other thread"), "; spread evenly they would take ",
                      time_text(p.lost), " less; worst in ", trace.name(p.worst.front())),
                  "split the work into smaller shares, or keep other programs off the cores"},
                 0, p.lost, p.worst, Pieces(p.when));
  }
}

AnswerTable thread_table(const Trace& trace, const Threads& all) {
  AnswerTable table{"threads",
                    "What each thread did in the measured window",
                    {{"thread", "Thread"},
                     {"leads", "Leads"},
                     {"busy_ns", "Busy", Unit::ns},
                     {"waiting_ns", "Waits", Unit::ns},
                     {"idle_ns", "Nothing recorded", Unit::ns},
                     {"busy_percent", "Busy", Unit::percent},
                     {"gaps", "Gaps", Unit::count},
                     {"longest_gap_ns", "Longest gap", Unit::ns},
                     {"behind_gap", "Event after it", Unit::count}},
                    {}};
  for (const Threads::Thread& t : all.threads) {
    table.rows.push_back({thread_name(trace.tracks()[t.track]), std::string(t.leads ? "yes" : ""),
                          t.busy, t.waiting, t.idle, percent(t.busy, all.window.length()),
                          static_cast<int64_t>(t.gaps), t.longest_gap,
                          t.gaps == 0 ? AnswerCell() : static_cast<int64_t>(t.behind_gap)});
  }
  table.plot = {AnswerPlot::Kind::shares, "thread", "busy_percent", {}};
  return table;
}

AnswerTable wait_table(const Trace& trace, const Threads& all) {
  AnswerTable table{"waits",
                    "What threads wait for",
                    {{"thread", "Thread"},
                     {"name", "Wait"},
                     {"kind", "For"},
                     {"within", "In"},
                     {"calls", "Calls", Unit::count},
                     {"total_ns", "Total", Unit::ns},
                     {"longest_ns", "Longest", Unit::ns},
                     {"devices_idle_ns", "Devices idle", Unit::ns},
                     {"until_work_ns", "Until they work", Unit::ns},
                     {"longest", "Event", Unit::count}},
                    {}};
  for (const Threads::Wait& w : all.waits) {
    table.rows.push_back({thread_name(trace.tracks()[w.track]), w.name, w.kind, w.within,
                          static_cast<int64_t>(w.calls), w.total, w.longest_time, w.devices_idle,
                          w.until_work, static_cast<int64_t>(w.longest.front())});
  }
  return table;
}

AnswerTable pool_table(const Trace& trace, const Threads& all) {
  AnswerTable table{"pools",
                    "Work handed out to other threads",
                    {{"thread", "Thread"},
                     {"launches", "Launches", Unit::count},
                     {"threads", "Threads", Unit::count},
                     {"launched_ns", "In launches", Unit::ns},
                     {"shares_ns", "Shares of others", Unit::ns},
                     {"lost_ns", "Lost by imbalance", Unit::ns},
                     {"worst", "Worst", Unit::count}},
                    {}};
  for (const Threads::Pool& p : all.pools) {
    table.rows.push_back({thread_name(trace.tracks()[p.track]), static_cast<int64_t>(p.launches),
                          static_cast<int64_t>(p.threads), p.launched, p.shares, p.lost,
                          static_cast<int64_t>(p.worst.front())});
  }
  return table;
}

}  // namespace

Threads threads(const TraceIndex& index) {
  return ThreadActivityReader(index).take();
}

Answer answer_threads(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const Threads all = threads(index);
  Findings findings(index);
  const std::vector<DeviceIdle>& devices = index->idle();
  conclude_waits(trace, all, devices, findings);
  if (devices.empty()) conclude_idle(index, all, findings);
  conclude_pools(trace, all, findings);
  Answer answer{"threads", {thread_table(trace, all), wait_table(trace, all)}, findings.take()};
  if (!all.pools.empty()) answer.tables.push_back(pool_table(trace, all));
  return answer;
}

}  // namespace vitro::analyze
