#include "backend/run/index_range.h"

#include <algorithm>

#include "vitro/core/reach.h"

namespace vitro::backend {
namespace {

template <class T>
bool are_within(const std::byte* begin, const std::byte* end, int64_t least, int64_t bound) {
  int64_t smallest = least, largest = least;  // a loop without branches, for vectors
  const auto* last = reinterpret_cast<const T*>(end);
  for (const auto* at = reinterpret_cast<const T*>(begin); at != last; ++at) {
    smallest = std::min<int64_t>(smallest, *at);
    largest = std::max<int64_t>(largest, *at);
  }
  return smallest >= least && largest < bound;
}

}  // namespace

bool are_in_range(const TensorImpl& t, int64_t bound, bool wraps) {
  const Reach reach = reach_of(t);
  const int64_t bytes = reach.end - reach.begin;
  if (t.device != cpu || bound <= 0 || bytes / 2 > count_of(t.sizes) * bytes_of(t.dtype))
    return false;
  const auto* memory = static_cast<const std::byte*>(t.storage.data());
  const std::byte *begin = memory + reach.begin, *end = memory + reach.end;
  const int64_t least = wraps ? -bound : 0;
  switch (t.dtype) {
    case DType::i64:
      return are_within<int64_t>(begin, end, least, bound);
    case DType::i32:
      return are_within<int32_t>(begin, end, least, bound);
    case DType::i16:
      return are_within<int16_t>(begin, end, least, bound);
    case DType::i8:
      return are_within<int8_t>(begin, end, least, bound);
    case DType::u8:
      return are_within<uint8_t>(begin, end, least, bound);
    case DType::boolean:
    case DType::f16:
    case DType::bf16:
    case DType::f32:
    case DType::f64:
    case DType::c64:
    case DType::c128:
      return false;
  }
  return false;
}

}  // namespace vitro::backend
