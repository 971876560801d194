#include "eager/stage.h"

#include <bit>
#include <cstring>

namespace vitro::eager {
namespace {

template <class Word>
void gather_words(const std::byte* from, int64_t stride, std::byte* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i, from += stride, to += sizeof(Word))
    std::memcpy(to, from, sizeof(Word));
}
template <class Word>
void scatter_words(const std::byte* from, std::byte* to, int64_t stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i, from += sizeof(Word), to += stride)
    std::memcpy(to, from, sizeof(Word));
}

}  // namespace

Compute compute_for(DType dtype) {
  if (is_bool(dtype)) return Compute::boolean;
  if (is_integer(dtype)) return dtype == DType::i64 ? Compute::i64 : Compute::i32;
  return dtype == DType::f64 ? Compute::f64 : Compute::f32;
}

DType storage_of(Compute compute) {
  switch (compute) {
    case Compute::f32:
      return DType::f32;
    case Compute::f64:
      return DType::f64;
    case Compute::i32:
      return DType::i32;
    case Compute::i64:
      return DType::i64;
    case Compute::boolean:
      return DType::boolean;
  }
  __builtin_unreachable();
}

void gather_run(const std::byte* from, int64_t stride, std::byte* to, int64_t size, int64_t n) {
  if (stride == size) {
    std::memcpy(to, from, static_cast<size_t>(n * size));
  } else if (stride == 0) {
    repeat(from, to, size, n);
  } else {
    with_word(size, [&]<class Word>() { gather_words<Word>(from, stride, to, n); });
  }
}

void scatter_run(const std::byte* from, std::byte* to, int64_t stride, int64_t size, int64_t n) {
  if (stride == size) {
    std::memcpy(to, from, static_cast<size_t>(n * size));
  } else {
    with_word(size, [&]<class Word>() { scatter_words<Word>(from, to, stride, n); });
  }
}

void repeat(const std::byte* from, std::byte* to, int64_t size, int64_t n) {
  kernel_table().repeat[std::countr_zero(static_cast<uint64_t>(size))](from, to, n);
}

void cast(DType from_type, const std::byte* from, DType to_type, std::byte* to, int64_t n) {
  if (from_type == to_type) {
    std::memmove(to, from, static_cast<size_t>(n * bytes_of(to_type)));
  } else {
    kernel_table().cast[static_cast<int>(from_type)][static_cast<int>(to_type)](from, to, n);
  }
}

void Conversion::run(const std::byte* in, std::byte* out, int64_t n) const {
  if (from == common || common == to) return cast(from, in, to, out, n);
  Buffer rounded;
  cast(from, in, common, rounded.bytes, n);
  cast(common, rounded.bytes, to, out, n);
}

void store_number(const Scalar& number, DType common, DType to, std::byte* out) {
  const double real = number.hint().as_double();
  const int64_t integer = number.hint().as_int();
  const DType from = number.is_floating() ? DType::f64 : DType::i64;
  const void* value = number.is_floating() ? static_cast<const void*>(&real) : &integer;
  Conversion{from, common, to}.run(static_cast<const std::byte*>(value), out, 1);
}

}  // namespace vitro::eager
