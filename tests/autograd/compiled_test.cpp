// Gradients inside compiled functions: eager's bits, and at most two graphs for sizes that vary.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <set>

#include "autograd/sample_gradients.h"
#include "autograd/tape.h"
#include "error_of.h"
#include "vitro/autograd/vjp.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"

namespace vitro::test {
namespace {

class CompiledGradients : public testing::Test {
 protected:
  static void SetUpTestSuite() { init(); }
};

// Both may be undefined.
void expect_same_bits(const Tensor& a, const Tensor& b, const std::string& where) {
  ASSERT_EQ(a.defined(), b.defined()) << where;
  if (!a.defined()) return;
  ASSERT_EQ(a.dtype(), b.dtype()) << where;
  const Tensor x = contiguous(a), y = contiguous(b);
  const auto bytes = static_cast<size_t>(x.numel().value() * bytes_of(x.dtype()));
  EXPECT_EQ(x.numel().value(), y.numel().value()) << where;
  EXPECT_TRUE(bytes == 0 || std::memcmp(x.const_data(), y.const_data(), bytes) == 0) << where;
}

TEST_F(CompiledGradients, have_the_bits_of_eager) {
  const OpSamples samples = OpSamples::read_gradients();
  std::set<std::string> seen;
  for (const OpSample& sample : samples.samples()) {
    if (!seen.insert(sample.op).second) continue;  // one sample of each op
    const SampleCall call = call_of(sample);
    const std::vector<Tensor> tensors = tensors_of(call), seeds = seeds_of(sample);
    const auto f = [&](const std::vector<Tensor>& inputs, const std::vector<Tensor>& from) {
      return gradients_of(with_tensors(call, inputs), from);
    };
    const std::vector<Tensor> eager = f(tensors, seeds);
    std::vector<Tensor> given;
    for (const Tensor& seed : seeds) {
      if (seed.defined()) given.push_back(seed);
    }
    auto fast = compile([&](const std::vector<Tensor>& inputs, const std::vector<Tensor>& from) {
      std::vector<Tensor> all, out;
      size_t next = 0;
      for (const Tensor& seed : seeds) all.push_back(seed.defined() ? from[next++] : Tensor());
      for (const Tensor& g : f(inputs, all)) {
        if (g.defined()) out.push_back(g);
      }
      return out;
    });
    const std::vector<Tensor> compiled = fast(tensors, given);
    size_t next = 0;
    for (size_t i = 0; i < eager.size(); ++i) {
      if (!eager[i].defined()) continue;
      ASSERT_LT(next, compiled.size()) << sample.where;
      expect_same_bits(compiled[next++], eager[i], sample.where);
    }
    EXPECT_EQ(next, compiled.size()) << sample.where;
  }
  EXPECT_GE(seen.size(), 90U);
}

TEST_F(CompiledGradients, of_other_sizes_are_reported_in_numbers) {
  auto fast = compile([](const Tensor& x, const Tensor& g) {
    const Operand operands[] = {x};
    const bool wanted[] = {true};
    const Tensor y = exp(x);
    const OpCall call{&ops::def<ops::Exp>(), operands, {}, false, {}};
    return autograd::vjp(call, {&y, 1}, {&g, 1}, wanted)[0];
  });
  for (const int64_t n : {2, 3, 4}) (void)fast(ones({n}), ones({n}));
  const std::string text = error_of([&] { (void)fast(ones({5}), ones({6})); });
  EXPECT_TRUE(text.starts_with("vjp: result 0 of exp has sizes [5], its gradient has [6]")) << text;
}

TEST_F(CompiledGradients, of_a_call_in_place_are_refused_as_eagerly) {
  auto fast = compile([](const Tensor& x) {
    const Tensor y = x * 1.0;
    mul_(y, x);
    const Operand operands[] = {y, x};
    const bool wanted[] = {true, true};
    const Tensor g = ones_like(y);
    const OpCall call{&ops::def<ops::Mul>(), operands, {}, true, {}};
    return autograd::vjp(call, {&y, 1}, {&g, 1}, wanted)[1];
  });
  EXPECT_NE(error_of([&] { (void)fast(ones({2})); }).find("the gradient of mul_ needs"),
            std::string::npos);
}

// Views of a tensor that the function makes, and of one from outside.
TEST_F(CompiledGradients, of_a_call_in_place_that_overwrites_a_view_are_refused_as_eagerly) {
  const auto gradient_of = [](const Tensor& written, const Tensor& other) {
    const Tensor before = clone(written);
    mul_(written, other);
    const Operand operands[] = {before, other};
    const bool wanted[] = {true, false};
    const Tensor g = ones_like(written);
    const OpCall call{&ops::def<ops::Mul>(), operands, {}, true, {}};
    return autograd::vjp(call, {&written, 1}, {&g, 1}, wanted)[0];
  };
  const auto halves = [&](const Tensor& base, int64_t from) {
    return gradient_of(slice(base, 0, 0, 2), slice(base, 0, from, from + 2));
  };
  const std::vector<std::function<Tensor(const Tensor&, int64_t)>> programs = {
      halves, [&](const Tensor& x, int64_t from) { return halves(exp(x), from); },
      [&](const Tensor& x, int64_t from) {
        const Tensor made = exp(x);
        return gradient_of(slice(made, 0, 0, 2),
                           from == 0 ? slice(made, 0, 1, 3) : slice(x, 0, 0, 2));
      }};
  for (const auto& program : programs) {
    auto fast = compile(program);
    for (const int64_t from : {0, 2, 0, 2}) {
      const std::string want = error_of([&] { return program(ones({4}), from); });
      EXPECT_EQ(error_of([&] { return fast(ones({4}), from); }), want);
      EXPECT_EQ(want.empty(), from == 2);
    }
  }
}

// An f64 matrix; its elements depend on the number of columns.
Tensor numbers(int64_t rows, int64_t columns) {
  Tensor x = Tensor::empty({rows, columns}, DType::f64);
  for (int64_t i = 0; i < rows * columns; ++i)
    x.data<double>()[i] = std::sin(static_cast<double>(i * 7 + columns));
  return x;
}

template <class F>
void check_sizes(F f, std::string_view what) {
  const auto gradient = [&](const Tensor& x, const Tensor& weight) {
    autograd::Tape tape;
    tape.watch(x);
    tape.watch(weight);
    Tensor y;
    {
      const Using recording(&tape);
      y = f(x, weight);
    }
    const Tensor g = sin(y);
    return tape.back({&y, 1}, {&g, 1}, std::array{x, weight});
  };
  const auto fast = compile(gradient);
  for (const int64_t rows : {3, 5, 6, 9}) {
    const Tensor x = numbers(rows, 4), weight = numbers(1, 4);
    const std::vector<Tensor> compiled = fast(x, weight), eager = gradient(x, weight);
    for (size_t i = 0; i < 2; ++i)
      expect_same_bits(compiled[i], eager[i], cat(what, ", ", rows, " rows, gradient ", i));
  }
  EXPECT_LE(fast.report().segments.size(), 2U) << what;
}

TEST_F(CompiledGradients, fit_other_sizes) {
  check_sizes([](const Tensor& x, const Tensor& w) { return x * w; }, "mul");
  check_sizes([](const Tensor& x, const Tensor& w) { return sum(x * w, 0); }, "sum");
  check_sizes([](const Tensor& x, const Tensor& w) { return mean(x * w); }, "mean");
  check_sizes([](const Tensor& x, const Tensor& w) { return amax(x + w, 0); }, "amax");
  check_sizes([](const Tensor& x, const Tensor& w) { return prod(x * w, 0); }, "prod");
  check_sizes([](const Tensor& x, const Tensor& w) { return cumsum(x * w, 0); }, "cumsum");
  check_sizes([](const Tensor& x, const Tensor& w) { return cat({x, w}, 0); }, "cat");
  check_sizes([](const Tensor& x, const Tensor& w) { return slice(x * w, 0, 1, 3); }, "slice");
  check_sizes([](const Tensor& x, const Tensor& w) { return softmax(x * w, 0); }, "softmax");
  check_sizes([](const Tensor& x, const Tensor& w) { return layer_norm(x * w, {4}); }, "norm");
  check_sizes([](const Tensor& x, const Tensor& w) { return linear(x, w); }, "linear");
  check_sizes([](const Tensor& x, const Tensor& w) { return matmul(x, transpose(w, 0, 1)); },
              "matmul");
}

}  // namespace
}  // namespace vitro::test
