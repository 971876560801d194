// Blocks from the system: those that share huge pages do not overlap, and their memory is used
// again.
#include "runtime/cpu/block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>

namespace vitro::runtime {
namespace {

TEST(Block, of_any_size_is_aligned_and_apart_from_the_others) {
  std::mt19937 random(5);
  std::map<uintptr_t, size_t> live;
  const auto give_back = [&](auto block) {
    const auto [at, bytes] = *block;
    auto* data = reinterpret_cast<unsigned char*>(at);
    EXPECT_TRUE(std::all_of(data, data + bytes, [&](auto c) { return c == bytes % 251; }));
    return_to_system(data, bytes);
    return live.erase(block);
  };
  for (int i = 0; i < 400; ++i) {
    const size_t bytes = size_class(size_t{1} << (12 + random() % 11)).bytes + 64 * (random() % 9);
    void* data = take_from_system(bytes);
    ASSERT_NE(data, nullptr);
    const auto at = reinterpret_cast<uintptr_t>(data);
    EXPECT_EQ(at % block_alignment, 0);
    const auto after = live.lower_bound(at);
    if (after != live.end()) EXPECT_LE(at + bytes, after->first);
    if (after != live.begin()) EXPECT_LE(std::prev(after)->first + std::prev(after)->second, at);
    std::memset(data, static_cast<int>(bytes % 251), bytes);
    live.emplace(at, bytes);
    if (live.size() > 40)
      give_back(std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size())));
  }
  for (auto block = live.begin(); block != live.end();) block = give_back(block);
}

TEST(Block, takes_the_place_of_one_that_was_returned) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer keeps returned memory for a while";
#endif
  constexpr size_t bytes = 512 << 10;
  void *first = take_from_system(bytes), *second = take_from_system(bytes);
  return_to_system(first, bytes);
  void* third = take_from_system(bytes);
  EXPECT_EQ(third, first);
  return_to_system(second, bytes);
  return_to_system(third, bytes);
}

}  // namespace
}  // namespace vitro::runtime
