// For a test program that starts itself again with --gtest_filter.
#pragma once
#include <stdlib.h>

namespace vitro {

// Processes started from here on run the tests that they name.  Without this, one that was started
// for a shard of all tests (GTEST_TOTAL_SHARDS) hands that on, and the test named is in another
// shard.
inline void leave_shard() {
  unsetenv("GTEST_TOTAL_SHARDS");
  unsetenv("GTEST_SHARD_INDEX");
}

}  // namespace vitro
