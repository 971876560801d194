// Statistics and normalization, as composites. f16 and bf16 are computed in f32.
//   Tensor p = softmax(x, -1);   Tensor y = layer_norm(x, {768}, weight, bias);
#pragma once

#include <optional>
#include <tuple>

#include "vitro/ops/define.h"
#include "vitro/ops/product.h"

namespace vitro {
namespace ops {

struct SoftmaxAttrs {
  int64_t dim = -1;
  static constexpr void each(auto&& f) { f("dim", &SoftmaxAttrs::dim); }
};
struct Softmax : Composite {
  static constexpr std::string_view name = "_softmax", doc = "e^x along dim, scaled to a sum of 1.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, bool half_to_float) -> Tensor";
  static constexpr int arity = 1;
  using Attrs = SoftmaxAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};
struct LogSoftmax : Composite {
  static constexpr std::string_view name = "_log_softmax", doc = "The logarithm of softmax.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, bool half_to_float) -> Tensor";
  static constexpr int arity = 1;
  using Attrs = SoftmaxAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

struct LogsumexpAttrs {
  Dims dim;  // empty: all
  bool keepdim = false;
  static constexpr void each(auto&& f) {
    f("dim", &LogsumexpAttrs::dim);
    f("keepdim", &LogsumexpAttrs::keepdim);
  }
};
struct Logsumexp : Composite {
  static constexpr std::string_view
      name = "logsumexp",
      doc = "The logarithm of the sum of e^x over `dim`, without overflow.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[1] dim, bool keepdim=False) -> Tensor";
  static constexpr int arity = 1;
  using Attrs = LogsumexpAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

struct VarAttrs {
  Dims dim;  // empty: all
  double correction = 1;
  bool keepdim = false;
  static constexpr void each(auto&& f) {
    f("dim", &VarAttrs::dim);
    f("correction", &VarAttrs::correction);
    f("keepdim", &VarAttrs::keepdim);
  }
};
struct VarMean : Composite {
  static constexpr std::string_view
      name = "var_mean",
      doc = "Mean squared distance from the mean (over count - correction), and the mean.";
  static constexpr std::string_view signatures =
      ".correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) "
      "-> (Tensor, Tensor)";
  static constexpr int arity = 1;
  using Attrs = VarAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};
struct Var : Composite {
  static constexpr std::string_view
      name = "var",
      doc = "Mean squared distance from the mean (over count - correction).";
  static constexpr std::string_view signatures =
      ".correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) "
      "-> Tensor";
  static constexpr int arity = 1;
  using Attrs = VarAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

struct LayerNormAttrs {
  Sizes normalized_shape;
  double eps = 1e-5;
  static constexpr void each(auto&& f) {
    f("normalized_shape", &LayerNormAttrs::normalized_shape);
    f("eps", &LayerNormAttrs::eps);
  }
};
struct NativeLayerNorm : Composite {
  static constexpr std::string_view name = "native_layer_norm",
                                    doc =
                                        "(x - mean) / deviation over the last dimensions, times "
                                        "weight, plus bias; also the mean and 1 / deviation.";
  static constexpr std::string_view signatures =
      "(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> "
      "(Tensor, Tensor, Tensor)";
  static constexpr int min_arity = 1, max_arity = 3;
  using Attrs = LayerNormAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

}  // namespace ops

Tensor softmax(ops::At x, int64_t dim, std::optional<DType> dtype = {});
Tensor log_softmax(ops::At x, int64_t dim, std::optional<DType> dtype = {});
Tensor logsumexp(ops::At x, DimsArg dim, bool keepdim = false);
Tensor var(ops::At x, DimsArg dim = {}, double correction = 1, bool keepdim = false);
std::tuple<Tensor, Tensor> var_mean(ops::At x, DimsArg dim = {}, double correction = 1,
                                    bool keepdim = false);
// `weight` and `bias` are optional.
Tensor layer_norm(ops::At x, SizesArg normalized_shape, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-5);
std::tuple<Tensor, Tensor, Tensor> native_layer_norm(ops::At x, SizesArg normalized_shape,
                                                     const Tensor& weight, const Tensor& bias,
                                                     double eps);

}  // namespace vitro
