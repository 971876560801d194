// How composites that work row by row compute one row. The body runs on one row in memory, visiting
// each element as few times as written (eager), or on all rows as tensors, which is the program in
// other ops (ops/expand_rows.h); both give the same bits.
// A row spans the dimensions `dims(attrs, rank)` of operand 0, ascending. Each other operand has
// rows too, or one row for all, or is left out; each result has rows, or one number per row. The
// body gets a `row`:
//   row.sum(f), row.mean(f), row.maximum(f)
//                               reduces f(at) in the order of vitro/ops/reduce.h
//   row.each(f)                 calls f(at) for the whole row
//   row.has(k)                  whether operand k was given
//   row.put(k, value)           sets result k, if it is one number per row
//   at.in(k), at.out(k)         the element of operand k, or of result k as written so far
//   at.put(k, value)            sets the element of result k and returns `value`
#pragma once

#include "vitro/ops/all.h"

namespace vitro::ops {

struct SoftmaxRows {
  using Op = Softmax;
  static constexpr double flops = 1.5;  // cost of an element relative to an addition in memory
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

// Rows of these can be computed several at a time if they are not along the last dimension.
template <class Program>
inline constexpr bool has_one_operand = requires { requires Program::Op::arity == 1; };

using RowPrograms = List<SoftmaxRows, LayerNormRows, LogSoftmaxRows>;

}  // namespace vitro::ops
