// How long the compiler took, by phase and by what it compiled: from the phases that are always
// kept, so no profiler has to have run.
//   std::cout << vitro::compile_times().by_phase().table();
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vitro {

struct CompileTime {
  std::string subject, phase;  // "f/0", "fuse_loops"
  uint64_t count = 0;
  int64_t self_ns = 0, total_ns = 0;  // without and with the phases inside
  bool on_several_threads = false;    // the times of several threads are added up
};

class CompileTimes {
 public:
  explicit CompileTimes(std::vector<CompileTime> entries, bool whole = true)
      : entries_(std::move(entries)), whole_(whole) {}

  // By subject and phase, in order of their first beginning.
  const std::vector<CompileTime>& entries() const& { return entries_; }
  std::vector<CompileTime> entries() && { return std::move(entries_); }

  // Added up over what was compiled, or over the phases: the other text is empty then.  Phases of
  // one subject lie in each other, so by subject the total is the sum of their self times.
  CompileTimes by_phase() const;
  CompileTimes by_subject() const;

  // False where phases since the mark ended so long ago that they are no longer known
  // (events/rare.h says how many events are kept); the table says so too.
  bool whole() const { return whole_; }

  // Without the column that the sums leave empty.
  std::string table(bool colours = false) const;
  // Seconds, one line for each entry: subject,phase,count,self_s,total_s.
  std::string csv() const;

 private:
  CompileTimes summed(std::string CompileTime::* over) const;

  std::vector<CompileTime> entries_;
  bool whole_ = true;
};

// Of all phases of the process, exact however many there were; or of those since a mark
// (events::rare_mark()), as far as they are known.  Any thread.
CompileTimes compile_times(uint64_t since = 0);

}  // namespace vitro
