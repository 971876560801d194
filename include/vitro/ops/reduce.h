// Reductions.
//   Tensor y = sum(x, {-1}, true);   Tensor m = amax(x);   Tensor i = argmax(x, 1);
// A definition has a tuple as its state, and four functions:
//   init(zero)                the initial state; `zero` is a 0 of the state's type
//   combine(state, x, index)  adds an element; `index` (i64) is its row-major index within the
//                             reduced dimensions
//   merge(a, b)               combines two states; the elements of a come before those of b
//   finish(state, count)      the result, or a tuple of results; `count` (in the state's type) is
//                             the number of elements
// The state's first type is ReductionInfo::state; the operand is converted to it.
// The order depends only on the shape, so results are bit-identical in eager and compiled code, for
// any vector width and number of threads (docs/numerics.md). Adjacent reduced dimensions count as
// one; let n be the last of these, the others are "outer".
//  * If the operand's last dimension is reduced, element k of n goes to lane k % reduction_lanes.
//  * Otherwise there is a single lane.
// If steps round (sums and products of floating-point numbers), each lane of an outer row is
// divided into blocks of reduction_steps elements, each combined in order from a new state. The
// states of all blocks, in order, are merged as a tree: T(m) for m blocks is merge(T(p), T(m - p)),
// where p is the largest power of two below m. Finally lanes merge pairwise: (0,8) (1,9) ..., then
// (0,4) ..., (0,2), (0,1). If nothing is rounded, there are no blocks, only lanes.
#pragma once

#include <optional>
#include <tuple>
#include <utility>

#include "vitro/ops/define.h"
#include "vitro/ops/math.h"

namespace vitro {
namespace ops {

inline constexpr int64_t reduction_lanes = 16, reduction_steps = 16;
inline constexpr int reduction_levels = 44;  // depth of a tree: no tensor has more blocks

struct ReduceAttrs {
  Dims dim;  // empty: all
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
  static constexpr Accepts states = Accepts::no_bool;  // dtypes allowed for ReductionInfo::state
  static constexpr bool rounds = false;  // whether combine and merge round floating-point numbers
  using Attrs = ReduceAttrs;
  static constexpr ReductionInfo info{&reduced_dims, &state_dtype};
};

struct Total : Reduction {
  static constexpr bool rounds = true;
  static auto init(auto zero) { return std::make_tuple(zero); }
  static auto combine(auto s, auto x, auto) { return std::make_tuple(std::get<0>(s) + x); }
  static auto merge(auto a, auto b) { return std::make_tuple(std::get<0>(a) + std::get<0>(b)); }
};
struct Sum : Total {
  static constexpr std::string_view name = "sum",
                                    doc =
                                        "The sum over `dim`; integers and bool are summed in i64.";
  static constexpr std::string_view signatures =
      "(Tensor self, *, ScalarType? dtype=None) -> Tensor\n"
      ".dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
      "Tensor";
  static Tensor of_all(At x, std::optional<DType> dtype);
  static Tensor over(At x, Dims dim, bool keepdim, std::optional<DType> dtype);
  static constexpr std::tuple functions{&of_all, &over};
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static auto finish(auto s, auto) { return std::get<0>(s); }
};
struct Mean : Total {
  static constexpr std::string_view name = "mean", doc = "The mean over `dim`.";
  static constexpr std::string_view signatures =
      "(Tensor self, *, ScalarType? dtype=None) -> Tensor\n"
      ".dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor";
  static constexpr Accepts states = Accepts::floating;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static auto finish(auto s, auto count) { return std::get<0>(s) / count; }
};
struct Prod : Reduction {
  static constexpr std::string_view
      name = "prod",
      doc = "The product over `dim`; integers and bool are multiplied in i64.";
  static constexpr bool rounds = true;
  static constexpr std::string_view signatures =
      "(Tensor self, *, ScalarType? dtype=None) -> Tensor\n"
      ".dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor";
  static Tensor of_all(At x, std::optional<DType> dtype);
  static Tensor over(At x, int64_t dim, bool keepdim, std::optional<DType> dtype);
  static constexpr std::tuple functions{&of_all, &over};
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static auto init(auto zero) { return std::make_tuple(m::like(zero, 1.0)); }
  static auto combine(auto s, auto x, auto) { return std::make_tuple(std::get<0>(s) * x); }
  static auto merge(auto a, auto b) { return std::make_tuple(std::get<0>(a) * std::get<0>(b)); }
  static auto finish(auto s, auto) { return std::get<0>(s); }
};

struct Amax : Reduction {
  static constexpr std::string_view name = "amax", doc = "The largest over `dim`; NaN if one is.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor";
  static constexpr Accepts states = Accepts::all;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static auto init(auto zero) { return std::make_tuple(m::lowest(zero)); }
  static auto combine(auto s, auto x, auto) {
    return std::make_tuple(m::maximum(std::get<0>(s), x));
  }
  static auto merge(auto a, auto b) {
    return std::make_tuple(m::maximum(std::get<0>(a), std::get<0>(b)));
  }
  static auto finish(auto s, auto) { return std::get<0>(s); }
};
struct Amin : Reduction {
  static constexpr std::string_view name = "amin", doc = "The smallest over `dim`; NaN if one is.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor";
  static constexpr Accepts states = Accepts::all;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static auto init(auto zero) { return std::make_tuple(m::highest(zero)); }
  static auto combine(auto s, auto x, auto) {
    return std::make_tuple(m::minimum(std::get<0>(s), x));
  }
  static auto merge(auto a, auto b) {
    return std::make_tuple(m::minimum(std::get<0>(a), std::get<0>(b)));
  }
  static auto finish(auto s, auto) { return std::get<0>(s); }
};

// The state is a value and its index. NaN wins over numbers; among equal values the first wins.
struct ArgReduction : Reduction {
  static void shape(ShapeCall& call);
  static DType argument_dtype(DType operand, DType) { return compute_type(operand); }
  static constexpr ReductionInfo info{&reduced_dims, &argument_dtype};
  static auto chosen(auto take, auto v, auto i, auto w, auto j) {
    return std::make_tuple(m::where(take, w, v), m::where(take, j, i));
  }
  // Whether (w, j) comes before (v, i); `beats`: whether w beats v.
  static auto before(auto beats, auto v, auto i, auto w, auto j) {
    return beats || (w == v && j < i) || (m::isnan(w) && (!m::isnan(v) || j < i));
  }
  static auto finish(auto s, auto) { return std::get<1>(s); }
};
struct Argmax : ArgReduction {
  static constexpr std::string_view name = "argmax",
                                    doc =
                                        "The index of the largest over `dim`, the first of equals.";
  static constexpr std::string_view signatures =
      "(Tensor self, int? dim=None, bool keepdim=False) -> Tensor";
  static constexpr std::string_view not_differentiable = "its result is an integer";
  static auto init(auto zero) { return std::make_tuple(m::lowest(zero), m::last_index(zero)); }
  static auto combine(auto s, auto w, auto j) {
    const auto v = std::get<0>(s);
    const auto i = std::get<1>(s);
    return chosen(before(w > v, v, i, w, j), v, i, w, j);
  }
  static auto merge(auto a, auto b) { return combine(a, std::get<0>(b), std::get<1>(b)); }
};
struct Argmin : ArgReduction {
  static constexpr std::string_view
      name = "argmin",
      doc = "The index of the smallest over `dim`, the first of equals.";
  static constexpr std::string_view signatures =
      "(Tensor self, int? dim=None, bool keepdim=False) -> Tensor";
  static constexpr std::string_view not_differentiable = "its result is an integer";
  static auto init(auto zero) { return std::make_tuple(m::highest(zero), m::last_index(zero)); }
  static auto combine(auto s, auto w, auto j) {
    const auto v = std::get<0>(s);
    const auto i = std::get<1>(s);
    return chosen(before(w < v, v, i, w, j), v, i, w, j);
  }
  static auto merge(auto a, auto b) { return combine(a, std::get<0>(b), std::get<1>(b)); }
};

// Returns the value and its index.
struct ValueAndIndex : ArgReduction {
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static auto finish(auto s, auto) { return s; }
};
struct MaxDim : ValueAndIndex {
  static constexpr std::string_view
      name = "max",
      doc = "The largest over `dim`, NaN if one is, and its index: the first of equals.";
  static constexpr std::string_view signatures =
      ".dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)";
  static auto init(auto zero) { return Argmax::init(zero); }
  static auto combine(auto s, auto w, auto j) { return Argmax::combine(s, w, j); }
  static auto merge(auto a, auto b) { return Argmax::merge(a, b); }
};
struct MinDim : ValueAndIndex {
  static constexpr std::string_view
      name = "min",
      doc = "The smallest over `dim`, NaN if one is, and its index: the first of equals.";
  static constexpr std::string_view signatures =
      ".dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)";
  static auto init(auto zero) { return Argmin::init(zero); }
  static auto combine(auto s, auto w, auto j) { return Argmin::combine(s, w, j); }
  static auto merge(auto a, auto b) { return Argmin::merge(a, b); }
};

// Returns the smallest and the largest element.
struct Aminmax : Reduction {
  static constexpr std::string_view name = "aminmax",
                                    doc = "The smallest and the largest over `dim`; NaN if one is.";
  static constexpr std::string_view signatures =
      "(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)";
  static constexpr Accepts states = Accepts::all;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static auto init(auto zero) { return std::make_tuple(m::highest(zero), m::lowest(zero)); }
  static auto combine(auto s, auto x, auto) {
    return std::make_tuple(m::minimum(std::get<0>(s), x), m::maximum(std::get<1>(s), x));
  }
  static auto merge(auto a, auto b) {
    return std::make_tuple(m::minimum(std::get<0>(a), std::get<0>(b)),
                           m::maximum(std::get<1>(a), std::get<1>(b)));
  }
  static auto finish(auto s, auto) { return s; }
};

// Elements are converted to bool: true if not zero.
struct Logical : Reduction {
  static constexpr Accepts states = Accepts::not_floating;
  static void shape(ShapeCall& call);
  static constexpr std::string_view not_differentiable = "its result is bool";
  static DType logical_dtype(DType, DType) { return DType::boolean; }
  static constexpr ReductionInfo info{&reduced_dims, &logical_dtype};
  static auto finish(auto s, auto) { return std::get<0>(s); }
};
struct Any : Logical {
  static constexpr std::string_view name = "any", doc = "Whether any element over `dim` is not 0.";
  static constexpr std::string_view signatures =
      "(Tensor self) -> Tensor\n"
      ".dim(Tensor self, int dim, bool keepdim=False) -> Tensor\n"
      ".dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor";
  static Tensor over(At x, const std::optional<Dims>& dim, bool keepdim);
  static constexpr std::tuple functions{nullptr, nullptr, &over};
  static auto init(auto zero) { return std::make_tuple(zero); }
  static auto combine(auto s, auto x, auto) { return std::make_tuple(std::get<0>(s) | x); }
  static auto merge(auto a, auto b) { return std::make_tuple(std::get<0>(a) | std::get<0>(b)); }
};
struct All : Logical {
  static constexpr std::string_view name = "all",
                                    doc = "Whether all elements over `dim` are not 0.";
  static constexpr std::string_view signatures =
      "(Tensor self) -> Tensor\n"
      ".dim(Tensor self, int dim, bool keepdim=False) -> Tensor\n"
      ".dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor";
  static Tensor over(At x, const std::optional<Dims>& dim, bool keepdim);
  static constexpr std::tuple functions{nullptr, nullptr, &over};
  static auto init(auto zero) { return std::make_tuple(m::like(zero, 1.0)); }
  static auto combine(auto s, auto x, auto) { return std::make_tuple(std::get<0>(s) & x); }
  static auto merge(auto a, auto b) { return std::make_tuple(std::get<0>(a) & std::get<0>(b)); }
};

}  // namespace ops

// Without dims: over all dimensions.
Tensor sum(ops::At x, DimsArg dim = {}, bool keepdim = false, std::optional<DType> dtype = {});
Tensor mean(ops::At x, DimsArg dim = {}, bool keepdim = false, std::optional<DType> dtype = {});
Tensor prod(ops::At x, DimsArg dim = {}, bool keepdim = false, std::optional<DType> dtype = {});
Tensor amax(ops::At x, DimsArg dim = {}, bool keepdim = false);
Tensor amin(ops::At x, DimsArg dim = {}, bool keepdim = false);
Tensor any(ops::At x, DimsArg dim = {}, bool keepdim = false);
Tensor all(ops::At x, DimsArg dim = {}, bool keepdim = false);
// The index along `dim`; without it, the row-major index among all elements.
Tensor argmax(ops::At x, std::optional<int64_t> dim = {}, bool keepdim = false);
Tensor argmin(ops::At x, std::optional<int64_t> dim = {}, bool keepdim = false);
// The values and their indices along `dim`.
std::pair<Tensor, Tensor> max(ops::At x, int64_t dim, bool keepdim = false);
std::pair<Tensor, Tensor> min(ops::At x, int64_t dim, bool keepdim = false);
// The smallest and the largest element along `dim`, or of all elements.
std::pair<Tensor, Tensor> aminmax(ops::At x, std::optional<int64_t> dim = {}, bool keepdim = false);

}  // namespace vitro
