// Tests the causes of idle time on small traces whose causes are known.
#include "analyze/model/attribution.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// Times in microseconds.
struct Text {
  std::string json = "[";
  void add(const char* category, const std::string& name, int begin, int end, int pid, int tid,
           const std::string& arguments = "") {
    json += cat(R"({"ph":"X","cat":")", category, R"(","name":")", name, R"(","ts":)", begin,
                ",\"dur\":", end - begin, ",\"pid\":", pid, ",\"tid\":", tid, ",\"args\":{",
                arguments, "}},");
  }
  void range(const std::string& name, int begin, int end) {
    add("user_annotation", name, begin, end, 100, 1);
  }
  void python(const std::string& name, int begin, int end) {
    add("python_function", name, begin, end, 100, 1);
  }
  void op(const std::string& name, int begin, int end) { add("cpu_op", name, begin, end, 100, 1); }
  void call(const std::string& name, int begin, int end, int correlation) {
    add("cuda_runtime", name, begin, end, 100, 1, cat("\"correlation\":", correlation));
  }
  void kernel(int begin, int end, int correlation) {
    add("kernel", "k", begin, end, 0, 7, cat("\"correlation\":", correlation));
  }
};

using Times = std::map<IdleCause, int64_t>;

Times times(const Text& text) {
  const auto trace = trace_of(text.json);
  if (!trace) throw std::runtime_error(trace.why());
  Times out;
  for (const DeviceIdle& device : attribute_idle(TraceIndex(*trace)))
    for (const IdleGroup& group : device.groups) out[group.cause] += group.time;
  return out;
}

TEST(Attribution, of_a_late_launch_is_what_the_launching_thread_did) {
  Text text;
  text.call("cudaLaunchKernel", 0, 10, 1);
  text.kernel(10, 20, 1);
  text.range("enumerate(DataLoader)#_X.__next__", 30, 130);
  text.python("<built-in method acquire of _thread.lock object at 0x1>", 40, 120);
  text.python("<built-in method sleep of module object at 0x1>", 140, 190);
  text.python("<built-in method acquire of _thread.lock object at 0x2>", 200, 240);
  text.call("cudaMalloc", 250, 350, 2);
  text.op("aten::mm", 360, 400);
  text.call("cudaLaunchKernel", 390, 400, 3);
  text.kernel(405, 420, 3);
  EXPECT_EQ(times(text),
            (Times{{IdleCause::data, 100'000},
                   {IdleCause::lock, 40'000},
                   {IdleCause::sleep, 50'000},
                   {IdleCause::slow_call, 100'000},
                   {IdleCause::launch, 15'000},
                   {IdleCause::host, 10'000 + 10'000 + 10'000 + 10'000 + 10'000 + 30'000},
                   {IdleCause::latency, 10'000}}));
}

// The host waits for the device, so that the next launch is late; and launches ahead otherwise.
TEST(Attribution, of_time_after_a_wait_for_the_device_is_the_wait) {
  Text text;
  text.call("cudaLaunchKernel", 0, 10, 1);
  text.kernel(10, 100, 1);
  text.call("cudaStreamSynchronize", 20, 110, 2);
  text.op("aten::add", 120, 150);
  text.call("cudaLaunchKernel", 140, 150, 3);
  text.call("cudaLaunchKernel", 150, 160, 4);
  text.kernel(155, 175, 3);
  text.kernel(180, 190, 4);
  EXPECT_EQ(times(text),
            (Times{{IdleCause::device, 55'000}, {IdleCause::latency, 10'000 + 5'000}}));
}

// Without the wait of 30 us until the device is done, the host would be ahead by as much.
TEST(Attribution, of_time_after_a_wait_is_the_wait_as_far_as_the_host_would_be_ahead_without_it) {
  Text text;
  text.call("cudaLaunchKernel", 0, 10, 1);
  text.kernel(10, 50, 1);
  text.call("cudaStreamSynchronize", 20, 55, 2);
  text.op("aten::sort", 60, 360);
  text.call("cudaLaunchKernel", 360, 370, 3);
  text.kernel(375, 400, 3);
  EXPECT_EQ(times(text), (Times{{IdleCause::device, 5'000 + 30'000},
                                {IdleCause::host, 275'000},
                                {IdleCause::launch, 15'000},
                                {IdleCause::latency, 10'000}}));
}

TEST(Attribution, of_a_long_range_or_lock_after_a_wait_is_the_range_or_lock) {
  Text text;
  text.call("cudaLaunchKernel", 0, 10, 1);
  text.kernel(10, 50'010, 1);
  text.call("cudaStreamSynchronize", 20, 50'015, 2);
  text.range("tokenize", 50'020, 80'020);
  text.python("<method 'acquire' of '_thread.lock' objects>", 80'020, 90'020);
  text.call("cudaLaunchKernel", 90'020, 90'030, 3);
  text.kernel(90'035, 100'035, 3);
  EXPECT_EQ(times(text), (Times{{IdleCause::device, 25'000},
                                {IdleCause::host, 30'000'000},
                                {IdleCause::lock, 10'000'000},
                                {IdleCause::latency, 10'000}}));
  const auto trace = trace_of(text.json);
  const Answer answer = doctor(TraceIndex(*trace));
  EXPECT_TRUE(std::ranges::any_of(answer.findings, [](const Finding& f) {
    return f.key == "threads.wait.<method 'acquire' of '_thread.lock' objects>" &&
           f.low_ns == 10'000'000;
  }));
  EXPECT_TRUE(std::ranges::any_of(answer.findings, [](const Finding& f) {
    return f.key == "gaps.host.0" && f.sentence.find("tokenize (30.000ms)") != std::string::npos;
  }));
  for (const Finding& f : answer.findings)
    EXPECT_EQ(f.key.find("Synchronize"), std::string::npos) << f.sentence;
}

TEST(Attribution, of_launched_work_is_not_the_host) {
  Text text;
  text.call("cudaLaunchKernel", 0, 10, 1);
  text.call("cudaLaunchKernel", 10, 20, 2);
  text.call("cudaDeviceSynchronize", 20, 1000, 3);
  text.kernel(10, 100, 1);
  text.kernel(900, 990, 2);
  EXPECT_EQ(times(text), (Times{{IdleCause::dependency, 800'000},
                                {IdleCause::latency, 10'000},
                                {IdleCause::device, 10'000}}));
}

TEST(Attribution, of_a_wait_before_all_work_is_what_the_recording_lacks) {
  Text text;
  text.call("cudaDeviceSynchronize", 0, 1000, 1);
  text.call("cudaLaunchKernel", 1100, 1110, 2);
  text.kernel(1120, 1220, 2);
  text.call("cudaDeviceSynchronize", 1130, 1240, 3);
  text.call("cudaLaunchKernel", 1290, 1300, 4);
  text.kernel(1310, 1410, 4);
  EXPECT_EQ(times(text), (Times{{IdleCause::earlier, 1'000'000},
                                {IdleCause::host, 100'000},
                                {IdleCause::launch, 20'000},
                                {IdleCause::device, 90'000}}));
  // No finding is about the first wait: 90 of 1410 us are what the second one costs.
  const auto trace = trace_of(text.json);
  const Answer answer = doctor(TraceIndex(*trace));
  for (const Finding& each : answer.findings) EXPECT_LE(each.high_percent, 15) << each.sentence;
}

// Ten kernels, each launched by an op of 20 us that the device waits for.
TEST(Attribution, of_parameters_updated_one_by_one_is_the_optimizer) {
  Text text;
  text.call("cudaLaunchKernel", 0, 10, 100);
  text.kernel(10, 20, 100);
  text.range("Optimizer.step#AdamW.step", 20, 220);
  for (int i = 0; i < 10; ++i) {
    text.op("aten::add_", 20 + 20 * i, 40 + 20 * i);
    text.call("cudaLaunchKernel", 30 + 20 * i, 36 + 20 * i, i);
    text.kernel(36 + 20 * i, 40 + 20 * i, i);
  }
  EXPECT_EQ(times(text), (Times{{IdleCause::latency, 10'000}, {IdleCause::update, 10 * 16'000}}));
}

// Launches take 10 us and follow each other, as kernels of 100 us do: only these can be faster.
// Calls between the begin and the end of a capture launch nothing; one thread captures, the other
// does not.
TEST(Attribution, of_a_capture_is_neither_launching_nor_the_host) {
  Text text;
  text.call("hipLaunchKernel", 0, 10, 1);
  text.kernel(10, 100, 1);
  text.call("hipStreamBeginCapture", 120, 125, 2);
  text.op("aten::mm", 130, 200);
  text.call("hipLaunchKernel", 150, 260, 3);
  text.call("hipStreamEndCapture", 290, 300, 4);
  text.call("hipGraphLaunch", 320, 330, 5);
  text.kernel(335, 400, 5);
  // 100 to 120 and 300 to 320 are other code, 320 to 335 the launch.
  EXPECT_EQ(times(text), (Times{{IdleCause::capture, 180'000},
                                {IdleCause::host, 40'000},
                                {IdleCause::launch, 15'000},
                                {IdleCause::latency, 10'000}}));
  const auto trace = trace_of(text.json);
  const Answer answer = doctor(TraceIndex(*trace));
  ASSERT_FALSE(answer.findings.empty());
  const Finding& first = answer.findings.front();
  EXPECT_EQ(first.key, "gaps.capture.0");
  EXPECT_EQ(first.high_ns, 180'000);
  EXPECT_NE(first.sentence.find("captures a device graph"), std::string::npos);
  EXPECT_NE(answer.verdicts.at(0).find("capturing a device graph (45 %)"), std::string::npos)
      << answer.verdicts.at(0);
}

TEST(Attribution, a_busy_device_is_bound_by_its_kernels) {
  Text text;
  for (int i = 0; i < 50; ++i) {
    text.call("cudaLaunchKernel", 15 * i, 15 * i + 10, i);
    text.kernel(20 + 100 * i, 119 + 100 * i, i);
  }
  text.call("cudaDeviceSynchronize", 800, 5030, 50);
  const auto trace = trace_of(text.json);
  ASSERT_TRUE(trace) << trace.why();
  const Answer answer = doctor(TraceIndex(*trace));
  ASSERT_EQ(answer.verdicts.size(), 1U);
  EXPECT_EQ(
      answer.verdicts[0],
      "device 0 computes for 98 % of the measured time: it is device-bound; make these kernels "
      "faster: k (98 %)");
  for (const Finding& f : answer.findings) EXPECT_LT(f.high_percent, 2) << f.key;
}

// Two streams compute at the same time, a third one communicates meanwhile.
TEST(Attribution, a_busy_device_is_bound_by_kernels_that_share_its_time) {
  Text text;
  for (int i = 0; i < 3; ++i) text.call("cudaLaunchKernel", 10 * i, 10 * i + 10, i);
  text.add("kernel", "a", 30, 1030, 0, 7, "\"correlation\":0");
  text.add("kernel", "b", 30, 1030, 0, 8, "\"correlation\":1");
  text.add("kernel", "ncclDevKernel_AllGather", 30, 1030, 0, 9, "\"correlation\":2");
  text.add("kernel", "c", 1030, 1230, 0, 7);
  const auto trace = trace_of(text.json);
  const std::string verdict = doctor(TraceIndex(*trace)).verdicts.at(0);
  EXPECT_NE(verdict.find("make these kernels faster: a (41 %), b (41 %), c (16 %)"),
            std::string::npos)
      << verdict;
}

// Each launch takes 25 us to arrive, and one follows every 20 us: the device waits for the host.
TEST(Attribution, of_launches_that_arrive_late_is_what_the_host_did) {
  Text text;
  for (int i = 0; i < 10; ++i) {
    text.op("aten::mm", 20 * i, 20 * i + 10);
    text.call("cudaLaunchKernel", 20 * i + 2, 20 * i + 6, i);
    text.kernel(20 * i + 27, 20 * i + 31, i);
  }
  // 27 us before the first kernel, of which the host works for 2; then nine gaps of 16 us: the host
  // launches for 4 us in each but the last.
  EXPECT_EQ(times(text), (Times{{IdleCause::launch, 25'000 + 8 * 4'000},
                                {IdleCause::host, 2'000 + 8 * 12'000 + 16'000}}));
}

TEST(Attribution, of_launched_work_is_not_the_wait_for_it) {
  Text text;
  text.call("cudaLaunchKernel", 0, 4, 1);
  text.kernel(10, 30, 1);
  text.call("cudaLaunchKernel", 25, 29, 2);
  text.call("cudaStreamSynchronize", 29, 60, 3);
  text.kernel(40, 50, 2);
  EXPECT_EQ(times(text),
            (Times{{IdleCause::latency, 10'000 + 10'000}, {IdleCause::device, 10'000}}));
}

// Eight long waits for data, between steps of short launches.
TEST(Attribution, a_wait_for_data_comes_before_what_a_graph_saves) {
  Text text;
  int at = 0, number = 0;
  for (int step = 0; step < 8; ++step) {
    text.range("enumerate(DataLoader)#_X.__next__", at, at + 100'000);
    at += 100'010;
    for (int i = 0; i < 100; ++i) {
      text.op("aten::add", at, at + 100);
      text.call("cudaLaunchKernel", at + 80, at + 90, number);
      text.kernel(at + 95, at + 105, number++);
      at += 110;
    }
  }
  const auto trace = trace_of(text.json);
  ASSERT_TRUE(trace) << trace.why();
  const Answer answer = doctor(TraceIndex(*trace));
  ASSERT_GE(answer.findings.size(), 2U);
  const Finding& data = answer.findings[0];
  EXPECT_EQ(data.key, "threads.wait.enumerate(DataLoader)#_X.__next__");
  EXPECT_EQ(data.low_ns, 8 * 100'000'000LL);
  EXPECT_EQ(data.confidence, Confidence::measured);
  for (const Finding& f : answer.findings) {
    if (f.key == "gaps.host.0") {
      EXPECT_LT(f.high_percent, 12);
    }
  }
}

}  // namespace
}  // namespace vitro::analyze
