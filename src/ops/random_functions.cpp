// The table of random functions and dropout, one row each: ATen's schemas and the C++ function.
#include "bind.h"
#include "functions.h"
#include "vitro/ops/activation_functions.h"
#include "vitro/ops/random.h"

namespace vitro::ops {
namespace {

#define VITRO_GENERATOR "*, Generator? generator=None"
using Generator = std::optional<std::string>;  // always none: there is one generator

Tensor rand_of(const SizesArg& size, std::optional<DType> dtype, const Layout& layout,
               std::optional<Device> device, std::source_location from) {
  check_layout("rand", layout);
  return rand(size, dtype.value_or(default_float), device, from);
}
Tensor randn_of(const SizesArg& size, std::optional<DType> dtype, const Layout& layout,
                std::optional<Device> device, std::source_location from) {
  check_layout("randn", layout);
  return randn(size, dtype.value_or(default_float), device, from);
}
Tensor randint_between(Size low, Size high, const SizesArg& size, std::optional<DType> dtype,
                       const Layout& layout, std::optional<Device> device,
                       std::source_location from) {
  check_layout("randint", layout);
  return randint(low, high, size, dtype.value_or(DType::i64), device, from);
}
Tensor randint_below(Size high, const SizesArg& size, std::optional<DType> dtype,
                     const Layout& layout, std::optional<Device> device,
                     std::source_location from) {
  return randint_between(0, high, size, dtype, layout, device, from);
}
Tensor randperm_of(Size n, std::optional<DType> dtype, const Layout& layout,
                   std::optional<Device> device, std::source_location from) {
  check_layout("randperm", layout);
  return randperm(n, dtype.value_or(DType::i64), device, from);
}
Tensor normal_of_sizes(double mean, double std, const SizesArg& size, const Generator&,
                       std::optional<DType> dtype, const Layout& layout,
                       std::optional<Device> device, std::source_location from) {
  check_layout("normal", layout);
  return normal(mean, std, size, dtype.value_or(default_float), device, from);
}

using OfNumber = Tensor (*)(At, double);
using OfTensor = Tensor (*)(At, const Tensor&);
using Below = Tensor (*)(At, int64_t);
using Between = Tensor (*)(At, int64_t, std::optional<int64_t>);
using LikeBelow = Tensor (*)(At, Size, std::optional<DType>);
using LikeBetween = Tensor (*)(At, Size, Size, std::optional<DType>);
using OfMean = Tensor (*)(double, const Tensor&, std::source_location);

constexpr NamedFunction rows[] = {
    {"rand", "Uniform random numbers in [0, 1).", "(SymInt[] size, " VITRO_OPTIONS ") -> Tensor",
     bound<&rand_of>},
    {"rand_like", "Uniform random numbers in [0, 1), in x's shape.",
     "(Tensor self, " VITRO_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor",
     bound<&rand_like>},
    {"randn", "Normal random numbers.", "(SymInt[] size, " VITRO_OPTIONS ") -> Tensor",
     bound<&randn_of>},
    {"randn_like", "Normal random numbers in x's shape.",
     "(Tensor self, " VITRO_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor",
     bound<&randn_like>},
    {"randint", "Random integers in [0, high).",
     "(SymInt high, SymInt[] size, " VITRO_OPTIONS_I64 ") -> Tensor", bound<&randint_below>},
    {"randint", "Random integers in [low, high).",
     ".low(SymInt low, SymInt high, SymInt[] size, " VITRO_OPTIONS_I64 ") -> Tensor",
     bound<&randint_between>},
    {"randint_like", "Random integers in [0, high), in x's shape.",
     "(Tensor self, SymInt high, " VITRO_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor",
     bound<static_cast<LikeBelow>(&randint_like)>},
    {"randint_like", "Random integers in [low, high), in x's shape.",
     ".low_dtype(Tensor self, SymInt low, SymInt high, " VITRO_OPTIONS
     ", MemoryFormat? memory_format=None) -> Tensor",
     bound<static_cast<LikeBetween>(&randint_like)>},
    {"randperm", "0 to n - 1 in random order.", "(SymInt n, " VITRO_OPTIONS_I64 ") -> Tensor",
     bound<&randperm_of>},
    {"normal", "Normal random numbers with the mean and the deviation.",
     ".Tensor_float(Tensor mean, float std=1., " VITRO_GENERATOR ") -> Tensor",
     bound<static_cast<OfNumber>(&normal)>},
    {"normal", "Normal random numbers with the mean and the deviation.",
     ".float_Tensor(float mean, Tensor std, " VITRO_GENERATOR ") -> Tensor",
     bound<static_cast<OfMean>(&normal)>},
    {"normal", "Normal random numbers with the mean and the deviation.",
     ".Tensor_Tensor(Tensor mean, Tensor std, " VITRO_GENERATOR ") -> Tensor",
     bound<static_cast<OfTensor>(&normal)>},
    {"normal", "Normal random numbers with the mean and the deviation.",
     ".float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? "
     "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
     bound<&normal_of_sizes>},
    {"normal_functional", "Normal random numbers in x's shape.",
     "(Tensor self, float mean=0., float std=1., " VITRO_GENERATOR ") -> Tensor",
     bound<&normal_functional>},
    {"normal_", "x with normal random numbers.",
     "(Tensor(a!) self, float mean=0., float std=1., " VITRO_GENERATOR ") -> Tensor(a!)",
     bound<&normal_>},
    {"bernoulli", "1 with the probability in the element of x, else 0.",
     "(Tensor self, " VITRO_GENERATOR ") -> Tensor",
     bound<static_cast<Tensor (*)(At)>(&bernoulli)>},
    {"bernoulli", "1 with the probability p, else 0, in x's shape.",
     ".p(Tensor self, float p, " VITRO_GENERATOR ") -> Tensor",
     bound<static_cast<OfNumber>(&bernoulli)>},
    {"bernoulli", "1 with the probability in the element of p, else 0, in x's shape.",
     ".Tensor(Tensor self, Tensor p, " VITRO_GENERATOR ") -> Tensor",
     bound<static_cast<OfTensor>(&bernoulli)>},
    {"bernoulli_", "x with 1 with the probability p, else 0.",
     ".float(Tensor(a!) self, float p=0.5, " VITRO_GENERATOR ") -> Tensor(a!)",
     bound<static_cast<OfNumber>(&bernoulli_)>},
    {"bernoulli_", "x with 1 with the probability in the element of p, else 0.",
     ".Tensor(Tensor(a!) self, Tensor p, " VITRO_GENERATOR ") -> Tensor(a!)",
     bound<static_cast<OfTensor>(&bernoulli_)>},
    {"multinomial",
     "Indices of each row, with probabilities proportional to its elements; without replacement "
     "none occurs twice.",
     "(Tensor self, SymInt num_samples, bool replacement=False, " VITRO_GENERATOR ") -> Tensor",
     bound<&multinomial>},
    {"poisson", "Poisson random numbers with the rates in x.",
     "(Tensor self, Generator? generator=None) -> Tensor", bound<&poisson>},
    {"binomial", "The numbers of successes of `count` trials with the probability `prob`.",
     "(Tensor count, Tensor prob, Generator? generator=None) -> Tensor", bound<&binomial>},
    {"uniform", "Uniform random numbers in [from, to), in x's shape.",
     "(Tensor self, float from=0., float to=1., " VITRO_GENERATOR ") -> Tensor", bound<&uniform>},
    {"uniform_", "x with uniform random numbers in [from, to).",
     "(Tensor(a!) self, float from=0., float to=1., " VITRO_GENERATOR ") -> Tensor(a!)",
     bound<&uniform_>},
    {"log_normal", "Random numbers whose logarithms are normal, in x's shape.",
     "(Tensor self, float mean=1., float std=2., " VITRO_GENERATOR ") -> Tensor",
     bound<&log_normal>},
    {"log_normal_", "x with random numbers whose logarithms are normal.",
     "(Tensor(a!) self, float mean=1., float std=2., " VITRO_GENERATOR ") -> Tensor(a!)",
     bound<&log_normal_>},
    {"exponential", "Exponential random numbers in x's shape.",
     "(Tensor self, float lambd=1., " VITRO_GENERATOR ") -> Tensor", bound<&exponential>},
    {"exponential_", "x with exponential random numbers.",
     "(Tensor(a!) self, float lambd=1., " VITRO_GENERATOR ") -> Tensor(a!)", bound<&exponential_>},
    {"cauchy", "Random numbers of a Cauchy distribution in x's shape.",
     "(Tensor self, float median=0., float sigma=1., " VITRO_GENERATOR ") -> Tensor",
     bound<&cauchy>},
    {"cauchy_", "x with random numbers of a Cauchy distribution.",
     "(Tensor(a!) self, float median=0., float sigma=1., " VITRO_GENERATOR ") -> Tensor(a!)",
     bound<&cauchy_>},
    {"geometric", "Random numbers of trials until a success with probability p, in x's shape.",
     "(Tensor self, float p, " VITRO_GENERATOR ") -> Tensor", bound<&geometric>},
    {"geometric_", "x with random numbers of trials until a success with probability p.",
     "(Tensor(a!) self, float p, " VITRO_GENERATOR ") -> Tensor(a!)", bound<&geometric_>},
    {"random", "Random integers in [from, to), in x's shape.",
     ".from(Tensor self, int from, int? to, " VITRO_GENERATOR ") -> Tensor",
     bound<static_cast<Between>(&random)>},
    {"random", "Random integers in [0, to), in x's shape.",
     ".to(Tensor self, int to, " VITRO_GENERATOR ") -> Tensor", bound<static_cast<Below>(&random)>},
    {"random", "Random integers up to the largest of x's dtype, in x's shape.",
     "(Tensor self, " VITRO_GENERATOR ") -> Tensor", bound<static_cast<Tensor (*)(At)>(&random)>},
    {"random_", "x with random integers in [from, to).",
     ".from(Tensor(a!) self, int from, int? to, " VITRO_GENERATOR ") -> Tensor(a!)",
     bound<static_cast<Between>(&random_)>},
    {"random_", "x with random integers in [0, to).",
     ".to(Tensor(a!) self, int to, " VITRO_GENERATOR ") -> Tensor(a!)",
     bound<static_cast<Below>(&random_)>},
    {"random_", "x with random integers up to the largest of its dtype.",
     "(Tensor(a!) self, " VITRO_GENERATOR ") -> Tensor(a!)",
     bound<static_cast<Tensor (*)(At)>(&random_)>},
    {"gumbel_softmax",
     "softmax of (x + random numbers of the Gumbel distribution) / tau; if `hard`, 1 for the "
     "largest and 0 for the others, with the same gradient.",
     "(Tensor logits, float tau=1., bool hard=False, int dim=-1) -> Tensor",
     bound<&gumbel_softmax>},
    {"dropout", "x with elements set to 0 with the probability p, the others divided by 1 - p.",
     "(Tensor input, float p, bool train) -> Tensor", bound<&dropout>},
    {"dropout_", "x with elements set to 0 with the probability p, the others divided by 1 - p.",
     "(Tensor(a!) self, float p, bool train) -> Tensor(a!)", written<&dropout>},
    {"native_dropout", "dropout, and the mask of the elements that are kept.",
     "(Tensor input, float p, bool? train) -> (Tensor, Tensor)", bound<&native_dropout>},
    {"native_dropout_backward", "The gradient of native_dropout.",
     "(Tensor grad_output, Tensor mask, float scale) -> Tensor", bound<&native_dropout_backward>},
    {"feature_dropout", "dropout of whole channels.",
     "(Tensor input, float p, bool train) -> Tensor", bound<&feature_dropout>},
    {"feature_dropout_", "dropout of whole channels.",
     "(Tensor(a!) self, float p, bool train) -> Tensor(a!)", written<&feature_dropout>},
    {"alpha_dropout", "x with elements set to the limit of selu, scaled to keep mean and variance.",
     "(Tensor input, float p, bool train) -> Tensor", bound<&alpha_dropout>},
    {"alpha_dropout_",
     "x with elements set to the limit of selu, scaled to keep mean and variance.",
     "(Tensor(a!) self, float p, bool train) -> Tensor(a!)", written<&alpha_dropout>},
    {"feature_alpha_dropout", "alpha_dropout of whole channels.",
     "(Tensor input, float p, bool train) -> Tensor", bound<&feature_alpha_dropout>},
    {"feature_alpha_dropout_", "alpha_dropout of whole channels.",
     "(Tensor(a!) self, float p, bool train) -> Tensor(a!)", written<&feature_alpha_dropout>},
};
#undef VITRO_GENERATOR

}  // namespace

std::span<const NamedFunction> random_functions() {
  return rows;
}

}  // namespace vitro::ops
