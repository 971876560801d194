// Activation functions that are written with ops.
#include "vitro/ops/activation_functions.h"

#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/region.h"
#include "vitro/ops/activation.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/random.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

using namespace ops;

// Integers are computed as floating-point numbers.
Tensor in_float(const ops::At& x, Value (*f)(const Tensor&)) {
  const DType dtype = x.operand.tensor().dtype();
  const Value out = f(to(x, compute_type(dtype)));
  return is_floating(dtype) ? to(out, dtype) : out;
}

// x, wide, as a number between 0 and 6: 0 at x = -3, without a slope at the bounds.
Tensor shifted(const Tensor& x) {
  return hardtanh(x + 3, 0, 6);
}

}  // namespace

Tensor hardsigmoid(ops::At x) {
  const CalledAs name("hardsigmoid", x.where);
  const Tensor& t = x.operand.tensor();
  return region("hardsigmoid", {&t},
                [&] { return to(shifted(ops::widened("hardsigmoid", x)) / 6, t.dtype()); });
}

Tensor hardswish(ops::At x) {
  const CalledAs name("hardswish", x.where);
  const Tensor& t = x.operand.tensor();
  return region("hardswish", {&t}, [&] {
    const Value wide = ops::widened("hardswish", x);
    return to(wide * shifted(wide) / 6, t.dtype());
  });
}

Tensor relu6(ops::At x) {
  const CalledAs name("relu6", x.where);
  return hardtanh(x, 0, 6);
}

Tensor mish(ops::At x) {
  const CalledAs name("mish", x.where);
  const Tensor& t = x.operand.tensor();
  return region("mish", {&t}, [&] {
    const Value wide = ops::widened("mish", x);
    return to(wide * tanh(softplus(wide)), t.dtype());
  });
}

Tensor selu(ops::At x) {
  const CalledAs name("selu", x.where);
  return elu(x, 1.6732632423543772, 1.0507009873554805);
}

Tensor celu(ops::At x, const Scalar& alpha) {
  const CalledAs name("celu", x.where);
  const double number = alpha.as_double();
  VITRO_CHECK(number != 0, "celu: alpha must not be 0");
  return elu(x, alpha, 1, 1 / number);
}

Tensor prelu(ops::At x, const Tensor& weight) {
  if (autocasts()) return autocasted("prelu", &prelu, x, weight);
  const CalledAs name("prelu", x.where);
  const Tensor& t = x.operand.tensor();
  ops::check_floating("prelu", t);
  VITRO_CHECK(weight.dtype() == t.dtype(), "prelu: dtypes differ: ", t.dtype(), " and ",
              weight.dtype(), "; cast one of them");
  VITRO_CHECK(weight.rank() <= 1, "prelu: weight needs rank 0 or 1, got sizes ",
              numbers_of(weight.sizes()));
  return region("prelu", {&t, &weight}, [&]() -> Tensor {
    Value slope = weight;
    if (!known_equal(weight.numel(), 1)) {
      const Size channels = t.rank() < 2 ? Size(1) : t.size(1);
      VITRO_CHECK(t.rank() > 0 && equal(weight.numel(), channels), "prelu: weight has ",
                  number_of(weight.numel()),
                  " elements; needs 1, or the number of channels of x of sizes ",
                  numbers_of(t.sizes()));
      Sizes sizes(static_cast<size_t>(t.rank()), Size(1));
      sizes[t.rank() < 2 ? 0 : 1] = channels;
      slope = view(weight, sizes);
    } else {
      slope = reshape(weight, Sizes());
    }
    return ops::where(t > 0, t, t * slope);
  });
}

Tensor softsign(ops::At x) {
  const CalledAs name("softsign", x.where);
  return in_float(x, [](const Tensor& t) { return t / (abs(t) + 1); });
}

Tensor tanhshrink(ops::At x) {
  const CalledAs name("tanhshrink", x.where);
  return in_float(x, [](const Tensor& t) { return t - tanh(t); });
}

Tensor hardshrink(ops::At x, const Scalar& lambd) {
  const CalledAs name("hardshrink", x.where);
  const Tensor& t = x.operand.tensor();
  ops::check_floating("hardshrink", t);
  return ops::where((t >= Scalar(-lambd.as_double())) & (t <= lambd), 0, t);
}

Tensor softshrink(ops::At x, const Scalar& lambd) {
  const CalledAs name("softshrink", x.where);
  const double by = lambd.as_double();
  VITRO_CHECK(by >= 0, "softshrink: lambd must not be negative, got ", lambd.hint());
  const Value wide = ops::widened("softshrink", x);
  // x - x: 0, but NaN for NaN.
  const Value none = ops::where(isnan(wide), wide, 0);
  const Value out = ops::where(wide > by, wide - by, ops::where(wide < -by, wide + by, none));
  return to(out, x.operand.tensor().dtype());
}

Tensor threshold(ops::At x, const Scalar& threshold, const Scalar& value) {
  const CalledAs name("threshold", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(!is_bool(t.dtype()), "threshold: takes numbers (not bool)");
  const auto own = [&](const Scalar& n) { return is_floating(t.dtype()) ? n : Scalar(n.as_int()); };
  return ops::where(t <= own(threshold), own(value), t);
}

// Without overflow: the exponent is never positive.
Tensor log_sigmoid(ops::At x) {
  const CalledAs name("log_sigmoid", x.where);
  const Value wide = ops::widened("log_sigmoid", {contiguous(x), x.where});
  const Value negative = wide < 0, exponent = ops::where(negative, wide, -wide);
  const Value out = ops::where(negative, wide, 0) - log1p(exp(exponent));
  return to(out, x.operand.tensor().dtype());
}

Tensor glu(ops::At x, int64_t dim) {
  const CalledAs name("glu", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() > 0, "glu: takes a tensor with dimensions");
  dim = ops::wrap_dim("glu", dim, t.rank());
  const Size size = t.size(dim);
  VITRO_CHECK(equal(size % 2, 0), "glu: dimension ", dim, " has size ", number_of(size),
              "; needs an even number of elements");
  const Value wide = ops::widened("glu", x);
  const Value first = narrow(wide, dim, 0, size / 2),
              second = narrow(wide, dim, size / 2, size / 2);
  return to(first * ops::sigmoid(second), t.dtype());
}

Tensor softmin(ops::At x, int64_t dim, std::optional<DType> dtype) {
  const CalledAs name("softmin", x.where);
  const Value negative = -x.operand.tensor();
  return softmax({negative, x.where}, dim, dtype);
}

Tensor gumbel_softmax(ops::At x, double tau, bool hard, int64_t dim) {
  const CalledAs name("gumbel_softmax", x.where);
  VITRO_CHECK(tau > 0, "gumbel_softmax: needs a positive tau, got ", tau);
  const Value t = widened("gumbel_softmax", x);
  const Value noised = (t - log(exponential({t, x.where}))) / tau;
  const Tensor soft =
      vitro::to({softmax({noised, x.where}, dim), x.where}, x.operand.tensor().dtype());
  if (!hard) return soft;
  const Tensor largest = vitro::max({soft, x.where}, dim, true).second;
  const Value chosen = scatter(zeros_like({soft, x.where}), dim, largest, 1);
  return chosen - Value(detach({soft, x.where})) + Value(soft);
}

Tensor rrelu(ops::At x, const Scalar& lower, const Scalar& upper, bool training) {
  const CalledAs name("rrelu", x.where);
  const double low = lower.as_double(), high = upper.as_double();
  VITRO_CHECK(low <= high, "rrelu: lower must be at most upper, got ", lower.hint(), " and ",
              upper.hint());
  if (!training) return leaky_relu(contiguous(x), (low + high) / 2);
  const Value t = contiguous(x);
  return ops::where(t <= 0, t * uniform({t, x.where}, low, high), t);
}

}  // namespace vitro
