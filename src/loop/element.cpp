// Evaluates functions and conversions on single elements in plain C++: apply() looks up the
// function in namespace `scalar`, for constant folding and for the interpreter.
#include "loop/element.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "vitro/base/error.h"
#include "vitro/core/generator.h"

namespace vitro::loop {
namespace {

// The scalar functions, with the names of core/functions.h. Real numbers are float or double,
// integers int64_t; the caller wraps results to the dtype.
namespace scalar {

template <class T>
concept Real = std::is_floating_point_v<T>;

#define VITRO_OF_LIBRARY(name) \
  template <Real T>            \
  T name(T x) {                \
    return std::name(x);       \
  }
VITRO_OF_LIBRARY(exp)
VITRO_OF_LIBRARY(exp2)
VITRO_OF_LIBRARY(expm1)
VITRO_OF_LIBRARY(log)
VITRO_OF_LIBRARY(log2)
VITRO_OF_LIBRARY(log10)
VITRO_OF_LIBRARY(log1p)
VITRO_OF_LIBRARY(sqrt)
VITRO_OF_LIBRARY(sin)
VITRO_OF_LIBRARY(cos)
VITRO_OF_LIBRARY(tan)
VITRO_OF_LIBRARY(asin)
VITRO_OF_LIBRARY(acos)
VITRO_OF_LIBRARY(atan)
VITRO_OF_LIBRARY(sinh)
VITRO_OF_LIBRARY(cosh)
VITRO_OF_LIBRARY(tanh)
VITRO_OF_LIBRARY(asinh)
VITRO_OF_LIBRARY(acosh)
VITRO_OF_LIBRARY(atanh)
VITRO_OF_LIBRARY(erf)
VITRO_OF_LIBRARY(erfc)
VITRO_OF_LIBRARY(floor)
VITRO_OF_LIBRARY(ceil)
VITRO_OF_LIBRARY(trunc)
VITRO_OF_LIBRARY(abs)
#undef VITRO_OF_LIBRARY
template <Real T>
T round(T x) {
  return std::nearbyint(x);
}
template <Real T>
T sigmoid(T x) {
  return static_cast<T>(1 / (1 + std::exp(-static_cast<double>(x))));
}
template <Real T>
T rsqrt(T x) {
  return T(1) / std::sqrt(x);
}
template <Real T>
T atan2(T a, T b) {
  return std::atan2(a, b);
}
template <Real T>
T pow(T a, T b) {
  return std::pow(a, b);
}
template <Real T>
T fma(T a, T b, T c) {
  return std::fma(a, b, c);
}
template <Real T>
T fmod(T a, T b) {
  return std::fmod(a, b);
}
template <Real T>
T remainder(T a, T b) {
  const T m = std::fmod(a, b);
  return m != 0 && (b < 0) != (m < 0) ? m + b : m;
}
// With Python's semantics.
template <Real T>
T floor_div(T a, T b) {
  if (b == 0) return a / b;
  const T m = std::fmod(a, b);
  T q = (a - m) / b;
  if (m != 0 && (b < 0) != (m < 0)) q -= 1;
  if (q == 0) return std::copysign(T(0), a / b);
  const T down = std::floor(q);
  return q - down > T(0.5) ? down + 1 : down;
}
template <Real T>
T trunc_div(T a, T b) {
  return std::trunc(a / b);
}
template <Real T>
T minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  return b < a ? b : a;
}
template <Real T>
T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  return a < b ? b : a;
}
template <Real T>
bool isnan(T x) {
  return std::isnan(x);
}
template <Real T>
bool isinf(T x) {
  return std::isinf(x);
}

int64_t wrapped_neg(int64_t x) {
  return static_cast<int64_t>(-static_cast<uint64_t>(x));
}
int64_t wrapped_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t abs(int64_t x) {
  return x < 0 ? wrapped_neg(x) : x;
}
int64_t trunc_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? wrapped_neg(a) : a / b;
}
int64_t fmod(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}
int64_t remainder(int64_t a, int64_t b) {
  const int64_t m = fmod(a, b);
  return m != 0 && (m < 0) != (b < 0) ? m + b : m;
}
int64_t floor_div(int64_t a, int64_t b) {
  const int64_t m = fmod(a, b);
  return trunc_div(a, b) - (m != 0 && (m < 0) != (b < 0));
}
int64_t minimum(int64_t a, int64_t b) {
  return b < a ? b : a;
}
int64_t maximum(int64_t a, int64_t b) {
  return a < b ? b : a;
}
int64_t pow(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base != -1 ? 0 : (exponent & 1) ? -1 : 1;
  int64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base = wrapped_mul(base, base)) {
    if (exponent & 1) result = wrapped_mul(result, base);
  }
  return result;
}

}  // namespace scalar

[[noreturn]] void refuse(Fn fn, DType dtype) {
  throw_bug("apply", __FILE__, __LINE__, cat(info(fn).name, " is not defined for ", dtype));
}

// `f` of the first `count` operands; f(T...) need not exist for T.
template <int count, class T, class F>
auto call(F f, const T* x) {
  if constexpr (count == 1) {
    return f(x[0]);
  } else if constexpr (count == 2) {
    return f(x[0], x[1]);
  } else {
    return f(x[0], x[1], x[2]);
  }
}

template <class T>
Element function_of_reals(Fn fn, DType dtype, const T* x) {
  const auto given = [&](auto y) {
    if constexpr (std::is_same_v<decltype(y), bool>)
      return element_of(DType::boolean, int64_t{y});
    else
      return element_of(dtype, static_cast<double>(y));
  };
  switch (fn) {
#define VITRO_CASE(name, operands, ...) \
  case Fn::name:                        \
    return given(call<operands>([](auto... a) { return scalar::name(a...); }, x));
    VITRO_SCALAR_FUNCTIONS(VITRO_CASE)
#undef VITRO_CASE
    default:
      refuse(fn, dtype);
  }
}

// Functions that have an integer version.
Element function_of_integers(Fn fn, DType dtype, const int64_t* x) {
  switch (fn) {
#define VITRO_CASE_own(name, operands) \
  case Fn::name:                       \
    return element_of(dtype, call<operands>([](auto... a) { return scalar::name(a...); }, x));
#define VITRO_CASE_none(...)
#define VITRO_CASE_same(...)
#define VITRO_CASE_truth(...)
#define VITRO_CASE(name, operands, on_integers, ...) VITRO_CASE_##on_integers(name, operands)
    VITRO_SCALAR_FUNCTIONS(VITRO_CASE)
#undef VITRO_CASE
#undef VITRO_CASE_own
#undef VITRO_CASE_none
#undef VITRO_CASE_same
#undef VITRO_CASE_truth
    default:
      refuse(fn, dtype);
  }
}

Element truth(bool b) {
  return {.integer = b};
}

Element real_operator(Fn fn, DType dtype, const Element* x) {
  const double a = x[0].real, b = info(fn).operands > 1 ? x[1].real : 0;
  switch (fn) {
    // The double nearest to the result of floats is never halfway between two floats unless the
    // exact result is: rounding twice gives the same as rounding once.
    case Fn::add:
      return element_of(dtype, a + b);
    case Fn::sub:
      return element_of(dtype, a - b);
    case Fn::mul:
      return element_of(dtype, a * b);
    case Fn::div:
      return element_of(dtype, a / b);
    case Fn::neg:
      return element_of(dtype, -a);
    case Fn::lt:
      return truth(a < b);
    case Fn::le:
      return truth(a <= b);
    case Fn::eq:
      return truth(a == b);
    case Fn::ne:
      return truth(a != b);
    default:
      break;
  }
  if (dtype == DType::f64) {
    const double operands[] = {a, b, info(fn).operands > 2 ? x[2].real : 0};
    return function_of_reals(fn, dtype, operands);
  }
  const float operands[] = {static_cast<float>(a), static_cast<float>(b),
                            static_cast<float>(info(fn).operands > 2 ? x[2].real : 0)};
  return function_of_reals(fn, dtype, operands);
}

Element integer_operator(Fn fn, DType dtype, const Element* x) {
  const int64_t a = x[0].integer, b = info(fn).operands > 1 ? x[1].integer : 0;
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const auto given = [&](uint64_t y) { return element_of(dtype, static_cast<int64_t>(y)); };
  const int64_t width = 8 * bytes_of(dtype);
  const bool shifts = b >= 0 && b < width;
  switch (fn) {
    case Fn::add:
      return given(ua + ub);
    case Fn::sub:
      return given(ua - ub);
    case Fn::mul:
      return given(ua * ub);
    case Fn::div:
      return element_of(dtype, scalar::trunc_div(a, b));
    case Fn::neg:
      return given(-ua);
    case Fn::not_:
      return is_bool(dtype) ? truth(a == 0) : given(~ua);
    case Fn::and_:
      return given(ua & ub);
    case Fn::or_:
      return given(ua | ub);
    case Fn::xor_:
      return given(ua ^ ub);
    case Fn::shift_left:
      return given(shifts ? ua << b : 0);
    case Fn::shift_right:
      return element_of(dtype, a >> (shifts ? b : width - 1));
    case Fn::lt:
      return truth(a < b);
    case Fn::le:
      return truth(a <= b);
    case Fn::eq:
      return truth(a == b);
    case Fn::ne:
      return truth(a != b);
    case Fn::pow:
      if (is_bool(dtype)) return truth(a != 0 || b == 0);
      break;
    case Fn::philox:
      return {.integer = random_word(ub, static_cast<uint64_t>(x[2].integer), ua)};
    default:
      break;
  }
  const int64_t operands[] = {a, b};
  return function_of_integers(fn, dtype, operands);
}

}  // namespace

Element element_of(DType dtype, double value) {
  if (is_bool(dtype)) return {.integer = value != 0};
  if (!is_floating(dtype)) return converted({.real = value}, DType::f64, dtype);
  if (dtype != DType::f64) value = static_cast<float>(value);
  if (dtype == DType::f16) value = static_cast<float>(Half(static_cast<float>(value)));
  if (dtype == DType::bf16) value = static_cast<float>(BFloat16(static_cast<float>(value)));
  return {.real = value};
}

Element element_of(DType dtype, int64_t value) {
  if (is_bool(dtype)) return {.integer = value != 0};
  if (dtype == DType::f64) return {.real = static_cast<double>(value)};
  if (is_floating(dtype)) return element_of(dtype, double{static_cast<float>(value)});
  const int shift = 64 - 8 * static_cast<int>(bytes_of(dtype));
  const auto wrapped = static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
  return {.integer = dtype == DType::u8 ? value & 255 : wrapped};
}

Element converted(Element x, DType from, DType to) {
  if (from == to) return x;
  if (!is_floating(from)) return element_of(to, x.integer);
  if (is_floating(to) || is_bool(to)) return element_of(to, x.real);
  const double value = x.real;
  if (bytes_of(to) == 8) {
    const bool fits = value >= -0x1p63 && value < 0x1p63;
    return {.integer = fits ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min()};
  }
  const bool fits = value > -0x1p31 - 1 && value < 0x1p31;
  return element_of(
      to, fits ? static_cast<int64_t>(value) : int64_t{std::numeric_limits<int32_t>::min()});
}

Element apply(Fn fn, DType dtype, const Element* operands) {
  if (fn == Fn::select) return operands[0].integer ? operands[1] : operands[2];
  return is_floating(dtype) ? real_operator(fn, dtype, operands)
                            : integer_operator(fn, dtype, operands);
}

Element load(const void* from, int64_t element, DType dtype) {
  return dispatch(dtype, [&]<class T>() -> Element {
    const T x = static_cast<const T*>(from)[element];
    if constexpr (std::is_integral_v<T>)
      return {.integer = static_cast<int64_t>(x)};
    else if constexpr (std::is_same_v<T, double>)
      return {.real = x};
    else
      return {.real = static_cast<float>(x)};
  });
}

void store(void* to, int64_t element, DType dtype, Element x) {
  dispatch(dtype, [&]<class T>() {
    T& at = static_cast<T*>(to)[element];
    if constexpr (std::is_integral_v<T>)
      at = static_cast<T>(x.integer);
    else if constexpr (std::is_same_v<T, double>)
      at = x.real;
    else
      at = static_cast<T>(static_cast<float>(x.real));
  });
}

}  // namespace vitro::loop
