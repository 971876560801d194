// Tests reading memory timelines: a real file of PyTorch with independently computed sums,
// truncated and corrupt ones, and the analysis by category.
#include "analyze/questions/memory/memory_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "analyze/packed.h"
#include "analyze/questions/memory/levels.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"

namespace vitro::analyze {
namespace {

using Numbers = std::vector<int64_t>;

MemoryTimeline timeline_of(const std::string& text) {
  const TraceFolder folder;
  const auto read = memory_timeline(folder.file("memory", text));
  EXPECT_TRUE(read) << read.why();
  EXPECT_TRUE(!read || *read) << "not taken for a memory timeline";
  return read && *read ? **read : MemoryTimeline();
}

std::string refusal_of(const std::string& text) {
  const TraceFolder folder;
  const auto read = memory_timeline(folder.file("memory", text));
  EXPECT_FALSE(read);
  return read ? "" : read.why().substr(read.why().find("at byte"));
}

Numbers numbers_of(const MemoryTimeline::Category& c) {
  return {static_cast<int64_t>(c.category),
          c.first,
          static_cast<int64_t>(c.allocations),
          c.allocated,
          static_cast<int64_t>(c.frees),
          c.freed,
          c.moved,
          c.peak,
          c.peak_at,
          c.at_peak,
          c.last};
}

// Totals are sums over categories, and each category balances.
void expect_parts_sum(const MemoryTimeline& m) {
  Memory::Device sum;
  int64_t at_peak = 0, moved = 0, most = 0;
  for (const MemoryTimeline::Category& c : m.categories) {
    EXPECT_EQ(c.first + c.allocated - c.freed + c.moved, c.last) << name_of(c.category);
    EXPECT_LE(c.at_peak, c.peak);
    sum.first += c.first;
    sum.last += c.last;
    at_peak += c.at_peak;
    moved += c.moved;
  }
  EXPECT_EQ(std::vector({sum.first, sum.last, at_peak, moved}),
            (Numbers{m.all.first, m.all.last, m.all.peak, 0}));
  for (const MemoryTimeline::Moment& moment : m.timeline) {
    EXPECT_EQ(std::accumulate(moment.held.begin(), moment.held.end(), int64_t{0}), moment.most);
    most = std::max(most, moment.most);
  }
  EXPECT_EQ(most, m.all.peak);
}

// `python3 tests/cli/values memory_timeline FILE`, where what moved is the difference of what
// became the category and what left it.
TEST(MemoryTimelineFile, of_pytorch_is_known) {
  const auto read = memory_timeline(real_trace("memory_timeline.raw.gz"));
  ASSERT_TRUE(read) << read.why();
  ASSERT_TRUE(*read);
  const MemoryTimeline& m = **read;
  EXPECT_FALSE(m.sums);
  EXPECT_TRUE(m.notes.empty());
  EXPECT_EQ(m.begin, 1696966047096061874);
  EXPECT_EQ(m.end, 1696966048083248105);
  const Memory::Device& all = m.all;
  EXPECT_EQ(std::vector({all.first, all.peak, all.peak_at - m.begin, all.last, all.usual}),
            (Numbers{332060904, 3082832104, 98424324, 332060904, 2971609320}));
  EXPECT_EQ(all.peak_event, 1639U);
  EXPECT_EQ(std::vector({all.allocations, all.frees}), (std::vector<uint64_t>{3345, 3345}));
  EXPECT_EQ(std::vector({all.allocated, all.freed}), (Numbers{65435686400, 65435686400}));
  ASSERT_EQ(m.categories.size(), 8U);
  const int64_t t = m.begin;
  const std::vector<Numbers> known{
      {0, 102440608, 0, 0, 0, 0, 0, 102440608, t, 102440608, 102440608},
      {1, 102228128, 0, 0, 0, 0, 0, 102228128, t, 102228128, 102228128},
      {2, 19395584, 0, 0, 0, 0, 0, 19395584, t, 19395584, 19395584},
      {3, 0, 15, 645120, 15, 645120, 0, 129024, t + 77205694, 0, 0},
      {4, 0, 1095, 14701107200, 299, 7542384640, 9723576320 - 16882170880, 2746497024, t + 77662221,
       2592465920, 128000},
      {5, 0, 805, 539340800, 644, 431472640, 0, 107868160, t + 186393182, 67858432, 107868160},
      {6, 0, 805, 20613340160, 725, 17016724480, 10656153600 - 14252769280, 256901120,
       t + 162745379, 64225280, 0},
      {7, 107996584, 625, 29581253120, 1662, 40444459520, 10755212360 - 2120, 168297384,
       t + 157944479, 134218152, 424}};
  for (size_t c = 0; c < known.size(); ++c) EXPECT_EQ(numbers_of(m.categories[c]), known[c]) << c;
  expect_parts_sum(m);
  ASSERT_FALSE(all.at_peak.empty());
  EXPECT_EQ(all.at_peak[0].category, "activation");
}

// Memory that existed before, is allocated, changes category, and is freed.
TEST(MemoryTimelineFile, reports_what_memory_was_for) {
  const MemoryTimeline m = timeline_of(R"([[-1, 1, 100, 0], [-1, 1, 20, 7],
      [1000, 2, 50, 7], [2000, 3, -50, 7], [2000, 3, 50, 4], [5000, 2, 8, 3], [5000, 4, -8, 3],
      [6000, 4, -50, 4], [6000, 4, -20, 7]])");
  EXPECT_EQ(std::vector({m.all.first, m.all.peak, m.all.peak_at, m.all.last, m.begin, m.end}),
            (Numbers{120, 178, 5000, 100, 1000, 6000}));
  EXPECT_EQ(m.all.peak_event, 5U);
  ASSERT_EQ(m.categories.size(), 4U);
  EXPECT_EQ(numbers_of(m.categories[0]), (Numbers{0, 100, 0, 0, 0, 0, 0, 100, 1000, 100, 100}));
  EXPECT_EQ(numbers_of(m.categories[1]), (Numbers{3, 0, 1, 8, 1, 8, 0, 8, 5000, 8, 0}));
  EXPECT_EQ(numbers_of(m.categories[2]), (Numbers{4, 0, 0, 0, 1, 50, 50, 50, 2000, 50, 0}));
  EXPECT_EQ(numbers_of(m.categories[3]), (Numbers{7, 20, 1, 50, 1, 20, -50, 70, 1000, 20, 0}));
  expect_parts_sum(m);
}

TEST(MemoryTimelineFile, of_sums_gives_levels) {
  const MemoryTimeline m = timeline_of(R"([[11, 11, 12, 15],
      [[0,  0, 0, 0, 0, 0, 0, 0, 100],
       [0, 64, 0, 0, 0, 8, 0, 0, 100],
       [0, 64, 0, 0, 0, 0, 0, 0, 120],
       [0, 64, 0, 0, 0, 0, 0, 0, 100]]])");
  EXPECT_TRUE(m.sums);
  EXPECT_EQ(std::vector({m.all.first, m.all.peak, m.all.peak_at, m.all.last, m.begin, m.end}),
            (Numbers{100, 184, 12'000, 164, 11'000, 15'000}));
  EXPECT_EQ(m.all.peak_event, 2U);
  EXPECT_EQ(m.all.allocations, 0U);
  ASSERT_EQ(m.categories.size(), 3U);
  EXPECT_EQ(m.categories[1].peak, 8);
  EXPECT_EQ(m.categories[1].last, 0);
  expect_parts_sum(m);
  const Answer answer = answer_memory_timeline(m);
  EXPECT_EQ(answer.tables[0].rows[0][1], AnswerCell()) << "the number is unknown";
}

TEST(MemoryTimelineFile, of_nothing_is_whole_too) {
  const MemoryTimeline m = timeline_of("[[], []]");
  EXPECT_TRUE(m.categories.empty());
  EXPECT_EQ(m.all.peak, 0);
  EXPECT_TRUE(answer_memory_timeline(m).findings.empty());
}

TEST(MemoryTimelineFile, is_seen_by_what_it_holds_packed_or_not) {
  const std::string text = " [ [1000, 2, 64, 0], [2000, 4, -64, 0] ]\n";
  for (const std::string& file : {text, packed(text)}) EXPECT_EQ(timeline_of(file).all.peak, 64);
  for (const char* other : {"[]", "", "[[\"a\"]]", "[{\"ph\":\"X\"}]", "{\"traceEvents\":[[1, 2]]}",
                            "<html>", "[1, 2]"}) {
    const TraceFolder folder;
    const auto read = memory_timeline(folder.file("other", other));
    ASSERT_TRUE(read) << read.why();
    EXPECT_FALSE(*read) << other;
  }
}

TEST(MemoryTimelineFile, that_ends_early_or_breaks_gives_what_was_whole) {
  const std::string rows = "[[1000, 2, 64, 0], [2000, 2, 36, 0], ";
  for (const auto& [rest, why] : std::vector<std::pair<std::string, std::string>>{
           {"[3000, 2, 1", "the file ends in a list of numbers; 2 rows count"},
           {"[3000, 2, 1, 0]", "the file ends in its rows; 3 rows count"},
           {"", "the file ends in its rows; 2 rows count"},
           {"[3000, 2, 1.5, 0]]", "got something else, needs an integer; 2 rows count"},
           {"[3000, 2, 99999999999999999999, 0]]",
            "got something else, needs an integer; 2 rows count"},
           {"[3000, [2], 1, 0]]", "got a list, needs an integer; 2 rows count"},
           {"[3000, 2, 1]]",
            "a row of a memory timeline has 4 numbers (time, action, bytes, category), got 3; 2 "
            "rows count"},
           {"[3000, 9, 1, 0], [4000, 2, 1, 8]]",
            "2 rows are not valid in a memory timeline and were dropped, the first is [3000, 9, 1, "
            "0]"},
           {"[3000, 2, -9223372036854775808, 0]]",
            "1 rows are not valid in a memory timeline and were dropped, the first is [3000, 2, "
            "-9223372036854775808, 0]"}}) {
    const MemoryTimeline m = timeline_of(rows + rest);
    EXPECT_GE(m.all.peak, 100) << rest;
    ASSERT_EQ(m.notes.size(), 1U) << rest;
    EXPECT_EQ(m.notes[0].text, why);
    EXPECT_EQ(answer_memory_timeline(m).tables.back().name, "lost");
  }
}

TEST(MemoryTimelineFile, of_which_nothing_is_whole_is_refused_with_the_byte) {
  EXPECT_EQ(refusal_of("[[1, 2, 3"), "at byte 9: the file ends in a list of numbers");
  EXPECT_EQ(refusal_of("[[1, 2], [3, 4]]"),
            "at byte 10: a row of a memory timeline has 4 numbers (time, action, bytes, category), "
            "got 2");
  EXPECT_EQ(refusal_of("[[1, 2], [[0, 1], [0, 2]]]"),
            "at byte 15: the sums of a memory timeline are 9 numbers, got 2");
  EXPECT_EQ(refusal_of("[[1, 2], []]"), "at byte 10: has 2 times, and sums for 0 of them");
}

TEST(MemoryTimelineFile, is_not_a_trace_and_says_what_can_be_asked) {
  const auto trace = open_alone(real_trace("memory_timeline.raw.gz"));
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.why().find("this is a memory timeline written by export_memory_timeline, not a "
                             "trace: only `vitro trace memory` can read it"),
            std::string::npos)
      << trace.why();
  for (const Analysis& analysis : analyses())
    EXPECT_EQ(analysis.ask_file != nullptr, analysis.name == "memory") << analysis.name;
}

TEST(MemoryTimelineFile, that_is_activations_for_the_most_part_says_so) {
  const MemoryTimeline m =
      timeline_of("[[0, 2, 10000000, 0], [10, 2, 90000000, 4], [1000, 4, -90000000, 4]]");
  const Answer answer = answer_memory_timeline(m);
  const auto finding =
      std::ranges::find(answer.findings, "memory.activations.the device", &Finding::key);
  ASSERT_NE(finding, answer.findings.end());
  EXPECT_EQ(finding->high_bytes, 90'000'000);
  EXPECT_EQ(finding->events, (std::vector<EventId>{1}));
}

TEST(Levels, are_not_above_the_usual_one_for_95_percent_of_the_time) {
  EXPECT_EQ(usual_level({{0, 5}, {95, 9}, {100, 0}}), 5);
  EXPECT_EQ(usual_level({{0, 5}, {94, 9}, {100, 0}}), 9);
  EXPECT_EQ(usual_level({{7, 5}, {7, 9}, {7, 1}}), 9) << "zero time: the maximum";
}

}  // namespace
}  // namespace vitro::analyze
