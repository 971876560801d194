// What the calls of a function share: its trace tree, and memory to work in that is lent with it.
// Threads: any.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "capture/memory.h"
#include "capture/trace_tree.h"

namespace vitro::capture {

class CallPool {
 public:
  explicit CallPool(CompileOptions options);
  ~CallPool();
  const CompileOptions& options() const { return options_; }
  std::shared_ptr<TraceTree> tree() const;
  // The calls that run finish on the old tree.
  void reset();
  // For the newest tree.  One piece lies ready without a lock, which is all that calls of one
  // thread need.
  std::unique_ptr<Memory> take();
  void give_back(std::unique_ptr<Memory> memory);
  void count_call() { calls_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }

 private:
  const CompileOptions options_;
  std::atomic<uint64_t> calls_{0};
  std::atomic<const TraceTree*> newest_;
  std::atomic<Memory*> ready_{nullptr};
  mutable std::mutex lock_;
  std::shared_ptr<TraceTree> tree_;
  std::vector<std::unique_ptr<Memory>> idle_;
};

}  // namespace vitro::capture
