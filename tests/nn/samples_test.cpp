// Modules against torch.nn (tools/make_nn_samples.py): the names and sizes of parameters, results
// and gradients, called eagerly and compiled as one graph.
#include "samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "vitro/autograd/autograd.h"
#include "vitro/base/cat.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/nn.h"
#include "vitro/ops/all.h"

namespace vitro::nn {
namespace {

using Tensors = std::vector<Tensor>;
using Call = std::function<Tensors(const Tensors&)>;

struct Case {
  std::string name;
  Tensors inputs;
  std::function<Call(Module& root)> make;
  bool has_state = false;  // a second call has other results
};

Tensors listed(const Tensor& y) {
  return {y};
}
Tensors listed(const std::tuple<Tensor, Tensor>& y) {
  const auto& [a, b] = y;
  return b.defined() ? Tensors{a, b} : Tensors{a};
}

// A module of these values, and how it is called: by default with all inputs.
template <class M, class... Values>
struct Of {
  std::tuple<Values...> values;
  std::function<Tensors(M&, const Tensors&)> call = [](M& m, const Tensors& in) {
    if constexpr (std::is_invocable_v<M&, const Tensor&>)
      if (in.size() == 1) return listed(m(in[0]));
    if constexpr (std::is_invocable_v<M&, const Tensor&, const Tensor&>)
      if (in.size() == 2) return listed(m(in[0], in[1]));
    if constexpr (std::is_invocable_v<M&, const Tensor&, const Tensor&, const Tensor&>)
      if (in.size() == 3) return listed(m(in[0], in[1], in[2]));
    ADD_FAILURE() << "cannot be called with " << in.size() << " tensors";
    return Tensors();
  };
  template <class F>
  Of called(F f) {
    call = [f](M& m, const Tensors& in) { return listed(f(m, in)); };
    return *this;
  }
  Call operator()(Module& root) const {
    auto m = std::apply(
        [&](const auto&... value) { return std::make_shared<M>(root, "m", value...); }, values);
    return [m, f = call](const Tensors& in) { return f(*m, in); };
  }
};
template <class M, class... Values>
Of<M, Values...> a(Values... values) {
  return {{std::move(values)...}};
}

Tensor ints(std::initializer_list<int64_t> values, std::initializer_list<int64_t> sizes) {
  return Tensor::from<int64_t>(values, sizes);
}
Tensor mask(std::initializer_list<int64_t> values, std::initializer_list<int64_t> sizes) {
  return ints(values, sizes) != 0;
}

using Cases = std::vector<Case>;

void add_norms(Cases& out) {
  const Tensor image = real(0, {2, 4, 6, 6}), rows = real(0, {3, 5}), planes = real(0, {2, 3, 5});
  out.push_back({"group_norm", {image}, a<GroupNorm>(2, 4)});
  out.push_back({"group_norm_plain", {image}, a<GroupNorm>(4, 4, 1e-5, false)});
  const InstanceNormOptions affine{.affine = true};
  out.push_back({"instance_norm1d", {planes}, a<InstanceNorm1d>(3)});
  out.push_back({"instance_norm1d_single", {rows}, a<InstanceNorm1d>(3, affine)});
  out.push_back({"instance_norm2d", {image}, a<InstanceNorm2d>(4, affine)});
  out.push_back({"instance_norm3d", {real(0, {2, 2, 2, 3, 2})}, a<InstanceNorm3d>(2)});
  const InstanceNormOptions tracked{.affine = true, .track_running_stats = true};
  const auto make = [tracked](Module& root) -> Call {
    auto m = std::make_shared<InstanceNorm2d>(root, "m", 4, tracked);
    return [m](const Tensors& in) {
      const Tensor y = (*m)(in[0]);
      (void)(*m)(2 * in[0] + 1);
      m->eval();
      Tensors all{y, (*m)(in[0]), m->running_mean, m->running_var};
      m->train();
      return all;
    };
  };
  out.push_back({"instance_norm2d_tracked", {image}, make, true});
  out.push_back({"layer_norm_two", {planes}, a<LayerNorm>(Dims{3, 5})});
  out.push_back({"layer_norm_without_bias", {rows}, a<LayerNorm>(5, 1e-5, true, false)});
  out.push_back({"rms_norm_two", {planes}, a<RMSNorm>(Dims{3, 5}, 1e-3)});
}

void add_tables(Cases& out) {
  out.push_back({"bilinear", {real(0, {5, 3}), real(1, {5, 4})}, a<Bilinear>(3, 4, 2)});
  const Tensor rows = ints({0, 4, 2, 4, 5, 5}, {2, 3});
  out.push_back({"embedding_padded", {rows}, a<Embedding>(6, 3, -2)});
  const Tensor indices = ints({0, 4, 2, 4, 5, 1, 3}, {7}), offsets = ints({0, 3, 3, 5}, {4});
  const auto bag = [](EmbeddingBagOptions options) { return a<EmbeddingBag>(6, 3, options); };
  out.push_back({"embedding_bag_sum", {indices, offsets}, bag({.mode = bag_sum})});
  out.push_back({"embedding_bag_mean", {indices, offsets}, bag({})});
  out.push_back({"embedding_bag_max", {indices, offsets}, bag({.mode = bag_max})});
  out.push_back({"embedding_bag_rows", {rows}, bag({})});
  out.push_back(
      {"embedding_bag_weighted",
       {rows, real(1, {2, 3})},
       bag({.mode = bag_sum, .padding_idx = 4}).called([](EmbeddingBag& m, const Tensors& in) {
         return m(in[0], {}, in[1]);
       })});
  out.push_back({"embedding_bag_last",
                 {ints({0, 4, 2, 4, 5, 1}, {6}), ints({0, 2, 6}, {3})},
                 bag({.include_last_offset = true})});
}

void add_activations(Cases& out) {
  const Tensor x = real(0, {2, 3, 4}, 8);
  const auto add = [&](const std::string& name, auto made) { out.push_back({name, {x}, made}); };
  add("ReLU", a<ReLU>());
  add("ReLU6", a<ReLU6>());
  add("SiLU", a<SiLU>());
  add("Mish", a<Mish>());
  add("SELU", a<SELU>());
  add("Tanh", a<Tanh>());
  add("Sigmoid", a<Sigmoid>());
  add("LogSigmoid", a<LogSigmoid>());
  add("Hardswish", a<Hardswish>());
  add("Hardsigmoid", a<Hardsigmoid>());
  add("Softsign", a<Softsign>());
  add("Tanhshrink", a<Tanhshrink>());
  add("GELU", a<GELU>());
  add("LeakyReLU", a<LeakyReLU>());
  add("ELU", a<ELU>());
  add("CELU", a<CELU>());
  add("Softplus", a<Softplus>());
  add("Hardtanh", a<Hardtanh>());
  add("Hardshrink", a<Hardshrink>());
  add("Softshrink", a<Softshrink>());
  add("GLU", a<GLU>());
  add("GELU_tanh", a<GELU>("tanh"));
  add("LeakyReLU_steep", a<LeakyReLU>(0.3));
  add("Threshold", a<Threshold>(0.5, -2));
  add("Softmax", a<Softmax>(1));
  add("Softmin", a<Softmin>());
  add("LogSoftmax", a<LogSoftmax>(-1));
  add("RReLU_eval", a<RReLU>().called([](RReLU& m, const Tensors& in) {
    m.eval();
    return m(in[0]);
  }));
  add("PReLU", a<PReLU>());
  add("PReLU_channels", a<PReLU>(3));
  out.push_back({"Softmax2d", {real(0, {2, 4, 6, 6})}, a<Softmax2d>()});
}

void add_pools(Cases& out) {
  const Tensor image = real(0, {2, 4, 6, 6}), sequence = real(0, {2, 3, 9}),
               volume = real(0, {1, 2, 4, 5, 4});
  const auto add = [&](const std::string& name, const Tensor& x, auto made) {
    out.push_back({name, {x}, made});
  };
  add("MaxPool1d", sequence, a<MaxPool1d>(3));
  add("MaxPool2d", image, a<MaxPool2d>(Dims{3, 2}, MaxPoolOptions{.stride = 2, .padding = 1}));
  add("MaxPool3d", volume, a<MaxPool3d>(2, MaxPoolOptions{.stride = 1, .dilation = {1, 2, 1}}));
  add("AvgPool1d", sequence,
      a<AvgPool1d>(4, AvgPool1dOptions{.stride = 2, .padding = 1, .ceil_mode = true}));
  add("AvgPool2d", image,
      a<AvgPool2d>(3, AvgPoolOptions{.padding = 1, .count_include_pad = false}));
  add("AvgPool3d", volume,
      a<AvgPool3d>(Dims{2, 3, 2}, AvgPoolOptions{.stride = 2, .divisor_override = 5}));
  add("LPPool1d", sequence, a<LPPool1d>(2, 3));
  add("LPPool2d", image, a<LPPool2d>(2, Dims{2, 3}, LPPoolOptions{.stride = 2}));
  add("AdaptiveAvgPool1d", sequence, a<AdaptiveAvgPool1d>(4));
  add("AdaptiveAvgPool2d", image, a<AdaptiveAvgPool2d>(Sizes{4, 1}));
  add("AdaptiveAvgPool3d", volume, a<AdaptiveAvgPool3d>(Sizes{2, 3, 2}));
  add("AdaptiveMaxPool1d", sequence, a<AdaptiveMaxPool1d>(4));
  add("AdaptiveMaxPool2d", image, a<AdaptiveMaxPool2d>(Sizes{4, 1}));
  add("AdaptiveMaxPool3d", volume, a<AdaptiveMaxPool3d>(Sizes{2, 3, 2}));
}

void add_shapes(Cases& out) {
  const Tensor image = real(0, {2, 4, 6, 6}), sequence = real(0, {2, 3, 9}),
               volume = real(0, {1, 2, 4, 5, 4}), x = real(0, {2, 3, 4}, 8);
  const auto add = [&](const std::string& name, const Tensor& t, auto made) {
    out.push_back({name, {t}, made});
  };
  add("Identity", x, a<Identity>());
  add("Flatten", x, a<Flatten>());
  add("Flatten_begin", x, a<Flatten>(0, 1));
  add("Unflatten", x, a<Unflatten>(2, Sizes{2, -1}));
  add("ZeroPad1d", sequence, a<ZeroPad1d>(Sizes{1, 2}));
  add("ZeroPad2d", image, a<ZeroPad2d>(Sizes{1, 0, -1, 2}));
  add("ConstantPad1d", sequence, a<ConstantPad1d>(2, 1.5));
  add("ConstantPad3d", volume, a<ConstantPad3d>(1, -1));
  add("ReflectionPad2d", image, a<ReflectionPad2d>(Sizes{1, 2, 0, 1}));
  add("ReplicationPad2d", image, a<ReplicationPad2d>(2));
  add("CircularPad1d", sequence, a<CircularPad1d>(Sizes{2, 1}));
  add("Upsample", image, a<Upsample>(UpsampleFunction{.scale_factor = 2}));
  add("Upsample_bilinear", image,
      a<Upsample>(UpsampleFunction{.size = {4, 9}, .mode = "bilinear", .align_corners = true}));
  add("PixelShuffle", image, a<PixelShuffle>(2));
  add("PixelUnshuffle", image, a<PixelUnshuffle>(3));
  add("ChannelShuffle", image, a<ChannelShuffle>(2));
  add("Unfold", image, a<Unfold>(Dims{2, 3}, UnfoldOptions{.padding = 1, .stride = 2}));
  add("Fold", real(0, {2, 8, 12}), a<Fold>(Sizes{4, 5}, 2));
}

struct Masks {
  Tensor padding = mask({0, 0, 1, 0, 1, 0, 0, 0, 0, 1}, {2, 5});
  Tensor of_itself = mask({0, 0, 0, 1, 0, 0, 0, 0}, {2, 4});
  Tensor causal = mask({0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0}, {4, 4});
  Tensor some = mask({0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {4, 5});
};

void add_attention(Cases& out) {
  const Tensor q = real(0, {4, 2, 6}), k = real(1, {5, 2, 6}), v = real(2, {5, 2, 6});
  using M = MultiheadAttention;
  using Args = AttentionMasks;
  const Masks masks;
  const auto with = [](const Args& args) {
    return [args](M& m, const Tensors& in) { return m(in[0], in[1], in[2], args); };
  };
  out.push_back({"attention", {q, k, v}, a<M>(6, 2)});
  out.push_back({"attention_of_itself",
                 {q},
                 a<M>(6, 3, AttentionOptions{.bias = false}).called([](M& m, const Tensors& in) {
                   return m(in[0], in[0], in[0]);
                 })});
  out.push_back(
      {"attention_batch_first",
       {real(0, {2, 4, 6})},
       a<M>(6, 2, AttentionOptions{.batch_first = true}).called([](M& m, const Tensors& in) {
         return m(in[0], in[0], in[0], {.need_weights = false, .is_causal = true});
       })});
  out.push_back({"attention_padded",
                 {q, k, v},
                 a<M>(6, 2).called(
                     with({.key_padding_mask = masks.padding, .average_attn_weights = false}))});
  out.push_back({"attention_masked",
                 {q, k, v, real(3, {4, 5})},
                 a<M>(6, 2).called([](M& m, const Tensors& in) {
                   return m(in[0], in[1], in[2], {.need_weights = false, .attn_mask = in[3]});
                 })});
  out.push_back(
      {"attention_masked_twice",
       {q, k, v},
       a<M>(6, 2).called(with({.key_padding_mask = masks.padding, .attn_mask = masks.some}))});
  out.push_back({"attention_mask_of_heads",
                 {q, k, v, real(3, {4, 4, 5})},
                 a<M>(6, 2).called([](M& m, const Tensors& in) {
                   return m(in[0], in[1], in[2], {.attn_mask = in[3]});
                 })});
  out.push_back({"attention_widths",
                 {q, real(1, {5, 2, 3}), real(2, {5, 2, 4})},
                 a<M>(6, 2, AttentionOptions{.kdim = 3, .vdim = 4})});
  out.push_back({"attention_extended",
                 {q, k, v},
                 a<M>(6, 2, AttentionOptions{.add_bias_kv = true, .add_zero_attn = true})
                     .called(with({.key_padding_mask = masks.padding}))});
  out.push_back(
      {"attention_single", {real(0, {4, 6}), real(1, {5, 6}), real(2, {5, 6})}, a<M>(6, 2)});
}

const TransformerOptions few{.dim_feedforward = 8, .dropout = 0};

void add_encoders(Cases& out) {
  const Tensor q = real(0, {4, 2, 6});
  const Masks masks;
  TransformerOptions first = few, plain = few;
  first.norm_first = true;
  TransformerOptions gelu = first;
  gelu.activation = "gelu";
  gelu.batch_first = true;
  plain.bias = false;
  using Layer = TransformerEncoderLayer;
  const auto padded = [masks](auto& m, const Tensors& in) { return m(in[0], {}, masks.of_itself); };
  out.push_back({"encoder_layer", {q}, a<Layer>(6, 2, few)});
  out.push_back(
      {"encoder_layer_norm_first", {real(0, {2, 4, 6})}, a<Layer>(6, 2, gelu).called(padded)});
  out.push_back({"encoder_layer_without_bias",
                 {q},
                 a<Layer>(6, 2, plain).called([masks](Layer& m, const Tensors& in) {
                   return m(in[0], masks.causal);
                 })});
  out.push_back({"encoder", {q}, a<TransformerEncoder>(6, 2, 2, first, true).called(padded)});
}

void add_decoders(Cases& out) {
  const Tensor q = real(0, {4, 2, 6}), k = real(1, {5, 2, 6});
  const Masks masks;
  TransformerOptions first = few;
  first.norm_first = true;
  using Decoder = TransformerDecoderLayer;
  out.push_back({"decoder_layer",
                 {q, k},
                 a<Decoder>(6, 2, few).called([masks](Decoder& m, const Tensors& in) {
                   return m(in[0], in[1], {}, {}, {}, masks.padding, true);
                 })});
  out.push_back({"decoder_layer_norm_first",
                 {q, k},
                 a<Decoder>(6, 2, first).called([masks](Decoder& m, const Tensors& in) {
                   return m(in[0], in[1], {}, masks.some);
                 })});
  out.push_back({"decoder", {q, k}, a<TransformerDecoder>(6, 2, 2, few)});
  out.push_back({"transformer", {q, k}, a<Transformer>(6, 2, 1, 1, few)});
}

void add_cells(Cases& out) {
  const Tensor step = real(0, {3, 4}), h = real(1, {3, 2}), c = real(2, {3, 2});
  out.push_back({"lstm_cell", {step, h, c}, a<LSTMCell>(4, 2)});
  out.push_back({"lstm_cell_begin", {step}, a<LSTMCell>(4, 2, false)});
  out.push_back({"gru_cell", {step, h}, a<GRUCell>(4, 2)});
  out.push_back({"gru_cell_single", {real(0, {4}), real(1, {2})}, a<GRUCell>(4, 2)});
  out.push_back({"rnn_cell", {step, h}, a<RNNCell>(4, 2)});
  out.push_back({"rnn_cell_relu", {step, h}, a<RNNCell>(4, 2, true, RNN::Nonlinearity::relu)});
}

// With a target that has no gradient.
template <class M, class... Values>
auto against(const Tensor& target, Of<M, Values...> made) {
  return made.called([target](M& m, const Tensors& in) {
    if constexpr (std::is_invocable_v<M&, const Tensor&, const Tensor&>)
      return m(in[0], target);
    else
      return m(in[0], in[1], target);
  });
}

void add_losses(Cases& out) {
  const Tensor x = real(0, {4, 5}), other = real(1, {4, 5}), third = real(2, {4, 5});
  const Tensor half = real(1, {4, 5}, 0.8, 0.5), probabilities = real(0, {4, 5}, 0.8, 0.5);
  const Tensor classes = ints({1, 0, 4, 2}, {4}), weight = real(5, {5}, 0.8, 0.5);
  const Tensor signs = sign(other), row_signs = Tensor::from({1.0F, -1.0F, 1.0F, -1.0F}, {4});
  const auto add = [&](const std::string& name, const Tensors& in, auto made) {
    out.push_back({name, in, made});
  };
  add("MSELoss", {x, other}, a<MSELoss>());
  add("L1Loss", {x, other}, a<L1Loss>());
  add("SmoothL1Loss", {x, other}, a<SmoothL1Loss>());
  add("HuberLoss", {x, other}, a<HuberLoss>());
  add("KLDivLoss", {x, half}, a<KLDivLoss>());
  add("PoissonNLLLoss", {x, other}, a<PoissonNLLLoss>());
  add("MSELoss_sum", {x, other}, a<MSELoss>(reduce_sum));
  add("L1Loss_none", {x, other}, a<L1Loss>(reduce_none));
  add("SmoothL1Loss_beta", {x, other}, a<SmoothL1Loss>(reduce_mean, 0.3));
  add("HuberLoss_delta", {x, other}, a<HuberLoss>(HuberLossFunction{.delta = 0.3}));
  add("CrossEntropyLoss", {x, classes}, a<CrossEntropyLoss>());
  add("CrossEntropyLoss_options", {x, classes},
      a<CrossEntropyLoss>(
          CrossEntropyLossFunction{.weight = weight, .ignore_index = 0, .label_smoothing = 0.2}));
  add("NLLLoss", {x, classes},
      a<NLLLoss>(NLLLossFunction{.weight = weight, .reduction = reduce_sum}));
  add("BCELoss", {probabilities, half}, a<BCELoss>());
  add("BCEWithLogitsLoss", {x, half},
      a<BCEWithLogitsLoss>(BCEWithLogitsLossFunction{.pos_weight = weight}));
  add("MultiLabelSoftMarginLoss", {x, half},
      a<MultiLabelSoftMarginLoss>(MultiLabelSoftMarginLossFunction{.weight = weight}));
  add("MultiMarginLoss", {x, classes}, a<MultiMarginLoss>(2, 0.7, weight));
  add("MultiLabelMarginLoss",
      {x, ints({3, 0, -1, 1, 1, -1, 0, 0, 0, 0, 4, 3, 2, 1, 0, 2, -1, 0, 0, 0}, {4, 5})},
      a<MultiLabelMarginLoss>());
  add("KLDivLoss_batchmean", {x, other}, a<KLDivLoss>(reduce_batch_mean, true));
  add("PoissonNLLLoss_full", {probabilities, real(1, {4, 5}, 4, 3)},
      a<PoissonNLLLoss>(false, true));
  add("GaussianNLLLoss", {x, other, half}, a<GaussianNLLLoss>(true));
  add("HingeEmbeddingLoss", {x}, against(signs, a<HingeEmbeddingLoss>()));
  add("SoftMarginLoss", {x}, against(signs, a<SoftMarginLoss>()));
  add("CosineEmbeddingLoss", {x, other}, against(row_signs, a<CosineEmbeddingLoss>(0.1)));
  add("MarginRankingLoss", {x, other}, against(signs, a<MarginRankingLoss>(0.5)));
  add("TripletMarginLoss", {x, other, third},
      a<TripletMarginLoss>(TripletMarginLossFunction{.swap = true}));
  add("TripletMarginWithDistanceLoss", {x, other, third},
      a<TripletMarginWithDistanceLoss>(TripletMarginWithDistanceLossFunction{
          .distance_function = [](const Tensor& p, const Tensor& q) { return sum(abs(p - q), -1); },
          .margin = 3,
          .swap = true,
          .reduction = reduce_none}));
  add("CTCLoss", {real(0, {6, 2, 5}), ints({1, 2, 3, 4, 1, 1}, {2, 3})},
      a<CTCLoss>().called([](CTCLoss& m, const Tensors& in) {
        return m(log_softmax(in[0], -1), in[1], DimsArg{6, 5}, DimsArg{3, 2});
      }));
  add("CosineSimilarity", {x, other}, a<CosineSimilarity>());
  add("PairwiseDistance", {x, other},
      a<PairwiseDistance>(PairwiseDistanceFunction{.p = 3, .keepdim = true}));
}

void add_containers(Cases& out) {
  out.push_back({"sequential", {real(0, {2, 4, 6, 6})}, [](Module& root) -> Call {
                   auto net = std::make_shared<Sequential>(root, "m");
                   net->add<Conv2d>(4, 3, 3, ops::ConvAttrs{.padding = 1});
                   net->add<GroupNorm>(3, 3);
                   net->add<ReLU>();
                   net->add<MaxPool2d>(2);
                   net->add<Flatten>();
                   net->add<Linear>(27, 2);
                   return [net](const Tensors& in) { return listed((*net)(in[0])); };
                 }});
}

// The elements of all tensors.
void expect_near(const Tensors& got, const std::vector<float>& want) {
  std::vector<float> all;
  for (const Tensor& t : got) {
    const std::vector<float> part = contiguous(detach(t)).to_vector<float>();
    all.insert(all.end(), part.begin(), part.end());
  }
  ASSERT_EQ(all.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(all[i], want[i], 1e-5F * (1 + std::abs(want[i]))) << "element " << i;
}

// What results are multiplied by; made once, by the eager call.
const Tensor& factors(uint32_t result, const Sizes& sizes) {
  static auto* all = new std::map<std::string, Tensor>;
  std::string key = cat(result, ' ', sizes);
  int64_t count = 1;
  for (const Size size : sizes) count *= size.hint();
  if (!all->contains(key)) all->emplace(key, reshape(real(200 + result, {count}), sizes));
  return all->at(key);
}

void expect_as_torch(const Case& one, bool compiled) {
  SCOPED_TRACE(one.name + (compiled ? ", compiled" : ", eager"));
  const Sample& want = sample(one.name);
  Module root;
  const Call call = one.make(root);
  fill(root);
  root.requires_grad_();
  EXPECT_EQ(keys_of(root), want.keys);
  Tensors inputs, wanted;
  for (const Tensor& input : one.inputs) {
    inputs.push_back(clone(input));
    if (input.dtype() == DType::f32) wanted.push_back(inputs.back().set_requires_grad(true));
  }
  for (const Tensor* parameter : root.parameters()) wanted.push_back(*parameter);
  const auto step = [&](const Tensors& in) {
    Tensors out = call(in);
    Tensor loss = zeros({});
    for (uint32_t i = 0; i < out.size(); ++i)
      loss = loss + sum(out[i] * factors(i, out[i].sizes()));
    for (Tensor& gradient : grad(loss, wanted, {.materialize_grads = true}))
      out.push_back(std::move(gradient));
    return out;
  };
  std::vector<float> all = want.results;
  all.insert(all.end(), want.gradients.begin(), want.gradients.end());
  if (!compiled) return expect_near(step(inputs), all);
  const auto fast = compile(step, {.fullgraph = true});
  expect_near(fast(inputs), all);
  if (!one.has_state) expect_near(fast(inputs), all);
}

void expect_as_torch(void (*add)(Cases&)) {
  vitro::init();
  Cases cases;
  add(cases);
  for (const Case& one : cases) {
    for (const bool compiled : {false, true}) expect_as_torch(one, compiled);
  }
}

TEST(Samples, of_norms) {
  expect_as_torch(add_norms);
}
TEST(Samples, of_products_and_tables) {
  expect_as_torch(add_tables);
}
TEST(Samples, of_activations) {
  expect_as_torch(add_activations);
}
TEST(Samples, of_pools) {
  expect_as_torch(add_pools);
}
TEST(Samples, of_changes_of_shape) {
  expect_as_torch(add_shapes);
}
TEST(Samples, of_attention) {
  expect_as_torch(add_attention);
}
TEST(Samples, of_encoders) {
  expect_as_torch(add_encoders);
}
TEST(Samples, of_decoders) {
  expect_as_torch(add_decoders);
}
TEST(Samples, of_cells) {
  expect_as_torch(add_cells);
}
TEST(Samples, of_losses) {
  expect_as_torch(add_losses);
}
TEST(Samples, of_containers) {
  expect_as_torch(add_containers);
}

}  // namespace
}  // namespace vitro::nn
