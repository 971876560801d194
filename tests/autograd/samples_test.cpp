// Gradients of every op, compared with torch's autograd and with finite differences of the results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>

#include "autograd/sample_gradients.h"
#include "vitro/autograd/vjp.h"
#include "vitro/core/formula.h"
#include "vitro/init.h"

namespace vitro::test {
namespace {

class Gradients : public testing::Test {
 protected:
  static void SetUpTestSuite() { init(); }
  const OpSamples samples_ = OpSamples::read_gradients();
};

TEST_F(Gradients, agree_with_torch) {
  for (const OpSample& sample : samples_.samples()) {
    const SampleCall call = call_of(sample);
    std::vector<Tensor> got;
    try {
      got = gradients_of(call, seeds_of(sample));
    } catch (const std::exception& e) {
      ADD_FAILURE() << sample.where << ": " << e.what();
      continue;
    }
    ASSERT_EQ(got.size(), sample.gradients.size()) << sample.where;
    for (size_t i = 0; i < got.size(); ++i) {
      const std::string problem = wrong_gradient(sample, sample.gradients[i], got[i]);
      EXPECT_TRUE(problem.empty()) << sample.where << ", gradient " << i << ": " << problem;
    }
  }
}

TEST_F(Gradients, of_second_order_agree_with_torch) {
  size_t compared = 0;
  for (const OpSample& sample : samples_.samples()) {
    if (sample.second.empty()) continue;
    const std::vector<Tensor> got =
        second_of(call_of(sample), seeds_of(sample), tensors_of(sample.directions));
    ASSERT_EQ(got.size(), sample.second.size()) << sample.where;
    for (size_t i = 0; i < got.size(); ++i) {
      const std::string problem = wrong_gradient(sample, sample.second[i], got[i]);
      EXPECT_TRUE(problem.empty()) << sample.where << ", gradient " << i << ": " << problem;
    }
    ++compared;
  }
  EXPECT_GE(compared, 60U);
}

// Records which ops are called.
struct Note : Interpreter {
  void call(const OpCall& call, std::span<Tensor> results) override {
    called.insert(call.op);
    call_below(call, results);
  }
  std::set<const OpDef*> called;
};

// The sum of all results times their seeds.
double total(const SampleCall& call, std::span<const Tensor> seeds) {
  const std::vector<Tensor> results = ops::call(*call.overload, {}, call.arguments);
  double out = 0;
  for (size_t k = 0; k < seeds.size(); ++k) {
    if (seeds[k].defined())
      out += sum(real_numbers(results[k]) * real_numbers(seeds[k])).item<double>();
  }
  return out;
}

// The call with `by` times `directions` added to its tensors.
SampleCall moved(const SampleCall& call, std::span<const Tensor> directions, double by) {
  std::vector<Tensor> tensors = tensors_of(call);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (directions[i].defined()) tensors[i] = tensors[i] + directions[i] * by;
  }
  return with_tensors(call, tensors);
}

// The derivative of `total` along `directions` by differences; nullopt at a corner or a jump.
std::optional<double> slope(const SampleCall& call, std::span<const Tensor> seeds,
                            std::span<const Tensor> directions) {
  const double h = 1e-6, here = total(call, seeds);
  const double up = total(moved(call, directions, h), seeds) - here;
  const double down = here - total(moved(call, directions, -h), seeds);
  const double half = total(moved(call, directions, h / 2), seeds) - here;
  const double allowed = 1e-4 * (h + std::abs(up) + std::abs(down));
  const bool smooth = std::abs(up - down) <= allowed && std::abs(up - 2 * half) <= allowed;
  return smooth ? std::optional((up + down) / (2 * h)) : std::nullopt;
}

// Pseudo-random numbers, different for each i.
Tensor direction_of(const Tensor& x, size_t i) {
  if (x.is_complex()) return Tensor::of_pairs(direction_of(x.pairs(), i));
  const Tensor count = reshape(arange(x.numel()), x.sizes());
  return sin(to(count, DType::f64) * 12.9898 + static_cast<double>(i) * 78.233 + 1.0);
}

// Whether all floating-point tensors are f64, so that differences are precise enough.
bool is_f64(std::span<const Tensor> tensors, std::span<const Tensor> seeds) {
  for (const Tensor& t : tensors) {
    if (is_inexact(t.dtype()) && real_of(t.dtype()) != DType::f64) return false;
  }
  for (const Tensor& t : seeds) {
    if (t.defined() && real_of(t.dtype()) != DType::f64) return false;
  }
  return true;
}

// Compares the gradients with differences. False if that is not possible: not f64, a corner, a
// derivative that is not finite, or gradients that are a convention.
bool check_slope(const OpSample& sample) {
  const SampleCall call = call_of(sample);
  const std::vector<Tensor> inputs = tensors_of(call), seeds = seeds_of(sample);
  if (!sample.slope || !is_f64(inputs, seeds)) return false;
  const std::vector<Tensor> got = gradients_of(call, seeds);
  std::vector<Tensor> directions(inputs.size());
  double want = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_inexact(inputs[i].dtype())) continue;
    directions[i] = direction_of(inputs[i], i);
    if (got[i].defined())
      want += sum(real_numbers(got[i]) * real_numbers(directions[i])).item<double>();
  }
  const std::optional<double> found = slope(call, seeds, directions);
  if (!found || !std::isfinite(*found)) return false;
  EXPECT_NEAR(*found, want, 1e-5 * std::max(1.0, std::abs(want))) << sample.where;
  return true;
}

TEST_F(Gradients, agree_with_differences_for_every_op) {
  std::set<const OpDef*> checked;
  for (const OpSample& sample : samples_.samples()) {
    if (!check_slope(sample)) continue;
    Note of_call;
    {
      const Using noting(&of_call);
      (void)call_sample(sample);
    }
    checked.insert(of_call.called.begin(), of_call.called.end());
  }
  const std::set<std::string_view> by_convention{
      "detach", "philox_poisson", "philox_binomial",  // 0 although there are differences
      "linalg_cholesky_ex_of_pairs"};  // of L's diagonal also by the imaginary part, which is 0
  for (const OpDef* op : ops::all()) {
    if (by_convention.contains(op->name)) continue;
    EXPECT_TRUE(checked.contains(op) || !is_differentiable(*op))
        << op->name
        << ": tools/op_samples/gradients.py needs a sample at a point where the op is "
           "differentiable";
  }
}

TEST(Gradient, what_is_saved_is_known_of_every_formula) {
  init();
  for (const OpDef* op : ops::all()) {
    if (!is_differentiable(*op)) continue;
    // No example: operands of two ranks; sizes that follow from those of another operand.
    if (op->name == "linalg_lu_solve_of_pairs" || op->name == "convolve_weights") continue;
    const std::string text = autograd::describe(*op);
    EXPECT_NE(text.find("; saves "), std::string::npos) << op->name << ": " << text;
  }
}

}  // namespace
}  // namespace vitro::test
