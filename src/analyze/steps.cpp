#include "vitro/analyze/steps.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "vitro/analyze/classes.h"

namespace vitro::analyze {
namespace {

constexpr std::string_view prefix = "ProfilerStep#";

// The number behind the prefix; negative where the name is another.
int64_t step_number(std::string_view name) {
  if (!name.starts_with(prefix)) return -1;
  const char* end = name.data() + name.size();
  int64_t number = -1;
  const auto [rest, error] = std::from_chars(name.data() + prefix.size(), end, number);
  return error == std::errc() && rest == end ? number : -1;
}

}  // namespace

std::vector<Step> profiler_steps(const Trace& trace) {
  std::vector<int64_t> numbers;  // by name
  for (const std::string& name : trace.names()) numbers.push_back(step_number(name));
  const Classes classes(trace);
  std::vector<Step> out;
  for (EventId e = 0; e < trace.size(); ++e) {
    const int64_t number = numbers[trace.name_ids()[e]];
    if (number < 0 || trace.phases()[e] != 'X' || classes[e] == EventClass::device_range) continue;
    const int64_t begin = trace.ts()[e];
    out.push_back({number, e, begin, begin + std::max<int64_t>(trace.dur()[e], 0)});
  }
  std::ranges::stable_sort(out, {}, &Step::begin);
  return out;
}

Window measured_window(const Trace& trace) {
  Window window{INT64_MAX, INT64_MIN};
  const auto include = [&](int64_t begin, int64_t end) {
    window = {std::min(window.begin, begin), std::max(window.end, end)};
  };
  for (const Step& step : profiler_steps(trace)) include(step.begin, step.end);
  if (window.begin > window.end) {
    for (EventId e = 0; e < trace.size(); ++e) {
      const int64_t dur = trace.dur()[e];
      if (trace.phases()[e] == 'X' && dur >= 0) include(trace.ts()[e], trace.ts()[e] + dur);
    }
  }
  return window.begin > window.end ? Window{} : window;
}

}  // namespace vitro::analyze
