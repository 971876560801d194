// Sorts rows: stable, NaN is the largest number, -0 equals 0.
//   sort_row(x, n, count, descending, values, 1, indices, 1, scratch);
// Elements are sorted by an integer key: short rows by counting, for each element, the elements
// before it; longer ones by a radix sort, lowest digit first. If few of many are wanted, only
// candidates for these are sorted. The order depends only on the row, so the choice of algorithm
// does not change the result.
#pragma once
#include "kernels/memory.h"

namespace vitro::kernels::inline VITRO_ISA {

template <class T>
using Unsigned = __make_unsigned(Bits<T>);

// Sixteen keys, as wide as T, in the order of the elements.
template <class T>
VITRO_INLINE Vec<Unsigned<T>> order_keys(const T* x, i64 count) {
  using B = Bits<T>;
  const B* p = (const B*)x;
  const Vec<B> v = count < 16 ? load(p, count) : load(p);
  constexpr B sign = B(1ul << (8 * sizeof(T) - 1));
  if constexpr (__is_same(T, bool)) {
    return (Vec<u8>)((v != 0) ? splat(B(1)) : splat(B(0)));
  } else if constexpr (__is_same(T, u8)) {
    return (Vec<u8>)v;
  } else if constexpr (!is_float<T> && !is_half<T>) {
    return (Vec<Unsigned<T>>)(v ^ sign);
  } else {
    constexpr B infinity = sizeof(T) == 8      ? B(0x7ffl << 52)
                           : sizeof(T) == 4    ? B(0x7f800000)
                           : __is_same(T, f16) ? B(0x7c00)
                                               : B(0x7f80);
    const Vec<B> size = v & B(~sign), down = v >> B(8 * sizeof(T) - 1);  // all ones if negative
    const Vec<B> key = (size == 0) ? splat(sign) : v ^ (down | sign);
    return (Vec<Unsigned<T>>)((size > infinity) ? splat(B(-1)) : key);
  }
}

// An element of a row: its key, and its index in the row.
template <class K>
struct KeyedIndex {
  K key, index;
};

// Elements [first, first + n); `flip` inverts the bits of the keys, and thereby the order.
template <class K, class T>
[[gnu::noinline]] static void key_elements(const T* x, i64 first, i64 n, Unsigned<T> flip,
                                           KeyedIndex<K>* out) {
  for (i64 i = 0; i < n; i += 16) {
    const auto keys = order_keys(x + first + i, n - i) ^ flip;
    if constexpr (sizeof(K) == 4) {
      const Vec<u64> index = iota<u64>() + u64(first + i);
      const Vec<u64> both = __builtin_convertvector(keys, Vec<u64>) | index << 32;
      n - i < 16 ? store((u64*)out + i, both, n - i) : store((u64*)out + i, both);
    } else {
      for (i64 l = 0; l < 16 && l < n - i; ++l) out[i + l] = {keys[l], K(first + i + l)};
    }
  }
}

inline constexpr i64 most_counted = 64;

// An entry comes after all entries that it does not precede.
template <class K>
[[gnu::noinline]] static void sort_by_counting(const KeyedIndex<K>* from, KeyedIndex<K>* to,
                                               i64 n) {
  K keys[most_counted];
  for (i64 i = 0; i < n; ++i) keys[i] = from[i].key;
  for (i64 i = n; i < (n + 15) / 16 * 16; ++i) keys[i] = K(-1);
  const auto count = [](Mask m) { return __builtin_popcount(__builtin_bit_cast(u16, m)); };
  for (i64 i = 0; i < n; ++i) {
    const Vec<K> key = splat(keys[i]);
    const i64 own = i / 16 * 16;
    i64 before = count(eq(load(keys + own), key) & first_lanes(i - own));
    for (i64 j = 0; j < own; j += 16) before += count(le(load(keys + j), key));
    for (i64 j = own; j < n; j += 16) before += count(lt(load(keys + j), key));
    to[before] = from[i];
  }
}

// Returns the array that contains the sorted entries, `a` or `b`.
template <int bits, int digits, class K>
[[gnu::noinline]] static KeyedIndex<K>* sort_by_digits(KeyedIndex<K>* a, KeyedIndex<K>* b, i64 n) {
  constexpr i64 buckets = 1 << bits;
  K counts[digits][buckets] = {};
  for (i64 i = 0; i < n; ++i) {
    const K key = a[i].key;
#pragma clang loop unroll(full)
    for (int d = 0; d < digits; ++d) ++counts[d][(key >> (d * bits)) & (buckets - 1)];
  }
  for (int d = 0; d < digits; ++d) {
    K* next = counts[d];
    const int shift = d * bits;
    if (next[(a[0].key >> shift) & (buckets - 1)] == K(n))
      continue;  // all keys have the same digit
    K sum = 0;
    for (i64 bucket = 0; bucket < buckets; ++bucket) {
      const K count = next[bucket];
      next[bucket] = sum;
      sum += count;
    }
    for (i64 i = 0; i < n; ++i) {
      const KeyedIndex<K> entry = a[i];
      b[next[(entry.key >> shift) & (buckets - 1)]++] = entry;
    }
    KeyedIndex<K>* other = a;
    a = b;
    b = other;
  }
  return a;
}

// Sorts keys of `bytes` bytes.
template <int bytes, class K>
VITRO_INLINE KeyedIndex<K>* sort_keyed(KeyedIndex<K>* a, KeyedIndex<K>* b, i64 n) {
  if (n <= most_counted) {
    sort_by_counting(a, b, n);
    return b;
  }
  if constexpr (bytes > 2) {
    if (n >= 1 << 14) return sort_by_digits<11, (8 * bytes + 10) / 11>(a, b, n);
  }
  return sort_by_digits<8, bytes>(a, b, n);
}

// Whether no element of sixteen comes before `last`; false if one of them or `last` may be NaN.
template <class T>
VITRO_INLINE bool all_after(const T* x, T last, Unsigned<T> last_key, Unsigned<T> flip) {
  Mask after;
  if constexpr (is_half<T> || __is_same(T, bool)) {
    after = ge(order_keys(x, 16) ^ flip, splat(last_key));
  } else {
    after = flip ? le(load(x), splat(last)) : ge(load(x), splat(last));
  }
  return __builtin_bit_cast(u16, after) == 0xffff;
}

// Number of entries that are kept if the first `count` are wanted.
VITRO_INLINE i64 most_kept(i64 count) {
  return 4 * count + 64;
}

// The first `count` of a row in order, in `a` or `b`. The entries after them are later elements
// that come before the last of the first `count`.
template <class K, class T>
[[gnu::noinline]] static KeyedIndex<K>* first_keyed(const T* x, i64 n, i64 count, Unsigned<T> flip,
                                                    KeyedIndex<K>* a, KeyedIndex<K>* b) {
  const i64 room = most_kept(count);
  key_elements<K>(x, 0, room, flip, a);
  KeyedIndex<K>* now = sort_keyed<sizeof(T)>(a, b, room);
  i64 held = count;
  for (i64 i = room; i < n; i += 16) {
    const KeyedIndex<K> last = now[count - 1];
    if (n - i >= 16 && all_after(x + i, x[last.index], Unsigned<T>(last.key), flip)) continue;
    Unsigned<T> keys[16];
    const auto some = order_keys(x + i, n - i) ^ flip;
    __builtin_memcpy(keys, &some, sizeof keys);
    u32 before =
        __builtin_bit_cast(u16, lt(some, splat(Unsigned<T>(last.key))) & first_lanes(n - i));
    for (; before != 0; before &= before - 1) {
      const int lane = __builtin_ctz(before);
      now[held++] = {keys[lane], K(i + lane)};
    }
    if (held + 16 <= room) continue;
    now = sort_keyed<sizeof(T)>(now, now == a ? b : a, held);
    held = count;
  }
  return sort_keyed<sizeof(T)>(now, now == a ? b : a, held);
}

template <class K, class B>
[[gnu::noinline]] static void write_keyed(const KeyedIndex<K>* entries, i64 count, const B* x,
                                          B* values, i64 values_stride, i64* indices,
                                          i64 indices_stride) {
  if (values) {
    for (i64 i = 0; i < count; ++i) values[i * values_stride] = x[entries[i].index];
  }
  if (indices) {
    for (i64 i = 0; i < count; ++i) indices[i * indices_stride] = i64(entries[i].index);
  }
}

template <class K, class T>
VITRO_INLINE void sort_row_by(const T* x, i64 n, i64 count, bool descending, T* values,
                              i64 values_stride, i64* indices, i64 indices_stride, void* scratch) {
  const auto flip = Unsigned<T>(descending ? -1 : 0);
  KeyedIndex<K>*a = (KeyedIndex<K>*)scratch, *b = a + n, *entries;
  if (n >= 2 * most_kept(count)) {
    entries = first_keyed<K>(x, n, count, flip, a, b);
  } else {
    key_elements<K>(x, 0, n, flip, a);
    entries = sort_keyed<sizeof(T)>(a, b, n);
  }
  write_keyed(entries, count, (const Bits<T>*)x, (Bits<T>*)values, values_stride, indices,
              indices_stride);
}

// Sorts n contiguous elements and stores the first `count` and their indices in the row; null: not
// stored. `scratch`: 16 bytes per element, 32 if elements have 8 bytes or indices need more than 32
// bits.
template <class T>
[[gnu::noinline]] static void sort_row(const T* x, i64 n, i64 count, bool descending, T* values,
                                       i64 values_stride, i64* indices, i64 indices_stride,
                                       void* scratch) {
  if (count <= 0) return;
  if (sizeof(T) == 8 || u64(n) >> 32) {
    sort_row_by<u64>(x, n, count, descending, values, values_stride, indices, indices_stride,
                     scratch);
  } else if constexpr (sizeof(T) < 8) {
    sort_row_by<u32>(x, n, count, descending, values, values_stride, indices, indices_stride,
                     scratch);
  }
}

}  // namespace vitro::kernels::inline VITRO_ISA
