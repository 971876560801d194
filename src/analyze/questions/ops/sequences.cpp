// Finds the sequences of kernels that streams repeat; the table and findings of `vitro trace
// kernels`.
#include "analyze/questions/ops/sequences.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/findings/findings.h"
#include "analyze/model/index.h"
#include "analyze/model/words.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_names = 256, least_kernels = 8, most_listed = 32;

// The same for all rotations of the names: the one that comes first (Booth) decides.
uint64_t key_of(std::span<const uint32_t> s) {
  size_t a = 0, b = 1, same = 0;
  const auto at = [&](size_t place) { return s[place % s.size()]; };
  while (a < s.size() && b < s.size() && same < s.size()) {
    if (at(a + same) == at(b + same)) {
      ++same;
      continue;
    }
    (at(a + same) > at(b + same) ? a : b) += same + 1;
    if (a == b) ++b;
    same = 0;
  }
  uint64_t out = s.size();
  for (size_t i = 0; i < s.size(); ++i) out = (out ^ at(std::min(a, b) + i)) * 0x9e3779b97f4a7c15U;
  return out;
}

struct Run {
  size_t begin = 0, end = 0, period = 0;  // places in the list of kernels
};

// From left to right: where the last three kernels were seen before, how long does what followed
// there follow again?
std::vector<Run> runs_of(const std::vector<uint32_t>& names) {
  std::vector<Run> out;
  std::vector<uint32_t> seen(size_t{1} << 14, UINT32_MAX);  // the last place of three names
  for (size_t at = 0; at + 3 <= names.size(); ++at) {
    const uint64_t mixed =
        (names[at] * 0x9e3779b97f4a7c15U + names[at + 1]) * 0x9e3779b97f4a7c15U + names[at + 2];
    uint32_t& place = seen[mixed * 0x9e3779b97f4a7c15U >> 50];
    const size_t before = std::exchange(place, static_cast<uint32_t>(at));
    if (before == UINT32_MAX || at - before > most_names) continue;
    const size_t period = at - before;
    size_t end = at;
    while (end < names.size() && names[end] == names[end - period]) ++end;
    end -= (end - before) % period;
    if (end < at + period || end - before < least_kernels) continue;
    while (!out.empty() && out.back().begin >= before) out.pop_back();
    if (!out.empty() && out.back().end > before) {
      // A run that reaches into this one: what is before it is repeated there.
      if (out.back().end - out.back().begin >= end - before) continue;
      out.pop_back();
    }
    out.push_back({before, end, period});
    at = end - 1;
  }
  return out;
}

struct Sequence {
  std::string names;
  int64_t kernels = 0, runs = 0, repeats = 0, work = 0, idle = 0, fusible = 0;
  EventId first = 0;
};

class Sequences {
 public:
  Sequences(const TraceIndex& index, const Device& device)
      : trace_(index.trace()),
        links_(index->links()),
        busy_(times_of(trace_, index->kinds(), device.work).busy) {
    std::map<uint32_t, std::vector<EventId>> kernels;  // by stream
    for (const EventId e : paced(device.work))
      if (index->classes()[e] == EventClass::kernel && index->kinds()[e] == WorkKind::compute)
        kernels[trace_.track_ids()[e]].push_back(e);
    for (const auto& [stream, own] : kernels) add_stream(own);
    sort_list(list, std::ranges::greater(), [](const Sequence& s) { return s.work + s.idle; });
  }

  std::vector<Sequence> list;
  Pieces when;  // of `idle`: between kernels of several launches

 private:
  void add_stream(std::span<const EventId> kernels) {
    std::vector<uint32_t> names;
    for (const EventId e : kernels) names.push_back(trace_.name_ids()[e]);
    for (const Run& run : runs_of(names)) add(run, names, kernels);
  }

  void add(const Run& run, const std::vector<uint32_t>& names, std::span<const EventId> kernels) {
    const auto own = std::span(names).subspan(run.begin, run.period);
    Sequence& s = with_key(key_of(own));
    if (s.runs++ == 0) {
      s.first = kernels[run.begin];
      s.kernels = static_cast<int64_t>(run.period);
      s.names = short_name(trace_.names()[own.front()]);
      if (own.size() > 2) s.names += cat(", ", own.size() - 2, " more");
      if (own.size() > 1) s.names += cat(", ", short_name(trace_.names()[own.back()]));
    }
    s.repeats += static_cast<int64_t>((run.end - run.begin) / run.period);
    Intervals between;
    for (size_t i = run.begin; i < run.end; ++i) {
      const int64_t length = end_of(trace_, kernels[i]) - trace_.ts()[kernels[i]];
      s.work += length;
      if (i == run.begin) continue;
      if (is_elementwise(names[i]) && is_elementwise(names[i - 1])) s.fusible += length;
      if (links_.are_launched_together(kernels[i - 1], kernels[i])) continue;
      between.add(end_of(trace_, kernels[i - 1]), trace_.ts()[kernels[i]]);
    }
    const Intervals idle = without(between, busy_);
    s.idle += idle.length();
    when.add(idle);
  }

  Sequence& with_key(uint64_t key) {
    const auto [known, fresh] = place_.try_emplace(key, list.size());
    if (fresh) list.emplace_back();
    return list[known->second];
  }
  bool is_elementwise(uint32_t name) const {
    return trace_.names()[name].find("elementwise") != std::string::npos;
  }

  const Trace& trace_;
  const Links& links_;
  Intervals busy_;
  std::unordered_map<uint64_t, size_t> place_;  // in `list`, by key_of() of its names
};

}  // namespace

void add_sequences(const TraceIndex& index, Answer& answer) {
  AnswerTable table{"sequences",
                    "Sequences of kernels that are repeated",
                    {{"device", "Device"},
                     {"names", "Kernels", Unit::text, true},
                     {"kernels", "Number", Unit::count},
                     {"runs", "Runs", Unit::count},
                     {"repeats", "Repeats", Unit::count},
                     {"work_ns", "Work", Unit::ns},
                     {"idle_ns", "Idle between", Unit::ns},
                     {"fusible_ns", "Elementwise in a row", Unit::ns},
                     {"first", "Event", Unit::count}},
                    {}};
  Findings findings(index);
  for (const Device& device : index->devices()) {
    const TrackInfo& track = index.trace().tracks()[device.track];
    Sequences all(index, device);
    if (all.list.empty()) continue;
    int64_t fusible = 0;
    std::vector<EventId> events;
    for (const Sequence& s : all.list) {
      fusible += s.fusible;
      events.push_back(s.first);
      if (events.size() > most_listed) continue;
      table.rows.push_back({device_name(track), s.names, s.kernels, s.runs, s.repeats, s.work,
                            s.idle, s.fusible, int64_t{s.first}});
    }
    // What the host had not launched in time is not the device's latency.
    Intervals latency;
    for (const DeviceIdle& each : index->idle())
      for (const IdleGroup& group : each.groups)
        if (each.track == device.track && group.cause == IdleCause::latency)
          for (const Window& w : group.when) latency.add(w.begin, w.end);
    Intervals between;
    for (const Window& w : all.when.take(index->window())) between.add(w.begin, w.end);
    const Intervals idle = common(between, latency);
    Pieces when;
    when.add(idle);
    const Sequence& most = all.list.front();
    findings.add(
        {cat("kernels.sequence.", track.pid),
         cat(device_name(track), " repeats kernels in the same order and is idle for ",
             time_text(idle.length()),
             " between those that had been launched; the sequence that takes the most time has ",
             counted(static_cast<uint64_t>(most.kernels), "kernel"), " and is repeated ",
             most.repeats, " times: ", most.names),
         cat("replay them as one device graph",
             fusible == 0 ? ""
                          : cat("; elementwise kernels in a row take ", time_text(fusible),
                                ", of which fusing them (compile the region) could save a part"))},
        0, idle.length(), std::move(events), std::move(when));
  }
  if (table.rows.empty()) return;
  answer.tables.push_back(std::move(table));
  for (Finding& each : findings.take()) answer.findings.push_back(std::move(each));
  sort_findings(answer.findings);
}

}  // namespace vitro::analyze
