// The thread pool of parallel_for: splits a range into pieces, wakes workers and lets them steal.
// The protocol between caller and workers is described in pool.h.
#include "runtime/pool.h"

#include <pthread.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "base/signals_blocked.h"
#include "runtime/cpu/machine.h"
#include "runtime/futex.h"
#include "runtime/options.h"
#include "vitro/base/cat.h"
#include "vitro/base/clock.h"
#include "vitro/events/record.h"

namespace vitro::runtime {
namespace {

constexpr uint32_t opened = 1u << 31;
constexpr uint32_t caller_sleeps = 1u << 30;
constexpr uint32_t count_mask = caller_sleeps - 1;

// An idle thread spins for this long before it sleeps: longer than the gap between two kernels,
// short enough that an idle program uses no processor time.
constexpr int64_t spin_ns = 40'000;

// Pieces per thread, if the grain allows it: others can take over from a delayed thread.
constexpr int64_t pieces_per_thread = 8;

thread_local bool inside_piece = false;

// Spins until done().  Returns false after spin_ns.
template <class Done>
bool spin_until(Done done) {
  const uint64_t begin = ticks();
  for (;;) {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      spin_pause();
    }
    if (ticks_to_ns(ticks() - begin) > spin_ns) return false;
  }
}

// Owns the pool.  The child of a fork drops it, because its threads do not exist there.
struct Owner {
  std::mutex lock;
  std::atomic<Pool*> pool{nullptr};
};

Owner& owner() {
  static auto* one = [] {
    pthread_atfork([] { owner().lock.lock(); }, [] { owner().lock.unlock(); },
                   [] {
                     owner().pool.store(nullptr, std::memory_order_relaxed);
                     owner().lock.unlock();
                   });
    return new Owner;
  }();
  return *one;
}

int initial_threads() {
  const int64_t wish = thread_count.get();
  if (wish == 0) return machine().available_threads;
  return static_cast<int>(std::clamp<int64_t>(wish, 1, Pool::most_threads));
}

}  // namespace

Pool& Pool::get() {
  Owner& all = owner();
  if (Pool* pool = all.pool.load(std::memory_order_acquire)) return *pool;
  std::lock_guard hold(all.lock);
  if (!all.pool.load(std::memory_order_relaxed)) {
    all.pool.store(new Pool, std::memory_order_release);
  }
  return *all.pool.load(std::memory_order_relaxed);
}

Pool::Pool() : threads_(initial_threads()) {
  ticks_to_ns(0);  // calibrates the clock now, not while a thread spins
  job_.stretch = std::make_unique<Stretch[]>(most_threads);
}

bool Pool::inside() {
  return inside_piece;
}

bool Pool::try_run(int64_t items, int64_t grain, ParallelBody body, void* context) {
  if (busy_.exchange(true, std::memory_order_acquire)) return false;
  const int team = static_cast<int>(std::min<int64_t>(items / grain, threads()));
  start_workers(team - 1);
  prepare(items, grain, body, context, team);
  begin_flow();
  open(team - 1);
  const int64_t mine = work(0);
  close();
  if (job_.flow != 0) events::record(events::OwnItems{static_cast<uint64_t>(mine)});
  const std::exception_ptr error = std::exchange(job_.error, nullptr);
  busy_.store(false, std::memory_order_release);
  if (error) std::rethrow_exception(error);
  return true;
}

void Pool::prepare(int64_t items, int64_t grain, ParallelBody body, void* context, int team) {
  job_.body = body;
  job_.context = context;
  job_.items = items;
  job_.pieces = std::min(items / grain, team * pieces_per_thread);
  job_.stretches = team;
  job_.failed.store(job_.pieces, std::memory_order_relaxed);
  const int64_t each = job_.pieces / team, longer = job_.pieces % team;
  int64_t begin = 0;
  for (int t = 0; t < team; ++t) {
    job_.stretch[t].next.store(begin, std::memory_order_relaxed);
    begin += each + (t < longer);
    job_.stretch[t].end = begin;
    job_.stretch[t].taken.store(t == 0, std::memory_order_relaxed);
  }
}

// Begins the arrow from the launch to each worker's share.
void Pool::begin_flow() {
  job_.flow = 0;
  if (!events::recording()) return;
  if (++flows_ == 0) ++flows_;
  job_.flow = flows_;
  events::record(events::FlowBegin{events::FlowKind::launch, job_.flow});
}

// If the system cannot create more threads, the existing ones do the work.
void Pool::start_workers(int wanted) {
  if (workers_ >= wanted) return;
  const SignalsBlocked blocked;
  try {
    for (; workers_ < wanted; ++workers_) {
      std::thread([this, thread = workers_ + 1] { worker(thread); }).detach();
    }
  } catch (const std::system_error&) {
    set_threads(workers_ + 1);
  }
}

void Pool::open(int helpers) {
  gate_.store(opened, std::memory_order_release);
  // wait_for_signal() writes sleepers_ before it reads signal_, so at least one side sees the
  // other's write.
  signal_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  placement_.spread(workers_);
  futex_wake(signal_, helpers);
}

void Pool::close() {
  gate_.fetch_and(~opened, std::memory_order_acq_rel);
  const auto left = [&] { return (gate_.load(std::memory_order_acquire) & count_mask) == 0; };
  if (spin_until(left)) return;
  for (;;) {
    const uint32_t before = gate_.fetch_or(caller_sleeps, std::memory_order_acq_rel);
    if ((before & count_mask) == 0) break;
    futex_wait(gate_, before | caller_sleeps);
  }
  gate_.store(0, std::memory_order_relaxed);
}

bool Pool::enter() {
  uint32_t now = gate_.load(std::memory_order_relaxed);
  while (now & opened) {
    if (gate_.compare_exchange_weak(now, now + 1, std::memory_order_acquire)) return true;
  }
  return false;
}

void Pool::leave() {
  const uint32_t before = gate_.fetch_sub(1, std::memory_order_acq_rel);
  if (before == (caller_sleeps | 1)) futex_wake(gate_, 1);
}

void Pool::worker(int thread) {
  const std::string name = cat("vitro-", thread);
  pthread_setname_np(pthread_self(), name.c_str());
  events::name_this_thread(name);
  uint32_t seen = signal_.load(std::memory_order_acquire) - 1;  // there may be work already
  for (;;) {
    seen = wait_for_signal(seen, thread);
    if (!enter()) continue;
    if (const int stretch = claim_stretch(thread); stretch >= 0) {
      help(stretch);
      job_.stretch[stretch].taken.store(false, std::memory_order_release);
    }
    leave();
  }
}

uint32_t Pool::wait_for_signal(uint32_t seen, int thread) {
  const auto changed = [&] { return signal_.load(std::memory_order_acquire) != seen; };
  if (!spin_until(changed)) {
    placement_.sleeps(thread);
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    while (!changed()) futex_wait(signal_, seen);
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
    placement_.woke(thread);
  }
  return signal_.load(std::memory_order_acquire);
}

// Prefers the worker's stretch of the last job, whose data may still be in the core's cache.
// Returns -1 if no stretch is free.
int Pool::claim_stretch(int wanted) {
  const auto free = [&](int s) {
    return !job_.stretch[s].taken.exchange(true, std::memory_order_acquire);
  };
  if (wanted < job_.stretches && free(wanted)) return wanted;
  for (int s = 1; s < job_.stretches; ++s) {
    if (free(s)) return s;
  }
  return -1;
}

// Runs a worker's share and records it.
void Pool::help(int stretch) {
  const bool begun = events::record(events::WorkBegin{});
  if (begun && job_.flow != 0) events::record(events::FlowEnd{events::FlowKind::launch, job_.flow});
  const int64_t items = work(stretch);
  if (begun) events::record(events::WorkEnd{static_cast<uint64_t>(items)});
}

int64_t Pool::work(int thread) {
  int64_t items = 0;
  inside_piece = true;
  for (int step = 0; step < job_.stretches; ++step) {
    items += work_through(job_.stretch[(thread + step) % job_.stretches], thread);
  }
  inside_piece = false;
  return items;
}

int64_t Pool::work_through(Stretch& stretch, int thread) {
  int64_t items = 0;
  const auto border = [&](int64_t piece) {
    const int64_t each = job_.items / job_.pieces, longer = job_.items % job_.pieces;
    return piece * each + piece * longer / job_.pieces;
  };
  while (stretch.next.load(std::memory_order_relaxed) < stretch.end) {
    const int64_t piece = stretch.next.fetch_add(1, std::memory_order_relaxed);
    if (piece >= stretch.end || piece > job_.failed.load(std::memory_order_relaxed)) break;
    items += border(piece + 1) - border(piece);
    try {
      job_.body(job_.context, border(piece), border(piece + 1), thread);
    } catch (...) {
      fail(piece, std::current_exception());
    }
  }
  return items;
}

// Keeps the error of the first piece in order: those before a failed piece run, so that the error
// does not depend on which thread comes first; those after it are skipped.
void Pool::fail(int64_t piece, std::exception_ptr error) {
  std::lock_guard hold(job_.error_lock);
  if (piece >= job_.failed.load(std::memory_order_relaxed)) return;
  job_.failed.store(piece, std::memory_order_relaxed);
  job_.error = std::move(error);
}

}  // namespace vitro::runtime
