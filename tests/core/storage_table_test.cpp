#include "core/storage_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace vitro {
namespace {

TEST(StorageTable, finds_what_was_added_however_much_it_holds) {
  StorageTable table;
  for (uint32_t i = 0; i < 1000; ++i) table.add(uint64_t{i} * i * i, i);
  for (uint32_t i = 0; i < 1000; ++i) {
    const uint32_t* found = table.find(uint64_t{i} * i * i);
    ASSERT_NE(found, nullptr) << i;
    EXPECT_EQ(*found, i);
  }
  EXPECT_EQ(table.find(2), nullptr);
}

TEST(StorageTable, is_empty_after_clear_and_is_filled_anew) {
  StorageTable table;
  for (uint32_t round = 0; round < 50; ++round) {
    table.clear();
    for (uint64_t id = 0; id < 100; ++id) EXPECT_EQ(table.find(id), nullptr);
    for (uint64_t id = 0; id < 100; ++id) table.add(id, round);
    for (uint64_t id = 0; id < 100; ++id) EXPECT_EQ(*table.find(id), round);
  }
}

TEST(StorageTable, has_seen_a_storage_the_second_time_and_never_none) {
  StorageTable table;
  std::vector<Storage> all;
  for (int i = 0; i < 100; ++i) all.push_back(Storage::allocate(4, cpu));
  for (const Storage& storage : all) EXPECT_FALSE(table.seen(storage));
  for (const Storage& storage : all) EXPECT_TRUE(table.seen(Storage(storage)));
  EXPECT_FALSE(table.seen(Storage()));
  EXPECT_FALSE(table.seen(Storage()));
}

}  // namespace
}  // namespace vitro
