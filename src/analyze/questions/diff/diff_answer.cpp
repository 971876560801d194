// Presents what changed between two traces as tables and findings: `vitro trace diff` prints the
// answer that compare.h declares.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analyze/findings/findings.h"
#include "analyze/model/waits.h"
#include "analyze/model/words.h"
#include "vitro/analyze/compare.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

AnswerCell tested(double number) {
  return std::isnan(number) ? AnswerCell() : AnswerCell(number);
}

AnswerCell ratio(double before, double after) {
  return before > 0 ? AnswerCell(100 * (after - before) / before) : AnswerCell();
}

std::string calls(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

std::string word(const NameChange& change) {
  switch (change.what) {
    case NameChange::What::added:
      return "added";
    case NameChange::What::removed:
      return "removed";
    case NameChange::What::slower:
      return change.change() == 0 ? "calls" : "slower";
    case NameChange::What::faster:
      return change.change() == 0 ? "calls" : "faster";
  }
  return {};
}

AnswerTable steps_table(const Diff& diff) {
  AnswerTable table{"steps",
                    "Steps",
                    {{"which", "Trace"},
                     {"steps", "Steps", Unit::count},
                     {"step_ns", "Time of a step", Unit::ns},
                     {"change_percent", "Change", Unit::percent},
                     {"p", "By chance", Unit::number}},
                    {}};
  table.rows.push_back({"before", diff.before.steps, diff.before.step_time, {}, {}});
  table.rows.push_back({"after", diff.after.steps, diff.after.step_time,
                        ratio(diff.before.step_time, diff.after.step_time),
                        tested(diff.step_rate)});
  return table;
}

AnswerTable changes_table(const Diff& diff) {
  AnswerTable table{"changes",
                    cat("Changes per step; significance tested over ",
                        diff.over_steps ? "steps" : "single calls"),
                    {{"name", "Name"},
                     {"kind", "Kind"},
                     {"shape", "Shape"},
                     {"what", "What"},
                     {"before_ns", "Before", Unit::ns},
                     {"after_ns", "After", Unit::ns},
                     {"change_ns", "Change", Unit::ns},
                     {"change_percent", "Change", Unit::percent},
                     {"calls_before", "Calls before", Unit::number},
                     {"calls_after", "after", Unit::number},
                     {"false_discovery_rate", "By chance", Unit::number},
                     {"significant", "Sure"}},
                    {}};
  for (const NameChange& c : diff.changes) {
    table.rows.push_back({c.name, std::string(name_of(c.kind)), c.shape, word(c), c.before, c.after,
                          c.change(), ratio(c.before, c.after), c.calls_before, c.calls_after,
                          tested(c.rate), std::string(c.significant ? "yes" : "no")});
  }
  return table;
}

// What `after` could save.  At most the growth of its steps counts as sure: the rest is hidden, or
// offset by what got faster.  A call that waits for a device is slower because the device is.
// Without steps, new names cannot be tested: all of their time counts as the most.
std::vector<Finding> conclude(const Trace& after, const Diff& diff) {
  Findings findings(measured_window(after));
  const auto steps = static_cast<double>(std::max<int64_t>(diff.after.steps, 1));
  const double longer = std::max(diff.after.step_time - diff.before.step_time, 0.0);
  const std::string_view each = diff.after.steps > 0 ? " per step, in " : ", in ";
  for (const NameChange& c : diff.changes) {
    if (c.kind == EventClass::runtime && call_wait(c.name) == WaitKind::device) continue;
    const bool fresh = c.what == NameChange::What::added && std::isnan(c.rate);
    if (c.change() <= 0 || !(c.significant || fresh)) continue;
    const bool is_new = c.what == NameChange::What::added;
    const std::string before =
        is_new ? "is new and takes "
               : cat("got slower, from ", time_text(std::llround(c.before)), " to ");
    const std::string instead = is_new ? ""
                                : c.calls_after == c.calls_before
                                    ? " as before"
                                    : cat(" instead of ", calls(c.calls_before));
    findings.add(
        {cat("diff.", name_of(c.kind), ".", c.name, c.shape.empty() ? "" : ".", c.shape),
         cat(short_name(c.name), c.shape.empty() ? "" : " ", c.shape, " (", name_of(c.kind), ") ",
             before, time_text(std::llround(c.after)), each, calls(c.calls_after),
             c.calls_after == 1 ? " call" : " calls", instead),
         is_new ? "look at what calls it: the earlier trace does not contain it"
         : c.calls_after > c.calls_before
             ? "look at what calls it more often than before"
             : "compare its inputs, its kernels and what ran concurrently with the earlier trace"},
        fresh ? 0 : static_cast<int64_t>(std::clamp(c.low, 0.0, longer) * steps),
        static_cast<int64_t>(c.high * steps), c.events_after);
  }
  return findings.take();
}

}  // namespace

Answer answer_diff(const Trace& after, const Diff& diff) {
  Answer answer{"diff", {steps_table(diff), changes_table(diff)}, conclude(after, diff)};
  return answer;
}

}  // namespace vitro::analyze
