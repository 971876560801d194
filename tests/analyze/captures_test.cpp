// Tests what work of device graphs is attributed to, with captures in the file.
#include "analyze/model/captures.h"

#include <gtest/gtest.h>

#include <functional>

#include "analyze/model/index.h"
#include "analyze/trace_files.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// Events are numbered from 0: a capture at 10 to 90 us of two calls, 1 at 20 and 2 at 40; the
// replay at 200, and its work, in the order given.
std::string captured(std::string_view first, std::string_view second, const std::string& work,
                     int captures = 1) {
  const auto call = [](std::string_view name, int at, const std::string& args) {
    return cat(R"({"ph":"X","cat":"cuda_runtime","name":")", name, R"(","ts":)", at,
               R"(,"dur":2,"pid":1,"tid":1,"args":{)", args, "}},");
  };
  std::string out = "[";
  for (int i = 0; i < captures; ++i)
    out += call("cudaStreamBeginCapture", 100 * i + 10, "") +
           call("cudaLaunchKernel", 100 * i + 20, cat(R"("correlation":1)", first)) +
           call("cudaMemcpyAsync", 100 * i + 40, cat(R"("correlation":2)", second)) +
           call("cudaStreamEndCapture", 100 * i + 90, "");
  return out + call("cudaGraphLaunch", 400, R"("correlation":3)") + work + "]";
}

std::string work(std::string_view name, int at) {
  return cat(R"({"ph":"X","cat":"kernel","name":")", name, R"(","ts":)", at,
             R"(,"dur":5,"pid":0,"tid":7,"args":{"correlation":3}},)");
}

std::map<EventId, EventId> calls_of(const std::string& text) {
  const TraceFolder folder;
  const auto trace = open_alone(folder.file("trace.json", text));
  const auto found = captured_calls(TraceIndex(*trace));
  return {found.begin(), found.end()};
}

using Calls = std::map<EventId, EventId>;

TEST(Captures, give_the_work_of_a_replay_its_calls_in_the_order_of_time) {
  EXPECT_EQ(calls_of(captured("", "", work("b", 420) + work("a", 410))), (Calls{{6, 1}, {5, 2}}));
}

TEST(Captures, of_another_number_of_calls_are_not_those_of_the_replay) {
  EXPECT_EQ(calls_of(captured("", "", work("a", 410))), Calls());
  EXPECT_EQ(calls_of(captured("", "", work("a", 410) + work("b", 420) + work("c", 430))), Calls());
}

TEST(Captures, of_other_kernels_are_not_those_of_the_replay) {
  const std::string replay = work("gemm", 410) + work("relu", 420);
  EXPECT_EQ(calls_of(captured(R"(,"kernel":"gemm")", R"(,"kernel":"relu")", replay)).size(), 2U);
  EXPECT_EQ(calls_of(captured(R"(,"kernel":"gemm")", R"(,"kernel":"add")", replay)), Calls());
}

// Calls of a module or function of Python.
std::string around(std::string_view name, int at, int length) {
  return cat(R"(,{"ph":"X","cat":"python_function","name":")", name, R"(","ts":)", at, R"(,"dur":)",
             length, R"(,"pid":1,"tid":1})");
}

// Events 0 to 3, 4 to 7, and the launch 8 with its work 9 and 10, with these events at the end.
Calls two_captures(const std::string& more) {
  std::string text = captured("", "", work("gemm", 410) + work("relu", 420), 2);
  text.insert(text.rfind(']'), cat(R"({"ph":"M","name":"process_name","pid":1,"tid":1})", more));
  return calls_of(text);
}

TEST(Captures, that_fit_alike_in_different_code_say_nothing) {
  EXPECT_EQ(two_captures(around("f", 5, 90)), Calls());
}

TEST(Captures, are_found_by_the_module_that_replays) {
  const std::string modules =
                        around("nn.Module: Layer_0", 5, 90) + around("nn.Module: Layer_1", 105, 90),
                    first = around("nn.Module: Layer_0", 395, 10);
  EXPECT_EQ(two_captures(modules + first), (Calls{{9, 1}, {10, 2}}));
  // The innermost one counts; one without captures says nothing, and a function is not a module.
  EXPECT_EQ(two_captures(modules + around("nn.Module: Net_0", 390, 100) + first),
            (Calls{{9, 1}, {10, 2}}));
  EXPECT_EQ(two_captures(modules + around("nn.Module: Net_0", 395, 10)), Calls());
  EXPECT_EQ(two_captures(around("f", 5, 90) + around("g", 105, 90) + around("f", 395, 10)),
            Calls());
}

TEST(Captures, of_the_same_code_give_the_same_origin) {
  const std::string same = around("f", 5, 90) + around("f", 105, 90);
  EXPECT_EQ(two_captures(same), (Calls{{9, 5}, {10, 6}}));
  // An op with other shapes around the second call.
  const auto op = [](int at, std::string_view dims) {
    return cat(R"(,{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"dur":8,"ts":)", at,
               R"(,"args":{"Input Dims":)", dims, "}}");
  };
  EXPECT_EQ(two_captures(same + op(38, "[[2, 3]]") + op(138, "[[2, 3]]")),
            (Calls{{9, 5}, {10, 6}}));
  EXPECT_EQ(two_captures(same + op(38, "[[2, 3]]") + op(138, "[[4, 3]]")), Calls());
}

TEST(Captures, that_are_absent_leave_the_launch_as_the_origin) {
  const auto trace = trace_of(cat(
      R"([{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","ts":0,"dur":1,"pid":1,"tid":1,)",
      R"("args":{"correlation":3}},)", work("a", 10), "]"));
  const TraceIndex index(*trace);
  EXPECT_EQ(index->origin_of(1), 0U);
}

}  // namespace
}  // namespace vitro::analyze
