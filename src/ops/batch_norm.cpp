// Programs of batch norm.
#include <tuple>

#include "core/numbers.h"
#include "ops/by_formula.h"
#include "ops/gradient.h"
#include "ops/memory_format.h"
#include "ops/norms.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "sym/data_size.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/region.h"
#include "vitro/ops/channel_norm.h"
#include "vitro/ops/create.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {

Tensor updated(const Tensor& running, const Tensor& of_batch, double momentum) {
  return to(widened(running) * (1 - momentum) + of_batch * momentum, running.dtype());
}

namespace {

// The dimensions of x other than that of its channels.
Dims beside_channels(const Tensor& x) {
  Dims dims;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (d != 1) dims.push_back(d);
  }
  return dims;
}

// x, in its compute type, normalized by its own statistics; its mean and variance with sizes that
// broadcast over it.
struct OfBatch : ByFormula {
  static constexpr std::string_view name = "batch_norm",
                                    signatures =
                                        "(Tensor input, Tensor? weight, Tensor? bias, Scalar eps) "
                                        "-> (Tensor, Tensor, Tensor)";
  static constexpr int arity = 4;
  static void shape(ShapeCall& call) {
    const TensorMeta& x = *call.operands[0].meta;
    Sizes statistics = x.sizes;
    for (size_t d = 0; d < statistics.size(); ++d) {
      if (d != 1) statistics[d] = 1;
    }
    call.results.push_back(dense_in(has_channels_last(x), x.dtype, x.device, x.sizes));
    call.results.push_back(dense(x.dtype, x.device, statistics));
    call.results.push_back(call.results.back());
  }
  // The mean is subtracted first, which is more precise if it is far from 0.
  static void expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
    const Tensor& x = operands[0].tensor();
    std::tie(results[2], results[1]) = var_mean(x, beside_channels(x), 0, true);
    Value scale = rsqrt(Value(results[2]) + operands[3].number());
    if (operands[1].is_tensor()) scale = scale * over_channels(widened(operands[1].tensor()), x);
    Value y = (Value(x) - results[1]) * scale;
    if (operands[2].is_tensor()) y = y + over_channels(widened(operands[2].tensor()), x);
    results[0] = y;
  }
  // With d = x - mean: two sums for each channel, of g and of g * d, are what the parameters and x
  // need, so that each element is read twice.
  static void gradient(Formula& f) {
    const Tensor& x = f.tensor(0);
    const Dims dims = beside_channels(x);
    const Value g = f.gradient().defined() ? f.gradient() : zeros_like(x),
                deviation = rsqrt(Value(f.result(2)) + f.operand(3).number()),
                distance = Value(x) - f.result(1), total = sum(g, dims, true),
                along = sum(g * distance, dims, true);
    Value scale = deviation;
    if (f.has(1)) scale = scale * over_channels(widened(f.tensor(1)), x);
    f.set(1, reshape(along * deviation, {x.size(1)}));
    f.set(2, reshape(total, {x.size(1)}));
    if (!f.wants(0)) return;
    Value of_distance = -(scale * deviation * deviation * along), of_each = -(scale * total);
    if (f.gradient(1).defined()) of_each = of_each + f.gradient(1);
    if (f.gradient(2).defined()) of_distance = of_distance + Value(f.gradient(2)) * 2.0;
    const Scalar count = count_of(x, dims);
    f.set(0, g * scale + (distance * (of_distance / count) + of_each / count));
  }
};

// A batch to normalize, and the parameters.
struct Batch {
  std::string_view op;
  const Tensor &x, &weight, &bias, &running_mean, &running_var;
  double eps;

  // Returns the dtype of the parameters.
  DType checked(bool training) const {
    check_has_channels(op, x);
    check_running(op, running_mean, running_var);
    VITRO_CHECK(training || running_mean.defined(), op,
                ": needs running_mean and running_var if training=False");
    return check_parameters(op, x, x.size(1),
                            {{"weight", weight},
                             {"bias", bias},
                             {"running_mean", running_mean},
                             {"running_var", running_var}});
  }

  // The statistics are known, so the factor and the summand of each channel are computed first.
  Tensor with_running_statistics() const {
    Tensor scale = rsqrt(widened(running_var) + eps);
    if (weight.defined()) scale = scale * widened(weight);
    Tensor shift = -(widened(running_mean) * scale);
    if (bias.defined()) shift = widened(bias) + shift;
    return to(widened(formatted()) * over_channels(scale, x) + over_channels(shift, x), x.dtype());
  }

  // The result, and statistics of the batch in the compute type, [c].
  struct Trained {
    Tensor y, mean, scale, variance;  // the variance is over count - 1
  };
  Trained with_own_statistics() const {
    const Size count = count_of(x, beside_channels(x));
    const auto [y, mean, variance] =
        many_by_formula<OfBatch, 3>({widened(formatted()), weight, bias, eps});
    const auto by_channel = [&](const Tensor& t) { return reshape(t, {x.size(1)}); };
    return {to(y, x.dtype()), by_channel(mean), by_channel(rsqrt(variance + eps)),
            by_channel(variance) * count / (count - 1)};
  }

 private:
  Tensor formatted() const { return has_channels_last(x) ? x : contiguous(x); }
};

struct Results {
  Tensor y, mean, scale, running_mean, running_var;
};

Results normalized(const Batch& batch, bool training, double momentum) {
  const DType dtype = batch.checked(training);
  if (!training) {
    const Tensor none = zeros({0}, dtype, batch.x.device());
    return {batch.with_running_statistics(), none, none, batch.running_mean, batch.running_var};
  }
  const auto [y, mean, scale, variance] = batch.with_own_statistics();
  Results out{y, to(mean, dtype), to(scale, dtype), {}, {}};
  if (!batch.running_mean.defined()) return out;
  out.running_mean = updated(batch.running_mean, mean, momentum);
  out.running_var = updated(batch.running_var, variance, momentum);
  return out;
}

// Writes running statistics that training has updated.
Results written(const Batch& batch, bool training, double momentum) {
  Results out = normalized(batch, training, momentum);
  if (!training || !batch.running_mean.defined()) return out;
  const NoGrad of_statistics;
  copy_(batch.running_mean, out.running_mean);
  copy_(batch.running_var, out.running_var);
  return out;
}

void check_has_elements(const Batch& batch) {
  VITRO_CHECK(less(0, batch.x.numel()), batch.op, ": needs x with elements, got sizes ",
              numbers_of(batch.x.sizes()));
}

// Nothing is normalized then, and no statistics change: if sizes depend on data, they are computed.
bool is_empty(const Tensor& x) {
  const Size count = x.numel();
  return is_by_data(count) ? equal(count, 0) : known_equal(count, 0);
}

}  // namespace
}  // namespace ops

Tensor batch_norm(ops::At x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                  const Tensor& running_var, bool training, double momentum, double eps) {
  const CalledAs name("batch_norm", x.where);
  const Tensor& t = x.operand.tensor();
  const ops::Batch batch{"batch_norm", t, weight, bias, running_mean, running_var, eps};
  if (ops::is_empty(t)) {
    if (t.rank() > 1) (void)batch.checked(training);
    Tensor out = clone(x);
    for (const Tensor* one : {&weight, &bias})  // they have gradients, which are 0
      if (one->defined()) out = out + sum(*one);
    return out;
  }
  return region("batch_norm", {&t, &weight, &bias, &running_mean, &running_var},
                [&] { return written(batch, training, momentum).y; });
}

std::tuple<Tensor, Tensor, Tensor> native_batch_norm(ops::At x, const Tensor& weight,
                                                     const Tensor& bias, const Tensor& running_mean,
                                                     const Tensor& running_var, bool training,
                                                     double momentum, double eps) {
  const CalledAs name("native_batch_norm", x.where);
  const ops::Batch batch{"native_batch_norm", x.operand.tensor(), weight, bias,
                         running_mean,        running_var,        eps};
  check_has_elements(batch);
  return region("native_batch_norm", {&batch.x, &weight, &bias, &running_mean, &running_var}, [&] {
    const ops::Results all = written(batch, training, momentum);
    return std::tuple(all.y, all.mean, all.scale);
  });
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> native_batch_norm_legit_functional(
    ops::At x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
    const Tensor& running_var, bool training, double momentum, double eps) {
  constexpr std::string_view op = "_native_batch_norm_legit_functional";
  const CalledAs name(op, x.where);
  VITRO_CHECK(running_mean.defined(), op, ": needs running_mean and running_var");
  const ops::Batch batch{op, x.operand.tensor(), weight, bias, running_mean, running_var, eps};
  check_has_elements(batch);
  const ops::Results all = normalized(batch, training, momentum);
  const auto own = [&](const Tensor& t) { return training ? t : clone(t); };
  return {all.y, all.mean, all.scale, own(all.running_mean), own(all.running_var)};
}

std::tuple<Tensor, Tensor, Tensor> native_batch_norm_legit_no_training(
    ops::At x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
    const Tensor& running_var, double momentum, double eps) {
  const CalledAs name("_native_batch_norm_legit_no_training", x.where);
  return native_batch_norm(x, weight, bias, running_mean, running_var, false, momentum, eps);
}

}  // namespace vitro
