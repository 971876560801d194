// Layers: the parameters of torch.nn, and what the layers compute.
#include "vitro/nn/layers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "error_of.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/nn/init.h"
#include "vitro/nn/recurrent.h"
#include "vitro/ops/all.h"

namespace vitro::nn {
namespace {

class Layers : public testing::Test {
 protected:
  static void SetUpTestSuite() { vitro::init(); }
};

std::vector<std::string> shapes_of(Module& module) {
  std::vector<std::string> out;
  for (const auto& [name, slot] : module.named_parameters())
    out.push_back(cat(name, ' ', slot->sizes()));
  return out;
}

TEST_F(Layers, of_convolutions_have_torch_s_parameters) {
  struct : Module {
    Conv1d a{*this, "a", 4, 6, 3, {.groups = 2}};
    Conv3d b{*this, "b", 2, 3, {1, 2, 3}, {}, false};
    ConvTranspose1d c{*this, "c", 4, 6, 5, {.groups = 2}};
    ConvTranspose2d d{*this, "d", 2, 3, {2, 4}};
  } model;
  EXPECT_EQ(shapes_of(model),
            (std::vector<std::string>{"a.weight [6, 2, 3]", "a.bias [6]",
                                      "b.weight [3, 2, 1, 2, 3]", "c.weight [4, 3, 5]",
                                      "c.bias [6]", "d.weight [2, 3, 2, 4]", "d.bias [3]"}));
  const double bound = 1 / std::sqrt(3.0 * 5);  // of torch: by the results of a group
  const double most = amax(abs(model.c.weight)).item<double>();
  EXPECT_GT(most, 0.8 * bound);
  EXPECT_LE(most, bound);
  EXPECT_EQ(model.d(full({1, 2, 5, 5}, 1.0)).sizes(), Sizes({1, 3, 6, 8}));
}

TEST_F(Layers, of_batch_norm_use_the_batch_in_training_and_what_they_saw_in_evaluation) {
  struct Net : Module {
    BatchNorm1d norm{*this, "norm", 2, {.momentum = 0.25}};
    BatchNorm2d plain{*this, "plain", 2, {.affine = false, .track_running_stats = false}};
  } net;
  EXPECT_EQ(net.named_parameters().size(), 2u);
  EXPECT_EQ(net.named_buffers().size(), 2u);
  const Tensor x = Tensor::from({1.0F, 10.0F, 3.0F, 30.0F, 5.0F, 20.0F}, {3, 2});
  const auto step = [&](const Tensor& t) { return net.norm(t); };
  const auto fast = compile(step);
  for (const bool compiled : {false, true}) {
    // of the batch: means 3 and 20, variances 8/3 and 200/3, unbiased 4 and 100
    net.norm.running_mean = full({2}, 1.0);
    net.norm.running_var = full({2}, 1.0);
    net.train();
    const Tensor y = compiled ? fast(x) : step(x);
    EXPECT_NEAR(select(select(y, 0, 0), 0, 0).item<float>(), -2 / std::sqrt(8.0 / 3), 1e-4);
    EXPECT_EQ(net.norm.running_mean.to_vector<float>(), (std::vector<float>{1.5F, 5.75F}));
    EXPECT_EQ(net.norm.running_var.to_vector<float>(), (std::vector<float>{1.75F, 25.75F}));
    net.eval();
    const Tensor z = compiled ? fast(x) : step(x);
    EXPECT_NEAR(select(select(z, 0, 0), 0, 0).item<float>(), -0.5 / std::sqrt(1.75), 1e-4);
    EXPECT_EQ(net.norm.running_mean.to_vector<float>(), (std::vector<float>{1.5F, 5.75F}));
  }
  const Tensor image = reshape(arange(16) * 1.0, {2, 2, 2, 2});
  EXPECT_NEAR(mean(net.plain(image)).item<float>(), 0, 1e-6);
  EXPECT_EQ(error_of([&] { (void)net.plain(x); }),
            "batch_norm: BatchNorm2d needs x of rank 4, got sizes [3, 2]");
  net.train();
  EXPECT_EQ(error_of([&] { (void)net.norm(slice(x, 0, 0, 1)); }),
            "batch_norm: the statistics of a batch need more than one value for each channel, got "
            "sizes [1, 2]");
  EXPECT_EQ(error_of([&] { (void)net.plain(ones({1, 2, 1, 1})); }),
            "batch_norm: the statistics of a batch need more than one value for each channel, got "
            "sizes [1, 2, 1, 1]");
  EXPECT_EQ(net.plain(ones({0, 2, 1, 1})).numel(), 0);
}

TEST_F(Layers, that_are_recurrent_drop_what_a_layer_passes_on) {
  struct Net : Module {
    LSTM lstm{*this, "lstm", 3, 4, {.num_layers = 2, .dropout = 0.5}};
    LSTM one{*this, "one", 3, 4, {.num_layers = 1, .dropout = 0.5}};
    GRU all{*this, "all", 3, 4, {.num_layers = 2, .dropout = 1}};
  } net;
  const Tensor x = full({5, 2, 3}, 1.0);
  const auto run = [](const LSTM& layer, const Tensor& t) { return std::get<0>(layer(t)); };
  const auto same = [](const Tensor& a, const Tensor& b) { return all(a == b).item<bool>(); };
  const auto differs = [&](const LSTM& layer) { return !same(run(layer, x), run(layer, x)); };
  EXPECT_TRUE(differs(net.lstm));
  EXPECT_FALSE(differs(net.one));
  // the second layer gets zeros, whatever x is
  EXPECT_TRUE(same(std::get<0>(net.all(x)), std::get<0>(net.all(x * 2.0))));
  net.eval();
  EXPECT_FALSE(differs(net.lstm));
  EXPECT_FALSE(same(std::get<0>(net.all(x)), std::get<0>(net.all(x * 2.0))));
}

TEST_F(Layers, that_are_recurrent_say_where_they_were_called_wrongly) {
  Module root;
  const LSTM lstm(root, "lstm", 3, 4);
  try {
    (void)lstm(full({5, 2, 3}, 1.0), full({1, 2, 4}, 1.0));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "lstm: needs both h and c, or neither");
    EXPECT_TRUE(error.location().starts_with("layers_test.cpp:")) << error.what();
  }
}

TEST_F(Layers, convolve_with_the_border_that_their_mode_says) {
  const std::pair<PaddingMode, std::vector<float>> wanted[] = {
      {PaddingMode::zeros, {3, 6, 9, 7}},
      {PaddingMode::reflect, {5, 6, 9, 10}},
      {PaddingMode::replicate, {4, 6, 9, 11}},
      {PaddingMode::circular, {7, 6, 9, 8}},
  };
  const Tensor x = Tensor::from({1.0F, 2.0F, 3.0F, 4.0F}, {1, 4});
  for (const auto& [mode, result] : wanted) {
    for (const ops::ConvPadding& padding : {ops::ConvPadding(1), ops::ConvPadding("same")}) {
      Module root;
      Conv1d layer(root, "conv", 1, 1, 3, {.padding = padding}, false, mode);
      layer.weight = full({1, 1, 3}, 1.0);
      EXPECT_EQ(layer(x).to_vector<float>(), result);
    }
  }
}

TEST_F(Layers, refuse_a_border_that_no_convolution_has) {
  Module root;
  const Conv2d layer(root, "conv", 1, 1, {3, 3}, {.padding = "most"}, false, PaddingMode::reflect);
  const Conv2d plain(root, "plain", 1, 1, {3, 3}, {.padding = "most"}, false);
  const Tensor x = full({1, 1, 5, 5}, 1.0);
  const std::string want = error_of([&] { (void)plain(x); });
  EXPECT_NE(want.find("most"), std::string::npos) << want;
  EXPECT_EQ(error_of([&] { (void)layer(x); }), want);
}

TEST_F(Layers, without_inputs_give_their_bias_which_is_0) {
  Module root;
  EXPECT_EQ(Linear(root, "linear", 0, 2)(full({3, 0}, 1.0)).to_vector<float>(),
            std::vector<float>(6, 0.0F));
  EXPECT_EQ(Conv2d(root, "conv", 0, 2, {3, 3}).bias.to_vector<float>(),
            std::vector<float>(2, 0.0F));
}

bool same(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && a.to_vector<float>() == b.to_vector<float>();
}

TEST_F(Layers, of_recurrent_networks_have_torch_s_parameters) {
  struct : Module {
    LSTM a{*this, "a", 3, 4, {.bidirectional = true, .proj_size = 2}};
    GRU b{*this, "b", 3, 2, {.num_layers = 2, .bias = false}};
  } model;
  EXPECT_EQ(
      shapes_of(model),
      (std::vector<std::string>{
          "a.weight_ih_l0 [16, 3]", "a.weight_hh_l0 [16, 2]", "a.bias_ih_l0 [16]",
          "a.bias_hh_l0 [16]", "a.weight_hr_l0 [2, 4]", "a.weight_ih_l0_reverse [16, 3]",
          "a.weight_hh_l0_reverse [16, 2]", "a.bias_ih_l0_reverse [16]",
          "a.bias_hh_l0_reverse [16]", "a.weight_hr_l0_reverse [2, 4]", "b.weight_ih_l0 [6, 3]",
          "b.weight_hh_l0 [6, 2]", "b.weight_ih_l1 [6, 2]", "b.weight_hh_l1 [6, 2]"}));
}

TEST_F(Layers, of_recurrent_networks_take_a_batch_or_one_sequence) {
  for (const bool batch_first : {false, true}) {
    Module root;
    LSTM layer(root, "lstm", 3, 4,
               {.num_layers = 2, .batch_first = batch_first, .bidirectional = true});
    const Tensor x = normal({5, 3});  // one sequence
    const auto [y, h, c] = layer(x);
    EXPECT_EQ(cat(y.sizes(), h.sizes(), c.sizes()), "[5, 8][4, 4][4, 4]");
    const int64_t batch = batch_first ? 0 : 1;
    const auto [ys, hs, cs] = layer(unsqueeze(x, batch));
    EXPECT_TRUE(same(squeeze(ys, batch), y) && same(squeeze(hs, 1), h) && same(squeeze(cs, 1), c));
    // The state after three steps continues the sequence.
    RNN network(root, "rnn", 3, 4, {.batch_first = batch_first}, RNN::Nonlinearity::relu);
    const auto [all, last] = network(x);
    const auto [begin, state] = network(slice(x, 0, 0, 3));
    const auto [end, final] = network(slice(x, 0, 3, 5), state);
    EXPECT_TRUE(same(cat({begin, end}), all) && same(final, last));
  }
}

TEST_F(Layers, of_batch_norm_have_gradients_where_there_is_no_batch) {
  Module root;
  BatchNorm1d layer(root, "norm", 4);
  root.requires_grad_();
  const Tensor y = layer(zeros({0, 4, 3}));
  EXPECT_EQ(cat(y.sizes()), "[0, 4, 3]");
  sum(y).backward();
  EXPECT_TRUE(same(layer.weight.grad(), zeros({4})) && same(layer.bias.grad(), zeros({4})));
  EXPECT_TRUE(same(layer.running_var, ones({4})));
}

TEST_F(Layers, of_bags_have_gradients_where_there_are_no_bags_or_no_indices) {
  for (const BagMode mode : {bag_sum, bag_mean, bag_max}) {
    Module root;
    EmbeddingBag layer(root, "bag", 5, 3, {.mode = mode});
    root.requires_grad_();
    const Tensor none = zeros({0}, DType::i64);
    sum(layer(zeros({0, 4}, DType::i64))).backward();
    EXPECT_TRUE(same(layer.weight.grad(), zeros({5, 3})));
    sum(layer(none, zeros({2}, DType::i64))).backward();  // two empty bags
    sum(layer(none, none)).backward();
    EXPECT_TRUE(same(layer.weight.grad(), zeros({5, 3})));
  }
}

TEST_F(Layers, of_recurrent_networks_are_compiled) {
  Module root;
  GRU layer(root, "gru", 3, 4, {.num_layers = 2});
  const Tensor x = normal({5, 2, 3});
  auto fast = compile([&](const Tensor& t) { return std::get<0>(layer(t)); });
  EXPECT_TRUE(same(fast(x), std::get<0>(layer(x))));
}

}  // namespace
}  // namespace vitro::nn
