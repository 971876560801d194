// Parallel loops on one thread pool for the whole process.
//   parallel_for(rows, grain_for({.bytes = 8.0 * columns}), [&](int64_t begin, int64_t end) { … });
// The range is split into pieces of at least `grain` items.  The caller takes part, and each thread
// works through its own pieces before it steals from others.  The split depends on the number of
// threads, so an item's result must not depend on which items share its piece.
// Thread-safe.  A nested call, or one made while another thread's call uses the pool, runs on the
// calling thread alone.  A child process after fork() gets its own pool.
// Errors: rethrows that of the first piece, by its items, that throws; later ones may be skipped.
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <string_view>
#include <type_traits>

#include "vitro/base/verdict.h"

namespace vitro {

// The maximum number of threads of a parallel_for, including the caller.  Defaults to
// VITRO_NUM_THREADS, or if unset to the number of hardware threads available to the process.
int num_threads();
// Throws unless `count` is between 1 and 1024.
void set_num_threads(int count, std::source_location where = std::source_location::current());

// Estimated cost of one item: bytes of memory traffic, and floating-point operations at the rate of
// those inside an elementary function.
struct Cost {
  double bytes = 0, flops = 0;
};

// Returns the smallest number of items worth handing to another thread.
int64_t grain_for(Cost per_item);
// Returns whether parallel_for would use more than one thread, with the reason if not.
Verdict should_parallelise(int64_t items, Cost per_item);

// Runs one piece, the items in [begin, end).  `thread` is less than num_threads(), and pieces that
// run at the same time have different values.
using ParallelBody = void (*)(void* context, int64_t begin, int64_t end, int thread);

// For generated code.
void parallel_for(int64_t items, int64_t grain, ParallelBody body, void* context);

// body(begin, end) or body(begin, end, thread)
template <class F>
void parallel_for(int64_t items, int64_t grain, F&& body) {
  using Plain = std::remove_reference_t<F>;
  const auto call = [](void* context, int64_t begin, int64_t end, int thread) {
    Plain& f = *static_cast<Plain*>(context);
    if constexpr (std::is_invocable_v<Plain&, int64_t, int64_t, int>) {
      f(begin, end, thread);
    } else {
      f(begin, end);
    }
  };
  const void* context = std::addressof(body);
  parallel_for(items, grain, +call, const_cast<void*>(context));
}

// Records a kernel in profiles for the duration of the scope, with the total cost of its items.
// Costs one branch if nothing is recording.
class KernelRange {
 public:
  KernelRange(std::string_view name, int64_t items, Cost per_item);
  ~KernelRange();
  KernelRange(const KernelRange&) = delete;

 private:
  bool begun_;
};

// Runs a user's kernel: parallel_for with a name, so that profiles show it beside Vitro's kernels,
// with its rates.
//   launch("scale", n, {.bytes = 8, .flops = 1}, [&](int64_t begin, int64_t end) { … });
template <class F>
void launch(std::string_view name, int64_t items, Cost per_item, F&& body) {
  const KernelRange range(name, items, per_item);
  parallel_for(items, grain_for(per_item), body);
}

}  // namespace vitro
