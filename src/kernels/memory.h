// Loads and stores of sixteen lanes.  Pointers need the alignment of their element only.  A count n
// selects the first n lanes (n <= 0: none, n >= 16: all): the others load as zero and are never
// read or written in memory. bool in memory is one byte; any byte that is not zero loads as true,
// and true is stored as 1.
#pragma once
#include "kernels/vector.h"

namespace vitro::kernels::inline VITRO_ISA {

template <class T>
VITRO_INLINE Vec<T> load(const T* p) {
  if constexpr (__is_same(T, bool)) {
    Vec<u8> v;
    __builtin_memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, Mask);
  } else {
    Vec<T> v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
  }
}

template <class T>
VITRO_INLINE void store(T* p, Plain<Vec<T>> v) {
  if constexpr (__is_same(T, bool)) {
    Vec<u8> bytes = __builtin_convertvector(v, Vec<u8>);
    __builtin_memcpy(p, &bytes, sizeof bytes);
  } else {
    __builtin_memcpy(p, &v, sizeof v);
  }
}

// Mask of the first n lanes.
VITRO_INLINE Mask first_lanes(i64 n) {
  return lt(iota<i32>(), splat(n < 0 ? 0 : n > 16 ? i32(16) : i32(n)));
}

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)

typedef char X16 __attribute__((vector_size(16)));
typedef short X32 __attribute__((vector_size(32)));
typedef int X64 __attribute__((vector_size(64)));
typedef long long X64l __attribute__((vector_size(64)));

VITRO_INLINE u16 lane_bits(i64 n) {
  return n <= 0 ? u16(0) : n >= 16 ? u16(0xffff) : u16((1u << n) - 1);
}

// Mask of the lanes whose bits are set.
template <class T>
VITRO_INLINE Vec<T> load_lanes(const T* p, u16 m) {
  if constexpr (__is_same(T, bool)) {
    return __builtin_convertvector(
        (Vec<u8>)__builtin_ia32_loaddquqi128_mask((const X16*)p, X16{}, m), Mask);
  } else if constexpr (sizeof(T) == 1) {
    return (Vec<T>)__builtin_ia32_loaddquqi128_mask((const X16*)p, X16{}, m);
  } else if constexpr (sizeof(T) == 2) {
    return (Vec<T>)__builtin_ia32_loaddquhi256_mask((const X32*)p, X32{}, m);
  } else if constexpr (sizeof(T) == 4) {
    return (Vec<T>)__builtin_ia32_loaddqusi512_mask((const int*)p, X64{}, m);
  } else {
    struct {
      X64l half[2];
    } v = {__builtin_ia32_loaddqudi512_mask((const long long*)p, X64l{}, u8(m)),
           __builtin_ia32_loaddqudi512_mask((const long long*)p + 8, X64l{}, u8(m >> 8))};
    return __builtin_bit_cast(Vec<T>, v);
  }
}

template <class T>
VITRO_INLINE Vec<T> load(const T* p, i64 n) {
  return load_lanes(p, lane_bits(n));
}

template <class T>
VITRO_INLINE void store(T* p, Plain<Vec<T>> v, i64 n) {
  u16 m = lane_bits(n);
  if constexpr (__is_same(T, bool)) {
    __builtin_ia32_storedquqi128_mask((X16*)p, (X16) __builtin_convertvector(v, Vec<u8>), m);
  } else if constexpr (sizeof(T) == 1) {
    __builtin_ia32_storedquqi128_mask((X16*)p, (X16)v, m);
  } else if constexpr (sizeof(T) == 2) {
    __builtin_ia32_storedquhi256_mask((X32*)p, (X32)v, m);
  } else if constexpr (sizeof(T) == 4) {
    __builtin_ia32_storedqusi512_mask((int*)p, (X64)v, m);
  } else {
    struct Halves {
      X64l half[2];
    };
    Halves h = __builtin_bit_cast(Halves, v);
    __builtin_ia32_storedqudi512_mask((long long*)p, h.half[0], u8(m));
    __builtin_ia32_storedqudi512_mask((long long*)p + 8, h.half[1], u8(m >> 8));
  }
}

#else

#if defined(__AVX2__)

typedef int Y32 __attribute__((vector_size(32)));
typedef long long Y64 __attribute__((vector_size(32)));

template <class T>
VITRO_INLINE Vec<T> load_masked(const T* p, i64 n) {
  if constexpr (sizeof(T) == 4) {
    const i32 count = n < 0 ? 0 : i32(n);
    struct {
      Y32 part[2];
    } v = {
        __builtin_ia32_maskloadd256((const Y32*)p, Y32{0, 1, 2, 3, 4, 5, 6, 7} < count),
        __builtin_ia32_maskloadd256((const Y32*)p + 1, Y32{8, 9, 10, 11, 12, 13, 14, 15} < count)};
    return __builtin_bit_cast(Vec<T>, v);
  } else {
    struct {
      Y64 part[4];
    } v = {__builtin_ia32_maskloadq256((const Y64*)p, Y64{0, 1, 2, 3} < n),
           __builtin_ia32_maskloadq256((const Y64*)p + 1, Y64{4, 5, 6, 7} < n),
           __builtin_ia32_maskloadq256((const Y64*)p + 2, Y64{8, 9, 10, 11} < n),
           __builtin_ia32_maskloadq256((const Y64*)p + 3, Y64{12, 13, 14, 15} < n)};
    return __builtin_bit_cast(Vec<T>, v);
  }
}

#endif

template <int count, class T>
VITRO_INLINE void copy_if(bool copies, const T*& from, T*& to) {
  if (!copies) return;
  __builtin_memcpy(to, from, count * sizeof(T));
  from += count;
  to += count;
}

template <class T>
VITRO_INLINE Vec<T> load(const T* p, i64 n) {
  if constexpr (is_half<T>) return from_bits<T>(load((const i16*)p, n));
  if constexpr (__is_same(T, bool)) return ne(load((const u8*)p, n), splat(u8(0)));
  if (n >= 16) return load(p);
#if defined(__AVX2__)
  if constexpr (sizeof(T) >= 4) return load_masked(p, n);
#endif
  T buffer[16] = {};
  T* to = buffer;
  const i64 count = n < 0 ? 0 : n;
  copy_if<8>(count & 8, p, to);
  copy_if<4>(count & 4, p, to);
  copy_if<2>(count & 2, p, to);
  copy_if<1>(count & 1, p, to);
  return load(buffer);
}

// Stores the lower half of the lanes if `stores`; returns the lanes that come next.
template <class T, class V>
VITRO_INLINE auto store_half(bool stores, T*& p, V v) {
  auto next = v.lo;
  if (!stores) return next;
  __builtin_memcpy(p, &next, sizeof next);
  p += sizeof next / sizeof(T);
  next = v.hi;
  return next;
}

template <class T>
VITRO_INLINE void store(T* p, Plain<Vec<T>> v, i64 n) {
  if constexpr (is_half<T>) {
    return store((i16*)p, bits(v), n);
  } else if constexpr (__is_same(T, bool)) {
    return store((u8*)p, __builtin_convertvector(v, Vec<u8>), n);
  } else {
    if (n >= 16) return store(p, v);
    if (n <= 0) return;
    const auto eight = store_half(n & 8, p, v);
    const auto four = store_half(n & 4, p, eight);
    const auto two = store_half(n & 2, p, four);
    if (n & 1) *p = two.x;
  }
}

#endif

// The same past the caches if `streams`: for results larger than the caches, whose lines would
// otherwise be read before they are written. Elements of one byte, partial vectors, and vectors
// whose address is not a multiple of half their size are stored normally. Streams two
// halves, because LLVM would merge the branches' stores of one type into one plain store.
template <class T>
VITRO_INLINE void store_or_stream(bool streams, T* p, Plain<Vec<T>> v) {
  if constexpr (sizeof(T) == 1) {
    store(p, v);
  } else if constexpr (is_half<T>) {
    store_or_stream(streams, (i16*)p, bits(v));
  } else if (streams && (u64)p % (8 * sizeof(T)) == 0) {
    auto low = v.lo, high = v.hi;
    __builtin_nontemporal_store(low, (decltype(low)*)p);
    __builtin_nontemporal_store(high, (decltype(high)*)p + 1);
  } else {
    store(p, v);
  }
}
template <class T>
VITRO_INLINE void store_or_stream(bool streams, T* p, Plain<Vec<T>> v, i64 n) {
  if (streams && n >= 16) return store_or_stream(streams, p, v);
  store(p, v, n);
}

// Call it before other threads may read streamed data: locks and atomics do not order such stores.
VITRO_INLINE void end_streams(bool streams) {
#if defined(__x86_64__)
  if (streams) __builtin_ia32_sfence();
#endif
}

// p[0], p[stride], p[2 * stride], ...
template <class T>
VITRO_INLINE Vec<T> load_strided(const T* p, i64 stride) {
  if constexpr (is_half<T>) return from_bits<T>(load_strided((const i16*)p, stride));
  if constexpr (__is_same(T, bool)) return ne(load_strided((const u8*)p, stride), splat(u8(0)));
  const T* q = p + 8 * stride;
  return Vec<T>{p[0],          p[stride],     p[2 * stride], p[3 * stride],
                p[4 * stride], p[5 * stride], p[6 * stride], p[7 * stride],
                q[0],          q[stride],     q[2 * stride], q[3 * stride],
                q[4 * stride], q[5 * stride], q[6 * stride], q[7 * stride]};
}

template <class T>
VITRO_INLINE Vec<T> load_strided(const T* p, i64 stride, i64 n) {
  if constexpr (is_half<T>) return from_bits<T>(load_strided((const i16*)p, stride, n));
  if (n >= 16) return load_strided(p, stride);
  T buffer[16] = {};
#pragma clang loop vectorize(disable) unroll(disable)
  for (i64 i = 0; i < n; ++i) buffer[i] = p[i * stride];
  return load(buffer);
}

template <class T>
VITRO_INLINE void store_strided(T* p, i64 stride, Plain<Vec<T>> v, i64 n = 16) {
  if constexpr (is_half<T>) return store_strided((i16*)p, stride, bits(v), n);
  T buffer[16];
  store(buffer, v);
#pragma clang loop vectorize(disable) unroll(disable)
  for (i64 i = 0; i < n && i < 16; ++i) p[i * stride] = buffer[i];
}

// base[index]: each element is loaded directly into its lane. Loading the vector from a buffer
// would stall on the sixteen stores before it.
template <class T, class I>
VITRO_INLINE Vec<T> gather(const T* base, Vec<I> index) {
  if constexpr (is_half<T>) return from_bits<T>(gather((const i16*)base, index));
  I at[16];
  store(at, index);
  Vec<T> v = {};
#pragma clang loop unroll(full)
  for (i64 i = 0; i < 16; ++i) v[i] = base[at[i]];
  return v;
}

// The same for the first n lanes, zero for the others, which read the first lane's element.
template <class T, class I>
VITRO_INLINE Vec<T> gather(const T* base, Vec<I> index, i64 n) {
  if constexpr (is_half<T>) return from_bits<T>(gather((const i16*)base, index, n));
  if (n >= 16) return gather(base, index);
  if (n <= 0) return Vec<T>{};
  const Mask first = first_lanes(n);
  return select(first, gather(base, select(first, index, splat(index[0]))), Vec<T>{});
}

// base[index] in the lanes of `m`, zero in the others, whose memory is not accessed.
template <class T, class I>
VITRO_INLINE Vec<T> gather(const T* base, Vec<I> index, Mask m) {
  if constexpr (is_half<T>) return from_bits<T>(gather((const i16*)base, index, m));
  I at[16];
  bool on[16];
  T buffer[16] = {};
  store(at, index);
  store(on, m);
#pragma clang loop vectorize(disable) unroll(disable)
  for (i64 i = 0; i < 16; ++i) {
    if (on[i]) buffer[i] = base[at[i]];
  }
  return load(buffer);
}

// base[index] = v for the first n lanes, in lane order.
template <class T, class I>
VITRO_INLINE void scatter(T* base, Vec<I> index, Plain<Vec<T>> v, i64 n = 16) {
  if constexpr (is_half<T>) return scatter((i16*)base, index, bits(v), n);
  I at[16];
  T buffer[16];
  store(at, index);
  store(buffer, v);
#pragma clang loop vectorize(disable) unroll(disable)
  for (i64 i = 0; i < n && i < 16; ++i) base[at[i]] = buffer[i];
}

VITRO_INLINE Bf16Vec load(const bf16* p) {
  return {load((const u16*)p)};
}
VITRO_INLINE Bf16Vec load(const bf16* p, i64 n) {
  return {load((const u16*)p, n)};
}
VITRO_INLINE void store(bf16* p, Bf16Vec v) {
  store((u16*)p, v.words);
}
VITRO_INLINE void store(bf16* p, Bf16Vec v, i64 n) {
  store((u16*)p, v.words, n);
}
template <class... N>
VITRO_INLINE void store_or_stream(bool streams, bf16* p, Bf16Vec v, N... n) {
  store_or_stream(streams, (u16*)p, v.words, n...);
}
VITRO_INLINE Bf16Vec load_strided(const bf16* p, i64 stride, i64 n = 16) {
  return {load_strided((const u16*)p, stride, n)};
}
VITRO_INLINE void store_strided(bf16* p, i64 stride, Bf16Vec v, i64 n = 16) {
  store_strided((u16*)p, stride, v.words, n);
}
template <class I, class... Which>
VITRO_INLINE Bf16Vec gather(const bf16* base, Vec<I> index, Which... n_or_mask) {
  return {gather((const u16*)base, index, n_or_mask...)};
}
template <class I>
VITRO_INLINE void scatter(bf16* base, Vec<I> index, Bf16Vec v, i64 n = 16) {
  scatter((u16*)base, index, v.words, n);
}

}  // namespace vitro::kernels::inline VITRO_ISA
