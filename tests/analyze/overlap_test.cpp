// Tests hidden and exposed communication against independently computed sums on real traces, and
// the saving on small ones.
#include "analyze/questions/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// `python3 tests/cli/values overlap FILE`.  HolisticTraceAnalysis gives 11.81 % for the first step
// of sampled_rank_0, and 14.76 % for the first two of nccl_two_ranks.
struct Known {
  const char *file, *window;
  int64_t communication, hidden;
};
constexpr Known known[] = {
    {"v100_train_rank0", "all", 187870000, 2553000},
    {"v100_train_rank0", "ProfilerStep#553", 36810000, 433000},
    {"nccl_two_ranks", "all", 46876493, 7317025},
    {"nccl_two_ranks", "ProfilerStep#4", 11989021, 1825259},
    {"nccl_two_ranks", "ProfilerStep#5", 12300029, 1760420},
    {"sampled_rank_0", "ProfilerStep#551", 195327000, 23068000},
};

TEST(Overlap, of_real_traces_is_known) {
  for (const Known& want : known) {
    SCOPED_TRACE(std::string(want.file) + " " + want.window);
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const Overlap all = overlap(TraceIndex(*trace));
    const auto got = std::ranges::find_if(all.devices, [&](const Overlap::Device& d) {
      return all.windows[d.window].name == want.window;
    });
    ASSERT_NE(got, all.devices.end());
    EXPECT_EQ(got->communication, want.communication);
    EXPECT_EQ(got->hidden, want.hidden);
    EXPECT_EQ(got->exposed, want.communication - want.hidden);
  }
}

TEST(Overlap, without_communication_is_nothing) {
  const auto trace = open_alone(real_trace("alexnet_cuda.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_TRUE(overlap(TraceIndex(*trace)).devices.empty());
  EXPECT_TRUE(answer_overlap(TraceIndex(*trace)).findings.empty());
}

// Computes 0-40 and 60-80, communicates 30-70 on two streams at the same time.
TEST(Overlap, counts_once_what_runs_at_once_and_says_what_could_be_hidden) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"cpu_op","name":"all","ts":0,"dur":100,"pid":9,"tid":9},
    {"ph":"X","cat":"kernel","name":"gemm","ts":0,"dur":40,"pid":0,"tid":7},
    {"ph":"X","cat":"kernel","name":"gemm","ts":60,"dur":20,"pid":0,"tid":7},
    {"ph":"X","cat":"kernel","name":"ncclDevKernel_A","ts":30,"dur":40,"pid":0,"tid":8},
    {"ph":"X","cat":"kernel","name":"ncclDevKernel_B","ts":45,"dur":10,"pid":0,"tid":9}])json");
  ASSERT_TRUE(trace) << trace.why();
  const Overlap all = overlap(TraceIndex(*trace));
  ASSERT_EQ(all.devices.size(), 1U);
  EXPECT_EQ(all.devices[0].communication, 40'000);
  EXPECT_EQ(all.devices[0].hidden, 20'000);
  EXPECT_EQ(all.devices[0].exposed, 20'000);
  EXPECT_EQ(all.devices[0].compute_alone, 40'000);
  ASSERT_EQ(all.kernels.size(), 2U);
  EXPECT_EQ(all.kernels[0].exposed, 20'000);
  EXPECT_EQ(all.kernels[1].exposed, 10'000);
  const Answer answer = answer_overlap(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].sentence,
            "device 0 communicates for 40.000us of 100.000us, 20.000us of that while it computes "
            "nothing (50 % hidden); the largest part in ncclDevKernel_A, 1 call");
  EXPECT_EQ(answer.findings[0].high_ns, 20'000);
  EXPECT_EQ(answer.findings[0].events, std::vector<EventId>{3});
}

// It communicates 10-50; the host launches what is computed next at 60, after other code, or after
// it has waited.
TEST(Overlap, costs_nothing_while_the_host_is_late_with_what_is_computed_next) {
  const auto findings = [](std::string_view host) {
    const auto trace =
        trace_of(cat(R"json([
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":0,"dur":2,"pid":9,"tid":9,"args":{"correlation":1}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":3,"dur":2,"pid":9,"tid":9,"args":{"correlation":2}},
    {"ph":"X",)json",
                     host, R"json(,"ts":6,"dur":46,"pid":9,"tid":9,"args":{"correlation":3}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":53,"dur":2,"pid":9,"tid":9,"args":{"correlation":4}},
    {"ph":"X","cat":"kernel","name":"gemm","ts":2,"dur":8,"pid":0,"tid":7,"args":{"correlation":1}},
    {"ph":"X","cat":"kernel","name":"ncclDevKernel","ts":10,"dur":40,"pid":0,"tid":8,"args":{"correlation":2}},
    {"ph":"X","cat":"kernel","name":"gemm","ts":55,"dur":45,"pid":0,"tid":7,"args":{"correlation":4}}])json"));
    return answer_overlap(TraceIndex(*trace)).findings;
  };
  EXPECT_TRUE(findings(R"("cat":"user_annotation","name":"evaluate")").empty());
  const auto waits = findings(R"("cat":"cuda_runtime","name":"cudaStreamSynchronize")");
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].high_ns, 40'000);
}

// The second collective takes 30 in two steps and 90 in one, 10 of which is hidden in each.
TEST(Overlap, saves_at_least_what_a_collective_takes_beyond_its_median_over_steps) {
  std::string text = "[";
  for (int step = 0; step < 3; ++step) {
    const int at = 200 * step, length = step == 1 ? 90 : 30;
    text += cat(R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)", step, R"(","ts":)",
                at, R"(,"dur":200,"pid":1,"tid":1},)");
    text +=
        cat(R"({"ph":"X","cat":"kernel","name":"nccl","dur":20,"pid":0,"tid":8,"ts":)", at, "},");
    text += cat(R"({"ph":"X","cat":"kernel","name":"gemm","dur":80,"pid":0,"tid":7,"ts":)", at + 30,
                "},");
    text += cat(R"({"ph":"X","cat":"kernel","name":"nccl","dur":)", length,
                R"(,"pid":0,"tid":8,"ts":)", at + 100, "},");
  }
  const auto trace = trace_of(text);
  ASSERT_TRUE(trace) << trace.why();
  const Answer answer = answer_overlap(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].low_ns, 60'000);
  EXPECT_NE(
      answer.findings[0].sentence.find("hidden; 60.000us of it beyond the median over steps)"),
      std::string::npos)
      << answer.findings[0].sentence;
}

// 90 us in three steps of four, although the transfer can be done in 10: others begin it late.
TEST(Overlap, of_a_collective_that_is_fast_once_saves_what_it_waits_for_others) {
  std::string text = "[";
  for (int step = 0; step < 4; ++step) {
    text += cat(R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)", step, R"(","ts":)",
                100 * step, R"(,"dur":100,"pid":1,"tid":1},)");
    text += cat(R"({"ph":"X","cat":"kernel","name":"gemm","dur":5,"pid":0,"tid":7,"ts":)",
                100 * step, "},");
    text += cat(R"({"ph":"X","cat":"kernel","name":"nccl","dur":)", step == 2 ? 10 : 90,
                R"(,"pid":0,"tid":8,"ts":)", 100 * step + 5, "},");
  }
  const auto trace = trace_of(text);
  ASSERT_TRUE(trace) << trace.why();
  const Answer answer = answer_overlap(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 1U);
  const Finding& waits = answer.findings[0];
  EXPECT_NE(waits.sentence.find("240.000us of it beyond the fastest step"), std::string::npos);
  EXPECT_NE(waits.advice.find("waits for others"), std::string::npos);
  EXPECT_EQ(waits.low_ns, 0);
  EXPECT_EQ(waits.high_ns, 260'000);  // 20 of the transfer could be hidden by computation
}

// The sums over streams of `python3 tests/cli/values beyond_median FILE`; less than half a percent
// where the host launches nearly everything late.
TEST(Overlap, of_real_traces_saves_what_collectives_take_beyond_their_median) {
  const auto findings = [](const char* file) {
    return answer_overlap(TraceIndex(*open_alone(real_trace(file)))).findings;
  };
  const std::vector<Finding> found = findings("v100_train_rank0.json.gz");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].low_ns, 17'882'000);
  EXPECT_TRUE(findings("nccl_two_ranks.json.gz").empty());
}

}  // namespace
}  // namespace vitro::analyze
