// Composites that work row by row say how one row is made.  The body is run on one row in memory,
// each element visited as few times as it says (eager), and on all rows as tensors, where it is the
// program in other ops (ops/expand_rows.h); with the same bits.
// A row is the dimensions `dims(attrs, rank)` of operand 0, ascending.  Each other operand is rows
// too, one row for all of them, or left out; each result is rows, or one number a row.  The body is
// run on a `row`:
//   row.sum(f), row.mean(f), row.maximum(f)
//                               reduces f(at) in the order of vitro/ops/reduce.h
//   row.each(f)                 f(at) for all of the row
//   row.has(k)                  operand k was given
//   row.put(k, value)           result k, where it is one number a row
//   at.in(k), at.out(k)         elements of operand k and of result k, as far as it is made
//   at.put(k, value)            elements of result k; gives `value`
#pragma once

#include "vitro/ops/all.h"

namespace vitro::ops {

struct SoftmaxRows {
  using Op = Softmax;
  static constexpr double flops = 1.5;  // an element's work beside that of one addition in memory
  static Dims dims(const SoftmaxAttrs& a, int64_t rank) {
    return rank == 0 ? Dims{} : Dims{a.dim < 0 ? a.dim + rank : a.dim};
  }
  static void make(const SoftmaxAttrs&, auto row) {
    const auto most = row.maximum([](auto at) { return at.in(0); });
    const auto sum = row.sum([&](auto at) { return at.put(0, m::exp(at.in(0) - most)); });
    row.each([&](auto at) { at.put(0, at.out(0) / sum); });
  }
};

struct LogSoftmaxRows {
  using Op = LogSoftmax;
  static constexpr double flops = 1;
  static Dims dims(const SoftmaxAttrs& a, int64_t rank) { return SoftmaxRows::dims(a, rank); }
  static void make(const SoftmaxAttrs&, auto row) {
    const auto most = row.maximum([](auto at) { return at.in(0); });
    const auto sum = row.sum([&](auto at) { return m::exp(at.put(0, at.in(0) - most)); });
    const auto log = m::log(sum);
    row.each([&](auto at) { at.put(0, at.out(0) - log); });
  }
};

struct LayerNormRows {
  using Op = NativeLayerNorm;
  static constexpr double flops = 0.5;
  static Dims dims(const LayerNormAttrs& a, int64_t rank) {
    Dims out;
    for (int64_t d = rank - static_cast<int64_t>(a.normalized_shape.size()); d < rank; ++d)
      out.push_back(d);
    return out;
  }
  static void make(const LayerNormAttrs& a, auto row) {
    const auto mean = row.mean([](auto at) { return at.in(0); });
    const auto variance = row.mean([&](auto at) {
      const auto distance = at.in(0) - mean;
      return distance * distance;
    });
    const auto scale = m::rsqrt(variance + a.eps);
    row.each([&](auto at) {
      auto y = (at.in(0) - mean) * scale;
      if (row.has(1)) y = y * at.in(1);
      if (row.has(2)) y = y + at.in(2);
      at.put(0, y);
    });
    row.put(1, mean);
    row.put(2, scale);
  }
};

// Their rows may also be made side by side, where they lie along another dimension than the last.
template <class Program>
inline constexpr bool has_one_operand = requires { requires Program::Op::arity == 1; };

using RowPrograms = List<SoftmaxRows, LayerNormRows, LogSoftmaxRows>;

}  // namespace vitro::ops
