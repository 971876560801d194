#include "analyze/questions/check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"

namespace vitro::analyze {
namespace {

uint64_t found(const std::vector<Problem>& problems, std::string_view key) {
  const auto at = std::ranges::find(problems, key, &Problem::key);
  if (at == problems.end()) throw std::runtime_error("no check " + std::string(key));
  return at->count;
}

// `python3 tests/cli/values problems FILE`.
struct Known {
  const char* file;
  uint64_t no_end, no_begin, unlaunched, crossing, unfinished = 0;
};
constexpr Known known[] = {
    {"alexnet_cuda", 16, 206, 0, 8},
    {"cuda_event_sync", 0, 34, 0, 0},
    {"cupti_counters", 104, 1758, 0, 0, 77},
    {"mtia_inference", 16, 0, 322, 14},
    {"nccl_two_ranks", 88, 4878, 0, 0},
    {"rocm_mi250_train", 0, 5, 0, 0},
    {"torch_compile_triton", 1, 0, 0, 0},
    {"v100_train_rank0", 0, 28196, 872, 1},
    {"torch_2_13_cpu_threads_stacks", 0, 0, 0, 2},
};

TEST(Check, counts_what_is_amiss_in_real_traces) {
  for (const Known& want : known) {
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const std::vector<Problem> problems = check(TraceIndex(*trace));
    EXPECT_EQ(found(problems, "flow without end"), want.no_end) << want.file;
    EXPECT_EQ(found(problems, "flow without begin"), want.no_begin) << want.file;
    EXPECT_EQ(found(problems, "kernel without launch"), want.unlaunched) << want.file;
    EXPECT_EQ(found(problems, "crossing"), want.crossing) << want.file;
    EXPECT_EQ(found(problems, "launch without kernel"), want.unfinished) << want.file;
    EXPECT_EQ(found(problems, "kernel before launch"), 0U) << want.file;
    EXPECT_EQ(found(problems, "negative duration"), 0U) << want.file;
    EXPECT_EQ(found(problems, "lost"), 0U) << want.file;
  }
}

TEST(Check, finds_each_problem_and_its_events) {
  const auto trace = trace_of(R"([
    {"ph":"X","cat":"cpu_op","name":"ends early","ts":5,"dur":-1,"pid":1,"tid":9},
    {"ph":"X","cat":"cuda_runtime","name":"launch","ts":10,"dur":2,"pid":1,"tid":1,"args":{"correlation":7}},
    {"ph":"X","cat":"kernel","name":"before","ts":9,"dur":2,"pid":0,"tid":7,"args":{"correlation":7}},
    {"ph":"X","cat":"kernel","name":"alone","ts":20,"dur":2,"pid":0,"tid":7,"args":{"correlation":8}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":12,"dur":2,"pid":1,"tid":1,"args":{"correlation":9}},
    {"ph":"s","cat":"ac2g","name":"ac2g","id":7,"ts":10,"pid":1,"tid":1},
    {"ph":"f","cat":"fwdbwd","name":"fwdbwd","id":7,"ts":11,"pid":1,"tid":1}, oops])");
  ASSERT_TRUE(trace) << trace.why();
  for (const Problem& problem : check(TraceIndex(*trace))) {
    if (problem.key == "crossing") continue;
    EXPECT_EQ(problem.count, 1U) << problem.key;
  }
}

}  // namespace
}  // namespace vitro::analyze
