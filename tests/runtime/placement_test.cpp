#include "runtime/placement.h"

#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

namespace vitro::runtime {
namespace {

cpu_set_t my_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

void pin_to(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  sched_setaffinity(0, sizeof one, &one);
}

TEST(Placement, moves_a_sleeper_off_the_callers_processor_until_it_sleeps_again) {
  const cpu_set_t all = my_processors();
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "needs two processors";
  Placement placement(1);
  std::binary_semaphore asleep{0}, wake{0};
  int slept_on = -1;
  cpu_set_t after_waking, after_sleeping_again;
  std::thread worker([&] {
    slept_on = sched_getcpu();
    pin_to(slept_on);  // so that the test knows the processor
    placement.sleeps(1);
    sched_setaffinity(0, sizeof all, &all);
    asleep.release();
    wake.acquire();
    after_waking = my_processors();
    placement.woke(1);
    placement.sleeps(1);
    after_sleeping_again = my_processors();
  });
  asleep.acquire();
  // The caller moves to the processor on which the worker sleeps.
  pin_to(slept_on);
  placement.spread(1);
  wake.release();
  worker.join();
  sched_setaffinity(0, sizeof all, &all);
  EXPECT_FALSE(CPU_ISSET(slept_on, &after_waking));
  EXPECT_EQ(CPU_COUNT(&after_waking), CPU_COUNT(&all) - 1);
  EXPECT_TRUE(CPU_EQUAL(&after_sleeping_again, &all));
}

}  // namespace
}  // namespace vitro::runtime
