#include "vitro/analyze/doctor.h"

#include <algorithm>
#include <unordered_set>

#include "analyze/findings.h"
#include "analyze/intervals.h"
#include "vitro/analyze/analyses.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/progress.h"

namespace vitro::analyze {

namespace {

// An error of the analysis becomes a table of the answer.
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

namespace {

// Findings may cover the same time: what each adds to those before it, and whose time it shares.
void tell_apart(Answer& all) {
  Intervals counted;
  std::vector<Intervals> before;
  int64_t together = 0;
  for (size_t i = 0; i < all.findings.size(); ++i) {
    Finding& f = all.findings[i];
    Intervals when;
    for (const Window& each : f.when) when.add(each.begin, each.end);
    for (size_t j = 0; j < i; ++j) {
      const int64_t shared = common(when, before[j]).length();
      if (shared <= f.shared_ns || 2 * shared < when.length()) continue;
      f.shared_ns = shared;
      f.shares_with = all.findings[j].key;
    }
    together += std::min(f.high_ns, without(when, counted).length());
    counted = united(counted, when);
    before.push_back(std::move(when));
  }
  if (all.findings.empty() || all.findings.front().high_ns == 0) return;
  const Finding& first = all.findings.front();
  all.together_percent =
      first.high_percent * static_cast<double>(together) / static_cast<double>(first.high_ns);
}

}  // namespace

Answer doctor(const std::vector<Answer>& answers) {
  Answer out{"doctor", {}, {}};
  for (const Answer& answer : answers)
    out.findings.insert(out.findings.end(), answer.findings.begin(), answer.findings.end());
  sort_findings(out.findings);
  std::unordered_set<std::string> said;
  std::erase_if(out.findings, [&](const Finding& f) { return !said.insert(f.key).second; });
  tell_apart(out);
  return out;
}

Answer doctor(const Trace& trace) {
  return doctor(ask_all(trace));
}

}  // namespace vitro::analyze
