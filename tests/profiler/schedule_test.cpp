#include "vitro/profiler/schedule.h"

#include <gtest/gtest.h>

#include <string>

#include "profiler/checks.h"
#include "vitro/base/error.h"
#include "vitro/events/rare.h"

namespace vitro {
namespace {

// A letter for each of the first steps: . none, w warmup, r record, s record_and_save.
std::string letters(const ScheduleOptions& options, int64_t steps) {
  const Schedule action = schedule(options);
  std::string text;
  for (int64_t i = 0; i < steps; ++i) text += ".wrs"[static_cast<size_t>(action(i))];
  return text;
}

std::string error_of(const ScheduleOptions& options) {
  try {
    schedule(options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

// The results of torch.profiler.schedule for the same numbers.
TEST(Schedule, gives_the_actions_of_torch) {
  EXPECT_EQ(letters({.wait = 1, .warmup = 1, .active = 3}, 12), ".wrrs.wrrs.w");
  EXPECT_EQ(letters({.wait = 1, .warmup = 1, .active = 2, .repeat = 2}, 12), ".wrs.wrs....");
  EXPECT_EQ(letters({.skip_first = 3, .wait = 2, .warmup = 1, .active = 1}, 12), ".....ws..ws.");
  EXPECT_EQ(letters({.warmup = 1}, 6), "wswsws");
  EXPECT_EQ(letters({.active = 2}, 5), "rsrsr");
  EXPECT_EQ(
      letters({.skip_first = 1, .wait = 3, .warmup = 1, .active = 1, .skip_first_wait = true}, 12),
      ".ws...ws...w");
}

TEST(Schedule, warns_without_a_warm_up) {
  const uint64_t mark = events::rare_mark();
  schedule({.wait = 1, .warmup = 1, .active = 3});
  EXPECT_EQ(warnings_since(mark), 0u);
  schedule({.wait = 1, .active = 3});
  EXPECT_EQ(warnings_since(mark), 1u);
}

TEST(Schedule, says_which_number_is_wrong) {
  EXPECT_EQ(error_of({.wait = -1}), "schedule: wait is -1, needs 0 or more");
  EXPECT_EQ(error_of({.warmup = 1, .active = 0}),
            "schedule: active is 0; a cycle needs at least one recorded step");
}

}  // namespace vitro
