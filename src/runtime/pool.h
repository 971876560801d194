// The thread pool of parallel_for.
//
//        caller                                   workers (one thread each)
//   takes the pool (busy_)                        spin, then sleep on signal_
//   writes the job, opens the gate, signal_ + 1 ─► enter the gate: count + 1
//   works                                         work, steal from others, leave: count - 1
//   closes the gate, waits for count == 0
//
// A worker that wakes late finds the gate closed; the caller waits only for workers that entered.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

#include "runtime/placement.h"
#include "vitro/runtime/parallel.h"

namespace vitro::runtime {

class Pool {
 public:
  static constexpr int most_threads = 1024;

  // The pool of this process, created on first use and never destroyed.
  static Pool& get();

  int threads() const { return threads_.load(std::memory_order_relaxed); }
  void set_threads(int count) { threads_.store(count, std::memory_order_relaxed); }

  // Runs the pieces on up to threads() threads.  Returns false without running anything if another
  // thread owns the pool.
  bool try_run(int64_t items, int64_t grain, ParallelBody body, void* context);

  // Whether the calling thread is inside a piece.
  static bool inside();

 private:
  // The pieces that one thread runs before it steals; its index is that thread's `thread` argument
  // of ParallelBody.
  struct alignas(64) Stretch {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
    std::atomic<bool> taken{false};
  };

  struct Job {
    ParallelBody body = nullptr;
    void* context = nullptr;
    int64_t items = 0, pieces = 0;
    int stretches = 0;
    uint32_t flow = 0;  // number of the launch in the recorder, 0: not recorded
    std::unique_ptr<Stretch[]> stretch;
    std::mutex error_lock;
    std::exception_ptr error;        // of the piece `failed`
    std::atomic<int64_t> failed{0};  // the first one in order that threw; `pieces` if none did
  };

  Pool();
  void prepare(int64_t items, int64_t grain, ParallelBody body, void* context, int team);
  void start_workers(int wanted);
  void worker(int thread);
  uint32_t wait_for_signal(uint32_t seen, int thread);
  bool enter();
  void leave();
  void open(int helpers);
  void close();
  int claim_stretch(int wanted);
  void begin_flow();
  void help(int stretch);
  int64_t work(int thread);  // returns the number of items that the caller ran
  int64_t work_through(Stretch& stretch, int thread);
  void fail(int64_t piece, std::exception_ptr error);

  alignas(64) std::atomic<bool> busy_{false};
  alignas(64) std::atomic<uint32_t> gate_{0};    // number of workers inside, and two flags
  alignas(64) std::atomic<uint32_t> signal_{0};  // counts jobs; workers sleep on it
  std::atomic<int> sleepers_{0};
  std::atomic<int> threads_;
  int workers_ = 0;     // accessed only by the owner of the pool
  uint32_t flows_ = 0;  // likewise
  Placement placement_{most_threads};
  Job job_;  // written while the gate is closed and no worker is inside
};

}  // namespace vitro::runtime
