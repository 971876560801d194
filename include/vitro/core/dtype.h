// Element types, their categories, and PyTorch's type promotion.
// Complex numbers are pairs of real ones (Tensor::pairs): no kernel and no shape rule sees c64 or
// c128, because the door replaces a call with complex operands by calls on their pairs
// (core/complex.h).
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vitro {

enum class DType : uint8_t { f32, f64, f16, bf16, i8, i16, i32, i64, u8, boolean, c64, c128 };
inline constexpr int dtype_count = 10;  // of those that kernels have: all but the complex ones

struct DTypeInfo {
  std::string_view name;   // "f32"; "bool" for boolean
  std::string_view torch;  // "float", "c10::Half", ... as in PyTorch's traces
  int bytes;
  enum class Category : uint8_t { boolean, integer, floating, complex } category;
};
const DTypeInfo& info(DType dtype);

inline std::string_view name_of(DType dtype) {
  return info(dtype).name;
}
inline int64_t bytes_of(DType dtype) {
  return info(dtype).bytes;
}
inline bool is_floating(DType dtype) {
  return info(dtype).category == DTypeInfo::Category::floating;
}
inline bool is_integer(DType dtype) {  // false for bool
  return info(dtype).category == DTypeInfo::Category::integer;
}
inline bool is_bool(DType dtype) {
  return dtype == DType::boolean;
}
constexpr bool is_complex(DType dtype) {
  return dtype >= DType::c64;
}
// The dtype of the real part: f32 of c64, f64 of c128; another dtype is its own.
inline DType real_of(DType dtype) {
  return dtype == DType::c64 ? DType::f32 : dtype == DType::c128 ? DType::f64 : dtype;
}
// The complex dtype of numbers of this precision: c128 for f64 and c128, otherwise c64.
inline DType complex_of(DType dtype) {
  return dtype == DType::f64 || dtype == DType::c128 ? DType::c128 : DType::c64;
}
std::optional<DType> dtype_named(
    std::string_view name);  // "f32", also "float32", "half", "long", ...
void append_to(std::string& out, DType dtype);

// The common type of both, as torch.promote_types (u8 and i8 give i16, f16 and bf16 give f32).
DType promote(DType a, DType b);
// The type in which arithmetic on `dtype` is done: f32 for f16 and bf16, otherwise `dtype` itself.
inline DType compute_type(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype;
}

// torch.result_type for any number of operands: within a category, tensors with dimensions win over
// 0-d tensors, and these over plain numbers; a higher category always wins.
class Promotion {
 public:
  enum class Rank : uint8_t { number, zero_dim, dimensioned };
  void add(DType dtype, Rank rank);
  DType result() const;  // f32 if nothing was added

 private:
  std::optional<DType> by_rank_[3];
};

inline constexpr DType default_float = DType::f32;

// Throws the Bug of code that is not for complex numbers and was given them.
[[noreturn]] void refuse_complex(const char* what);

// C++ types of dtypes on the host; Half and BFloat16 only store and convert.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float v);
  explicit operator float() const;
};
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float v);
  explicit operator float() const;
};

// dispatch(dtype, [&]<class T>() { ... }) calls with T = float, double, Half, BFloat16, int8_t,
// ..., bool. Not for complex dtypes: a Bug.
template <class F>
decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f32:
      return f.template operator()<float>();
    case DType::f64:
      return f.template operator()<double>();
    case DType::f16:
      return f.template operator()<Half>();
    case DType::bf16:
      return f.template operator()<BFloat16>();
    case DType::i8:
      return f.template operator()<int8_t>();
    case DType::i16:
      return f.template operator()<int16_t>();
    case DType::i32:
      return f.template operator()<int32_t>();
    case DType::i64:
      return f.template operator()<int64_t>();
    case DType::u8:
      return f.template operator()<uint8_t>();
    case DType::boolean:
      return f.template operator()<bool>();
    case DType::c64:
    case DType::c128:
      refuse_complex("dispatch");
  }
  __builtin_unreachable();
}

template <class T>
struct DTypeOf;
#define VITRO_DTYPE_OF(type, dtype)              \
  template <>                                    \
  struct DTypeOf<type> {                         \
    static constexpr DType value = DType::dtype; \
  };
VITRO_DTYPE_OF(float, f32)
VITRO_DTYPE_OF(double, f64)
VITRO_DTYPE_OF(Half, f16)
VITRO_DTYPE_OF(BFloat16, bf16)
VITRO_DTYPE_OF(int8_t, i8)
VITRO_DTYPE_OF(int16_t, i16)
VITRO_DTYPE_OF(int32_t, i32)
VITRO_DTYPE_OF(int64_t, i64)
VITRO_DTYPE_OF(uint8_t, u8)
VITRO_DTYPE_OF(bool, boolean)
VITRO_DTYPE_OF(std::complex<float>, c64)
VITRO_DTYPE_OF(std::complex<double>, c128)
#undef VITRO_DTYPE_OF
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

}  // namespace vitro
