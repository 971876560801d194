#include "vitro/analyze/doctor.h"

#include <unordered_set>

#include "findings.h"
#include "vitro/analyze/analyses.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/progress.h"

namespace vitro::analyze {

namespace {

// What the analysis refuses to answer for this trace is said in a table.
Answer ask(const Analysis& analysis, const Trace& trace) {
  try {
    return analysis.ask(trace, Parameters(analysis));
  } catch (const Error& e) {
    AnswerTable table{"not_answered", "Not answered", {{"why", "Why"}}, {{std::string(e.what())}}};
    return {std::string(analysis.name), {std::move(table)}, {}};
  }
}

}  // namespace

std::vector<Answer> ask_all(const Trace& trace) {
  const std::span<const Analysis> all = analyses();
  report::Progress progress("asking");
  std::vector<Answer> answers;
  for (const Analysis& analysis : all) {
    progress.step(cat("asking ", analysis.name));
    answers.push_back(ask(analysis, trace));
  }
  return answers;
}

Answer doctor(const std::vector<Answer>& answers) {
  Answer out{"doctor", {}, {}};
  for (const Answer& answer : answers)
    out.findings.insert(out.findings.end(), answer.findings.begin(), answer.findings.end());
  sort_findings(out.findings);
  std::unordered_set<std::string> said;
  std::erase_if(out.findings, [&](const Finding& f) { return !said.insert(f.key).second; });
  return out;
}

Answer doctor(const Trace& trace) {
  return doctor(ask_all(trace));
}

}  // namespace vitro::analyze
