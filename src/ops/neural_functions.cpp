// The table of activation functions, losses, norms and distances, and linear algebra, one row each:
// ATen's schemas and the C++ function.
#include "bags.h"
#include "bind.h"
#include "functions.h"
#include "vitro/ops/activation_functions.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/distance.h"
#include "vitro/ops/embedding_bag.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/loss.h"
#include "vitro/ops/operators.h"

namespace vitro::ops {
namespace {

Tensor prelu_kernel(At x, const Tensor& weight) {
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(weight.dtype() == t.dtype(), "_prelu_kernel: dtypes differ: ", t.dtype(), " and ",
              weight.dtype(), "; cast one of them");
  return where(t > 0, t, t * weight);
}
Tensor norm_of_all(At x, const Scalar& p) {
  return norm(x, p);
}
Tensor norm_along(At x, const std::optional<Scalar>& p, Dims dim, bool keepdim) {
  return norm(x, p.value_or(2), std::move(dim), keepdim);
}
Tensor matrix_norm_by_number(At x, const Scalar& ord, Dims dim, bool keepdim,
                             std::optional<DType> dtype) {
  return linalg_matrix_norm(x, ord, std::move(dim), keepdim, dtype);
}
Tensor matrix_norm_by_name(At x, std::string_view ord, Dims dim, bool keepdim,
                           std::optional<DType> dtype) {
  return linalg_matrix_norm(x, ord, std::move(dim), keepdim, dtype);
}
// `path` only changes the order of the products.
Tensor einsum_of(std::string_view equation, std::span<const Tensor> tensors,
                 const std::vector<Scalar>&, std::source_location from) {
  return einsum(equation, tensors, from);
}
Tensor multi_dot_of(std::span<const Tensor> tensors, std::source_location from) {
  return linalg_multi_dot(tensors, from);
}
void check_strided(std::string_view op, const std::optional<std::string>& layout) {
  VITRO_CHECK(layout.value_or("strided") == "strided", op, ": layout ", *layout,
              " is not implemented; needs strided");
}
Tensor tril_indices_of(int64_t row, int64_t col, int64_t offset, std::optional<DType> dtype,
                       const std::optional<std::string>& layout, std::optional<Device> device,
                       std::source_location from) {
  check_strided("tril_indices", layout);
  return tril_indices(row, col, offset, dtype.value_or(DType::i64), device, from);
}
Tensor triu_indices_of(int64_t row, int64_t col, int64_t offset, std::optional<DType> dtype,
                       const std::optional<std::string>& layout, std::optional<Device> device,
                       std::source_location from) {
  check_strided("triu_indices", layout);
  return triu_indices(row, col, offset, dtype.value_or(DType::i64), device, from);
}

using CtcByNumbers = Tensor (*)(At, const Tensor&, DimsArg, DimsArg, int64_t, int64_t, bool);
using CtcByTensors = Tensor (*)(At, const Tensor&, const Tensor&, const Tensor&, int64_t, int64_t,
                                bool);

constexpr NamedFunction rows[] = {
    {"hardsigmoid", "x + 3 within [0, 6], divided by 6.", "(Tensor self) -> Tensor",
     bound<&hardsigmoid>},
    {"hardsigmoid_", "x + 3 within [0, 6], divided by 6.", "(Tensor(a!) self) -> Tensor(a!)",
     written<&hardsigmoid>},
    {"hardswish", "x * hardsigmoid(x).", "(Tensor self) -> Tensor", bound<&hardswish>},
    {"hardswish_", "x * hardsigmoid(x).", "(Tensor(a!) self) -> Tensor(a!)", written<&hardswish>},
    {"relu6", "x within [0, 6].", "(Tensor self) -> Tensor", bound<&relu6>},
    {"relu6_", "x within [0, 6].", "(Tensor(a!) self) -> Tensor(a!)", written<&relu6>},
    {"mish", "x * tanh(softplus(x)).", "(Tensor self) -> Tensor", bound<&mish>},
    {"mish_", "x * tanh(softplus(x)).", "(Tensor(a!) self) -> Tensor(a!)", written<&mish>},
    {"selu", "elu with fixed numbers, which keep mean 0 and variance 1.", "(Tensor self) -> Tensor",
     bound<&selu>},
    {"selu_", "elu with fixed numbers, which keep mean 0 and variance 1.",
     "(Tensor(a!) self) -> Tensor(a!)", written<&selu>},
    {"celu", "x, or alpha * (e^(x / alpha) - 1) where x is negative.",
     "(Tensor self, Scalar alpha=1.) -> Tensor", bound<&celu>},
    {"celu_", "x, or alpha * (e^(x / alpha) - 1) where x is negative.",
     "(Tensor(a!) self, Scalar alpha=1.) -> Tensor(a!)", written<&celu>},
    {"prelu", "x where it is positive, else weight * x; the weight may differ by channel.",
     "(Tensor self, Tensor weight) -> Tensor", bound<&prelu>},
    {"_prelu_kernel", "x where it is positive, else weight * x.",
     "(Tensor self, Tensor weight) -> Tensor", bound<&prelu_kernel>},
    {"softsign", "x / (|x| + 1).", "(Tensor self) -> Tensor", bound<&softsign>},
    {"tanhshrink", "x - tanh(x).", "(Tensor self) -> Tensor", bound<&tanhshrink>},
    {"hardshrink", "x, or 0 where |x| is at most lambd.",
     "(Tensor self, Scalar lambd=0.5) -> Tensor", bound<&hardshrink>},
    {"softshrink", "x moved towards 0 by lambd, but not beyond it.",
     "(Tensor self, Scalar lambd=0.5) -> Tensor", bound<&softshrink>},
    {"threshold", "x, or `value` where x is at most the threshold.",
     "(Tensor self, Scalar threshold, Scalar value) -> Tensor", bound<&threshold>},
    {"threshold_", "x, or `value` where x is at most the threshold.",
     "(Tensor(a!) self, Scalar threshold, Scalar value) -> Tensor(a!)", written<&threshold>},
    {"log_sigmoid", "The logarithm of sigmoid.", "(Tensor self) -> Tensor", bound<&log_sigmoid>},
    {"_embedding_bag", "Sums, means or maxima of bags of rows.",
     "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
     "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int "
     "padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
     bound<&bags>},
    {"_embedding_bag_forward_only", "Sums, means or maxima of bags of rows.",
     "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
     "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int "
     "padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
     bound<&bags_forward_only>},
    {"embedding_bag", "Sums, means or maxima of bags of rows.",
     "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
     "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> "
     "(Tensor, Tensor, Tensor, Tensor)",
     bound<&embedding_bag>},
    {"embedding_bag", "Sums, means or maxima of bags of rows.",
     ".padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int "
     "mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) "
     "-> (Tensor, Tensor, Tensor, Tensor)",
     bound<&embedding_bag>},
    {"glu", "The first half of x along dim times sigmoid of the second.",
     "(Tensor self, int dim=-1) -> Tensor", bound<&glu>},
    {"softmin", "softmax of -x.", "(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
     bound<&softmin>},
    {"rrelu", "leaky_relu with random slopes, or with the mean of the bounds as its slope.",
     "(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, "
     "Generator? generator=None) -> Tensor",
     bound<&rrelu>},
    {"rrelu_", "leaky_relu with random slopes, or with the mean of the bounds as its slope.",
     "(Tensor(a!) self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, "
     "Generator? generator=None) -> Tensor(a!)",
     written<&rrelu>},
    {"linalg_vector_norm", "The norm of order `ord` over `dim`.",
     "(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) "
     "-> Tensor",
     bound<&linalg_vector_norm>},
    {"norm", "The norm of order p.", ".Scalar(Tensor self, Scalar p=2) -> Tensor",
     bound<&norm_of_all>},
    {"norm", "The norm of order p over `dim`.",
     ".ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
     bound<&norm_along>},
    {"linalg_matrix_norm",
     "The norm of matrices: the largest or smallest sum of a row or a column.",
     "(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) "
     "-> Tensor",
     bound<&matrix_norm_by_number>},
    {"linalg_matrix_norm", "The norm of matrices: the root of the sum of squares.",
     ".str_ord(Tensor self, str ord=\"fro\", int[] dim=[-2, -1], bool keepdim=False, *, "
     "ScalarType? dtype=None) -> Tensor",
     bound<&matrix_norm_by_name>},
    {"normalize", "x divided by its norm along dim, or by eps if that is larger.",
     "(Tensor self, float p=2., int dim=1, float eps=9.9999999999999998e-13) -> Tensor",
     bound<&normalize>},
    {"cosine_similarity", "The cosine of the angle between vectors along dim.",
     "(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", bound<&cosine_similarity>},
    {"pairwise_distance", "The norm of x1 - x2 + eps along the last dimension.",
     "(Tensor x1, Tensor x2, float p=2., float eps=9.9999999999999995e-07, bool keepdim=False) -> "
     "Tensor",
     bound<&pairwise_distance>},
    {"cdist", "The distances between the rows of x1 and those of x2.",
     "(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor", bound<&cdist>},
    {"_cdist_forward", "The distances between the rows of x1 and those of x2.",
     "(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor", bound<&cdist>},
    {"pdist", "The distances between each two rows.", "(Tensor self, float p=2.) -> Tensor",
     bound<&pdist>},
    {"_pdist_forward", "The distances between each two rows.",
     "(Tensor self, float p=2.) -> Tensor", bound<&pdist>},
    {"mse_loss", "The squared difference.",
     "(Tensor self, Tensor target, int reduction=1) -> Tensor", bound<&mse_loss>},
    {"l1_loss", "The absolute difference.",
     "(Tensor self, Tensor target, int reduction=1) -> Tensor", bound<&l1_loss>},
    {"smooth_l1_loss", "d^2 / (2 * beta) for a difference d below beta, else |d| - beta / 2.",
     "(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor",
     bound<&smooth_l1_loss>},
    {"huber_loss", "d^2 / 2 for a difference d of at most delta, else delta * (|d| - delta / 2).",
     "(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor", bound<&huber_loss>},
    {"binary_cross_entropy", "-(t * log(x) + (1 - t) * log(1 - x)) for a target t.",
     "(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor",
     bound<&binary_cross_entropy>},
    {"binary_cross_entropy_with_logits", "binary_cross_entropy of sigmoid(x), without overflow.",
     "(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) "
     "-> Tensor",
     bound<&binary_cross_entropy_with_logits>},
    {"nll_loss", "-x of the target class.",
     "(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) "
     "-> Tensor",
     bound<&nll_loss>},
    {"nll_loss2d", "-x of the target class.",
     "(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) "
     "-> Tensor",
     bound<&nll_loss>},
    {"nll_loss_nd", "-x of the target class.",
     "(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) "
     "-> Tensor",
     bound<&nll_loss>},
    {"nll_loss_forward", "-x of the target class, and the sum of the weights.",
     "(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor "
     "output, Tensor total_weight)",
     bound<&nll_loss_forward>},
    {"nll_loss2d_forward", "-x of the target class, and the sum of the weights.",
     "(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor "
     "output, Tensor total_weight)",
     bound<&nll_loss_forward>},
    {"cross_entropy_loss", "nll_loss of log_softmax, for class indices or probabilities.",
     "(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, "
     "float label_smoothing=0.) -> Tensor",
     bound<&cross_entropy_loss>},
    {"kl_div", "t * (log(t) - x) for a target t.",
     "(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor",
     bound<&kl_div>},
    {"poisson_nll_loss", "e^x - t * x, or x - t * log(x + eps), for a target t.",
     "(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor",
     bound<&poisson_nll_loss>},
    {"gaussian_nll_loss", "(log(var) + (x - t)^2 / var) / 2 for a target t.",
     "(Tensor input, Tensor target, Tensor var, bool full=False, float eps=9.9999999999999995e-07, "
     "int reduction=1) -> Tensor",
     bound<&gaussian_nll_loss>},
    {"hinge_embedding_loss", "x for the target 1, max(0, margin - x) for -1.",
     "(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor",
     bound<&hinge_embedding_loss>},
    {"margin_ranking_loss", "max(0, margin - t * (x1 - x2)) for a target t.",
     "(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor",
     bound<&margin_ranking_loss>},
    {"cosine_embedding_loss", "1 - cosine for the target 1, max(0, cosine - margin) for -1.",
     "(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor",
     bound<&cosine_embedding_loss>},
    {"soft_margin_loss", "log(1 + e^(-t * x)) for a target t.",
     "(Tensor self, Tensor target, int reduction=1) -> Tensor", bound<&soft_margin_loss>},
    {"triplet_margin_loss", "max(0, margin + the distance to `positive` - that to `negative`).",
     "(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float p=2., float "
     "eps=9.9999999999999995e-07, bool swap=False, int reduction=1) -> Tensor",
     bound<&triplet_margin_loss>},
    {"multi_margin_loss",
     "The mean of max(0, margin - x of the target class + x)^p over the other classes.",
     "(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int "
     "reduction=1) -> Tensor",
     bound<&multi_margin_loss>},
    {"multilabel_margin_loss",
     "The sum of max(0, 1 - x of a target class + x of another class) over both, divided by the "
     "number of classes.",
     "(Tensor self, Tensor target, int reduction=1) -> Tensor", bound<&multilabel_margin_loss>},
    {"multilabel_margin_loss_forward",
     "multilabel_margin_loss, and whether each class is in the target.",
     "(Tensor self, Tensor target, int reduction) -> (Tensor output, Tensor is_target)",
     bound<&multilabel_margin_loss_forward>},
    {"ctc_loss", "-log of the probability of a target whose labels are spread over the steps.",
     ".IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int "
     "blank=0, int reduction=1, bool zero_infinity=False) -> Tensor",
     bound<static_cast<CtcByNumbers>(&ctc_loss)>},
    {"ctc_loss", "-log of the probability of a target whose labels are spread over the steps.",
     ".Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int "
     "blank=0, int reduction=1, bool zero_infinity=False) -> Tensor",
     bound<static_cast<CtcByTensors>(&ctc_loss)>},
    {"einsum", "The sum of products that the equation describes.",
     "(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor", bound<&einsum_of>},
    {"outer", "The products of each two elements.", "(Tensor self, Tensor vec2) -> Tensor",
     bound<&outer>},
    {"ger", "The products of each two elements.", "(Tensor self, Tensor vec2) -> Tensor",
     bound<&outer>},
    {"inner", "Sums of products over the last dimensions.", "(Tensor self, Tensor other) -> Tensor",
     bound<&inner>},
    {"dot", "The sum of products of two vectors.", "(Tensor self, Tensor tensor) -> Tensor",
     bound<&dot>},
    {"vdot", "The sum of products of two vectors, of the first with its complex conjugates.",
     "(Tensor self, Tensor other) -> Tensor", bound<&vdot>},
    {"mv", "A matrix times a vector.", "(Tensor self, Tensor vec) -> Tensor", bound<&mv>},
    {"tensordot", "Sums of products over pairs of dimensions.",
     "(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor", bound<&tensordot>},
    {"kron", "Each element of x times all of `other`, as blocks.",
     "(Tensor self, Tensor other) -> Tensor", bound<&kron>},
    {"linalg_cross", "The cross product along dim, of size 3.",
     "(Tensor self, Tensor other, *, int dim=-1) -> Tensor", bound<&linalg_cross>},
    {"cross", "The cross product along dim, by default the first of size 3.",
     "(Tensor self, Tensor other, int? dim=None) -> Tensor", bound<&cross>},
    {"addr", "beta * x + alpha * outer(vec1, vec2).",
     "(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     bound<&addr>},
    {"addr_", "beta * x + alpha * outer(vec1, vec2).",
     "(Tensor(a!) self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)",
     written<&addr>},
    {"chain_matmul", "The product of matrices, in the cheapest order.",
     "(Tensor[] matrices) -> Tensor", bound<&multi_dot_of>},
    {"linalg_multi_dot", "The product of matrices, in the cheapest order.",
     "(Tensor[] tensors) -> Tensor", bound<&multi_dot_of>},
    {"trace", "The sum of the diagonal.", "(Tensor self) -> Tensor", bound<&trace>},
    {"diag", "A vector as a diagonal of a matrix, or a diagonal of a matrix.",
     "(Tensor self, int diagonal=0) -> Tensor", bound<&diag>},
    {"diag_embed", "Vectors as diagonals of matrices of zeros.",
     "(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", bound<&diag_embed>},
    {"tril_indices", "The indices of the elements where column <= row + offset.",
     "(int row, int col, int offset=0, " VITRO_OPTIONS_I64 ") -> Tensor", bound<&tril_indices_of>},
    {"triu_indices", "The indices of the elements where column >= row + offset.",
     "(int row, int col, int offset=0, " VITRO_OPTIONS_I64 ") -> Tensor", bound<&triu_indices_of>},
    {"linalg_vander", "The powers of each element from 0 on.",
     "(Tensor x, *, SymInt? N=None) -> Tensor", bound<&linalg_vander>},
};

}  // namespace

std::span<const NamedFunction> neural_functions() {
  return rows;
}

}  // namespace vitro::ops
