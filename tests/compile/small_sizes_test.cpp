// Kernels compiled for one size and valid for others give eager's bits for those too, including 1.
#include <gtest/gtest.h>

#include <functional>

#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

using Body = std::function<Tensor(const Tensor&)>;

Tensor filled(int64_t rows, int64_t columns) {
  return reshape(sin(to(arange(rows * columns), DType::f32)), {rows, columns});
}

// Calls with these sizes in order. Kernels compiled at the second distinct size run the later ones.
void expect_bits(const Body& body, std::initializer_list<int64_t> sizes, size_t graphs = 2) {
  init();
  auto fast = compile([&](const Tensor& x) { return body(x); });
  for (const int64_t n : sizes) {
    const Tensor x = filled(n, 5), want = body(x), got = fast(x);
    EXPECT_EQ(cat(got.sizes(), got.strides()), cat(want.sizes(), want.strides())) << n;
    EXPECT_EQ(contiguous(got).to_vector<float>(), contiguous(want).to_vector<float>()) << n;
  }
  const CompiledReport report = fast.report();
  EXPECT_LE(report.segments.size(), graphs);
  EXPECT_TRUE(report.fallbacks.empty());
}

const std::vector<Body>& bodies() {
  static const std::vector<Body> all = {
      [](const Tensor& x) { return exp(x) * 2 + 1; },
      [](const Tensor& x) { return sum(x, {0}); },
      [](const Tensor& x) { return softmax(x, -1); },
      [](const Tensor& x) { return softmax(x, 0); },
      [](const Tensor& x) { return layer_norm(x, {5}); },
      [](const Tensor& x) { return mm(x, filled(5, 3)); },
      [](const Tensor& x) { return mm(t(x), x); },
      [](const Tensor& x) { return linear(x, filled(7, 5), select(filled(1, 7), 0, 0)); },
      [](const Tensor& x) { return cat({x, x * 2}, 0); },
      [](const Tensor& x) { return cat({t(x), filled(5, 2)}, 1); },
      [](const Tensor& x) { return reshape(x, {-1}) * 3; },
      [](const Tensor& x) { return sum(expand(unsqueeze(x, 1), {-1, 4, -1}), {1}); },
      [](const Tensor& x) { return amax(x, {1}) * 2; },
  };
  return all;
}

TEST(SmallSizes, come_first) {
  for (const Body& body : bodies()) expect_bits(body, {1, 2, 3, 17, 1, 64});
}

TEST(SmallSizes, come_after_others) {
  for (const Body& body : bodies()) expect_bits(body, {6, 40, 1, 2, 1, 33});
}

TEST(SmallSizes, have_a_graph_of_their_own_where_the_program_asks) {
  const Body broadcast = [](const Tensor& x) { return mean(x, {0}, true) + x; };
  const Body branch = [](const Tensor& x) { return contiguous(t(x)) + 1; };
  for (const Body& body : {broadcast, branch}) expect_bits(body, {6, 40, 1, 2, 1, 33}, 3);
}

TEST(SmallSizes, make_the_kernels_of_others) {
  for (const Body& body : bodies()) expect_bits(body, {6, 1, 40, 2, 1, 33});
}

// Transposing a single element gives the tensor itself; transposing more does not.
TEST(SmallSizes, of_a_view_through_which_it_is_written) {
  const Body written = [](const Tensor& x) {
    copy_(transpose(x, 0, 1), x);
    return x * 1;
  };
  init();
  auto fast = compile(written);
  for (const int64_t n : {129, 1, 7, 1}) {
    const Tensor mine = slice(filled(n * n, 5), 1, 0, 1), x = reshape(mine, {n, n}) + 0, y = x + 0;
    EXPECT_EQ(fast(x).to_vector<float>(), written(y).to_vector<float>()) << n;
    EXPECT_EQ(x.to_vector<float>(), y.to_vector<float>()) << n;
  }
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

// The same with more dimensions, where products of sizes are compared.
void expect_written_through(const std::vector<int64_t>& order, const std::vector<Sizes>& calls) {
  init();
  const Body written = [&](const Tensor& x) {
    copy_(permute(x, order), x);
    return x * 1;
  };
  auto fast = compile([&](const Tensor& x) { return written(x); });
  for (const Sizes& sizes : calls) {
    const Tensor whole = reshape(to(arange(product(sizes)), DType::f32), sizes);
    const Tensor x = whole + 0, y = whole + 0;
    EXPECT_EQ(fast(x).to_vector<float>(), written(y).to_vector<float>()) << cat(sizes);
    EXPECT_EQ(x.to_vector<float>(), y.to_vector<float>()) << cat(sizes);
  }
  for (const Diagnostic& found : fast.report().fallbacks) ADD_FAILURE() << found.reason;
}

TEST(SmallSizes, of_a_view_of_more_dimensions_through_which_it_is_written) {
  expect_written_through({1, 0, 2}, {{129, 129, 4}, {1, 1, 4}, {7, 7, 5}, {1, 1, 4}, {1, 1, 1}});
  expect_written_through({1, 0, 2}, {{9, 9, 9}, {1, 1, 1}, {7, 7, 7}, {2, 2, 2}});
  expect_written_through({2, 0, 1}, {{9, 9, 9}, {1, 1, 1}, {7, 7, 7}, {2, 2, 2}});
  expect_written_through({0, 3, 1, 2}, {{5, 5, 5, 5}, {1, 1, 1, 1}, {3, 3, 3, 3}});
  expect_written_through({0, 2, 1}, {{3, 9, 9}, {3, 1, 1}, {1, 7, 7}, {1, 1, 1}, {0, 4, 4}});
}

}  // namespace
}  // namespace vitro
