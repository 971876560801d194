#include "capture/call_pool.h"

#include <utility>

namespace vitro::capture {

CallMemory::~CallMemory() = default;

CallPool::CallPool(CompileOptions options)
    : options_(std::move(options)), tree_(std::make_shared<TraceTree>(options_)) {
  newest_ = tree_.get();
}

CallPool::~CallPool() {
  const std::unique_ptr<CallMemory> let_go(ready_.load(std::memory_order_acquire));
}

std::shared_ptr<TraceTree> CallPool::tree() const {
  std::lock_guard hold(lock_);
  return tree_;
}

void CallPool::reset() {
  auto fresh = std::make_shared<TraceTree>(options_);
  std::vector<std::unique_ptr<CallMemory>> old;
  {
    std::lock_guard hold(lock_);
    newest_.store(fresh.get(), std::memory_order_release);
    tree_.swap(fresh);
    idle_.swap(old);
    calls_ = 0;
  }
  old.emplace_back(ready_.exchange(nullptr, std::memory_order_acq_rel));
}

// Memory of an old tree keeps that tree alive, so a new tree cannot have the same address.
std::unique_ptr<CallMemory> CallPool::take() {
  std::unique_ptr<CallMemory> memory(ready_.exchange(nullptr, std::memory_order_acq_rel));
  if (memory && memory->tree.get() == newest_.load(std::memory_order_acquire)) return memory;
  memory.reset();
  std::lock_guard hold(lock_);
  if (!idle_.empty()) {
    memory = std::move(idle_.back());
    idle_.pop_back();
  } else {
    memory = std::make_unique<CallMemory>(tree_);
  }
  return memory;
}

void CallPool::give_back(std::unique_ptr<CallMemory> memory) {
  CallMemory* none = nullptr;
  if (ready_.compare_exchange_strong(none, memory.get(), std::memory_order_acq_rel)) {
    (void)memory.release();
    return;
  }
  std::lock_guard hold(lock_);
  if (memory->tree == tree_) idle_.push_back(std::move(memory));
}

}  // namespace vitro::capture
