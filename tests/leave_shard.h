// For test programs that run themselves in a child process with --gtest_filter.
#pragma once
#include <stdlib.h>

namespace vitro {

// Removes the test shard from the environment. Otherwise a process that runs one shard of all tests
// (GTEST_TOTAL_SHARDS) passes it on, and the child skips the named test if it is in another shard.
inline void leave_shard() {
  unsetenv("GTEST_TOTAL_SHARDS");
  unsetenv("GTEST_SHARD_INDEX");
}

}  // namespace vitro
