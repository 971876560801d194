// Tests adding kernels by their times to a host trace: which are valid, where they are placed, and
// that removed kernels are restored.
#include "vitro/analyze/merge.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "analyze/model/classes.h"
#include "analyze/model/links.h"
#include "analyze/planted_traces.h"
#include "analyze/questions/gaps.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/events.h"
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
  const auto merged = merge(*trace, times, out, {.threshold_us = 1, .latency_us = 2, .gap_us = 0});
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
  const auto merged = merge(*trace, folder.file("times.json", closed(times, '}')), out,
                            {.latency_us = 4, .gap_us = 0});
  ASSERT_TRUE(merged) << merged.why();
  const auto result = open_alone(out);
  ASSERT_TRUE(result) << result.why();
  EXPECT_EQ(work_of(*result), want);
}

// What a profiler of times leaves of a trace: the host's events from a moment on, and the times of
// the work that ran later.  The begins of that work are what is to be found again.
struct Separated {
  std::string host = "[", times = "{";
  std::map<int64_t, int64_t> begins;  // by the op's id
  int64_t first = INT64_MAX, last = INT64_MIN;
};

// `json` has an event on each line; `from`: a share of the steps.
Separated separated(const std::string& json, double from) {
  const auto all = trace_of(json);
  const Classes classes(*all);
  const Window window = measured_window(*all);
  const int64_t begin =
      window.begin + static_cast<int64_t>(from * static_cast<double>(window.length()));
  std::map<int64_t, std::string> ops;
  for (EventId e = 0; e < all->size(); ++e)
    if (classes[e] == EventClass::op && all->name(e) != "aten::_local_scalar_dense")  // ignored
      ops[all->external_ids()[e]] = cat(all->name(e), "_", all->external_ids()[e], "_",
                                        all->tracks()[all->track_ids()[e]].tid == "4000" ? 1 : 2);
  Separated out;
  std::istringstream lines(json);
  std::string line;
  EventId e = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with("{\"schemaVersion")) continue;
    line.resize(line.rfind('}') + 1);
    if (line.ends_with("}]}")) line.resize(line.size() - 2);
    const int64_t at = all->ts()[e], end = at + std::max<int64_t>(all->dur()[e], 0);
    if (!classes.is_device_work(e)) {
      if (at >= begin) out.host += line + ",";
    } else if (at >= begin && ops.contains(all->external_ids()[e])) {
      const int64_t id = all->external_ids()[e];
      out.begins[id] = at;
      out.times += cat("\"", ops[id],
                       "\":{\"kernel_time\":", static_cast<double>(all->dur()[e]) / 1000, "},");
      out.first = std::min(out.first, at);
      out.last = std::max(out.last, end);
    }
    ++e;
  }
  return out;
}

// The largest error of a begin, in percent of the time that the work spans.
double worst_error(const std::string& json, double from, uint64_t least_before) {
  const Separated parts = separated(json, from);
  const TraceFolder folder;
  const auto host = open_alone(folder.file("host.json", closed(parts.host, ']')));
  EXPECT_TRUE(host) << host.why();
  const std::string out = folder.path() + "/merged.json";
  const auto merged = merge(*host, folder.file("times.json", closed(parts.times, '}')), out);
  EXPECT_TRUE(merged) << merged.why();
  EXPECT_EQ(merged->kernels, parts.begins.size());
  EXPECT_GE(merged->before, least_before);
  const auto result = open_alone(out);
  EXPECT_TRUE(result) << result.why();
  const Classes classes(*result);
  int64_t worst = 0;
  for (EventId e = 0; e < result->size(); ++e) {
    if (!classes.is_device_work(e)) continue;
    const int64_t want = parts.begins.at(result->external_ids()[e]);
    worst = std::max(worst, std::abs(result->ts()[e] - want));
  }
  return 100 * static_cast<double>(worst) / static_cast<double>(parts.last - parts.first);
}

// Streams that wait for one another, gaps between kernels, a full queue at the begin.
TEST(Merge, finds_when_kernels_began_within_a_hundredth_of_their_span) {
  for (const Vendor vendor : {Vendor::nvidia, Vendor::amd}) {
    EXPECT_LT(worst_error(healthy_trace(vendor), 0, 0), 1);
    EXPECT_LT(worst_error(plant(PlantedCause::communication, 0.3, vendor).json, 0, 0), 1);
    EXPECT_LT(worst_error(plant(PlantedCause::communication, 0.3, vendor).without, 0, 0), 1);
    EXPECT_LT(worst_error(plant(PlantedCause::launch_bound, 0.3, vendor).json, 0, 0), 1);
    EXPECT_LT(worst_error(plant(PlantedCause::full_queue, 0.3, vendor).json, 0.3, 900), 1);
  }
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
