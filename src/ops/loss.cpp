// Losses, written with ops.
#include "vitro/ops/loss.h"

#include <cmath>

#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/region.h"
#include "vitro/ops/activation.h"
#include "vitro/ops/activation_functions.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/distance.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

using namespace ops;

void check_reduction(std::string_view op, int64_t reduction) {
  VITRO_CHECK(reduction >= reduce_none && reduction <= reduce_sum, op,
              ": reduction must be 0 (none), 1 (mean) or 2 (sum), got ", reduction);
}

Tensor reduced(const Tensor& loss, int64_t reduction, DType dtype) {
  if (reduction == reduce_mean) return to(mean(loss), dtype);
  return to(reduction == reduce_sum ? sum(loss) : loss, dtype);
}

// The operands of a loss in the type in which it is computed; its result has the promoted type.
struct Operands {
  DType dtype;
  Tensor x, target;

  enum class Takes : uint8_t { floating, integers, complex, numbers };
  Operands(std::string_view op, const ops::At& at, const Tensor& second, int64_t reduction,
           Takes takes = Takes::floating)
      : dtype(promote(at.operand.tensor().dtype(), second.dtype())) {
    check_reduction(op, reduction);
    const bool takes_integers = takes == Takes::integers || takes == Takes::numbers;
    if (takes_integers && is_integer(dtype)) dtype = default_float;
    const bool takes_complex = takes == Takes::complex || takes == Takes::numbers;
    VITRO_CHECK(is_floating(dtype) || (is_complex(dtype) && takes_complex), op,
                ": takes floating-point numbers, got ", at.operand.tensor().dtype(), " and ",
                second.dtype(), "; cast them first");
    x = to(at, compute_type(dtype));
    target = to({second, at.where}, compute_type(dtype));
  }
};

// x in the type of the computation, but as it is if it is an integer: PyTorch subtracts integers
// before they become floating-point numbers, so that those of u8 do not become negative.
Value in_wide(const Operands& given, const Tensor& x) {
  return is_integer(x.dtype()) ? Value(x) : ops::to(x, given.x.dtype());
}

// 0 where x is negative.
Value above_zero(const Tensor& x) {
  return clamp(x, 0);
}

// The logarithm of a probability, at least -100. At 0, where it has no derivative, its slope is
// that of ATen's loss: 1e12.
Value bounded_log(const Tensor& x) {
  const Value none = x == 0;
  return ops::where(none, x * 1e12 - 100, clamp(log(ops::where(none, 1, x)), -100));
}

}  // namespace

Tensor mse_loss(ops::At x, const Tensor& target, int64_t reduction) {
  if (autocasts()) return autocasted("mse_loss", &mse_loss, x, target, reduction);
  const CalledAs name("mse_loss", x.where);
  const Operands given("mse_loss", x, target, reduction);
  return region("mse_loss", {&given.x, &given.target},
                [&] { return reduced(square(given.x - given.target), reduction, given.dtype); });
}

Tensor l1_loss(ops::At x, const Tensor& target, int64_t reduction) {
  if (autocasts()) return autocasted("l1_loss", &l1_loss, x, target, reduction);
  const CalledAs name("l1_loss", x.where);
  const Operands given("l1_loss", x, target, reduction, Operands::Takes::complex);
  return reduced(abs(given.x - given.target), reduction, real_of(given.dtype));
}

Tensor smooth_l1_loss(ops::At x, const Tensor& target, int64_t reduction, double beta) {
  if (autocasts()) return autocasted("smooth_l1_loss", &smooth_l1_loss, x, target, reduction, beta);
  const CalledAs name("smooth_l1_loss", x.where);
  VITRO_CHECK(beta >= 0, "smooth_l1_loss: beta must not be negative, got ", beta);
  if (beta == 0) return l1_loss(x, target, reduction);
  const Operands given("smooth_l1_loss", x, target, reduction);
  return region("smooth_l1_loss", {&given.x, &given.target}, [&] {
    const Value d = given.x - given.target, far = abs(d);
    const Value loss = ops::where(far < beta, 0.5 * d * d / beta, far - 0.5 * beta);
    return reduced(loss, reduction, given.dtype);
  });
}

Tensor huber_loss(ops::At x, const Tensor& target, int64_t reduction, double delta) {
  if (autocasts()) return autocasted("huber_loss", &huber_loss, x, target, reduction, delta);
  const CalledAs name("huber_loss", x.where);
  VITRO_CHECK(delta > 0, "huber_loss: delta must be positive, got ", delta);
  const Operands given("huber_loss", x, target, reduction);
  return region("huber_loss", {&given.x, &given.target}, [&] {
    const Value d = given.x - given.target, far = abs(d);
    const Value loss = ops::where(far <= delta, 0.5 * d * d, delta * (far - 0.5 * delta));
    return reduced(loss, reduction, given.dtype);
  });
}

Tensor binary_cross_entropy(ops::At x, const Tensor& target, const Tensor& weight,
                            int64_t reduction) {
  if (autocasts())
    return autocasted("binary_cross_entropy", &binary_cross_entropy, x, target, weight, reduction);
  const CalledAs name("binary_cross_entropy", x.where);
  const Tensor& t = x.operand.tensor();
  const Operands given("binary_cross_entropy", x, target, reduction);
  VITRO_CHECK(t.dtype() == target.dtype(), "binary_cross_entropy: dtypes differ: ", t.dtype(),
              " and ", target.dtype(), "; cast one of them");
  return region("binary_cross_entropy", {&given.x, &given.target, &weight}, [&] {
    Value loss =
        (given.target - 1) * bounded_log(1 - given.x) - given.target * bounded_log(given.x);
    if (weight.defined()) loss = loss * to(weight, loss.dtype());
    return reduced(loss, reduction, given.dtype);
  });
}

Tensor binary_cross_entropy_with_logits(ops::At x, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, int64_t reduction) {
  if (autocasts())
    return autocasted("binary_cross_entropy_with_logits", &binary_cross_entropy_with_logits, x,
                      target, weight, pos_weight, reduction);
  const CalledAs name("binary_cross_entropy_with_logits", x.where);
  const Operands given("binary_cross_entropy_with_logits", x, target, reduction);
  const Sizes sizes =
      ops::broadcast("binary_cross_entropy_with_logits", given.x.sizes(), target.sizes());
  VITRO_CHECK(ops::equal_sizes(sizes, target.sizes()),
              "binary_cross_entropy_with_logits: target needs the sizes of x, ",
              numbers_of(given.x.sizes()), ", got ", numbers_of(target.sizes()));
  return region(
      "binary_cross_entropy_with_logits", {&given.x, &given.target, &weight, &pos_weight}, [&] {
        Value positive = log_sigmoid(given.x);
        if (pos_weight.defined())
          positive = ((to(pos_weight, given.x.dtype()) - 1) * given.target + 1) * positive;
        Value loss = (1 - given.target) * given.x - positive;
        if (weight.defined()) loss = loss * to(weight, loss.dtype());
        return reduced(loss, reduction, given.dtype);
      });
}

namespace {

// Class losses: the dimension of the classes, and the targets in use.
struct Classes {
  int64_t dim = 0;
  Tensor ignored;  // bool
  Tensor target;   // 0 where it is ignored
  Tensor weight;   // of each target, 0 where it is ignored; undefined if no weight is given

  // `weight`, if defined, is in the type of the computation.
  Classes(std::string_view op, const Tensor& x, const Tensor& given, const Tensor& by_class,
          int64_t ignore_index)
      : dim(x.rank() < 2 ? 0 : 1) {
    VITRO_CHECK(x.rank() > 0, op, ": takes a tensor with dimensions");
    VITRO_CHECK(given.dtype() == DType::i64 || given.dtype() == DType::u8, op,
                ": class indices must be i64 or u8, got ", given.dtype());
    Sizes needed = x.sizes();
    needed.erase(static_cast<size_t>(dim));
    VITRO_CHECK(ops::equal_sizes(given.sizes(), needed), op, ": target has sizes ",
                numbers_of(given.sizes()), "; x of sizes ", numbers_of(x.sizes()), " needs ",
                numbers_of(needed));
    if (by_class.defined())
      VITRO_CHECK(by_class.rank() == 1 && equal(by_class.size(0), x.size(dim)), op,
                  ": weight has sizes ", numbers_of(by_class.sizes()), ", needs [",
                  number_of(x.size(dim)), "]");
    const Value classes = to(given, DType::i64);
    ignored = classes == ignore_index;
    target = ops::where(ignored, 0, classes);
    if (by_class.defined()) weight = ops::where(ignored, 0, take(by_class, target));
  }

  // The sum of the weights of all targets.
  Tensor total(DType dtype) const {
    return weight.defined() ? sum(weight) : to(sum(~ignored), dtype);
  }
  Tensor picked(const Tensor& x) const {
    return squeeze(gather(x, dim, unsqueeze(target, dim)), dim);
  }
};

// The loss of each target, in the type of the computation, reduced.
Tensor class_loss(const Classes& classes, const Tensor& loss, int64_t reduction) {
  const Value weighted = classes.weight.defined() ? loss * classes.weight : loss;
  const Value counted = ops::where(classes.ignored, 0, weighted);
  if (reduction == reduce_none) return counted;
  if (reduction == reduce_sum) return sum(counted);
  return sum(counted) / classes.total(loss.dtype());
}

Tensor widened_weight(const Tensor& weight, DType dtype) {
  return weight.defined() ? to(weight, dtype) : Tensor();
}

std::tuple<Tensor, Tensor> nll(std::string_view op, const ops::At& x, const Tensor& target,
                               const Tensor& weight, int64_t reduction, int64_t ignore_index) {
  check_reduction(op, reduction);
  return region(op, {&x.operand.tensor(), &target, &weight}, [&] {
    const Value wide = ops::widened(op, x);
    const Classes classes(op, wide, target, widened_weight(weight, wide.dtype()), ignore_index);
    const DType dtype = x.operand.tensor().dtype();
    const Value loss = class_loss(classes, -classes.picked(wide), reduction);
    return std::tuple(to(loss, dtype), to(classes.total(wide.dtype()), dtype));
  });
}

// Weights of classes, as a factor of x.
Tensor along(const Tensor& weight, const Tensor& x, int64_t dim) {
  Sizes sizes(static_cast<size_t>(x.rank()), Size(1));
  sizes[static_cast<size_t>(dim)] = x.size(dim);
  return reshape(weight, sizes);
}

// `logs` are the logarithms of softmax.
Tensor of_probabilities(const Tensor& logs, const Tensor& target, const Tensor& weight,
                        int64_t reduction, double smoothing) {
  const int64_t dim = logs.rank() < 2 ? 0 : 1;
  const Size count = logs.size(dim);
  Value wanted = to(target, logs.dtype());
  if (smoothing > 0) wanted = wanted * (1 - smoothing) + smoothing / Scalar(count).as_double();
  Value products = logs * wanted;
  if (weight.defined()) products = products * along(weight, logs, dim);
  const Value losses = -sum(products, {dim});
  return reduction == reduce_mean ? mean(losses) : reduction == reduce_sum ? sum(losses) : losses;
}

Tensor of_classes(const Tensor& logs, const Tensor& target, const Tensor& weight, int64_t reduction,
                  int64_t ignore_index, double smoothing) {
  const Classes classes("cross_entropy_loss", logs, target, weight, ignore_index);
  const Value loss = class_loss(classes, -classes.picked(logs), reduction);
  if (smoothing == 0) return loss;
  const Value weighted = weight.defined() ? logs * along(weight, logs, classes.dim) : logs;
  Value smooth = ops::where(classes.ignored, 0, -sum(weighted, {classes.dim}));
  if (reduction != reduce_none) smooth = sum(smooth);
  if (reduction == reduce_mean) smooth = smooth / classes.total(logs.dtype());
  const double each = smoothing / Scalar(logs.size(classes.dim)).as_double();
  return (1 - smoothing) * loss + each * smooth;
}

}  // namespace

Tensor nll_loss(ops::At x, const Tensor& target, const Tensor& weight, int64_t reduction,
                int64_t ignore_index) {
  if (autocasts())
    return autocasted("nll_loss", &nll_loss, x, target, weight, reduction, ignore_index);
  const CalledAs name("nll_loss", x.where);
  return std::get<0>(nll("nll_loss", x, target, weight, reduction, ignore_index));
}

std::tuple<Tensor, Tensor> nll_loss_forward(ops::At x, const Tensor& target, const Tensor& weight,
                                            int64_t reduction, int64_t ignore_index) {
  const CalledAs name("nll_loss_forward", x.where);
  return nll("nll_loss_forward", x, target, weight, reduction, ignore_index);
}

Tensor cross_entropy_loss(ops::At x, const Tensor& target, const Tensor& weight, int64_t reduction,
                          int64_t ignore_index, double label_smoothing) {
  if (autocasts())
    return autocasted("cross_entropy_loss", &cross_entropy_loss, x, target, weight, reduction,
                      ignore_index, label_smoothing);
  const CalledAs name("cross_entropy_loss", x.where);
  check_reduction("cross_entropy_loss", reduction);
  VITRO_CHECK(label_smoothing >= 0 && label_smoothing <= 1,
              "cross_entropy_loss: label_smoothing must be between 0 and 1, got ", label_smoothing);
  return region("cross_entropy_loss", {&x.operand.tensor(), &target, &weight}, [&]() -> Tensor {
    const Value wide = ops::widened("cross_entropy_loss", x);
    VITRO_CHECK(wide.rank() > 0, "cross_entropy_loss: takes a tensor with dimensions");
    const Value logs = log_softmax({wide, x.where}, wide.rank() < 2 ? 0 : 1);
    const Value by_class = widened_weight(weight, wide.dtype());
    const bool probabilities = is_floating(target.dtype());
    VITRO_CHECK(!probabilities || ops::equal_sizes(target.sizes(), wide.sizes()),
                "cross_entropy_loss: probabilities need the sizes of x, ", numbers_of(wide.sizes()),
                ", got ", numbers_of(target.sizes()));
    const Tensor loss =
        probabilities
            ? of_probabilities(logs, target, by_class, reduction, label_smoothing)
            : of_classes(logs, target, by_class, reduction, ignore_index, label_smoothing);
    return to(loss, x.operand.tensor().dtype());
  });
}

Tensor kl_div(ops::At x, const Tensor& target, int64_t reduction, bool log_target) {
  if (autocasts()) return autocasted("kl_div", &kl_div, x, target, reduction, log_target);
  const CalledAs name("kl_div", x.where);
  const auto [dtype, input, t] = Operands("kl_div", x, target, reduction);
  return reduced(log_target ? exp(t) * (t - input) : xlogy(t, t) - t * input, reduction, dtype);
}

Tensor poisson_nll_loss(ops::At x, const Tensor& target, bool log_input, bool full, double eps,
                        int64_t reduction) {
  if (autocasts())
    return autocasted("poisson_nll_loss", &poisson_nll_loss, x, target, log_input, full, eps,
                      reduction);
  const CalledAs name("poisson_nll_loss", x.where);
  const auto [dtype, input, t] =
      Operands("poisson_nll_loss", x, target, reduction, Operands::Takes::integers);
  Value loss = log_input ? exp(input) - t * input : input - t * log(input + eps);
  if (full) {  // Stirling's approximation of log(t!)
    const Value small = t <= 1, counts = ops::where(small, 1, t);
    const Value logs = counts * log(counts) - counts + 0.5 * log(counts * 6.283185307179586);
    loss = loss + ops::where(small, 0, logs);
  }
  return reduced(loss, reduction, dtype);
}

Tensor gaussian_nll_loss(ops::At x, const Tensor& target, const Tensor& var, bool full, double eps,
                         int64_t reduction) {
  const CalledAs name("gaussian_nll_loss", x.where);
  const auto [dtype, input, t] = Operands("gaussian_nll_loss", x, target, reduction);
  Value variance = to(var, input.dtype());
  const int64_t missing = input.rank() - variance.rank();  // one for each row
  if (missing == 1) variance = unsqueeze(variance, -1);
  variance = clamp(variance, eps);
  Value loss = 0.5 * (log(variance) + square(input - t) / variance);
  if (full) loss = loss + 0.9189385332046727;
  return reduced(loss, reduction, dtype);
}

Tensor hinge_embedding_loss(ops::At x, const Tensor& target, double margin, int64_t reduction) {
  if (autocasts())
    return autocasted("hinge_embedding_loss", &hinge_embedding_loss, x, target, margin, reduction);
  const CalledAs name("hinge_embedding_loss", x.where);
  const auto [dtype, input, t] = Operands("hinge_embedding_loss", x, target, reduction);
  const Value negative = ops::where(t != 1, above_zero(margin - input), 0);
  return reduced(negative + ops::where(t != -1, input, 0), reduction, dtype);
}

Tensor margin_ranking_loss(ops::At x1, const Tensor& x2, const Tensor& target, double margin,
                           int64_t reduction) {
  if (autocasts())
    return autocasted("margin_ranking_loss", &margin_ranking_loss, x1, x2, target, margin,
                      reduction);
  const CalledAs name("margin_ranking_loss", x1.where);
  const Operands given("margin_ranking_loss", x1, x2, reduction, Operands::Takes::integers);
  const auto in = [&](const Tensor& x) { return in_wide(given, x); };
  const Value product = -in(target) * (in(x1.operand.tensor()) - in(x2));
  return reduced(above_zero(to(product, given.x.dtype()) + margin), reduction, given.dtype);
}

Tensor cosine_embedding_loss(ops::At x1, const Tensor& x2, const Tensor& target, double margin,
                             int64_t reduction) {
  if (autocasts())
    return autocasted("cosine_embedding_loss", &cosine_embedding_loss, x1, x2, target, margin,
                      reduction);
  const CalledAs name("cosine_embedding_loss", x1.where);
  const auto as_number = [](const Tensor& x) {
    return is_bool(x.dtype()) ? to(x, default_float) : x;
  };
  const auto [dtype, a, b] =
      Operands("cosine_embedding_loss", {as_number(x1.operand.tensor()), x1.where}, as_number(x2),
               reduction, Operands::Takes::integers);
  VITRO_CHECK((target.rank() == 1 && a.rank() == 2 && b.rank() == 2) ||
                  (target.rank() == 0 && a.rank() == 1 && b.rank() == 1),
              "cosine_embedding_loss: needs vectors and a target without dimensions, or matrices "
              "and a target of rank 1; got sizes ",
              numbers_of(a.sizes()), ", ", numbers_of(b.sizes()), " and ",
              numbers_of(target.sizes()));
  const auto dot = [](const Tensor& u, const Tensor& v) { return sum(u * v, {-1}); };
  const Value lengths = sqrt((dot(a, a) + 1e-12) * (dot(b, b) + 1e-12));
  const Value cosine = dot(a, b) / lengths;
  const Value near = ops::where(target == 1, 1 - cosine, 0);
  const Value far = ops::where(target == -1, above_zero(cosine - margin), 0);
  return reduced(near + far, reduction, dtype);
}

Tensor soft_margin_loss(ops::At x, const Tensor& target, int64_t reduction) {
  if (autocasts()) return autocasted("soft_margin_loss", &soft_margin_loss, x, target, reduction);
  const CalledAs name("soft_margin_loss", x.where);
  const auto [dtype, input, t] = Operands("soft_margin_loss", x, target, reduction);
  return reduced(log1p(exp(-input * t)), reduction, dtype);
}

Tensor triplet_margin_loss(ops::At anchor, const Tensor& positive, const Tensor& negative,
                           double margin, double p, double eps, bool swap, int64_t reduction) {
  if (autocasts())
    return autocasted("triplet_margin_loss", &triplet_margin_loss, anchor, positive, negative,
                      margin, p, eps, swap, reduction);
  const CalledAs name("triplet_margin_loss", anchor.where);
  const Operands given("triplet_margin_loss", anchor, positive, reduction,
                       Operands::Takes::numbers);
  const Value a = in_wide(given, anchor.operand.tensor()), near = in_wide(given, positive),
              far = in_wide(given, negative);
  VITRO_CHECK(a.rank() == near.rank() && a.rank() == far.rank(),
              "triplet_margin_loss: ranks differ: sizes ", numbers_of(a.sizes()), ", ",
              numbers_of(near.sizes()), " and ", numbers_of(far.sizes()));
  Value distance = pairwise_distance(a, far, p, eps);
  if (swap) distance = ops::minimum(distance, pairwise_distance(near, far, p, eps));
  const Value loss = above_zero(margin + pairwise_distance(a, near, p, eps) - distance);
  return reduced(loss, reduction, real_of(given.dtype));
}

Tensor multi_margin_loss(ops::At x, const Tensor& target, const Scalar& p, const Scalar& margin,
                         const Tensor& weight, int64_t reduction) {
  if (autocasts())
    return autocasted("multi_margin_loss", &multi_margin_loss, x, target, p, margin, weight,
                      reduction);
  const CalledAs name("multi_margin_loss", x.where);
  check_reduction("multi_margin_loss", reduction);
  VITRO_CHECK(p.is(1) || p.is(2), "multi_margin_loss: p must be 1 or 2, got ", p);
  const Tensor wide = ops::widened("multi_margin_loss", x);
  VITRO_CHECK(wide.rank() <= 2, "multi_margin_loss: takes rank 2 or less, got sizes ",
              numbers_of(wide.sizes()));
  const Value rows = wide.rank() == 2 ? wide : reshape(wide, {1, -1});
  const Value classes = reshape(target, {-1, 1});
  VITRO_CHECK(equal(classes.size(0), rows.size(0)), "multi_margin_loss: target has sizes ",
              numbers_of(target.sizes()), " for x of sizes ", numbers_of(wide.sizes()));
  Value above = ops::relu(margin.as_double() - gather(rows, 1, classes) + rows);
  if (p.is(2)) above = square(above);
  if (weight.defined()) above = above * take(to(weight, rows.dtype()), classes);
  const Size count = rows.size(1);
  const Value others = arange(count, DType::i64, rows.device()) != classes;
  const Tensor loss = sum(ops::where(others, above, 0), {1}) / count;
  const bool single = wide.rank() < 2 && target.rank() == 0;
  return reduced(single ? squeeze(loss, 0) : loss, reduction, x.operand.tensor().dtype());
}

std::pair<Tensor, Tensor> multilabel_margin_loss_forward(ops::At x, const Tensor& target,
                                                         int64_t reduction) {
  if (autocasts())
    return autocasted("multilabel_margin_loss_forward", &multilabel_margin_loss_forward, x, target,
                      reduction);
  constexpr std::string_view op = "multilabel_margin_loss_forward";
  const CalledAs name(op, x.where);
  check_reduction(op, reduction);
  const Tensor wide = ops::widened(op, x);
  VITRO_CHECK(wide.rank() <= 2 && equal_sizes(wide.sizes(), target.sizes()), op,
              ": needs a target of the sizes of x, of rank 2 or less, got sizes ",
              numbers_of(target.sizes()), " for x of sizes ", numbers_of(wide.sizes()));
  VITRO_CHECK(target.dtype() == DType::i64, op, ": target must be i64, got ", target.dtype());
  const Value rows = wide.rank() == 2 ? wide : reshape(wide, {1, -1}),
              classes = reshape(target, rows.sizes());
  const Size count = rows.size(1);
  VITRO_CHECK(!less(count, 1), op, ": needs a class, got sizes ", numbers_of(wide.sizes()));
  const Value given = cumsum(to(classes < 0, DType::i64), 1) == 0;
  const Value safe = ops::where(given, classes, 0);
  // [row, place in the target, class]
  const Value places = arange(count, DType::i64, rows.device());
  const Value same = Value(unsqueeze(safe, 2)) == places;
  const Value is_target = any(same & unsqueeze(given, 2), 1);
  const Value above =
      ops::relu(1 - Value(unsqueeze(gather(rows, 1, safe), 2)) + unsqueeze(rows, 1));
  const Value counts = Value(unsqueeze(given, 2)) & unsqueeze(~is_target, 1);
  const Tensor loss = sum(ops::where(counts, above, 0), Dims{1, 2}) / count;
  const DType dtype = x.operand.tensor().dtype();
  const bool single = wide.rank() < 2;
  return {reduced(single ? squeeze(loss, 0) : loss, reduction, dtype),
          to(reshape(is_target, target.sizes()), dtype)};
}

Tensor multilabel_margin_loss(ops::At x, const Tensor& target, int64_t reduction) {
  if (autocasts())
    return autocasted("multilabel_margin_loss", &multilabel_margin_loss, x, target, reduction);
  return multilabel_margin_loss_forward(x, target, reduction).first;
}

}  // namespace vitro
