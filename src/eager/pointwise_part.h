// Pointwise kernels.  FillPart instantiates those of every `parts`-th op of the list, so that
// several translation units compile in parallel.
#pragma once

#include <type_traits>

#include "eager/kernel_table.h"
#include "eager/lane.h"
#include "vitro/ops/all.h"

namespace vitro::eager::inline VITRO_ISA {

template <class T>
inline constexpr Compute compute_of = Compute::f32;
template <>
inline constexpr Compute compute_of<f64> = Compute::f64;
template <>
inline constexpr Compute compute_of<i32> = Compute::i32;
template <>
inline constexpr Compute compute_of<i64> = Compute::i64;
template <>
inline constexpr Compute compute_of<bool> = Compute::boolean;

template <class, int...>
struct IndexSequence {};

template <class Op, class T>
constexpr bool is_defined() {
  if (Op::copied_operand >= 0) return false;
  if (is_real<T>) return Op::accepts != ops::Accepts::not_floating;
  if (Op::promote == Promote::to_float || Op::accepts == ops::Accepts::floating) return false;
  return is_truth<T> ? Op::accepts != ops::Accepts::no_bool : true;
}

// Whether the op is or contains an elementary function, which takes longer than a conversion.
template <class Op>
inline constexpr bool is_function =
    Op::kind != OpKind::composite &&
    (Op::accepts == ops::Accepts::floating || std::is_same_v<Op, ops::Pow> ||
     (Op::arity == 1 && Op::promote == Promote::to_float));

#if defined(__AVX512F__)
inline constexpr int bytes_of_register = 64;
#elif defined(__AVX2__)
inline constexpr int bytes_of_register = 32;
#else
inline constexpr int bytes_of_register = 16;
#endif
// The vector registers that sixteen lanes of T take.
template <class T>
inline constexpr int registers_of_lanes = 16 * int(sizeof(T)) / bytes_of_register;

// Whether the library contains the kernel.  The functions take much code where sixteen lanes are
// four registers or eight (f64 with AVX2, both types on older machines): there they are compiled
// on demand, which composites cannot be.
template <class Op, class T>
constexpr bool is_ahead() {
  if (is_function<Op> && is_real<T> && registers_of_lanes<T> >= 4) return false;
  return is_defined<Op, T>();
}

// Returns the index of sixteen elements along dimension d < 0.
struct Position {
  const PointwiseArgs& args;
  i64 i;
  [[gnu::always_inline]] Lane<i64> operator()(int d) const {
    const i64 first = args.index[args.rank + d];
    return d == -1 ? k::splat(first + i) + k::iota<i64>() : k::splat(first);
  }
};

template <class Op, class... X>
VITRO_INLINE auto body(const PointwiseArgs& args, i64 i, X... x) {
  if constexpr (Op::uses_attrs && Op::uses_index) {
    return Op::value(*static_cast<const typename Op::Attrs*>(args.attrs), Position{args, i}, x...);
  } else if constexpr (Op::uses_attrs) {
    const typename Op::Attrs attrs = *static_cast<const typename Op::Attrs*>(args.attrs);
    return Op::value(attrs, x...);
  } else if constexpr (Op::uses_index) {
    return Op::value(Position{args, i}, x...);
  } else {
    return Op::value(x...);
  }
}

// The element type of operand `which` if elements are stored as S.
template <class Op, class S, int which>
using Element = std::conditional_t<which == 0 && Op::first_is_condition, bool, S>;

// Loads operand `which` at i: a full vector, or its first n lanes.
template <class Op, class T, class S, int which, class... N>
VITRO_INLINE auto operand(const PointwiseArgs& args, i64 i, N... n) {
  using Stored = Element<Op, S, which>;
  using Made = Element<Op, T, which>;
  const i64 walks = args.walks[which];
  if constexpr (__is_same(Stored, Made)) {
    return Lane<Made>(k::load(static_cast<const Made*>(args.in[which]) + (i & walks), n...));
  } else {
    if (!walks) return Lane<Made>(k::load(static_cast<const Made*>(args.in[which]), n...));
    return Lane<Made>(k::load_as<Made>(static_cast<const Stored*>(args.in[which]) + i, n...));
  }
}

template <class Op, class T, class S, class... N>
VITRO_INLINE auto element(const PointwiseArgs& args, i64 i, N... n) {
  return [&]<int... which>(IndexSequence<int, which...>) __attribute__((always_inline)) {
    return body<Op>(args, i, operand<Op, T, S, which>(args, i, n...)...);
  }(__make_integer_seq<IndexSequence, int, Op::arity>{});
}

template <class S, class T, class... N>
VITRO_INLINE void put(void* out, i64 i, Lane<T> x, N... n) {
  if constexpr (is_truth<T>)
    k::store(static_cast<bool*>(out) + i, x.v, n...);
  else
    k::store_as(static_cast<S*>(out) + i, x.v, n...);
}

template <class Op, class T, class S>
VITRO_INLINE void run_row(const PointwiseArgs args) {  // a copy: the stores do not change it
  i64 i = 0;
  const auto take_up_to_16 = [&]() __attribute__((always_inline)) {
    put<S>(args.out, i, element<Op, T, S>(args, i, args.n - i), args.n - i);
  };
  if constexpr (VITRO_LONG_CODE) {
    for (; i < args.n; i += 16) take_up_to_16();
  } else {
    for (; i + 16 <= args.n; i += 16) put<S>(args.out, i, element<Op, T, S>(args, i));
    if (i < args.n) take_up_to_16();
  }
}

// Returns the operand's address in a row.  If it has one element per row, `same` receives sixteen
// copies of it.
template <class Stored, class Made>
VITRO_INLINE const void* place_in_row(const PointwiseArgs& all, int which, i64 row, Made* same) {
  const char* at = static_cast<const char*>(all.in[which]) + row * all.steps[which];
  if (all.walks[which] || !all.steps[which]) return at;
  const auto element = k::splat(*reinterpret_cast<const Stored*>(at));
  if constexpr (__is_same(Stored, Made))
    k::store(same, element);
  else
    k::store_as(same, k::convert<Made>(element));
  return same;
}

template <class Op, class T, class S>
void run(const PointwiseArgs& all) {
  PointwiseArgs args = all;
  alignas(64) char same[Op::arity][16 * sizeof(T)];
  for (i64 row = 0; row < all.rows; ++row) {
    [&]<int... which>(IndexSequence<int, which...>) __attribute__((always_inline)) {
      ((args.in[which] = place_in_row<Element<Op, S, which>>(
            all, which, row, reinterpret_cast<Element<Op, T, which>*>(same[which]))),
       ...);
    }(__make_integer_seq<IndexSequence, int, Op::arity>{});
    args.out = static_cast<char*>(all.out) + row * all.out_step;
    run_row<Op, T, S>(args);
  }
}

template <class Op, class T>
VITRO_INLINE void add_kernel(KernelTable& table, int index) {
  if constexpr (is_ahead<Op, T>()) {
    using Result = decltype(element<Op, T, T>(*static_cast<const PointwiseArgs*>(nullptr), 0));
    PointwiseKernel& kernel = table.pointwise[index][static_cast<int>(compute_of<T>)];
    kernel.run = &run<Op, T, T>;
    kernel.gives_truth = __is_same(Result, Truth);
#ifdef __F16C__  // otherwise conversions are slow
    if constexpr (__is_same(T, f32) && !is_function<Op>) {
      kernel.run_f16 = &run<Op, f32, k::f16>;
      kernel.run_bf16 = &run<Op, f32, k::bf16>;
    }
#endif
  }
}

template <int part, int parts>
struct FillPart {
  template <int index, class Op>
  [[gnu::always_inline]] static void one(KernelTable& table) {
    if constexpr (index % parts == part) {
      add_kernel<Op, f32>(table, index);
      add_kernel<Op, f64>(table, index);
      add_kernel<Op, i32>(table, index);
      add_kernel<Op, i64>(table, index);
      add_kernel<Op, bool>(table, index);
    }
  }
  static void all(KernelTable& table) {
    all(table, ops::PointwiseAhead{}, ops::PointwisePrograms{});
  }
  template <class... Op, class... Program>
  [[gnu::always_inline]] static void all(KernelTable& table, ops::List<Op...>,
                                         ops::List<Program...>) {
    each<Op..., Program...>(
        table, __make_integer_seq<IndexSequence, int, sizeof...(Op) + sizeof...(Program)>{});
  }
  template <class... Op, int... index>
  [[gnu::always_inline]] static void each(KernelTable& table, IndexSequence<int, index...>) {
    (one<index, Op>(table), ...);
  }
};

}  // namespace vitro::eager::inline VITRO_ISA
