// The table of dtypes and their names, PyTorch's type promotion, and the conversions of f16 and
// bf16, which round to nearest even.
#include "vitro/core/dtype.h"

#include <bit>
#include <cmath>

#include "vitro/base/error.h"

namespace vitro {
namespace {

using Category = DTypeInfo::Category;
constexpr DTypeInfo infos[] = {
    {"f32", "float", 4, Category::floating},
    {"f64", "double", 8, Category::floating},
    {"f16", "c10::Half", 2, Category::floating},
    {"bf16", "c10::BFloat16", 2, Category::floating},
    {"i8", "signed char", 1, Category::integer},
    {"i16", "short int", 2, Category::integer},
    {"i32", "int", 4, Category::integer},
    {"i64", "long int", 8, Category::integer},
    {"u8", "unsigned char", 1, Category::integer},
    {"bool", "bool", 1, Category::boolean},
    {"c64", "c10::complex<float>", 8, Category::complex},
    {"c128", "c10::complex<double>", 16, Category::complex},
};

struct Alias {
  std::string_view name;
  DType dtype;
};
constexpr Alias aliases[] = {
    {"float32", DType::f32},     {"float", DType::f32},     {"float64", DType::f64},
    {"double", DType::f64},      {"float16", DType::f16},   {"half", DType::f16},
    {"bfloat16", DType::bf16},   {"int8", DType::i8},       {"int16", DType::i16},
    {"short", DType::i16},       {"int32", DType::i32},     {"int", DType::i32},
    {"int64", DType::i64},       {"long", DType::i64},      {"uint8", DType::u8},
    {"boolean", DType::boolean}, {"complex64", DType::c64}, {"cfloat", DType::c64},
    {"complex128", DType::c128}, {"cdouble", DType::c128},
};

DType promote_floats(DType a, DType b) {
  if (a == DType::f64 || b == DType::f64) return DType::f64;
  return DType::f32;  // different and neither f64: f32 with anything, or f16 with bf16
}

DType promote_integers(DType a, DType b) {
  if (a != DType::u8 && b != DType::u8) return bytes_of(a) > bytes_of(b) ? a : b;
  const DType other = a == DType::u8 ? b : a;
  return other == DType::i8 ? DType::i16 : other;
}

}  // namespace

const DTypeInfo& info(DType dtype) {
  return infos[static_cast<int>(dtype)];
}

void append_to(std::string& out, DType dtype) {
  out.append(name_of(dtype));
}

std::optional<DType> dtype_named(std::string_view name) {
  for (const DTypeInfo& one : infos) {
    if (one.name == name) return static_cast<DType>(&one - infos);
  }
  for (const Alias& alias : aliases) {
    if (alias.name == name) return alias.dtype;
  }
  return std::nullopt;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  const Category ca = info(a).category, cb = info(b).category;
  if (ca == Category::complex || cb == Category::complex) {
    const bool wide = complex_of(a) == DType::c128 || complex_of(b) == DType::c128;
    return wide ? DType::c128 : DType::c64;
  }
  if (ca != cb) return ca > cb ? a : b;
  return ca == Category::floating ? promote_floats(a, b) : promote_integers(a, b);
}

void Promotion::add(DType dtype, Rank rank) {
  if (rank == Rank::number && is_floating(dtype)) dtype = default_float;
  if (rank == Rank::number && is_complex(dtype)) dtype = complex_of(default_float);
  auto& slot = by_rank_[static_cast<int>(rank)];
  slot = slot ? promote(*slot, dtype) : dtype;
}

DType Promotion::result() const {
  std::optional<DType> result;
  for (int rank = 2; rank >= 0; --rank) {  // a lower rank counts only with a higher category
    const auto& slot = by_rank_[rank];
    if (!slot) continue;
    if (!result) {
      result = slot;
    } else if (is_complex(*slot) && is_floating(*result)) {
      result = complex_of(*result);  // its precision is that of the higher rank
    } else if (info(*slot).category > info(*result).category) {
      result = slot;
    }
  }
  return result.value_or(default_float);
}

void refuse_complex(const char* what) {
  throw_bug(what, __FILE__, __LINE__, "complex numbers reached code for real ones");
}

Half::Half(float v) {
  const uint32_t x = std::bit_cast<uint32_t>(v), sign = (x >> 16) & 0x8000;
  const uint32_t magnitude = x & 0x7fffffff;
  if (magnitude > 0x7f800000) {
    bits = static_cast<uint16_t>(sign | 0x7e00);
  } else if (magnitude >= 0x477ff000) {  // rounds to 65520 or more: infinity
    bits = static_cast<uint16_t>(sign | 0x7c00);
  } else if (magnitude < 0x38800000) {  // subnormal: float addition rounds at 2^-24
    const float scaled = std::bit_cast<float>(magnitude) + 0.5F;
    bits = static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(scaled) - 0x3f000000));
  } else {
    const uint32_t odd = (magnitude >> 13) & 1;
    bits = static_cast<uint16_t>(sign | ((magnitude + 0xc8000fff + odd) >> 13));
  }
}

Half::operator float() const {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, rest = bits & 0x7fff;
  if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | ((rest & 0x3ff) << 13));
  if (rest >= 0x0400) return std::bit_cast<float>(sign | ((rest << 13) + 0x38000000));
  const float small = std::ldexp(static_cast<float>(rest), -24);
  return sign ? -small : small;
}

BFloat16::BFloat16(float v) {
  const uint32_t x = std::bit_cast<uint32_t>(v);
  if ((x & 0x7fffffff) > 0x7f800000) {
    bits = static_cast<uint16_t>(0x7fc0 | (x >> 16 & 0x8000));
  } else {
    bits = static_cast<uint16_t>((x + 0x7fff + (x >> 16 & 1)) >> 16);
  }
}

BFloat16::operator float() const {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

}  // namespace vitro
