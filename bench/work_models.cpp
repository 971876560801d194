#include <memory>

#include "harness.h"
#include "vitro/models/bert.h"
#include "vitro/models/gpt2.h"
#include "vitro/models/llama.h"
#include "vitro/models/mlp.h"
#include "vitro/models/mobilenet_v2.h"
#include "vitro/models/resnet.h"
#include "vitro/models/unet.h"
#include "vitro/models/vit.h"
#include "vitro/nn/init.h"

namespace vitro::bench {
namespace {

// Token ids spread over the vocabulary.
Tensor tokens(int64_t vocabulary) {
  std::vector<int64_t> ids(128);
  for (size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<int64_t>(i * 7919 + 101) % vocabulary;
  return Tensor::from(ids, {1, 128});
}

template <class Model>
Program program_of(std::shared_ptr<Model> model, Tensor input) {
  return {[model](const std::vector<Tensor>& in) { return (*model)(in[0]); }, {std::move(input)}};
}

const Add mlp({"mlp", "64x784 -> 1024 -> 1024 -> 10 with ReLU", [] {
                 auto model = std::shared_ptr<models::Mlp>(new models::Mlp{784, 1024, 1024, 10});
                 return program_of(std::move(model), nn::normal({64, 784}, 0, 1));
               }});

const Add minilm({"minilm", "MiniLM-L6 encoder, 1x128 tokens", [] {
                    return program_of(
                        std::make_shared<models::Bert>(models::BertConfig::mini_lm_l6()),
                        tokens(30522));
                  }});

const Add bert({"bert", "BERT base with a classifier, 1x128 tokens", [] {
                  return program_of(
                      std::make_shared<models::BertClassifier>(models::BertConfig::base(), 2),
                      tokens(30522));
                }});

const Add gpt2({"gpt2", "GPT-2 124M with its tied head, 1x128 tokens",
                [] { return program_of(std::make_shared<models::Gpt2>(), tokens(50257)); }});

const Add llama({"llama", "LLaMA 110M with its tied head, 1x128 tokens", [] {
                   return program_of(std::make_shared<models::Llama>(models::LlamaConfig::m110()),
                                     tokens(32000));
                 }});

Tensor images(int64_t count, int64_t side) {
  return nn::normal({count, 3, side, side}, 0, 1);
}

const Add vit({"vit", "ViT-B/16, 1x3x224x224", [] {
                 return program_of(std::make_shared<models::Vit>(models::VitConfig::b_16()),
                                   images(1, 224));
               }});

const Add mobilenet_v2({"mobilenet_v2", "MobileNetV2, 1x3x224x224", [] {
                          return program_of(std::make_shared<models::MobileNetV2>(),
                                            images(1, 224));
                        }});

const Add unet({"unet", "U-Net of four levels, 1x3x128x128", [] {
                  const models::UNetConfig config{.widths = {64, 128, 256, 512}};
                  return program_of(std::make_shared<models::UNet>(config), images(1, 128));
                }});

Program resnet(const models::ResNetConfig& config, int64_t count, int64_t side) {
  return program_of(std::make_shared<models::ResNet>(config), images(count, side));
}
const Add resnet18({"resnet18", "ResNet-18, 5x3x224x224",
                    [] { return resnet(models::ResNetConfig::resnet18(), 5, 224); }});
const Add resnet50({"resnet50", "ResNet-50, 1x3x224x224",
                    [] { return resnet(models::ResNetConfig::resnet50(), 1, 224); }});
const Add resnet50_64({"resnet50_64", "ResNet-50, 1x3x64x64",
                       [] { return resnet(models::ResNetConfig::resnet50(), 1, 64); }});
const Add resnext101({"resnext101", "ResNeXt-101 32x8d, 64x3x7x7",
                      [] { return resnet(models::ResNetConfig::resnext101_32x8d(), 64, 7); }});

}  // namespace
}  // namespace vitro::bench
