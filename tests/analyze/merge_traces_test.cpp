// Tests merging device traces into host traces: real traces are split and must be restored, with
// equal and with different clocks.
#include "vitro/analyze/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "analyze/model/classes.h"
#include "analyze/model/links.h"
#include "analyze/questions/check.h"
#include "analyze/questions/gaps.h"
#include "analyze/store/rewrite.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// Writes the events of a trace for which keep(event) holds, shifted by `later` microseconds.
template <class Keep>
std::string part_of(const Trace& trace, const TraceFolder& folder, const std::string& name,
                    int64_t later, Keep keep) {
  std::vector<EventId> events(trace.size());
  std::iota(events.begin(), events.end(), EventId{0});
  std::erase_if(events, [&](EventId e) { return !keep(e); });
  std::string text = cat("{\"baseTimeNanoseconds\": ", trace.base(), ", \"traceEvents\": [");
  const auto read = trace.read_events(events, [&](EventId e, std::string_view event) {
    const auto moved = rewritten(event, [&](std::string_view key, std::string_view, bool in_args) {
      if (in_args || key != "ts" || trace.phases()[e] == 'M') return std::optional<std::string>();
      const int64_t ns = trace.ts()[e] + 1000 * later;
      return std::optional(cat(ns / 1000, ".", std::to_string(1000 + ns % 1000).substr(1)));
    });
    text += cat(*moved, ",");
  });
  EXPECT_TRUE(read);
  text.back() = ']';
  return folder.file(name, text + "}");
}

struct Work {
  std::string name;
  int64_t begin, time;
  std::string launch;
  bool operator==(const Work&) const = default;
};

std::vector<Work> work_of(const Trace& trace) {
  const Classes classes(trace);
  const Links links(trace, classes);
  std::vector<Work> out;
  for (EventId e = 0; e < trace.size(); ++e) {
    if (!classes.is_device_work(e)) continue;
    const EventId launch = links.launch_of(e);
    out.push_back({std::string(trace.name(e)), trace.ts()[e], trace.dur()[e],
                   launch == Links::nobody ? "" : cat(trace.name(launch), trace.ts()[launch])});
  }
  std::ranges::sort(out, {}, [](const Work& w) { return std::pair(w.begin, w.name); });
  return out;
}

// A trace taken apart and merged again is the same: all work at its time, with its launch.
TEST(MergeTraces, of_real_traces_that_were_taken_apart_gives_them_back) {
  for (const char* file : {"nccl_two_ranks.json.gz", "alexnet_cuda.json.gz",
                           "rocm_mi250_train.json.gz", "cuda_event_sync.json.gz"}) {
    const auto whole = open_alone(real_trace(file));
    ASSERT_TRUE(whole) << whole.why();
    const Classes classes(*whole);
    const auto is_device = [&](EventId e) {
      return classes.is_device_work(e) || classes[e] == EventClass::device_range ||
             classes[e] == EventClass::sync;
    };
    const TraceFolder folder;
    const auto host = open_alone(part_of(*whole, folder, "host.json", 0, [&](EventId e) {
      return !is_device(e) && classes[e] != EventClass::flow;
    }));
    const auto devices = open_alone(part_of(*whole, folder, "device.json", 0, is_device));
    ASSERT_TRUE(host && devices);
    const std::string out = folder.path() + "/both.json.gz";
    const auto merged = merge_traces(*host, *devices, out);
    ASSERT_TRUE(merged) << merged.why();
    EXPECT_EQ(merged->clock_offset, 0) << file;
    EXPECT_EQ(merged->clock_by, "correlation, as recorded");
    const auto both = open_alone(out);
    ASSERT_TRUE(both) << both.why();
    EXPECT_EQ(work_of(*both), work_of(*whole)) << file;
    EXPECT_EQ(merged->work, work_of(*whole).size());
    EXPECT_EQ(gaps(TraceIndex(*both)).devices.front().host,
              gaps(TraceIndex(*whole)).devices.front().host);
    EXPECT_TRUE(both->notes().empty());
  }
}

// With another clock the promptest work begins with its launch; everything else follows.
TEST(MergeTraces, finds_how_far_the_clock_of_the_devices_is_off) {
  const auto whole = open_alone(real_trace("nccl_two_ranks.json.gz"));
  ASSERT_TRUE(whole) << whole.why();
  const Classes classes(*whole);
  const Links links(*whole, classes);
  int64_t promptest = INT64_MAX;
  for (EventId e = 0; e < whole->size(); ++e) {
    if (!classes.is_device_work(e) || links.launch_of(e) == Links::nobody) continue;
    promptest = std::min(promptest, whole->ts()[e] - whole->ts()[links.launch_of(e)]);
  }
  const TraceFolder folder;
  const auto host = open_alone(part_of(*whole, folder, "host.json", 0, [&](EventId e) {
    return !classes.is_device_work(e) && whole->phases()[e] != 'f';
  }));
  constexpr int64_t later = 3'600'000'000;
  const auto devices = open_alone(part_of(*whole, folder, "device.json", later,
                                          [&](EventId e) { return classes.is_device_work(e); }));
  ASSERT_TRUE(host && devices);
  const std::string out = folder.path() + "/both.json";
  const auto merged =
      merge_traces(*host, *devices, out, {.latency_us = static_cast<double>(promptest) / 1000});
  ASSERT_TRUE(merged) << merged.why();
  EXPECT_EQ(merged->clock_by, "correlation");
  EXPECT_EQ(merged->clock_offset, -1000 * later);
  const auto both = open_alone(out);
  ASSERT_TRUE(both) << both.why();
  EXPECT_EQ(work_of(*both), work_of(*whole));
  // Arrows begun in the host's trace are ended; none is added twice.
  const auto count = [](const Trace& trace, char phase) {
    return std::ranges::count(trace.phases(), phase);
  };
  EXPECT_EQ(count(*both, 's') - count(*host, 's'), 0);
}

std::string host_text(const std::string& more = "") {
  return R"({"traceEvents":[
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":100,"dur":20,"args":{"External id":5}},
    {"ph":"X","cat":"cpu_op","name":"aten::add","pid":9,"tid":9,"ts":130,"dur":5,"args":{"External id":6}},
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":9,"tid":9,"ts":90,"dur":80,"args":{}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":9,"tid":9,"ts":140,"dur":60,"args":{"correlation":900}})" +
         more + "]}";
}

// Two kernels 5000 us ahead, taking 30 and 20 us.
std::string device_text(const std::string& first, const std::string& second, int at = 5000) {
  const auto kernel = [](int ts, int dur, const std::string& args) {
    return cat(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)", ts, R"(,"dur":)",
               dur, R"(,"args":{)", args, "}}");
  };
  return cat(R"({"traceEvents":[)", kernel(at, 30, first), ",", kernel(at + 33, 20, second), "]}");
}

TEST(MergeTraces, without_calls_the_ops_of_the_external_ids_are_the_launches) {
  const TraceFolder folder;
  const auto host = open_alone(folder.file("host.json", host_text()));
  const auto devices =
      open_alone(folder.file("device.json", device_text(R"("External id":5,"correlation":1)",
                                                        R"("External id":6,"correlation":2)")));
  ASSERT_TRUE(host && devices);
  const std::string out = folder.path() + "/both.json";
  const auto merged = merge_traces(*host, *devices, out);
  ASSERT_TRUE(merged) << merged.why();
  EXPECT_EQ(merged->clock_by, "External id");
  // aten::mm begins at 100, aten::add at 130: the second kernel is the promptest after its launch.
  EXPECT_EQ(merged->clock_offset, (100 - 5000) * 1000);
  EXPECT_EQ(merged->linked, 2U);
  // They end at 153, the synchronisation at 200.
  EXPECT_EQ(merged->clock_room, 47'000);
  const auto both = open_alone(out);
  ASSERT_TRUE(both) << both.why();
  EXPECT_EQ(std::ranges::count(both->phases(), 's'), 2);
  EXPECT_EQ(std::ranges::count(both->phases(), 'f'), 2);
}

TEST(MergeTraces, without_launches_uses_steps_and_without_those_the_clocks_as_recorded) {
  const TraceFolder folder;
  const auto host = open_alone(folder.file("host.json", host_text()));
  const auto far = open_alone(folder.file("far.json", device_text("", "", 50'000'000)));
  const auto near = open_alone(folder.file("near.json", device_text("", "", 110)));
  const auto with_step = open_alone(folder.file(
      "step.json",
      R"([{"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#3","pid":0,"tid":7,"ts":70000000,"dur":50},
          {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":70000002,"dur":20}])"));
  ASSERT_TRUE(host && far && near && with_step);
  const std::string out = folder.path() + "/both.json";
  const auto by_step = merge_traces(*host, *with_step, out);
  ASSERT_TRUE(by_step) << by_step.why();
  EXPECT_EQ(by_step->clock_by, "steps");
  EXPECT_EQ(by_step->clock_offset, (90 - 70'000'000) * 1000LL);
  const auto as_recorded = merge_traces(*host, *near, out);
  ASSERT_TRUE(as_recorded) << as_recorded.why();
  EXPECT_EQ(as_recorded->clock_by, "as recorded");
  const auto unknown = merge_traces(*host, *far, folder.path() + "/none.json");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.why().find("--offset-us"), std::string::npos) << unknown.why();
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/none.json"));
  const auto given = merge_traces(*host, *far, out, {.offset_us = -50'000'000 + 110});
  ASSERT_TRUE(given) << given.why();
  const auto both = open_alone(out);
  ASSERT_TRUE(both) << both.why();
  EXPECT_EQ(work_of(*both).front().begin, 110'000);
}

TEST(MergeTraces, refuses_traces_that_are_not_a_host_and_its_devices) {
  const TraceFolder folder;
  const auto host = open_alone(folder.file("host.json", host_text()));
  const auto devices = open_alone(folder.file("device.json", device_text("", "", 110)));
  ASSERT_TRUE(host && devices);
  EXPECT_NE(merge_traces(*devices, *host, folder.path() + "/o.json").why().find("no device work"),
            std::string::npos);
  EXPECT_NE(merge_traces(*devices, *devices, folder.path() + "/o.json").why().find("pid 0, tid 7"),
            std::string::npos);
}

}  // namespace
}  // namespace vitro::analyze
