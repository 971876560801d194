// Losses as modules, with the names and defaults of torch.nn; ops/loss.h says what they compute,
// and has the functions that they call.
//   nn::CrossEntropyLoss loss{{.label_smoothing = 0.1}};   loss(logits, classes).backward();
//   nn::MSELoss mse;   Tensor l = mse(y, target);
// `reduction` is reduce_mean, reduce_sum, or reduce_none, which returns the loss of each element.
// Weights of classes are buffers, "weight" and "pos_weight" in a state.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "vitro/core/attributes.h"
#include "vitro/nn/function_module.h"
#include "vitro/ops/distance.h"
#include "vitro/ops/loss.h"

namespace vitro::nn {

// A loss of x and a target without other options.
template <FixedString name, auto loss>
struct LossFunction {
  static constexpr std::string_view kind = name.view();
  int64_t reduction = reduce_mean;
  Tensor operator()(ops::At x, const Tensor& target) const { return loss(x, target, reduction); }
};
using MSELoss = FunctionModule<LossFunction<"MSELoss", mse_loss>>;
using L1Loss = FunctionModule<LossFunction<"L1Loss", l1_loss>>;
using SoftMarginLoss = FunctionModule<LossFunction<"SoftMarginLoss", soft_margin_loss>>;
using MultiLabelMarginLoss =
    FunctionModule<LossFunction<"MultiLabelMarginLoss", multilabel_margin_loss>>;

struct SmoothL1LossFunction {
  static constexpr std::string_view kind = "SmoothL1Loss";
  int64_t reduction = reduce_mean;
  double beta = 1;
  Tensor operator()(ops::At x, const Tensor& target) const {
    return smooth_l1_loss(x, target, reduction, beta);
  }
};
using SmoothL1Loss = FunctionModule<SmoothL1LossFunction>;

struct HuberLossFunction {
  static constexpr std::string_view kind = "HuberLoss";
  int64_t reduction = reduce_mean;
  double delta = 1;
  Tensor operator()(ops::At x, const Tensor& target) const {
    return huber_loss(x, target, reduction, delta);
  }
};
using HuberLoss = FunctionModule<HuberLossFunction>;

// ---- of probabilities and classes

struct CrossEntropyLossFunction {
  static constexpr std::string_view kind = "CrossEntropyLoss";
  Tensor weight = {};  // of each class
  int64_t ignore_index = -100;
  int64_t reduction = reduce_mean;
  double label_smoothing = 0;
  static constexpr auto buffers() {
    return std::array{std::pair(std::string_view("weight"), &CrossEntropyLossFunction::weight)};
  }
  Tensor operator()(ops::At x, const Tensor& target) const {
    return cross_entropy_loss(x, target, weight, reduction, ignore_index, label_smoothing);
  }
};
using CrossEntropyLoss = FunctionModule<CrossEntropyLossFunction>;

// x are logarithms of probabilities.
struct NLLLossFunction {
  static constexpr std::string_view kind = "NLLLoss";
  Tensor weight = {};
  int64_t ignore_index = -100;
  int64_t reduction = reduce_mean;
  static constexpr auto buffers() {
    return std::array{std::pair(std::string_view("weight"), &NLLLossFunction::weight)};
  }
  Tensor operator()(ops::At x, const Tensor& target) const {
    return nll_loss(x, target, weight, reduction, ignore_index);
  }
};
using NLLLoss = FunctionModule<NLLLossFunction>;

// x are probabilities.
struct BCELossFunction {
  static constexpr std::string_view kind = "BCELoss";
  Tensor weight = {};  // of each element
  int64_t reduction = reduce_mean;
  static constexpr auto buffers() {
    return std::array{std::pair(std::string_view("weight"), &BCELossFunction::weight)};
  }
  Tensor operator()(ops::At x, const Tensor& target) const {
    return binary_cross_entropy(x, target, weight, reduction);
  }
};
using BCELoss = FunctionModule<BCELossFunction>;

struct BCEWithLogitsLossFunction {
  static constexpr std::string_view kind = "BCEWithLogitsLoss";
  Tensor weight = {};  // of each element
  int64_t reduction = reduce_mean;
  Tensor pos_weight = {};  // of targets that are 1
  static constexpr auto buffers() {
    using Own = BCEWithLogitsLossFunction;
    return std::array{std::pair(std::string_view("weight"), &Own::weight),
                      std::pair(std::string_view("pos_weight"), &Own::pos_weight)};
  }
  Tensor operator()(ops::At x, const Tensor& target) const {
    return binary_cross_entropy_with_logits(x, target, weight, pos_weight, reduction);
  }
};
using BCEWithLogitsLoss = FunctionModule<BCEWithLogitsLossFunction>;

// Several labels for each row of x [n, classes]: targets are 0 or 1.
struct MultiLabelSoftMarginLossFunction {
  static constexpr std::string_view kind = "MultiLabelSoftMarginLoss";
  Tensor weight = {};  // of each class
  int64_t reduction = reduce_mean;
  static constexpr auto buffers() {
    return std::array{
        std::pair(std::string_view("weight"), &MultiLabelSoftMarginLossFunction::weight)};
  }
  Tensor operator()(ops::At x, const Tensor& target) const;
};
using MultiLabelSoftMarginLoss = FunctionModule<MultiLabelSoftMarginLossFunction>;

struct MultiMarginLossFunction {
  static constexpr std::string_view kind = "MultiMarginLoss";
  int64_t p = 1;  // or 2
  double margin = 1;
  Tensor weight = {};
  int64_t reduction = reduce_mean;
  static constexpr auto buffers() {
    return std::array{std::pair(std::string_view("weight"), &MultiMarginLossFunction::weight)};
  }
  Tensor operator()(ops::At x, const Tensor& target) const {
    return multi_margin_loss(x, target, p, margin, weight, reduction);
  }
};
using MultiMarginLoss = FunctionModule<MultiMarginLossFunction>;

// x are logarithms of probabilities, the target are probabilities or (log_target) logarithms.
// reduce_batch_mean is PyTorch's "batchmean": the sum divided by the size of the batch.
inline constexpr int64_t reduce_batch_mean = 3;
struct KLDivLossFunction {
  static constexpr std::string_view kind = "KLDivLoss";
  int64_t reduction = reduce_mean;
  bool log_target = false;
  Tensor operator()(ops::At x, const Tensor& target) const;
};
using KLDivLoss = FunctionModule<KLDivLossFunction>;

struct CTCLossFunction {
  static constexpr std::string_view kind = "CTCLoss";
  int64_t blank = 0;
  int64_t reduction = reduce_mean;
  bool zero_infinity = false;
  template <class Lengths>  // DimsArg or a tensor
  Tensor operator()(ops::At log_probs, const Tensor& targets, const Lengths& input_lengths,
                    const Lengths& target_lengths) const {
    return ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction,
                    zero_infinity);
  }
};
using CTCLoss = FunctionModule<CTCLossFunction>;

// ---- of distributions

struct PoissonNLLLossFunction {
  static constexpr std::string_view kind = "PoissonNLLLoss";
  bool log_input = true, full = false;
  double eps = 1e-8;
  int64_t reduction = reduce_mean;
  Tensor operator()(ops::At x, const Tensor& target) const {
    return poisson_nll_loss(x, target, log_input, full, eps, reduction);
  }
};
using PoissonNLLLoss = FunctionModule<PoissonNLLLossFunction>;

struct GaussianNLLLossFunction {
  static constexpr std::string_view kind = "GaussianNLLLoss";
  bool full = false;
  double eps = 1e-6;
  int64_t reduction = reduce_mean;
  Tensor operator()(ops::At x, const Tensor& target, const Tensor& var) const {
    return gaussian_nll_loss(x, target, var, full, eps, reduction);
  }
};
using GaussianNLLLoss = FunctionModule<GaussianNLLLossFunction>;

// ---- of distances; targets are 1 or -1

struct HingeEmbeddingLossFunction {
  static constexpr std::string_view kind = "HingeEmbeddingLoss";
  double margin = 1;
  int64_t reduction = reduce_mean;
  Tensor operator()(ops::At x, const Tensor& target) const {
    return hinge_embedding_loss(x, target, margin, reduction);
  }
};
using HingeEmbeddingLoss = FunctionModule<HingeEmbeddingLossFunction>;

// A loss of two inputs and a target.
template <FixedString name, auto loss>
struct PairLossFunction {
  static constexpr std::string_view kind = name.view();
  double margin = 0;
  int64_t reduction = reduce_mean;
  Tensor operator()(ops::At x1, const Tensor& x2, const Tensor& target) const {
    return loss(x1, x2, target, margin, reduction);
  }
};
using CosineEmbeddingLoss =
    FunctionModule<PairLossFunction<"CosineEmbeddingLoss", cosine_embedding_loss>>;
using MarginRankingLoss =
    FunctionModule<PairLossFunction<"MarginRankingLoss", margin_ranking_loss>>;

struct TripletMarginLossFunction {
  static constexpr std::string_view kind = "TripletMarginLoss";
  double margin = 1, p = 2, eps = 1e-6;
  bool swap = false;
  int64_t reduction = reduce_mean;
  Tensor operator()(ops::At anchor, const Tensor& positive, const Tensor& negative) const {
    return triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction);
  }
};
using TripletMarginLoss = FunctionModule<TripletMarginLossFunction>;

// The same with a distance function of the program; if it is empty, that of TripletMarginLoss.
struct TripletMarginWithDistanceLossFunction {
  static constexpr std::string_view kind = "TripletMarginWithDistanceLoss";
  std::function<Tensor(const Tensor&, const Tensor&)> distance_function = {};
  double margin = 1;
  bool swap = false;
  int64_t reduction = reduce_mean;
  Tensor operator()(ops::At anchor, const Tensor& positive, const Tensor& negative) const;
};
using TripletMarginWithDistanceLoss = FunctionModule<TripletMarginWithDistanceLossFunction>;

// ---- distances

struct CosineSimilarityFunction {
  static constexpr std::string_view kind = "CosineSimilarity";
  int64_t dim = 1;
  double eps = 1e-8;
  Tensor operator()(ops::At x1, const Tensor& x2) const {
    return cosine_similarity(x1, x2, dim, eps);
  }
};
using CosineSimilarity = FunctionModule<CosineSimilarityFunction>;

struct PairwiseDistanceFunction {
  static constexpr std::string_view kind = "PairwiseDistance";
  double p = 2, eps = 1e-6;
  bool keepdim = false;
  Tensor operator()(ops::At x1, const Tensor& x2) const {
    return pairwise_distance(x1, x2, p, eps, keepdim);
  }
};
using PairwiseDistance = FunctionModule<PairwiseDistanceFunction>;

}  // namespace vitro::nn
