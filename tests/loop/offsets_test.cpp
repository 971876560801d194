// Offsets of buffers in loop kernels: how they are found, and subtracted from the accesses.
#include "loop/offsets.h"

#include <gtest/gtest.h>

#include <functional>

#include "loop/structure.h"

namespace vitro::loop {
namespace {

using sym::Expr;

// y[6*i + to] = a[i + from] * b[i + to]; y[6*i + to + 1] = a[i + from + 2], for i < 10
Kernel two_stores(Expr from, Expr to) {
  Kernel k;
  k.pool = std::make_shared<Pool>();
  k.buffers = {{"a", DType::f32, false}, {"b", DType::f32, false}, {"y", DType::f32, true}};
  static const Expr i = Expr::index("i", 10);
  const auto load = [&](int buffer, Expr element) {
    return k.pool->load(buffer, DType::f32, element);
  };
  Block body;
  body.push_back({Store{2, i * 6 + to, load(0, i + from) * load(1, i + to)}});
  body.push_back({Store{2, i * 6 + to + 1, load(0, i + from + 2)}});
  k.body.push_back({Loop{i, 0, 10, false, std::move(body)}});
  return k;
}

Kernel moved(Kernel k) {
  subtract_offsets(k, offsets_of(k));
  return k;
}

Block& body_of(Kernel& k) {
  return std::get<Loop>(k.body[0].what).body;
}

TEST(Offsets, are_what_the_first_access_of_each_buffer_adds_to_its_indices) {
  EXPECT_EQ(offsets_of(two_stores(4, 3)), (std::vector<Expr>{4, 3, 3}));
  const Expr n = Expr::symbol("s0");
  EXPECT_EQ(offsets_of(two_stores(0, n * 3 + 1)), (std::vector<Expr>{0, n * 3 + 1, n * 3 + 1}));
  EXPECT_TRUE(offsets_of(two_stores(0, 0)).empty());
}

TEST(Offsets, that_may_be_negative_stay) {
  const Expr n = Expr::symbol("s0");
  EXPECT_EQ(offsets_of(two_stores(-1, 5)), (std::vector<Expr>{0, 5, 5}));
  EXPECT_EQ(offsets_of(two_stores(n - 4, 5)), (std::vector<Expr>{0, 5, 5}));
}

TEST(Offsets, of_buffers_that_are_walked_backwards_are_where_the_walk_starts) {
  Kernel k = two_stores(0, 0);
  const Expr i = std::get<Loop>(k.body[0].what).index;
  std::get<Store>(body_of(k)[0].what).element = i * -6 + 54;
  EXPECT_EQ(offsets_of(k), (std::vector<Expr>{0, 0, 54}));
  EXPECT_EQ(std::get<Store>(body_of(k = moved(k))[0].what).element, i * -6);
  EXPECT_EQ(std::get<Store>(body_of(k)[1].what).element, i * 6 - 53);
}

TEST(Offsets, taken_away_leave_the_kernel_that_has_none) {
  EXPECT_EQ(print(moved(two_stores(4, 3))), print(two_stores(0, 0)));
  EXPECT_EQ(print(moved(two_stores(2, 7))), print(two_stores(0, 0))) << "what a[i + 2] was is a[i]";
  EXPECT_EQ(structure_of(moved(two_stores(4, 3))), structure_of(two_stores(0, 0)));
  EXPECT_EQ(structure_of(moved(two_stores(2, 7))), structure_of(two_stores(0, 0)));
  EXPECT_NE(structure_of(two_stores(4, 3)), structure_of(two_stores(0, 0)));
}

TEST(Offsets, are_those_of_variables_and_not_of_scratch) {
  Kernel k = two_stores(4, 3);
  k.rows = {{"row", DType::f32, 100}};
  Block& body = body_of(k);
  const Expr i = std::get<Loop>(k.body[0].what).index;
  const Value row = k.pool->load(Kernel::first_row, DType::f32, i + 5);
  body[0] = {Declare{0, k.pool->load(0, DType::f32, i + 4) + row, true, "v"}};
  body.push_back({Assign{{0}, {k.pool->load(1, DType::f32, i + 9) * 2.0}}});
  EXPECT_EQ(offsets_of(k), (std::vector<Expr>{4, 9, 4}));
  k = moved(k);
  const Value declared = std::get<Declare>(body_of(k)[0].what).value;
  EXPECT_EQ(declared->operands[0]->index, i);
  EXPECT_EQ(declared->operands[1], row.node());
  EXPECT_EQ(std::get<Assign>(body_of(k)[2].what).values[0]->operands[0]->index, i);
}

TEST(Offsets, are_those_of_blocks_that_are_turned_over) {
  Kernel k;
  k.pool = std::make_shared<Pool>();
  k.buffers = {{"x", DType::f32, false}, {"y", DType::f32, true}};
  const Expr b = Expr::index("b", 3);
  k.tasks = {b};
  k.body.push_back({Turn{0, b * 16 + 5, 100, 16, 16, 1, b * 64 + 7, 200}});
  k.body.push_back({Turn{0, b * 16 + 9, 100, 16, 16, Kernel::first_row, 8, 200}});
  EXPECT_EQ(offsets_of(k), (std::vector<Expr>{5, 7}));
  k = moved(k);
  const auto &first = std::get<Turn>(k.body[0].what), &second = std::get<Turn>(k.body[1].what);
  EXPECT_EQ(first.base, b * 16);
  EXPECT_EQ(first.to_base, b * 64);
  EXPECT_EQ(second.base, b * 16 + 4);
  EXPECT_EQ(second.to_base, Expr(8));
}

TEST(Offsets, of_kernels_with_indirect_indices_trees_and_products_stay) {
  const std::function<void(Kernel&)> changes[] = {
      [](Kernel& k) { k.indirect_indices.emplace_back(); },
      [](Kernel& k) { k.trees.emplace_back(); },
      [](Kernel& k) { k.body.push_back({Pack{1, 1, 0, 1, DType::f32, 0, 1, 0, 1, 1}}); },
      [](Kernel& k) { body_of(k).push_back({Multiply{}}); },
  };
  for (const auto& change : changes) {
    Kernel k = two_stores(4, 3);
    change(k);
    EXPECT_TRUE(offsets_of(k).empty());
  }
}

}  // namespace
}  // namespace vitro::loop
