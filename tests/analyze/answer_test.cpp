// Tests how answers are written: text, CSV and JSON, and what they show of hostile names.
#include "vitro/analyze/answer.h"

#include <gtest/gtest.h>

#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

Answer two_tables() {
  return {
      "question",
      {{"first", "First", {{"name", "Name"}, {"time_ns", "Time", Unit::ns}}, {{"a,b", int64_t{3}}}},
       {"second",
        "Second",
        {{"time_ns", "Time", Unit::ns}, {"more", "More"}},
        {{int64_t{4}, "x"}, {{}, "y"}}}},
      {{.key = "k", .sentence = "s", .advice = "a", .high_ns = 5, .events = {1}}}};
}

std::string csv_of(const Answer& answer) {
  report::TextOutput out;
  to_csv(answer, out);
  out.finish();
  return out.text();
}

TEST(Answer, of_several_tables_is_one_table_of_csv) {
  EXPECT_EQ(csv_of(two_tables()),
            "table,name,time_ns,more\n"
            "first,\"a,b\",3,\n"
            "second,,4,x\n"
            "second,,,y\n");
}

TEST(Answer, of_one_table_is_that_table) {
  EXPECT_EQ(csv_of(only_table(two_tables(), "second")), "time_ns,more\n4,x\n,y\n");
  EXPECT_TRUE(only_table(two_tables(), "second").findings.empty());
}

TEST(Answer, has_its_findings_as_a_table_too) {
  const Answer answer = only_table(two_tables(), "findings");
  EXPECT_TRUE(answer.tables.empty());
  EXPECT_EQ(csv_of(answer).substr(0, 4), "key,");
  EXPECT_EQ(answer.findings.size(), 1U);
}

TEST(Answer, names_its_tables_where_another_is_asked_for) {
  try {
    only_table(two_tables(), "third");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "question: there is no table third for this file; it has first, second, findings");
  }
}

// Names in a file may hold what a terminal obeys, or lines that look like the answer's own.
TEST(Answer, shows_names_on_one_line_and_without_control_characters) {
  Answer answer = two_tables();
  answer.verdicts = {"busy: \x1b[2Jk\n* all is well"};
  answer.findings[0].sentence = "a\rb\n  potential saving: 0";
  const std::string text = to_text(answer, {});
  EXPECT_NE(text.find("busy: \\x1b[2Jk\\n* all is well\n"), std::string::npos) << text;
  EXPECT_NE(text.find("* a\\rb\\n  potential saving: 0\n"), std::string::npos) << text;
}

TEST(Answer, says_of_findings_about_memory_how_many_bytes_they_are_about) {
  const Answer answer{"memory",
                      {},
                      {{.key = "m",
                        .sentence = "s",
                        .advice = "a",
                        .low_percent = 10,
                        .high_percent = 25,
                        .events = {1},
                        .low_bytes = 1 << 20,
                        .high_bytes = 5 << 19}}};
  EXPECT_NE(
      to_text(answer).find("potential saving: 10.0 to 25.0 % of the memory (up to 2.50 MiB); a"),
      std::string::npos)
      << to_text(answer);
}

TEST(Answer, of_a_file_that_has_nothing_of_it_says_what_it_needs) {
  const Answer nothing{"gaps", {{"streams", "Idle time", {{"stream", "Stream"}}, {}}}, {}};
  EXPECT_EQ(to_text(nothing), "Idle time: none\n");
  EXPECT_EQ(to_text(nothing, {.needs = "device events"}),
            "The file contains nothing to answer this. It needs device events.\n");
  EXPECT_NE(to_text(two_tables(), {.needs = "rows"}).find("a,b"), std::string::npos);
  const Answer findings = only_table(two_tables(), "findings");
  EXPECT_EQ(to_text(findings, {.needs = "rows"}), to_text(findings));
}

TEST(Answer, shows_a_record_line_by_line_with_units_and_sentences_whole) {
  const std::string sentence(200, 'x');
  AnswerTable record{"file",
                     "File",
                     {{"size_bytes", "size", Unit::bytes}, {"lasts_ns", "lasts", Unit::ns}},
                     {{int64_t{2048}, int64_t{1'500'000}}}};
  record.is_record = true;
  const AnswerTable why{"why", "Why", {{"why", "Why", Unit::text, true}}, {{sentence}}};
  const Answer answer{"info", {record, why}, {}};
  const std::string text = to_text(answer);
  EXPECT_NE(text.find("\nsize   2.00 KiB\nlasts  1.500ms\n"), std::string::npos) << text;
  EXPECT_NE(text.find(sentence), std::string::npos);
  EXPECT_EQ(csv_of(only_table(answer, "file")), "size_bytes,lasts_ns\n2048,1500000\n");
}

}  // namespace
}  // namespace vitro::analyze
