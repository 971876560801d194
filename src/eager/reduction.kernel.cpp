// Reductions, sixteen lanes at a time; the order is that of vitro/ops/reduce.h.
#include "eager/kernel_table.h"
#include "eager/lane.h"
#include "vitro/ops/all.h"

namespace vitro::eager::inline VITRO_ISA {
namespace {

template <class T>
VITRO_INLINE Lane<i64> numbers(i64 first, i64 step) {
  return k::splat(first) + k::iota<i64>() * step;
}

// The lanes of a state, as they stand in memory.
template <class... T>
struct Stored;
template <class T>
struct Stored<std::tuple<Lane<T>>> {
  k::Vec<T> a;
  [[gnu::always_inline]] std::tuple<Lane<T>> get() const { return {Lane<T>(a)}; }
  [[gnu::always_inline]] void set(const std::tuple<Lane<T>>& s) { a = std::get<0>(s).v; }
};
template <class T, class U>
struct Stored<std::tuple<Lane<T>, Lane<U>>> {
  k::Vec<T> a;
  k::Vec<U> b;
  [[gnu::always_inline]] std::tuple<Lane<T>, Lane<U>> get() const {
    return {Lane<T>(a), Lane<U>(b)};
  }
  [[gnu::always_inline]] void set(const std::tuple<Lane<T>, Lane<U>>& s) {
    a = std::get<0>(s).v, b = std::get<1>(s).v;
  }
};

template <class T>
VITRO_INLINE std::tuple<Lane<T>> choose(Truth take, std::tuple<Lane<T>> a, std::tuple<Lane<T>> b) {
  return {m::where(take, std::get<0>(a), std::get<0>(b))};
}
template <class T, class U>
VITRO_INLINE std::tuple<Lane<T>, Lane<U>> choose(Truth take, std::tuple<Lane<T>, Lane<U>> a,
                                                 std::tuple<Lane<T>, Lane<U>> b) {
  return {m::where(take, std::get<0>(a), std::get<0>(b)),
          m::where(take, std::get<1>(a), std::get<1>(b))};
}
template <int by, class T>
VITRO_INLINE std::tuple<Lane<T>> rotated(std::tuple<Lane<T>> s) {
  return {Lane<T>(k::rotate<by>(std::get<0>(s).v))};
}
template <int by, class T, class U>
VITRO_INLINE std::tuple<Lane<T>, Lane<U>> rotated(std::tuple<Lane<T>, Lane<U>> s) {
  return {Lane<T>(k::rotate<by>(std::get<0>(s).v)), Lane<U>(k::rotate<by>(std::get<1>(s).v))};
}

template <class T>
constexpr Compute compute_of() {
  if (__is_same(T, f32)) return Compute::f32;
  if (__is_same(T, f64)) return Compute::f64;
  if (__is_same(T, i32)) return Compute::i32;
  return __is_same(T, i64) ? Compute::i64 : Compute::boolean;
}

template <class>
struct ElementOf;
template <class T>
struct ElementOf<Lane<T>> {
  using type = T;
};

template <class Op, class T>
struct Kernels {
  using State = decltype(Op::init(Lane<T>(0.0)));
  using Memory = Stored<State>;

  static void init(void* states, i64 count) {
    Memory fresh;
    fresh.set(Op::init(Lane<T>(0.0)));
    for (i64 i = 0; i < count; ++i) static_cast<Memory*>(states)[i] = fresh;
  }

  static void row(const void* from, i64 n, i64 index, void* memory) {
    const T* x = static_cast<const T*>(from);
    Memory& m = *static_cast<Memory*>(memory);
    State s = m.get();
    i64 i = 0;
    for (; i + 16 <= n; i += 16)
      s = Op::combine(s, Lane<T>(k::load(x + i)), numbers<T>(index + i, 1));
    if (i < n) {
      const State more = Op::combine(s, Lane<T>(k::load(x + i, n - i)), numbers<T>(index + i, 1));
      s = choose(Truth(k::first_lanes(n - i)), more, s);
    }
    m.set(s);
  }

  // `vectors` states side by side, all rows.
  template <int vectors>
  VITRO_INLINE void block(const T* x, i64 row_stride, i64 rows, i64 columns, i64 index, Memory* m) {
    State s[vectors];
    for (int j = 0; j < vectors; ++j) s[j] = m[j].get();
    for (i64 r = 0; r < rows; ++r, x += row_stride) {
      for (int j = 0; j < vectors; ++j) {
        const k::Vec<T> v = vectors > 1 ? k::load(x + 16 * j) : k::load(x, columns);
        s[j] = Op::combine(s[j], Lane<T>(v), numbers<T>(index + r, 0));
      }
    }
    for (int j = 0; j < vectors; ++j) m[j].set(s[j]);
  }

  static void columns(const void* from, i64 row_stride, i64 rows, i64 columns, i64 index,
                      void* memory) {
    const T* x = static_cast<const T*>(from);
    Memory* m = static_cast<Memory*>(memory);
    i64 j = 0;
    for (; j + 64 <= columns; j += 64) block<4>(x + j, row_stride, rows, 64, index, m + j / 16);
    for (; j < columns; j += 16) block<1>(x + j, row_stride, rows, columns - j, index, m + j / 16);
  }

  static void merge_lanes(void* memory) {
    Memory& m = *static_cast<Memory*>(memory);
    State s = m.get();
    s = Op::merge(s, rotated<8>(s));
    s = Op::merge(s, rotated<4>(s));
    s = Op::merge(s, rotated<2>(s));
    s = Op::merge(s, rotated<1>(s));
    m.set(s);
  }

  static void merge(void* into, const void* from, i64 count) {
    for (i64 i = 0; i < count; ++i) {
      Memory& m = static_cast<Memory*>(into)[i];
      m.set(Op::merge(m.get(), static_cast<const Memory*>(from)[i].get()));
    }
  }

  static auto finished(const Memory& m, i64 elements) {
    return Op::finish(m.get(), Lane<T>(k::splat(static_cast<T>(elements))));
  }
  using Result = decltype(finished(std::declval<const Memory&>(), 0));
  // One result per lane.
  static void finish(const void* states, i64 elements, void* out, i64 count) {
    const Memory* m = static_cast<const Memory*>(states);
    using Element = typename ElementOf<Result>::type;
    for (i64 i = 0; i < count; i += 16)
      k::store(static_cast<Element*>(out) + i, finished(m[i / 16], elements).v, count - i);
  }
};

template <class Op, class T>
VITRO_INLINE void add_kernel(KernelTable& table, int place) {
  using K = Kernels<Op, T>;
  static_assert(sizeof(typename K::Memory) <= most_state_bytes);
  table.reduction[place][static_cast<int>(compute_of<T>())] = {
      sizeof(typename K::Memory),
      compute_of<typename ElementOf<typename K::Result>::type>(),
      &K::init,
      &K::row,
      &K::columns,
      &K::merge_lanes,
      &K::merge,
      &K::finish};
}

struct Fill {
  KernelTable& table;
  int place = 0;
  template <class Op>
  void operator()() {
    if constexpr (Op::states != ops::Accepts::not_floating) {
      add_kernel<Op, f32>(table, place);
      add_kernel<Op, f64>(table, place);
    }
    if constexpr (Op::states != ops::Accepts::floating) {
      add_kernel<Op, i32>(table, place);
      add_kernel<Op, i64>(table, place);
    }
    if constexpr (Op::states == ops::Accepts::all || Op::states == ops::Accepts::not_floating)
      add_kernel<Op, bool>(table, place);
    ++place;
  }
};

}  // namespace

void fill_reduction(KernelTable& table) {
  ops::ReductionOps::each(Fill{table});
}

}  // namespace vitro::eager::inline VITRO_ISA
