// Tests launches and queues against independent counts and HolisticTraceAnalysis on real traces,
// and their findings on small ones.
#include "analyze/questions/launches/launches.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/model/waits.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// `python3 tests/cli/values launches FILE`; the total delay: `… delays FILE`.
struct KnownCall {
  const char *file, *name;
  uint64_t calls;
  int64_t total;
  uint64_t slow, launches, brief, delayed;
  int64_t delay_total, delay_median, delay_p99;
};
constexpr KnownCall known_calls[] = {
    {"v100_train_rank0", "cudaLaunchKernel", 5240, 91870000, 113, 5240, 1328, 5136, 680951433000,
     164269000, 197992000},
    {"v100_train_rank0", "cudaGraphLaunch", 70, 5294000, 20, 70, 28, 70, 8631830000, 130523000,
     198263000},
    {"alexnet_cuda", "cudaMalloc", 24, 1956700000, 20, 0, 0, 0, 0, 0, 0},
    {"nccl_two_ranks", "cudaMemsetAsync", 117, 1171300, 0, 114, 114, 40, 12036576, 35530, 759177},
    // HolisticTraceAnalysis does not see these two.
    {"torch_compile_triton", "cuLaunchKernel", 1, 47768, 0, 1, 1, 0, 0, 0, 0},
    {"rocm_mi250_train", "hipLaunchKernel", 12, 6626497, 1, 12, 8, 0, 76836, 5968, 7379},
};

TEST(Launches, of_real_traces_are_known) {
  for (const KnownCall& want : known_calls) {
    SCOPED_TRACE(std::string(want.file) + " " + want.name);
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const Launches all = launches(TraceIndex(*trace));
    const auto got = std::ranges::find(all.calls, want.name, &Launches::CallStatistics::name);
    ASSERT_NE(got, all.calls.end());
    EXPECT_EQ(got->total, want.total);
    EXPECT_EQ(std::vector({got->calls, got->slow, got->launches, got->brief, got->delayed}),
              std::vector({want.calls, want.slow, want.launches, want.brief, want.delayed}));
    EXPECT_EQ(std::vector({got->delay_total, got->delay_median, got->delay_p99}),
              std::vector({want.delay_total, want.delay_median, want.delay_p99}));
  }
}

// HolisticTraceAnalysis 0.5 over the same files: rows, rows whose kernel is shorter than its call,
// rows delayed by over 100 us, and the total delay in microseconds.
struct KnownByHta {
  const char* file;
  uint64_t launches, brief, delayed;
  double delay_us;
};
constexpr KnownByHta known_by_hta[] = {
    {"nccl_two_ranks", 3774, 2077, 267, 103192.24624218751},
    {"sampled_rank_0", 1204, 282, 937, 20539698},
};

TEST(Launches, agree_with_holistic_trace_analysis_where_it_sees_them) {
  for (const KnownByHta& want : known_by_hta) {
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    uint64_t count = 0, brief = 0, delayed = 0;
    int64_t delay = 0;
    for (const Launches::CallStatistics& call : launches(TraceIndex(*trace)).calls) {
      count += call.launches;
      brief += call.brief;
      delayed += call.delayed;
      delay += call.delay_total;
    }
    EXPECT_EQ(count, want.launches) << want.file;
    EXPECT_EQ(brief, want.brief) << want.file;
    EXPECT_EQ(delayed, want.delayed) << want.file;
    EXPECT_NEAR(static_cast<double>(delay) / 1000, want.delay_us, 0.01) << want.file;
  }
}

// `python3 tests/cli/values queues FILE 100`.  The maximum is that of HolisticTraceAnalysis for
// nccl_two_ranks and sampled_rank_0; stream 7 of v100 holds device graphs, which it does not see.
struct KnownQueue {
  const char *file, *stream;
  uint64_t launched, most;
  double mean;
};
constexpr KnownQueue known_queues[] = {
    {"nccl_two_ranks", "7", 3753, 10, 0.20756693442535964},
    {"sampled_rank_0", "7", 1052, 80, 16.102501670884056},
    {"sampled_rank_0", "25", 16, 8, 1.2026780495580864},
    {"v100_train_rank0", "7", 6395, 994, 664.6684903679413},
    {"rocm_mi250_train", "0", 16, 1, 0.757844860438211},
};

TEST(Launches, queues_of_real_streams_are_known) {
  for (const KnownQueue& want : known_queues) {
    SCOPED_TRACE(std::string(want.file) + " " + want.stream);
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const Launches all = launches(TraceIndex(*trace), {.full_queue = 100});
    const auto got = std::ranges::find_if(all.queues, [&](const Launches::Queue& q) {
      return trace->tracks()[q.track].tid == want.stream;
    });
    ASSERT_NE(got, all.queues.end());
    EXPECT_EQ(got->launched, want.launched);
    EXPECT_EQ(got->most, want.most);
    EXPECT_NEAR(got->mean, want.mean, 1e-6);
    EXPECT_EQ(got->full, want.most == 994 ? 1219252000 : 0);
    uint64_t most = 0;
    for (const Launches::QueuePart& p : all.queue_parts)
      if (p.track == got->track) most = std::max(most, p.most);
    EXPECT_EQ(most, got->most);
  }
}

// Ten launches of 10 us for kernels of 2 us, with the device idle; one cudaMalloc of 400 us.
TEST(Launches, that_cost_more_than_their_work_are_reported) {
  std::string text = R"([{"ph":"X","cat":"cuda_runtime","name":"cudaMalloc","ts":0,"dur":400,)"
                     R"("pid":1,"tid":1},)";
  for (int i = 0; i < 10; ++i) {
    const int at = 400 + 20 * i;
    text += cat(R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","dur":10,"ts":)", at,
                R"(,"pid":1,"tid":1,"args":{"correlation":)", i, "}},");
    text += cat(R"({"ph":"X","cat":"kernel","name":"k","dur":2,"ts":)", at + 9,
                R"(,"pid":0,"tid":7,"args":{"correlation":)", i, "}},");
  }
  const auto trace = trace_of(text);
  ASSERT_TRUE(trace) << trace.why();
  const Answer answer = answer_launches(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 2U);
  EXPECT_EQ(answer.findings[0].key, "launches.slow.memory");
  EXPECT_EQ(answer.findings[0].high_ns, 400'000);  // it need not be made
  EXPECT_EQ(answer.findings[0].events, std::vector<EventId>{0});
  EXPECT_EQ(answer.findings[1].key, "launches.brief.0");
  EXPECT_EQ(answer.findings[1].high_ns, 80'000);
  EXPECT_EQ(answer.findings[1].low_ns, 80'000);
  EXPECT_EQ(answer.findings[1].events.size(), 10U);
  EXPECT_EQ(answer.findings[1].sentence,
            "10 of 10 launches on device 0 started work shorter than the call itself: 100.000us of "
            "calls for 20.000us of work; for 80.000us of that the device waits for the call");
}

// The device works until 100; what the allocator does until 400 keeps it idle.
TEST(Launches, returning_memory_and_allocating_it_again_is_one_finding) {
  const auto trace = trace_of(R"([
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":0,"dur":5,"pid":1,"tid":1,"args":{"correlation":1}},
    {"ph":"X","cat":"kernel","name":"k","ts":5,"dur":95,"pid":0,"tid":7,"args":{"correlation":1}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaFree","ts":90,"dur":110,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"cudaMalloc","ts":200,"dur":200,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":400,"dur":5,"pid":1,"tid":1,"args":{"correlation":2}},
    {"ph":"X","cat":"kernel","name":"k","ts":405,"dur":95,"pid":0,"tid":7,"args":{"correlation":2}}])");
  ASSERT_TRUE(trace) << trace.why();
  const Answer answer = answer_launches(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].key, "launches.slow.memory");
  EXPECT_EQ(
      answer.findings[0].sentence,
      "cudaFree, cudaMalloc: 2 of 2 calls take over 50.000us, 310.000us together, the longest "
      "200.000us");
  EXPECT_EQ(answer.findings[0].high_ns, 100'000 + 200'000);  // from the end of the first kernel
}

// Some devices do not record calls: their work has the external id of its op.
TEST(Launches, by_ops_are_not_calls) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"cpu_op","name":"op","ts":0,"dur":9,"pid":1,"tid":1,"args":{"External id":5}},
    {"ph":"X","cat":"kernel","name":"k","ts":3,"dur":4,"pid":0,"tid":7,"args":{"External id":5}}])json");
  ASSERT_TRUE(trace) << trace.why();
  const Launches all = launches(TraceIndex(*trace));
  EXPECT_TRUE(all.calls.empty());
  EXPECT_TRUE(all.briefs.empty());
  ASSERT_EQ(all.queues.size(), 1U);
  EXPECT_EQ(all.queues[0].launched, 1U);
}

TEST(Waits, are_known_by_name) {
  EXPECT_EQ(call_wait("cudaDeviceSynchronize"), WaitKind::device);
  EXPECT_EQ(call_wait("hipStreamSynchronize"), WaitKind::device);
  EXPECT_EQ(call_wait("synchronizeStream"), WaitKind::device);
  EXPECT_EQ(call_wait("hipMemcpyWithStream"), WaitKind::device);
  EXPECT_EQ(call_wait("cudaMemcpyAsync"), WaitKind::nothing);
  EXPECT_EQ(call_wait("cudaStreamWaitEvent"), WaitKind::nothing);
  EXPECT_EQ(other_wait("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"),
            WaitKind::data);
  EXPECT_EQ(other_wait("<built-in method acquire of _thread.lock object at 0x7f>"), WaitKind::lock);
  EXPECT_EQ(other_wait("<built-in method sleep of module object>"), WaitKind::sleep);
  EXPECT_EQ(other_wait("<built-in function sleep>"), WaitKind::sleep);
  EXPECT_EQ(other_wait("c10d::barrier"), WaitKind::threads);
  EXPECT_EQ(other_wait("aten::add"), WaitKind::nothing);
}

// One call takes 6.5 of the 6.6 ms in hipLaunchKernel; it was not the first.
TEST(Launches, a_slow_call_is_reported_once_and_not_as_a_short_launch) {
  const auto trace = open_alone(real_trace("rocm_mi250_train.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const Answer answer = answer_launches(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].sentence,
            "hipLaunchKernel: 1 of 12 calls takes over 50.000us, 6.543ms together, the longest "
            "6.543ms; the median is 6.132us");
}

TEST(Launches, what_the_first_call_costs_is_warmed_up_and_what_all_take_is_usual) {
  const auto cold = open_alone(real_trace("alexnet_cuda.json.gz"));
  ASSERT_TRUE(cold) << cold.why();
  const Finding first = answer_launches(TraceIndex(*cold)).findings.front();
  EXPECT_EQ(first.key, "launches.slow.cudaDeviceGetStreamPriorityRange");
  EXPECT_TRUE(first.advice.starts_with("the first call of a kind")) << first.advice;
  // All 38 calls of gif_remote take milliseconds, about half of them more than the median.
  const auto all = open_alone(real_trace("mtia_inference.json.gz"));
  ASSERT_TRUE(all) << all.why();
  for (const Finding& f : answer_launches(TraceIndex(*all)).findings)
    EXPECT_NE(f.key, "launches.slow.gif_remote") << f.sentence;
}

// Hardware counters are read in each launch; the kernels are not in the file, so what the launches
// overlapped with is unknown.
TEST(Launches, slow_calls_are_reported_even_if_no_device_was_recorded) {
  const auto trace = open_alone(real_trace("cupti_counters.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const Answer answer = answer_launches(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 3U);
  EXPECT_EQ(answer.findings[0].key, "launches.slow.cudaLaunchKernel");
  for (const Finding& f : answer.findings) EXPECT_EQ(f.low_ns, 0) << f.key;
}

// A queue that holds 1012 launches: further calls return when the next kernel begins.
TEST(Launches, that_wait_for_room_in_a_full_queue_are_not_slow) {
  constexpr int room = 1012, count = 1200, kernel = 100;
  std::string text = "[";
  const auto begin = [](int number) { return 20 + kernel * number; };
  for (int i = 0; i < count; ++i) {
    const int at = i < room ? i : begin(i - room - 1) + 1;
    const int end = i < room ? i + 1 : begin(i - room) + 1;
    text += cat(R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":)", at,
                ",\"dur\":", end - at, R"(,"pid":1,"tid":1,"args":{"correlation":)", i, "}},");
    text += cat(R"({"ph":"X","cat":"kernel","name":"k","ts":)", begin(i), ",\"dur\":", kernel - 2,
                R"(,"pid":0,"tid":7,"args":{"correlation":)", i, "}},");
  }
  const auto trace = trace_of(text);
  ASSERT_TRUE(trace) << trace.why();
  const Launches all = launches(TraceIndex(*trace));
  EXPECT_EQ(all.calls.front().slow, static_cast<uint64_t>(count - room));
  for (const Finding& f : answer_launches(TraceIndex(*trace)).findings)
    EXPECT_LT(f.high_percent, 2) << f.key;
}

TEST(Launches, that_are_slow_while_the_queue_is_full_cost_nothing) {
  const auto trace = open_alone(real_trace("v100_train_rank0.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  for (const Finding& f : answer_launches(TraceIndex(*trace)).findings)
    EXPECT_LT(f.high_percent, 1) << f.sentence;
}

// Three kernels, whose first launches take 1 to 3 ms each, or later ones.
TEST(Launches, that_are_the_first_of_several_kernels_load_their_code) {
  const auto advice = [](bool first) {
    std::string text = "[";
    for (int i = 0; i < 12; ++i) {
      const bool is_slow = first ? i < 3 : i >= 9;
      text += cat(
          R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":)",
          10000 * i, R"(,"dur":)", is_slow ? 1000 * (i % 3 + 1) : 5, R"(,"args":{"correlation":)",
          i, R"(}},{"ph":"X","cat":"kernel","pid":0,"tid":7,"dur":10,"name":"k)", i % 3,
          R"(","ts":)", 10000 * i + 5000, R"(,"args":{"correlation":)", i, "}},");
    }
    const auto trace = trace_of(text + "]");
    for (const Finding& f : answer_launches(TraceIndex(*trace), LaunchOptions()).findings)
      if (f.key == "launches.slow.cudaLaunchKernel") return f.advice;
    return std::string("none");
  };
  EXPECT_NE(advice(true).find("warm up before measuring"), std::string::npos) << advice(true);
  EXPECT_EQ(advice(false).find("warm up before measuring"), std::string::npos) << advice(false);
}

}  // namespace
}  // namespace vitro::analyze
