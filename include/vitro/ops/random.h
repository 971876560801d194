// Random numbers from the process's generator (manual_seed, core/generator.h).
//   manual_seed(7);   Tensor x = rand({2, 3}), y = dropout(x, 0.5);   normal_(x, 0, 2);
// Each call takes one to four numbers from the generator: the streams of its words. Element i is
// computed from seed, streams and i alone, so the numbers are the same eagerly and compiled, on any
// number of threads, and on every instruction set. Seed and streams are the elements of a tensor,
// the key, that the call makes, so each call of a compiled function gets new numbers without a
// recompilation. PyTorch's numbers are those of Generator::mt19937 (core/generator.h).
// A function with `frozen` refuses these calls: it would repeat their numbers.
#pragma once

#include <optional>
#include <source_location>
#include <utility>

#include "vitro/ops/create.h"
#include "vitro/ops/define.h"
#include "vitro/ops/product.h"

namespace vitro {
namespace ops {

struct PhiloxAttrs {
  Size size;
  std::optional<Device> device;  // none: the CPU
  static constexpr void each(auto&& f) {
    f("size", &PhiloxAttrs::size);
    f("device", &PhiloxAttrs::device);
  }
};
struct Philox : CreateAnew {
  static constexpr std::string_view
      name = "philox",
      doc = "Random words (i64 below 2^32): word i % 4 of block i / 4 of the stream of a seed.";
  static constexpr std::string_view signatures =
      "(Tensor seed, Tensor stream, SymInt size, *, Device? device=None) -> Tensor";
  static constexpr int arity = 2;
  static constexpr bool uses_index = true;
  static constexpr Accepts accepts = Accepts::not_floating;
  using Attrs = PhiloxAttrs;
  static void shape(ShapeCall& call);
  static auto value(auto at, auto seed, auto stream) { return m::philox(at(-1), seed, stream); }
};

// Programs of words. Their key (i64) consists of the seed and the numbers of the streams.
struct PhiloxProgram : Composite {
  static constexpr bool is_one_kernel = true;
};
struct PhiloxNumbersAttrs {
  Size size;
  DType dtype = default_float;
  std::optional<Device> device;  // none: the CPU
  static constexpr void each(auto&& f) {
    f("size", &PhiloxNumbersAttrs::size);
    f("dtype", &PhiloxNumbersAttrs::dtype);
    f("device", &PhiloxNumbersAttrs::device);
  }
};
struct PhiloxNumbers : PhiloxProgram {
  static constexpr std::string_view signatures =
      "(Tensor key, SymInt size, *, ScalarType dtype, Device? device=None) -> Tensor";
  static constexpr int arity = 1;
  static constexpr std::string_view not_differentiable = CreateAnew::not_differentiable;
  using Attrs = PhiloxNumbersAttrs;
  static void shape(ShapeCall& call);
};
struct PhiloxUniform : PhiloxNumbers {
  static constexpr std::string_view name = "philox_uniform",
                                    doc = "Numbers in [0, 1) of a seed and streams.";
  static int streams(DType dtype) { return dtype == DType::f64 ? 2 : 1; }
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};
struct PhiloxNormal : PhiloxNumbers {
  static constexpr std::string_view name = "philox_normal",
                                    doc = "Normal numbers of a seed and streams.";
  static int streams(DType dtype) { return 2 * PhiloxUniform::streams(dtype); }
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

struct PhiloxDropoutAttrs {
  double p = 0.5;
  static constexpr void each(auto&& f) { f("p", &PhiloxDropoutAttrs::p); }
};
struct PhiloxDropout : PhiloxProgram {
  static constexpr std::string_view
      name = "philox_dropout",
      doc = "x with elements chosen by a seed and a stream set to 0, the others scaled.";
  static constexpr std::string_view signatures = "(Tensor input, Tensor key, float p) -> Tensor";
  static constexpr int arity = 2;
  using Attrs = PhiloxDropoutAttrs;
  static void shape(ShapeCall& call);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
  static void gradient(Formula& f);
};

// Numbers that need a varying number of words: kernels of their own, which read the first stream of
// the key only. They compute in f64.
struct PhiloxPoisson {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr std::string_view name = "philox_poisson",
                                    doc = "Poisson random numbers of a seed and a stream.";
  static constexpr std::string_view signatures = "(Tensor rate, Tensor key) -> Tensor";
  static constexpr int arity = 2;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};
struct PhiloxBinomial {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr std::string_view name = "philox_binomial",
                                    doc = "Binomial random numbers of a seed and a stream.";
  static constexpr std::string_view signatures =
      "(Tensor count, Tensor prob, Tensor key) -> Tensor";
  static constexpr int arity = 3;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

}  // namespace ops

// ---- new tensors ----

// Uniform in [0, 1): multiples of 2^-24 in f32, of 2^-53 in f64, 2^-11 in f16, 2^-8 in bf16.
Tensor rand(SizesArg size, DType dtype = default_float, std::optional<Device> device = {},
            std::source_location from = std::source_location::current());
Tensor rand_like(ops::At x, std::optional<DType> dtype = {});
// Normal with mean 0 and variance 1, by the Box-Muller transform; f16 and bf16 are rounded from
// f32.
Tensor randn(SizesArg size, DType dtype = default_float, std::optional<Device> device = {},
             std::source_location from = std::source_location::current());
Tensor randn_like(ops::At x, std::optional<DType> dtype = {});
// Integers in [low, high), or [0, high). Far from 0 a floating-point dtype has only some of them.
Tensor randint(Size low, Size high, SizesArg size, DType dtype = DType::i64,
               std::optional<Device> device = {},
               std::source_location from = std::source_location::current());
Tensor randint(Size high, SizesArg size, DType dtype = DType::i64,
               std::optional<Device> device = {},
               std::source_location from = std::source_location::current());
Tensor randint_like(ops::At x, Size low, Size high, std::optional<DType> dtype = {});
Tensor randint_like(ops::At x, Size high, std::optional<DType> dtype = {});
// 0 to n - 1 in random order.
Tensor randperm(Size n, DType dtype = DType::i64, std::optional<Device> device = {},
                std::source_location from = std::source_location::current());
// Normal numbers with the mean and the deviation, of which each may be a tensor.
Tensor normal(ops::At mean, double std = 1);
Tensor normal(ops::At mean, const Tensor& std);
Tensor normal(double mean, const Tensor& std,
              std::source_location from = std::source_location::current());
Tensor normal(double mean, double std, SizesArg size, DType dtype = default_float,
              std::optional<Device> device = {},
              std::source_location from = std::source_location::current());
// 1 with the probability in the same element of p, else 0, in p's dtype.
Tensor bernoulli(ops::At p);
// Indices of elements of each row of x (rank 1 or 2), chosen with probabilities proportional to the
// elements; without replacement no index occurs twice in a row. No element may be negative, which
// is not checked.
Tensor multinomial(ops::At x, int64_t num_samples, bool replacement = false);

// Poisson numbers with the rates in x, whose dtype they have. Error if one is negative, where the
// numbers are drawn.
Tensor poisson(ops::At x);
// The number of successes of `count` trials, each with the probability `prob`; sizes broadcast.
// Out of range they give what PyTorch gives, NaN for an infinite count (where PyTorch never ends).
Tensor binomial(ops::At count, const Tensor& prob);

// ---- numbers with the sizes, dtype and strides of x ----

Tensor bernoulli(ops::At x, double p);
Tensor bernoulli(ops::At x, const Tensor& p);
Tensor uniform(ops::At x, double from = 0, double to = 1);
Tensor normal_functional(ops::At x, double mean = 0, double std = 1);
Tensor log_normal(ops::At x, double mean = 1, double std = 2);  // of the logarithm
Tensor exponential(ops::At x, double lambd = 1);
Tensor cauchy(ops::At x, double median = 0, double sigma = 1);
// The number of trials until the first success, each with the probability p.
Tensor geometric(ops::At x, double p);
// Integers in [from, to); by default from 0 to the largest of the dtype, for floating-point dtypes
// to the largest below which they have all.
Tensor random(ops::At x);
Tensor random(ops::At x, int64_t to);
Tensor random(ops::At x, int64_t from, std::optional<int64_t> to);

// The same, written into x, which is returned.
Tensor bernoulli_(ops::At x, double p = 0.5);
Tensor bernoulli_(ops::At x, const Tensor& p);
Tensor uniform_(ops::At x, double from = 0, double to = 1);
Tensor normal_(ops::At x, double mean = 0, double std = 1);
Tensor log_normal_(ops::At x, double mean = 1, double std = 2);
Tensor exponential_(ops::At x, double lambd = 1);
Tensor cauchy_(ops::At x, double median = 0, double sigma = 1);
Tensor geometric_(ops::At x, double p);
Tensor random_(ops::At x);
Tensor random_(ops::At x, int64_t to);
Tensor random_(ops::At x, int64_t from, std::optional<int64_t> to);

// ---- dropout ----

// x with each element set to 0 with the probability p, the others divided by 1 - p; x itself if not
// `train` or if p is 0.
Tensor dropout(ops::At x, double p = 0.5, bool train = true);
// The same, and the mask (bool) of the elements that are kept.
std::pair<Tensor, Tensor> native_dropout(ops::At x, double p, std::optional<bool> train);
// The gradient of native_dropout.
Tensor native_dropout_backward(ops::At grad_output, const Tensor& mask, double scale);
// The same for whole channels: the slices of the first two dimensions.
Tensor feature_dropout(ops::At x, double p = 0.5, bool train = true);
// Sets elements, or channels, to the limit of selu instead of 0, and keeps mean and variance.
Tensor alpha_dropout(ops::At x, double p = 0.5, bool train = true);
Tensor feature_alpha_dropout(ops::At x, double p = 0.5, bool train = true);

}  // namespace vitro
