// Kernels of reductions on sixteen lanes, in the order defined in vitro/ops/reduce.h.
#include "eager/kernel_table.h"
#include "eager/lane.h"
#include "vitro/ops/all.h"

namespace vitro::eager::inline VITRO_ISA {
namespace {

template <class T>
VITRO_INLINE Lane<i64> numbers(i64 first, i64 step) {
  return k::splat(first) + k::iota<i64>() * step;
}

// The lanes of a state in memory.
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
  static constexpr bool rounds = Op::rounds && is_real<T>;
  static constexpr i64 steps = ops::reduction_steps, run = 16 * steps;

  // A state of two vectors fills the registers of any machine: its steps may be functions.
  static constexpr bool is_pair = sizeof(Memory) > sizeof(k::Vec<T>);
  VITRO_PART static void combine_apart(Memory& s, const Lane<T>& x, const Lane<i64>& index) {
    s.set(Op::combine(s.get(), x, index));
  }
  VITRO_PART static void merge_apart(Memory& a, const Memory& b) {
    a.set(Op::merge(a.get(), b.get()));
  }
  VITRO_INLINE State combined(State s, Lane<T> x, Lane<i64> index) {
    if constexpr (!is_pair) return Op::combine(s, x, index);
    Memory m;
    m.set(s);
    combine_apart(m, x, index);
    return m.get();
  }
  VITRO_INLINE State merged(State a, State b) {
    if constexpr (!is_pair) return Op::merge(a, b);
    Memory m, more;
    m.set(a), more.set(b);
    merge_apart(m, more);
    return m.get();
  }

  VITRO_INLINE State fresh() { return Op::init(Lane<T>(0.0)); }
  static void init(void* states, i64 count) {
    for (i64 i = 0; i < count; ++i) static_cast<Memory*>(states)[i].set(fresh());
  }

  // Folds n more elements into `memory`.
  VITRO_PART static void fold(Memory& memory, const T* x, i64 n, i64 index) {
    State s = memory.get();
    i64 i = 0;
    for (; i + 16 <= n; i += 16) s = combined(s, Lane<T>(k::load(x + i)), numbers<T>(index + i, 1));
    if (i < n) {
      const State more = combined(s, Lane<T>(k::load(x + i, n - i)), numbers<T>(index + i, 1));
      s = choose(Truth(k::first_lanes(n - i)), more, s);
    }
    memory.set(s);
  }
  VITRO_INLINE State folded(const State& s, const T* x, i64 n, i64 index) {
    Memory memory;
    memory.set(s);
    fold(memory, x, n, index);
    return memory.get();
  }

  VITRO_INLINE k::Vec<T> plain(const State& s) { return std::get<0>(s).v; }
  VITRO_INLINE k::Vec<T> plain_merged(k::Vec<T> a, k::Vec<T> b) {
    return plain(merged(State{a}, State{b}));
  }
  struct Merge {
    [[gnu::always_inline]] k::Vec<T> operator()(k::Vec<T> a, k::Vec<T> b) const {
      return plain_merged(a, b);
    }
  };

  VITRO_INLINE void row_in_blocks(const T* x, i64 n, T* parts, i64 number) {
    for (i64 i = 0; i < n; i += run, ++number) {
      const i64 some = n - i < run ? n - i : run;
      k::tree_add(parts, 16, number, plain(folded(fresh(), x + i, some, 0)), Merge());
    }
  }

  // Four independent pieces at a time, to hide latency, merged in order.  Pieces are short, because
  // reading from addresses a kilobyte apart is slower.
  [[gnu::noinline]] static State row_after(State s, const T* x, i64 n, i64 index) {
    if constexpr (is_real<T> && !is_pair) {
      for (i64 piece; n >= 64; x += 4 * piece, n -= 4 * piece) {
        piece = n < 256 ? n / 64 * 16 : 64;
        State a = fresh(), b = fresh(), c = fresh(), d = fresh();
        for (i64 i = 0; i < piece; i += 16) {
          const auto take = [&](State& t, const T* from) __attribute__((always_inline)) {
            t = combined(t, Lane<T>(k::load(from + i)), numbers<T>(0, 0));
          };
          take(a, x), take(b, x + piece), take(c, x + 2 * piece), take(d, x + 3 * piece);
        }
        s = merged(s, merged(merged(a, b), merged(c, d)));
      }
      return folded(s, x, n, 0);
    } else {
      for (i64 i = 0; i < n; i += run)
        s = merged(s, folded(fresh(), x + i, n - i < run ? n - i : run, index + i));
      return s;
    }
  }

  static void row(const void* from, i64 n, i64 index, void* parts, i64 number) {
    const T* x = static_cast<const T*>(from);
    if constexpr (rounds) {
      row_in_blocks(x, n, static_cast<T*>(parts), number);
    } else {
      Memory& m = *static_cast<Memory*>(parts);
      m.set(row_after(m.get(), x, n, index));
    }
  }

  // Folds a block of rows of up to sixteen columns.
  VITRO_PART static void fold_column(Memory& memory, const T* x, i64 row_stride, i64 rows,
                                     i64 columns, i64 index, i64 index_step) {
    State s = memory.get();
    if (columns >= 16) {
      for (i64 r = 0; r < rows; ++r, index += index_step)
        s = combined(s, Lane<T>(k::load(x + r * row_stride)), numbers<T>(index, 0));
    } else {
      for (i64 r = 0; r < rows; ++r, index += index_step)
        s = combined(s, Lane<T>(k::load(x + r * row_stride, columns)), numbers<T>(index, 0));
    }
    memory.set(s);
  }

  static void columns(const void* from, i64 row_stride, i64 rows, i64 columns, i64 index,
                      i64 index_step, void* parts, i64 width, i64 number) {
    const T* x = static_cast<const T*>(from);
    for (i64 r = 0; r < rows || r == 0; r += steps, ++number) {
      const i64 some = rows - r < steps ? rows - r : steps;
      const T* block = x + r * row_stride;
      const i64 first = index + r * index_step;
      for (i64 j = 0; j < columns; j += 16) {
        if constexpr (rounds) {
          Memory m;
          m.set(fresh());
          fold_column(m, block + j, row_stride, some, columns - j, first, index_step);
          k::tree_add(static_cast<T*>(parts) + j, 16 * width, number, m.a, Merge());
        } else {
          Memory& m = static_cast<Memory*>(parts)[j / 16];
          fold_column(m, block + j, row_stride, some, columns - j, first, index_step);
        }
      }
    }
  }

  static void add(const void* states, void* parts, i64 width, i64 number) {
    const Memory* from = static_cast<const Memory*>(states);
    for (i64 i = 0; i < width; ++i) {
      if constexpr (rounds) {
        k::tree_add(static_cast<T*>(parts) + 16 * i, 16 * width, number, from[i].a, Merge());
      } else {
        Memory& m = static_cast<Memory*>(parts)[i];
        m.set(merged(m.get(), from[i].get()));
      }
    }
  }

  static void total(void* parts, i64 width, i64 count) {
    if constexpr (rounds) {
      T* p = static_cast<T*>(parts);
      for (i64 i = 0; i < width; ++i, p += 16)
        k::store(p, k::tree_total(p, 16 * width, count, plain(fresh()), Merge()));
    }
  }

  static void merge(void* into, const void* from, i64 count) {
    for (i64 i = 0; i < count; ++i) {
      Memory& m = static_cast<Memory*>(into)[i];
      m.set(merged(m.get(), static_cast<const Memory*>(from)[i].get()));
    }
  }

  VITRO_PART static void merge_lanes_of(Memory& memory) {
    State s = memory.get();
    s = merged(s, rotated<8>(s));
    s = merged(s, rotated<4>(s));
    s = merged(s, rotated<2>(s));
    memory.set(merged(s, rotated<1>(s)));
  }
  static void merge_lanes(void* memory) { merge_lanes_of(*static_cast<Memory*>(memory)); }

  VITRO_INLINE auto finished(const State& s, i64 elements) {
    return Op::finish(s, Lane<T>(k::splat(static_cast<T>(elements))));
  }
  using Result = decltype(finished(std::declval<const State&>(), 0));
  using Element = typename ElementOf<Result>::type;
  // One result per lane.
  static void finish(const void* states, i64 elements, void* out, i64 count) {
    const Memory* m = static_cast<const Memory*>(states);
    for (i64 i = 0; i < count; i += 16)
      k::store(static_cast<Element*>(out) + i, finished(m[i / 16].get(), elements).v, count - i);
  }

  VITRO_INLINE State whole_row(const T* x, i64 n) {
    if constexpr (rounds) {
      if (n <= run) return folded(fresh(), x, n, 0);
      alignas(64) T parts[16 * ops::reduction_levels];
      row_in_blocks(x, n, parts, 0);
      return State{k::tree_total(parts, 16, (n + run - 1) / run, plain(fresh()), Merge())};
    } else {
      return n < 64 ? folded(fresh(), x, n, 0) : row_after(fresh(), x, n, 0);
    }
  }
  static void rows(const void* from, i64 row_stride, i64 rows, i64 n, void* out) {
    const T* x = static_cast<const T*>(from);
    for (i64 r = 0; r < rows; ++r) {
      Memory m;
      m.set(whole_row(x + r * row_stride, n));
      merge_lanes_of(m);
      static_cast<Element*>(out)[r] = finished(m.get(), n).v[0];
    }
  }
};

template <class Op, class T>
VITRO_INLINE void add_kernel(KernelTable& table, int place) {
  using K = Kernels<Op, T>;
  static_assert(sizeof(typename K::Memory) <= most_state_bytes);
  table.reduction[place][static_cast<int>(compute_of<T>())] = {sizeof(typename K::Memory),
                                                               compute_of<typename K::Element>(),
                                                               K::rounds,
                                                               &K::init,
                                                               &K::row,
                                                               &K::columns,
                                                               &K::add,
                                                               &K::total,
                                                               &K::merge,
                                                               &K::merge_lanes,
                                                               &K::finish,
                                                               &K::rows};
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
    // Logical ops convert their operand to bool, so they need no integer kernels.
    if constexpr (Op::states != ops::Accepts::floating && !std::is_base_of_v<ops::Logical, Op>) {
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
  ops::ReductionAhead::each(Fill{table});
}

}  // namespace vitro::eager::inline VITRO_ISA
