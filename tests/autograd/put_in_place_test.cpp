// Puts in place have the gradients of the functions that return a new tensor.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "vitro/autograd/autograd.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"

namespace vitro {
namespace {

using T = const Tensor&;
using Put = std::function<Tensor(T x, T at, T rows)>;

Tensor for_each_column(T at, T rows) {
  return expand(unsqueeze(at, 1), rows.sizes());
}

// The gradients of x and of the rows that are put.
std::vector<Tensor> gradients_of(const Put& put) {
  const Tensor at = Tensor::from(std::vector<int64_t>{7, 0, 7, 39}, {4});
  const Tensor w = reshape(arange(240, DType::f32), {40, 6});
  Tensor x = ones({40, 6}), rows = ones({4, 6}) * 2;
  x.set_requires_grad(true);
  rows.set_requires_grad(true);
  const Tensor y = put(x * 3, at, rows);
  sum(y * y * w).backward();
  return {x.grad(), rows.grad()};
}

TEST(PutInPlace, has_the_gradients_of_the_function) {
  init();
  struct Pair {
    Put in_place, made;
  };
  const std::vector<Pair> pairs{
      {[](T x, T at, T rows) { return index_add_(x, 0, at, rows, 3); },
       [](T x, T at, T rows) { return index_add(x, 0, at, rows, 3); }},
      {[](T x, T at, T rows) { return index_copy_(x, 0, at, rows); },
       [](T x, T at, T rows) { return index_copy(x, 0, at, rows); }},
      {[](T x, T at, T rows) { return index_put_(x, std::vector<Tensor>{at}, rows, true); },
       [](T x, T at, T rows) { return index_put(x, {at}, rows, true); }},
      {[](T x, T at, T rows) { return scatter_(x, 0, for_each_column(at, rows), rows); },
       [](T x, T at, T rows) { return scatter(x, 0, for_each_column(at, rows), rows); }},
      {[](T x, T at, T rows) { return scatter_add_(x, 0, for_each_column(at, rows), rows); },
       [](T x, T at, T rows) { return scatter_add(x, 0, for_each_column(at, rows), rows); }}};
  for (const Pair& pair : pairs) {
    const std::vector<Tensor> got = gradients_of(pair.in_place), want = gradients_of(pair.made);
    for (size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(got[i].defined() && want[i].defined());
      EXPECT_TRUE(equal(got[i], want[i]));
    }
  }
}

}  // namespace
}  // namespace vitro
