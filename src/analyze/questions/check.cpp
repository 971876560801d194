// Looks for malformed parts of a trace (negative durations, crossing events, arrows with one end,
// kernels without launches), and presents them for `vitro trace check`.
#include "analyze/questions/check.h"

#include <algorithm>
#include <functional>

#include "analyze/model/index.h"
#include "analyze/model/links.h"
#include "analyze/model/sort_runs.h"
#include "analyze/model/timeline.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_first = 10;

void add(Problem& problem, EventId event) {
  ++problem.count;
  if (problem.first.size() < most_first) problem.first.push_back(event);
}

Problem lost(const Trace& trace) {
  Problem problem{"lost", "parts of the file that could not be read or had to be repaired", 0, {}};
  problem.count = trace.notes().size();
  return problem;
}

Problem negative(const Trace& trace) {
  Problem problem{"negative duration", "events that end before they begin", 0, {}};
  for (const EventId e : trace.events()) {
    if (trace.dur()[e] != none && trace.dur()[e] < 0) add(problem, e);
  }
  return problem;
}

Problem crossing(const Timeline& timeline) {
  Problem problem{"crossing",
                  "events that begin inside another on their track and end after it: viewers drop "
                  "or move them",
                  0,
                  {}};
  for (const EventId e : timeline.crossing()) add(problem, e);
  return problem;
}

// Flow ends whose other end is missing.
std::vector<Problem> flows(const Trace& trace) {
  Problem no_end{"flow without end", "arrows that begin and lead nowhere", 0, {}};
  Problem no_begin{"flow without begin", "arrows that end and come from nowhere", 0, {}};
  struct End {
    int64_t id;
    uint16_t category;
    char phase;
    EventId event;
    auto operator<=>(const End&) const = default;
  };
  std::vector<End> ends;
  for (const EventId e : trace.events()) {
    const char phase = trace.phases()[e];
    if (phase == 's' || phase == 'f')
      ends.push_back({trace.links()[e], trace.category_ids()[e], phase, e});
  }
  sort_runs_by(ends, std::identity());
  for (size_t i = 0; i < ends.size();) {
    size_t next = i;
    bool begins = false, finishes = false;
    for (; next < ends.size() && ends[next].id == ends[i].id &&
           ends[next].category == ends[i].category;
         ++next) {
      (ends[next].phase == 's' ? begins : finishes) = true;
    }
    for (; i < next; ++i) {
      if (!finishes) add(no_end, ends[i].event);
      if (!begins) add(no_begin, ends[i].event);
    }
  }
  std::ranges::sort(no_end.first);
  std::ranges::sort(no_begin.first);
  return {no_end, no_begin};
}

// Whether a call of this name launches a kernel (cudaLaunchKernelExC, cuLaunchKernel,
// hipLaunchKernel).
std::vector<bool> launch_names(const Trace& trace) {
  std::vector<bool> out;
  for (const std::string& name : trace.names())
    out.push_back(name.find("LaunchKernel") != std::string::npos);
  return out;
}

std::vector<Problem> launches(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const Classes& classes = index->classes();
  Problem unlaunched{"kernel without launch", "device work whose launch is not in the file", 0, {}};
  Problem early{"kernel before launch", "device work that begins before its launch", 0, {}};
  Problem unfinished{
      "launch without kernel",
      "launches of kernels that are not in the file: their records were lost, or the "
      "device was not recorded",
      0,
      {}};
  const Links& links = index->links();
  const std::vector<bool> is_launch = launch_names(trace);
  for (const EventId e : trace.events()) {
    if (classes[e] == EventClass::runtime && is_launch[trace.name_ids()[e]] &&
        links.work_of(e).empty())
      add(unfinished, e);
    if (!classes.is_device_work(e)) continue;
    const EventId launch = links.launch_of(e);
    if (launch == Links::nobody) {
      add(unlaunched, e);
    } else if (trace.ts()[e] < trace.ts()[launch]) {
      add(early, e);
    }
  }
  return {unlaunched, early, unfinished};
}

}  // namespace

std::vector<Problem> check(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const Timeline& timeline = index->timeline();
  std::vector<Problem> out{lost(trace), negative(trace), crossing(timeline)};
  for (Problem& problem : flows(trace)) out.push_back(std::move(problem));
  for (Problem& problem : launches(index)) out.push_back(std::move(problem));
  return out;
}

Answer answer_check(const TraceIndex& index) {
  const Trace& trace = index.trace();
  AnswerTable table{"problems",
                    "Is the trace well formed?",
                    {{"key", "Check"},
                     {"count", "Found", Unit::count},
                     {"what", "What", Unit::text, true},
                     {"first", "First events"}},
                    {}};
  uint64_t most = 0;
  for (const Problem& problem : check(index)) {
    most = std::max(most, problem.count);
    std::string first;
    for (const EventId e : problem.first) first += cat(first.empty() ? "" : " ", e);
    table.rows.push_back(
        {problem.key, static_cast<int64_t>(problem.count), problem.what, std::move(first)});
  }
  const auto events = static_cast<double>(std::max<size_t>(trace.size(), 1));
  return {"check", {std::move(table)}, {}, 100 * static_cast<double>(most) / events};
}

}  // namespace vitro::analyze
