#include "large_arrays.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "vitro/analyze/resident.h"

namespace vitro::cli {
namespace {

constexpr size_t mib = size_t{1} << 20;

bool is_in_a_file(void* memory) {
  if (!analyze::give_back_file_memory(memory)) return false;
  EXPECT_FALSE(analyze::give_back_file_memory(memory));
  return true;
}

TEST(LargeArrays, lie_in_files_beyond_the_first_64_mib) {
  keep_large_arrays_in_files();
  std::vector<void*> in_memory;
  void* in_file = nullptr;
  for (int taken = 0; !in_file && taken < 100; ++taken) {
    void* const memory = operator new(8 * mib);
    (is_in_a_file(memory) ? in_file : in_memory.emplace_back()) = memory;
  }
  EXPECT_NE(in_file, nullptr);
  EXPECT_GE(in_memory.size(), 7);  // the heap's overhead counts too
  EXPECT_LE(in_memory.size(), 8);
  for (void* const memory : in_memory) operator delete(memory);
  // Memory is available again.
  void* const again = operator new(8 * mib);
  EXPECT_FALSE(is_in_a_file(again));
  operator delete(again);
}

// The records of large arrays are memory too, sometimes at the start of a page.
TEST(LargeArrays, come_and_go_wherever_their_records_lie) {
  keep_large_arrays_in_files();
  const std::vector<char> all_that_goes_to_memory(60 * mib);
  std::vector<std::unique_ptr<char[]>> between;  // spreads the records over pages
  for (int round = 0; round < 600; ++round) {
    operator delete(operator new(8 * mib));
    for (const size_t bytes : {56, 72}) between.push_back(std::make_unique<char[]>(bytes));
  }
}

}  // namespace
}  // namespace vitro::cli
