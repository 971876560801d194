// Tests the order of findings, which of them are left out, and how the doctor's answer is written.
#include "vitro/analyze/questions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/trace_files.h"

namespace vitro::analyze {
namespace {

Finding finding(std::string key, int64_t high) {
  return {.key = std::move(key),
          .sentence = "a, \"b\"",
          .advice = "c",
          .low_ns = 1,
          .high_ns = high,
          .low_percent = 0.5,
          .high_percent = 2,
          .events = {3, 4}};
}

std::string csv_of(const Answer& answer) {
  report::TextOutput out;
  to_csv(answer, out);
  out.finish();
  return out.text();
}

Finding worth(std::string key, int64_t low, int64_t high, Confidence confidence) {
  Finding out = finding(std::move(key), high);
  out.low_ns = low;
  out.confidence = confidence;
  return out;
}

TEST(Doctor, begins_with_what_is_likely_to_be_saved) {
  const Answer answer = doctor(
      {{"a",
        {},
        {worth("unexplained", 0, 90, Confidence::possible),
         worth("partly", 0, 24, Confidence::likely), worth("sure", 8, 8, Confidence::measured),
         worth("half", 3, 5, Confidence::measured), worth("least", 1, 25, Confidence::likely)}}});
  std::vector<std::string> keys;
  for (const Finding& f : answer.findings) keys.push_back(f.key);
  // 8, 1 + 24/4, 24/4, 90/16, 3 + 2/2
  EXPECT_EQ(keys, (std::vector<std::string>{"sure", "least", "partly", "unexplained", "half"}));
}

TEST(Doctor, lists_each_finding_once_with_the_largest_saving_first) {
  const Answer answer = doctor({{"a", {}, {finding("x", 5), finding("y", 4)}},
                                {"b", {}, {finding("z", 9), finding("x", 3)}}});
  std::vector<std::string> keys;
  for (const Finding& f : answer.findings) keys.push_back(f.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"z", "x", "y"}));
  EXPECT_EQ(answer.findings[1].high_ns, 5);
  EXPECT_TRUE(answer.tables.empty());
}

TEST(Doctor, has_all_that_the_analyses_of_a_real_trace_found) {
  const auto trace = open_alone(real_trace("nccl_two_ranks.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const Answer all = doctor(TraceIndex(*trace));
  EXPECT_FALSE(all.findings.empty());
  for (const Answer& answer : ask_all(TraceIndex(*trace))) {
    for (const Finding& each : answer.findings) {
      const auto same = [&](const Finding& f) { return f.key == each.key; };
      const auto count = std::ranges::count_if(all.findings, same);
      const bool is_general =
          each.key.starts_with("critical_path.") || each.key.starts_with("launches.brief.");
      EXPECT_TRUE(count == 1 || (count == 0 && is_general)) << each.key;
    }
  }
}

TEST(Doctor, of_a_trace_without_events_has_nothing_to_say) {
  const auto trace = trace_of("[]");
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_TRUE(doctor(TraceIndex(*trace)).findings.empty());
  EXPECT_EQ(ask_all(TraceIndex(*trace)).size(), analyses().size());
}

// Self times of the thread whose ops take most: 60, 30 and 5 of 100 us; another thread has 50.
TEST(Doctor, of_a_trace_without_devices_says_which_ops_take_the_time) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"cpu_op","name":"aten::linear","ts":0,"dur":90,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::addmm","ts":10,"dur":60,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::mean","ts":95,"dur":5,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":50,"pid":1,"tid":2},
    {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}}])json");
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(doctor(TraceIndex(*trace)).verdicts,
            std::vector<std::string>{
                "no device works in this file; main is in ops for 95 % of the measured time, most "
                "of it in aten::addmm (60 %), aten::linear (30 %), aten::mean (5 %)"});
}

TEST(Doctor, is_written_as_text_and_csv_with_its_events) {
  const Answer answer = doctor({{"a", {}, {finding("x", 5)}}});
  EXPECT_NE(to_text(answer).find("[x; likely; events 3 4]"), std::string::npos) << to_text(answer);
  EXPECT_EQ(csv_of(answer),
            "key,low_percent,high_percent,low_ns,high_ns,low_bytes,high_bytes,sentence,advice,"
            "events,shares_with,shared_ns,confidence\n"
            "x,0.5,2.0,1,5,0,0,\"a, \"\"b\"\"\",c,3 4,,0,likely\n");
}

Finding lasting(std::string key, int64_t high, std::vector<Window> when) {
  Finding out = finding(std::move(key), high);
  out.high_percent = static_cast<double>(high);  // in a window of 100
  out.when = std::move(when);
  return out;
}

TEST(Doctor, does_not_repeat_of_the_critical_path_what_others_explain) {
  const Answer answer = doctor({{"a", {}, {lasting("threads.wait.x", 40, {{0, 40}})}},
                                {"b",
                                 {},
                                 {lasting("critical_path.host", 60, {{0, 60}}),
                                  lasting("critical_path.kernel_delay", 30, {{35, 65}})}}});
  std::vector<std::string> keys;
  for (const Finding& f : answer.findings) keys.push_back(f.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"threads.wait.x", "critical_path.kernel_delay"}));
}

// Half of the ten long steps' excess is explained by a wait that others do not have; one that all
// have explains nothing.
TEST(Doctor, does_not_repeat_that_steps_are_long_if_it_says_why) {
  const auto keys_with = [](std::vector<Window> waits) {
    Finding steps = lasting("steps.stragglers", 20, {{20, 50}});
    Finding wait = lasting("threads.wait.x", 10, std::move(waits));
    std::string keys;
    for (const Finding& f : doctor({{"a", {}, {steps, wait}}}).findings) keys += f.key + " ";
    return keys;
  };
  EXPECT_EQ(keys_with({{25, 35}}), "threads.wait.x ");
  EXPECT_EQ(keys_with({{5, 10}, {25, 30}, {60, 65}, {80, 85}}), "steps.stragglers threads.wait.x ");
}

TEST(Doctor, says_of_launches_once_that_they_are_late) {
  const Finding brief = lasting("launches.brief.0", 10, {{0, 10}});
  const Finding late = lasting("gaps.host.0", 30, {{0, 30}});
  EXPECT_EQ(doctor({{"a", {}, {brief, late}}}).findings.size(), 1U);
  EXPECT_EQ(doctor({{"a", {}, {brief}}}).findings.size(), 1U);
}

TEST(Doctor, says_which_findings_are_about_the_same_time_and_counts_it_once) {
  const Answer answer = doctor({{"a", {}, {lasting("idle", 40, {{0, 30}, {50, 70}})}},
                                {"b", {}, {lasting("late", 30, {{5, 30}, {60, 65}})}},
                                {"c", {}, {lasting("other", 20, {{25, 30}, {80, 95}})}}});
  ASSERT_EQ(answer.findings.size(), 3U);
  EXPECT_EQ(answer.findings[0].shares_with, "");
  EXPECT_EQ(answer.findings[1].shares_with, "idle");
  EXPECT_EQ(answer.findings[1].shared_ns, 30);
  EXPECT_EQ(answer.findings[2].shares_with, "");  // only a quarter of it
  // 40 of the first, nothing of the second, and the part of the third that neither covers.
  EXPECT_DOUBLE_EQ(answer.together_percent, 55);
  EXPECT_NE(to_text(answer).find("is shared with idle"), std::string::npos);
}

}  // namespace
}  // namespace vitro::analyze
