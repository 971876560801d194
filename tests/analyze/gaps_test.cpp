// Tests gaps against independently computed sums and HolisticTraceAnalysis on real traces, and the
// savings of device graphs on small ones.
#include "analyze/questions/gaps.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// `python3 tests/cli/values gaps FILE`.
struct Known {
  const char *file, *stream;
  uint64_t work;
  int64_t span, busy, host, kernel, other;
  uint64_t host_gaps, kernel_gaps, other_gaps;
};
constexpr Known known[] = {
    {"v100_train_rank0", "25", 35, 861160000, 21073000, 839972000, 115000, 0, 14, 20, 0},
    {"v100_train_rank0", "7", 7262, 1231461000, 229813000, 0, 24316000, 977332000, 0, 6973, 287},
    {"v100_train_rank0", "84", 36, 1101640000, 171521000, 94810000, 14000, 835295000, 10, 4, 21},
    {"nccl_two_ranks", "7", 3753, 660551005, 118309345, 540091317, 2150343, 0, 2613, 1139, 0},
    {"alexnet_cuda", "7", 91, 12920244000, 65133000, 12855007000, 104000, 0, 34, 56, 0},
    {"mtia_inference", "3774", 126, 408587351, 66892872, 268670021, 421981, 72602477, 6, 105, 14},
    {"rocm_mi250_train", "0", 16, 8911887, 149042, 8762845, 0, 0, 15, 0, 0},
};

TEST(Gaps, of_real_streams_are_known_and_fill_what_is_not_busy) {
  for (const Known& want : known) {
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const Gaps all = gaps(TraceIndex(*trace));
    const auto got = std::ranges::find_if(all.streams, [&](const StreamGaps& s) {
      return trace->tracks()[s.track].tid == want.stream && s.kernels == want.work;
    });
    ASSERT_NE(got, all.streams.end()) << want.file << ", stream " << want.stream;
    EXPECT_EQ(got->span, want.span);
    EXPECT_EQ(got->busy, want.busy);
    EXPECT_EQ(std::vector({got->host, got->kernel, got->other}),
              std::vector({want.host, want.kernel, want.other}));
    EXPECT_EQ(std::vector({got->host_gaps, got->kernel_gaps, got->other_gaps}),
              std::vector({want.host_gaps, want.kernel_gaps, want.other_gaps}));
    for (const StreamGaps& s : all.streams)
      EXPECT_EQ(s.busy + s.host + s.kernel + s.other, s.span) << want.file;
    for (const StreamGaps& device : all.devices)
      EXPECT_EQ(device.busy + device.host + device.kernel + device.other, device.span);
  }
}

// HolisticTraceAnalysis 0.5 over the same files (the last step included, nanoseconds not rounded),
// in microseconds.
struct KnownByHta {
  const char *file, *stream;
  double host, kernel, other;
};
constexpr KnownByHta known_by_hta[] = {
    {"alexnet_cuda", "7", 12855007, 104, 0},       {"alexnet_cuda", "20", 12011718, 3, 0},
    {"cuda_event_sync", "20", 32, 0, 0},           {"cuda_event_sync", "24", 0, 15, 0},
    {"cuda_event_sync", "28", 0, 15, 0},           {"nccl_two_ranks", "7", 540091.32, 2150.34, 0},
    {"nccl_two_ranks", "40", 583924.26, 0, 0},     {"rocm_mi250_train", "0", 8762.84, 0, 0},
    {"sampled_rank_0", "7", 397917, 3765, 598335}, {"sampled_rank_0", "23", 1214793, 160, 34},
    {"sampled_rank_0", "25", 560120, 35, 100413},  {"sampled_rank_0", "84", 794901, 6, 3142},
    {"sampled_rank_0", "203", 558073, 0, 0},       {"sampled_rank_1", "7", 407794, 3475, 524657},
    {"sampled_rank_1", "23", 1222526, 134, 30},    {"sampled_rank_1", "25", 556447, 17, 91823},
    {"sampled_rank_1", "84", 715850, 0, 62586},    {"sampled_rank_1", "203", 559033, 0, 0},
};

TEST(Gaps, agree_with_holistic_trace_analysis_where_nothing_overlaps) {
  for (const KnownByHta& want : known_by_hta) {
    SCOPED_TRACE(cat(want.file, " ", want.stream));
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const Gaps all = gaps(TraceIndex(*trace));
    const auto got = std::ranges::find_if(all.streams, [&](const StreamGaps& s) {
      return trace->tracks()[s.track].tid == want.stream;
    });
    ASSERT_NE(got, all.streams.end());
    EXPECT_NEAR(static_cast<double>(got->host) / 1000, want.host, 0.0051);
    EXPECT_NEAR(static_cast<double>(got->kernel) / 1000, want.kernel, 0.0051);
    EXPECT_NEAR(static_cast<double>(got->other) / 1000, want.other, 0.0051);
  }
}

// Kernels of 10 us, each launched long after the previous one ended.
// Six kernels with `us` between their launches.
Finding late_host(int us) {
  std::string text = "[";
  for (int i = 0; i < 6; ++i) {
    text += cat(R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","dur":5,"ts":)", us * i,
                R"(,"pid":1,"tid":1,"args":{"correlation":)", i, "}},");
    text += cat(R"({"ph":"X","cat":"python_function","name":"prepare.py(3): resize","dur":)",
                us - 20, R"(,"ts":)", us * i + 10, R"(,"pid":1,"tid":1},)");
    text += cat(R"({"ph":"X","cat":"kernel","name":"k","dur":10,"ts":)", us * i + 8,
                R"(,"pid":0,"tid":7,"args":{"correlation":)", i, "}},");
  }
  const auto trace = trace_of(text);
  return answer_gaps(TraceIndex(*trace)).findings.at(0);
}

TEST(Gaps, of_milliseconds_are_not_for_a_device_graph) {
  EXPECT_NE(late_host(100).advice.find("as a device graph"), std::string::npos);
  const Finding found = late_host(5000);
  EXPECT_EQ(found.key, "gaps.host.0");
  EXPECT_EQ(found.advice.find("graph"), std::string::npos) << found.advice;
  EXPECT_NE(found.advice.find("on another thread"), std::string::npos);
}

TEST(Gaps, a_late_host_is_found_with_its_potential_saving) {
  std::string text = "[";
  for (int i = 0; i < 10; ++i) {
    const std::string at =
        cat(100 * i, ",\"pid\":1,\"tid\":1,\"args\":{\"correlation\":", i, "}},");
    text += cat(R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","dur":5,"ts":)", at);
    text += cat(R"({"ph":"X","cat":"kernel","name":"k","dur":10,"ts":)", 100 * i + 8,
                R"(,"pid":0,"tid":7,"args":{"correlation":)", i, "}},");
  }
  const auto trace = trace_of(text);
  ASSERT_TRUE(trace) << trace.why();
  const Gaps all = gaps(TraceIndex(*trace));
  ASSERT_EQ(all.streams.size(), 1U);
  ASSERT_EQ(all.devices.size(), 1U);
  EXPECT_EQ(all.devices[0].span, 910'000);
  EXPECT_EQ(all.streams[0].busy, 100'000);
  EXPECT_EQ(all.streams[0].host, 9 * 90'000);
  const Answer answer = answer_gaps(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].key, "gaps.host.0");
  EXPECT_NEAR(answer.findings[0].high_percent, 100.0 * 801 / 918, 1e-9);
  EXPECT_NEAR(answer.findings[0].low_percent, 100.0 * 45 / 918, 1e-9);
  EXPECT_EQ(answer.findings[0].low_ns, 9 * 5'000);
  EXPECT_EQ(answer.findings[0].high_ns, 9 * 89'000);
}

TEST(Gaps, a_stream_that_waits_while_another_works_costs_nothing) {
  const auto trace = trace_of(R"([
    {"ph":"X","cat":"cuda_runtime","name":"l","ts":0,"dur":1,"pid":1,"tid":1,"args":{"correlation":1}},
    {"ph":"X","cat":"cuda_runtime","name":"l","ts":80,"dur":1,"pid":1,"tid":1,"args":{"correlation":2}},
    {"ph":"X","cat":"cuda_runtime","name":"l","ts":2,"dur":1,"pid":1,"tid":1,"args":{"correlation":3}},
    {"ph":"X","cat":"kernel","name":"k","ts":5,"dur":10,"pid":0,"tid":7,"args":{"correlation":1}},
    {"ph":"X","cat":"kernel","name":"k","ts":90,"dur":10,"pid":0,"tid":7,"args":{"correlation":2}},
    {"ph":"X","cat":"kernel","name":"long","ts":6,"dur":90,"pid":0,"tid":20,"args":{"correlation":3}}])");
  ASSERT_TRUE(trace) << trace.why();
  const Gaps all = gaps(TraceIndex(*trace));
  ASSERT_EQ(all.streams.size(), 2U);
  EXPECT_EQ(all.streams[0].host, 75'000);
  EXPECT_EQ(all.devices[0].busy, all.devices[0].span);
  EXPECT_TRUE(answer_gaps(TraceIndex(*trace)).findings.empty());
}

TEST(Gaps, a_device_that_is_never_idle_has_no_finding) {
  const auto trace = trace_of(R"([
    {"ph":"X","cat":"cuda_runtime","name":"l","ts":0,"dur":1,"pid":1,"tid":1,"args":{"correlation":1}},
    {"ph":"X","cat":"cuda_runtime","name":"l","ts":2,"dur":1,"pid":1,"tid":1,"args":{"correlation":2}},
    {"ph":"X","cat":"kernel","name":"k","ts":5,"dur":10,"pid":0,"tid":7,"args":{"correlation":1}},
    {"ph":"X","cat":"kernel","name":"k","ts":12,"dur":9,"pid":0,"tid":7,"args":{"correlation":2}}])");
  ASSERT_TRUE(trace) << trace.why();
  const Gaps all = gaps(TraceIndex(*trace));
  EXPECT_EQ(all.streams[0].busy, 16'000);
  EXPECT_EQ(all.streams[0].span, 16'000);
  EXPECT_TRUE(answer_gaps(TraceIndex(*trace)).findings.empty());
}

// A launch of 6.5 ms loads code, which a graph would have to do as well: `launches` reports it.
TEST(Gaps, a_graph_does_not_save_a_slow_launch) {
  const auto trace = trace_of(R"([
    {"ph":"X","cat":"cuda_runtime","name":"l","ts":0,"dur":5,"pid":1,"tid":1,"args":{"correlation":1}},
    {"ph":"X","cat":"cuda_runtime","name":"l","ts":20,"dur":6500,"pid":1,"tid":1,"args":{"correlation":2}},
    {"ph":"X","cat":"kernel","name":"k","ts":5,"dur":10,"pid":0,"tid":7,"args":{"correlation":1}},
    {"ph":"X","cat":"kernel","name":"k","ts":6520,"dur":10,"pid":0,"tid":7,"args":{"correlation":2}}])");
  ASSERT_TRUE(trace) << trace.why();
  for (const Finding& f : answer_gaps(TraceIndex(*trace)).findings)
    EXPECT_LT(f.high_percent, 1) << f.key;
}

}  // namespace
}  // namespace vitro::analyze
