// The conclusions of an analysis, kept only if they are significant and supported by events.
//   Findings findings(index);
//   findings.add({"gaps.host.0", "device 0 idles …", "replay …"}, low_ns, high_ns, events);
//   answer.findings = findings.take();
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/model/pieces.h"
#include "vitro/analyze/answer.h"

namespace vitro::analyze {

class TraceIndex;

struct Statement {
  std::string key;       // stable: without times or event numbers
  std::string sentence;  // the observation, with its numbers
  std::string advice;    // what to do
};

// The sum of times beyond their median: the potential saving if each were as fast as the median.
int64_t beyond_median(const std::vector<int64_t>& times);
// The same with a limit on what each could save.
struct TimeToWin {
  int64_t time = 0, most = 0;
};
int64_t beyond_median(const std::vector<TimeToWin>& times);

// The part of this time that steps within the window spend beyond their median; 0 with fewer than
// three.
int64_t beyond_other_steps(const std::vector<Step>& steps, const Window& window,
                           const Intervals& when);

class Findings {
 public:
  // Shares are relative to the measured window.
  explicit Findings(const TraceIndex& index);
  explicit Findings(const Window& measured) : window_(measured), step_(measured.length()) {}

  // From now on findings count only while a device is idle (none: no limit): they are about the
  // host, whose work costs nothing while all devices are busy.
  void only_while(std::optional<Intervals> idle) { idle_ = std::move(idle); }

  // The potential saving in nanoseconds of the measured window: the least and the most, which is
  // limited to what `about` has there (empty: no limit).  Dropped if the most is below half a
  // percent, or if there are no events.  The first ten events are kept.
  // `likely` becomes `measured` if at least half of the most is sure.
  void add(Statement statement, int64_t low, int64_t high, std::vector<EventId> events,
           Pieces about = {}, Confidence confidence = Confidence::likely);
  // The same for memory: bytes that need not be held, of the device's peak.
  void add_bytes(Statement statement, int64_t low, int64_t high, int64_t most,
                 std::vector<EventId> events);

  // As sort_findings().
  std::vector<Finding> take();

 private:
  Window window_;
  int64_t step_;
  std::optional<Intervals> idle_;
  std::vector<Finding> list_;
};

// What is likely to be saved first (Finding::likely_ns), then by how sure that is, and only then by
// the most; memory last; ties by key.
void sort_findings(std::vector<Finding>& findings);

}  // namespace vitro::analyze
