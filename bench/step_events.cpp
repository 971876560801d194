#include <algorithm>
#include <vector>

#include "harness.h"
#include "vitro/base/clock.h"
#include "vitro/events/record.h"
#include "vitro/events/session.h"

namespace vitro::bench {
namespace {

constexpr int rounds = 15, calls = 100'000;

// Keeps the compiler from dropping what it stands beside.
void barrier() {
  asm volatile("" ::: "memory");
}

// The time of one f(), the loop included.
double ns_of(int times, auto f) {
  const auto all = [&f] {
    for (int i = 0; i < calls; ++i) {
      f();
      barrier();
    }
  };
  return median_ns(times, 1, all) / calls;
}

void op_begin_and_end() {
  static const events::NameId op = events::intern("bench");
  const events::OpScope scope{{op}};
  barrier();
}

double while_recording() {
  std::vector<double> ns;
  for (int i = 0; i < rounds; ++i) {
    events::start();
    ns.push_back(ns_of(1, op_begin_and_end));
    events::stop();
  }
  std::ranges::nth_element(ns, ns.begin() + rounds / 2);
  return ns[rounds / 2];
}

double while_not_recording() {
  return ns_of(rounds, op_begin_and_end) - ns_of(rounds, barrier);
}

double two_clock_reads() {
  return ns_of(rounds, [] {
    const uint64_t begin = ticks(), end = ticks();
    asm volatile("" ::"r"(begin), "r"(end));
  });
}

const Add recording(Step{"events", "an op's begin and end in the recorder", while_recording});
const Add off(Step{"events_off", "the same while nobody records, an empty loop taken off",
                   while_not_recording});
const Add clock_reads(Step{"two_clock_reads", "what a begin and an end cannot go below",
                           two_clock_reads});

}  // namespace
}  // namespace vitro::bench
