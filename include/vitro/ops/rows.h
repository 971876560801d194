// Composites that work row by row may also say how to make one row: the same bits as their program
// in one visit instead of one per op.  What runs programs op by op (eager) prefers these.
// A row is the last `dims(attrs, rank)` dimensions of operand 0 (0: not for this call).  Each other
// operand is rows too, one row for all of them, or left out; each result is rows, or one number a
// row.  A program of one operand may say that its rows lie along another dimension,
// `along(attrs, rank)`, and are made side by side.  The body is run on a `row`:
//   row.sum(f), row.maximum(f)  folds f(at) in the order of vitro/ops/reduce.h
//   row.each(f)                 f(at) for all of the row
//   row.count()                 the number of elements
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
  static int64_t dims(const SoftmaxAttrs& a, int64_t rank) {
    return rank > 0 && (a.dim == -1 || a.dim == rank - 1) ? 1 : 0;
  }
  static int64_t along(const SoftmaxAttrs& a, int64_t rank) {
    return a.dim < 0 ? a.dim + rank : a.dim;
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
  static int64_t dims(const SoftmaxAttrs& a, int64_t rank) { return SoftmaxRows::dims(a, rank); }
  static int64_t along(const SoftmaxAttrs& a, int64_t rank) { return SoftmaxRows::along(a, rank); }
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
  static int64_t dims(const LayerNormAttrs& a, int64_t) {
    return static_cast<int64_t>(a.normalized_shape.size());
  }
  static void make(const LayerNormAttrs& a, auto row) {
    const auto mean = row.sum([](auto at) { return at.in(0); }) / row.count();
    const auto squares = row.sum([&](auto at) {
      const auto distance = at.in(0) - mean;
      return distance * distance;
    });
    const auto scale = m::rsqrt(squares / row.count() + a.eps);
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

using RowPrograms = List<SoftmaxRows, LayerNormRows, LogSoftmaxRows>;

}  // namespace vitro::ops
