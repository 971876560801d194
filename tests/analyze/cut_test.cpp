// Tests cutting parts out of traces: complete events, arrows with both ends, nesting as before,
// and repaired JSON.
#include "vitro/analyze/events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analyze/questions/check.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/report/json_check.h"

namespace vitro::analyze {
namespace {

std::string cut_text(const Trace& trace, const CutOptions& options, Cut* done = nullptr) {
  report::TextOutput out;
  const auto cut_done = cut(trace, options, out);
  EXPECT_TRUE(cut_done) << cut_done.why();
  out.finish();
  EXPECT_TRUE(report::can_be_json(out.text())) << report::can_be_json(out.text()).why;
  if (done) *done = *cut_done;
  return out.text();
}

constexpr std::string_view text = R"({"schemaVersion":1,"traceEvents":[
  {"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}},
  {"ph":"M","name":"process_name","pid":3,"args":{"name":"idle"}},
  {"ph":"X","cat":"cpu_op","name":"around","ts":0,"dur":100,"pid":1,"tid":1},
  {"ph":"X","cat":"cpu_op","name":"before","ts":1,"dur":5,"pid":1,"tid":1},
  {"ph":"X","cat":"cuda_runtime","name":"launch","ts":20,"dur":2,"pid":1,"tid":1},
  {"ph":"s","cat":"ac2g","name":"ac2g","id":5,"ts":20,"pid":1,"tid":1},
  {"ph":"f","cat":"ac2g","name":"ac2g","id":5,"ts":25,"pid":0,"tid":7,"bp":"e"},
  {"ph":"X","cat":"kernel","name":"k","ts":25,"dur":20,"pid":0,"tid":7},
  {"ph":"s","cat":"ac2g","name":"ac2g","id":6,"ts":28,"pid":1,"tid":1},
  {"ph":"X","cat":"cpu_op","name":"after","ts":60,"dur":1,"pid":1,"tid":1},
  {"ph":"f","cat":"ac2g","name":"ac2g","id":6,"ts":61,"pid":0,"tid":7,"bp":"e"}],
  "baseTimeNanoseconds":7})";

TEST(Cut, keeps_what_lasts_into_the_time_whole_and_arrows_with_both_ends) {
  const TraceFolder folder;
  const auto trace = open_alone(folder.file("t.json", text));
  ASSERT_TRUE(trace) << trace.why();
  Cut done;
  const auto part =
      trace_of(cut_text(*trace, {.from = 15'000, .to = 50'000, .processes = {}}, &done));
  ASSERT_TRUE(part) << part.why();
  std::vector<std::string> names;
  for (EventId e = 0; e < part->size(); ++e)
    if (part->phases()[e] == 'X') names.emplace_back(part->name(e));
  EXPECT_EQ(names, (std::vector<std::string>{"around", "launch", "k"}));
  EXPECT_EQ(done.events, part->size());
  EXPECT_EQ(part->size(), 6U);  // only names of processes with events
  EXPECT_EQ(done.arrow_ends, 1U);
  EXPECT_EQ(part->base(), 7);
  EXPECT_EQ(part->tracks()[part->track_ids()[1]].process, "python");
  EXPECT_EQ(part->dur()[1], 100'000);
}

TEST(Cut, of_a_process_only_its_events) {
  const TraceFolder folder;
  const auto trace = open_alone(folder.file("t.json", text));
  const auto part = trace_of(cut_text(*trace, {.processes = {"0"}}));
  ASSERT_TRUE(part) << part.why();
  EXPECT_EQ(part->size(), 1U);  // its arrow ends have no partners
  EXPECT_EQ(part->name(0), "k");
}

TEST(Cut, the_whole_of_a_real_trace_is_the_same_trace_without_loose_ends) {
  const auto trace = open_alone(real_trace("nccl_two_ranks.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  Cut done;
  const auto part = trace_of(cut_text(*trace, {}, &done), 2);
  ASSERT_TRUE(part) << part.why();
  EXPECT_TRUE(part->notes().empty());
  EXPECT_TRUE(done.mended.empty());
  EXPECT_EQ(done.arrow_ends, 4878U + 88U);  // as counted by check
  const auto complete = [](const Trace& t) {
    std::map<std::pair<std::string, int64_t>, int64_t> all;
    for (EventId e = 0; e < t.size(); ++e)
      if (t.phases()[e] == 'X') ++all[{std::string(t.name(e)), t.ts()[e] + t.dur()[e]}];
    return all;
  };
  EXPECT_EQ(complete(*part), complete(*trace));
  for (const Problem& problem : check(TraceIndex(*part))) {
    const bool of_arrows = problem.key.starts_with("flow without");
    EXPECT_TRUE(!of_arrows || problem.count == 0) << problem.key;
  }
}

TEST(Cut, a_step_of_a_real_trace_nests_as_before) {
  const auto trace = open_alone(real_trace("torch_2_13_cpu_resnet18_eager.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const auto steps = profiler_steps(*trace);
  ASSERT_EQ(steps.size(), 3U);
  const auto part =
      trace_of(cut_text(*trace, {.from = steps[1].begin, .to = steps[1].end, .processes = {}}));
  ASSERT_TRUE(part) << part.why();
  EXPECT_LT(part->size(), trace->size() / 2);
  EXPECT_GT(part->size(), trace->size() / 5);
  EXPECT_EQ(part->metadata().at("schemaVersion"), "1");
  for (const Problem& problem : check(TraceIndex(*part))) {
    EXPECT_TRUE(problem.key != "crossing" || problem.count == 0);
  }
}

TEST(Cut, invalid_json_is_repaired_and_reported) {
  const TraceFolder folder;
  const auto trace = open_alone(folder.file(
      "t.json", "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\tb\",\"args\":{\"x\":NaN}}]"));
  ASSERT_TRUE(trace) << trace.why();
  Cut done;
  const auto part = trace_of(cut_text(*trace, {}, &done));
  ASSERT_TRUE(part) << part.why();
  EXPECT_EQ(part->size(), 1U);
  EXPECT_TRUE(part->notes().empty());
  ASSERT_EQ(done.mended.size(), 1U);
  EXPECT_NE(done.mended[0].text.find("event 0 was repaired"), std::string::npos);
}

}  // namespace
}  // namespace vitro::analyze
