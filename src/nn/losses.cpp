#include "vitro/nn/losses.h"

#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/activation_functions.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"

namespace vitro::nn {
namespace {

Tensor reduced(std::string_view op, const Tensor& losses, int64_t reduction) {
  VITRO_CHECK(reduction >= reduce_none && reduction <= reduce_sum, op,
              ": reduction must be 0 (none), 1 (mean) or 2 (sum), got ", reduction);
  if (reduction == reduce_none) return losses;
  return reduction == reduce_mean ? mean(losses) : sum(losses);
}

}  // namespace

Tensor KLDivLossFunction::operator()(ops::At x, const Tensor& target) const {
  if (reduction != reduce_batch_mean) return kl_div(x, target, reduction, log_target);
  const CalledAs name("kl_div", x.where);
  VITRO_CHECK(x.operand.tensor().rank() > 0, "kl_div: the mean of a batch needs a dimension");
  return kl_div(x, target, reduce_sum, log_target) / Scalar(x.operand.tensor().size(0));
}

Tensor MultiLabelSoftMarginLossFunction::operator()(ops::At x, const Tensor& target) const {
  const CalledAs name("multilabel_soft_margin_loss", x.where);
  const Tensor& t = x.operand.tensor();
  Tensor losses = -(target * log_sigmoid(x) + (1 - target) * log_sigmoid({-t, x.where}));
  if (weight.defined()) losses = losses * weight;
  return reduced("multilabel_soft_margin_loss", mean(losses, -1), reduction);
}

Tensor TripletMarginWithDistanceLossFunction::operator()(ops::At anchor, const Tensor& positive,
                                                         const Tensor& negative) const {
  const CalledAs name("triplet_margin_with_distance_loss", anchor.where);
  const Tensor& a = anchor.operand.tensor();
  const auto distance = [&](const Tensor& x1, const Tensor& x2) {
    return distance_function ? distance_function(x1, x2) : pairwise_distance(x1, x2);
  };
  const Tensor near = distance(a, positive);
  Tensor far = distance(a, negative);
  if (swap) far = minimum(far, distance(positive, negative));
  return reduced("triplet_margin_with_distance_loss", clamp_min(margin + near - far, 0.0),
                 reduction);
}

}  // namespace vitro::nn
