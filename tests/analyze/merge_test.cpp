// Tests adding kernels by their times to a host trace: which are valid, where they are placed, and
// that removed kernels are restored.
#include "vitro/analyze/merge.h"

#include <gtest/gtest.h>

#include <sstream>

#include "analyze/model/classes.h"
#include "analyze/model/links.h"
#include "analyze/questions/gaps.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

std::string op(const char* name, int id, int tid, int begin, int end) {
  return cat(R"({"ph":"X","cat":"cpu_op","name":")", name, R"(","pid":100,"tid":)", tid,
             R"(,"ts":)", begin, R"(,"dur":)", end - begin, R"(,"args":{"External id":)", id,
             "}},");
}

std::string time_of(const char* name, int id, int thread, double us, int memory = 0) {
  return cat("\"", name, "_", id, "_", thread, R"(":{"kernel_time":)", us,
             memory != 0 ? cat(R"(,"device_memory_usage":)", memory) : "", R"(,"thread":)", thread,
             "},");
}

std::string closed(std::string text, char end) {
  text.back() = end;
  return text;
}

struct Work {
  std::string name;
  int64_t begin, time;
  bool operator==(const Work&) const = default;
};
std::vector<Work> work_of(const Trace& trace) {
  const Classes classes(trace);
  std::vector<Work> out;
  for (EventId e = 0; e < trace.size(); ++e) {
    if (classes.is_device_work(e))
      out.push_back({std::string(trace.name(e)), trace.ts()[e] - trace.base(), trace.dur()[e]});
  }
  return out;
}

// Two threads: 70 is the first, 80 the second.
TEST(Merge, places_kernels_after_their_launches_one_after_another) {
  const TraceFolder folder;
  const std::string host = folder.file(
      "host.json", closed("[" + op("aten::linear", 1, 70, 0, 100) + op("aten::t", 2, 70, 5, 10) +
                              op("aten::addmm", 3, 70, 20, 90) + op("aten::relu", 4, 80, 30, 40) +
                              op("aten::tanh", 5, 70, 300, 310) + op("aten::mm", 6, 80, 400, 410),
                          ']'));
  const std::string times = folder.file(
      "times.json", closed("{" + time_of("aten::linear", 1, 1, 60) + time_of("aten::t", 2, 1, 3) +
                               time_of("aten::addmm", 3, 1, 50, 4096) +
                               time_of("aten::relu", 4, 2, 20.5) + time_of("aten::tanh", 5, 1, 10) +
                               time_of("aten::mm", 6, 2, 0.4) + time_of("aten::mm", 6, 1, 7),
                           '}'));
  const auto trace = open_alone(host);
  ASSERT_TRUE(trace) << trace.why();
  const std::string out = folder.path() + "/merged.json.gz";
  const auto merged = merge(*trace, times, out, {.threshold_us = 1, .latency_us = 2});
  ASSERT_TRUE(merged) << merged.why();
  EXPECT_EQ(merged->times, 7U);
  EXPECT_EQ(merged->kernels, 3U);
  EXPECT_EQ(merged->ignored, 1U);     // aten::t, not aten::tanh
  EXPECT_EQ(merged->not_leaves, 1U);  // aten::linear
  EXPECT_EQ(merged->too_short, 1U);   // aten::mm
  EXPECT_EQ(merged->not_found, 1U);   // aten::mm on the other thread
  EXPECT_EQ(merged->kernel_ns, 80'500);
  EXPECT_EQ(merged->waited_ns, 40'000);
  const auto result = open_alone(out);
  ASSERT_TRUE(result) << result.why();
  EXPECT_EQ(work_of(*result), (std::vector<Work>{{"aten::addmm", 22'000, 50'000},
                                                 {"aten::relu", 72'000, 20'500},
                                                 {"aten::tanh", 302'000, 10'000}}));
  int64_t arrows = 0, counters = 0;
  for (EventId e = 0; e < result->size(); ++e) {
    arrows += result->phases()[e] == 's';
    arrows -= result->phases()[e] == 'f' ? 100 : 0;
    counters += result->phases()[e] == 'C';
  }
  EXPECT_EQ(arrows, 3 - 300);
  EXPECT_EQ(counters, 1);
  const Classes classes(*result);
  const Links links(*result, classes);
  for (EventId e = 0; e < result->size(); ++e) {
    if (!classes.is_device_work(e)) continue;
    EXPECT_EQ(result->name(links.launch_of(e)), result->name(e));
  }
  EXPECT_EQ(gaps(TraceIndex(*result)).devices[0].busy, 80'500);
}

// A trace is the same again after its kernels are removed and merged back as times.
TEST(Merge, gives_back_the_kernels_that_were_taken_out) {
  const TraceFolder folder;
  std::string host = "[", times = "{", all = "[";
  int64_t free = 0;
  std::vector<Work> want;
  for (int i = 0; i < 200; ++i) {
    const int begin = 30 * i, time = 5 + i * 37 % 53;
    host += op("aten::mul", i, 1, begin, begin + 20);
    times += time_of("aten::mul", i, 1, time);
    const int64_t at = std::max<int64_t>(begin + 4, free);
    free = at + time;
    want.push_back({"aten::mul", at * 1000, time * 1000});
  }
  const auto trace = open_alone(folder.file("host.json", closed(host, ']')));
  ASSERT_TRUE(trace) << trace.why();
  const std::string out = folder.path() + "/merged.json";
  const auto merged =
      merge(*trace, folder.file("times.json", closed(times, '}')), out, {.latency_us = 4});
  ASSERT_TRUE(merged) << merged.why();
  const auto result = open_alone(out);
  ASSERT_TRUE(result) << result.why();
  EXPECT_EQ(work_of(*result), want);
}

TEST(Merge, finds_the_times_of_a_rank_in_a_folder) {
  const TraceFolder folder;
  const auto trace =
      open_alone(folder.file("host.json", R"({"distributedInfo":{"rank":3},"traceEvents":[)" +
                                              closed(op("aten::mm", 1, 1, 0, 5), ']') + "}"));
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_THROW(times_file(*trace, folder.path()), Error);
  const std::string file = folder.file("kernel_event_3.json", "{}");
  EXPECT_EQ(times_file(*trace, folder.path()), file);
  EXPECT_EQ(times_file(*trace, "other.json"), "other.json");
  const auto merged = merge(*trace, file, folder.path() + "/out.json");
  ASSERT_FALSE(merged);
  EXPECT_NE(merged.why().find("contains no kernel times"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/out.json"));
}

}  // namespace
}  // namespace vitro::analyze
