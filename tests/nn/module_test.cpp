#include "vitro/nn/module.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vitro/base/error.h"
#include "vitro/core/generator.h"
#include "vitro/nn/init.h"
#include "vitro/nn/layers.h"

namespace vitro::nn {
namespace {

std::vector<std::string> names_of(Module& module) {
  std::vector<std::string> names;
  for (const auto& [name, slot] : module.named_parameters()) names.push_back(name);
  return names;
}

TEST(Module, names_parameters_by_their_path) {
  struct : Module {
    Linear fc1{*this, "fc1", 8, 4}, fc2{*this, "fc2", 4, 2};
  } model;
  EXPECT_EQ(names_of(model),
            (std::vector<std::string>{"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"}));
}

TEST(Module, says_all_that_is_wrong_with_weights_and_changes_nothing) {
  struct : Module {
    Linear fc1{*this, "fc1", 3, 2};
  } model;
  const Tensor before = *model.parameters()[0];
  try {
    model.load([](std::string_view name) {
      return name == "fc1.weight" ? constant({3, 2}, 1) : Tensor();
    });
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "load: the weights do not fit this model:\n  fc1.weight: got f32[3, 2], needs "
                 "f32[2, 3]\n  fc1.bias: missing");
  }
  EXPECT_TRUE(model.parameters()[0]->same_as(before));
}

// One tensor may be two parameters: each keeps its own name once it has weights of its own.
TEST(Module, loads_tensors_under_the_names_that_they_were_asked_for) {
  struct Tied : Module {
    Tensor a, b;
    Tied() {
      add_parameter("embed", a, constant({2}, 1));
      add_parameter("head", b, a);
    }
  } model;
  model.load([](std::string_view) { return constant({2}, 3); });
  EXPECT_EQ(module_path(model.a.impl()->parameter_name), "embed");
  EXPECT_EQ(module_path(model.b.impl()->parameter_name), "head");
}

TEST(Init, the_same_seed_gives_the_same_numbers) {
  manual_seed(3);
  const std::vector<float> a = normal({100}, 0, 1).to_vector<float>();
  manual_seed(3);
  EXPECT_EQ(normal({100}, 0, 1).to_vector<float>(), a);
  EXPECT_NE(normal({100}, 0, 1).to_vector<float>(), a);
}

TEST(Init, has_the_moments_that_were_asked_for) {
  manual_seed(1);
  const auto moments = [](const std::vector<float>& v) {
    double mean = 0, square = 0;
    for (const float x : v) mean += static_cast<double>(x) / static_cast<double>(v.size());
    for (const float x : v)
      square += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
    return std::pair(mean, std::sqrt(square / static_cast<double>(v.size())));
  };
  const auto [mean, deviation] = moments(normal({1000, 200}, 2, 0.5).to_vector<float>());
  EXPECT_NEAR(mean, 2, 0.01);
  EXPECT_NEAR(deviation, 0.5, 0.01);
  const auto [middle, spread] = moments(uniform({1000, 200}, -1, 1).to_vector<float>());
  EXPECT_NEAR(middle, 0, 0.01);
  EXPECT_NEAR(spread, 1 / std::sqrt(3.0), 0.01);
}

}  // namespace
}  // namespace vitro::nn
