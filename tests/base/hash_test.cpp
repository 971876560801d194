#include "vitro/base/hash.h"

#include <gtest/gtest.h>

#include <set>

#include "vitro/base/cat.h"

namespace vitro {
namespace {

// Recorded, not derived: a machine that gives other bits does not find what others kept.
TEST(Hash, is_the_same_on_every_machine) {
  EXPECT_EQ(hash_of("vitro").hex(), "7c090e0360829c300a4806fe3bd1100c");
}

TEST(Hash, tells_apart_where_a_text_ends) {
  Hasher a, b;
  a.add("ab");
  a.add("c");
  b.add("a");
  b.add("bc");
  EXPECT_NE(a.finish(), b.finish());
}

TEST(Hash, has_no_collision_among_many_similar_texts) {
  std::set<uint64_t> low, high;
  for (int i = 0; i < 100000; ++i) {
    const Hash h = hash_of(cat("kernel_", i));
    low.insert(h.low);
    high.insert(h.high);
  }
  EXPECT_EQ(low.size(), 100000u);
  EXPECT_EQ(high.size(), 100000u);
}

}  // namespace
}  // namespace vitro
