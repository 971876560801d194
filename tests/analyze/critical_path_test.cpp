// Tests the critical path: on small traces with a known path, and on real ones whose segments
// another program checked.
#include "analyze/questions/critical_path/critical_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analyze/questions/info.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"

namespace vitro::analyze {
namespace {

using enum PathKind;
using Totals = std::map<PathKind, int64_t>;

Totals totals(const CriticalPath& path) {
  Totals out;
  for (size_t k = 0; k < path_kinds; ++k) {
    if (path.totals[k] != 0) out[static_cast<PathKind>(k)] = path.totals[k];
  }
  return out;
}

// The names along the path, adjacent equal names once.
std::vector<std::string> names(const Trace& trace, const CriticalPath& path) {
  std::vector<std::string> out;
  for (const PathSegment& s : path.segments) {
    const std::string name =
        s.event == PathSegment::nobody ? "-" : std::string(trace.name(s.event));
    if (out.empty() || out.back() != name) out.push_back(name);
  }
  return out;
}

// Events of a small trace, in microseconds.
struct Text {
  std::string json = "[";
  void add(const char* category, const std::string& name, int begin, int end, const char* pid,
           int tid, const std::string& arguments = "") {
    json += cat(R"({"ph":"X","cat":")", category, R"(","name":")", name, R"(","ts":)", begin,
                ",\"dur\":", end - begin, ",\"pid\":", pid, ",\"tid\":", tid, ",\"args\":{",
                arguments, "}},");
  }
  void op(const std::string& name, int begin, int end, int tid = 1) {
    add("cpu_op", name, begin, end, "100", tid);
  }
  void call(const std::string& name, int begin, int end, int correlation, int tid = 1) {
    add("cuda_runtime", name, begin, end, "100", tid, cat("\"correlation\":", correlation));
  }
  void copy(const std::string& name, int begin, int end, int correlation, int stream = 7) {
    add("gpu_memcpy", name, begin, end, "0", stream, cat("\"correlation\":", correlation));
  }
  void kernel(const std::string& name, int begin, int end, int correlation, int stream = 7) {
    add("kernel", name, begin, end, "0", stream, cat("\"correlation\":", correlation));
  }
};

// Sums over segments.  That each segment has the definition says tests/cli/values/path.py, which
// trace_values_test.py there asks about the whole of each trace and about its last step.
struct Known {
  const char* file;
  std::optional<int64_t> step;
  Totals totals;
  const char* bound_by;
};
const Known known[] = {
    {"cuda_event_sync",
     {},
     {{host_op, 226000},
      {host_call, 844000},
      {host_other, 18723000},
      {launch_delay, 1000},
      {compute, 123000},
      {sync, 13000}},
     "host"},
    {"alexnet_cuda",
     {},
     {{host_op, 1056672000},
      {host_call, 42239541000},
      {host_other, 69725000},
      {launch_delay, 62000},
      {compute, 3710000},
      {copy, 55505000},
      {kernel_delay, 51000},
      {sync, 99000}},
     "host"},
    {"nccl_two_ranks",
     6,
     {{host_op, 177725413}, {host_call, 16550383}, {host_other, 30660447}},
     "host"},
    {"rocm_mi250_train",
     {},
     {{host_op, 1845046}, {host_call, 6669560}, {host_other, 792570}, {copy, 38161}, {sync, 29037}},
     "host"},
    {"sampled_rank_0",
     552,
     {{host_op, 315534000},
      {host_call, 4917000},
      {host_other, 301147000},
      {compute, 1216000},
      {copy, 10000},
      {kernel_delay, 60000},
      {sync, 44000}},
     "host"},
    {"torch_2_13_cpu_resnet18_eager", {}, {{host_op, 381441325}, {host_other, 7025759}}, "host"},
    {"torch_2_13_cpu_threads_stacks", {}, {{host_op, 7449307}, {host_other, 29299450}}, "host"},
};

TEST(CriticalPath, of_real_traces_is_known) {
  for (const Known& want : known) {
    SCOPED_TRACE(want.file);
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const CriticalPath path = critical_path(TraceIndex(*trace), {.step = want.step});
    EXPECT_EQ(totals(path), want.totals);
    EXPECT_EQ(path.bound_by(), want.bound_by);
  }
}

// The host launches a kernel of 50 us and waits for it, then works on.
TEST(CriticalPath, goes_through_the_launch_the_kernel_and_the_wait_for_it) {
  Text text;
  text.op("aten::mm", 0, 20);
  text.call("cudaLaunchKernel", 5, 15, 1);
  text.kernel("gemm", 18, 68, 1);
  text.call("cudaDeviceSynchronize", 25, 70, 2);
  text.op("aten::add", 72, 80);
  const auto trace = trace_of(text.json);
  ASSERT_TRUE(trace) << trace.why();
  const CriticalPath path = critical_path(TraceIndex(*trace));
  EXPECT_EQ(names(*trace, path),
            (std::vector<std::string>{"aten::mm", "cudaLaunchKernel", "gemm",
                                      "cudaDeviceSynchronize", "-", "aten::add"}));
  EXPECT_EQ(totals(path), (Totals{{host_op, 13'000},
                                  {host_call, 10'000},
                                  {host_other, 2'000},
                                  {launch_delay, 3'000},
                                  {compute, 50'000},
                                  {sync, 2'000}}));
  EXPECT_EQ(path.bound_by(), "compute");
  EXPECT_EQ(path.known_waits, 1U);
  EXPECT_EQ(path.inferred_waits, 0U);
}

// A kernel of 100 ms, and the copy of its result to unpinned memory.
TEST(CriticalPath, of_a_blocking_copy_goes_on_with_the_work_that_the_copy_waited_for) {
  Text text;
  text.call("cudaLaunchKernel", 0, 10, 1);
  text.kernel("gemm", 15, 100'015, 1);
  text.call("cudaMemcpyAsync", 20, 100'040, 2);
  text.copy("Memcpy DtoH (Device -> Pageable)", 100'020, 100'030, 2);
  const auto trace = trace_of(text.json);
  ASSERT_TRUE(trace) << trace.why();
  const CriticalPath path = critical_path(TraceIndex(*trace));
  EXPECT_EQ(totals(path), (Totals{{host_call, 10'000},
                                  {launch_delay, 5'000},
                                  {compute, 100'000'000},
                                  {copy, 10'000},
                                  {kernel_delay, 5'000},
                                  {sync, 10'000}}));
  EXPECT_EQ(path.bound_by(), "compute");
}

// The call waits for the kernel, then fills its buffer for 500 us before the copy begins; another
// one has nothing to wait for.
TEST(CriticalPath, of_a_copy_from_unpinned_memory_contains_its_staging) {
  Text text;
  text.call("cudaLaunchKernel", 0, 10, 1);
  text.kernel("gemm", 15, 115, 1);
  text.call("cudaMemcpyAsync", 20, 650, 2);
  text.copy("Memcpy HtoD (Pageable -> Device)", 615, 645, 2);
  text.call("cudaMemcpyAsync", 650, 1200, 3);
  text.copy("Memcpy HtoD (Pageable -> Device)", 1150, 1190, 3);
  const auto trace = trace_of(text.json);
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(totals(critical_path(TraceIndex(*trace))),
            (Totals{{host_call, 10'000 + 500'000 + 500'000},
                    {launch_delay, 5'000},
                    {compute, 100'000},
                    {copy, 30'000 + 40'000},
                    {sync, 5'000 + 10'000}}));
}

// Work without a launch was launched before the recording began: a wait for the device includes it.
TEST(CriticalPath, of_a_wait_goes_on_with_work_that_was_launched_before_the_recording) {
  Text text;
  text.call("cudaDeviceSynchronize", 0, 1000, 1);
  for (int i = 0; i < 9; ++i) text.add("kernel", "early", 10 + 110 * i, 110 + 110 * i, "0", 7);
  text.call("cudaLaunchKernel", 1010, 1020, 2);
  text.kernel("late", 1025, 1035, 2);
  text.call("cudaDeviceSynchronize", 1025, 1040, 3);
  const auto trace = trace_of(text.json);
  ASSERT_TRUE(trace) << trace.why();
  const CriticalPath path = critical_path(TraceIndex(*trace));
  EXPECT_EQ(path.total(compute), 910'000);
  EXPECT_EQ(path.total(kernel_delay), 80'000);
  EXPECT_EQ(path.total(device_wait), 10'000);  // before the first of them
  EXPECT_EQ(path.total(sync), 10'000 + 5'000);
  EXPECT_EQ(path.total(host_call), 10'000);
}

// cudaMemcpy waits for all streams, cudaMemcpyAsync for its own.
TEST(CriticalPath, of_a_copy_on_the_default_stream_waits_for_other_streams) {
  for (const bool all : {true, false}) {
    Text text;
    text.call("cudaLaunchKernel", 0, 10, 1);
    text.kernel("beside", 15, 1015, 1, 20);
    text.call(all ? "cudaMemcpy" : "cudaMemcpyAsync", 20, 1040, 2);
    text.copy("Memcpy DtoH (Device -> Pageable)", 1020, 1030, 2);
    const auto trace = trace_of(text.json);
    ASSERT_TRUE(trace) << trace.why();
    const CriticalPath path = critical_path(TraceIndex(*trace));
    EXPECT_EQ(path.total(compute), all ? 1'000'000 : 0);
    EXPECT_EQ(path.inferred_waits, all ? 1U : 0U);
  }
}

// Kernels launched long before they can run: the host is on the path only for the first.
TEST(CriticalPath, of_a_full_queue_follows_the_kernels) {
  Text text;
  for (int i = 0; i < 10; ++i) {
    text.call("cudaLaunchKernel", 10 * i, 10 * i + 5, i);
    text.kernel(cat("k", i), 8 + 100 * i, 8 + 100 * i + 98, i);
  }
  const auto trace = trace_of(text.json);
  ASSERT_TRUE(trace) << trace.why();
  const CriticalPath path = critical_path(TraceIndex(*trace));
  EXPECT_EQ(path.window.length(), 1'006'000);
  EXPECT_EQ(
      totals(path),
      (Totals{
          {host_call, 5'000}, {launch_delay, 3'000}, {compute, 980'000}, {kernel_delay, 18'000}}));
}

// A replay of a device graph: one launch, whose call is still running while its kernels run.
TEST(CriticalPath, of_a_device_graph_waits_for_the_launch_once) {
  Text text;
  text.call("cudaGraphLaunch", 0, 60, 1);
  for (int i = 0; i < 4; ++i) text.kernel(cat("k", i), 10 + 20 * i, 10 + 20 * i + 18, 1);
  const auto trace = trace_of(text.json);
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(totals(critical_path(TraceIndex(*trace))),
            (Totals{{host_call, 10'000}, {compute, 72'000}, {kernel_delay, 6'000}}));
}

// Stream 8 waits for an event of stream 7, with and without a record of it.
TEST(CriticalPath, crosses_streams_where_one_waits_for_an_event_of_another) {
  const TraceFolder folder;  // records are read again from the file
  for (const bool recorded : {true, false}) {
    Text text;
    text.call("cudaLaunchKernel", 0, 5, 1);
    text.kernel("long", 8, 108, 1, 7);
    text.call("cudaEventRecord", 6, 7, 2);
    text.call("cudaStreamWaitEvent", 10, 11, 3);
    text.call("cudaLaunchKernel", 12, 17, 4);
    text.kernel("other stream", 110, 150, 4, 8);
    if (recorded) {
      text.add("cuda_sync", "Stream Wait Event", 10, 11, "0", 8,
               R"("stream":8,"device":0,"correlation":3,"wait_on_stream":7,)"
               R"("wait_on_cuda_event_record_corr_id":2)");
    }
    const auto trace = open_alone(folder.file(recorded ? "with.json" : "without.json", text.json));
    ASSERT_TRUE(trace) << trace.why();
    const CriticalPath path = critical_path(TraceIndex(*trace));
    EXPECT_EQ(names(*trace, path),
              (std::vector<std::string>{"cudaLaunchKernel", "long", "other stream"}));
    EXPECT_EQ(path.total(compute), 140'000);
    EXPECT_EQ(path.known_waits, recorded ? 1U : 0U);
    EXPECT_EQ(path.inferred_waits, recorded ? 0U : 1U);
  }
}

TEST(CriticalPath, knows_from_records_which_stream_a_call_waited_for) {
  const TraceFolder folder;
  Text text;
  text.call("cudaLaunchKernel", 0, 5, 1);
  text.call("cudaLaunchKernel", 5, 10, 2);
  text.kernel("waited for", 12, 40, 1, 7);
  text.kernel("beside it", 12, 48, 2, 8);
  text.call("cudaStreamSynchronize", 15, 50, 3);
  const std::string plain = text.json;
  text.add("cuda_sync", "Stream Sync", 16, 49, "0", 7, R"("stream":7,"device":0,"correlation":3)");
  const auto recorded = open_alone(folder.file("known.json", text.json));
  const auto inferred = open_alone(folder.file("inferred.json", plain));
  ASSERT_TRUE(recorded && inferred);
  const CriticalPath with = critical_path(TraceIndex(*recorded)),
                     without = critical_path(TraceIndex(*inferred));
  EXPECT_EQ(totals(with),
            (Totals{{host_call, 5'000}, {launch_delay, 7'000}, {compute, 28'000}, {sync, 10'000}}));
  EXPECT_EQ(names(*recorded, with)[names(*recorded, with).size() - 2], "waited for");
  EXPECT_EQ(with.inferred_waits, 0U);
  EXPECT_EQ(with.sync_records, 1U);
  EXPECT_EQ(with.total(sync), 10'000);
  EXPECT_EQ(names(*inferred, without)[names(*inferred, without).size() - 2], "beside it");
  EXPECT_EQ(without.inferred_waits, 1U);
  EXPECT_EQ(without.total(sync), 2'000);
}

// The main thread runs forward, the autograd thread backward, the main thread the update.
TEST(CriticalPath, goes_to_the_thread_that_another_waits_for_and_back) {
  Text text;
  text.op("warm up", 0, 10, 2);
  text.op("forward", 12, 100, 1);
  text.op("backward a", 110, 200, 2);
  text.op("backward b", 202, 300, 2);
  text.op("update", 305, 350, 1);
  text.op("other", 2, 340, 3);
  const auto trace = trace_of(text.json);
  ASSERT_TRUE(trace) << trace.why();
  const CriticalPath path = critical_path(TraceIndex(*trace), {.data_loading = "nothing"});
  EXPECT_EQ(names(*trace, path),
            (std::vector<std::string>{"warm up", "-", "forward", "-", "backward a", "-",
                                      "backward b", "-", "update"}));
  EXPECT_EQ(path.total(host_op), 10'000 + 88'000 + 90'000 + 98'000 + 45'000);
  EXPECT_EQ(path.total(host_other), 2'000 + 10'000 + 2'000 + 5'000);
  EXPECT_EQ(path.inferred_waits, 3U);
}

TEST(CriticalPath, of_an_annotation_begins_with_it_and_ends_with_its_work) {
  Text text;
  for (int i = 0; i < 2; ++i) {
    text.add("user_annotation", "forward", 100 * i, 100 * i + 20, "100", 1);
    text.call("cudaLaunchKernel", 100 * i + 5, 100 * i + 10, i);
    text.kernel(cat("k", i), 100 * i + 11, 100 * i + 71, i);
  }
  const auto trace = trace_of(text.json);
  ASSERT_TRUE(trace) << trace.why();
  const CriticalPath path =
      critical_path(TraceIndex(*trace), {.annotation = "forw", .instance = 1});
  EXPECT_EQ(path.window.begin, trace->ts()[0] + 100'000);
  EXPECT_EQ(path.window.length(), 71'000);
  EXPECT_EQ(names(*trace, path), (std::vector<std::string>{"forward", "cudaLaunchKernel", "k1"}));
}

TEST(CriticalPath, recognises_data_loading_by_name) {
  Text text;
  text.add("user_annotation", "enumerate(DataLoader)#_SingleProcess.__next__", 0, 50, "100", 1);
  text.op("aten::stack", 10, 40);
  text.op("aten::mm", 50, 60);
  const auto trace = trace_of(text.json);
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(totals(critical_path(TraceIndex(*trace))),
            (Totals{{host_op, 10'000}, {data_loading, 50'000}}));
}

TEST(CriticalPath, says_what_is_not_in_the_trace) {
  Text text;
  text.op("aten::mm", 0, 20);
  const auto trace = trace_of(text.json);
  ASSERT_TRUE(trace) << trace.why();
  const auto message = [&](const PathOptions& options) -> std::string {
    try {
      critical_path(TraceIndex(*trace), options);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_NE(message({.step = 3}).find("no step 3 in the trace, which has none"), std::string::npos);
  EXPECT_NE(message({.annotation = "x"}).find("no instance 0 of annotation 'x'"),
            std::string::npos);
}

TEST(CriticalPath, drawn_into_its_trace_leaves_that_as_it_was) {
  const TraceFolder folder;
  const auto trace = open_alone(real_trace("alexnet_cuda.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const CriticalPath path = critical_path(TraceIndex(*trace));
  const std::string file = folder.path() + "/drawn.json.gz";
  write_overlay(*trace, path, file);
  const auto drawn = open_alone(file);
  ASSERT_TRUE(drawn) << drawn.why();
  EXPECT_TRUE(drawn->notes().empty());
  const size_t more = drawn->size() - trace->size();
  for (EventId e = 0; e < trace->size(); ++e) {
    ASSERT_EQ(drawn->ts()[e + more], trace->ts()[e]);
    ASSERT_EQ(drawn->name(static_cast<EventId>(e + more)), trace->name(e));
  }
  int64_t sum = 0, begins = 0, ends = 0;
  for (EventId e = 0; e < more; ++e) {
    if (drawn->phases()[e] == 'X') sum += drawn->dur()[e];
    begins += drawn->phases()[e] == 's';
    ends += drawn->phases()[e] == 'f';
  }
  EXPECT_EQ(sum, path.window.length());
  EXPECT_EQ(begins, ends);
  EXPECT_GT(begins, 10);
}

TEST(CriticalPath, finds_potential_savings_and_their_events) {
  Text text;
  for (int i = 0; i < 10; ++i) {
    text.op("aten::relu", 100 * i, 100 * i + 50);
    text.call("cudaLaunchKernel", 100 * i + 10, 100 * i + 20, i);
    text.kernel("relu", 100 * i + 22, 100 * i + 32, i);
  }
  const TraceFolder folder;
  const auto trace = open_alone(folder.file("t.json", text.json));
  ASSERT_TRUE(trace) << trace.why();
  Parameters parameters({"critical-path", "", nullptr, path_parameters});
  const Answer answer = answer_critical_path(TraceIndex(*trace), parameters);
  ASSERT_FALSE(answer.findings.empty());
  EXPECT_EQ(answer.findings[0].key, "critical_path.host");
  EXPECT_EQ(answer.findings[0].low_ns, 100'000);   // the launch calls
  EXPECT_EQ(answer.findings[0].high_ns, 850'000);  // everything but the device's work
  EXPECT_NE(answer.findings[0].sentence.find("while no device works, for 850.000us"),
            std::string::npos);
}

const Finding& host_finding(const Answer& answer) {
  const auto found = std::ranges::find_if(
      answer.findings, [](const Finding& f) { return f.key.starts_with("critical_path.host"); });
  return found == answer.findings.end() ? answer.findings.front() : *found;
}

// The advice depends on what the host does at that time.  Times are the self times of names, see
// ops_test.cpp, and what threads with steps do not record: all of a step, or as above.
// Work that begins 400 us after its launch waits for something that the file does not show.
TEST(CriticalPath, does_not_advise_to_launch_ahead_what_was_launched_long_ago) {
  const auto keys = [](int delay) {
    Text text;
    text.call("cudaLaunchKernel", 0, 5, 1);
    text.kernel("k", 5 + delay, 500, 1, 7);
    text.call("cudaStreamSynchronize", 6, 505, 2);
    const auto trace = trace_of(text.json);
    std::string out;
    const Parameters parameters({"critical-path", "", nullptr, path_parameters});
    for (const Finding& f : answer_critical_path(TraceIndex(*trace), parameters).findings)
      out += f.key + " ";
    return out;
  };
  EXPECT_NE(keys(25).find("critical_path.launch_delay"), std::string::npos) << keys(25);
  EXPECT_EQ(keys(400).find("critical_path.launch_delay"), std::string::npos) << keys(400);
}

// Kernels that begin 100 us after the one before for a reason that the file does not give, while
// another stream works, or nothing does.
TEST(CriticalPath, gaps_cost_nothing_while_another_stream_works) {
  const auto keys = [](bool other_works) {
    Text text;
    for (int i = 0; i < 5; ++i) text.call("cudaLaunchKernel", 10 * i, 10 * i + 5, i + 1);
    for (int i = 0; i < 5; ++i) text.kernel("k", 60 + 200 * i, 160 + 200 * i, i + 1, 7);
    if (other_works) {
      text.call("cudaLaunchKernel", 50, 55, 9);
      text.kernel("other", 58, 900, 9, 8);
    }
    text.call("cudaDeviceSynchronize", 60, 965, 10);
    const auto trace = trace_of(text.json);
    const Parameters parameters({"critical-path", "", nullptr, path_parameters});
    std::string out;
    for (const Finding& f : answer_critical_path(TraceIndex(*trace), parameters).findings)
      out += f.key + " ";
    return out;
  };
  EXPECT_NE(keys(false).find("critical_path.device_wait"), std::string::npos) << keys(false);
  EXPECT_EQ(keys(true).find("critical_path.device_wait"), std::string::npos) << keys(true);
}

// Three steps of 100 us with collectives of 10, 10 and 50 us, one after another from here on.
int64_t least_of_collectives(int from) {
  Text text;
  for (int i = 0; i < 3; ++i) {
    text.add("user_annotation", cat("ProfilerStep#", i), 100 * i, 100 * i + 100, "1", 1);
    text.call("cudaLaunchKernel", 100 * i + 5, 100 * i + 10, i + 1);
    const int begin = from + 10 * i;
    text.kernel("ncclDevKernel_AllReduce", begin, begin + (i == 2 ? 50 : 10), i + 1, 7);
  }
  text.call("cudaDeviceSynchronize", 220, from + 72, 10);
  const auto trace = trace_of(text.json);
  const Parameters parameters({"critical-path", "", nullptr, path_parameters});
  for (const Finding& f : answer_critical_path(TraceIndex(*trace), parameters).findings)
    if (f.key == "critical_path.communication") return f.low_ns;
  return -1;
}

// 45 us beyond the other steps, if the device ends a quarter of a step late, not if later.
TEST(CriticalPath, does_not_compare_steps_with_what_a_device_does_long_after_them) {
  EXPECT_EQ(least_of_collectives(255), 45'000);
  EXPECT_EQ(least_of_collectives(265), 0);
}

TEST(CriticalPath, advice_for_the_host_depends_on_what_it_does) {
  struct Advice {
    const char *file, *most, *advice;
  };
  constexpr Advice advices[] = {
      {"nccl_two_ranks", "in aten::empty (52.054ms)", "launch less"},
      {"rocm_mi250_train", "in hipLaunchKernel (6.626ms)", "most of it is slow runtime calls"},
      {"torch_compile_triton", "in unrecorded code (13.336s)", "the file has no ops there"},
      {"cpu_only", "in unrecorded code (210.109ms)", "the file has no ops there"},
      {"torch_2_13_cpu_threads_stacks", "in <built-in method acquire of", "find what it waits for"},
      {"torch_2_13_cpu_resnet18_eager", "in unrecorded code (7.026ms)", "compile, so that fewer"},
  };
  for (const Advice& want : advices) {
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const Answer answer = answer_critical_path(
        TraceIndex(*trace), Parameters({"critical-path", "", nullptr, path_parameters}));
    const Finding& finding = host_finding(answer);
    EXPECT_NE(finding.sentence.find(want.most), std::string::npos) << finding.sentence;
    EXPECT_TRUE(finding.advice.starts_with(want.advice)) << finding.advice;
  }
}

// The graph's kernels have no events.
TEST(CriticalPath, time_in_a_compiled_graph_is_not_time_without_an_op) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"user_annotation","name":"## Call CompiledFxGraph abc ##","ts":0,"dur":90,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":10,"dur":40,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::add","ts":95,"dur":5,"pid":1,"tid":1}])json");
  ASSERT_TRUE(trace) << trace.why();
  const CriticalPath path = critical_path(TraceIndex(*trace));
  EXPECT_EQ(path.total(PathKind::host_op), 95'000);
  EXPECT_EQ(path.total(PathKind::host_other), 5'000);
}

// Compiling makes the interpreter faster, not a function that calls no op.
TEST(CriticalPath, advises_to_call_a_long_function_less_often) {
  const auto advice = [](std::string_view function, int dur) {
    const auto trace = trace_of(
        cat(R"([{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":90,"pid":1,"tid":1},)"
            R"({"ph":"X","cat":"python_function","name":")",
            function, R"(","ts":100,"dur":)", dur, R"(,"pid":1,"tid":1},)",
            R"({"ph":"X","cat":"cpu_op","name":"aten::mm","ts":)", dur + 110,
            R"(,"dur":90,"pid":1,"tid":1}])"));
    return host_finding(
               answer_critical_path(TraceIndex(*trace),
                                    Parameters({"critical-path", "", nullptr, path_parameters})))
        .advice;
  };
  EXPECT_NE(advice("<built-in function collect>", 3000).find("call them less often"),
            std::string::npos);
  EXPECT_NE(advice("<built-in function collect>", 300).find("compile"), std::string::npos);
}

// Three steps spend 10, 10 and 40 us outside ops.
TEST(CriticalPath, saves_at_least_what_steps_take_beyond_their_median) {
  std::string text = "[";
  for (int step = 0; step < 3; ++step) {
    const int at = 100 * step, outside = step == 2 ? 40 : 10;
    text += cat(R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)", step, R"(","ts":)",
                at, R"(,"dur":100,"pid":1,"tid":1},)");
    text += cat(R"({"ph":"X","cat":"cpu_op","name":"aten::mm","dur":)", 100 - outside,
                R"(,"pid":1,"tid":1,"ts":)", at + outside, "},");
  }
  text.back() = ']';
  const auto trace = trace_of(text);
  ASSERT_TRUE(trace) << trace.why();
  const Answer answer = answer_critical_path(
      TraceIndex(*trace), Parameters({"critical-path", "", nullptr, path_parameters}));
  const Finding& finding = host_finding(answer);
  EXPECT_EQ(finding.key, "critical_path.host_outside_ops");
  EXPECT_EQ(finding.high_ns, 60'000);
  EXPECT_EQ(finding.low_ns, 30'000);
}

TEST(CriticalPath, of_a_device_alone_asks_for_the_calls_of_the_host) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"kernel","name":"a","ts":0,"dur":10,"pid":0,"tid":7},
    {"ph":"X","cat":"kernel","name":"b","ts":90,"dur":10,"pid":0,"tid":7}])json");
  ASSERT_TRUE(trace) << trace.why();
  const Answer answer = answer_critical_path(
      TraceIndex(*trace), Parameters({"critical-path", "", nullptr, path_parameters}));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].key, "critical_path.device_wait");
  EXPECT_EQ(answer.findings[0].high_ns, 80'000);
  EXPECT_EQ(answer.findings[0].advice, "record the calls of the host, too, which may explain them");
}

// A collective of 90 runs beside kernels for 60 of it: without it, the run would take these.
TEST(CriticalPath, of_communication_beside_kernels_saves_what_is_not_hidden) {
  Text text;
  text.call("cudaLaunchKernel", 0, 5, 1);
  text.call("cudaLaunchKernel", 5, 10, 2);
  text.call("cudaDeviceSynchronize", 10, 100, 3);
  text.kernel("ncclDevKernel_AllGather", 10, 100, 1, 13);
  text.kernel("gemm", 12, 72, 2);
  const auto trace = trace_of(text.json);
  const Parameters parameters({"critical-path", "", nullptr, path_parameters});
  const auto found = answer_critical_path(TraceIndex(*trace), parameters).findings;
  const auto talks = std::ranges::find(found, "critical_path.communication", &Finding::key);
  ASSERT_NE(talks, found.end());
  EXPECT_EQ(talks->high_ns, 30'000);
  EXPECT_NE(talks->sentence.find("30.000us of that while its device computes nothing"),
            std::string::npos)
      << talks->sentence;
  EXPECT_NE(talks->advice.find("beside computation already"), std::string::npos) << talks->advice;
}

// Two threads take turns: while one works, the other waits for the lock that it holds.
TEST(CriticalPath, of_threads_that_wait_for_a_lock_is_the_work_of_the_one_that_holds_it) {
  Text text;
  for (int i = 0; i < 8; ++i) {
    text.op("aten::addmm", 500 * i, 500 * i + 500, 1 + i % 2);
    text.add("user_annotation", "pthread_mutex_lock", 500 * i, 500 * i + 500, "100", 2 - i % 2);
  }
  const auto trace = trace_of(text.json);
  EXPECT_EQ(totals(critical_path(TraceIndex(*trace))), (Totals{{host_op, 4'000'000}}));
  const std::vector<Finding> found = doctor(TraceIndex(*trace)).findings;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key, "threads.wait.pthread_mutex_lock");
  EXPECT_EQ(found[0].high_ns, 2'000'000);
}

}  // namespace
}  // namespace vitro::analyze
