// A progress line for long jobs: on stderr, only if that is a terminal, and only after a second.
//   report::Progress progress("writing trace.json", events);
//   for (…) progress.at(++done);
// One thread at a time.  The line is cleared when the object is destroyed.
#pragma once

#include <cstdint>
#include <string>

namespace vitro::report {

class Progress {
 public:
  // `total` 0: unknown.
  explicit Progress(std::string job, uint64_t total = 0);
  Progress(const Progress&) = delete;
  ~Progress();

  void at(uint64_t done);
  // Begins another step of the job; counting restarts.
  void step(std::string job, uint64_t total = 0);

 private:
  void draw(uint64_t now_ms);

  std::string job_;
  uint64_t total_ = 0, done_ = 0;
  uint64_t begin_ms_ = 0, next_ms_ = 0;
  bool terminal_ = false, drawn_ = false;
};

}  // namespace vitro::report
