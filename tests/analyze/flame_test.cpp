#include "vitro/analyze/report.h"

#include <gtest/gtest.h>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"

namespace vitro::analyze {
namespace {

std::string stacks(const Trace& trace, FlamesOf what) {
  report::TextOutput out;
  report::write_stacks(flames_of(TraceIndex(trace), what).nodes, out);
  out.finish();
  return out.text();
}

Result<Trace> sample() {
  return trace_of(R"([
    {"ph":"M","name":"thread_name","pid":1,"tid":1,"ts":0,"args":{"name":"main"}},
    {"ph":"M","name":"thread_name","pid":0,"tid":7,"ts":0,"args":{"name":"stream 7 "}},
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":100,"pid":1,"tid":1},
    {"ph":"X","cat":"python_function","name":"train.py(3): f","ts":10,"dur":80,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":20,"dur":30,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":25,"dur":5,"pid":1,"tid":1,"args":{"correlation":1}},
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","ts":100,"dur":50,"pid":1,"tid":1},
    {"ph":"X","cat":"kernel","name":"gemm","ts":40,"dur":60,"pid":0,"tid":7,"args":{"correlation":1}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy","ts":120,"dur":7,"pid":0,"tid":7,"args":{"correlation":2}}])");
}

TEST(Flames, of_the_host_give_each_moment_to_the_innermost_event) {
  const auto trace = sample();
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(stacks(*trace, FlamesOf::host),
            "main;ProfilerStep 70000\n"
            "main;ProfilerStep;train.py(3): f 50000\n"
            "main;ProfilerStep;train.py(3): f;aten::mm 25000\n"
            "main;ProfilerStep;train.py(3): f;aten::mm;cudaLaunchKernel 5000\n");
}

TEST(Flames, of_devices_lie_in_what_launched_them) {
  const auto trace = sample();
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(stacks(*trace, FlamesOf::device),
            "main;ProfilerStep;train.py(3): f;aten::mm;cudaLaunchKernel;gemm 60000\n"
            "stream 7 of device 0;Memcpy 7000\n");
}

TEST(Flames, are_drawn_with_the_kinds_that_they_have) {
  const auto trace = sample();
  ASSERT_TRUE(trace) << trace.why();
  report::TextOutput out;
  write_flame_graph(flames_of(TraceIndex(*trace)), "a < b", out);
  out.finish();
  const std::string& svg = out.text();
  EXPECT_NE(svg.find(">runtime</text>"), std::string::npos);
  EXPECT_EQ(svg.find(">communication</text>"), std::string::npos);
  EXPECT_NE(svg.find("<title>aten::mm\n30.000us (20.00%), 25.000us of its own, 1 call</title>"),
            std::string::npos);
}

}  // namespace
}  // namespace vitro::analyze
