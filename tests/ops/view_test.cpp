// Views: index maps agree with strides; symbols pass through shape rules.
#include <gtest/gtest.h>

#include "vitro/ops/all.h"

namespace vitro {
namespace {

TensorMeta meta_of(Sizes sizes, Sizes strides, Size offset = 0) {
  return {DType::f32, cpu, std::move(sizes), std::move(strides), offset};
}

template <class Op>
TensorMeta shape_of(const TensorMeta& x, const typename Op::Attrs& attrs) {
  const Argument operand{&x, nullptr};
  std::vector<TensorMeta> results;
  ShapeCall call{Op::name, {&operand, 1}, ops::attrs_view<Op>(attrs), results};
  Op::shape(call);
  return results.at(0);
}

// Expects the same address for every element of the result by its strides and through the map.
template <class Op>
void expect_agreement(const TensorMeta& x, const typename Op::Attrs& attrs) {
  const TensorMeta y = shape_of<Op>(x, attrs);
  Ints index(y.sizes.size(), 0);
  int64_t count = 1;
  for (const Size s : y.sizes) count *= s.value();
  for (int64_t n = 0; n < count; ++n) {
    std::vector<sym::Expr> at;
    int64_t by_strides = y.offset.value(), by_map = x.offset.value();
    for (size_t d = 0; d < index.size(); ++d) {
      at.emplace_back(index[d]);
      by_strides += index[d] * y.strides[d].value();
    }
    const auto from = Op::map(x, y, ops::attrs_view<Op>(attrs), at);
    ASSERT_EQ(from.size(), x.sizes.size());
    for (size_t d = 0; d < from.size(); ++d) {
      ASSERT_TRUE(from[d].constant());
      ASSERT_GE(*from[d].constant(), 0);
      ASSERT_LT(*from[d].constant(), x.sizes[d].value());
      by_map += *from[d].constant() * x.strides[d].value();
    }
    ASSERT_EQ(by_map, by_strides) << Op::name << " element " << n;
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < y.sizes[d].value()) break;
      index[d] = 0;
    }
  }
}

TEST(View, index_maps_agree_with_strides) {
  const TensorMeta dense = meta_of({2, 3, 4}, {12, 4, 1}),
                   turned = meta_of({2, 3, 4}, {1, 8, 2}, 5);
  for (const TensorMeta& x : {dense, turned}) {
    expect_agreement<ops::Permute>(x, {{2, 0, -2}});
    expect_agreement<ops::Slice>(x, {1, 1, 3, 1});
    expect_agreement<ops::Slice>(x, {-1, -3, INT64_MAX, 2});
    expect_agreement<ops::Select>(x, {1, -1});
    expect_agreement<ops::Unsqueeze>(x, {1});
    expect_agreement<ops::Unsqueeze>(x, {-1});
    expect_agreement<ops::Squeeze>(x, {{}});
    expect_agreement<ops::Expand>(x, {{5, 2, -1, 4}});
    expect_agreement<ops::Diagonal>(x, {1, 1, 2});
    expect_agreement<ops::Diagonal>(x, {-1, 0, -1});
  }
  expect_agreement<ops::Expand>(meta_of({3, 1}, {1, 1}), {{2, 3, 7}});
  expect_agreement<ops::Squeeze>(meta_of({1, 3, 1, 2}, {6, 2, 2, 1}), {{0, 1}});
  for (const Sizes& size : {Sizes{24}, Sizes{6, 4}, Sizes{2, 12}, Sizes{4, 6}, Sizes{1, 2, 3, 1, 4},
                            Sizes{2, 3, 2, 2}, Sizes{8, -1}}) {
    expect_agreement<ops::View>(dense, {size});
  }
  expect_agreement<ops::View>(meta_of({2, 3, 4}, {4, 8, 1}), {{2, 3, 2, 2}});
  expect_agreement<ops::View>(meta_of({}, {}), {{1, 1}});
}

TEST(View, maps_of_matching_runs_stay_simple) {
  const sym::Expr n = sym::Expr::symbol("view_n"), i = sym::Expr::index("i", n),
                  j = sym::Expr::index("j", 12), k = sym::Expr::index("k", 32);
  const Size rows(5, n);
  const TensorMeta x = meta_of({1, rows, 384}, {rows * 384, 384, 1});
  const TensorMeta y = shape_of<ops::View>(x, {{rows, 12, 32}});
  const sym::Expr index[] = {i, j, k};
  const auto from = ops::View::map(x, y, {}, index);
  EXPECT_EQ(from[0], sym::Expr(0));
  EXPECT_EQ(from[1], i);
  EXPECT_EQ(from[2], j * 32 + k);
}

TEST(View, symbolic_sizes_pass_through_without_being_pinned) {
  const sym::Expr n = sym::Expr::symbol("view_m");
  const Size rows(5, n);
  sym::GuardSink guards;
  const TensorMeta x = meta_of({2, rows, 8}, {rows * 8, 8, 1});
  EXPECT_EQ(shape_of<ops::View>(x, {{-1, 8}}).sizes[0].expr(), n * 2);
  EXPECT_EQ(shape_of<ops::View>(x, {{2, rows, 2, 4}}).sizes[1].expr(), n);
  EXPECT_EQ(shape_of<ops::Permute>(x, {{1, 0, 2}}).strides[1].expr(), n * 8);
  EXPECT_EQ(shape_of<ops::Expand>(x, {{3, 2, -1, -1}}).sizes[2].expr(), n);
  EXPECT_EQ(shape_of<ops::Unsqueeze>(x, {0}).sizes[2].expr(), n);
  EXPECT_TRUE(guards.guards().empty()) << guards.guards()[0].text();
}

}  // namespace
}  // namespace vitro
