// The dtypes that ops compute in, in the scope of an Autocast: torch's, for samples of every op.
#include "vitro/core/autocast.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "eager/call.h"
#include "error_of.h"
#include "vitro/base/error.h"
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

TEST(Autocast, dtypes_are_those_of_torch) {
  size_t checked = 0;
  for (const nlohmann::json& row : rows()) {
    const OpSample& sample = sample_of(row[0], row[1]);
    const std::string text = cat(std::string_view(sample.where), ' ', row[2].get<std::string>(),
                                 " in the scope of ", row[3].get<std::string>());
    if (!is_callable(sample) || without_products.contains(sample.op)) continue;
    const SampleCall call = cast(call_of(sample), row[2]);
    std::vector<Tensor> results;
    try {
      const Autocast on(dtype_named(row[3].get<std::string>()).value());
      results = ops::call(*call.overload, {}, call.arguments);
    } catch (const Error& e) {
      EXPECT_FALSE(is_accepted(call)) << text << ": " << e.what();
      continue;
    }
    ASSERT_EQ(results.size(), row[4].size()) << text;
    for (size_t k = 0; k < results.size(); ++k)
      EXPECT_EQ(name_of(results[k].dtype()), row[4][k].get<std::string>()) << text;
    ++checked;
  }
  EXPECT_GT(checked, 1500U);
}

}  // namespace
}  // namespace vitro::test
