// Reductions.  A definition gives a tuple of state and four steps:
//   init(zero)                the state of nothing; `zero` is a 0 of the state's type
//   combine(state, x, index)  one more element; `index` (i64) is its number in row-major order of
//   the reduced dimensions merge(a, b)               two states, the first of earlier elements
//   finish(state, count)      the result
// The order is a function of the shape alone, so that eager and compiled, any vector width and any
// number of threads give the same digits.  Adjacent reduced dimensions count as one; let n be the
// last of these, the others are "outer".
//  * The operand's last dimension is reduced: element k of n goes to lane k % reduction_lanes.  If
//  n <= reduction_chunk one set
//    of lanes takes everything, outer rows in order; else each chunk of reduction_chunk elements
//    has a set of its own. The lanes of a set merge pairwise: (0,8) (1,9) ..., then (0,4) ...,
//    (0,2), (0,1).  Chunks merge in ascending order.
//  * Otherwise (last dimension kept): the same with a single lane.
#pragma once

#include <optional>
#include <tuple>

#include "vitro/ops/define.h"
#include "vitro/ops/math.h"

namespace vitro {
namespace ops {

inline constexpr int64_t reduction_lanes = 16, reduction_chunk = 4096;

struct ReduceAttrs {
  Dims dim;  // none given: all
  bool keepdim = false;
  std::optional<DType> dtype;  // the operand is converted to it first
  static constexpr void each(auto&& f) {
    f("dim", &ReduceAttrs::dim);
    f("keepdim", &ReduceAttrs::keepdim);
    f("dtype", &ReduceAttrs::dtype);
  }
};
ReducedDims reduced_dims(AttrsView attrs, int rank);
DType state_dtype(DType operand, DType result);

struct Reduction {
  static constexpr OpKind kind = OpKind::reduction;
  static constexpr int arity = 1;
  using Attrs = ReduceAttrs;
  static constexpr ReductionInfo info{&reduced_dims, &state_dtype};
};

struct Sum : Reduction {
  static constexpr std::string_view
      name = "sum",
      doc = "The sum over `dim`; whole numbers and bool are summed in i64.";
  static void shape(ShapeCall& call);
  static auto init(auto zero) { return std::make_tuple(zero); }
  static auto combine(auto s, auto x, auto) { return std::make_tuple(std::get<0>(s) + x); }
  static auto merge(auto a, auto b) { return std::make_tuple(std::get<0>(a) + std::get<0>(b)); }
  static auto finish(auto s, auto) { return std::get<0>(s); }
};

}  // namespace ops

inline Tensor sum(ops::At x, Dims dim = {}, bool keepdim = false, std::optional<DType> dtype = {}) {
  return ops::call<ops::Sum>(x.where, {x.operand}, {dim, keepdim, dtype});
}

}  // namespace vitro
