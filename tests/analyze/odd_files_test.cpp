// Tests traces that no writer should produce, though some do: deep nesting, missing commas, odd
// archives.  Each costs at most its own event.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "analyze/packed.h"
#include "analyze/trace_files.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

std::string event(std::string_view name, std::string_view more) {
  return cat(R"({"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"name":")", name, "\"", more, "}");
}

std::vector<std::string_view> names_of(const Trace& trace) {
  std::vector<std::string_view> names;
  for (EventId e = 0; e < trace.size(); ++e) names.push_back(trace.name(e));
  return names;
}

TEST(OddFiles, deep_nesting_costs_at_most_its_own_event) {
  for (const size_t depth : {10, 1000, 1025, 100000}) {
    const std::string deep = cat(std::string(depth, '['), std::string(depth, ']'));
    const auto trace = trace_of(cat("[", event("before", ""), ",",
                                    event("deep", cat(",\"args\":{\"x\":", deep, "}")), ",",
                                    event("after", ""), "]"));
    ASSERT_TRUE(trace) << trace.why();
    const auto names = names_of(*trace);
    EXPECT_EQ(names.front(), "before");
    EXPECT_EQ(names.back(), "after");
    EXPECT_EQ(names.size() + trace->notes().size(), 3U) << "either read or said, at " << depth;
  }
}

TEST(OddFiles, events_without_a_comma_between_them_are_read_once) {
  for (const char* between : {"", " ", "\n", "x", ",,", ":"}) {
    const auto trace = trace_of(cat("[", event("a", ""), between, event("b", ""), "]"));
    ASSERT_TRUE(trace) << trace.why();
    EXPECT_EQ(names_of(*trace), (std::vector<std::string_view>{"a", "b"})) << between;
  }
}

TEST(OddFiles, a_file_that_ends_in_an_escape_of_a_name_is_refused) {
  for (const char* text : {"{\"a\\", "{\"traceEvents\": 5, \"\\"}) {
    const auto trace = trace_of(text);
    ASSERT_FALSE(trace);
    EXPECT_NE(trace.why().find("ends in the name of a member"), std::string::npos) << trace.why();
  }
}

TEST(OddFiles, a_backslash_where_no_text_is_costs_at_most_its_own_event) {
  const auto trace = trace_of(
      cat("[", event("a", ""), R"(,{"ph":"X","ts":1,\"name":"x{"},)", event("b", ""), "]"));
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(trace->name(0), "a");
  EXPECT_EQ(std::ranges::count(names_of(*trace), "a"), 1);
  EXPECT_LE(trace->size(), 3U);
}

TEST(OddFiles, deep_nesting_of_a_member_is_kept_as_it_is) {
  const std::string deep = cat(std::string(100000, '{'), std::string(100000, '}'));
  const auto trace = trace_of(cat(R"({"odd":)", deep, R"(,"traceEvents":[]})"));
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(trace->metadata().at("odd"), deep);
  EXPECT_EQ(trace->size(), 0U);
}

TEST(OddFiles, an_argument_of_many_megabytes_is_found_again) {
  const std::string text(5 << 20, 'y');
  const TraceFolder folder;
  const auto trace = open_alone(folder.file(
      "t.json",
      cat("[", event("a", ""), ",", event("b", cat(",\"args\":{\"s\":\"", text, "\"}")), "]")));
  ASSERT_TRUE(trace) << trace.why();
  ASSERT_EQ(trace->size(), 2U);
  const EventId second[] = {1};
  std::string seen;
  EXPECT_TRUE(trace->read_events(second, [&](EventId, std::string_view json) { seen = json; }));
  EXPECT_NE(seen.find(text), std::string::npos);
}

TEST(OddFiles, processes_of_one_number_share_their_rows_and_the_last_name_holds) {
  const auto trace = trace_of(R"([
    {"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"rank 0"}},
    {"ph":"X","name":"a","ts":1,"dur":1,"pid":7,"tid":1},
    {"ph":"M","name":"process_name","pid":7,"tid":9,"args":{"name":"rank 1"}},
    {"ph":"X","name":"b","ts":1,"dur":1,"pid":"7","tid":1},
    {"ph":"X","name":"c","ts":1,"dur":1,"pid":7,"tid":2}])");
  ASSERT_TRUE(trace) << trace.why();
  // As number and as text they are one process.
  EXPECT_EQ(trace->track_ids()[1], trace->track_ids()[3]);
  for (const TrackInfo& track : trace->tracks()) EXPECT_EQ(track.process, "rank 1");
}

TEST(OddFiles, numbers_beyond_64_bits_and_texts_in_their_place_are_kept_apart) {
  const auto trace = trace_of(R"([
    {"ph":"s","name":"a","ts":1,"id":18446744073709551615},
    {"ph":"f","name":"a","ts":2,"id":18446744073709551615},
    {"ph":"f","name":"a","ts":2,"id":18446744073709551614},
    {"ph":"s","name":"a","ts":3,"id":"0x10"},
    {"ph":"f","name":"a","ts":3,"id":16},
    {"ph":"f","name":"a","ts":3,"id":null},
    {"ph":"X","name":"a","ts":"1e30","dur":1},
    {"ph":"X","name":"a","ts":1,"dur":1e300}])");
  ASSERT_TRUE(trace) << trace.why();
  const auto links = trace->links();
  ASSERT_EQ(trace->size(), 7U);
  EXPECT_EQ(links[0], links[1]);
  EXPECT_NE(links[0], links[2]);
  EXPECT_EQ(links[3], links[4]);
  EXPECT_EQ(links[5], none);
  EXPECT_EQ(trace->dur()[6], none);
  EXPECT_EQ(trace->notes().size(), 2U);
}

// The header of an archive's entry followed by its bytes; the directory at the end of an archive is
// not read.
std::string zip(uint16_t method, uint16_t flags, const std::string& packed) {
  std::string header("PK\3\4\24\0", 6);
  const auto number = [&](uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) header += static_cast<char>(value >> 8 * i);
  };
  const std::string name = "trace.json";
  number(flags, 2);
  number(method, 2);
  number(0, 8);  // time, check sum
  number(packed.size(), 4);
  number(0, 4);
  number(name.size(), 2);
  number(0, 2);
  return header + name + packed + "PK\1\2 and so on";
}

TEST(OddFiles, the_first_entry_of_an_archive_is_read) {
  const TraceFolder folder;
  std::string text = "[";
  for (int i = 0; i < 3000; ++i) text += event(cat("e", i), "") + ",";
  text.back() = ']';
  for (const std::string& bytes : {zip(8, 0, packed(text, without_header)), zip(0, 0, text)}) {
    const auto trace = open_alone(folder.file("t.zip", bytes));
    ASSERT_TRUE(trace) << trace.why();
    EXPECT_EQ(trace->size(), 3000U);
    EXPECT_TRUE(trace->notes().empty()) << trace->notes()[0].text;
  }
}

TEST(OddFiles, an_archive_that_cannot_be_unpacked_says_why) {
  const TraceFolder folder;
  const std::pair<std::string, const char*> cases[] = {
      {zip(8, 1, "x"), "encrypted"},
      {zip(12, 0, "x"), "method 12"},
      {zip(0, 8, "x"), "does not give the length"},
      {std::string("PK\3\4abc", 7), "ends in the first header"},
      {zip(8, 0, std::string(100, '\xff')), "corrupt"}};
  for (const auto& [bytes, want] : cases) {
    const auto trace = open_alone(folder.file("t.zip", bytes));
    ASSERT_FALSE(trace) << want;
    EXPECT_NE(trace.why().find(want), std::string::npos) << trace.why();
  }
}

}  // namespace
}  // namespace vitro::analyze
