#include "vitro/analyze/events.h"

#include <algorithm>
#include <string_view>

#include "analyze/model/classes.h"
#include "base/sort_list.h"
#include "kineto/names.h"

namespace vitro::analyze {
namespace {

// The span of the steps; without steps, of all events with a duration.
Window window_of(const Trace& trace, const std::vector<Step>& steps) {
  Window window{INT64_MAX, INT64_MIN};
  const auto include = [&](int64_t begin, int64_t end) {
    window = {std::min(window.begin, begin), std::max(window.end, end)};
  };
  for (const Step& step : steps) include(step.begin, step.end);
  if (!steps.empty()) return window;
  const Classes classes(trace);
  for (const EventId e : trace.events()) {
    const int64_t dur = trace.dur()[e];
    if (trace.phases()[e] == 'X' && classes[e] != EventClass::metadata && dur >= 0)
      include(trace.ts()[e], trace.ts()[e] + dur);
  }
  return window.begin > window.end ? Window{} : window;
}

}  // namespace

std::vector<Step> profiler_steps(const Trace& trace) {
  std::vector<int64_t> numbers;  // by name
  for (const std::string& name : trace.names()) numbers.push_back(kineto::step_number(name));
  const Classes classes(trace);
  std::vector<Step> out;
  for (const EventId e : trace.events()) {
    const int64_t number = numbers[trace.name_ids()[e]];
    if (number < 0 || trace.phases()[e] != 'X' || classes[e] == EventClass::device_range) continue;
    const int64_t begin = trace.ts()[e];
    out.push_back({number, e, begin, begin + std::max<int64_t>(trace.dur()[e], 0)});
  }
  sort_list(out, {}, &Step::begin);
  return out;
}

Window measured_window(const Trace& trace) {
  return window_of(trace, profiler_steps(trace));
}

std::vector<NamedWindow> named_windows(const Trace& trace) {
  const std::vector<Step> steps = profiler_steps(trace);
  std::vector<NamedWindow> out{{"all", window_of(trace, {})}};
  if (!steps.empty()) out.push_back({"steps", window_of(trace, steps)});
  for (const Step& step : steps)
    out.push_back({std::string(trace.name(step.event)), {step.begin, step.end}});
  return out;
}

}  // namespace vitro::analyze
