// Training steps of the models, eager and compiled as a whole, with the losses of the same networks
// in torch: tests/models/values/training.py writes them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "made_up.h"
#include "vitro/models/bert.h"
#include "vitro/models/gpt2.h"
#include "vitro/models/llama.h"
#include "vitro/models/lstm_lm.h"
#include "vitro/models/mobilenet_v2.h"
#include "vitro/models/resnet.h"
#include "vitro/models/unet.h"
#include "vitro/models/vit.h"
#include "vitro/vitro.h"

namespace vitro::models {
namespace {

constexpr size_t steps = 20;

struct Batch {
  Tensor x, y;
};
template <class Model>
using LossOf = std::function<Tensor(const Model& model, const Batch& batch)>;
using Optimize = std::function<std::unique_ptr<optim::Optimizer>(const optim::Parameters&)>;

Optimize sgd(double lr) {
  return [lr](const optim::Parameters& parameters) {
    return std::make_unique<optim::SGD>(parameters, optim::SGDOptions{.lr = lr, .momentum = 0.9});
  };
}

std::unique_ptr<optim::Optimizer> adamw(const optim::Parameters& parameters) {
  return std::make_unique<optim::AdamW>(parameters, optim::AdamWOptions{.lr = 3e-4});
}

// Of the steps, then in evaluation mode.
template <class Model>
std::vector<float> losses(Model& model, const Optimize& optimize, const LossOf<Model>& loss_of,
                          const Batch& batch, bool compiled) {
  fill(model);
  model.requires_grad_();
  model.train();
  const auto optimizer = optimize(model.parameters());
  const auto step = [&](const Tensor& x, const Tensor& y) {
    optimizer->zero_grad();
    const Tensor loss = loss_of(model, {x, y});
    loss.backward();
    optimizer->step();
    optimizer->zero_grad();
    return detach(loss);
  };
  const auto fast = compile(step);
  std::vector<float> out;
  for (size_t i = 0; i < steps; ++i) {
    const Tensor loss = compiled ? fast(batch.x, batch.y) : step(batch.x, batch.y);
    out.push_back(loss.item<float>());
  }
  if (compiled) {
    const CompiledReport report = fast.report();
    EXPECT_EQ(report.breaks.size(), 0u);
    EXPECT_EQ(report.fallbacks.size(), 0u);
    EXPECT_LE(report.segments.size(), 2u);  // the first step makes the moments
  }
  const NoGrad inference;
  model.eval();
  out.push_back(loss_of(model, batch).template item<float>());
  return out;
}

std::vector<float> expected(const std::string& name) {
  std::ifstream file(VITRO_TEST_DATA "/training_losses.json");
  return nlohmann::json::parse(file).at(name).get<std::vector<float>>();
}

template <class Model>
void check_training(const std::string& name, const auto& config, const Optimize& optimize,
                    const Batch& batch, const LossOf<Model>& loss_of) {
  const std::vector<float> want = expected(name);
  for (const bool compiled : {false, true}) {
    Model model(config);
    const std::vector<float> got = losses<Model>(model, optimize, loss_of, batch, compiled);
    ASSERT_EQ(got.size(), want.size()) << name;
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(got[i], want[i], 1e-3F * want[i]) << name << ' ' << i << ' ' << compiled;
  }
}

Tensor labels(int64_t n, int64_t classes) {
  return select(made_up_tokens(1, n, classes), 0, 0);
}

template <class Model>
Tensor loss_of_images(const Model& model, const Batch& batch) {
  return cross_entropy_loss(model(batch.x), batch.y);
}

Tensor loss_of_texts(const Tensor& logits, const Tensor& next) {
  return cross_entropy_loss(flatten(logits, 0, 1), flatten(next));
}

// All tokens but the last one along `dim`, and those that follow them.
Batch next_tokens(const Tensor& ids, int64_t dim) {
  const Size last = ids.size(dim) - 1;
  return {contiguous(slice(ids, dim, 0, last)), contiguous(slice(ids, dim, 1, last + 1))};
}

TEST(Training, of_resnet_has_the_losses_of_torch) {
  const Batch batch{made_up_images({4, 3, 32, 32}), labels(4, 1000)};
  check_training<ResNet>("resnet", ResNetConfig{.blocks = {1, 1}}, sgd(1e-3), batch,
                         loss_of_images<ResNet>);
}

TEST(Training, of_resnext_has_the_losses_of_torch) {
  const Batch batch{made_up_images({4, 3, 32, 32}), labels(4, 1000)};
  const ResNetConfig config{{1, 1}, true, 4, 16};
  check_training<ResNet>("resnext", config, sgd(1e-4), batch, loss_of_images<ResNet>);
}

TEST(Training, of_mobilenet_v2_has_the_losses_of_torch) {
  const Batch batch{made_up_images({4, 3, 32, 32}), labels(4, 1000)};
  const MobileNetV2Config config{.stages = {{1, 16, 1, 1}, {6, 24, 2, 2}}, .dropout = 0};
  check_training<MobileNetV2>("mobilenet_v2", config, adamw, batch, loss_of_images<MobileNetV2>);
}

TEST(Training, of_unet_has_the_losses_of_torch) {
  const Batch batch{made_up_images({2, 3, 16, 16}), view(made_up_tokens(32, 16, 2), {2, 16, 16})};
  check_training<UNet>("unet", UNetConfig{.widths = {8, 16, 32}}, sgd(1e-3), batch,
                       loss_of_images<UNet>);
}

TEST(Training, of_vit_has_the_losses_of_torch) {
  const Batch batch{made_up_images({4, 3, 32, 32}), labels(4, 10)};
  const VitConfig config{
      .image = 32, .patch = 8, .width = 48, .layers = 2, .heads = 4, .inner = 192, .classes = 10};
  check_training<Vit>("vit", config, adamw, batch, loss_of_images<Vit>);
}

struct TwoClasses : BertClassifier {
  explicit TwoClasses(const BertConfig& config) : BertClassifier(config, 2) {}
};

TEST(Training, of_bert_has_the_losses_of_torch) {
  const Batch batch{made_up_tokens(4, 12, 50), labels(4, 2)};
  const BertConfig config{
      .vocabulary = 50, .width = 32, .layers = 2, .heads = 4, .inner = 128, .positions = 16};
  check_training<TwoClasses>("bert", config, adamw, batch, loss_of_images<TwoClasses>);
}

TEST(Training, of_gpt2_has_the_losses_of_torch) {
  const Gpt2Config config{.vocabulary = 50, .width = 32, .layers = 2, .heads = 4, .positions = 16};
  check_training<Gpt2>(
      "gpt2", config, adamw, next_tokens(made_up_tokens(4, 13, 50), 1),
      [](const Gpt2& model, const Batch& b) { return loss_of_texts(model(b.x), b.y); });
}

TEST(Training, of_llama_has_the_losses_of_torch) {
  const LlamaConfig config{.vocabulary = 50,
                           .width = 48,
                           .layers = 2,
                           .heads = 6,
                           .inner = 80,
                           .kv_heads = 2,
                           .positions = 16};
  check_training<Llama>(
      "llama", config, adamw, next_tokens(made_up_tokens(4, 13, 50), 1),
      [](const Llama& model, const Batch& b) { return loss_of_texts(model(b.x), b.y); });
}

TEST(Training, of_lstm_language_models_has_the_losses_of_torch) {
  for (const bool tied : {false, true}) {
    const LstmLmConfig config{
        .vocabulary = 50, .width = 24, .hidden = 24, .layers = 2, .dropout = 0, .tied = tied};
    check_training<LstmLm>(tied ? "tied lstm_lm" : "lstm_lm", config, adamw,
                           next_tokens(made_up_tokens(10, 4, 50), 0),
                           [](const LstmLm& model, const Batch& b) {
                             return loss_of_texts(std::get<0>(model(b.x)), b.y);
                           });
  }
}

}  // namespace
}  // namespace vitro::models
