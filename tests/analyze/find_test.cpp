// Tests finding events by each condition, and tables of very many of them.
#include "vitro/analyze/events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "analyze/trace_files.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/output.h"

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
  EXPECT_EQ(found({.name = "^(?:gemm|aten::mm)$"}), (Ids{2, 4}));
  EXPECT_EQ(found({.name = "\\[mem"}), Ids{5});
  EXPECT_EQ(found({.name = "\\d"}), Ids());
  EXPECT_EQ(found({.name = "^[a-z\\d:]+$"}), found({.name = "^[a-z0-9:]+$"}));
  EXPECT_EQ(found({.name = "[\\.[]mem"}), Ids{5});
  EXPECT_EQ(found({.category = "kernel"}), Ids{4});
  EXPECT_EQ(found({.thread = "7"}), Ids{4});
  EXPECT_EQ(found({.category = "cpu_op", .thread = "(main)"}), Ids{2});
  EXPECT_EQ(found({.processes = {"python"}, .min_dur = 0}), (Ids{2, 3}));
  EXPECT_EQ(found({.min_dur = 5000}), (Ids{2, 3}));
  EXPECT_EQ(found({.max_dur = 5000}), (Ids{2, 4}));
  EXPECT_EQ(found({.from = 35'000, .to = 40'000}), (Ids{3, 5}));
  EXPECT_EQ(found({.ids = {5, 2, 2, 99}}), (Ids{2, 5}));
  EXPECT_THROW(found({.name = "("}), Error);
  EXPECT_THROW(found({.name = "[\\w]"}), Error);
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

// Event n lasts n microseconds.
std::string many(size_t events) {
  std::string out = "[";
  for (size_t i = 0; i < events; ++i)
    out += cat(i == 0 ? "" : ",", R"({"ph":"X","name":"op","ts":)", i, R"(,"dur":)", i,
               R"(,"pid":1,"tid":1,"args":{"n":)", i, "}}");
  return out + "]";
}

TEST(Find, makes_the_rows_of_very_many_events_when_they_are_shown) {
  constexpr size_t events = 40'000;
  const TraceFolder folder;
  const auto trace = open_alone(folder.file("t.json", many(events)));
  ASSERT_TRUE(trace) << trace.why();
  for (const bool arguments : {false, true}) {
    const auto answer =
        answer_found(*trace, find(*trace, {}), {.longest_first = true, .arguments = arguments});
    ASSERT_TRUE(answer) << answer.why();
    const AnswerTable& table = answer->tables.at(0);
    EXPECT_EQ(table.rows.size(), 1000U);
    EXPECT_EQ(table.more, events - 1000);
    int64_t next = events - 1 - 1000;
    table.each_more([&](const std::vector<AnswerCell>& row) {
      EXPECT_EQ(row[0], AnswerCell(next));
      if (arguments) {
        EXPECT_EQ(row.back(), AnswerCell(cat("{\"n\":", next, "}")));
      }
      return --next > 10'000;
    });
    EXPECT_EQ(next, 10'000);
    const std::string shown = to_text(*answer);
    EXPECT_TRUE(shown.ends_with("\n39970 more rows\n")) << shown.substr(shown.size() - 99);
    EXPECT_TRUE(to_text(*answer, {.row_limit = 1500}).ends_with("\n38500 more rows\n"));
    report::TextOutput csv;
    to_csv(*answer, csv);
    csv.finish();
    EXPECT_EQ(std::ranges::count(csv.text(), '\n'), 1 + static_cast<int64_t>(events));
  }
}

TEST(Find, says_that_the_file_of_the_arguments_is_gone) {
  const TraceFolder folder;
  const std::string file = folder.file("t.json", many(2000));
  const auto trace = open_alone(file);
  ASSERT_TRUE(trace) << trace.why();
  const auto answer = answer_found(*trace, find(*trace, {}), {.arguments = true});
  ASSERT_TRUE(answer) << answer.why();
  std::filesystem::remove(file);
  EXPECT_THROW(to_text(*answer, {.row_limit = 0}), Error);
  EXPECT_FALSE(answer_found(*trace, {0}, {.arguments = true}));
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
