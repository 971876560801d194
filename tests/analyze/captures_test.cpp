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

TEST(Captures, that_fit_alike_say_nothing) {
  const std::string replay = work("gemm", 410) + work("relu", 420);
  EXPECT_EQ(calls_of(captured("", "", replay, 2)), Calls());
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
