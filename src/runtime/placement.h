// Keeps sleeping workers off the processor of whoever wakes them.  Some systems wake a thread where
// it slept even if that processor is busy and others idle (virtual machines that hide which caches
// are shared): caller and worker would then share one processor for good.
// Threads: each worker tells of itself; spread() is called by who has the pool.
#pragma once

#include <sched.h>

#include <atomic>
#include <memory>

namespace vitro::runtime {

class Placement {
 public:
  explicit Placement(int most_workers);

  // Around a worker's sleep; workers count from 1.
  void sleeps(int worker);
  void woke(int worker);

  // Before workers 1 to `last` are woken: each that sleeps on the caller's processor, or on another
  // worker's, is told to wake elsewhere, if the process may run elsewhere.
  void spread(int last);

 private:
  struct alignas(64) Seat {
    std::atomic<int> processor{-1};  // where it sleeps, -1 while it does not
    std::atomic<int> thread{0};      // as the system numbers threads
    std::atomic<bool> moved{false};  // it may not run everywhere until it sleeps again
  };

  cpu_set_t allowed_;
  std::unique_ptr<Seat[]> seats_;
};

}  // namespace vitro::runtime
