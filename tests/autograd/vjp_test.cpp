// vjp(): sums over broadcast dimensions, dtypes, ops without gradients, in-place calls, what is
// saved.
#include "vitro/autograd/vjp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <initializer_list>

#include "autograd/tape.h"
#include "error_of.h"
#include "vitro/core/formula.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"
#include "vitro/ops/definition.h"

namespace vitro::autograd {
namespace {

Tensor row(std::initializer_list<double> values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

template <class Op>
OpCall call_of(std::span<const Operand> operands) {
  return {&ops::def<Op>(), operands, {}, false, {}};
}

class Vjp : public testing::Test {
 protected:
  static void SetUpTestSuite() { init(); }
};

TEST_F(Vjp, sums_what_was_broadcast_and_keeps_the_dtype) {
  const Tensor x = Tensor::from({1.0F, 2.0F}, {1, 2}), y = Tensor::from({1.0, 2.0, 3.0}, {3, 1});
  const Operand operands[] = {x, y};
  const bool wanted[] = {true, true};
  const Tensor z = mul(x, y);
  const auto got = vjp(call_of<ops::Mul>(operands), {&z, 1}, std::array{ones_like(z)}, wanted);
  EXPECT_EQ(got[0].dtype(), DType::f32);
  EXPECT_EQ(got[0].to_vector<float>(), (std::vector<float>{6, 6}));
  EXPECT_EQ(got[0].rank(), 2);
  EXPECT_EQ(got[1].dtype(), DType::f64);
  EXPECT_EQ(got[1].to_vector<double>(), (std::vector<double>{3, 3, 3}));
}

// The vectors of these are LAPACK's choice, so they are tested by what does not depend on it: the
// gradient of the product of a decomposition is that of the matrix.
TEST_F(Vjp, of_a_decomposition_is_that_of_its_product) {
  const auto matrix = [](int64_t m, int64_t n, double step) {
    return reshape(sin(to(arange(m * n), DType::f64) * step + 1.0), {m, n});
  };
  const auto expect_near = [](const Tensor& got, const Tensor& want) {
    EXPECT_LT(amax(abs(got - want)).item<double>(), 1e-10);
  };
  const bool wanted[] = {true};
  for (const auto& [m, n] : {std::pair{4, 3}, {3, 4}, {3, 3}}) {
    const Tensor a = matrix(m, n, 0.9), c = matrix(m, n, 1.7);
    const auto [u, s, vh] = linalg_svd(a, false);
    const Tensor of_u = matmul(c, t(vh)) * s, of_vh = matmul(t(u * s), c);
    const Tensor of_s = diagonal(matmul(matmul(t(u), c), t(vh)));
    const ops::SvdAttrs attrs;
    const Operand operands[] = {a};
    const OpCall call{
        &ops::def<ops::LinalgSvd>(), operands, ops::attrs_view<ops::LinalgSvd>(attrs), false, {}};
    expect_near(vjp(call, std::array{u, s, vh}, std::array{of_u, of_s, of_vh}, wanted)[0], c);
  }
  // Of whole matrices only the vectors of singular values have a gradient that is used, as in
  // torch.
  for (const auto& [m, n] : {std::pair{4, 3}, {3, 4}}) {
    const Tensor a = matrix(m, n, 0.9), c = matrix(m, n, 1.7);
    const auto [u, s, vh] = linalg_svd(a, true);
    const Tensor some_u = narrow(u, 1, 0, 3), some_vh = narrow(vh, 0, 0, 3);
    const Tensor of_s = diagonal(matmul(matmul(t(some_u), c), t(some_vh)));
    const Tensor of_u = cat({matmul(c, t(some_vh)) * s, ones({m, m - 3}, DType::f64)}, 1);
    const Tensor of_vh = cat({matmul(t(some_u * s), c), ones({n - 3, n}, DType::f64)}, 0);
    const ops::SvdAttrs attrs{.full_matrices = true};
    const Operand operands[] = {a};
    const OpCall call{
        &ops::def<ops::LinalgSvd>(), operands, ops::attrs_view<ops::LinalgSvd>(attrs), false, {}};
    expect_near(vjp(call, std::array{u, s, vh}, std::array{of_u, of_s, of_vh}, wanted)[0], c);
  }
  const Tensor half = matrix(3, 3, 0.9), a = half + t(half), seed = matrix(3, 3, 1.7);
  const Tensor c = seed + t(seed);
  const auto [w, v] = linalg_eigh(a);
  const Tensor of_v = matmul(c, v) * w * 2.0, of_w = diagonal(matmul(matmul(t(v), c), v));
  const ops::EighAttrs attrs;
  const Operand operands[] = {a};
  const OpCall call{
      &ops::def<ops::LinalgEigh>(), operands, ops::attrs_view<ops::LinalgEigh>(attrs), false, {}};
  const Tensor got = vjp(call, std::array{w, v}, std::array{of_w, of_v}, wanted)[0];
  expect_near((got + t(got)) * 0.5, c);  // changes of a symmetric matrix are symmetric
}

TEST_F(Vjp, gives_nothing_that_is_not_wanted_or_has_none) {
  const Tensor x = row({1, 2}), n = Tensor::from({2, 3}, {2});
  const Operand operands[] = {x, n};
  const bool both[] = {true, true}, none[] = {false, true};
  const Tensor y = mul(x, n), g = ones_like(y);
  const auto of_both = vjp(call_of<ops::Mul>(operands), {&y, 1}, {&g, 1}, both);
  EXPECT_TRUE(of_both[0].defined());
  EXPECT_FALSE(of_both[1].defined());  // integers have no gradient
  EXPECT_FALSE(vjp(call_of<ops::Mul>(operands), {&y, 1}, {&g, 1}, none)[0].defined());
  const Tensor zero;
  EXPECT_FALSE(vjp(call_of<ops::Mul>(operands), {&y, 1}, {&zero, 1}, both)[0].defined());
  const Tensor less = lt(x, n);
  EXPECT_FALSE(vjp(call_of<ops::Lt>(operands), {&less, 1}, {&g, 1}, both)[0].defined());
}

TEST_F(Vjp, tells_a_tensor_that_stands_twice_apart) {
  const Tensor x = Tensor::from({1.0, 2.0, 3.0, 4.0}, {2, 2});
  const Operand operands[] = {x, x};
  const bool wanted[] = {true, true};
  const Tensor y = matmul(x, x), g = ones_like(y);
  const auto got = vjp(call_of<ops::Matmul>(operands), {&y, 1}, {&g, 1}, wanted);
  EXPECT_EQ(got[0].to_vector<double>(), (std::vector<double>{3, 7, 3, 7}));
  EXPECT_EQ(got[1].to_vector<double>(), (std::vector<double>{4, 4, 6, 6}));
}

// The gradient of each operand alone is the same whether the operands are one tensor or clones of
// it.
template <class Op>
void check_wanted_alone(const Tensor& x, size_t count) {
  const std::vector<Tensor> same(count, x);
  std::vector<Tensor> clones;
  for (size_t i = 0; i < count; ++i) clones.push_back(clone(x));
  const auto gradient = [&](const std::vector<Tensor>& given, size_t k) {
    const std::vector<Operand> operands(given.begin(), given.end());
    const auto wanted = std::make_unique<bool[]>(count);
    wanted[k] = true;
    typename Op::Attrs attrs{};
    const OpCall call{&ops::def<Op>(), operands, ops::attrs_view<Op>(attrs), false, {}};
    const Tensor y = call_one(ops::def<Op>(), operands, ops::attrs_view<Op>(attrs), {});
    const Tensor g = sin(y);
    return vjp(call, {&y, 1}, {&g, 1}, {wanted.get(), count})[k].template to_vector<double>();
  };
  for (size_t k = 0; k < count; ++k) EXPECT_EQ(gradient(same, k), gradient(clones, k)) << k;
}

TEST_F(Vjp, of_one_of_two_operands_that_are_one_tensor_is_its_own_alone) {
  const Tensor x = Tensor::from({1.0, 2.0, 3.0, 4.0}, {2, 2});
  const Operand operands[] = {x, x};
  const bool first[] = {true, false}, second[] = {false, true};
  const Tensor y = matmul(x, x), g = ones_like(y);
  const auto call = call_of<ops::Matmul>(operands);
  EXPECT_EQ(vjp(call, {&y, 1}, {&g, 1}, first)[0].to_vector<double>(),
            (std::vector<double>{3, 7, 3, 7}));
  EXPECT_EQ(vjp(call, {&y, 1}, {&g, 1}, second)[1].to_vector<double>(),
            (std::vector<double>{4, 4, 6, 6}));
  check_wanted_alone<ops::Stack>(x, 3);
  check_wanted_alone<ops::ScaledDotProductAttention>(reshape(x, {1, 2, 2}), 3);
}

// An op without a gradient, although its result could have one.
struct Opaque {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr std::string_view name = "secret", doc = "An op without a gradient.",
                                    signatures = "(Tensor self) -> Tensor";
  static constexpr int arity = 1;
  static void shape(ShapeCall& call) { call.results.push_back(*call.operands[0].meta); }
  static void kernel(const OpaqueCall&) {}
};

TEST_F(Vjp, refuses_with_the_reason) {
  const Tensor x = row({1, 2}), g = row({1, 2, 3});
  const Operand operands[] = {x};
  const bool wanted[] = {true};
  EXPECT_EQ(error_of([&] { (void)vjp(call_of<Opaque>(operands), {&x, 1}, {&x, 1}, wanted); }),
            "secret: has no gradient: its kernel is opaque; define `gradient`");
  EXPECT_EQ(error_of([&] { (void)vjp(call_of<ops::Exp>(operands), {&x, 1}, {&g, 1}, wanted); }),
            "vjp: result 0 of exp has sizes [2], its gradient has [3]");
}

TEST_F(Vjp, refuses_operands_and_results_of_different_calls) {
  const Tensor x = row({1, 2}), y = row({1, 2, 3}), g = ones_like(y);
  const Operand one[] = {x}, two[] = {y, x}, pair[] = {y, y};
  const bool wanted[] = {true}, both[] = {true, true};
  EXPECT_EQ(error_of([&] { (void)vjp(call_of<ops::Exp>(one), {&y, 1}, {&g, 1}, wanted); }),
            "vjp: result 0 of exp is f64[3], but these operands give f64[2]; needs the operands "
            "and results of one call");
  EXPECT_EQ(error_of([&] { (void)vjp(call_of<ops::Mul>(two), {&y, 1}, {&g, 1}, both); }),
            error_of([&] { (void)mul(y, x); }));
  const Tensor less = to(y, DType::f32);
  EXPECT_EQ(error_of([&] { (void)vjp(call_of<ops::Mul>(pair), {&less, 1}, {&g, 1}, both); }),
            "vjp: result 0 of mul is f32[3], but these operands give f64[3]; needs the operands "
            "and results of one call");
  const Tensor results[] = {y, y}, gradients[] = {g, g};
  EXPECT_EQ(error_of([&] { (void)vjp(call_of<ops::Mul>(pair), results, gradients, both); }),
            "vjp: mul has 1 results, got 2");
}

// The gradients of the in-place call that has written x.
template <class Op>
std::vector<Tensor> vjp_in_place(std::span<const Operand> given, const Tensor& x) {
  const auto wanted = std::make_unique<bool[]>(given.size());
  std::fill_n(wanted.get(), given.size(), true);
  const OpCall call{&ops::def<Op>(), given, {}, true, {}};
  const Tensor g = ones_like(x);
  return vjp(call, {&x, 1}, {&g, 1}, {wanted.get(), given.size()});
}

TEST_F(Vjp, of_a_call_in_place_needs_what_it_has_overwritten) {
  const Tensor x = row({1, 2}), before = clone(x), y = row({3, 4});
  mul_(x, y);
  const Operand operands[] = {x, y}, cloned[] = {before, y}, one[] = {x};
  EXPECT_EQ(
      error_of([&] { (void)vjp_in_place<ops::Mul>(operands, x); }),
      "vjp: the gradient of mul_ needs the elements that operand 0 had before the call, which has "
      "overwritten them; clone it before the call and pass the clone as the operand");
  const auto got = vjp_in_place<ops::Mul>(cloned, x);
  EXPECT_EQ(got[0].to_vector<double>(), (std::vector<double>{3, 4}));
  EXPECT_EQ(got[1].to_vector<double>(), (std::vector<double>{1, 2}));
  const bool first[] = {true, false};  // needs only y
  const Tensor g = ones_like(x);
  const OpCall call{&ops::def<ops::Mul>(), operands, {}, true, {}};
  EXPECT_EQ(vjp(call, {&x, 1}, {&g, 1}, first)[0].to_vector<double>(), (std::vector<double>{3, 4}));
  exp_(x);  // whose formula needs only the result
  EXPECT_EQ(vjp_in_place<ops::Exp>(one, x)[0].to_vector<double>(), x.to_vector<double>());
}

TEST_F(Vjp, of_a_call_in_place_sees_memory_that_is_shared) {
  const Tensor base = row({1, 2, 3, 4}), left = slice(base, 0, 0, 2), right = slice(base, 0, 2, 4);
  const Tensor whole = slice(base, 0, 0, 2);
  mul_(left, whole);
  const Tensor before = row({1, 2});
  const Operand same[] = {before, whole}, apart[] = {before, right};
  EXPECT_NE(error_of([&] { (void)vjp_in_place<ops::Mul>(same, left); }).find("operand 1"),
            std::string::npos);
  EXPECT_EQ(vjp_in_place<ops::Mul>(apart, left)[0].to_vector<double>(),
            (std::vector<double>{3, 4}));
}

TEST_F(Vjp, of_a_tensor_that_was_written_into_after_the_call_is_refused) {
  const Tensor x = row({1, 2}), w = row({3, 4}), g = row({1, 1});
  const auto back = [&](auto f, auto write) {
    Tape tape;
    tape.watch(x);
    Tensor y;
    {
      const Using recording(&tape);
      y = f(x);
    }
    write();
    return tape.back({&y, 1}, {&g, 1}, {&x, 1})[0].to_vector<double>();
  };
  const auto write = [&] { add_(w, 1.0); };
  EXPECT_EQ(error_of([&] { (void)back([&](const Tensor& a) { return a * w; }, write); }),
            "vjp: the gradient of mul needs operand 1 of the call, which was written after the "
            "call; clone it before the write");
  EXPECT_EQ(back([&](const Tensor& a) { return a + w; }, write), (std::vector<double>{1, 1}));
}

// The same with a gradient.
struct Doubled : Opaque {
  static constexpr std::string_view name = "doubled";
  static void gradient(Formula& f) { f.set(0, f.gradient() * 2.0); }
};

TEST_F(Vjp, is_asked_of_ops_outside_of_the_list) {
  const Tensor x = row({1, 2}), g = row({3, 4});
  const Operand operands[] = {x};
  const bool wanted[] = {true};
  const auto got = vjp(call_of<Doubled>(operands), {&x, 1}, {&g, 1}, wanted);
  EXPECT_EQ(got[0].to_vector<double>(), (std::vector<double>{6, 8}));
}

std::vector<bool> saved(const OpCall& call, std::initializer_list<bool> wanted) {
  const Saved all = saved_for(call, std::span(wanted.begin(), wanted.size()));
  std::vector<bool> out = all.operands;
  out.insert(out.end(), all.results.begin(), all.results.end());
  return out;
}

// Flags of the operands, then of the results.
TEST_F(Vjp, says_what_has_to_be_saved) {
  using Bits = std::vector<bool>;
  const Tensor x = row({1, 2, 3});
  const Operand one[] = {x}, two[] = {x, x}, number[] = {x, 2.0};
  EXPECT_EQ(saved(call_of<ops::Exp>(one), {true}), (Bits{false, true}));
  EXPECT_EQ(saved(call_of<ops::Sin>(one), {true}), (Bits{true, false}));
  EXPECT_EQ(saved(call_of<ops::Neg>(one), {true}), (Bits{false, false}));
  EXPECT_EQ(saved(call_of<ops::Add>(two), {true, true}), (Bits{false, false, false}));
  EXPECT_EQ(saved(call_of<ops::Mul>(two), {true, true}), (Bits{true, true, false}));
  EXPECT_EQ(saved(call_of<ops::Mul>(two), {true, false}), (Bits{false, true, false}));
  EXPECT_EQ(saved(call_of<ops::Mul>(number), {true, false}), (Bits{false, false, false}));
  EXPECT_EQ(saved(call_of<ops::Maximum>(number), {true, false}), (Bits{true, false, false}));
  const ops::ReduceAttrs attrs{};
  EXPECT_EQ(
      saved({&ops::def<ops::Sum>(), one, ops::attrs_view<ops::Sum>(attrs), false, {}}, {true}),
      (Bits{false, false}));
  EXPECT_EQ(
      saved({&ops::def<ops::Amax>(), one, ops::attrs_view<ops::Amax>(attrs), false, {}}, {true}),
      (Bits{true, true}));
}

TEST_F(Vjp, is_described_in_words) {
  EXPECT_EQ(describe(ops::def<ops::Mul>()), "a formula; saves self, other");
  EXPECT_EQ(describe(ops::def<ops::Exp>()), "a formula; saves result");
  EXPECT_EQ(describe(ops::def<ops::MaxDim>()), "a formula; saves indices");
  EXPECT_EQ(describe(ops::def<ops::Embedding>()), "a formula; saves indices");
  EXPECT_EQ(describe(ops::def<ops::Median>()), "a formula; saves self, result");
  EXPECT_EQ(describe(ops::def<ops::Matmul>()), "through its program; saves self, other");
  EXPECT_EQ(describe(ops::def<ops::Lt>()), "none: its result is bool");
  EXPECT_EQ(describe(ops::def<ops::Argmax>()), "none: its result is an integer");
}

// Second-order gradients, compared with differences of first-order ones.
template <class F>
void check_second_order(F f, const Tensor& x, std::string_view what) {
  const auto slope = [&](const Tensor& at) {
    Tape tape;
    tape.watch(at);
    Tensor y;
    {
      const Using recording(&tape);
      y = f(at);
    }
    const Tensor g = sin(ones_like(y) + y * 0.0);
    return tape.back({&y, 1}, {&g, 1}, {&at, 1})[0];
  };
  Tape outer;
  outer.watch(x);
  Tensor first;
  {
    const Using recording(&outer);
    first = slope(x);
  }
  const Tensor seed = cos(x * 3.0);
  const Tensor second = outer.back({&first, 1}, {&seed, 1}, {&x, 1})[0];
  ASSERT_TRUE(second.defined()) << what;
  const Tensor direction = sin(x * 7.0 + 1.0);
  const double h = 1e-6;
  const double found =
      sum((slope(x + direction * h) - slope(x - direction * h)) * seed).template item<double>() /
      (2 * h);
  const double want = sum(second * direction).item<double>();
  EXPECT_NEAR(found, want, 1e-5 * std::max(1.0, std::abs(want))) << what;
}

TEST_F(Vjp, can_be_gone_back_through_itself) {
  const Tensor x = Tensor::from({0.3, 1.2, 0.7, 2.1, 0.9, 1.6}, {2, 3});
  check_second_order([](const Tensor& a) { return sin(a); }, x, "sin");
  check_second_order([](const Tensor& a) { return mul(a, exp(a)); }, x, "mul, exp");
  check_second_order([](const Tensor& a) { return pow(a, 2.5); }, x, "pow");
  check_second_order([](const Tensor& a) { return gelu(a); }, x, "gelu");
  check_second_order([](const Tensor& a) { return prod(a, 1); }, x, "prod");
  check_second_order([](const Tensor& a) { return cumprod(a, 1); }, x, "cumprod");
  check_second_order([](const Tensor& a) { return softmax(a, 1) * a; }, x, "softmax");
  check_second_order([](const Tensor& a) { return var(a, 1); }, x, "var");
  check_second_order([](const Tensor& a) { return layer_norm(a, {3}) * a; }, x, "layer_norm");
  check_second_order([](const Tensor& a) { return mm(a, transpose(a, 0, 1)); }, x, "mm");
  check_second_order([](const Tensor& a) { return matmul(select(a, 0, 0), select(a, 0, 1)); }, x,
                     "matmul, select");
}

// The gradient of a product is that of the result times the complex conjugate of the other factor.
TEST_F(Vjp, of_complex_numbers_is_that_of_their_pairs) {
  using C = std::complex<double>;
  const std::vector<C> x = {{1, 2}, {-3, 0.5}}, y = {{0.5, -1}, {2, 4}}, g = {{1, -1}, {0, 2}};
  const Tensor a = Tensor::from(x, {2}), b = Tensor::from(y, {2}), gradient = Tensor::from(g, {2});
  const Operand operands[] = {a, b};
  const bool both[] = {true, true}, second[] = {false, true};
  const Tensor z = mul(a, b);
  const auto got = vjp(call_of<ops::Mul>(operands), {&z, 1}, {&gradient, 1}, both);
  EXPECT_EQ(got[0].to_vector<C>(), (std::vector<C>{g[0] * conj(y[0]), g[1] * conj(y[1])}));
  EXPECT_EQ(got[1].to_vector<C>(), (std::vector<C>{g[0] * conj(x[0]), g[1] * conj(x[1])}));
  EXPECT_FALSE(vjp(call_of<ops::Mul>(operands), {&z, 1}, {&gradient, 1}, second)[0].defined());
  const auto saved = saved_for(call_of<ops::Mul>(operands), both);
  EXPECT_EQ(saved.operands, (std::vector<bool>{true, true}));
  // Of a real factor it is real.
  const Tensor r = row({2, 3}), w = mul(r, b);
  const Operand mixed[] = {r, b};
  const auto real_one = vjp(call_of<ops::Mul>(mixed), {&w, 1}, {&gradient, 1}, both)[0];
  EXPECT_EQ(real_one.to_vector<double>(), (std::vector<double>{1.5, 8}));
  OpCall in_place = call_of<ops::Mul>(operands);
  in_place.in_place = true;
  EXPECT_EQ(error_of([&] { (void)vjp(in_place, {&z, 1}, {&gradient, 1}, both); }),
            "vjp: the gradient of mul_ of complex numbers needs the elements that the call has "
            "overwritten; call mul instead");
}

}  // namespace
}  // namespace vitro::autograd
