// Tests the summary of devices and threads against independently computed sums and
// HolisticTraceAnalysis, and its findings on small traces.
#include "analyze/questions/summary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// `python3 tests/cli/values summary_devices FILE`.  Those of the steps of nccl_two_ranks (the first
// two) and sampled_rank_0 (the first) equal HolisticTraceAnalysis's to the nanosecond.
struct KnownDevice {
  const char *file, *window;
  int64_t length, compute, communication, memory, idle;
};
constexpr KnownDevice known_devices[] = {
    {"v100_train_rank0", "all", 1231461000, 210998000, 185317000, 42109000, 793037000},
    {"v100_train_rank0", "ProfilerStep#551", 216483000, 36019000, 36355000, 7888000, 136221000},
    {"nccl_two_ranks", "all", 660551005, 115655847, 39559468, 2284699, 503050991},
    {"nccl_two_ranks", "ProfilerStep#4", 222442191, 38506406, 10163762, 768753, 173003270},
    {"nccl_two_ranks", "ProfilerStep#5", 219726905, 38429422, 10539609, 759895, 169997979},
    {"sampled_rank_0", "ProfilerStep#551", 607312000, 106252000, 172259000, 169000, 328632000},
    {"alexnet_cuda", "all", 12920244000, 10630000, 0, 55511000, 12854103000},
    {"rocm_mi250_train", "ProfilerStep#1", 9288291, 110881, 0, 38161, 9139249},
    // Its host op has an argument `stream`; waits for events are not work.
    {"torch_compile_triton", "all", 1760, 1760, 0, 0, 0},
    {"mtia_inference", "all", 443275704, 414085123, 0, 7576701, 21613880},
};

TEST(Summary, of_real_devices_is_known) {
  for (const KnownDevice& want : known_devices) {
    SCOPED_TRACE(std::string(want.file) + " " + want.window);
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const Summary s = summary(TraceIndex(*trace));
    const auto got = std::ranges::find_if(
        s.devices, [&](const DeviceTimes& d) { return s.windows[d.window].name == want.window; });
    ASSERT_NE(got, s.devices.end());
    EXPECT_EQ(got->length, want.length);
    EXPECT_EQ(std::vector({got->compute, got->communication, got->memory, got->idle}),
              std::vector({want.compute, want.communication, want.memory, want.idle}));
  }
}

// HolisticTraceAnalysis 0.5 (get_temporal_breakdown, the last step included, nanoseconds not
// rounded), in microseconds.
struct KnownByHta {
  const char* file;
  double idle, compute, other, length;
};
constexpr KnownByHta known_by_hta[] = {
    {"nccl_two_ranks", 503050.991406, 115655.847, 41844.167226, 660551.005633},
    {"rocm_mi250_train", 8762.844762, 110.881, 38.161, 8911.886762},
    {"sampled_rank_0", 675191, 210320, 337336, 1222847},
    {"sampled_rank_1", 651136, 271973, 308077, 1231186},
};

TEST(Summary, agrees_with_holistic_trace_analysis_where_it_knows_what_work_is) {
  for (const KnownByHta& want : known_by_hta) {
    SCOPED_TRACE(want.file);
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const Summary s = summary(TraceIndex(*trace));
    ASSERT_FALSE(s.devices.empty());
    const DeviceTimes& all = s.devices.front();
    EXPECT_EQ(s.windows[all.window].name, "all");
    const auto us = [](int64_t ns) { return static_cast<double>(ns) / 1000; };
    EXPECT_NEAR(us(all.idle), want.idle, 0.001);
    EXPECT_NEAR(us(all.compute), want.compute, 0.001);
    EXPECT_NEAR(us(all.communication + all.memory), want.other, 0.001);
    EXPECT_NEAR(us(all.length), want.length, 0.001);
  }
}

// `python3 tests/cli/values summary_threads FILE`.
struct KnownThread {
  const char *file, *tid, *window;
  int64_t length, ops, runtime, python, annotations, idle;
};
constexpr KnownThread known_threads[] = {
    {"v100_train_rank0", "4515", "all", 1232469000, 68568000, 1010811000, 0, 140500000, 12590000},
    {"v100_train_rank0", "25556", "ProfilerStep#551", 216483000, 9267000, 3432000, 0, 528000,
     203256000},
    {"nccl_two_ranks", "2919752", "all", 545943100, 238929620, 27488089, 0, 1062632, 278462759},
    {"rocm_mi250_train", "598009", "all", 7512646, 866051, 6586302, 0, 0, 60293},
    {"torch_2_13_cpu_resnet18_eager", "14661", "ProfilerStep#2", 122105050, 120098354, 0, 0, 0,
     2006696},
    {"torch_2_13_cpu_threads_stacks", "14661", "all", 36721877, 7449307, 0, 29168174, 104396, 0},
    {"mtia_inference", "1457", "all", 308371425, 735058, 13649090, 0, 252410513, 41576764},
};

TEST(Summary, of_real_threads_is_known) {
  for (const KnownThread& want : known_threads) {
    SCOPED_TRACE(std::string(want.file) + " " + want.window);
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const Summary s = summary(TraceIndex(*trace));
    const auto got = std::ranges::find_if(s.threads, [&](const ThreadTimes& t) {
      return s.windows[t.window].name == want.window && trace->tracks()[t.track].tid == want.tid;
    });
    ASSERT_NE(got, s.threads.end());
    EXPECT_EQ(std::vector({got->length, got->ops, got->runtime, got->python, got->annotations,
                           got->other, got->idle}),
              std::vector<int64_t>({want.length, want.ops, want.runtime, want.python,
                                    want.annotations, 0, want.idle}));
  }
}

TEST(Summary, says_what_copies_and_the_profiler_cost) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#7","ts":0,"dur":100,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::add","ts":10,"dur":20,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":15,"dur":5,"pid":1,"tid":1},
    {"ph":"X","cat":"overhead","name":"Buffer Flush","ts":75,"dur":15,"pid":-1,"tid":0},
    {"ph":"X","cat":"kernel","name":"k","ts":20,"dur":30,"pid":0,"tid":7},
    {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","ts":40,"dur":20,"pid":0,"tid":8},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","ts":45,"dur":35,"pid":0,"tid":7}])json");
  ASSERT_TRUE(trace) << trace.why();
  const Answer answer = answer_summary(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 2U);
  EXPECT_EQ(answer.findings[0].key, "summary.copies.0");
  EXPECT_EQ(answer.findings[0].high_ns, 20'000);
  EXPECT_EQ(answer.findings[0].events, std::vector<EventId>{6});
  EXPECT_EQ(
      answer.findings[0].sentence,
      "device 0 copies and fills memory for 20.000us of 100.000us while it computes nothing "
      "and the host is not late; 20.000us of that in 1 call of Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(answer.findings[1].key, "summary.overhead");
  EXPECT_EQ(answer.findings[1].high_ns, 10'000);
  const Summary s = summary(TraceIndex(*trace));
  const auto step = std::ranges::find(s.devices, 2U, &DeviceTimes::window);
  ASSERT_NE(step, s.devices.end());
  EXPECT_EQ(std::vector({step->compute, step->communication, step->memory, step->idle}),
            (std::vector<int64_t>{30'000, 10'000, 20'000, 40'000}));
  const auto thread = std::ranges::find(s.threads, 2U, &ThreadTimes::window);
  ASSERT_NE(thread, s.threads.end());
  EXPECT_EQ(std::vector({thread->ops, thread->runtime, thread->idle}),
            (std::vector<int64_t>{15'000, 5'000, 80'000}));
}

// Two concurrent copies: each moment counts once.
TEST(Summary, of_copies_that_overlap_no_part_is_more_than_the_whole) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"cpu_op","name":"all","ts":0,"dur":100,"pid":1,"tid":1},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoD (Device -> Device)","ts":10,"dur":20,"pid":0,"tid":7},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoD (Device -> Device)","ts":15,"dur":20,"pid":0,"tid":8}])json");
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(
      answer_summary(TraceIndex(*trace)).findings.front().sentence,
      "device 0 copies and fills memory for 25.000us of 100.000us while it computes nothing "
      "and the host is not late; 25.000us of that in 2 calls of Memcpy DtoD (Device -> Device)");
}

// Copies 10-50 to pinned memory; the host launches the next kernel at 45, or right after the copy.
TEST(Summary, of_copies_are_those_that_run_when_the_next_kernel_has_been_launched) {
  const auto most = [](int launch) {
    const auto trace =
        trace_of(cat(R"json([
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":0,"dur":2,"pid":9,"tid":9,"args":{"correlation":1}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaMemcpyAsync","ts":3,"dur":2,"pid":9,"tid":9,"args":{"correlation":2}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":)json",
                     launch, R"json(,"dur":2,"pid":9,"tid":9,"args":{"correlation":3}},
    {"ph":"X","cat":"kernel","name":"k","ts":2,"dur":8,"pid":0,"tid":7,"args":{"correlation":1}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH (Device -> Pinned)","ts":10,"dur":40,"pid":0,"tid":7,"args":{"correlation":2}},
    {"ph":"X","cat":"kernel","name":"k","ts":52,"dur":48,"pid":0,"tid":7,"args":{"correlation":3}}])json"));
    const std::vector<Finding> findings = answer_summary(TraceIndex(*trace)).findings;
    return findings.empty() ? 0 : findings[0].high_ns;
  };
  EXPECT_EQ(most(45), 3'000);
  EXPECT_EQ(most(5), 40'000);
}

// cudnn's kernels, `python3 tests/cli/values layouts FILE`: no two run at the same time.
TEST(Summary, says_what_changing_layouts_costs) {
  const auto trace = open_alone(real_trace("nccl_two_ranks.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const Answer answer = answer_summary(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].key, "summary.layout.0");
  EXPECT_EQ(answer.findings[0].high_ns, 15'120'910);
  EXPECT_EQ(answer.findings[0].events.size(), 10U);
}

}  // namespace
}  // namespace vitro::analyze
