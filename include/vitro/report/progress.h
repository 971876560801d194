// A progress line for long jobs: on stderr, only if that is a terminal, and only after a second.
//   report::Progress progress("writing trace.json", events);
//   for (…) progress.at(++done);
// With a total it shows the share that is done and, at this rate, the time that is left.
// One thread at a time.  The line is cleared when the object is destroyed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitro::report {

class Progress {
 public:
  // `total` 0: unknown.
  explicit Progress(std::string job, uint64_t total = 0);
  Progress(const Progress&) = delete;
  ~Progress();

  // `note` follows in the line: "loss 0.12".
  void at(uint64_t done, std::string_view note = {});
  // Begins another step of the job; counting restarts.
  void step(std::string job, uint64_t total = 0);

 private:
  void draw(uint64_t now_ms);

  std::string job_, note_;
  uint64_t total_ = 0, done_ = 0;
  uint64_t begin_ms_ = 0, step_ms_ = 0, next_ms_ = 0;
  bool terminal_ = false, drawn_ = false;
};

}  // namespace vitro::report
