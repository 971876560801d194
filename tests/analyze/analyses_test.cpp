#include "vitro/analyze/analyses.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "analyze/trace_files.h"
#include "vitro/base/error.h"
#include "vitro/report/json_check.h"

namespace vitro::analyze {
namespace {

std::string json_of(const Answer& answer) {
  report::TextOutput out;
  to_json(answer, out);
  out.finish();
  return out.text();
}

// Each real trace, every question: an answer with its columns, findings in order with events that
// exist, and the same bytes a second time.
TEST(Analyses, answer_every_real_trace_and_always_the_same) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(real_trace(""))) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".json.gz") && !path.ends_with(".json")) continue;
    const auto trace = open_alone(path);
    ASSERT_TRUE(trace) << trace.why();
    ++files;
    for (const Analysis& analysis : analyses()) {
      SCOPED_TRACE(path + ": " + std::string(analysis.name));
      const Answer answer = analysis.ask(*trace, Parameters(analysis));
      EXPECT_EQ(answer.name, analysis.name);
      for (const AnswerTable& table : answer.tables)
        for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
      for (size_t i = 0; i < answer.findings.size(); ++i) {
        const Finding& finding = answer.findings[i];
        EXPECT_FALSE(finding.events.empty()) << finding.key;
        for (const EventId e : finding.events) EXPECT_LT(e, trace->size());
        EXPECT_GE(finding.high_percent, 0.5) << finding.key;
        EXPECT_LE(finding.low_ns, finding.high_ns) << finding.key;
        if (i > 0) EXPECT_GE(answer.findings[i - 1].high_ns, finding.high_ns);
      }
      const std::string json = json_of(answer);
      EXPECT_TRUE(report::can_be_json(json));
      EXPECT_EQ(json_of(analysis.ask(*trace, Parameters(analysis))), json);
    }
  }
  EXPECT_GE(files, 18U);
}

TEST(Analyses, say_which_parameter_is_wrong) {
  constexpr Parameter known[] = {{"rows", "how many", "3", Parameter::Kind::number},
                                 {"deep", "deeper", "", Parameter::Kind::flag}};
  const Analysis analysis{"test", "a test", nullptr, known};
  Parameters parameters(analysis);
  EXPECT_EQ(parameters.number("rows"), 3);
  EXPECT_FALSE(parameters.flag("deep"));
  parameters.set("rows", "12");
  parameters.set("deep", "yes");
  EXPECT_EQ(parameters.number("rows"), 12);
  EXPECT_TRUE(parameters.flag("deep"));
  EXPECT_THROW(parameters.set("rows", "many"), Error);
  EXPECT_THROW(parameters.set("columns", "1"), Error);
  EXPECT_THROW(parameters.text("columns"), Error);
}

}  // namespace
}  // namespace vitro::analyze
