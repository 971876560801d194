#include "runtime/placement.h"

#include <unistd.h>

namespace vitro::runtime {
namespace {

bool in_set(int processor, const cpu_set_t& set) {
  return processor >= 0 && processor < CPU_SETSIZE && CPU_ISSET(processor, &set);
}

// left = allowed \ taken; returns false if it is empty.
bool subtract(const cpu_set_t& allowed, const cpu_set_t& taken, cpu_set_t& left) {
  CPU_AND(&left, &allowed, &taken);
  CPU_XOR(&left, &allowed, &left);
  return CPU_COUNT(&left) > 0;
}

}  // namespace

Placement::Placement(int most_workers) : seats_(std::make_unique<Seat[]>(most_workers + 1)) {
  // Fails on machines with more processors than the set holds; then no worker is ever moved.
  if (sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) CPU_ZERO(&allowed_);
}

void Placement::sleeps(int worker) {
  Seat& seat = seats_[worker];
  if (seat.thread.load(std::memory_order_relaxed) == 0) seat.thread = gettid();
  if (seat.moved.exchange(false)) sched_setaffinity(0, sizeof allowed_, &allowed_);
  seat.processor = sched_getcpu();
}

void Placement::woke(int worker) {
  seats_[worker].processor = -1;
}

void Placement::spread(int last) {
  cpu_set_t taken;
  CPU_ZERO(&taken);
  const int here = sched_getcpu();
  if (here < 0 || here >= CPU_SETSIZE) return;
  CPU_SET(here, &taken);
  for (int worker = 1; worker <= last; ++worker) {
    Seat& seat = seats_[worker];
    const int processor = seat.processor.load();
    if (processor < 0 || processor >= CPU_SETSIZE) continue;
    cpu_set_t elsewhere;
    if (!in_set(processor, taken)) {
      CPU_SET(processor, &taken);
    } else if (subtract(allowed_, taken, elsewhere)) {
      seat.moved = true;
      sched_setaffinity(seat.thread.load(), sizeof elsewhere, &elsewhere);
    }
  }
}

}  // namespace vitro::runtime
