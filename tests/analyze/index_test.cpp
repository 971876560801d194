#include "analyze/model/index.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"

namespace vitro::analyze {
namespace {

std::string text_of(const std::vector<Answer>& answers) {
  std::string out;
  for (const Answer& answer : answers) out += to_text(answer, {.row_limit = 0});
  return out;
}

TEST(TraceIndex, makes_nothing_before_a_question_needs_it) {
  const auto trace = open_alone(real_trace("cuda_event_sync.json.gz"));
  ASSERT_TRUE(trace);
  const TraceIndex index(*trace);
  EXPECT_EQ(index->made(), 0U);
  (void)index->steps();
  EXPECT_EQ(index->made(), 1U);
}

// 23 parts: the accessors of TraceIndex::Parts.
TEST(TraceIndex, makes_each_part_once_for_all_questions) {
  const auto trace = open_alone(real_trace("nccl_two_ranks.json.gz"));
  ASSERT_TRUE(trace);
  const TraceIndex index(*trace);
  const Answer first = doctor(index);
  EXPECT_EQ(first.verdicts.size(), 1U);
  EXPECT_EQ(index->made(), 23U);
  const DeviceIdle* const idle = index->idle().data();
  EXPECT_EQ(to_text(doctor(index)), to_text(first));
  EXPECT_EQ(index->made(), 23U);
  EXPECT_EQ(index->idle().data(), idle);
}

TEST(TraceIndex, gives_several_threads_the_answers_of_one) {
  const auto trace = open_alone(real_trace("rocm_mi250_train.json.gz"));
  ASSERT_TRUE(trace);
  const TraceIndex alone(*trace), shared(*trace);
  const std::string want = text_of(ask_all(alone));
  std::vector<std::string> got(4);
  std::vector<std::thread> threads;
  for (std::string& each : got) threads.emplace_back([&] { each = text_of(ask_all(shared)); });
  for (std::thread& each : threads) each.join();
  for (const std::string& each : got) EXPECT_EQ(each, want);
  EXPECT_EQ(shared->made(), alone->made());
}

}  // namespace
}  // namespace vitro::analyze
