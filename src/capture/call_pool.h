// What the calls of a function share: its trace tree, and working memory lent along with it.
//
// Invariant: each CallMemory is in one place: ready, idle, or lent to a call.  Those of an old tree
// are dropped when returned.
// Threads: any.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "capture/call_memory.h"
#include "capture/trace_tree.h"

namespace vitro::capture {

class CallPool {
 public:
  explicit CallPool(CompileOptions options);
  ~CallPool();
  const CompileOptions& options() const { return options_; }
  std::shared_ptr<TraceTree> tree() const;
  // Running calls finish on the old tree.
  void reset();
  // For the newest tree.  One CallMemory is available without locking, which suffices if only one
  // thread calls.
  std::unique_ptr<CallMemory> take();
  void give_back(std::unique_ptr<CallMemory> memory);
  void count_call() { calls_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }

 private:
  const CompileOptions options_;
  std::atomic<uint64_t> calls_{0};
  std::atomic<const TraceTree*> newest_;
  std::atomic<CallMemory*> ready_{nullptr};
  mutable std::mutex lock_;
  std::shared_ptr<TraceTree> tree_;
  std::vector<std::unique_ptr<CallMemory>> idle_;
};

}  // namespace vitro::capture
