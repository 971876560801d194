// Tests that resident pages of mapped files stay below the limit and that nothing written is lost,
// by reading the process's own statistics.
#include "analyze/store/mapped.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <numeric>
#include <thread>
#include <vector>

#include "analyze/trace_files.h"
#include "vitro/analyze/resident.h"

namespace vitro::analyze {
namespace {

// Resident part of mapped files, in MiB.
size_t resident() {
  size_t all = 0, used = 0, of_files = 0;
  std::ifstream("/proc/self/statm") >> all >> used >> of_files;
  return of_files * static_cast<size_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

bool becomes_less_than(size_t mib) {
  for (int tries = 0; tries < 1000 && resident() >= mib; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return resident() < mib;
}

class MappedFiles : public testing::Test {
 protected:
  ~MappedFiles() override { resident_mb.set(before_); }

  // The mapped program itself counts too.
  void allow(size_t mib) { resident_mb.set(static_cast<int64_t>(resident() + mib)); }

  TraceFolder folder_;

 private:
  int64_t before_ = resident_mb.get();
};

constexpr size_t mib = size_t{1} << 20;

// More than may be resident.
size_t many_numbers() {
  return (resident() + 64) * mib / sizeof(uint64_t);
}

TEST_F(MappedFiles, are_let_go_of_where_too_much_is_resident_and_keep_what_was_written) {
  allow(8);
  const size_t before = resident(), numbers = many_numbers();
  auto scratch = Mapped::scratch(folder_.path(), numbers * sizeof(uint64_t));
  ASSERT_TRUE(scratch) << scratch.why();
  const std::span all(static_cast<uint64_t*>(scratch->data()), numbers);
  EXPECT_EQ(all[numbers / 2], 0U);
  std::iota(all.begin(), all.end(), 7);
  EXPECT_TRUE(becomes_less_than(before + 32));
  for (size_t i = 0; i < numbers; ++i) ASSERT_EQ(all[i], i + 7);
  EXPECT_TRUE(becomes_less_than(before + 32));
}

TEST_F(MappedFiles, are_let_go_of_by_loops_over_events) {
  allow(8);
  const size_t before = resident(), numbers = many_numbers();
  auto scratch = Mapped::scratch(folder_.path(), numbers * sizeof(uint64_t));
  ASSERT_TRUE(scratch) << scratch.why();
  const std::span all(static_cast<uint64_t*>(scratch->data()), numbers);
  std::vector<EventId> pages;
  for (EventId at = 0; at < numbers; at += 32) pages.push_back(at);
  size_t most = 0, steps = 0;
  for (const EventId at : paced(pages)) {
    // Just after a check by the loop: 4 MiB are touched between two checks.
    if (steps % (1U << 14) == 0) most = std::max(most, resident());
    all[at] = ++steps;
  }
  EXPECT_EQ(steps, pages.size());
  EXPECT_LE(most, before + 8 + 1);
}

TEST_F(MappedFiles, come_and_go_while_others_are_let_go_of) {
  allow(1);
  std::vector<std::jthread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 30; ++round) {
        auto scratch = Mapped::scratch(folder_.path(), 4 * mib);
        ASSERT_TRUE(scratch) << scratch.why();
        const std::span all(static_cast<uint64_t*>(scratch->data()), 4 * mib / sizeof(uint64_t));
        std::iota(all.begin(), all.end(), t);
        for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i + t);
      }
    });
  }
}

TEST_F(MappedFiles, that_have_no_room_say_so) {
  const auto scratch = Mapped::scratch(folder_.path(), size_t{1} << 60);
  ASSERT_FALSE(scratch);
  EXPECT_NE(scratch.why().find("no room"), std::string::npos) << scratch.why();
  EXPECT_FALSE(Mapped::scratch(folder_.path() + "/none", 1));
  EXPECT_FALSE(Mapped::open(folder_.path() + "/none"));
}

TEST_F(MappedFiles, give_memory_that_is_given_back) {
  void* memory = take_file_memory(mib);
  ASSERT_NE(memory, nullptr);
  static_cast<char*>(memory)[mib - 1] = 1;
  EXPECT_TRUE(give_back_file_memory(memory));
  EXPECT_FALSE(give_back_file_memory(memory));
  EXPECT_EQ(take_file_memory(size_t{1} << 60), nullptr);
}

}  // namespace
}  // namespace vitro::analyze
