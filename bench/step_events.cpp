// Steps of vitro_bench: the cost of events, with and without a recording session.
#include <algorithm>
#include <vector>

#include "harness.h"
#include "vitro/base/clock.h"
#include "vitro/core/op_event.h"
#include "vitro/events/record.h"
#include "vitro/events/session.h"
#include "vitro/ops/binary.h"
#include "vitro/profiler/averages.h"
#include "vitro/profiler/profile.h"

namespace vitro::bench {
namespace {

constexpr int rounds = 15, calls = 100'000;

// Keeps the compiler from removing the code next to it.
void barrier() {
  asm volatile("" ::: "memory");
}

// The time of one f(), including the loop.
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

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + values.size() / 2);
  return values[values.size() / 2];
}

// The time of one f() while a session with these options runs.
double while_recording(const events::SessionOptions& options, auto f) {
  std::vector<double> ns;
  for (int i = 0; i < rounds; ++i) {
    events::start(options);
    ns.push_back(ns_of(1, f));
    events::stop();
  }
  return median(std::move(ns));
}

double while_recording() {
  return while_recording({}, op_begin_and_end);
}

// The event that eager records for a call of add on two tensors of rank 2.
void op_event() {
  static const Tensor x = Tensor::empty({2, 2}, DType::f32);
  static const Operand operands[] = {x, x};
  const OpEvent event(OpCall{&ops::def<ops::Add>(), operands, {}, false, {}});
  barrier();
}

double with_shapes() {
  return while_recording({.details = events::Detail::shapes}, op_event);
}

double with_stacks() {
  return while_recording({.details = events::Detail::stacks}, op_event);
}

// For `calls` ops with two events each, begin and end.
double ns_per_event(auto f) {
  std::vector<double> ns;
  for (int i = 0; i < rounds; ++i) {
    events::start();
    for (int call = 0; call < calls; ++call) op_begin_and_end();
    ns.push_back(f() / (2.0 * calls));
  }
  return median(std::move(ns));
}

double ns_since(uint64_t begin) {
  return static_cast<double>(ticks_to_ns(ticks() - begin));
}

double stopping() {
  return ns_per_event([] {
    const uint64_t begin = ticks();
    const Profile profile = make_profile(events::stop());
    return ns_since(begin);
  });
}

double averaging() {
  return ns_per_event([] {
    const Profile profile = make_profile(events::stop());
    const uint64_t begin = ticks();
    const Averages averages(profile);
    return ns_since(begin);
  });
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
const Add shapes(Step{"events_shapes", "the same of an op of two tensors, with shapes",
                      with_shapes});
const Add stacks(Step{"events_stacks", "the same with the stack", with_stacks});
const Add stop(Step{"events_stop", "stopping, for each event recorded", stopping});
const Add averages(Step{"events_averages", "sums per name, for each event recorded", averaging});
const Add off(Step{"events_off", "the same without a recording session, minus an empty loop",
                   while_not_recording});
const Add clock_reads(Step{"two_clock_reads", "a lower bound for a begin and an end",
                           two_clock_reads});

}  // namespace
}  // namespace vitro::bench
