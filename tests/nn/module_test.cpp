// Modules name their parameters, keep ties and say what is wrong; initial values.
#include "vitro/nn/module.h"

#include <gtest/gtest.h>

#include <cmath>

#include "error_of.h"
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

// A tensor that is two parameters, as the word embedding and the head of a language model.
struct Tied : Module {
  Tensor a, b;
  Tied() {
    add_parameter("embed", a, constant({2}, 1));
    add_parameter("head", b, a);
  }
};

TEST(Module, tied_parameters_are_one_and_stay_tied) {
  Tied model;
  EXPECT_EQ(names_of(model), std::vector<std::string>{"embed"});
  EXPECT_EQ(model.named_parameters(false).size(), 2);
  EXPECT_EQ(model.parameter_count(), 2);
  EXPECT_EQ(module_path(model.b.impl()->parameter_name), "embed");
  model.load([](std::string_view) { return constant({2}, 3); });
  EXPECT_TRUE(model.a.same_as(model.b));
  EXPECT_EQ(model.b.to_vector<float>(), (std::vector<float>{3, 3}));
  EXPECT_EQ(module_path(model.b.impl()->parameter_name), "embed");
}

TEST(Module, load_leaves_the_tensors_that_it_is_given_as_they_are) {
  struct Single : Module {
    Tensor weight;
    Single() { add_parameter("weight", weight, constant({2}, 1)); }
  } model;
  const Tensor given = constant({2}, 3);
  model.load([&](std::string_view) { return given; });
  EXPECT_FALSE(given.impl()->is_parameter);
  EXPECT_TRUE(model.weight.impl()->is_parameter);
  EXPECT_EQ(model.weight.storage().data(), given.storage().data());
}

// What a model for images has: parameters, buffers, a submodule.
struct Small : Module {
  Linear fc{*this, "fc", 2, 2, false};
  BatchNorm1d norm{*this, "norm", 2};
};

std::vector<std::string> names_of(const std::vector<NamedTensor>& state) {
  std::vector<std::string> names;
  for (const NamedTensor& one : state) names.push_back(one.name);
  return names;
}

TEST(StateDict, has_the_names_of_torch_and_the_tensors_of_the_module) {
  Small model;
  const std::vector<NamedTensor> state = model.state_dict();
  EXPECT_EQ(names_of(state), (std::vector<std::string>{"fc.weight", "norm.weight", "norm.bias",
                                                       "norm.running_mean", "norm.running_var"}));
  EXPECT_TRUE(state[0].tensor.same_as(model.fc.weight));
  Tied tied;
  EXPECT_EQ(names_of(tied.state_dict()), (std::vector<std::string>{"embed", "head"}));
}

TEST(StateDict, values_are_copied_in_place) {
  Small model, other;
  model.requires_grad_();
  const Tensor weight = model.fc.weight;
  std::vector<NamedTensor> state = other.state_dict();
  state[0].tensor = Tensor::from({1.0, 2.0, 3.0, 4.0}, {2, 2});    // of another dtype
  state.push_back({"norm.num_batches_tracked", constant({}, 7)});  // PyTorch's
  const Module::Unmatched unmatched = model.load_state_dict(state);
  EXPECT_TRUE(unmatched.missing.empty() && unmatched.unexpected.empty());
  EXPECT_TRUE(model.fc.weight.same_as(weight));
  EXPECT_EQ(weight.to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_TRUE(weight.requires_grad() && weight.is_leaf());
  EXPECT_NE(other.fc.weight.to_vector<float>(), weight.to_vector<float>());
}

TEST(StateDict, what_does_not_fit_is_listed_and_changes_nothing) {
  Small model;
  const std::vector<float> before = model.fc.weight.to_vector<float>();
  const std::vector<NamedTensor> state{{"fc.weight", constant({2, 2}, 1)},
                                       {"norm.weight", constant({3}, 1)},
                                       {"norm.bias", Tensor()},
                                       {"norm.running_mean", constant({2}, 1)},
                                       {"fc.num_batches_tracked", constant({}, 1)},
                                       {"head", constant({2}, 1)}};
  EXPECT_EQ(error_of([&] { model.load_state_dict(state); }),
            "load_state_dict: the state does not fit this model:\n"
            "  norm.weight: got f32[3], needs f32[2]\n"
            "  norm.bias: got an undefined tensor, needs f32[2]\n"
            "  norm.running_var: missing\n"
            "  fc.num_batches_tracked: unexpected\n"
            "  head: unexpected");
  EXPECT_EQ(model.fc.weight.to_vector<float>(), before);
  EXPECT_NE(error_of([&] { model.load_state_dict(state, false); }).find("norm.weight"),
            std::string::npos);
}

TEST(StateDict, that_fits_in_part_is_loaded_in_part) {
  Small model;
  const Module::Unmatched unmatched = model.load_state_dict(
      std::vector<NamedTensor>{{"fc.weight", constant({2, 2}, 5)}, {"head", constant({2}, 1)}},
      false);
  EXPECT_EQ(unmatched.missing.size(), 4U);
  EXPECT_EQ(unmatched.unexpected, std::vector<std::string>{"head"});
  EXPECT_EQ(model.fc.weight.to_vector<float>(), (std::vector<float>{5, 5, 5, 5}));
}

TEST(StateDict, of_a_tied_parameter_one_name_is_enough) {
  Tied model;
  model.load_state_dict(std::vector<NamedTensor>{{"head", constant({2}, 4)}});
  EXPECT_EQ(model.a.to_vector<float>(), (std::vector<float>{4, 4}));
  EXPECT_TRUE(model.a.same_as(model.b));
}

TEST(Module, names_are_not_empty_and_differ) {
  const auto error_of = [](const auto& make) {
    try {
      make();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  struct : Module {
  } model;
  EXPECT_EQ(error_of([&] { Linear(model, "", 1, 1); }),
            "the model: the name of a submodule must not be empty");
  struct Dotted : Module {
    Tensor a;
    Dotted() { add_parameter("fc.weight", a, constant({1}, 1)); }
  };
  EXPECT_EQ(error_of([&] { Dotted(); }),
            "the name of the parameter \"fc.weight\" contains a dot, which separates modules");
  struct : Module {
    Linear a{*this, "fc", 1, 1};
  } other;
  EXPECT_EQ(error_of([&] { Linear(other, "fc", 1, 1); }),
            "the model: two members are named \"fc\"; parameters and submodules need distinct "
            "names");
  struct Twice : Module {
    Tensor a, b;
    explicit Twice(Module& owner) : Module(owner, "inner") {
      add_parameter("weight", a, constant({1}, 1));
      add_parameter("weight", b, constant({1}, 1));
    }
  };
  EXPECT_EQ(error_of([&] { Twice{other}; }),
            "inner: two members are named \"weight\"; parameters and submodules need distinct "
            "names");
}

TEST(Module, drops_elements_only_in_training) {
  struct Net : Module {
    Dropout drop{*this, "drop", 0.5};
  } net;
  EXPECT_TRUE(net.drop.is_training());
  net.eval();
  EXPECT_FALSE(net.is_training() || net.drop.is_training());
  const Tensor x = constant({2}, 1);
  EXPECT_TRUE(net.drop(x).same_as(x));
  net.train();
  EXPECT_TRUE(net.drop.is_training());
  EXPECT_EQ(error_of([&] { Dropout(net, "other", 1.5); }),
            "a dropout module needs a probability in [0, 1], got 1.5");
}

// torch.manual_seed(3); torch.nn.Linear(3, 2); torch.nn.Embedding(2, 2)
TEST(Init, has_the_numbers_of_torch_if_asked) {
  manual_seed(3, Generator::mt19937);
  struct Net : Module {
    Linear linear{*this, "linear", 3, 2};
    Embedding embedding{*this, "embedding", 2, 2};
  } net;
  manual_seed(0);
  const auto expect = [](const Tensor& got, const std::vector<float>& want) {
    const std::vector<float> x = got.to_vector<float>();
    ASSERT_EQ(x.size(), want.size());
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], want[i], 2e-7) << i;
  };
  expect(net.linear.weight, {-0.572427154F, -0.455449253F, -0.247287795F, -0.546225488F,
                             -0.032776911F, -0.507933974F});
  expect(net.linear.bias, {0.313923627F, 0.281399786F});
  expect(net.embedding.weight, {0.046182450F, -1.368259192F, 0.337495089F, 1.011115909F});
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
