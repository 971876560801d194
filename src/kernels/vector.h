// Sixteen lanes of one element type, the same count on every machine; LLVM splits them into the
// registers that there are.
//   Vec<f32> y = fma(load(x), splat(2.0f), load(b));   store(out, y);   store(out + 16, y, 3);   //
//   three lanes only
// Arithmetic is written with operators; comparisons are functions and give a Mask.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define VITRO_ISA avx512
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define VITRO_ISA avx2
#else
#define VITRO_ISA baseline
#endif
#define VITRO_INLINE [[gnu::always_inline]] static inline

namespace vitro::kernels::inline VITRO_ISA {

using f32 = float;
using f64 = double;
using f16 = _Float16;
using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long;

// For storage only: most machines would process a vector of clang's own type lane by lane.
struct bf16 {
  u16 word;
};

inline constexpr i64 lanes = 16;
template <class T>
using Vec = T __attribute__((ext_vector_type(16)));
using Mask = Vec<bool>;
// Sixteen bf16 (there is no Vec<bf16>): splat, load, store, select, convert.
struct Bf16Vec {
  Vec<u16> words;
};

#if defined(__AVX512F__)
typedef float Wide __attribute__((vector_size(64)));  // the type that builtins take
#endif

template <int size>
struct Word;
template <>
struct Word<1> {
  using type = i8;
};
template <>
struct Word<2> {
  using type = i16;
};
template <>
struct Word<4> {
  using type = i32;
};
template <>
struct Word<8> {
  using type = i64;
};
// The signed integer type as wide as T.
template <class T>
using Bits = typename Word<sizeof(T)>::type;

template <class T>
struct Same {
  using type = T;
};
// A parameter that is not used to deduce T, so that plain numbers convert.
template <class T>
using Plain = typename Same<T>::type;

template <class T>
inline constexpr bool is_float = __is_same(T, f32) || __is_same(T, f64);
// f16 and bf16 are for storage: convert before computing.
template <class T>
inline constexpr bool is_half = __is_same(T, f16) || __is_same(T, bf16);
template <class T>
concept Whole = !is_float<T> && !is_half<T>;

template <class T>
VITRO_INLINE Vec<T> splat(T x) {
  return (Vec<T>)(x);
}
VITRO_INLINE Bf16Vec splat(bf16 x) {
  return {splat(x.word)};
}
template <class T>
VITRO_INLINE T lane0(Vec<T> v) {
  return v[0];
}
VITRO_INLINE bf16 lane0(Bf16Vec v) {
  return {v.words[0]};
}
template <class T>
VITRO_INLINE Vec<Bits<T>> bits(Vec<T> v) {
  return __builtin_bit_cast(Vec<Bits<T>>, v);
}
template <class T>
VITRO_INLINE Vec<T> from_bits(Vec<Bits<T>> v) {
  return __builtin_bit_cast(Vec<T>, v);
}
// 0, 1, ... 15.
template <class T = i64>
VITRO_INLINE Vec<T> iota() {
  return Vec<T>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

// The same mask, hidden from LLVM's optimiser with AVX-512.  LLVM 19 narrows a selection by an
// equality of floats to one lane if all its lanes are the same, and cannot select instructions for
// the result ("scalar_to_vector" of v1i1).
VITRO_INLINE Mask opaque(Mask m) {
#if defined(__AVX512F__)
  u16 word = __builtin_bit_cast(u16, m);
  asm("" : "+k"(word));
  return __builtin_bit_cast(Mask, word);
#else
  return m;
#endif
}

template <class T>
VITRO_INLINE Mask eq(Vec<T> a, Vec<T> b) {
  Mask m = __builtin_convertvector(a == b, Mask);
  if constexpr (is_float<T>) return opaque(m);
  return m;
}
template <class T>
VITRO_INLINE Mask ne(Vec<T> a, Vec<T> b) {
  Mask m = __builtin_convertvector(a != b, Mask);
  if constexpr (is_float<T>) return opaque(m);
  return m;
}
template <class T>
VITRO_INLINE Mask lt(Vec<T> a, Vec<T> b) {
  return __builtin_convertvector(a < b, Mask);
}
template <class T>
VITRO_INLINE Mask le(Vec<T> a, Vec<T> b) {
  return __builtin_convertvector(a <= b, Mask);
}
template <class T>
VITRO_INLINE Mask gt(Vec<T> a, Vec<T> b) {
  return lt(b, a);
}
template <class T>
VITRO_INLINE Mask ge(Vec<T> a, Vec<T> b) {
  return le(b, a);
}
VITRO_INLINE Mask not_(Mask m) {
  return m ^ (Mask)(true);
}
template <class T>
VITRO_INLINE Mask isnan(Vec<T> a) {
  return __builtin_convertvector(a != a, Mask);
}

// Lanes of `a` where `m`, else of `b`.
template <class T>
VITRO_INLINE Vec<T> select(Mask m, Vec<T> a, Vec<T> b) {
  if constexpr (__is_same(T, bool)) {
    return (m & a) | (not_(m) & b);
  } else if constexpr (is_half<T>) {
    return from_bits<T>(select(m, bits(a), bits(b)));
  } else {
    return (__builtin_convertvector(m, Vec<Bits<T>>) != 0) ? a : b;
  }
}

VITRO_INLINE Bf16Vec select(Mask m, Bf16Vec a, Bf16Vec b) {
  return {select(m, a.words, b.words)};
}

// a * b + c, rounded once.
template <class T>
VITRO_INLINE Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) {
  return __builtin_elementwise_fma(a, b, c);
}
template <class T>
VITRO_INLINE Vec<T> abs(Vec<T> v) {
  return __builtin_elementwise_abs(v);
}
template <class T>
VITRO_INLINE Mask isinf(Vec<T> v) {
  return eq(abs(v), splat(T(__builtin_inf())));
}
// The magnitude of `a` with the sign of `b`.
template <class T>
VITRO_INLINE Vec<T> copysign(Vec<T> a, Vec<T> b) {
  return __builtin_elementwise_copysign(a, b);
}

// a > b ? a : b and a < b ? a : b, each in one instruction; LLVM does not find it if the choice is
// part of another one.
template <class T>
VITRO_INLINE Vec<T> larger(Vec<T> a, Vec<T> b) {
#if defined(__AVX512F__)
  if constexpr (__is_same(T, f32)) return (Vec<f32>)__builtin_ia32_maxps512((Wide)a, (Wide)b, 4);
#endif
  return (a > b) ? a : b;
}
template <class T>
VITRO_INLINE Vec<T> lesser(Vec<T> a, Vec<T> b) {
#if defined(__AVX512F__)
  if constexpr (__is_same(T, f32)) return (Vec<f32>)__builtin_ia32_minps512((Wide)a, (Wide)b, 4);
#endif
  return (a < b) ? a : b;
}
// The larger, `a` if they are equal; a NaN on either side is the result. One instruction if `b` is
// a constant.
template <class T>
VITRO_INLINE Vec<T> maximum(Vec<T> a, Vec<T> b) {
  return (b != b) ? b : larger(b, a);
}
// The smaller, `a` if they are equal; a NaN on either side is the result. One instruction if `b` is
// a constant.
template <class T>
VITRO_INLINE Vec<T> minimum(Vec<T> a, Vec<T> b) {
  return (b != b) ? b : lesser(b, a);
}
VITRO_INLINE Mask maximum(Mask a, Mask b) {
  return a | b;
}
VITRO_INLINE Mask minimum(Mask a, Mask b) {
  return a & b;
}
// The larger; a NaN on one side is ignored.
template <class T>
VITRO_INLINE Vec<T> fmax(Vec<T> a, Vec<T> b) {
  return (b != b) ? a : ((a > b) ? a : b);
}
// The smaller; a NaN on one side is ignored.
template <class T>
VITRO_INLINE Vec<T> fmin(Vec<T> a, Vec<T> b) {
  return (b != b) ? a : ((a < b) ? a : b);
}

}  // namespace vitro::kernels::inline VITRO_ISA
