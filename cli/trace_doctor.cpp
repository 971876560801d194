// `vitro trace doctor`: prints the findings of all analyses.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "trace.h"
#include "vitro/analyze/events.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/counted.h"
#include "vitro/report/units.h"

namespace vitro::cli {
namespace {

// Prints what was measured, or that there is nothing to report.
void print_head(const analyze::Trace& trace, const analyze::Answer& answer) {
  const analyze::Window window = analyze::measured_window(trace);
  const size_t steps = analyze::profiler_steps(trace).size();
  if (window.length() == 0) {
    std::printf("No event of this file has a duration: there is nothing to save.\n");
    return;
  }
  std::printf("Measured: %s", report::time_text(static_cast<double>(window.length())).c_str());
  if (steps > 0) std::printf(", %s", counted(steps, "step").c_str());
  std::printf(". ");
  if (answer.findings.empty()) {
    std::printf("No potential saving of half a percent of it was found (%zu questions asked).\n",
                analyze::analyses().size());
  } else {
    std::printf("%s, together at most %.1f %% of it.\n",
                counted(answer.findings.size(), "finding").c_str(), answer.together_percent);
  }
}

int run(const std::string& file, const TraceSetting& setting) {
  const auto trace = open_trace(file, setting);
  if (!trace) return unreadable;
  const analyze::Answer answer = analyze::doctor(analyze::TraceIndex(*trace));
  if (!setting.table.empty()) (void)analyze::only_table(answer, setting.table);
  if (!setting.json && !setting.csv) print_head(*trace, answer);
  return print_answer(answer, setting);
}

const AddTraceCommand doctor(
    "doctor", "What to do first: the findings of all questions, what is likely to be saved first",
    [](CLI::App& app) -> std::function<int()> {
      auto setting = std::make_shared<TraceSetting>();
      auto file = std::make_shared<std::string>();
      add_file(app, "file", *file);
      setting->declare(app);
      return [setting, file] { return run(*file, *setting); };
    });

}  // namespace
}  // namespace vitro::cli
