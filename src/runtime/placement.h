// Keeps sleeping workers off the processor of the thread that wakes them.  Some systems (virtual
// machines that hide which caches are shared) wake a thread on the processor where it slept even if
// that one is busy and others are idle; caller and worker would then share a processor permanently.
// Threads: each worker reports its own state; spread() is called by the owner of the pool.
#pragma once

#include <sched.h>

#include <atomic>
#include <memory>

namespace vitro::runtime {

class Placement {
 public:
  explicit Placement(int most_workers);

  // Called by a worker before and after it sleeps; workers are numbered from 1.
  void sleeps(int worker);
  void woke(int worker);

  // Call before waking workers 1 to `last`: changes the affinity of each one that sleeps on the
  // caller's or another worker's processor, if the process may run on a free one.
  void spread(int last);

 private:
  struct alignas(64) Seat {
    std::atomic<int> processor{-1};  // where it sleeps, -1 while awake
    std::atomic<int> thread{0};      // system thread id
    std::atomic<bool> moved{false};  // its affinity is restricted until it sleeps again
  };

  cpu_set_t allowed_;
  std::unique_ptr<Seat[]> seats_;
};

}  // namespace vitro::runtime
