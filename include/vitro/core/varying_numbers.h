// Numbers that differ from call to call, as the count of steps of an optimizer.
#pragma once

#include <utility>

namespace vitro {

// While it lives, numbers that ops of this thread are given are arguments of a compiled function's
// program from its first call on.  Without it, that is found out in the second call, which then
// compiles another program.
class VaryingNumbers {
 public:
  VaryingNumbers() : before_(std::exchange(active_, true)) {}
  ~VaryingNumbers() { active_ = before_; }
  VaryingNumbers(const VaryingNumbers&) = delete;
  static bool active() { return active_; }

 private:
  static inline constinit thread_local bool active_ = false;
  const bool before_;
};

}  // namespace vitro
