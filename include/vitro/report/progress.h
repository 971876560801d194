// A line that says how far a long job is: on stderr, only where that is a terminal, only once it
// took a second.
//   report::Progress progress("writing trace.json", events);
//   for (…) progress.at(++done);
// One thread at a time.  The line is wiped when the object goes.
#pragma once

#include <cstdint>
#include <string>

namespace vitro::report {

class Progress {
 public:
  // `total` 0: not known.
  explicit Progress(std::string job, uint64_t total = 0);
  Progress(const Progress&) = delete;
  ~Progress();

  void at(uint64_t done);
  // The job goes on to another step; counting begins anew.
  void step(std::string job, uint64_t total = 0);

 private:
  void draw(uint64_t now_ms);

  std::string job_;
  uint64_t total_ = 0, done_ = 0;
  uint64_t begin_ms_ = 0, next_ms_ = 0;
  bool terminal_ = false, drawn_ = false;
};

}  // namespace vitro::report
