// How long the compiler took, by phase and by what it compiled: computed from phases that are
// always recorded, so no profiler is needed.
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
  int64_t self_ns = 0, total_ns = 0;  // without and with nested phases
  bool on_several_threads = false;    // times of several threads are summed
};

class CompileTimes {
 public:
  explicit CompileTimes(std::vector<CompileTime> entries, bool whole = true)
      : entries_(std::move(entries)), whole_(whole) {}

  // By subject and phase, in the order in which they first began.
  const std::vector<CompileTime>& entries() const& { return entries_; }
  std::vector<CompileTime> entries() && { return std::move(entries_); }

  // Summed over subjects, or over phases; the other text is then empty.  Phases of one subject are
  // nested, so by subject the total is the sum of their self times.
  CompileTimes by_phase() const;
  CompileTimes by_subject() const;

  // False if phases since the mark ended so long ago that they are no longer kept (events/rare.h
  // says how many events are kept); the table says so too.
  bool whole() const { return whole_; }

  // Without the column left empty by the sums.
  std::string table(bool colours = false) const;
  // Seconds, one line per entry: subject,phase,count,self_s,total_s.
  std::string csv() const;

 private:
  CompileTimes summed(std::string CompileTime::* over) const;

  std::vector<CompileTime> entries_;
  bool whole_ = true;
};

// For all phases of the process, exact regardless of their number; or for those since a mark
// (events::rare_mark()), as far as they are kept.  Any thread.
CompileTimes compile_times(uint64_t since = 0);

}  // namespace vitro
