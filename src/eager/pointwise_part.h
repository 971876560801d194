// Kernels of the ops at every `parts`-th place of the list: it is cut so that its parts are
// compiled side by side.
#pragma once

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

template <class Op, class T>
constexpr bool is_defined() {
  if (Op::copied_operand >= 0) return false;
  if (is_real<T>) return Op::accepts != ops::Accepts::not_floating;
  if (Op::promote == Promote::to_float || Op::accepts == ops::Accepts::floating) return false;
  return is_truth<T> ? Op::accepts != ops::Accepts::no_bool : true;
}

// The element's index along dimension d < 0.
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

// Operand `which` at i: all of a vector, or the first n lanes.
template <class Op, class T, int which, class... N>
VITRO_INLINE auto operand(const PointwiseArgs& args, i64 i, N... n) {
  if constexpr (which == 0 && Op::first_is_condition) {
    return Truth(k::load(static_cast<const bool*>(args.in[which]) + (i & args.walks[which]), n...));
  } else {
    return Lane<T>(k::load(static_cast<const T*>(args.in[which]) + (i & args.walks[which]), n...));
  }
}

template <class Op, class T, class... N>
VITRO_INLINE auto element(const PointwiseArgs& args, i64 i, N... n) {
  if constexpr (Op::arity == 1) {
    return body<Op>(args, i, operand<Op, T, 0>(args, i, n...));
  } else if constexpr (Op::arity == 2) {
    return body<Op>(args, i, operand<Op, T, 0>(args, i, n...), operand<Op, T, 1>(args, i, n...));
  } else if constexpr (Op::arity == 3) {
    return body<Op>(args, i, operand<Op, T, 0>(args, i, n...), operand<Op, T, 1>(args, i, n...),
                    operand<Op, T, 2>(args, i, n...));
  } else {
    static_assert(Op::arity == 4);
    return body<Op>(args, i, operand<Op, T, 0>(args, i, n...), operand<Op, T, 1>(args, i, n...),
                    operand<Op, T, 2>(args, i, n...), operand<Op, T, 3>(args, i, n...));
  }
}

template <class T>
VITRO_INLINE void put(void* out, i64 i, Lane<T> x) {
  k::store(static_cast<T*>(out) + i, x.v);
}
template <class T>
VITRO_INLINE void put(void* out, i64 i, Lane<T> x, i64 n) {
  k::store(static_cast<T*>(out) + i, x.v, n);
}

template <class Op, class T>
void run(const PointwiseArgs& given) {
  const PointwiseArgs args = given;  // not in memory that the stores might change
  i64 i = 0;
  for (; i + 16 <= args.n; i += 16) put(args.out, i, element<Op, T>(args, i));
  if (i < args.n) put(args.out, i, element<Op, T>(args, i, args.n - i), args.n - i);
}

template <class Op, class T>
VITRO_INLINE void add_kernel(KernelTable& table, int place) {
  if constexpr (is_defined<Op, T>()) {
    using Result = decltype(element<Op, T>(*static_cast<const PointwiseArgs*>(nullptr), 0));
    table.pointwise[place][static_cast<int>(compute_of<T>)] = {&run<Op, T>,
                                                               __is_same(Result, Truth)};
  }
}

template <class, int... place>
struct Places {};

template <int part, int parts>
struct FillPart {
  template <int place, class Op>
  [[gnu::always_inline]] static void one(KernelTable& table) {
    if constexpr (place % parts == part) {
      add_kernel<Op, f32>(table, place);
      add_kernel<Op, f64>(table, place);
      add_kernel<Op, i32>(table, place);
      add_kernel<Op, i64>(table, place);
      add_kernel<Op, bool>(table, place);
    }
  }
  static void all(KernelTable& table) { all(table, ops::PointwiseOps{}, ops::PointwisePrograms{}); }
  template <class... Op, class... Program>
  [[gnu::always_inline]] static void all(KernelTable& table, ops::List<Op...>,
                                         ops::List<Program...>) {
    each<Op..., Program...>(table,
                            __make_integer_seq<Places, int, sizeof...(Op) + sizeof...(Program)>{});
  }
  template <class... Op, int... place>
  [[gnu::always_inline]] static void each(KernelTable& table, Places<int, place...>) {
    (one<place, Op>(table), ...);
  }
};

}  // namespace vitro::eager::inline VITRO_ISA
