// Compares the steps of a loop, finds stragglers, and explains them by the names that took longer;
// answers `vitro trace steps`.
#include "analyze/questions/step_times.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "analyze/findings/findings.h"
#include "analyze/model/compile_phases.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/launch_times.h"
#include "analyze/model/links.h"
#include "analyze/model/self_spans.h"
#include "analyze/model/words.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_causes = 5, most_explained = 10, most_compared = 32;
constexpr size_t no_step = SIZE_MAX;
constexpr std::string_view nothing_recorded = "nothing recorded";

// The time of a name in a step.
struct Cell {
  uint32_t name = 0;
  EventClass which = EventClass::other;
  size_t step = 0;
  int64_t time = 0, longest_time = -1;
  uint64_t calls = 0;
  EventId longest = 0;
};

class Cells {
 public:
  void add(uint32_t name, EventClass which, size_t step, int64_t time, EventId event,
           int64_t length, bool begins) {
    const uint64_t key =
        uint64_t{name} << 32 | uint64_t{static_cast<uint8_t>(which)} << 28 | uint64_t{step};
    Cell& cell = by_key_[key];
    if (cell.longest_time < 0) {
      cell.name = name;
      cell.which = which;
      cell.step = step;
    }
    cell.time += time;
    cell.calls += begins;
    if (length > cell.longest_time) {
      cell.longest_time = length;
      cell.longest = event;
    }
  }

  // By name, class and step.
  std::vector<Cell> take() {
    std::vector<Cell> out;
    for (const auto& [key, cell] : by_key_) out.push_back(cell);
    std::ranges::sort(out, {}, [](const Cell& c) { return std::tuple(c.name, c.which, c.step); });
    return out;
  }

 private:
  std::unordered_map<uint64_t, Cell> by_key_;
};

class StepReader {
 public:
  explicit StepReader(const TraceIndex& index)
      : index_(index),
        trace_(index.trace()),
        classes_(index->classes()),
        launched_(index->launched()),
        is_step_(index->is_step()) {
    for (const Step& step : index->steps()) {
      out_.steps.push_back({step, step.end - step.begin});
      windows_.push_back({step.begin, step.end});
    }
  }

  StepTimes take(const StepOptions& options) {
    if (out_.steps.empty()) return {};
    find_stragglers(options);
    choose_compared();
    read_devices();
    read_threads();
    explain();
    return std::move(out_);
  }

 private:
  void read_devices();
  void compare_devices();
  void read_threads();
  void find_stragglers(const StepOptions& options);
  void choose_compared();
  void explain();
  void explain(StepTimes::Straggler& straggler, const std::vector<Cell>& cells) const;
  void add_cause(StepTimes::Straggler& straggler, std::span<const Cell> of_name) const;
  void keep_causes(StepTimes::Straggler& straggler) const;

  // The step that holds a moment.
  size_t step_at(int64_t moment) const {
    const auto behind = std::ranges::upper_bound(windows_, moment, {}, &Window::begin);
    if (behind == windows_.begin() || moment >= (behind - 1)->end) return no_step;
    return static_cast<size_t>(behind - 1 - windows_.begin());
  }

  // The median over the reference steps; steps without a cell count as 0.
  int64_t usual(std::vector<int64_t> times) const {
    times.resize(steady_.size());
    std::ranges::sort(times);
    return nearest_rank(times, 50);
  }

  const TraceIndex& index_;
  const Trace& trace_;
  const Classes& classes_;
  const LaunchTimes& launched_;
  std::vector<Window> windows_;
  const std::vector<bool>& is_step_;  // by name
  std::vector<bool> compared_;        // by step: whether its times are needed
  std::vector<size_t> steady_;        // reference steps
  Cells cells_;
  StepTimes out_;
};

void StepReader::read_devices() {
  const WorkKinds& kinds = index_->kinds();
  Intervals busy;
  for (const Device& device : index_->devices()) {
    busy = united(busy, times_of(trace_, kinds, device.work).busy);
    for (const EventId e : paced(device.work)) {
      const size_t step = step_at(launched_.of(e));
      if (step == no_step) continue;
      const int64_t length = end_of(trace_, e) - trace_.ts()[e];
      out_.steps[step].launched += length;
      ++out_.steps[step].launches;
      if (compared_[step])
        cells_.add(trace_.name_ids()[e], classes_[e], step, length, e, length, true);
    }
  }
  for (StepTimes::Each& each : out_.steps)
    each.device_busy = busy.length_in(each.step.begin, each.step.end);
  compare_devices();
}

void StepReader::compare_devices() {
  if (out_.stragglers.empty()) return;
  const auto idle_in = [](const StepTimes::Each& each) { return each.length - each.device_busy; };
  std::vector<int64_t> idle, launched, launches;
  for (const size_t s : steady_) {
    idle.push_back(idle_in(out_.steps[s]));
    launched.push_back(out_.steps[s].launched);
    launches.push_back(out_.steps[s].launches);
  }
  const int64_t usual_idle = usual(idle), usual_time = usual(launched),
                usual_count = std::max<int64_t>(usual(launches), 1);
  for (StepTimes::Straggler& straggler : out_.stragglers) {
    const StepTimes::Each& each = out_.steps[straggler.step];
    const double as_much = static_cast<double>(usual_time) * static_cast<double>(each.launches) /
                           static_cast<double>(usual_count);
    straggler.idle = index_->devices().empty() ? straggler.excess
                                               : std::max<int64_t>(idle_in(each) - usual_idle, 0);
    straggler.slower = std::max<int64_t>(each.launched - static_cast<int64_t>(as_much), 0);
  }
}

void StepReader::read_threads() {
  const TrackOrder& order = index_->host();
  for (uint32_t t = 0; t < order.tracks(); ++t) {
    WindowCutter cutter(windows_);
    each_self(trace_, order.track(t),
              [&](std::span<const EventId> open, int64_t begin, int64_t end) {
                const EventId e = open.back();
                if (is_step_[trace_.name_ids()[e]]) return;
                const int64_t length = end_of(trace_, e) - trace_.ts()[e];
                cutter.cut(begin, end, [&](size_t step, int64_t from, int64_t to) {
                  if (compared_[step])
                    cells_.add(trace_.name_ids()[e], classes_[e], step, to - from, e, length,
                               from == trace_.ts()[e]);
                  if (trace_.track_ids()[out_.steps[step].step.event] == t)
                    out_.steps[step].host_busy += to - from;
                });
              });
  }
  std::vector<std::pair<int64_t, int64_t>> spans;
  const auto& phases = index_->compile_phases();
  if (!phases) out_.lost = phases.why();
  for (const CompilePhase& phase : phases ? *phases : std::vector<CompilePhase>()) {
    if (phase.outermost) spans.emplace_back(trace_.ts()[phase.event], end_of(trace_, phase.event));
  }
  std::ranges::sort(spans);
  Intervals compiling;
  for (const auto& [begin, end] : spans) compiling.add(begin, end);
  for (StepTimes::Each& each : out_.steps)
    each.compiling = compiling.length_in(each.step.begin, each.step.end);
}

void StepReader::find_stragglers(const StepOptions& options) {
  std::vector<int64_t> lengths;
  double sum = 0, squares = 0;
  for (const StepTimes::Each& each : out_.steps) {
    lengths.push_back(each.length);
    sum += static_cast<double>(each.length);
    squares += static_cast<double>(each.length) * static_cast<double>(each.length);
  }
  std::ranges::sort(lengths);
  out_.least = lengths.front();
  out_.median = nearest_rank(lengths, 50);
  out_.most = lengths.back();
  const double count = static_cast<double>(lengths.size()), mean = sum / count;
  if (mean > 0) out_.spread = 100 * std::sqrt(std::max(squares / count - mean * mean, 0.0)) / mean;
  if (lengths.size() < 3) return;
  int64_t longest_steady = 0;
  for (size_t s = 0; s < out_.steps.size(); ++s) {
    StepTimes::Each& each = out_.steps[s];
    each.straggles =
        percent(each.length - out_.median, out_.median) > static_cast<double>(options.over_percent);
    if (!each.straggles) longest_steady = std::max(longest_steady, each.length);
    if (each.straggles) out_.stragglers.push_back({s, each.length - out_.median, 0, {}});
  }
  for (StepTimes::Straggler& straggler : out_.stragglers)
    straggler.least_excess = out_.steps[straggler.step].length - longest_steady;
}

// The longest stragglers, and an even sample of the other steps.
void StepReader::choose_compared() {
  compared_.resize(out_.steps.size());
  if (out_.stragglers.empty()) return;
  std::vector<size_t> longest;
  for (const StepTimes::Straggler& each : out_.stragglers) longest.push_back(each.step);
  sort_list(longest, std::ranges::greater(), [&](size_t s) { return out_.steps[s].length; });
  longest.resize(std::min(longest.size(), most_explained));
  for (const size_t s : longest) compared_[s] = true;
  std::vector<size_t> others;
  for (size_t s = 0; s < out_.steps.size(); ++s)
    if (!out_.steps[s].straggles) others.push_back(s);
  const size_t count = std::min(others.size(), most_compared);
  for (size_t i = 0; i < count; ++i) steady_.push_back(others[i * others.size() / count]);
  for (const size_t s : steady_) compared_[s] = true;
}

void StepReader::explain() {
  const std::vector<Cell> cells = cells_.take();
  for (StepTimes::Straggler& straggler : out_.stragglers)
    if (compared_[straggler.step]) explain(straggler, cells);
}

void StepReader::explain(StepTimes::Straggler& straggler, const std::vector<Cell>& cells) const {
  for (size_t from = 0; from < cells.size();) {
    size_t to = from;
    while (to < cells.size() && cells[to].name == cells[from].name &&
           cells[to].which == cells[from].which)
      ++to;
    add_cause(straggler, std::span(cells).subspan(from, to - from));
    from = to;
  }
  std::vector<int64_t> idle;
  for (const size_t s : steady_) idle.push_back(out_.steps[s].length - out_.steps[s].host_busy);
  const StepTimes::Each& step = out_.steps[straggler.step];
  const int64_t time = step.length - step.host_busy, least = usual(std::move(idle));
  if (time > least) {
    straggler.causes.push_back({std::string(nothing_recorded), std::string(nothing_recorded), time,
                                least, 0, step.step.event});
  }
  keep_causes(straggler);
}

// `of_name`: the times of one name, step by step.
void StepReader::add_cause(StepTimes::Straggler& straggler, std::span<const Cell> of_name) const {
  const auto cell = std::ranges::find(of_name, straggler.step, &Cell::step);
  if (cell == of_name.end()) return;
  std::vector<int64_t> steady;
  for (const Cell& each : of_name) {
    if (!out_.steps[each.step].straggles) steady.push_back(each.time);
  }
  const int64_t least = usual(std::move(steady));
  if (cell->time <= least) return;
  straggler.causes.push_back({trace_.names()[cell->name], std::string(name_of(cell->which)),
                              cell->time, least, cell->calls, cell->longest});
  if (straggler.causes.size() >= 16 * most_causes) keep_causes(straggler);
}

void StepReader::keep_causes(StepTimes::Straggler& straggler) const {
  sort_list(straggler.causes, std::ranges::greater(),
            [](const StepTimes::Cause& c) { return c.time - c.usual; });
  if (straggler.causes.size() > most_causes) straggler.causes.resize(most_causes);
}

void conclude(const TraceIndex& index, const StepTimes& s, bool first, Findings& findings) {
  const Trace& trace = index.trace();
  std::vector<const StepTimes::Straggler*> list;
  for (const StepTimes::Straggler& each : s.stragglers) {
    if ((each.step == 0) == first) list.push_back(&each);
  }
  if (list.empty()) return;
  sort_list(list, std::ranges::greater(), &StepTimes::Straggler::excess);
  int64_t low = 0, high = 0;
  std::vector<EventId> events;
  Pieces when;
  for (const StepTimes::Straggler* each : list) {
    low += std::min(each->least_excess, each->idle);
    high += std::min(each->excess, each->idle + each->slower);
    const Step& step = s.steps[each->step].step;
    events.push_back(step.event);
    when.add(step.begin, step.end);
  }
  const StepTimes::Straggler& worst = *list.front();
  const StepTimes::Each& step = s.steps[worst.step];
  std::string why;
  for (const StepTimes::Cause& cause : worst.causes) {
    events.push_back(cause.longest);
    why += cat(why.empty() ? "; in it " : ", ", short_name(cause.name), " takes ",
               time_text(cause.time - cause.usual), " more");
    if (events.size() >= list.size() + 3) break;
  }
  const std::string_view name = trace.name(step.step.event);
  const std::string what =
      first ? cat("the first step, ", name, ", takes ")
            : cat(list.size(), " of ", counted(s.steps.size(), "step"),
                  list.size() == 1 ? " takes" : " take", " longer than most; ", name, " takes ");
  const std::string compiles =
      step.compiling > 0 ? cat(", ", time_text(step.compiling), " of it in a compiler") : "";
  findings.add(
      {first ? "steps.first" : "steps.stragglers",
       cat(what, time_text(step.length), compiles, ", the median is ", time_text(s.median), why),
       first ? "warm up before measuring: first uses load code, grow memory and compile"
             : "check what is different in these steps: other shapes, garbage collection, "
               "saving, logging, a slow batch"},
      low, high, std::move(events), std::move(when));
}

AnswerTable step_table(const Trace& trace, const StepTimes& s) {
  AnswerTable table{"steps",
                    "Steps",
                    {{"name", "Step"},
                     {"length_ns", "Length", Unit::ns},
                     {"of_median_percent", "Of median", Unit::percent},
                     {"device_busy_ns", "Device busy", Unit::ns},
                     {"launched_ns", "Launched", Unit::ns},
                     {"host_busy_ns", "Host busy", Unit::ns},
                     {"compiling_ns", "Compiling", Unit::ns},
                     {"straggles", "Straggles"},
                     {"event", "Event", Unit::count}},
                    {},
                    {AnswerPlot::Kind::columns, "name", "length_ns", {}}};
  for (const StepTimes::Each& each : s.steps) {
    table.rows.push_back({std::string(trace.name(each.step.event)), each.length,
                          percent(each.length, s.median), each.device_busy, each.launched,
                          each.host_busy, each.compiling, std::string(each.straggles ? "yes" : ""),
                          static_cast<int64_t>(each.step.event)});
  }
  return table;
}

AnswerTable spread_table(const StepTimes& s) {
  AnswerTable table{"spread",
                    "How they differ",
                    {{"steps", "Steps", Unit::count},
                     {"least_ns", "Least", Unit::ns},
                     {"median_ns", "Median", Unit::ns},
                     {"most_ns", "Most", Unit::ns},
                     {"deviation_percent", "Deviation", Unit::percent}},
                    {}};
  if (!s.steps.empty())
    table.rows.push_back(
        {static_cast<int64_t>(s.steps.size()), s.least, s.median, s.most, s.spread});
  return table;
}

AnswerTable cause_table(const Trace& trace, const StepTimes& s) {
  AnswerTable table{"causes",
                    "What took longer in stragglers",
                    {{"step", "Step"},
                     {"name", "Name"},
                     {"kind", "Kind"},
                     {"more_ns", "More", Unit::ns},
                     {"time_ns", "Time", Unit::ns},
                     {"usual_ns", "Usually", Unit::ns},
                     {"calls", "Calls", Unit::count},
                     {"longest", "Event", Unit::count}},
                    {}};
  for (const StepTimes::Straggler& straggler : s.stragglers) {
    for (const StepTimes::Cause& c : straggler.causes) {
      table.rows.push_back({std::string(trace.name(s.steps[straggler.step].step.event)), c.name,
                            c.kind, c.time - c.usual, c.time, c.usual,
                            static_cast<int64_t>(c.calls), static_cast<int64_t>(c.longest)});
    }
  }
  return table;
}

}  // namespace

StepTimes step_times(const TraceIndex& index, const StepOptions& options) {
  return StepReader(index).take(options);
}

Answer answer_steps(const TraceIndex& index, const StepOptions& options) {
  const Trace& trace = index.trace();
  const StepTimes s = step_times(index, options);
  Findings findings(index);
  for (const bool first : {true, false}) conclude(index, s, first, findings);
  return {"steps", {step_table(trace, s), spread_table(s), cause_table(trace, s)}, findings.take()};
}

}  // namespace vitro::analyze
