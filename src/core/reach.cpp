// Counts of elements and bytes with overflow checks, the bytes that a view covers, and whether two
// views overlap.
#include "vitro/core/reach.h"

#include <algorithm>

#include "sym/data_size.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"

namespace vitro {
namespace {

int64_t number(int64_t size) {
  return size;
}
int64_t number(Size size) {
  return size.hint();
}

template <class S>
Ints numbers(std::span<const S> sizes) {
  Ints out;
  for (const S s : sizes) out.push_back(number(s));
  return out;
}

// `unit` times the product of the sizes.
template <class S>
int64_t product_of(std::string_view op, std::span<const S> sizes, int64_t unit,
                   std::string_view counted) {
  int64_t n = unit;
  bool none = false, fits = true;
  for (const S s : sizes) {
    const int64_t size = number(s);
    VITRO_CHECK(size >= 0, op, ": sizes must not be negative, got ", numbers(sizes));
    none = none || size == 0;
    fits = !__builtin_mul_overflow(n, size, &n) && fits;
  }
  if (none) return 0;
  VITRO_CHECK(fits, op, ": a tensor of sizes ", numbers(sizes), " has more ", counted,
              " than 64 bits can count");
  return n;
}

}  // namespace

int64_t count_of(std::span<const int64_t> sizes, std::string_view op) {
  return product_of(op, sizes, 1, "elements");
}

int64_t bytes_for(std::string_view op, std::span<const int64_t> sizes, DType dtype) {
  return product_of(op, sizes, bytes_of(dtype), "bytes");
}

void check_sizes(std::string_view op, const TensorMeta& result) {
  (void)product_of(op, std::span<const Size>(result.sizes), bytes_of(result.dtype), "bytes");
}

Ints contiguous_strides(std::string_view op, std::span<const int64_t> sizes) {
  Ints strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) {
    const bool fits =
        !__builtin_mul_overflow(strides[d], std::max<int64_t>(sizes[d], 1), &strides[d - 1]);
    VITRO_CHECK(fits, op, ": the strides of a tensor of sizes ", numbers(sizes),
                " do not fit into 64 bits");
  }
  return strides;
}

Reach reach_of(std::string_view op, DType dtype, std::span<const int64_t> sizes,
               std::span<const int64_t> strides, int64_t offset) {
  VITRO_CHECK(sizes.size() == strides.size(), op, ": got ", sizes.size(), " sizes and ",
              strides.size(), " strides");
  if (count_of(sizes, op) == 0) return {};
  Reach out{offset, offset};
  bool fits = true;
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t last = 0;
    fits = !__builtin_mul_overflow(sizes[d] - 1, strides[d], &last) && fits;
    int64_t& end = last < 0 ? out.begin : out.end;
    fits = !__builtin_add_overflow(end, last, &end) && fits;
  }
  const int64_t bytes = bytes_of(dtype);
  fits = !__builtin_add_overflow(out.end, 1, &out.end) && fits;
  fits = !__builtin_mul_overflow(out.begin, bytes, &out.begin) && fits;
  fits = !__builtin_mul_overflow(out.end, bytes, &out.end) && fits;
  VITRO_CHECK(fits, op, ": sizes ", numbers(sizes), ", strides ", numbers(strides), " and offset ",
              offset, " cover a range of bytes that overflows 64 bits");
  return out;
}

namespace {

// In bytes, as the reach of plain sizes.
struct SymbolicReach {
  Size begin, end;
};
// nullopt: a size depends on data.
std::optional<SymbolicReach> symbolic_reach(const TensorMeta& t) {
  if (std::ranges::any_of(t.sizes, is_by_data) || std::ranges::any_of(t.strides, is_by_data))
    return std::nullopt;
  SymbolicReach out{t.offset, t.offset};
  for (size_t d = 0; d < t.sizes.size(); ++d) {
    if (equal(t.sizes[d], 0)) return SymbolicReach{0, 0};
    Size& end = less(t.strides[d], 0) ? out.begin : out.end;
    end = end + (t.sizes[d] - 1) * t.strides[d];
  }
  const Size bytes = bytes_of(t.dtype);
  return SymbolicReach{out.begin * bytes, (out.end + 1) * bytes};
}

}  // namespace

bool may_share_memory(const Tensor& a, const Tensor& b) {
  if (a.same_as(b)) return true;
  const TensorImpl &x = memory_of(*a.impl()), &y = memory_of(*b.impl());
  const bool same = x.call != 0 || y.call != 0 ? &x == &y : x.storage == y.storage;
  if (!same) return false;
  const auto of_a = symbolic_reach(a.meta()), of_b = symbolic_reach(b.meta());
  if (!of_a || !of_b) return true;
  return less(of_a->begin, of_b->end) && less(of_b->begin, of_a->end);
}

}  // namespace vitro
