// Tests of parts that only kernels can call, lane by lane against plain loops; parts_test.cpp runs
// them on every instruction set.
#include "kernels/convert.h"
#include "kernels/exp.h"
#include "kernels/integer.h"
#include "kernels/philox.h"
#include "kernels/reduce.h"
#include "kernels/sort.h"
#include "kernels/window.h"
#include "kernels_under_test.h"

namespace vitro::kernels_test::VITRO_ISA {

using namespace vitro::kernels;

template <class T>
static bool differ(T a, T b) {
  return __builtin_memcmp(&a, &b, sizeof a) != 0;
}

// Element i of a pattern that every type can represent.
template <class T>
static T pattern(i64 i) {
  if constexpr (__is_same(T, bool))
    return i % 3 == 1;
  else if constexpr (is_half<T>)
    return __builtin_bit_cast(T, u16(i % 100 + 1));
  else
    return T(i % 100 + 1);
}

// Loads and stores with every count, at the end of accessible memory.
template <class T>
static const char* memory(unsigned char* page_end) {
  for (i64 n = -1; n <= 17; ++n) {
    i64 valid = n < 0 ? 0 : n > 16 ? 16 : n;
    T* p = (T*)page_end - valid;
    for (i64 i = 0; i < valid; ++i) p[i] = pattern<T>(i);
    auto v = load(p, n);
    T got[16];
    store(got, v);
    for (i64 i = 0; i < 16; ++i) {
      if (differ(got[i], i < valid ? pattern<T>(i) : T{})) return "load with a count";
    }
    for (i64 i = 0; i < valid; ++i) p[i] = T{};
    p[-1] = pattern<T>(50);
    store(p, v, n);
    for (i64 i = -1; i < valid; ++i) {
      if (differ(p[i], i < 0 ? pattern<T>(50) : pattern<T>(i))) return "store with a count";
    }
  }
  return nullptr;
}

// Stores at aligned addresses, where they are streamed, and one element before.
template <class T>
static const char* streamed(unsigned char* page_end) {
  for (i64 n = -1; n <= 17; ++n) {
    for (i64 before = 0; before < 2; ++before) {
      T* p = (T*)page_end - 16 - before;
      T values[16];
      for (i64 i = 0; i < 16; ++i) values[i] = pattern<T>(i), p[i] = pattern<T>(50);
      if (n == 17)
        store_or_stream(true, p, load(values));
      else
        store_or_stream(true, p, load(values), n);
      end_streams(true);
      for (i64 i = 0; i < 16; ++i) {
        if (differ(p[i], pattern<T>(i < n ? i : 50))) return "streamed store";
      }
    }
  }
  return nullptr;
}

template <class T>
static const char* strided(unsigned char* page_end) {
  const i64 strides[] = {1, 2, 5};
  for (i64 stride : strides) {
    for (i64 n = 0; n <= 16; ++n) {
      T* p = (T*)page_end - (n ? (n - 1) * stride + 1 : 0);
      for (i64 i = 0; i < n; ++i) p[i * stride] = pattern<T>(i);
      auto v = load_strided(p, stride, n);
      auto w = gather(p, iota<i64>() * stride, n);
      auto x = gather(p, iota<i32>() * i32(stride), first_lanes(n));
      T got[3][16];
      store(got[0], v), store(got[1], w), store(got[2], x);
      for (i64 i = 0; i < 48; ++i) {
        if (differ(got[i / 16][i % 16], i % 16 < n ? pattern<T>(i % 16) : T{}))
          return "strided load or gather";
      }
      for (i64 i = 0; i < n; ++i) p[i * stride] = T{};
      if (stride == 2)
        scatter(p, iota<i64>() * stride, v, n);
      else
        store_strided(p, stride, v, n);
      for (i64 i = 0; i < n; ++i) {
        if (differ(p[i * stride], pattern<T>(i))) return "strided store or scatter";
      }
    }
  }
  return nullptr;
}

// Lanes [first, end): the last one is the last element of the page; memory after it must not be
// accessed.
template <class T>
static const char* between(unsigned char* page_end) {
  const i64 strides[] = {1, 2, 3};
  for (i64 stride : strides) {
    for (i64 first = -1; first <= 17; ++first) {
      for (i64 end = -1; end <= 17; ++end) {
        const i64 from = first < 0 ? 0 : first, to = end > 16 ? 16 : end;
        T* p = (T*)page_end - (to > 0 ? (to - 1) * stride + 1 : 0);
        for (i64 i = from; i < to; ++i) p[i * stride] = pattern<T>(i);
        T got[16];
        store(got, load_strided_between(p, stride, first, end));
        for (i64 i = 0; i < 16; ++i) {
          if (differ(got[i], i >= from && i < to ? pattern<T>(i) : T{})) return "strided between";
        }
        if (stride != 1) continue;
        store(got, load_between(p, first, end));
        for (i64 i = 0; i < 16; ++i) {
          if (differ(got[i], i >= from && i < to ? pattern<T>(i) : T{})) return "load between";
        }
      }
    }
  }
  return nullptr;
}

template <template <class> class Test>
struct All;

template <class T>
struct Memory {
  static const char* run(unsigned char* end) {
    const char* wrong = memory<T>(end);
    if (!wrong) wrong = streamed<T>(end);
    if (!wrong) wrong = strided<T>(end);
    return wrong ? wrong : between<T>(end);
  }
};

template <template <class> class Test, class... T>
static const char* for_types(unsigned char* end) {
  const char* wrong = nullptr;
  (void)((wrong = Test<T>::run(end)) || ...);
  return wrong;
}

static const char* memory_test(unsigned char* end) {
  return for_types<Memory, f32, f64, f16, bf16, i8, i16, i32, i64, u8, bool>(end);
}

static bool gives(Bf16Vec v, u16 want) {
  return v.words[3] == want;
}
static bool gives(Vec<f16> v, u16 want) {
  return __builtin_bit_cast(Vec<u16>, v)[3] == want;
}

static const char* halves_test(unsigned char*) {
  f32 nan = __builtin_nanf(""), inf = __builtin_inff();
  struct {
    f32 x;
    u16 b, h;  // the bits of torch's x.bfloat16() and x.half()
  } cases[] = {
      {0.0f, 0, 0},
      {-0.0f, 0x8000, 0x8000},
      {1.0f, 0x3f80, 0x3c00},
      {inf, 0x7f80, 0x7c00},
      {-inf, 0xff80, 0xfc00},
      {1.00390625f, 0x3f80, 0x3c04},  // a tie of bf16, to even
      {1.01171875f, 0x3f82, 0x3c0c},  // the next tie, to even
      {0x1.004p0f, 0x3f80, 0x3c01},
      {0x1.002p0f, 0x3f80, 0x3c00},
      {0x1.006p0f, 0x3f80, 0x3c02},
      {65504.0f, 0x4780, 0x7bff},
      {65519.996f, 0x4780, 0x7bff},
      {65520.0f, 0x4780, 0x7c00},
      {3.4e38f, 0x7f80, 0x7c00},
      {0x1p-24f, 0x3380, 0x0001},
      {0x1p-25f, 0x3300, 0x0000},
      {0x1.8p-25f, 0x3340, 0x0001},
      {0x1.fp-15f, 0x3878, 0x03e0},
      {1e-40f, 0x0001, 0x0000},
  };
  for (auto& c : cases) {
    if (!gives(convert<bf16>(splat(c.x)), c.b)) return "f32 to bf16";
    if (!gives(convert<f16>(splat(c.x)), c.h)) return "f32 to f16";
    if (!gives(convert<f16>(splat(f64(c.x))), c.h)) return "f64 to f16";
  }
  if (!reduce_all(isnan(convert<f32>(convert<bf16>(splat(nan)))))) return "NaN through bf16";
  if (!reduce_all(isnan(convert<f32>(convert<f16>(splat(nan)))))) return "NaN through f16";
  for (i32 i = 0; i < 0x10000; ++i) {
    f16 h = __builtin_bit_cast(f16, u16(i));
    if ((i & 0x7c00) == 0x7c00 && (i & 0x3ff)) continue;
    if (!gives(convert<f16>(convert<f32>(splat(h))), u16(i))) return "f16 to f32 and back";
    if ((i & 0x7f80) == 0x7f80 && (i & 0x7f)) continue;
    if (!gives(convert<bf16>(convert<f32>(Bf16Vec{splat(u16(i))})), u16(i)))
      return "bf16 to f32 and back";
  }
  return nullptr;
}

static const char* integers_from_floats_test(unsigned char*) {
  f32 nan = __builtin_nanf("");
  struct {
    f32 x;
    i32 i;
    i64 l;
    u8 u;
    bool b;
  } cases[] = {
      {0.0f, 0, 0, 0, false},
      {-0.0f, 0, 0, 0, false},
      {2.9f, 2, 2, 2, true},
      {-2.9f, -2, -2, 254, true},
      {300.0f, 300, 300, 44, true},
      {-1.0f, -1, -1, 255, true},
      {0.4f, 0, 0, 0, true},
      {2147483648.0f, i32(0x80000000), 2147483648, 0, true},
      {-2147483648.0f, i32(0x80000000), -2147483648, 0, true},
      {1e30f, i32(0x80000000), i64(0x8000000000000000), 0, true},
      {nan, i32(0x80000000), i64(0x8000000000000000), 0, true},
  };
  for (auto& c : cases) {
    Vec<f32> x = splat(c.x);
    Vec<f64> d = splat(f64(c.x));
    if (convert<i32>(x)[5] != c.i || convert<i32>(d)[5] != c.i) return "float to i32";
    if (convert<i64>(x)[5] != c.l || convert<i64>(d)[5] != c.l) return "float to i64";
    if (convert<u8>(x)[5] != c.u || convert<i8>(x)[5] != i8(c.u)) return "float to 8 bits";
    if (reduce_any(convert<bool>(x)) != c.b) return "float to bool";
  }
  if (convert<i32>(splat(-2147483648.5))[0] != i32(0x80000000) ||
      convert<i32>(splat(2147483647.5))[0] != 2147483647) {
    return "f64 to i32 at the ends";
  }
  if (convert<i8>(splat(i32(300)))[0] != 44 || convert<f32>(splat(true))[0] != 1.0f ||
      convert<i64>(splat(i8(-3)))[0] != -3) {
    return "integer to others";
  }
  return nullptr;
}

static const char* reductions_test(unsigned char*) {
  Vec<f32> v;
  f32 plain[16];
  for (int i = 0; i < 16; ++i) plain[i] = 1.0f / f32(i + 1) - 0.1f;
  v = load(plain);
  for (int width = 8; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) plain[i] = plain[i] + plain[i + width];
  }
  if (differ(reduce_sum(v), plain[0])) return "reduce_sum in its order";
  if (reduce_max(iota<i64>()) != 15 || reduce_min(iota<i32>() - 3) != -3)
    return "reduce_max, reduce_min";
  if (reduce_product(select(first_lanes(3), splat(2.0), splat(1.0))) != 8.0)
    return "reduce_product";
  if (!reduce_any(first_lanes(1)) || reduce_any(first_lanes(0)) || reduce_all(first_lanes(15)) ||
      !reduce_all(first_lanes(16))) {
    return "reduce_any, reduce_all";
  }
  Vec<f32> with_nan = select(first_lanes(1), splat(__builtin_nanf("")), splat(1.0f));
  if (reduce_max(with_nan) == reduce_max(with_nan)) return "NaN through reduce_max";
  if (rotate<3>(iota<i32>())[15] != 2) return "rotate";
  return nullptr;
}

template <class T>
static const char* integers() {
  constexpr T lowest = is_signed<T> ? T(T(1) << (sizeof(T) * 8 - 1)) : T(0);
  T values[] = {T(7), T(-7), T(3), T(-3), T(0), T(1), T(-1), lowest, T(lowest + 1), T(100)};
  for (T a : values) {
    for (T b : values) {
      if (b == 0) {
        if (floor_div(splat(a), splat(b))[0] != 0 || remainder(splat(a), splat(b))[0] != 0)
          return "division by zero";
        continue;
      }
      bool wraps = is_signed<T> && a == lowest && b == T(-1);
      T q = wraps ? lowest : T(a / b), r = wraps ? T(0) : T(a % b);
      if (trunc_div(splat(a), splat(b))[2] != q || fmod(splat(a), splat(b))[2] != r)
        return "division towards zero";
      bool down = r != 0 && (r < 0) != (b < 0);
      if (floor_div(splat(a), splat(b))[2] != T(q - down) ||
          remainder(splat(a), splat(b))[2] != T(down ? r + b : r)) {
        return "division downwards";
      }
    }
  }
  constexpr T width = T(sizeof(T) * 8);
  if (shift_left(splat(T(3)), splat(T(2)))[0] != 12 ||
      shift_left(splat(T(3)), splat(width))[0] != 0)
    return "shift_left";
  if (shift_right(splat(T(12)), splat(T(2)))[0] != 3 ||
      shift_right(splat(T(12)), splat(width))[0] != 0)
    return "shift_right";
  if (is_signed<T> && shift_right(splat(T(-1)), splat(T(100)))[0] != T(-1))
    return "shift_right of a negative number";
  return nullptr;
}

static const char* integers_test(unsigned char*) {
  const char* (*const tests[])() = {integers<i8>, integers<i16>, integers<i32>, integers<i64>,
                                    integers<u8>};
  for (auto* test : tests) {
    if (const char* wrong = test()) return wrong;
  }
  return nullptr;
}

static const char* select_test(unsigned char*) {
  Mask m = lt(iota<i32>(), splat(5));
  if (reduce_sum(select(m, splat(1.0), splat(0.0))) != 5.0) return "select of f64";
  if (reduce_sum(convert<i32>(select(m, splat(u8(1)), splat(u8(0))))) != 5) return "select of u8";
  if (reduce_sum(convert<f32>(select(m, convert<bf16>(splat(1.0f)), convert<bf16>(splat(0.0f))))) !=
      5.0f)
    return "select of bf16";
  if (!reduce_all(select(m, m, not_(m)))) return "select of bool";
  if (exp(0.0f) != 1.0f || exp(1.0) != 2.718281828459045) return "scalar exp";
  return nullptr;
}

// Element i of a row that is hard to sort.
template <class T>
static T hard_to_order(int row, i64 i, i64 n) {
  const u64 noise = (u64(i) + 1) * 0x9e3779b97f4a7c15u >> 20;
  const i64 number = row == 0   ? i64(noise % 251)
                     : row == 1 ? i % 97
                     : row == 2 ? (n - i) % 97
                     : row == 3 ? (i < n - i ? i : n - i) % 97
                     : row == 4 ? i % 3
                                : 7;
  if constexpr (__is_same(T, bool)) {
    return number % 2 == 1;
  } else if constexpr (is_half<T>) {  // any bit pattern, including NaN and both zeros
    return __builtin_bit_cast(T, u16(row == 0 ? noise : number * 512));
  } else if constexpr (is_float<T>) {
    if (row == 0 && i % 5 == 3) return i % 2 ? T(__builtin_nanf("")) : -T(__builtin_nanf(""));
    if (row == 4) return i % 3 == 0 ? T(0) : i % 3 == 1 ? -T(0) : T(__builtin_inff());
    return T(number - 120) * T(0.37);
  } else {
    return row == 0 ? T(noise) : T(number);
  }
}

template <class T>
static f64 as_number(T x) {
  if constexpr (__is_same(T, bf16)) {
    return __builtin_bit_cast(f32, u32(x.word) << 16);
  } else {
    return f64(x);
  }
}
template <class T>
static bool comes_before(T a, T b, bool descending) {
  if constexpr (is_float<T> || is_half<T>) {
    const f64 first = as_number(descending ? b : a), second = as_number(descending ? a : b);
    return second != second ? first == first : first < second;
  } else {
    return descending ? b < a : a < b;
  }
}

// Checks that the result is a stable order of elements of the row, and that no smaller one is left
// out.
template <class T>
static const char* in_order(const T* x, i64 n, i64 count, bool descending) {
  static u64 scratch[4 * 17000];
  static T values[2 * 17000];
  static i64 indices[17000];
  static bool taken[17000];
  __builtin_memset(taken, 0, sizeof taken);
  indices[count] = -1;
  sort_row(x, n, count, descending, values, 2, indices, 1, scratch);
  if (indices[count] != -1) return "sort writes after the last";
  for (i64 i = 0; i < count; ++i) {
    const i64 at = indices[i];
    if (at < 0 || at >= n || taken[at]) return "sort takes an element twice";
    taken[at] = true;
    if (differ(values[2 * i], x[at])) return "sort gives the value of another element";
    if (i == 0) continue;
    const i64 before = indices[i - 1];
    if (comes_before(x[at], x[before], descending)) return "sort result is not ordered";
    if (at < before && !comes_before(x[before], x[at], descending)) return "sort is not stable";
  }
  const i64 last = count > 0 ? indices[count - 1] : 0;
  for (i64 at = 0; count > 0 && at < n; ++at) {
    if (taken[at]) continue;
    if (comes_before(x[at], x[last], descending)) return "sort leaves out an element";
    if (at < last && !comes_before(x[last], x[at], descending))
      return "sort takes a later one of equal elements";
  }
  return nullptr;
}

// Rows at the end of accessible memory, and long ones.
template <class T>
struct Sorts {
  static const char* run(unsigned char* end) {
    static T row[16999];
    const i64 sizes[] = {0, 1, 2, 15, 16, 17, 63, 64, 65, 200, 511, 3000, 16999};
    for (i64 n : sizes) {
      T* x = n < 512 ? (T*)end - n : row;
      for (int hard = 0; hard < 6; ++hard) {
        for (i64 i = 0; i < n; ++i) x[i] = hard_to_order<T>(hard, i, n);
        const i64 counts[] = {n, 0, 1, 10, n / 20, n / 2};
        for (i64 count : counts) {
          if (count > n) continue;
          const char* wrong = in_order(x, n, count, hard % 2 == 1);
          if (!wrong) wrong = in_order(x, n, count, hard % 2 == 0);
          if (wrong) return wrong;
        }
      }
    }
    return nullptr;
  }
};

static const char* sort_test(unsigned char* end) {
  return for_types<Sorts, f32, f64, f16, bf16, i8, i16, i32, i64, u8, bool>(end);
}

// Philox 4x32-10 of one index, by its definition.
static i64 random_word(u64 seed, u64 stream, u64 index) {
  u32 c[4] = {u32(index / 4), u32(index / 4 >> 32), u32(stream), u32(stream >> 32)};
  u32 k[2] = {u32(seed), u32(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    u64 p = 0xD2511F53ul * c[0], q = 0xCD9E8D57ul * c[2];
    u32 next[4] = {u32(q >> 32) ^ c[1] ^ k[0], u32(q), u32(p >> 32) ^ c[3] ^ k[1], u32(p)};
    for (int i = 0; i < 4; ++i) c[i] = next[i];
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c[index % 4];
}

static const char* random_words(unsigned char*) {
  const u64 seed = 0xFEDCBA9876543210, stream = 0x123456789ABCDEF;
  const i64 starts[] = {-15, -4, -1, 0, 1, 2, 3, 16, 0xFFFFFFF7, (1l << 34) - 9, 1l << 40};
  const i64 steps[] = {1, 0, 2, 7, 1l << 33};
  for (i64 start : starts) {
    for (i64 step : steps) {
      Vec<i64> index = splat(start) + iota() * splat(step);
      Vec<i64> used = Vec<i64>(index >= 0);
      Vec<i64> got = philox(index, splat(i64(seed)) & used, splat(i64(stream)) & used);
      for (int i = 0; i < 16; ++i) {
        if (index[i] < 0) continue;
        if (got[i] != random_word(seed, stream, u64(index[i]))) return "a word of philox";
      }
    }
  }
  return nullptr;
}

extern const PartTest part_tests[] = {
    {"memory", memory_test},
    {"halves", halves_test},
    {"integers from floats", integers_from_floats_test},
    {"reductions", reductions_test},
    {"integers", integers_test},
    {"select", select_test},
    {"sort", sort_test},
    {"philox", random_words},
    {},
};

}  // namespace vitro::kernels_test::VITRO_ISA
