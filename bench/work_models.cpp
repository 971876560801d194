// Models as workloads, in forward programs and in training steps.
#include <memory>

#include "harness.h"
#include "vitro/models/bert.h"
#include "vitro/models/gpt2.h"
#include "vitro/models/llama.h"
#include "vitro/models/lstm_lm.h"
#include "vitro/models/mlp.h"
#include "vitro/models/mobilenet_v2.h"
#include "vitro/models/resnet.h"
#include "vitro/models/unet.h"
#include "vitro/models/vit.h"
#include "vitro/ops/all.h"
#include "vitro/ops/loss.h"

namespace vitro::bench {
namespace {

// A model with its input, of which workloads are made: programs, and training steps.
template <class Model>
struct Made {
  std::shared_ptr<Model> model;
  Tensor input;
};

template <class Model>
Tensor scores_of(const Model& model, const Tensor& x) {
  return model(x);
}
Tensor scores_of(const models::LstmLm& model, const Tensor& x) {
  return std::get<0>(model(x));
}

template <auto make>
Program forward() {
  const auto made = make();
  return {[model = made.model](const std::vector<Tensor>& in) { return scores_of(*model, in[0]); },
          {made.input}};
}

template <class Model>
Training training_of(const Made<Model>& made, const Tensor& target, Optimize optimize, Loss loss) {
  fill(*made.model);
  made.model->train();
  made.model->requires_grad_();
  return {made.model, std::move(loss), {made.input, target}, optimize(made.model->parameters())};
}

// With a class for each input or, of sizes [n, h, w], for each of its pixels.
template <auto make, int64_t classes, Optimize optimize, int64_t... sizes>
Training classify() {
  const auto made = make();
  const auto loss = [model = made.model](const std::vector<Tensor>& batch) {
    return cross_entropy_loss(scores_of(*model, batch[0]), batch[1]);
  };
  return training_of(made, ids({sizes...}, classes), optimize, loss);
}

// With the token that follows each of the input, so many places after it.
template <auto make, int64_t vocabulary, int64_t places, int64_t... sizes>
Training predict() {
  const auto made = make();
  const auto loss = [model = made.model](const std::vector<Tensor>& batch) {
    return cross_entropy_loss(flatten(scores_of(*model, batch[0]), 0, 1), flatten(batch[1]));
  };
  return training_of(made, ids({sizes...}, vocabulary, places), &adamw, loss);
}

auto mlp() {
  return Made{std::shared_ptr<models::Mlp>(new models::Mlp{784, 1024, 1024, 10}),
              numbers({64, 784})};
}
const Add add_mlp({"mlp", "64x784 -> 1024 -> 1024 -> 10 with ReLU", &forward<mlp>,
                   &classify<mlp, 10, adamw, 64>});

auto minilm() {
  return Made{std::make_shared<models::Bert>(models::BertConfig::mini_lm_l6()),
              ids({1, 128}, 30522)};
}
const Add add_minilm({"minilm", "MiniLM-L6 encoder, 1x128 tokens", &forward<minilm>});

auto bert() {
  return Made{std::make_shared<models::BertClassifier>(models::BertConfig::base(), 2),
              ids({1, 128}, 30522)};
}
const Add add_bert({"bert", "BERT base with a classifier, 1x128 tokens", &forward<bert>,
                    &classify<bert, 2, adamw, 1>});

const Add adamw_bert({"adamw", "a step of AdamW over the parameters of bert", nullptr,
                      [] {
                        Training training = classify<bert, 2, adamw, 1>();
                        fill_gradients(*training.model);
                        training.loss = nullptr;
                        return training;
                      },
                      false});

auto gpt2() {
  return Made{std::make_shared<models::Gpt2>(), ids({1, 128}, 50257)};
}
const Add add_gpt2({"gpt2", "GPT-2 124M with its tied head, 1x128 tokens", &forward<gpt2>,
                    &predict<gpt2, 50257, 1, 1, 128>});

auto llama() {
  return Made{std::make_shared<models::Llama>(models::LlamaConfig::m110()), ids({1, 128}, 32000)};
}
const Add add_llama({"llama", "LLaMA 110M with its tied head, 1x128 tokens", &forward<llama>,
                     &predict<llama, 32000, 1, 1, 128>});

auto lstm() {
  return Made{std::make_shared<models::LstmLm>(models::LstmLmConfig{.dropout = 0}),
              ids({35, 20}, 33278)};
}
const Add add_lstm({"lstm", "LSTM of two layers of 200, 35 steps of 20 texts", &forward<lstm>,
                    &predict<lstm, 33278, 20, 35, 20>});

auto vit() {
  return Made{std::make_shared<models::Vit>(models::VitConfig::b_16()), numbers({1, 3, 224, 224})};
}
const Add add_vit({"vit", "ViT-B/16, 1x3x224x224", &forward<vit>, &classify<vit, 1000, adamw, 1>});

auto mobilenet_v2() {
  return Made{std::make_shared<models::MobileNetV2>(models::MobileNetV2Config{.dropout = 0}),
              numbers({1, 3, 224, 224})};
}
const Add add_mobilenet_v2({"mobilenet_v2", "MobileNetV2, 1x3x224x224", &forward<mobilenet_v2>,
                            &classify<mobilenet_v2, 1000, sgd, 1>});

auto unet() {
  const models::UNetConfig config{.widths = {64, 128, 256, 512}};
  return Made{std::make_shared<models::UNet>(config), numbers({1, 3, 128, 128})};
}
const Add add_unet({"unet", "U-Net of four levels, 1x3x128x128", &forward<unet>,
                    &classify<unet, 2, sgd, 1, 128, 128>});

auto resnet(const models::ResNetConfig& config, int64_t count, int64_t side) {
  return Made{std::make_shared<models::ResNet>(config), numbers({count, 3, side, side})};
}
auto resnet18() {
  return resnet(models::ResNetConfig::resnet18(), 5, 224);
}
const Add add_resnet18({"resnet18", "ResNet-18, 5x3x224x224", &forward<resnet18>,
                        &classify<resnet18, 1000, sgd, 5>});
auto resnet50() {
  return resnet(models::ResNetConfig::resnet50(), 1, 224);
}
const Add add_resnet50({"resnet50", "ResNet-50, 1x3x224x224", &forward<resnet50>});
auto resnet50_64() {
  return resnet(models::ResNetConfig::resnet50(), 1, 64);
}
const Add add_resnet50_64({"resnet50_64", "ResNet-50, 1x3x64x64", &forward<resnet50_64>});
auto resnext101() {
  return resnet(models::ResNetConfig::resnext101_32x8d(), 64, 7);
}
const Add add_resnext101({"resnext101", "ResNeXt-101 32x8d, 64x3x7x7", &forward<resnext101>});

}  // namespace
}  // namespace vitro::bench
