// Tests which phase the steps of servers are in, and whose work is whose.
#include "analyze/questions/phases.h"

#include <gtest/gtest.h>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

std::string rows_of(std::string_view events) {
  const auto trace = trace_of(cat("[", events, "]"));
  std::string out;
  for (const auto& row : phases_table(TraceIndex(*trace)).rows) {
    out += std::get<std::string>(row[0]);
    for (size_t c = 1; c < 5; ++c)
      out += cat(" ", static_cast<int64_t>(cell_number(row[c])) / (c < 3 ? 1 : 1000));
    out += "\n";
  }
  return out;
}

std::string range(std::string_view name, int at, int dur, std::string_view category) {
  return cat(R"({"ph":"X","cat":")", category, R"(","name":")", name, R"(","ts":)", at,
             R"(,"dur":)", dur, R"(,"pid":1,"tid":1},)");
}

std::string kernel(int launched, int dur) {
  return cat(R"({"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","ts":)", launched,
             R"(,"dur":1,"pid":1,"tid":1,"args":{"correlation":)", launched,
             R"(}},{"ph":"X","cat":"kernel","name":"k","ts":)", launched + 1000, R"(,"dur":)", dur,
             R"(,"pid":0,"tid":7,"args":{"correlation":)", launched, "}},");
}

TEST(Phases, are_what_servers_write_in_the_names_of_their_steps) {
  const auto phase = [](std::string_view name) {
    const auto step = serving_step(name);
    return step ? cat(static_cast<int>(step->phase), " ", step->tokens) : "none";
  };
  EXPECT_EQ(phase("step[DECODE bs=32]"), "1 32");
  EXPECT_EQ(phase("step[EXTEND bs=15 toks=15360]"), "0 15360");
  EXPECT_EQ(phase("step[MIXED bs=3 toks=70]"), "2 70");
  EXPECT_EQ(phase("step[IDLE bs=0]"), "3 0");
  EXPECT_EQ(phase("execute_15360_context_15(sq1sk2)_generation_0(sq0sk0)"), "0 15360");
  EXPECT_EQ(phase("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32)"), "1 32");
  EXPECT_EQ(phase("execute_8192_context_9(sq8155)_generation_37(sq37)"), "2 8192");
  EXPECT_EQ(phase("execute_context_1(888_788544)_generation_0(0)"), "0 0");
  EXPECT_EQ(phase("execute_model"), "none");
  EXPECT_EQ(phase("ProfilerStep#3"), "none");
}

// SGLang's steps contain those of vLLM's form: they count once.
TEST(Phases, divide_the_work_of_devices_by_the_outermost_step_around_its_launch) {
  EXPECT_EQ(rows_of(range("step[EXTEND bs=2 toks=100]", 0, 100, "user_annotation") +
                    range("execute_100_context_2(a)_generation_0(b)", 10, 80, "user_annotation") +
                    kernel(20, 7) + range("step[DECODE bs=2]", 200, 50, "user_annotation") +
                    kernel(210, 5) + range("step[DECODE bs=3]", 300, 50, "user_annotation") +
                    kernel(310, 6) + kernel(400, 9)),
            "prefill 1 100 100 7\ndecode 2 5 100 11\n"
            "in no step 0 0 0 9\n");
}

TEST(Phases, that_no_annotation_names_are_not_guessed) {
  EXPECT_EQ(
      rows_of(range("vllm/worker.py(3): execute_model", 0, 100, "python_function") + kernel(20, 7)),
      "the file does not say which 0 0 0 7\n");
  EXPECT_EQ(rows_of(range("train.py(3): step", 0, 100, "python_function") + kernel(20, 7)), "");
}

}  // namespace
}  // namespace vitro::analyze
