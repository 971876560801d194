// Every op, compared with PyTorch: values, dtypes, shapes, layouts, and refused calls.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "eager/call.h"
#include "eager/compare.h"
#include "eager/eager.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro::test {
namespace {

// Ops without samples of their own, and how they are tested.
const std::set<std::string_view> tested_elsewhere = {
    "floor_divide",  // as div with a rounding mode
    "trunc_divide",
    "add_scaled",  // as add and sub with alpha
    "sub_scaled",
    "cube",              // as pow with 3
    "convolve_weights",  // in tests/backend/convolution_weights_test.cpp
};

// The sample's tolerance, widened for ops of which torch's results are not correctly rounded.
SampleTolerance tolerance_for(const OpSample& sample) {
  SampleTolerance t = sample.tolerance;
  const bool halves = sample.results[0].dtype == "bf16" || sample.results[0].dtype == "f16";
  // MKL's square root is not correctly rounded; torch rounds f16 and bf16 inside of a division with
  // a rounding mode.
  if (sample.op == "sqrt" ||
      (sample.op == "div" && halves && sample.attrs.contains("rounding_mode")))
    t = {.bits = false, .ulps = 1, .relative = t.relative, .absolute = t.absolute};
  return t;
}

template <class T>
double as_double(T v) {
  if constexpr (sizeof(T) == 2) {
    return static_cast<float>(v);
  } else {
    return v;
  }
}
template <class T>
T rounded(double v) {
  if constexpr (sizeof(T) == 2) {
    return T(static_cast<float>(v));
  } else {
    return static_cast<T>(v);
  }
}

// torch's vectorized fmod returns NaN for huge quotients. Checks these elements against std::fmod,
// and then replaces them by torch's NaN so that the comparison passes.
void repair_remainder(const OpSample& sample, std::vector<std::byte>& got) {
  if (sample.op != "fmod" && sample.op != "remainder") return;
  const auto* a = std::get_if<SampleTensor>(&sample.operands[0]);
  const auto* b = std::get_if<SampleTensor>(&sample.operands[1]);
  if (!a || !b || a->sizes != b->sizes || a->sizes.size() != 1) return;
  const Tensor x = to(tensor_of(*a), DType::f64), y = to(tensor_of(*b), DType::f64);
  const auto xs = x.to_vector<double>(), ys = y.to_vector<double>();
  const SampleResult& want = sample.results[0];
  dispatch(dtype_named(want.dtype).value(), [&]<class T>() {
    if constexpr (!std::is_integral_v<T>) {
      for (size_t i = 0; i < xs.size(); ++i) {
        T theirs, ours;
        std::memcpy(&theirs, want.elements.data() + i * sizeof(T), sizeof(T));
        std::memcpy(&ours, got.data() + i * sizeof(T), sizeof(T));
        double exact = std::fmod(xs[i], ys[i]);
        if (sample.op == "remainder" && exact != 0 && (exact < 0) != (ys[i] < 0)) exact += ys[i];
        if (!std::isnan(as_double(theirs)) || std::isnan(exact)) continue;
        EXPECT_EQ(as_double(ours), as_double(rounded<T>(exact))) << sample.where;
        std::memcpy(got.data() + i * sizeof(T), &theirs, sizeof(T));
      }
    }
  });
}

// torch's var of infinities is wrong: its running mean becomes NaN.
bool torch_errs(const OpSample& sample) {
  if (!sample.op.starts_with("var")) return false;
  const auto* x = std::get_if<SampleTensor>(&sample.operands[0]);
  return any(isinf(tensor_of(*x))).item<bool>();
}

std::string wrong(const OpSample& sample, const SampleResult& want, const Tensor& got) {
  const bool scatters = sample.op.ends_with("_scatter");  // torch keeps gaps between elements
  const std::string layout = layout_differs(want, got, !scatters);
  if (!layout.empty() || want.is_none()) return layout;
  std::vector<std::byte> elements = elements_of(got);
  repair_remainder(sample, elements);
  return difference(want, elements, tolerance_for(sample));
}

std::string run(const OpSample& sample) {
  std::vector<Tensor> results;
  try {
    results = call_sample(sample);
  } catch (const Error& error) {
    return sample.error ? "" : cat("refused: ", error.what());
  }
  if (sample.error) return cat("accepted; torch says: ", sample.message);
  if (results.size() < sample.results.size()) return "too few results";
  for (size_t i = 0; i < sample.results.size(); ++i) {
    const std::string problem = wrong(sample, sample.results[i], results[i]);
    if (!problem.empty()) return cat("result ", i, ": ", problem);
  }
  return "";
}

class Samples : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { eager::init(); }
};

TEST_P(Samples, agree_with_torch) {
  const OpSamples samples = OpSamples::read(GetParam());
  for (const OpSample& sample : samples.samples()) {
    if (torch_errs(sample)) continue;
    ASSERT_TRUE(is_callable(sample)) << sample.where;
    const std::string problem = run(sample);
    EXPECT_TRUE(problem.empty()) << sample.where << ": " << problem;
  }
}

INSTANTIATE_TEST_SUITE_P(families, Samples, testing::ValuesIn(OpSamples::families()),
                         [](const auto& family) { return family.param; });

TEST(Ops, all_have_samples) {
  std::set<std::string> sampled;
  for (const std::string& family : OpSamples::families()) {
    const OpSamples samples = OpSamples::read(family);
    for (const OpSample& sample : samples.samples()) sampled.insert(sample.op);
  }
  for (const OpDef* op : ops::all()) {
    if (op->name.ends_with("_pairs")) continue;  // what complex calls consist of
    EXPECT_TRUE(sampled.contains(std::string(op->name)) || tested_elsewhere.contains(op->name))
        << op->name << " has neither samples nor its own test";
  }
}

}  // namespace
}  // namespace vitro::test
