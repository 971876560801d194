// Averages of weights against torch.optim.swa_utils; swapping, state, compiled updates.
#include "vitro/nn/average.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "error_of.h"
#include "samples.h"
#include "vitro/autograd/autograd.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/nn/layers.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/optim.h"

namespace vitro::nn {
namespace {

class Averages : public testing::Test {
 protected:
  static void SetUpTestSuite() { vitro::init(); }
};

struct Net : Module {
  BatchNorm1d norm{*this, "norm", 3};
  std::vector<Tensor*> tensors() {
    return {&norm.weight, &norm.bias, &norm.running_mean, &norm.running_var};
  }
};

std::vector<float> values_of(Net& net) {
  std::vector<float> out;
  for (const Tensor* t : net.tensors())
    for (const float x : t->to_vector<float>()) out.push_back(x);
  return out;
}

std::unique_ptr<WeightAverage> made(const std::string& kind, Module& model, bool use_buffers) {
  if (kind == "swa") return std::make_unique<StochasticWeightAverage>(model, use_buffers);
  return std::make_unique<ExponentialMovingAverage>(
      model, ExponentialMovingAverageOptions{.decay = 0.7, .use_buffers = use_buffers});
}

TEST_F(Averages, have_the_values_of_torch) {
  for (const std::string kind : {"ema", "swa"}) {
    for (const bool use_buffers : {false, true}) {
      for (const bool compiled : {false, true}) {
        SCOPED_TRACE(kind + (use_buffers ? ", buffers" : "") + (compiled ? ", compiled" : ""));
        Net model, other;
        const auto average = made(kind, model, use_buffers);
        const auto update = [&] { average->update(model); };
        const auto fast = compile(update, {.fullgraph = true});
        for (int n = 0; n < 6; ++n) {
          uint32_t stream = 0;
          for (const Tensor* t : model.tensors()) copy_(*t, real(stream++, {3}) * (1 + 0.5 * n));
          compiled ? fast() : update();
        }
        average->copy_to(other);
        const std::vector<float> got = values_of(other),
                                 want = sample("avg." + kind + (use_buffers ? ".1" : ".0")).results;
        ASSERT_EQ(got.size(), want.size());
        for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6) << i;
      }
    }
  }
}

TEST_F(Averages, warm_up) {
  struct One : Module {
    Tensor x;
    One() { add_parameter("x", x, zeros({})); }
  } model;
  ExponentialMovingAverage average(model, {.decay = 0.9, .warm_up = true});
  average.update(model);
  fill_(model.x, 1);
  double want = 0;
  for (int n = 1; n < 200; ++n) {
    average.update(model);
    const double decay = std::min(0.9, (1.0 + n) / (10 + n));
    want = decay * want + (1 - decay);
  }
  average.swap(model);
  EXPECT_NEAR(model.x.item<float>(), want, 1e-5);
}

TEST_F(Averages, change_places_with_the_model_and_back) {
  Net model;
  model.requires_grad_();
  StochasticWeightAverage average(model);
  average.update(model);
  const std::vector<float> before = values_of(model);
  {
    const NoGrad unrecorded;
    for (const Tensor* t : model.tensors()) fill_(*t, 5);
  }
  const Tensor weight = model.norm.weight;
  average.swap(model);
  EXPECT_EQ(values_of(model), before);
  EXPECT_TRUE(model.norm.weight.same_as(weight) && weight.is_leaf() && weight.requires_grad());
  average.swap(model);
  EXPECT_EQ(values_of(model), std::vector<float>(12, 5));
}

TEST_F(Averages, go_on_from_their_state) {
  Net model;
  StochasticWeightAverage average(model), other(model);
  for (int n = 0; n < 3; ++n) {
    for (const Tensor* t : model.tensors()) fill_(*t, n);
    average.update(model);
  }
  const std::vector<NamedTensor> state = average.state_dict();
  ASSERT_EQ(state.size(), 5U);
  EXPECT_EQ(state[0].name, "n_averaged");
  EXPECT_EQ(state[1].name, "module.norm.weight");
  other.load_state_dict(state);
  EXPECT_EQ(other.count(), 3);
  average.update(model);
  other.update(model);
  for (size_t i = 0; i < state.size(); ++i)
    EXPECT_TRUE(equal(average.state_dict()[i].tensor, other.state_dict()[i].tensor));
  const std::vector<NamedTensor> wrong{{"n_averaged", zeros({}, DType::i64)},
                                       {"module.norm.weight", zeros({2})},
                                       {"module.norm.bias", zeros({3})},
                                       {"module.norm.running_mean", zeros({3})},
                                       {"norm.running_var", zeros({3})}};
  EXPECT_EQ(error_of([&] {
              other.load_state_dict(wrong);
              return 0;
            }),
            "WeightAverage: the state does not fit:\n"
            "  module.norm.weight: got sizes [2], needs [3]\n"
            "  module.norm.running_var: missing\n"
            "  norm.running_var: unexpected");
  EXPECT_EQ(other.count(), 4);
}

TEST_F(Averages, are_part_of_a_compiled_step) {
  for (const bool dynamic : {false, true}) {  // sizes as numbers, and as symbols
    struct Model : Module {
      Linear fc{*this, "fc", 3, 1};
    } model;
    model.requires_grad_();
    optim::SGD optimizer(model.parameters(), {.lr = 0.1});
    ExponentialMovingAverage average(model, {.decay = 0.5});
    const Tensor x = randn({4, 3});
    Tensor want;
    const auto step = compile(
        [&](const Tensor& in) {
          mean(square(model.fc(in) - 1.0)).backward();
          optimizer.step();
          optimizer.zero_grad();
          average.update(model);
        },
        {.fullgraph = true, .dynamic = dynamic});
    for (int n = 0; n < 4; ++n) {
      step(x);
      const Tensor now = detach(model.fc.weight);
      want = n == 0 ? clone(now) : want * 0.5 + now * 0.5;
    }
    average.swap(model);
    EXPECT_LT(amax(abs(detach(model.fc.weight) - want)).item<float>(), 1e-6);
  }
}

TEST_F(Averages, refuse_other_models) {
  Net model;
  struct Other : Module {
    BatchNorm1d norm{*this, "norm", 4};
  } other;
  struct Less : Module {
    BatchNorm1d norm{*this, "norm", 3, {.track_running_stats = false}};
  } less;
  StochasticWeightAverage average(model);
  const auto update = [&](Module& m) {
    return error_of([&] {
      average.update(m);
      return 0;
    });
  };
  EXPECT_EQ(update(other),
            "WeightAverage: the average has norm.weight f32[3], the model norm.weight f32[4]");
  EXPECT_EQ(update(less), "WeightAverage: the average has 4 tensors, the model 2");
  EXPECT_EQ(error_of([&] { return ExponentialMovingAverage(model, {.decay = 2}).count(); }),
            "ExponentialMovingAverage: needs a decay in [0, 1], got 2.0");
}

}  // namespace
}  // namespace vitro::nn
