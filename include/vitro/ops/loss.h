// Losses.
//   Tensor loss = cross_entropy_loss(logits, classes);
// `reduction` is ATen's number: 0 returns the loss of each element, 1 their mean, 2 their sum.
// Halves are computed in f32 and rounded once.
#pragma once

#include <tuple>
#include <utility>

#include "vitro/ops/define.h"

namespace vitro {

inline constexpr int64_t reduce_none = 0, reduce_mean = 1, reduce_sum = 2;

Tensor mse_loss(ops::At x, const Tensor& target, int64_t reduction = reduce_mean);
Tensor l1_loss(ops::At x, const Tensor& target, int64_t reduction = reduce_mean);
Tensor smooth_l1_loss(ops::At x, const Tensor& target, int64_t reduction = reduce_mean,
                      double beta = 1);
Tensor huber_loss(ops::At x, const Tensor& target, int64_t reduction = reduce_mean,
                  double delta = 1);
// x are probabilities; logarithms are at least -100.
Tensor binary_cross_entropy(ops::At x, const Tensor& target, const Tensor& weight = {},
                            int64_t reduction = reduce_mean);
Tensor binary_cross_entropy_with_logits(ops::At x, const Tensor& target, const Tensor& weight = {},
                                        const Tensor& pos_weight = {},
                                        int64_t reduction = reduce_mean);

// x [n, classes, ...] or [classes]; target [n, ...] or [], of class indices. Each class may have a
// weight, and the mean is weighted. Where the target is ignore_index the loss is 0.
Tensor nll_loss(ops::At x, const Tensor& target, const Tensor& weight = {},
                int64_t reduction = reduce_mean, int64_t ignore_index = -100);
// Also the sum of the weights.
std::tuple<Tensor, Tensor> nll_loss_forward(ops::At x, const Tensor& target, const Tensor& weight,
                                            int64_t reduction, int64_t ignore_index);
// The target are class indices or, with the sizes of x, probabilities.
Tensor cross_entropy_loss(ops::At x, const Tensor& target, const Tensor& weight = {},
                          int64_t reduction = reduce_mean, int64_t ignore_index = -100,
                          double label_smoothing = 0);

Tensor kl_div(ops::At x, const Tensor& target, int64_t reduction = reduce_mean,
              bool log_target = false);
Tensor poisson_nll_loss(ops::At x, const Tensor& target, bool log_input, bool full, double eps,
                        int64_t reduction);
Tensor gaussian_nll_loss(ops::At x, const Tensor& target, const Tensor& var, bool full = false,
                         double eps = 1e-6, int64_t reduction = reduce_mean);
// The target of these is 1 or -1.
Tensor hinge_embedding_loss(ops::At x, const Tensor& target, double margin = 1,
                            int64_t reduction = reduce_mean);
Tensor margin_ranking_loss(ops::At x1, const Tensor& x2, const Tensor& target, double margin = 0,
                           int64_t reduction = reduce_mean);
Tensor cosine_embedding_loss(ops::At x1, const Tensor& x2, const Tensor& target, double margin = 0,
                             int64_t reduction = reduce_mean);
Tensor soft_margin_loss(ops::At x, const Tensor& target, int64_t reduction = reduce_mean);
Tensor triplet_margin_loss(ops::At anchor, const Tensor& positive, const Tensor& negative,
                           double margin = 1, double p = 2, double eps = 1e-6, bool swap = false,
                           int64_t reduction = reduce_mean);
// The target is the class of each row of x.
Tensor multi_margin_loss(ops::At x, const Tensor& target, const Scalar& p = 1,
                         const Scalar& margin = 1, const Tensor& weight = {},
                         int64_t reduction = reduce_mean);
// The target has the classes of each row of x, followed by -1.
Tensor multilabel_margin_loss(ops::At x, const Tensor& target, int64_t reduction = reduce_mean);
// The same, and whether each element is one of a class of the target, 1 or 0.
std::pair<Tensor, Tensor> multilabel_margin_loss_forward(ops::At x, const Tensor& target,
                                                         int64_t reduction);

// The negative logarithm of the probability of a target, summed over all ways to spread its labels
// over the steps. log_probs [steps, n, classes] or [steps, classes], logarithms of softmax; targets
// [n, most labels], or one after the other in one dimension; for each row of the batch its number
// of steps, and of labels. The mean is of the losses divided by the numbers of labels.
// Lengths in tensors are read. The gradient is PyTorch's: as if log_probs were a result of
// log_softmax.
Tensor ctc_loss(ops::At log_probs, const Tensor& targets, DimsArg input_lengths,
                DimsArg target_lengths, int64_t blank = 0, int64_t reduction = reduce_mean,
                bool zero_infinity = false);
Tensor ctc_loss(ops::At log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank = 0, int64_t reduction = reduce_mean,
                bool zero_infinity = false);

}  // namespace vitro
