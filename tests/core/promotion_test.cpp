#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "vitro/core/dtype.h"

namespace vitro {
namespace {

DType dtype_of_operand(const std::string& name) {
  if (name == "int") return DType::i64;
  if (name == "float") return DType::f64;
  return *dtype_named(name);
}

Promotion::Rank rank_of(const std::string& name) {
  if (name == "number") return Promotion::Rank::number;
  return name == "zero_dim" ? Promotion::Rank::zero_dim : Promotion::Rank::dimensioned;
}

TEST(Promotion, equals_torchs_result_type_for_every_pair) {
  std::ifstream file(VITRO_TEST_DATA "/promotion.json");
  size_t pairs = 0;
  for (const auto& row : nlohmann::json::parse(file)) {
    Promotion promotion;
    for (size_t operand : {0, 2})
      promotion.add(dtype_of_operand(row.at(operand)), rank_of(row.at(operand + 1)));
    EXPECT_EQ(name_of(promotion.result()), row.at(4).get<std::string>()) << row;
    ++pairs;
  }
  EXPECT_EQ(pairs, 20U * 23 + 9);
}

}  // namespace
}  // namespace vitro
