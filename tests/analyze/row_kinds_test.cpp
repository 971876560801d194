// Tests that traces of XLA's profiler (JAX, TensorFlow) and of rocprof are understood: events of
// these have no categories.
#include "analyze/store/row_kinds.h"

#include <gtest/gtest.h>

#include "analyze/model/index.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/events.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

std::string categories(const Trace& trace) {
  std::string out;
  for (const EventId e : trace.events())
    if (trace.phases()[e] == 'X') out += cat(trace.name(e), ": ", trace.category(e), "\n");
  return out;
}

// As jax.profiler.trace(create_perfetto_trace=False) writes trace.json.gz on a GPU.
constexpr std::string_view of_jax =
    R"json({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},
"traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},
{"ph":"M","pid":1,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"XLA Modules"}},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"XLA Ops"}},
{"ph":"M","pid":1,"tid":13,"name":"thread_name","args":{"name":"Stream #13(Compute,MemcpyD2H)"}},
{"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}},
{"ph":"M","pid":701,"tid":4021,"name":"thread_name","args":{"name":"python"}},
{"ph":"X","pid":701,"tid":4021,"ts":10,"dur":100,"name":"$train.py:31 step"},
{"ph":"X","pid":701,"tid":4021,"ts":20,"dur":60,"name":"PjitFunction(step)"},
{"ph":"X","pid":701,"tid":4021,"ts":30,"dur":5,"name":"cuLaunchKernel","args":{"correlation_id":"7"}},
{"ph":"X","pid":1,"tid":13,"ts":50,"dur":40,"name":"loop_add_fusion","args":{"correlation_id":"7","hlo_module":"jit_step","hlo_op":"loop_add_fusion"}},
{"ph":"X","pid":1,"tid":13,"ts":95,"dur":3,"name":"MemcpyD2H","args":{"correlation_id":"8"}},
{"ph":"X","pid":1,"tid":2,"ts":50,"dur":40,"name":"loop_add_fusion"},
{"ph":"X","pid":1,"tid":1,"ts":50,"dur":40,"name":"jit_step(123)"},
{}]})json";

TEST(RowKinds, of_xla_are_streams_ranges_and_threads) {
  const auto trace = trace_of(of_jax);
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(categories(*trace),
            "$train.py:31 step: python_function\nPjitFunction(step): user_annotation\n"
            "cuLaunchKernel: cuda_runtime\nloop_add_fusion: kernel\nMemcpyD2H: gpu_memcpy\n"
            "loop_add_fusion: gpu_user_annotation\njit_step(123): gpu_user_annotation\n");
  const TraceIndex index(*trace);
  ASSERT_EQ(index->devices().size(), 1U);
  EXPECT_EQ(index->devices()[0].work.size(), 2U);
  EXPECT_EQ(trace->tracks()[index->devices()[0].track].labels, "GPU:0");
  const EventId kernel = index->devices()[0].work[0], launch = index->links().launch_of(kernel);
  ASSERT_NE(launch, Links::nobody);
  EXPECT_EQ(trace->name(launch), "cuLaunchKernel");
}

TEST(RowKinds, of_a_tpu_are_its_ops) {
  const auto trace = trace_of(R"([
{"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:TPU:0"}},
{"ph":"M","pid":3,"tid":1,"name":"thread_name","args":{"name":"Steps"}},
{"ph":"M","pid":3,"tid":3,"name":"thread_name","args":{"name":"XLA Ops"}},
{"ph":"X","pid":3,"tid":1,"ts":0,"dur":9,"name":"0"},
{"ph":"X","pid":3,"tid":3,"ts":1,"dur":7,"name":"fusion.1"}])");
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(categories(*trace), "0: gpu_user_annotation\nfusion.1: kernel\n");
}

// As `rocprof --hip-trace` writes results.json: numbers are texts.
TEST(RowKinds, of_rocprof_are_its_processes) {
  const auto trace = trace_of(R"json({ "traceEvents":[{}
,{"args":{"name":"CPU HIP API"},"ph":"M","pid":2,"name":"process_name","sort_index":2}
,{"args":{"name":"GPU0"},"ph":"M","pid":6,"name":"process_name","sort_index":5}
,{"args":{"name":"COPY"},"ph":"M","pid":1,"name":"process_name","sort_index":1}
,{"ph":"X","name":"hipLaunchKernel","pid":2,"tid":88,"ts":"100","dur":"5","args":{"BeginNs":"100000","EndNs":"105000"}}
,{"ph":"X","name":"vectoradd_float(float*)","pid":6,"tid":1,"ts":"110.5","dur":"20.25","args":{"dev-id":"0"}}
,{"ph":"X","name":"CopyHostToDevice","pid":1,"tid":0,"ts":"80","dur":"15","args":{}}

]})json");
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(categories(*trace),
            "hipLaunchKernel: cuda_runtime\nvectoradd_float(float*): kernel\n"
            "CopyHostToDevice: gpu_memcpy\n");
  const EventId kernel = find(*trace, {.name = "vectoradd"}).at(0);
  EXPECT_EQ(trace->dur()[kernel], 20'250);
  EXPECT_EQ(trace->tracks()[trace->track_ids()[kernel]].labels, "GPU0");
}

TEST(RowKinds, are_unknown_where_an_event_has_a_category_or_a_process_another_name) {
  const auto trace = trace_of(R"([
{"ph":"M","pid":1,"name":"process_name","args":{"name":"GPU0"}},
{"ph":"M","pid":2,"name":"process_name","args":{"name":"GPU process"}},
{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"cat":"cpu_op","name":"a"},
{"ph":"X","pid":2,"tid":1,"ts":0,"dur":9,"name":"b"}])");
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(categories(*trace), "a: cpu_op\nb: \n");
}

}  // namespace
}  // namespace vitro::analyze
