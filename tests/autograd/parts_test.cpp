// Gradients of the parts of a tensor: their bits are those of the sum, term by term, and no term is
// as large as the tensor.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "autograd/leaves.h"
#include "vitro/autograd/autograd.h"
#include "vitro/compile/compile.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/all.h"
#include "vitro/ops/rearrange.h"

namespace vitro {
namespace {

using namespace test;
using test::Numbers;

constexpr int64_t rows = 6, columns = 5;

// What is used of x: rows or columns, one of them without its dimension, or all of it.
struct Use {
  int64_t dim = 0, begin = 0, end = 0;
  bool is_element = false, is_all = false;
};

Tensor used(const Tensor& x, const Use& use) {
  if (use.is_all) return x;
  return use.is_element ? select(x, use.dim, use.begin) : slice(x, use.dim, use.begin, use.end);
}

std::vector<Use> some_uses(std::mt19937& random) {
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  std::vector<Use> out(2 + below(9));
  const int64_t dim = below(2);
  for (Use& use : out) {
    use.dim = below(8) == 0 ? 1 - dim : dim;
    const int64_t size = use.dim == 0 ? rows : columns;
    use.begin = below(size);
    use.end = use.begin + 1 + below(size - use.begin);
    use.is_element = below(2) == 0;
    use.is_all = below(8) == 0;
    if (use.is_element) use.end = use.begin + 1;
  }
  return out;
}

// Elements among which are 0, -0 and such that round.
std::vector<Tensor> some_weights(const std::vector<Use>& uses, std::mt19937& random) {
  std::vector<Tensor> out;
  const Tensor x = zeros({rows, columns}, DType::f64);
  for (const Use& use : uses) {
    const Tensor like = contiguous(used(x, use));
    Numbers values;
    for (int64_t i = 0; i < like.numel().hint(); ++i) {
      const auto kind = random() % 4;
      values.push_back(kind == 0 ? -0.0 : kind == 1 ? 0.0 : 1.0 / (1 + random() % 1000));
    }
    out.push_back(view(constant(values), like.sizes()));
  }
  return out;
}

// By the definition: the terms are added in the order of the backward pass, calls made later first.
Numbers sum_of_terms(const std::vector<Use>& uses, const std::vector<Tensor>& weights) {
  Numbers total;
  for (size_t u = uses.size(); u-- > 0;) {
    const Use& use = uses[u];
    const Numbers part = numbers(weights[u]);
    Numbers term(rows * columns, 0.0);
    for (int64_t r = 0, at = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t place = use.dim == 0 ? r : c;
        if (!use.is_all && (place < use.begin || place >= use.end)) continue;
        term[r * columns + c] = part[at++];
      }
    }
    for (size_t i = 0; i < total.size(); ++i) total[i] += term[i];
    if (total.empty()) total = term;
  }
  return total;
}

std::vector<uint64_t> bits(const Numbers& values) {
  std::vector<uint64_t> out;
  for (const double value : values) out.push_back(std::bit_cast<uint64_t>(value));
  return out;
}

TEST(Parts, gradients_have_the_bits_of_the_sum_of_all_terms) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::vector<Use> uses = some_uses(random);
    const std::vector<Tensor> weights = some_weights(uses, random);
    const auto step = [&](const Tensor& x) {
      std::vector<Tensor> parts, terms;
      for (size_t u = 0; u < uses.size(); ++u) terms.push_back(used(x, uses[u]) * weights[u]);
      for (const Tensor& term : terms) parts.push_back(sum(term));
      sum(stack(parts)).backward();
      return x.grad();
    };
    const auto x = [] { return zeros({rows, columns}, DType::f64).set_requires_grad(true); };
    const Numbers want = sum_of_terms(uses, weights);
    EXPECT_EQ(bits(numbers(step(x()))), bits(want)) << "round " << round;
    if (round % 30 == 0) {
      EXPECT_EQ(bits(numbers(compile(step)(x()))), bits(want)) << "compiled, round " << round;
    }
  }
}

TEST(Parts, of_windows_that_overlap_often_are_sums_too) {
  Tensor x = zeros({100}, DType::f64).set_requires_grad(true);
  std::vector<Tensor> sums;
  for (int64_t i = 0; i + 20 <= 100; ++i) sums.push_back(sum(slice(x, 0, i, i + 20)));
  sum(stack(sums)).backward();
  const Numbers got = numbers(x.grad());
  for (int64_t i = 0; i < 100; ++i)  // the windows that begin from i - 19 to i, and from 0 to 80
    EXPECT_EQ(got[i], std::min<int64_t>(i, 80) - std::max<int64_t>(i - 19, 0) + 1) << i;
}

// The elements of all results of calls.
class CountElements : public Interpreter {
 public:
  void call(const OpCall& call, std::span<Tensor> results) override {
    call_below(call, results);
    if (call.op->kind == OpKind::view) return;
    for (const Tensor& result : results) count += result.numel().hint();
  }
  int64_t count = 0;
};

TEST(Parts, are_put_together_once) {
  constexpr int64_t n = 64;
  Tensor x = zeros({n, n}, DType::f64).set_requires_grad(true);
  std::vector<Tensor> sums;
  for (const Tensor& row : unbind(x, 0)) sums.push_back(sum(row * 2.0));
  const Tensor loss = sum(stack(sums));
  CountElements counts;
  {
    const Using counting(&counts);
    loss.backward();
  }
  EXPECT_EQ(numbers(x.grad()), Numbers(n * n, 2.0));
  EXPECT_LE(counts.count, 10 * n * n);  // a sum of n terms of the size of x: above 64 n n
}

TEST(Parts, are_differentiated_in_turn) {
  Tensor x = leaf({1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor cubes = pow(select(x, 0, 0), 3) * select(x, 0, 1) * select(x, 0, 2);
  const Tensor first = grad(sum(cubes), {x}, {.create_graph = true})[0];
  sum(select(first, 0, 0)).backward();  // 3 a^2 b c, by a, b and c
  expect_near(x.grad(), {90, 288, 15, 72, 9, 48});
}

}  // namespace
}  // namespace vitro
