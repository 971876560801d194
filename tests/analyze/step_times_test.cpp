// Tests step times and stragglers against independently computed values on real traces, and causes
// on a small one.
#include "analyze/questions/step_times.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// `python3 tests/cli/values steps FILE`.
struct Known {
  const char* file;
  size_t step;
  int64_t length, device_busy, launched, host_busy;
};
constexpr Known known[] = {
    {"v100_train_rank0", 0, 209748000, 72439000, 77210000, 207134000},
    {"v100_train_rank0", 3, 215467000, 80128000, 82896000, 213012000},
    {"nccl_two_ranks", 2, 224936243, 58332167, 62207957, 224714322},
    {"sampled_rank_0", 1, 622928000, 268976000, 305603000, 614207000},
    {"torch_2_13_cpu_resnet18_compiled", 0, 164920061, 0, 0, 163862523},
};

TEST(StepTimes, of_real_traces_are_known) {
  for (const Known& want : known) {
    SCOPED_TRACE(cat(want.file, " ", want.step));
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const StepTimes s = step_times(TraceIndex(*trace));
    ASSERT_GT(s.steps.size(), want.step);
    const StepTimes::Each& got = s.steps[want.step];
    EXPECT_EQ(std::vector({got.length, got.device_busy, got.launched, got.host_busy}),
              std::vector({want.length, want.device_busy, want.launched, want.host_busy}));
  }
}

// 164.9, 54.0 and 83.9 ms: the first is almost twice the median.
TEST(StepTimes, a_slow_first_step_is_reported_with_what_took_longer) {
  const auto trace = open_alone(real_trace("torch_2_13_cpu_resnet18_compiled.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const StepTimes s = step_times(TraceIndex(*trace));
  EXPECT_EQ(std::vector({s.least, s.median, s.most}),
            (std::vector<int64_t>{53998865, 83857904, 164920061}));
  EXPECT_NEAR(s.spread, 46.434, 0.001);  // std / mean
  ASSERT_EQ(s.stragglers.size(), 1U);
  EXPECT_EQ(s.stragglers[0].step, 0U);
  EXPECT_EQ(s.stragglers[0].excess, 164920061 - 83857904);
  EXPECT_EQ(s.stragglers[0].least_excess, 164920061 - 83857904);
  ASSERT_FALSE(s.stragglers[0].causes.empty());
  EXPECT_EQ(s.stragglers[0].causes[0].name, "aten::convolution_backward");
  const Answer answer = answer_steps(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].key, "steps.first");
  EXPECT_EQ(answer.findings[0].high_ns, 164920061 - 83857904);
}

// Ten steps of 100 us with an op of 50; in step 6 the op takes 90, and the step 140.
TEST(StepTimes, stragglers_are_found_with_their_causes) {
  std::string text = "[";
  int64_t at = 0;
  for (int i = 0; i < 10; ++i) {
    const int more = i == 6 ? 40 : 0;
    text += cat(R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)", i, R"(","ts":)", at,
                R"(,"dur":)", 100 + more, R"(,"pid":1,"tid":1},)");
    text += cat(R"({"ph":"X","cat":"cpu_op","name":"aten::add","ts":)", at + 5, R"(,"dur":20)",
                R"(,"pid":1,"tid":1},)");
    text += cat(R"({"ph":"X","cat":"cpu_op","name":"aten::mm","ts":)", at + 30, R"(,"dur":)",
                50 + more, R"(,"pid":1,"tid":1},)");
    at += 100 + more;
  }
  const auto trace = trace_of(text);
  ASSERT_TRUE(trace) << trace.why();
  const StepTimes s = step_times(TraceIndex(*trace));
  ASSERT_EQ(s.stragglers.size(), 1U);
  EXPECT_EQ(s.stragglers[0].step, 6U);
  EXPECT_EQ(s.stragglers[0].excess, 40'000);
  ASSERT_EQ(s.stragglers[0].causes.size(), 1U);
  const StepTimes::Cause& cause = s.stragglers[0].causes[0];
  EXPECT_EQ(cause.name, "aten::mm");
  EXPECT_EQ(cause.time, 90'000);
  EXPECT_EQ(cause.usual, 50'000);
  EXPECT_EQ(cause.calls, 1U);
  EXPECT_EQ(cause.longest, 20U);
  const Answer answer = answer_steps(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].sentence,
            "1 of 10 steps takes longer than most; ProfilerStep#6 takes 140.000us, the median is "
            "100.000us; in it aten::mm takes 40.000us more");
  EXPECT_EQ(answer.findings[0].low_ns, 40'000);
  EXPECT_EQ(answer.findings[0].events, (std::vector<EventId>{18, 20}));
  EXPECT_TRUE(step_times(TraceIndex(*trace), {.over_percent = 50}).stragglers.empty());
}

// Eight steps launch kernels that keep the device busy; the fourth and the eighth wait for all of
// them. In `slow`, kernels of the fourth step take three times as long; in `late`, the host
// launches nothing for 300 us of it.
std::string asynchronous(bool slow, bool late) {
  std::string text = "[";
  const auto add = [&](const char* category, const std::string& name, int ts, int dur, int track,
                       int link) {
    text += cat(R"({"ph":"X","cat":")", category, R"(","name":")", name, R"(","ts":)", ts,
                R"(,"dur":)", dur, R"(,"pid":)", track == 7 ? 0 : 1, R"(,"tid":)", track,
                R"(,"args":{"correlation":)", link, "}},");
  };
  int host = 0, device = 10, link = 1;
  for (int step = 0; step < 8; ++step) {
    const int begin = host;
    if (late && step == 3) host = std::max(host, device) + 300;
    for (int k = 0; k < 2; ++k) {
      add("cuda_runtime", "cudaLaunchKernel", host += 5, 5, 1, link);
      device = std::max(device, host + 10);
      const int dur = slow && step == 3 ? 150 : 50;
      add("kernel", "k", device, dur, 7, link++);
      device += dur;
    }
    if (step % 4 == 3) {
      add("cuda_runtime", "cudaDeviceSynchronize", host + 6, device - host - 6, 1, 0);
      host = device;
    }
    host += 10;
    add("user_annotation", cat("ProfilerStep#", step), begin, host - begin, 1, 0);
  }
  text.back() = ']';
  return text;
}

TEST(StepTimes, a_step_that_waits_for_the_work_of_others_costs_nothing) {
  const auto stragglers = [](bool slow, bool late) {
    const auto trace = trace_of(asynchronous(slow, late));
    const TraceIndex index(*trace);
    EXPECT_EQ(step_times(index).stragglers.size(), 2U);
    const Answer answer = answer_steps(index);
    const auto found = std::ranges::find(answer.findings, "steps.stragglers", &Finding::key);
    return found == answer.findings.end() ? std::pair<int64_t, int64_t>()
                                          : std::pair(found->low_ns, found->high_ns);
  };
  // The device is idle for 10 us of each: the end of the step, and before its next kernel.
  EXPECT_LE(stragglers(false, false).second, 20'000);
  const auto [low_of_slow, high_of_slow] = stragglers(true, false);
  EXPECT_LE(low_of_slow, 20'000);
  EXPECT_GE(high_of_slow, 200'000);
  EXPECT_LE(high_of_slow, 220'000);
  EXPECT_GE(stragglers(false, true).first, 300'000);
}

TEST(StepTimes, of_a_trace_without_steps_are_none) {
  const auto trace = open_alone(real_trace("alexnet_cuda.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_TRUE(step_times(TraceIndex(*trace)).steps.empty());
  EXPECT_TRUE(answer_steps(TraceIndex(*trace)).findings.empty());
}

}  // namespace
}  // namespace vitro::analyze
