// Work on all cores: one pool of threads for the whole process.
//   parallel_for(rows, grain_for({.bytes = 8.0 * columns}), [&](int64_t begin, int64_t end) { … });
// The range is cut into pieces of at least `grain` items; the caller takes part, and each thread
// works through a stretch of its own before it takes from others.  How the range is cut depends on
// the number of threads, so an item's result must not depend on its neighbours in a piece.
// Threads: any.  A call from inside a piece, or while another thread's call has the pool, runs on
// the calling thread alone.  A child after fork() gets a pool of its own.
// Errors: the first exception that a piece throws; pieces not yet begun are then left out.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>

#include "vitro/base/verdict.h"

namespace vitro {

// How many threads a parallel_for may use, the caller included: VITRO_NUM_THREADS, else as many as
// the process may run on at once.
int num_threads();
// Error for less than 1 or more than 1024.
void set_num_threads(int count);

// What one item costs: memory moved, and operations as an elementary function counts them.
struct Cost {
  double bytes = 0, flops = 0;
};

// The least number of items that are worth handing to another thread.
int64_t grain_for(Cost per_item);
// Whether parallel_for would use more than one thread, and why not.
Verdict should_parallelise(int64_t items, Cost per_item);

// One piece: items begin to end; `thread` is below num_threads() and differs between pieces that
// run at the same time.
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

// A kernel in profiles for as long as it lives, with what all its items cost together.  A branch
// while nobody records.
class KernelRange {
 public:
  KernelRange(std::string_view name, int64_t items, Cost per_item);
  ~KernelRange();
  KernelRange(const KernelRange&) = delete;

 private:
  bool begun_;
};

// A kernel of the user's: parallel_for with a name, so that profiles show it beside ours with its
// rates.
//   launch("scale", n, {.bytes = 8, .flops = 1}, [&](int64_t begin, int64_t end) { … });
template <class F>
void launch(std::string_view name, int64_t items, Cost per_item, F&& body) {
  const KernelRange range(name, items, per_item);
  parallel_for(items, grain_for(per_item), body);
}

}  // namespace vitro
