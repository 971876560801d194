// Scans: reductions along one dimension that return every step.
//   Tensor y = cumsum(x, -1);   auto [values, indices] = cummax(x, 0);
// A definition has a tuple as its state, and three functions:
//   init(zero)                the initial state; `zero` is a 0 of the state's type
//   combine(state, x, index)  adds an element; `index` (i64) is its index along the dimension
//   results(state)            a tuple of the values of this step, one for each result
// The state's first type is ScanInfo::state; the operand is converted to it. Elements are combined
// in order from index 0, which defines the rounding.
#pragma once

#include <optional>
#include <tuple>
#include <utility>

#include "vitro/ops/define.h"
#include "vitro/ops/math.h"

namespace vitro {
namespace ops {

struct ScanAttrs {
  int64_t dim = 0;
  std::optional<DType> dtype;  // the operand is converted to it first
  static constexpr void each(auto&& f) {
    f("dim", &ScanAttrs::dim);
    f("dtype", &ScanAttrs::dtype);
  }
};
int64_t scanned_dim(AttrsView attrs, int rank);
// The accumulation dtype of ATen on the CPU (AccumulateType.h): f64 for f32, f32 for f16 and bf16,
// i64 for integers.
DType total_dtype(DType operand, DType result);

struct Scan {
  static constexpr OpKind kind = OpKind::scan;
  static constexpr int arity = 1;
  using Attrs = ScanAttrs;
  static constexpr ScanInfo info{&scanned_dim, &total_dtype};
};

struct Cumsum : Scan {
  static constexpr std::string_view name = "cumsum",
                                    doc = "Cumulative sums along `dim`; integers and bool in i64.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor";
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static auto init(auto zero) { return std::make_tuple(zero); }
  static auto combine(auto s, auto x, auto) { return std::make_tuple(std::get<0>(s) + x); }
  static auto results(auto s) { return s; }
};
struct Cumprod : Scan {
  static constexpr std::string_view
      name = "cumprod",
      doc = "Cumulative products along `dim`; integers and bool in i64.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor";
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static auto init(auto zero) { return std::make_tuple(m::like(zero, 1.0)); }
  static auto combine(auto s, auto x, auto) { return std::make_tuple(std::get<0>(s) * x); }
  static auto results(auto s) { return s; }
};
struct Logcumsumexp : Scan {
  static constexpr std::string_view name = "logcumsumexp",
                                    doc = "The logarithms of cumulative sums of e^x along `dim`.";
  static constexpr std::string_view signatures = "(Tensor self, int dim) -> Tensor";
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static auto init(auto zero) { return std::make_tuple(m::lowest(zero)); }
  static auto combine(auto s, auto x, auto) {
    const auto before = std::get<0>(s);
    const auto low = m::minimum(x, before);
    const auto high = m::maximum(x, before);
    const auto adds = low != high || !(m::isnan(low) || m::isinf(low));
    return std::make_tuple(m::where(adds, m::log1p(m::exp(low - high)) + high, x));
  }
  static auto results(auto s) { return s; }
};

// The state is a value and its index: the last of equal values wins, and NaN is kept.
struct Extreme : Scan {
  static DType own_dtype(DType operand, DType) { return compute_type(operand); }
  static constexpr ScanInfo info{&scanned_dim, &own_dtype};
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static auto chosen(auto beats, auto s, auto x, auto index) {
    const auto value = std::get<0>(s);
    const auto place = std::get<1>(s);
    const auto take = m::isnan(x) || (!m::isnan(value) && beats);
    return std::make_tuple(m::where(take, x, value), m::where(take, index, place));
  }
  static auto results(auto s) { return s; }
};
struct Cummax : Extreme {
  static constexpr std::string_view
      name = "cummax",
      doc = "Cumulative maxima along `dim` and their indices: the last of equals.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim) -> (Tensor values, Tensor indices)";
  static auto init(auto zero) {
    return std::make_tuple(m::lowest(zero), m::like(m::last_index(zero), 0.0));
  }
  static auto combine(auto s, auto x, auto index) {
    return chosen(x >= std::get<0>(s), s, x, index);
  }
};
struct Cummin : Extreme {
  static constexpr std::string_view
      name = "cummin",
      doc = "Cumulative minima along `dim` and their indices: the last of equals.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim) -> (Tensor values, Tensor indices)";
  static auto init(auto zero) {
    return std::make_tuple(m::highest(zero), m::like(m::last_index(zero), 0.0));
  }
  static auto combine(auto s, auto x, auto index) {
    return chosen(x <= std::get<0>(s), s, x, index);
  }
};

}  // namespace ops

Tensor cumsum(ops::At x, int64_t dim, std::optional<DType> dtype = {});
Tensor cumprod(ops::At x, int64_t dim, std::optional<DType> dtype = {});
Tensor logcumsumexp(ops::At x, int64_t dim);
std::pair<Tensor, Tensor> cummax(ops::At x, int64_t dim);  // values, indices
std::pair<Tensor, Tensor> cummin(ops::At x, int64_t dim);

}  // namespace vitro
