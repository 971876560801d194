// What an analysis concludes: kept only where it is worth something and rests on events.
//   Findings findings(trace);
//   findings.add({"gaps.host.0", "device 0 idles …", "replay …"}, low_ns, high_ns, events);
//   answer.findings = findings.take();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/intervals.h"
#include "vitro/analyze/answer.h"
#include "vitro/analyze/steps.h"

namespace vitro::analyze {

struct Statement {
  std::string key;       // stable: no time, no number of an event in it
  std::string sentence;  // what is the case, with its numbers
  std::string advice;    // what to do
};

// The time that a finding is about: pieces in any order, which may overlap.  Of very many the
// nearest become one, so that they take some megabytes at most.
class Pieces {
 public:
  Pieces() = default;
  explicit Pieces(const std::vector<Window>& list) { add(list); }

  void add(int64_t begin, int64_t end);
  void add(const std::vector<Window>& list);
  void add(const Intervals& list);
  // What of them lies in the window.
  std::vector<Window> take(const Window& window);

 private:
  void compact();

  std::vector<Window> list_;
  int64_t near_ = 0;  // what lies closer becomes one
};

// What times have beyond the median of them all: what could be won, had each come as fast as half
// of them do.
int64_t beyond_median(const std::vector<int64_t>& times);
// The same where of each only so much could be won.
struct TimeToWin {
  int64_t time = 0, most = 0;
};
int64_t beyond_median(const std::vector<TimeToWin>& times);

// Of this time what the steps have beyond the time that half of them get along with, of those that
// lie in the window; 0 of fewer than three.
int64_t beyond_other_steps(const std::vector<Step>& steps, const Window& window,
                           const Intervals& when);

class Findings {
 public:
  // Shares are of measured_window(trace).
  explicit Findings(const Trace& trace) : Findings(measured_window(trace)) {}
  explicit Findings(const Window& measured) : window_(measured), step_(measured.length()) {}

  // What could be won, in nanoseconds of the measured window: at least, at most, which is never
  // more than `about` has there (empty: somewhere).  Left out where the most is below half a
  // percent, or where no event shows it.  Of the events the first ten are kept.
  void add(Statement statement, int64_t low, int64_t high, std::vector<EventId> events,
           Pieces about = {});
  // The same of memory: bytes that need not be held, of the most that the device held.
  void add_bytes(Statement statement, int64_t low, int64_t high, int64_t most,
                 std::vector<EventId> events);

  // What could win most first, then memory; by key where that is the same.
  std::vector<Finding> take();

 private:
  Window window_;
  int64_t step_;
  std::vector<Finding> list_;
};

// The order above, of findings that several analyses made.
void sort_findings(std::vector<Finding>& findings);

}  // namespace vitro::analyze
