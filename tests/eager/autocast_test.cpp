// The scope of an Autocast, for samples of every op: results have the dtypes of torch's, and
// compiled calls the bits of eager.
#include "vitro/core/autocast.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "eager/call.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"

namespace vitro::test {
namespace {

nlohmann::json rows() {
  std::ifstream file(VITRO_TEST_DATA "/autocast.json");
  return nlohmann::json::parse(file);
}

const OpSample& sample_of(const std::string& family, size_t number) {
  static auto* families = new std::map<std::string, OpSamples>;
  const auto found = families->try_emplace(family, OpSamples::read(family)).first;
  return found->second.samples().at(number);
}

// Written with other ops than torch's, which are products and thus in the dtype of the scope.
const std::set<std::string_view> without_products = {"affine_grid_generator", "corrcoef", "cov"};

bool is_accepted(const SampleCall& call) {
  try {
    (void)ops::call(*call.overload, {}, call.arguments);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The f32 tensors in the dtype of the row.
SampleCall cast(SampleCall call, const std::string& inputs) {
  std::vector<Tensor> tensors = tensors_of(call);
  bool is_first = true;
  for (Tensor& t : tensors) {
    if (!t.defined() || t.dtype() != DType::f32) continue;
    const bool stays = inputs == "mixed" && std::exchange(is_first, false);
    t = to(t, stays ? DType::f32 : dtype_named(inputs == "mixed" ? "bf16" : inputs).value());
  }
  return with_tensors(std::move(call), tensors);
}

// In a compiled function that drops the results, which need not be computed then.
std::vector<DType> dtypes_of(const SampleCall& call, DType scope) {
  std::vector<DType> out;
  const auto f = compile(
      [&] {
        const Autocast on(scope);
        out.clear();
        for (const Tensor& result : ops::call(*call.overload, {}, call.arguments))
          out.push_back(result.dtype());
        return zeros({});
      },
      {.backend = "eager"});
  (void)f();
  return out;
}

TEST(Autocast, dtypes_are_those_of_torch) {
  init();
  size_t checked = 0;
  for (const nlohmann::json& row : rows()) {
    const OpSample& sample = sample_of(row[0], row[1]);
    const std::string text = cat(std::string_view(sample.where), ' ', row[2].get<std::string>(),
                                 " in the scope of ", row[3].get<std::string>());
    if (!is_callable(sample) || without_products.contains(sample.op)) continue;
    const SampleCall call = cast(call_of(sample), row[2]);
    std::vector<DType> results;
    try {
      results = dtypes_of(call, dtype_named(row[3].get<std::string>()).value());
    } catch (const Error& e) {
      EXPECT_FALSE(is_accepted(call)) << text << ": " << e.what();
      continue;
    }
    ASSERT_EQ(results.size(), row[4].size()) << text;
    for (size_t k = 0; k < results.size(); ++k)
      EXPECT_EQ(name_of(results[k]), row[4][k].get<std::string>()) << text;
    ++checked;
  }
  EXPECT_GT(checked, 1500U);
}

void expect_same_bits(const Tensor& a, const Tensor& b, const std::string& text) {
  ASSERT_EQ(a.dtype(), b.dtype()) << text;
  const Tensor x = contiguous(a), y = contiguous(b);
  ASSERT_EQ(x.numel().value(), y.numel().value()) << text;
  const auto bytes = static_cast<size_t>(x.numel().value() * bytes_of(x.dtype()));
  EXPECT_TRUE(bytes == 0 || std::memcmp(x.const_data(), y.const_data(), bytes) == 0) << text;
}

// Whether the result says that operands were cast.
bool casts(const nlohmann::json& row) {
  const std::string inputs = row[2], result = row[4][0];
  return row[3] == "bf16" &&
         ((inputs == "f32" && result == "bf16") || (inputs == "bf16" && result == "f32"));
}

TEST(Autocast, compiled_has_the_bits_of_eager) {
  init();
  size_t checked = 0;
  for (const nlohmann::json& row : rows()) {
    const OpSample& sample = sample_of(row[0], row[1]);
    if (!casts(row) || !is_callable(sample) || without_products.contains(sample.op)) continue;
    const SampleCall call = cast(call_of(sample), row[2]);
    const auto f = [&](const std::vector<Tensor>& inputs) {
      const Autocast on;
      return ops::call(*call.overload, {}, with_tensors(call, inputs).arguments);
    };
    const std::vector<Tensor> inputs = tensors_of(call), want = f(inputs);
    auto fast = compile(f);
    const std::vector<Tensor> got = fast(inputs);
    ASSERT_EQ(got.size(), want.size()) << sample.where;
    for (size_t k = 0; k < want.size(); ++k) expect_same_bits(got[k], want[k], sample.where);
    EXPECT_TRUE(fast.report().fallbacks.empty()) << sample.where;
    ++checked;
  }
  EXPECT_GT(checked, 60U);
}

}  // namespace
}  // namespace vitro::test
