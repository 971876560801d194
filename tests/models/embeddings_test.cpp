#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "../../examples/sentence_encoder.h"

namespace vitro {
namespace {

// Texts with the token ids and embeddings of the original model, computed in float64.
nlohmann::json expected() {
  std::ifstream file(VITRO_TEST_DATA "/minilm/expected.json");
  return nlohmann::json::parse(file);
}

std::unique_ptr<sentences::Encoder> fetched_encoder() {
  const auto files = models::fetch_minilm([](std::string_view line) { std::cout << line << '\n'; });
  if (!files) {
    std::cout << files.why() << '\n';
    return nullptr;
  }
  return sentences::Encoder::load().value();
}

double greatest_difference(const std::vector<float>& got, const nlohmann::json& want) {
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - want.at(i).get<double>()));
  }
  return worst;
}

TEST(MiniLm, gives_the_embeddings_of_the_original_eager_and_compiled) {
  const auto encoder = fetched_encoder();
  if (!encoder) GTEST_SKIP() << "the weights cannot be fetched";
  auto fast = compile([&](const Tensor& ids) { return (*encoder)(ids); }, {.name = "sentence"});
  for (const nlohmann::json& sample : expected()) {
    const auto text = sample.at("text").get<std::string>();
    const std::vector<int64_t> ids = encoder->ids(text);
    EXPECT_EQ(ids, sample.at("input_ids").get<std::vector<int64_t>>()) << text;
    const Tensor input = sentences::Encoder::tensor(ids);
    const std::vector<float> eager = (*encoder)(input).to_vector<float>();
    EXPECT_LT(greatest_difference(eager, sample.at("embedding")), 1e-5) << text;
    EXPECT_LT(greatest_difference(fast(input).to_vector<float>(), sample.at("embedding")), 1e-5)
        << text;
  }
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

}  // namespace
}  // namespace vitro
