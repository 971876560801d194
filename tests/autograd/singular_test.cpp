// Gradients of functions at points where their programs have none: of first and second order,
// eagerly and compiled, in double and in single precision. Expected values are closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/autograd/autograd.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/distance.h"
#include "vitro/ops/layout.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/overload.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/special.h"
#include "vitro/ops/special_functions.h"
#include "vitro/ops/statistics.h"

namespace vitro {
namespace {

using Numbers = std::vector<double>;
using Function = std::function<Tensor(const Tensor& x)>;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double euler = 0.57721566490153286, zeta_2 = M_PI * M_PI / 6, zeta_3 = 1.2020569031595943;

// The gradient of the sum of f(x), and that of the sum of this gradient; 0 where there is none.
std::vector<Tensor> gradients(const Function& f, const Tensor& at) {
  const auto of = [](const Tensor& y, const Tensor& x, bool create_graph) {
    if (!y.requires_grad()) return zeros_like(x);
    return grad(sum(y), {x}, {.create_graph = create_graph, .materialize_grads = true})[0];
  };
  const Tensor x = detach(at * 1.0).set_requires_grad(true);
  const Tensor first = of(f(x), x, true);
  return {detach(first), of(first, x, false)};
}

void expect_near(const Tensor& got, const Numbers& want, double tolerance,
                 const std::string& where) {
  const Numbers numbers = contiguous(to(got, DType::f64)).to_vector<double>();
  ASSERT_EQ(numbers.size(), want.size()) << where;
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isfinite(want[i])) {
      EXPECT_NEAR(numbers[i], want[i], tolerance * std::max(1.0, std::abs(want[i])))
          << where << ", element " << i;
    } else {
      EXPECT_TRUE(numbers[i] == want[i] || (std::isnan(numbers[i]) && std::isnan(want[i])))
          << where << ", element " << i << ": " << numbers[i] << ", not " << want[i];
    }
  }
}

// `second` may be left out.
void check(std::string_view what, const Function& f, const Numbers& x, const Numbers& first,
           const Numbers& second = {}) {
  const auto both = [&](const Tensor& at) { return gradients(f, at); };
  for (const DType dtype : {DType::f64, DType::f32}) {
    const double tolerance = dtype == DType::f64 ? 1e-12 : 4e-6;
    const Tensor at = to(Tensor::from(x, {static_cast<int64_t>(x.size())}), dtype);
    auto compiled = compile(both);
    for (const bool is_compiled : {false, true}) {
      const std::vector<Tensor> got = is_compiled ? compiled(at) : both(at);
      const std::string where = cat(what, " of ", dtype, is_compiled ? ", compiled" : "");
      expect_near(got[0], first, tolerance, where);
      if (!second.empty()) expect_near(got[1], second, tolerance, where + ", second order");
    }
  }
}

class Singular : public testing::Test {
 protected:
  static void SetUpTestSuite() { init(); }
};

TEST_F(Singular, the_gamma_function_has_gradients_at_integers) {
  const Numbers x = {1, 2, 3}, psi = {-euler, 1 - euler, 1.5 - euler},
                of_psi = {zeta_2, zeta_2 - 1, zeta_2 - 1.25};
  check("lgamma", [](const Tensor& t) { return lgamma(t); }, x, psi, of_psi);
  check("mvlgamma", [](const Tensor& t) { return mvlgamma(t, 1); }, x, psi, of_psi);
  check("digamma", [](const Tensor& t) { return digamma(t); }, x, of_psi,
        {-2 * zeta_3, 2 - 2 * zeta_3, 2.25 - 2 * zeta_3});
  check("lgamma", [](const Tensor& t) { return lgamma(t); }, {0, -0.5},
        {-inf, 0.036489973978576521}, {inf, 8.9348022005446793});
}

TEST_F(Singular, deviations_of_equal_elements_have_the_gradient_0) {
  check("std", [](const Tensor& t) { return stddev(t); }, {2, 2, 2}, {0, 0, 0}, {0, 0, 0});
  const auto rows = [](const Tensor& t) { return stddev(reshape(t, {2, 2}), 1); };
  check("std", rows, {2, 2, 1, 5}, {0, 0, -M_SQRT1_2, M_SQRT1_2}, {0, 0, 0, 0});
  const auto with_mean = [](const Tensor& t) {
    const auto [deviation, mean_of_t] = std_mean(reshape(t, {2, 2}), 1);
    return deviation + mean_of_t;
  };
  check("std_mean", with_mean, {2, 2, 1, 5}, {0.5, 0.5, 0.5 - M_SQRT1_2, 0.5 + M_SQRT1_2});
}

TEST_F(Singular, logit_has_infinite_gradients_at_its_ends) {
  check("logit", [](const Tensor& t) { return logit(t); }, {0, 1, 0.5, -1, 2},
        {inf, inf, 4, nan, nan});
  check("logit", [](const Tensor& t) { return logit(t); }, {0.5, 0.25}, {4, 16.0 / 3},
        {0, -128.0 / 9});
  check("logit", [](const Tensor& t) { return logit(t, 0.125); }, {0, 0.0625, 0.25, 1, -1, 2},
        {0, 0, 16.0 / 3, 0, 0, 0}, {0, 0, -128.0 / 9, 0, 0, 0});
}

TEST_F(Singular, rows_of_minus_infinity_have_the_gradient_0) {
  const auto f = [](const Tensor& t) {
    const ArgValue arguments[] = {reshape(t, {3, 2}), int64_t{1}};
    return square(ops::call("_safe_softmax", arguments, std::span<const NamedArg>())[0]);
  };
  const double p = 1 / (1 + M_E), slope = 2 * p * (1 - p) * (2 * p - 1);
  check("_safe_softmax", f, {-inf, -inf, 1, 2, -inf, 3}, {0, 0, slope, -slope, 0, 0},
        {0, 0, 0, 0, 0, 0});
}

TEST_F(Singular, norms_of_negative_order_have_the_gradient_0_at_an_element_0) {
  const auto norm_of = [](double p) {
    return [p](const Tensor& t) { return linalg_vector_norm(reshape(t, {2, 2}), p, {1}); };
  };
  check("norm", norm_of(-1), {1, 0, 2, -2}, {0, 0, 0.25, -0.25}, {0, 0, -0.25, -0.25});
  check("norm", norm_of(-2), {0, 0, 1, 1}, {0, 0, std::pow(2, -1.5), std::pow(2, -1.5)},
        {0, 0, 0, 0});
}

Tensor like(const Tensor& x, const Numbers& numbers) {
  return to(Tensor::from(numbers, {static_cast<int64_t>(numbers.size())}), x.dtype());
}

TEST_F(Singular, sums_of_powers_are_smooth_where_the_operands_are_equal) {
  const double e = 1 / (1 + M_E), third = 1.0 / 3, of_third = 2 * M_LN2 / 9;
  for (const bool is_first : {true, false}) {
    const auto ordered = [&](Tensor (*f)(ops::At, const Tensor&), const Numbers& other) {
      return
          [=](const Tensor& t) { return is_first ? f(t, like(t, other)) : f(like(t, other), t); };
    };
    check("logaddexp", ordered(&logaddexp, {0, 1, 2, inf, 1, -inf}), {0, 1, 1, 1, inf, 3},
          {0.5, 0.5, e, 0, 1, 1}, {0.25, 0.25, e * (1 - e), 0, 0, 0});
    check("logaddexp2", ordered(&logaddexp2, {0, 1, 2}), {0, 1, 1}, {0.5, 0.5, third},
          {M_LN2 / 4, M_LN2 / 4, of_third});
    check("hypot", ordered(&hypot, {2, 2, 0, 0, -3}), {0, 1, 3, -2, -4},
          {0, 1 / std::sqrt(5), 1, -1, -0.8}, {0.5, 4 / std::pow(5, 1.5), 0, 0, 9.0 / 125});
    check("hypot", ordered(&hypot, {0}), {0}, {nan});
  }
}

TEST_F(Singular, even_functions_have_second_derivatives_at_0) {
  const double curve = -M_PI * M_PI / 3;
  check("sinc", [](const Tensor& t) { return sinc(t); }, {0, 1e-4, -0.5, 1},
        {0, curve * 1e-4 * (1 - M_PI * M_PI * 1e-9), 4 / M_PI, -1},
        {curve, curve + std::pow(M_PI, 4) * 1e-9, -M_PI * 2 + 16 / M_PI, 2});
  check("i0", [](const Tensor& t) { return i0(t); }, {0, 1}, {0, 0.56515910399248503},
        {0.5, 0.70090677375952299});
  check("special_i0e", [](const Tensor& t) { return special_i0e(t); }, {0}, {0}, {0.5});
  check("special_i1", [](const Tensor& t) { return special_i1(t); }, {0}, {0.5}, {0});
  check("j0", [](const Tensor& t) { return special_bessel_j0(t); }, {0, 1},
        {0, -0.44005058574493352}, {-0.5, -0.32514710081303308});
  check("spherical j0", [](const Tensor& t) { return special_spherical_bessel_j0(t); },
        {0, M_PI, inf}, {0, -1 / M_PI, 0}, {-1.0 / 3, 2 / (M_PI * M_PI), 0});
}

TEST_F(Singular, the_first_of_equal_operands_has_the_gradient_of_fmax_and_fmin) {
  const Numbers other = {1, 2, 0, nan, 1, nan}, x = {1, 1, 1, 1, nan, nan};
  const auto first = [&](Tensor (*f)(ops::At, const Tensor&)) {
    return [=](const Tensor& t) { return f(t, like(t, other)); };
  };
  const auto second = [&](Tensor (*f)(ops::At, const Tensor&)) {
    return [=](const Tensor& t) { return f(like(t, x), t); };
  };
  check("fmax", first(&fmax), x, {1, 0, 1, 1, 0, 1});
  check("fmax", second(&fmax), other, {0, 1, 0, 0, 1, 0});
  check("fmin", first(&fmin), x, {1, 1, 0, 1, 0, 1});
  check("fmin", second(&fmin), other, {0, 0, 1, 0, 1, 0});
}

TEST_F(Singular, gradients_are_infinite_where_slopes_are) {
  check("erfinv", [](const Tensor& t) { return erfinv(t); }, {1, -1, 0},
        {inf, inf, 1 / M_2_SQRTPI});
  check("special_ndtri", [](const Tensor& t) { return special_ndtri(t); }, {0, 1, 0.5},
        {inf, inf, std::sqrt(2 * M_PI)});
  check("special_entr", [](const Tensor& t) { return entr(t); }, {0, 1, -1}, {inf, -1, nan});
}

TEST_F(Singular, a_gradient_that_is_always_0_is_that_of_a_leaf) {
  for (const Function& f : std::initializer_list<Function>{
           [](const Tensor& t) { return pow(t, 0.0); }, [](const Tensor& t) { return sign(t); },
           [](const Tensor& t) { return floor(t); }}) {
    Tensor x = Tensor::from({1.0, 0.0}, {2}).set_requires_grad(true);
    sum(f(x)).backward();
    ASSERT_TRUE(x.grad().defined());
    EXPECT_EQ(x.grad().to_vector<double>(), (Numbers{0, 0}));
  }
}

Function of_matrix(Tensor (*f)(const Tensor&), Size rows, Size columns) {
  return [=](const Tensor& t) { return f(reshape(t, {rows, columns})); };
}

TEST_F(Singular, determinants_have_the_cofactors_as_gradients) {
  const auto det = [](const Tensor& a) { return linalg_det(a); };
  const Numbers second = {1, -1, -1, 1};
  check("det", of_matrix(det, 1, 1), {0}, {1}, {0});
  check("det", of_matrix(det, 2, 2), {1, 2, 2, 4}, {4, -2, -2, 1}, second);
  check("det", of_matrix(det, 2, 2), {0, 1, 0, 0}, {0, 0, -1, 0}, second);
  check("det", of_matrix(det, 2, 2), {0, 0, 0, 0}, {0, 0, 0, 0}, second);
  check("det", of_matrix(det, 3, 3), {1, 2, 3, 4, 5, 6, 7, 8, 9},
        {-3, 6, -3, 6, -12, 6, -3, 6, -3});
  check("det", of_matrix(det, 3, 3), {2, 0, 0, 0, 0, 0, 0, 0, 3}, {0, 0, 0, 0, 6, 0, 0, 0, 0},
        {3, -3, 0, -3, 5, -2, 0, -2, 2});
  const auto of_complex = [](const Tensor& a) {  // of (1 - i / 2) a
    return real(linalg_det(Tensor::as_complex(stack({a, a * -0.5}, -1))));
  };
  check("det", of_matrix(of_complex, 2, 2), {1, 2, 2, 4}, {3, -1.5, -1.5, 0.75},
        {0.75, -0.75, -0.75, 0.75});
}

TEST_F(Singular, pseudo_inverses_have_gradients_where_singular_values_are_equal) {
  const auto pinv = [](const Tensor& a) { return linalg_pinv(a); };
  check("pinv", of_matrix(pinv, 3, 3), {1, 0, 0, 0, 1, 0, 0, 0, 1}, Numbers(9, -1), Numbers(9, 6));
  check("pinv", of_matrix(pinv, 2, 2), {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0});
  const auto hermitian = [](const Tensor& a) { return linalg_pinv(a, {}, {}, true); };
  check("pinv", of_matrix(hermitian, 2, 2), {1, 0, 0, 1}, Numbers(4, -1), Numbers(4, 4));
  const auto solution = [](const Tensor& a) {
    return std::get<0>(linalg_lstsq(a, reshape(like(a, {1, 2}), {2, 1})));
  };
  check("lstsq", of_matrix(solution, 2, 2), {1, 0, 0, 1}, {-1, -2, -1, -2}, {5, 7, 5, 7});
  const auto of_right = [](const Tensor& b) {
    const Tensor a = reshape(like(b, {1, 0, 0, 1, 0, 0}), {3, 2});
    return square(std::get<0>(linalg_lstsq(a, b)));
  };
  check("lstsq", of_matrix(of_right, 3, 1), {1, 2, 3}, {2, 4, 0}, {2, 2, 0});
}

TEST_F(Singular, a_truncated_quotient_has_the_gradient_0_also_where_it_is_infinite) {
  const auto first = [](const Tensor& t) { return div(t, like(t, {0, 0, 2}), "trunc"); };
  const auto second = [](const Tensor& t) { return div(like(t, {1, 0, 2}), t, "trunc"); };
  check("div", first, {1, 0, 5}, {0, 0, 0});
  check("div", second, {0, 0, 5}, {0, 0, 0});
}

struct Note : Interpreter {
  void call(const OpCall& call, std::span<Tensor> results) override {
    called.push_back(call.op);
    call_below(call, results);
  }
  std::vector<const OpDef*> called;
};

// So that graphs can be kept and saved.
TEST_F(Singular, interpreters_see_the_program_of_a_function_with_a_formula) {
  const auto calls_of = [](bool is_recorded) {
    const Tensor x = Tensor::from({1.0, 2.0}, {2}).set_requires_grad(is_recorded);
    Note note;
    const Using noting(&note);
    EXPECT_EQ(lgamma(x).requires_grad(), is_recorded);
    EXPECT_EQ(linalg_det(reshape(x, {2, 1, 1})).requires_grad(), is_recorded);
    return note.called;
  };
  const std::vector<const OpDef*> recorded = calls_of(true);
  for (const OpDef* op : recorded) EXPECT_EQ(ops::named(op->name), op) << op->name;
  EXPECT_GE(recorded.size(), calls_of(false).size());
}

}  // namespace
}  // namespace vitro
