// Shape rules and programs of softmax, variance and layer norm.
#include "vitro/ops/norm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/numbers.h"
#include "ops/by_formula.h"
#include "ops/expand_rows.h"
#include "ops/norms.h"
#include "ops/wide.h"
#include "sym/data_size.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/channel_norm.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {
namespace {

const TensorMeta& floating_of(const ShapeCall& call) {
  const TensorMeta* x = call.operands[0].meta;
  VITRO_CHECK(x && is_floating(x->dtype), call.op,
              ": takes a tensor of floating-point numbers, got ",
              x ? name_of(x->dtype) : "a number", "; cast it first");
  return *x;
}

void softmax_shape(ShapeCall& call) {
  const TensorMeta& x = floating_of(call);
  (void)wrap_dim(call.op, call.attrs.as<SoftmaxAttrs>().dim, x.rank());
  call.results.push_back(dense(x.dtype, x.device, x.sizes));
}

void var_shape(ShapeCall& call) {
  const auto& a = call.attrs.as<VarAttrs>();
  const TensorMeta& x = floating_of(call);
  shape_of_reduction(call, {wrap_dims(call.op, a.dim, x.rank()), a.keepdim}, x.dtype);
}

// If sizes depend on data, only the size of the reduced dimension adds a guard: for empty others
// the program is correct.
bool is_empty(const Tensor& x, int64_t dim) {
  const Size row = x.rank() == 0 ? Size(1) : x.size(dim);
  return (is_by_data(row) && equal(row, 0)) || known_equal(x.numel(), 0);
}

// For a tensor without elements, which has no maximum to subtract, returns a copy.
bool no_elements(const Tensor& x, AttrsView attrs, std::span<Tensor> results) {
  if (!is_empty(x, attrs.as<SoftmaxAttrs>().dim)) return false;
  results[0] = clone(x, MemoryFormat::contiguous);
  return true;
}

// Variance and mean of `x` over `dims`, which are kept as size 1.
std::pair<Tensor, Tensor> moments(const Tensor& x, const Dims& dims, double correction) {
  const Tensor mean_of_x = mean(x, dims, true), distance = x - mean_of_x;
  const Tensor squares = sum(distance * distance, dims, true);
  Size count = 1;
  for (const int64_t d : dims) count = count * x.size(d);
  const bool counts = std::abs(correction) < 0x1p53 && correction == std::floor(correction);
  if (!counts) {
    const double divisor = static_cast<double>(static_cast<int64_t>(count)) - correction;
    return {squares / std::max(divisor, 0.0), mean_of_x};
  }
  const Size divisor = count - static_cast<int64_t>(correction);
  return {squares / max(divisor, Size(0)), mean_of_x};
}

// The root of a variance. Where all elements are equal it has an edge, and the gradient 0.
struct Deviation : FormulaOfOne<Deviation> {
  static constexpr std::string_view name = "std";
  static Tensor program(const Tensor& variance) { return sqrt(variance); }
  static void gradient(Formula& f) {
    const Tensor &deviation = f.result(), none = deviation == 0;
    f.set(0, vitro::where(none, 0, f.gradient() / (vitro::where(none, 1, deviation) * 2)));
  }
};

}  // namespace

std::pair<Tensor, Tensor> std_mean_of(const Tensor& x, const Dims& dim, double correction,
                                      bool keepdim) {
  const Dims dims = wrap_dims("std", dim, x.rank());
  const auto [variance, mean_of_x] = moments(x, dims, correction);
  const auto shaped = [&](const Tensor& t) { return keepdim ? t : squeeze(t, dims); };
  return {shaped(by_formula<Deviation>({}, {variance})), shaped(mean_of_x)};
}

size_t first_normalized(std::string_view op, const Sizes& sizes, const Sizes& shape) {
  bool fits = !shape.empty() && shape.size() <= sizes.size();
  const size_t first = fits ? sizes.size() - shape.size() : 0;
  for (size_t d = 0; fits && d < shape.size(); ++d) fits = equal(sizes[first + d], shape[d]);
  VITRO_CHECK(fits, op, ": normalized_shape ", numbers_of(shape),
              " is not the end of the sizes of x, ", numbers_of(sizes));
  return first;
}

void Softmax::shape(ShapeCall& call) {
  softmax_shape(call);
}
void LogSoftmax::shape(ShapeCall& call) {
  softmax_shape(call);
}

void Softmax::expand(std::span<const Operand> operands, AttrsView attrs,
                     std::span<Tensor> results) {
  if (no_elements(operands[0].tensor(), attrs, results)) return;
  expand_rows<SoftmaxRows>(operands, attrs, results);
}
void LogSoftmax::expand(std::span<const Operand> operands, AttrsView attrs,
                        std::span<Tensor> results) {
  if (no_elements(operands[0].tensor(), attrs, results)) return;
  expand_rows<LogSoftmaxRows>(operands, attrs, results);
}

void Logsumexp::shape(ShapeCall& call) {
  const auto& a = call.attrs.as<Attrs>();
  const TensorMeta& x = *call.operands[0].meta;
  shape_of_reduction(call, {wrap_dims(call.op, a.dim, x.rank()), a.keepdim},
                     is_floating(x.dtype) ? x.dtype : default_float);
}

// The largest element is subtracted first, so that e^x does not overflow; an infinite one is not,
// because infinity - infinity is NaN.
void Logsumexp::expand(std::span<const Operand> operands, AttrsView attrs,
                       std::span<Tensor> results) {
  const auto& a = attrs.as<Attrs>();
  const Tensor& operand = operands[0].tensor();
  const DType dtype = is_floating(operand.dtype()) ? operand.dtype() : default_float;
  const Tensor x = to(operand, compute_type(dtype));
  const Dims dims = wrap_dims(name, a.dim, x.rank());
  const bool empty = std::ranges::any_of(dims, [&](int64_t d) { return is_empty(x, d); });
  Tensor out;
  if (empty) {
    out = log(sum(exp(x), dims, true));
  } else {
    const Tensor largest = amax(x, dims, true);
    const Tensor shift = vitro::where(isinf(largest), 0.0, largest);
    out = log(sum(exp(x - shift), dims, true)) + shift;
  }
  results[0] = to(a.keepdim ? out : squeeze(out, dims), dtype);
}

void VarMean::shape(ShapeCall& call) {
  var_shape(call);
  call.results.push_back(call.results.back());
}
void Var::shape(ShapeCall& call) {
  var_shape(call);
}

void VarMean::expand(std::span<const Operand> operands, AttrsView attrs,
                     std::span<Tensor> results) {
  const auto& a = attrs.as<Attrs>();
  const Tensor x = widened(operands[0].tensor());
  const Dims dims = wrap_dims(name, a.dim, x.rank());
  auto [variance, mean_of_x] = moments(x, dims, a.correction);
  const DType dtype = operands[0].tensor().dtype();
  results[0] = to(a.keepdim ? variance : squeeze(variance, dims), dtype);
  results[1] = to(a.keepdim ? mean_of_x : squeeze(mean_of_x, dims), dtype);
}

void Var::expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results) {
  Tensor both[2];
  VarMean::expand(operands, attrs, both);
  results[0] = both[0];
}

void NativeLayerNorm::shape(ShapeCall& call) {
  const TensorMeta& x = floating_of(call);
  const Sizes& shape = call.attrs.as<Attrs>().normalized_shape;
  const size_t first = first_normalized(call.op, x.sizes, shape);
  const TensorMeta* parameter = nullptr;
  for (size_t i = 1; i < call.operands.size(); ++i) {
    const TensorMeta* p = call.operands[i].meta;
    if (!p) continue;
    const std::string_view what = i == 1 ? "weight" : "bias";
    const DType wide = compute_type(x.dtype);
    VITRO_CHECK(p->dtype == x.dtype || p->dtype == wide, call.op, ": for x of ", x.dtype, ' ', what,
                " must be ", wide, ", got ", p->dtype, "; cast it");
    VITRO_CHECK(!parameter || parameter->dtype == p->dtype, call.op, ": dtypes differ: weight is ",
                parameter->dtype, ", bias is ", p->dtype, "; cast one of them");
    VITRO_CHECK(equal_sizes(p->sizes, shape), call.op, ": ", what, " has sizes ",
                numbers_of(p->sizes), ", needs ", numbers_of(shape));
    parameter = p;
  }
  Sizes statistics = x.sizes;
  for (size_t d = first; d < statistics.size(); ++d) statistics[d] = 1;
  call.results.push_back(dense(x.dtype, x.device, x.sizes));
  call.results.push_back(dense(parameter ? parameter->dtype : x.dtype, x.device, statistics));
  call.results.push_back(call.results.back());
}

void NativeLayerNorm::expand(std::span<const Operand> operands, AttrsView attrs,
                             std::span<Tensor> results) {
  expand_rows<LayerNormRows>(operands, attrs, results);
}

}  // namespace ops

Tensor softmax(ops::At x, int64_t dim, std::optional<DType> dtype) {
  const CalledAs name("softmax", x.where);
  const Tensor cast = to(x, dtype.value_or(x.operand.tensor().dtype()));
  return ops::call<ops::Softmax>(x.where, {cast}, {dim});
}
Tensor log_softmax(ops::At x, int64_t dim, std::optional<DType> dtype) {
  const CalledAs name("log_softmax", x.where);
  const Tensor cast = to(x, dtype.value_or(x.operand.tensor().dtype()));
  return ops::call<ops::LogSoftmax>(x.where, {cast}, {dim});
}
Tensor logsumexp(ops::At x, DimsArg dim, bool keepdim) {
  return ops::call<ops::Logsumexp>(x.where, {x.operand}, {std::move(dim), keepdim});
}
Tensor var(ops::At x, DimsArg dim, double correction, bool keepdim) {
  return ops::call<ops::Var>(x.where, {x.operand}, {std::move(dim), correction, keepdim});
}
std::tuple<Tensor, Tensor> var_mean(ops::At x, DimsArg dim, double correction, bool keepdim) {
  const auto both =
      ops::call_many<ops::VarMean, 2>(x.where, {x.operand}, {std::move(dim), correction, keepdim});
  return {both[0], both[1]};
}
std::tuple<Tensor, Tensor, Tensor> native_layer_norm(ops::At x, SizesArg normalized_shape,
                                                     const Tensor& weight, const Tensor& bias,
                                                     double eps) {
  const auto all = ops::call_many<ops::NativeLayerNorm, 3>(x.where, {x.operand, weight, bias},
                                                           {std::move(normalized_shape), eps});
  return {all[0], all[1], all[2]};
}
Tensor layer_norm(ops::At x, SizesArg normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps) {
  const CalledAs name("layer_norm", x.where);
  return std::get<0>(native_layer_norm(x, std::move(normalized_shape), weight, bias, eps));
}
Tensor rms_norm(ops::At x, SizesArg normalized_shape, const Tensor& weight,
                std::optional<double> eps) {
  const CalledAs name("rms_norm", x.where);
  const Tensor& t = x.operand.tensor();
  const Sizes shape = normalized_shape;
  VITRO_CHECK(is_floating(t.dtype()) || t.is_complex(),
              "rms_norm: takes a tensor of floating-point numbers, got ", t.dtype(),
              "; cast it first");
  const size_t first = ops::first_normalized("rms_norm", t.sizes(), shape);
  VITRO_CHECK(!weight.defined() || ops::equal_sizes(weight.sizes(), shape),
              "rms_norm: weight has sizes ", numbers_of(weight.sizes()), ", needs ",
              numbers_of(shape));
  const double least = real_of(compute_type(t.dtype())) == DType::f64
                           ? std::numeric_limits<double>::epsilon()
                           : std::numeric_limits<float>::epsilon();
  const Tensor wide = ops::widened(contiguous(x));
  Dims dims;
  for (auto d = static_cast<int64_t>(first); d < t.rank(); ++d) dims.push_back(d);
  Tensor y = wide * rsqrt(mean(wide * wide, dims, true) + eps.value_or(least));
  if (weight.defined()) y = y * ops::widened(weight);
  return to(y, t.dtype());
}

}  // namespace vitro
