// What an analysis concludes: kept only where it is worth something and rests on events.
//   Findings findings(trace);
//   findings.add({"gaps.host.0", "device 0 idles …", "replay …"}, low_ns, high_ns, events);
//   answer.findings = findings.take();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/steps.h"

namespace vitro::analyze {

struct Statement {
  std::string key;       // stable: no time, no number of an event in it
  std::string sentence;  // what is the case, with its numbers
  std::string advice;    // what to do
};

class Findings {
 public:
  // Shares are of measured_window(trace).
  explicit Findings(const Trace& trace) : Findings(measured_window(trace)) {}
  explicit Findings(const Window& measured) : step_(measured.length()) {}

  // What could be won, in nanoseconds of the measured window: at least, at most.  Left out where
  // the most is below half a percent, or where no event shows it.  Of the events the first ten are
  // kept.
  void add(Statement statement, int64_t low, int64_t high, std::vector<EventId> events);

  // What could win most first; by key where that is the same.
  std::vector<Finding> take();

 private:
  int64_t step_;
  std::vector<Finding> list_;
};

// The order above, of findings that several analyses made.
void sort_findings(std::vector<Finding>& findings);

}  // namespace vitro::analyze
