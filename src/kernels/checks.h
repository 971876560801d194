// Checks of data in kernels: indices read from memory, divisors of integers. The first error of
// the tasks that a call of the kernel runs is stored in their error slot; the kernel continues.
#pragma once
#include "kernels/kernel_args.h"
#include "kernels/memory.h"
#include "kernels/vector.h"

namespace vitro::kernels::inline VITRO_ISA {

[[gnu::noinline, maybe_unused]] static void report(const KernelArgs* args, i64 check, i64 index,
                                                   i64 bound) {
  if (args->error->check == 0) *args->error = {check + 1, index, bound};
}

// The index, or 0 if it is not in [0, bound).
[[maybe_unused]] VITRO_INLINE i64 checked_index(const KernelArgs* args, i64 index, i64 bound,
                                                i64 check) {
  if (u64(index) < u64(bound)) [[likely]]
    return index;
  report(args, check, index, bound);
  return 0;
}

// The same for the first `count` lanes.
[[maybe_unused]] VITRO_INLINE Vec<i64> checked_index(const KernelArgs* args, Vec<i64> index,
                                                     i64 bound, i64 check, i64 count) {
  // If it is in range, neither it nor its distance to the last index is negative.
  Vec<i64> signs = index | (splat(bound - 1) - index);
  if (count < 16) signs = select(first_lanes(count), signs, splat(i64(0)));
  if (__builtin_reduce_or(signs) >= 0) [[likely]]
    return index;
  for (i64 i = 0; i < count && i < 16; ++i) checked_index(args, index[i], bound, check);
  return select(lt(signs, splat(i64(0))), splat(i64(0)), index);
}

template <class T>
[[maybe_unused]] VITRO_INLINE Vec<T> not_zero(const KernelArgs* args, Vec<T> v, i64 check,
                                              i64 count) {
  Mask bad = eq(v, splat(T(0))) & first_lanes(count);
  if (__builtin_bit_cast(u16, bad) != 0) [[unlikely]]
    report(args, check, 0, 0);
  return v;
}

}  // namespace vitro::kernels::inline VITRO_ISA
