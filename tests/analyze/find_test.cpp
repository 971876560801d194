#include "vitro/analyze/events.h"

#include <gtest/gtest.h>

#include "analyze/trace_files.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

constexpr std::string_view text = R"json([
  {"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}},
  {"ph":"M","name":"thread_name","pid":1,"tid":11,"args":{"name":"thread 11 (main)"}},
  {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":10,"dur":5,"pid":1,"tid":11,"args":{"External id":1,"a":{"args":2}}},
  {"ph":"X","cat":"cpu_op","name":"aten::addmm","ts":20,"dur":50,"pid":1,"tid":12,"args": {"s":"}"}},
  {"ph":"X","cat":"kernel","name":"gemm","ts":30,"dur":1.5,"pid":0,"tid":7},
  {"ph":"i","cat":"cpu_instant_event","name":"[memory]","ts":40,"pid":1,"tid":11}])json";

std::vector<EventId> found(const Query& query) {
  const auto trace = trace_of(text);
  return find(*trace, query);
}

using Ids = std::vector<EventId>;

TEST(Find, by_each_of_what_can_be_asked) {
  EXPECT_EQ(found({}), (Ids{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(found({.name = "mm$"}), (Ids{2, 3, 4}));
  EXPECT_EQ(found({.name = "^aten::a"}), Ids{3});
  EXPECT_EQ(found({.category = "kernel"}), Ids{4});
  EXPECT_EQ(found({.thread = "7"}), Ids{4});
  EXPECT_EQ(found({.category = "cpu_op", .thread = "(main)"}), Ids{2});
  EXPECT_EQ(found({.processes = {"python"}, .min_dur = 0}), (Ids{2, 3}));
  EXPECT_EQ(found({.min_dur = 5000}), (Ids{2, 3}));
  EXPECT_EQ(found({.max_dur = 5000}), (Ids{2, 4}));
  EXPECT_EQ(found({.from = 35'000, .to = 40'000}), (Ids{3, 5}));
  EXPECT_EQ(found({.ids = {5, 2, 2, 99}}), (Ids{2, 5}));
  EXPECT_THROW(found({.name = "("}), Error);
}

TEST(Find, shows_times_from_the_beginning_and_arguments_as_they_stand) {
  const TraceFolder folder;
  const auto trace = open_alone(folder.file("t.json", text));
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(begin_of(*trace), 10'000);
  const auto answer = answer_found(*trace, {2, 3, 5}, {.longest_first = true, .arguments = true});
  ASSERT_TRUE(answer) << answer.why();
  const auto& rows = answer->tables.at(0).rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0][0], AnswerCell(int64_t{3}));
  EXPECT_EQ(rows[0][1], AnswerCell(int64_t{10'000}));
  EXPECT_EQ(rows[0].back(), AnswerCell(std::string(R"({"s":"}"})")));
  EXPECT_EQ(rows[1].back(), AnswerCell(std::string(R"({"External id":1,"a":{"args":2}})")));
  EXPECT_EQ(rows[2].back(), AnswerCell(std::string("{}")));
}

TEST(Find, times_are_read_with_their_units) {
  EXPECT_EQ(*read_time("12"), 12'000);
  EXPECT_EQ(*read_time("1.5ms"), 1'500'000);
  EXPECT_EQ(*read_time("3ns"), 3);
  EXPECT_EQ(*read_time("2s"), 2'000'000'000);
  for (const char* wrong : {"", "ms", "5 h", "1e300s", "nan"})
    EXPECT_FALSE(read_time(wrong)) << wrong;
}

}  // namespace
}  // namespace vitro::analyze
