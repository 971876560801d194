#include "vitro/runtime/parallel.h"

#include <algorithm>
#include <cmath>

#include "runtime/pool.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/events/record.h"
#include "vitro/events/stack.h"

namespace vitro {
namespace {

// Rough throughput of one core of a current machine; an error of a factor of two does not matter.
constexpr double bytes_per_ns = 12, flops_per_ns = 16;

// The least work worth waking another thread for: a wake costs a few microseconds, and the call
// ends only with its last thread.
constexpr double piece_ns = 10'000;

double cost_ns(Cost c) {
  return std::max(c.bytes / bytes_per_ns, c.flops / flops_per_ns);
}

}  // namespace

int num_threads() {
  return runtime::Pool::get().threads();
}

void set_num_threads(int count, std::source_location where) {
  const CalledAs name("set_num_threads", where);
  VITRO_CHECK(count >= 1 && count <= runtime::Pool::most_threads, "set_num_threads: got ", count,
              ", needs 1 to ", runtime::Pool::most_threads);
  runtime::Pool::get().set_threads(count);
}

int64_t grain_for(Cost per_item) {
  const double items = piece_ns / std::max(cost_ns(per_item), 1e-3);
  return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(items)));
}

Verdict should_parallelise(int64_t items, Cost per_item) {
  if (num_threads() == 1) return Verdict::no("only one thread is available");
  if (items / 2 < grain_for(per_item)) {
    const auto ns = static_cast<int64_t>(static_cast<double>(items) * cost_ns(per_item));
    return Verdict::no(cat("about ", ns / 1000,
                           " us of work: waking another thread needs at least ",
                           static_cast<int64_t>(piece_ns) / 1000, " us per thread"));
  }
  return Verdict::yes();
}

KernelRange::KernelRange(std::string_view name, int64_t items, Cost per_item)
    : begun_(events::recording()) {
  if (!begun_) return;
  const auto count = static_cast<double>(std::max<int64_t>(items, 0));
  events::record(events::KernelBegin{.kernel = events::intern(name),
                                     .bytes = static_cast<uint64_t>(per_item.bytes * count),
                                     .flops = static_cast<uint64_t>(per_item.flops * count)});
  events::record_stack();
}

KernelRange::~KernelRange() {
  if (begun_) events::record(events::KernelEnd{});
}

void parallel_for(int64_t items, int64_t grain, ParallelBody body, void* context) {
  if (items <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  if (items / 2 >= grain && !runtime::Pool::inside()) {
    runtime::Pool& pool = runtime::Pool::get();
    if (pool.threads() > 1 && pool.try_run(items, grain, body, context)) return;
  }
  body(context, 0, items, 0);
}

}  // namespace vitro
