// Tests that doctor names causes that were planted into simulated traces, and promises what they
// cost.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "analyze/model/attribution.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/planted_traces.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

struct Kind {
  double strength;
  Vendor vendor;
  Program program;
};

// Those in which the cause can occur.
std::vector<Kind> kinds_of(PlantedCause cause) {
  constexpr std::array of_training{PlantedCause::full_queue,    PlantedCause::slow_kernel,
                                   PlantedCause::optimizer,     PlantedCause::recompilation,
                                   PlantedCause::communication, PlantedCause::straggler};
  const bool in_all = std::ranges::find(of_training, cause) == of_training.end();
  std::vector<Kind> out;
  for (const double strength : {0.1, 0.3, 0.6}) {
    for (const Vendor vendor : {Vendor::nvidia, Vendor::amd}) {
      out.push_back({strength, vendor, Program::training});
      if (in_all) out.push_back({strength, vendor, Program::inference});
    }
  }
  return out;
}

// Keys with which the first finding may begin.  A device that its kernels keep busy has none.
std::vector<std::string_view> wanted(PlantedCause cause) {
  switch (cause) {
    case PlantedCause::data:
      return {"threads.wait.enumerate(DataLoader)"};
    case PlantedCause::item:
      return {"threads.wait.cudaStreamSynchronize.aten::_local_scalar_dense",
              "threads.wait.hipMemcpyWithStream.aten::_local_scalar_dense"};
    case PlantedCause::pageable:
      return {"summary.copies.0"};
    case PlantedCause::launch_bound:
      return {"gaps.host.0"};
    case PlantedCause::full_queue:
      return {};
    case PlantedCause::slow_kernel:
      return {"kernels.slow.0"};
    case PlantedCause::f32:
      return {"kernels.f32.0"};
    case PlantedCause::attention:
      return {"kernels.attention.0"};
    case PlantedCause::optimizer:
      return {"kernels.optimizer"};
    case PlantedCause::recompilation:
      return {"compile.measured"};
    case PlantedCause::communication:
      return {"overlap.exposed.0"};
    case PlantedCause::straggler:
      return {"steps.stragglers"};
    case PlantedCause::sleep:
      return {"threads.wait.<built-in method sleep"};
    case PlantedCause::lock:
      return {"threads.wait.<built-in method acquire"};
    case PlantedCause::allocator:
      return {"launches.slow.memory"};
    case PlantedCause::few_blocks:
      return {"kernels.small.0"};
  }
  return {};
}

bool is_named_first(PlantedCause cause, const Answer& answer) {
  const std::vector<std::string_view> keys = wanted(cause);
  if (keys.empty())
    return answer.verdicts.at(0).find("it is device-bound") != std::string::npos &&
           std::ranges::none_of(answer.findings, [](const Finding& f) { return f.low_ns > 0; });
  return !answer.findings.empty() && std::ranges::any_of(keys, [&](std::string_view key) {
    return answer.findings[0].key.starts_with(key);
  });
}

std::string text_of(PlantedCause cause, const Kind& kind, const PlantedTrace& planted,
                    const Answer& answer) {
  const auto part = [&](int64_t time) {
    return 100 * static_cast<double>(time) / static_cast<double>(planted.length);
  };
  std::string out =
      cat(name_of(cause), " ", kind.strength, kind.vendor == Vendor::amd ? " amd" : " nvidia",
          kind.program == Program::inference ? " inference" : "", ": costs ", part(planted.cost),
          " %\n  ", answer.verdicts.at(0), "\n");
  for (const Finding& f : answer.findings)
    out += cat("  ", f.key, " ", part(f.low_ns), " to ", part(f.high_ns), " %\n");
  return out;
}

class Opened {
 public:
  explicit Opened(const std::string& json)
      : trace_(open_alone(folder_.file("trace.json", json))), index_(trace_.value()) {}
  const TraceIndex& index() const { return index_; }
  const Trace& trace() const { return *trace_; }

 private:
  const TraceFolder folder_;
  const Result<Trace> trace_;
  const TraceIndex index_;
};

class Planted : public testing::TestWithParam<PlantedCause> {};
INSTANTIATE_TEST_SUITE_P(Each, Planted,
                         testing::Values(PlantedCause::data, PlantedCause::item,
                                         PlantedCause::pageable, PlantedCause::launch_bound,
                                         PlantedCause::full_queue, PlantedCause::slow_kernel,
                                         PlantedCause::f32, PlantedCause::attention,
                                         PlantedCause::optimizer, PlantedCause::recompilation,
                                         PlantedCause::communication, PlantedCause::straggler,
                                         PlantedCause::sleep, PlantedCause::lock,
                                         PlantedCause::allocator, PlantedCause::few_blocks),
                         [](const auto& each) { return std::string(name_of(each.param)); });

const Finding* planted_in(PlantedCause cause, const Answer& answer) {
  for (const Finding& f : answer.findings)
    for (const std::string_view key : wanted(cause))
      if (f.key.starts_with(key)) return &f;
  return nullptr;
}

// What is sure to be saved is at most what the same program takes less without the cause (which the
// finding may be about then, too), and what may be saved is at least most of that: kernels run at
// times that differ by up to a tenth.
TEST_P(Planted, costs_what_is_promised) {
  if (wanted(GetParam()).empty()) return;
  for (const Kind& kind : kinds_of(GetParam())) {
    const PlantedTrace planted = plant(GetParam(), kind.strength, kind.vendor, kind.program);
    const Opened with(planted.json), without(planted.without);
    const Answer answer = doctor(with.index()), other = doctor(without.index());
    SCOPED_TRACE(text_of(GetParam(), kind, planted, answer));
    const Finding* const found = planted_in(GetParam(), answer);
    const Finding* const left = planted_in(GetParam(), other);
    ASSERT_TRUE(found);
    const auto cost = static_cast<double>(planted.cost);
    EXPECT_LE(static_cast<double>(found->low_ns - (left ? left->low_ns : 0)), 1.05 * cost);
    EXPECT_GE(static_cast<double>(found->high_ns), 0.75 * cost);
  }
}

// Findings that the program without the cause has, too, are about something else, and promise no
// more with it.
TEST_P(Planted, leaves_other_findings_as_they_are) {
  for (const Kind& kind : kinds_of(GetParam())) {
    const PlantedTrace planted = plant(GetParam(), kind.strength, kind.vendor, kind.program);
    const Opened with(planted.json), without(planted.without);
    const Answer after = doctor(with.index());
    SCOPED_TRACE(text_of(GetParam(), kind, planted, after));
    for (const Finding& other : doctor(without.index()).findings) {
      const auto same = std::ranges::find(after.findings, other.key, &Finding::key);
      if (same == after.findings.begin() || same == after.findings.end()) continue;
      EXPECT_LE(static_cast<double>(same->low_ns),
                1.25 * static_cast<double>(other.low_ns) + 300'000)
          << other.key;
    }
  }
}

// Each moment once: of the window and of each step.
TEST_P(Planted, has_causes_that_sum_to_its_idle_time) {
  for (const Kind& kind : kinds_of(GetParam())) {
    const Opened opened(plant(GetParam(), kind.strength, kind.vendor, kind.program).json);
    const TraceIndex& index = opened.index();
    const std::vector<DeviceIdle>& all = index->idle();
    ASSERT_EQ(all.size(), 1U);
    const WorkTimes times = times_of(opened.trace(), index->kinds(), index->devices()[0].work);
    std::vector<Window> windows{index->window()};
    for (const Step& step : index->steps()) windows.push_back({step.begin, step.end});
    for (const Window& window : windows) {
      int64_t idle = 0;
      for (const IdleGroup& group : all[0].groups)
        for (const Window& each : group.when)
          idle += std::max<int64_t>(
              std::min(each.end, window.end) - std::max(each.begin, window.begin), 0);
      EXPECT_EQ(idle + times.busy.length_in(window.begin, window.end), window.length());
    }
  }
}

// VITRO_SHOW=1 prints what doctor says of each trace.
TEST(PlantedTraces, have_their_cause_as_the_first_finding_in_19_of_20) {
  size_t all = 0, named = 0;
  std::string others;
  for (size_t c = 0; c < planted_causes; ++c) {
    const auto cause = static_cast<PlantedCause>(c);
    for (const Kind& kind : kinds_of(cause)) {
      const PlantedTrace planted = plant(cause, kind.strength, kind.vendor, kind.program);
      const Opened opened(planted.json);
      const Answer answer = doctor(opened.index());
      const std::string text = text_of(cause, kind, planted, answer);
      if (std::getenv("VITRO_SHOW")) std::printf("%s", text.c_str());
      const bool is_named = is_named_first(cause, answer);
      ++all;
      named += is_named;
      if (!is_named) others += text;
    }
  }
  EXPECT_EQ(all, 16U * 6 + 10 * 6);
  EXPECT_GE(20 * named, 19 * all) << others;
}

TEST(PlantedTraces, without_a_cause_have_nothing_that_is_sure_to_be_saved) {
  for (const Kind& kind : kinds_of(PlantedCause::data)) {
    const Opened opened(healthy_trace(kind.vendor, kind.program));
    const Answer answer = doctor(opened.index());
    EXPECT_NE(answer.verdicts.at(0).find("it is device-bound"), std::string::npos);
    for (const Finding& f : answer.findings) {
      EXPECT_LT(f.low_percent, 2) << f.key;
      EXPECT_LT(f.high_percent, 4) << f.key;
    }
  }
}

}  // namespace
}  // namespace vitro::analyze
