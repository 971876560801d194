// Times one stage of a compilation, as a phase and in the report.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/events/rare.h"
#include "vitro/graph/build_report.h"

namespace vitro::graph {

// Runs `step`; `subject` names what is compiled.
template <class Step>
void run_stage(std::string_view name, std::string_view subject, std::vector<StageReport>& reports,
               Step&& step) {
  const events::PhaseScope phase(name, subject);
  const auto begin = std::chrono::steady_clock::now();
  step();
  const std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - begin;
  reports.push_back({std::string(name), taken.count()});
}

}  // namespace vitro::graph
