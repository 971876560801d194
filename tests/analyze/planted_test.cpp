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
};
constexpr std::array<Kind, 6> kinds{{{0.1, Vendor::nvidia},
                                     {0.1, Vendor::amd},
                                     {0.3, Vendor::nvidia},
                                     {0.3, Vendor::amd},
                                     {0.6, Vendor::nvidia},
                                     {0.6, Vendor::amd}}};

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

std::string text_of(PlantedCause cause, double strength, Vendor vendor, const PlantedTrace& planted,
                    const Answer& answer) {
  const auto part = [&](int64_t time) {
    return 100 * static_cast<double>(time) / static_cast<double>(planted.length);
  };
  std::string out = cat(name_of(cause), " ", strength, vendor == Vendor::amd ? " amd" : " nvidia",
                        ": costs ", part(planted.cost), " %\n  ", answer.verdicts.at(0), "\n");
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

// VITRO_SHOW=1 prints what doctor says of each trace.
TEST_P(Planted, is_named_first) {
  for (const auto& [strength, vendor] : kinds) {
    const PlantedTrace planted = plant(GetParam(), strength, vendor);
    const Opened opened(planted.json);
    const Answer answer = doctor(opened.index());
    const std::string text = text_of(GetParam(), strength, vendor, planted, answer);
    if (std::getenv("VITRO_SHOW")) std::printf("%s", text.c_str());
    EXPECT_TRUE(is_named_first(GetParam(), answer)) << text;
  }
}

// What is sure to be saved is at most what the same program takes less without the cause, and what
// may be saved is at least most of that: kernels run at times that differ by up to a tenth.
TEST_P(Planted, costs_what_is_promised) {
  if (wanted(GetParam()).empty()) return;
  for (const auto& [strength, vendor] : kinds) {
    const PlantedTrace planted = plant(GetParam(), strength, vendor);
    const Opened opened(planted.json);
    const Answer answer = doctor(opened.index());
    const Finding& first = answer.findings.at(0);
    SCOPED_TRACE(text_of(GetParam(), strength, vendor, planted, answer));
    EXPECT_LE(static_cast<double>(first.low_ns), 1.05 * static_cast<double>(planted.cost));
    EXPECT_GE(static_cast<double>(first.high_ns), 0.75 * static_cast<double>(planted.cost));
  }
}

// Findings that the program without the cause has, too, are about something else, and promise no
// more with it.
TEST_P(Planted, leaves_other_findings_as_they_are) {
  for (const auto& [strength, vendor] : kinds) {
    const PlantedTrace planted = plant(GetParam(), strength, vendor);
    const Opened with(planted.json), without(planted.without);
    const Answer after = doctor(with.index());
    SCOPED_TRACE(text_of(GetParam(), strength, vendor, planted, after));
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
  for (const auto& [strength, vendor] : kinds) {
    const Opened opened(plant(GetParam(), strength, vendor).json);
    const TraceIndex& index = opened.index();
    const std::vector<DeviceIdle>& all = index->idle();
    ASSERT_EQ(all.size(), 1U);
    const WorkTimes times = times_of(opened.trace(), index->kinds(), index->devices()[0].work);
    std::vector<Window> windows{index->window()};
    for (const Step& step : index->steps()) windows.push_back({step.begin, step.end});
    EXPECT_GE(windows.size(), 4U);
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

TEST(PlantedTraces, without_a_cause_have_nothing_that_is_sure_to_be_saved) {
  for (const Vendor vendor : {Vendor::nvidia, Vendor::amd}) {
    const Opened opened(healthy_trace(vendor));
    const Answer answer = doctor(opened.index());
    EXPECT_NE(answer.verdicts.at(0).find("it is device-bound"), std::string::npos);
    for (const Finding& f : answer.findings) {
      EXPECT_LT(f.low_percent, 1) << f.key;
      EXPECT_LT(f.high_percent, 4) << f.key;
    }
  }
}

}  // namespace
}  // namespace vitro::analyze
