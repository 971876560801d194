// Shape rules and specs of scatters by views and by indices, and their public functions, including
// those in place.
#include "vitro/ops/scatter.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/numbers.h"
#include "ops/common_size.h"
#include "ops/fill_value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/autocast.h"
#include "vitro/ops/all.h"

namespace vitro::ops {
namespace {

// `src` must have the sizes of the view; the result has the layout of x.
void scatter_shape(ShapeCall& call, void (*view_shape)(ShapeCall&)) {
  VITRO_CHECK(call.operands[0].meta && call.operands[1].meta, call.op, ": takes two tensors");
  const TensorMeta &x = *call.operands[0].meta, &src = *call.operands[1].meta;
  std::vector<TensorMeta> seen;
  ShapeCall of_view{call.op, call.operands.first(1), call.attrs, seen};
  view_shape(of_view);
  VITRO_CHECK(equal_sizes(src.sizes, seen[0].sizes), call.op, ": src has sizes ", src.sizes,
              ", the place for it has sizes ", seen[0].sizes);
  TensorMeta result{x.dtype, x.device, x.sizes, strides_like(x), 0};
  call.results.push_back(std::move(result));
}

void check_put(const ShapeCall& call) {
  for (const Argument& operand : call.operands)
    VITRO_CHECK(operand.meta, call.op, ": takes three tensors");
  const TensorMeta &x = *call.operands[0].meta, &indices = *call.operands[1].meta,
                   &src = *call.operands[2].meta;
  check_integers(call.op, indices.dtype);
  VITRO_CHECK(src.dtype == x.dtype, call.op, ": the source is of ", src.dtype, ", x of ", x.dtype,
              "; cast one of them");
  VITRO_CHECK(src.rank() == x.rank(), call.op, ": ranks differ: x has sizes ", x.sizes,
              ", the source has ", src.sizes);
}

void put_result(ShapeCall& call) {
  const TensorMeta& x = *call.operands[0].meta;
  call.results.push_back(dense(x.dtype, x.device, x.sizes));
}

void check_sums(const ShapeCall& call) {
  const DType dtype = call.results[0].dtype;
  VITRO_CHECK(compute_type(dtype) == dtype, call.op, ": sums of ", dtype, " are computed in ",
              compute_type(dtype), "; cast the operands before and the result after");
}

// For puts whose indices have the rank of x.
void put_by_elements(ShapeCall& call, int64_t along) {
  check_put(call);
  const TensorMeta &x = *call.operands[0].meta, &indices = *call.operands[1].meta,
                   &src = *call.operands[2].meta;
  const auto dim = static_cast<size_t>(wrap_dim(call.op, along, x.rank()));
  VITRO_CHECK(indices.rank() == x.rank(), call.op, ": ranks differ: x has sizes ", x.sizes,
              ", indices have ", indices.sizes);
  for (size_t d = 0; d < x.sizes.size(); ++d) {
    const bool inside =
        (d == dim || !less(x.sizes[d], indices.sizes[d])) && !less(src.sizes[d], indices.sizes[d]);
    VITRO_CHECK(inside, call.op, ": indices of sizes ", indices.sizes, " exceed sizes ", x.sizes,
                " or the source's ", src.sizes, " in dimension ", d);
  }
  check_has_indexed(call.op, x.sizes, {{static_cast<int64_t>(dim), 1}}, indices.sizes);
  put_result(call);
}

}  // namespace

void Scatter::shape(ShapeCall& call) {
  put_by_elements(call, call.attrs.as<Attrs>().dim);
}

void ScatterAdd::shape(ShapeCall& call) {
  put_by_elements(call, call.attrs.as<Attrs>().dim);
  check_sums(call);
}

void ScatterReduce::shape(ShapeCall& call) {
  const auto& attrs = call.attrs.as<Attrs>();
  VITRO_CHECK(attrs.reduce != ScatterReduction::mean, call.op,
              ": mean is not an op; divide a sum by the counts, as the function does");
  put_by_elements(call, attrs.dim);
  check_sums(call);
}

namespace {

Combine combine_of(ScatterReduction reduce) {
  switch (reduce) {
    case ScatterReduction::prod:
      return Combine::multiply;
    case ScatterReduction::amax:
      return Combine::largest;
    case ScatterReduction::amin:
      return Combine::smallest;
    case ScatterReduction::sum:
    case ScatterReduction::mean:
      break;
  }
  return Combine::add;
}

}  // namespace

PutSpec ScatterReduce::spec(AttrsView attrs, std::span<const int> ranks) {
  const auto& [dim, reduce] = attrs.as<Attrs>();
  return along(name, dim, ranks[0], true, combine_of(reduce));
}

namespace {

// For puts whose indices have rank 1 and select slices along dim.
void put_by_slices(ShapeCall& call, int64_t along) {
  check_put(call);
  const TensorMeta &x = *call.operands[0].meta, &indices = *call.operands[1].meta,
                   &src = *call.operands[2].meta;
  const auto dim = static_cast<size_t>(wrap_dim(call.op, along, x.rank()));
  VITRO_CHECK(indices.rank() <= 1, call.op, ": indices must have rank 1, got sizes ", indices.sizes,
              "; flatten them");
  const Size count = indices.rank() == 0 ? Size(1) : indices.sizes[0];
  for (size_t d = 0; d < x.sizes.size(); ++d) {
    const Size wanted = d == dim ? count : x.sizes[d];
    VITRO_CHECK(equal(src.sizes[d], wanted), call.op, ": the source has sizes ", src.sizes,
                "; needs ", wanted, " in dimension ", d);
  }
  VITRO_CHECK(x.rank() > 0 || equal(count, 1), call.op,
              ": a tensor without dimensions has one element, got ", count, " indices");
  check_has_indexed(call.op, x.sizes, {{static_cast<int64_t>(dim), 1}}, indices.sizes);
  put_result(call);
}

}  // namespace

void IndexCopy::shape(ShapeCall& call) {
  put_by_slices(call, call.attrs.as<Attrs>().dim);
}

void IndexAdd::shape(ShapeCall& call) {
  put_by_slices(call, call.attrs.as<Attrs>().dim);
  check_sums(call);
}

void IndexReduce::shape(ShapeCall& call) {
  const auto& [dim, reduce] = call.attrs.as<Attrs>();
  VITRO_CHECK(reduce != ScatterReduction::sum && reduce != ScatterReduction::mean, call.op,
              ": use index_add for sums; for a mean divide one by the counts");
  put_by_slices(call, dim);
  check_sums(call);
}

PutSpec IndexReduce::spec(AttrsView attrs, std::span<const int> ranks) {
  const auto& [dim, reduce] = attrs.as<Attrs>();
  return along(name, dim, ranks[0], false, combine_of(reduce));
}

void IndexPut::shape(ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta && call.operands.back().meta, call.op,
              ": x and the values are tensors");
  const TensorMeta &x = *call.operands[0].meta, &values = *call.operands.back().meta;
  const auto indices = call.operands.first(call.operands.size() - 1);
  check_index_list(call.op, x, indices);
  VITRO_CHECK(values.dtype == x.dtype, call.op, ": the values are of ", values.dtype, ", x of ",
              x.dtype, "; cast one of them");
  const IndexedTogether indexed = indexed_by_list(ranks_of(indices));
  check_has_indexed(call.op, x.sizes, indexed.axes,
                    indices_together(call.op, indexed.axes, indices));
  const Sizes whole = indexed_sizes(call.op, x.sizes, indexed.axes, indexed.first, indices);
  bool fits = values.sizes.size() <= whole.size();
  const size_t missing = fits ? whole.size() - values.sizes.size() : 0;
  for (size_t d = 0; fits && d < values.sizes.size(); ++d) {
    const Size there = whole[missing + d];
    const std::optional<Size> common = common_size(there, values.sizes[d]);
    fits = common && equal(*common, there);
  }
  VITRO_CHECK(fits, call.op, ": values of sizes ", values.sizes, " do not broadcast to ", whole,
              ", which the indices select");
  call.results.push_back({x.dtype, x.device, x.sizes, strides_like(x), 0});  // layout as in ATen
  if (call.attrs.as<Attrs>().accumulate) check_sums(call);
}

PutSpec IndexPut::spec(AttrsView attrs, std::span<const int> ranks) {
  IndexedTogether indexed = indexed_by_list(ranks.first(ranks.size() - 1));
  return {static_cast<int>(ranks.size()) - 1,
          std::move(indexed.axes),
          false,
          indexed.first,
          true,
          attrs.as<Attrs>().accumulate ? Combine::add : Combine::replace};
}

void EmbeddingDenseBackward::shape(ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta && call.operands[1].meta, call.op, ": takes two tensors");
  const TensorMeta &grad = *call.operands[0].meta, &indices = *call.operands[1].meta;
  check_integers(call.op, indices.dtype);
  bool fits = grad.rank() == indices.rank() + 1;
  for (size_t d = 0; fits && d < indices.sizes.size(); ++d)
    fits = equal(grad.sizes[d], indices.sizes[d]);
  VITRO_CHECK(fits, call.op, ": grad_output needs the sizes of the indices, ", indices.sizes,
              ", and one more, got ", grad.sizes);
  const Size rows = call.attrs.as<Attrs>().num_weights;
  VITRO_CHECK(!less(rows, 0), call.op, ": num_weights must not be negative, got ", rows);
  check_has_indexed(call.op, {rows}, {{0, 1}}, indices.sizes);
  call.results.push_back(dense(grad.dtype, grad.device, {rows, grad.sizes.back()}));
}

void EmbeddingDenseBackward::expand(std::span<const Operand> operands, AttrsView attrs,
                                    std::span<Tensor> results) {
  const auto& a = attrs.as<Attrs>();
  const Tensor &grad = operands[0].tensor(), &indices = operands[1].tensor();
  const Tensor flat = reshape(indices, {-1});
  Tensor rows = reshape(grad, {flat.size(0), grad.size(-1)});
  if (a.scale_grad_by_freq) {
    const Tensor none = zeros({a.num_weights}, DType::i64, grad.device());
    const Tensor counts = index_add(none, 0, flat, ones({flat.size(0)}, DType::i64, grad.device()));
    const Tensor parts = to(1.0 / to(index_select(counts, 0, flat), DType::f64), grad.dtype());
    rows = rows * unsqueeze(parts, 1);
  }
  // Rows of padding_idx are replaced by zeros.
  if (!(a.padding_idx < 0)) rows = where(unsqueeze(flat == a.padding_idx, 1), false, rows);
  const Tensor none = full({a.num_weights, grad.size(-1)}, 0, grad.dtype(), grad.device());
  results[0] = index_add(none, 0, flat, rows);
}

void SliceScatter::shape(ShapeCall& call) {
  scatter_shape(call, &Slice::shape);
}
void SelectScatter::shape(ShapeCall& call) {
  scatter_shape(call, &Select::shape);
}
void DiagonalScatter::shape(ShapeCall& call) {
  scatter_shape(call, &Diagonal::shape);
}
namespace {

// A window in which each dimension steps over all elements of those with smaller strides. Others
// may have elements in common; which of their values remained would depend on the order of writing.
void check_disjoint(std::string_view op, const Sizes& size, const Sizes& stride) {
  std::vector<size_t> order;
  for (size_t d = 0; d < size.size(); ++d) {
    if (equal(size[d], 0)) return;
    if (less(1, size[d])) order.push_back(d);
  }
  std::ranges::sort(order, {}, [&](size_t d) { return number_of(stride[d]); });
  Size reach = 0;
  for (const size_t d : order) {
    VITRO_CHECK(less(reach, stride[d]), op,
                ": elements of src may overwrite each other: a stride of ", number_of(stride[d]),
                " is not larger than the ", number_of(reach),
                " that smaller strides step over (sizes ", numbers_of(size), ", strides ",
                numbers_of(stride), "); use larger strides");
    reach = reach + (size[d] - 1) * stride[d];
  }
}

}  // namespace

void AsStridedScatter::shape(ShapeCall& call) {
  scatter_shape(call, &AsStrided::shape);
  const auto& a = call.attrs.as<Attrs>();
  for (size_t d = 0; d < a.size.size(); ++d) {
    VITRO_CHECK(!equal(a.stride[d], 0) || !less(1, a.size[d]), call.op, ": the ",
                number_of(a.size[d]), " elements of src along dimension ", d,
                " would overwrite each other, because its stride is 0; use another stride");
  }
  check_disjoint(call.op, a.size, a.stride);
}

}  // namespace vitro::ops

namespace vitro {
namespace {

using ops::ScatterReduction;
using ops::ScatterWith;

Tensor written(const ops::At& x, const Tensor& made) {
  return copy_(x.operand.tensor(), made, x.where);
}

// Whether a put writes to its first operand, of which then only what is put changes.
enum class Puts : bool { in_result, in_place };

Tensor call_put(const OpDef& op, const ops::At& x, std::span<const Operand> operands,
                AttrsView attrs, Puts where) {
  const bool in_place = where == Puts::in_place && !is_complex(x.operand.tensor().dtype());
  Tensor result;
  vitro::call(OpCall{&op, operands, attrs, in_place, x.where}, {&result, 1});
  return where == Puts::in_result || in_place ? result : written(x, result);
}
// For an op that puts a source along a dimension.
Tensor put_along(const OpDef& op, const ops::At& x, int64_t dim, const Tensor& index,
                 const Tensor& source, Puts where) {
  const ops::DimAttrs attrs{dim};
  return call_put(op, x, std::array{x.operand, Operand(index), Operand(source)},
                  ops::attrs_view<ops::Scatter>(attrs), where);
}

// `put` of x and a source, both converted to `wide`, and its result converted back: ATen sums f16
// and bf16 in f32 and rounds once.
Tensor in_wide(const ops::At& x, const Tensor& source, DType wide, Puts where,
               FunctionRef<Tensor(const ops::At& x, const Tensor& source, Puts where)> put) {
  const Tensor& t = x.operand.tensor();
  if (wide == t.dtype() || source.dtype() != t.dtype()) return put(x, source, where);
  const Tensor made =
      put({to({t, x.where}, wide), x.where}, to({source, x.where}, wide), Puts::in_result);
  const Tensor narrow = to({made, x.where}, t.dtype());
  return where == Puts::in_place ? written(x, narrow) : narrow;
}

Tensor add_into(const OpDef& op, const ops::At& x, int64_t dim, const Tensor& index,
                const Tensor& source, Puts where) {
  return in_wide(x, source, compute_type(x.operand.tensor().dtype()), where,
                 [&](const ops::At& to, const Tensor& added, Puts puts) {
                   return put_along(op, to, dim, index, added, puts);
                 });
}

Tensor add_slices(const ops::At& x, int64_t dim, const Tensor& index, const Tensor& source,
                  const Scalar& alpha, Puts where) {
  const DType dtype = source.dtype();
  VITRO_CHECK(is_floating(dtype) || is_complex(dtype) || !alpha.is_floating(),
              "index_add: alpha must be an integer for ", dtype, ", got ", alpha);
  ops::check_holds("index_add", dtype, alpha);
  const Scalar factor = is_bool(dtype) ? Scalar(alpha.as_bool()) : alpha;
  const Tensor scaled = alpha.is(1) ? source : mul({source, x.where}, factor);
  return add_into(ops::def<ops::IndexAdd>(), x, dim, index, scaled, where);
}

// The neutral element of the reduction.
Scalar neutral(ScatterReduction reduce, DType dtype) {
  if (reduce == ScatterReduction::prod) return 1;
  if (reduce != ScatterReduction::amax && reduce != ScatterReduction::amin) return 0;
  const bool lowest = reduce == ScatterReduction::amax;
  if (is_floating(dtype)) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return lowest ? -infinity : infinity;
  }
  Scalar out;
  dispatch(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      out = static_cast<int64_t>(lowest ? std::numeric_limits<T>::min()
                                        : std::numeric_limits<T>::max());
  });
  return out;
}

// A source with the sizes of the indices, filled with a number.
Tensor source_of(const ops::At& x, const Tensor& index, const Scalar& value) {
  return full_like({index, x.where}, value, x.operand.tensor().dtype());
}

// The ops for reductions of elements, or of slices along dim.
struct Reducer {
  Tensor (*fill)(const ops::At& x, int64_t dim, const Tensor& index, const Scalar& value);
  Tensor (*reduce)(const ops::At& x, int64_t dim, const Tensor& index, const Tensor& source,
                   ScatterReduction reduce);
};

// The reduction in the compute type.
Tensor reduced_into(const Reducer& put, const ops::At& x, int64_t dim, const Tensor& index,
                    const Tensor& source, ScatterReduction reduce, bool include_self) {
  const Tensor& t = x.operand.tensor();
  const Tensor start = include_self ? t : put.fill(x, dim, index, neutral(reduce, t.dtype()));
  const auto made = [&](const Tensor& to, const Tensor& from, ScatterReduction how) {
    return put.reduce({to, x.where}, dim, index, from, how);
  };
  if (reduce != ScatterReduction::mean) return made(start, source, reduce);
  const Tensor sums = made(start, source, ScatterReduction::sum);
  const Tensor ones = full_like({source, x.where}, 1);
  const Tensor counts = made(full_like(x, include_self ? 1 : 0), ones, ScatterReduction::sum);
  const Tensor divisor = maximum({counts, x.where}, 1);
  return is_floating(t.dtype()) ? div({sums, x.where}, divisor)
                                : floor_divide({sums, x.where}, divisor);
}

Tensor reduced(const Reducer& put, const ops::At& x, int64_t dim, const Tensor& index,
               const Tensor& source, ScatterReduction reduce, bool include_self) {
  const DType dtype = x.operand.tensor().dtype();
  VITRO_CHECK(
      !is_complex(dtype) || reduce == ScatterReduction::sum || reduce == ScatterReduction::mean,
      "scatter_reduce: complex numbers can only be added");
  return in_wide(x, source, is_bool(dtype) ? DType::i64 : compute_type(dtype), Puts::in_result,
                 [&](const ops::At& to, const Tensor& from, Puts) {
                   return reduced_into(put, to, dim, index, from, reduce, include_self);
                 });
}

ScatterReduction reduction_of(ScatterWith with) {
  return with == ScatterWith::add ? ScatterReduction::sum : ScatterReduction::prod;
}

}  // namespace

Tensor scatter_add(ops::At x, int64_t dim, const Tensor& index, const Tensor& src) {
  const CalledAs name("scatter_add", x.where);
  return add_into(ops::def<ops::ScatterAdd>(), x, dim, index, src, Puts::in_result);
}

Tensor index_add(ops::At x, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  const CalledAs name("index_add", x.where);
  return add_slices(x, dim, index, source, alpha, Puts::in_result);
}

Tensor scatter_reduce(ops::At x, int64_t dim, const Tensor& index, const Tensor& src,
                      ScatterReduction reduce, bool include_self) {
  const CalledAs name("scatter_reduce", x.where);
  constexpr Reducer by_elements{[](const ops::At& to, int64_t along, const Tensor& at,
                                   const Scalar& value) { return scatter(to, along, at, value); },
                                [](const ops::At& to, int64_t along, const Tensor& at,
                                   const Tensor& from, ScatterReduction how) {
                                  return ops::call<ops::ScatterReduce>(
                                      to.where, {to.operand, at, from}, {along, how});
                                }};
  return reduced(by_elements, x, dim, index, src, reduce, include_self);
}

Tensor index_reduce(ops::At x, int64_t dim, const Tensor& index, const Tensor& source,
                    ScatterReduction reduce, bool include_self) {
  const CalledAs name("index_reduce", x.where);
  VITRO_CHECK(
      reduce != ScatterReduction::sum,
      "index_reduce: reduce is sum; needs prod, mean, amax or amin; for sums use index_add");
  constexpr Reducer by_slices{[](const ops::At& to, int64_t along, const Tensor& at,
                                 const Scalar& value) { return index_fill(to, along, at, value); },
                              [](const ops::At& to, int64_t along, const Tensor& at,
                                 const Tensor& from, ScatterReduction how) {
                                if (how == ScatterReduction::sum)
                                  return index_add(to, along, at, from);
                                return ops::call<ops::IndexReduce>(to.where, {to.operand, at, from},
                                                                   {along, how});
                              }};
  return reduced(by_slices, x, dim, index, source, reduce, include_self);
}

Tensor as_strided_scatter(ops::At x, const Tensor& src, SizesArg size, SizesArg stride,
                          Size storage_offset) {
  const CalledAs name("as_strided_scatter", x.where);
  const Tensor& t = x.operand.tensor();
  const bool folds = t.rank() != 1 && t.is_contiguous();
  const Tensor flat = folds ? view(x, {-1}) : t;
  const Tensor out = ops::call<ops::AsStridedScatter>(
      x.where, {flat, src}, {std::move(size), std::move(stride), storage_offset});
  return folds ? view({out, x.where}, t.sizes()) : out;
}
Tensor scatter(ops::At x, int64_t dim, const Tensor& index, const Tensor& src) {
  return put_along(ops::def<ops::Scatter>(), x, dim, index, src, Puts::in_result);
}
Tensor scatter(ops::At x, int64_t dim, const Tensor& index, const Scalar& value) {
  const CalledAs name("scatter", x.where);
  return scatter(x, dim, index, source_of(x, index, value));
}
Tensor scatter(ops::At x, int64_t dim, const Tensor& index, const Tensor& src, ScatterWith reduce) {
  const CalledAs name("scatter", x.where);
  return scatter_reduce(x, dim, index, src, reduction_of(reduce));
}
Tensor scatter(ops::At x, int64_t dim, const Tensor& index, const Scalar& value,
               ScatterWith reduce) {
  const CalledAs name("scatter", x.where);
  return scatter_reduce(x, dim, index, source_of(x, index, value), reduction_of(reduce));
}

Tensor index_copy(ops::At x, int64_t dim, const Tensor& index, const Tensor& source) {
  return put_along(ops::def<ops::IndexCopy>(), x, dim, index, source, Puts::in_result);
}

namespace {

// One number under a mask: a masked fill, which does not need the positions.
bool is_masked_fill(const Tensor& x, std::span<const Tensor> indices, const Tensor& values) {
  if (indices.size() != 1 || !indices[0].defined() || !is_bool(indices[0].dtype())) return false;
  const Sizes sizes = x.sizes(), masked = indices[0].sizes();
  bool fits = values.rank() == 0 && values.dtype() == x.dtype() && !masked.empty() &&
              masked.size() <= sizes.size();
  for (size_t d = 0; fits && d < masked.size(); ++d) fits = equal(sizes[d], masked[d]);
  return fits;
}

Tensor put_at(const ops::At& x, std::span<const Tensor> indices, const Tensor& values,
              bool accumulate, Puts where) {
  const Tensor& t = x.operand.tensor();
  if (is_masked_fill(t, indices, values)) {
    Tensor mask = indices[0];
    while (mask.rank() < t.rank()) mask = unsqueeze({mask, x.where}, -1);
    const Tensor put = accumulate ? add(ops::First(t, x.where), values) : values;
    const Tensor made = vitro::where({mask, x.where}, put, t);
    return where == Puts::in_place ? written(x, made) : made;
  }
  const std::vector<Tensor> whole = ops::without_masks("index_put", x, indices);
  const auto put = [&](const ops::At& to, const Tensor& source, Puts puts) {
    std::vector<Operand> operands{to.operand};
    operands.insert(operands.end(), whole.begin(), whole.end());
    operands.emplace_back(source);
    const ops::IndexPutAttrs attrs{accumulate};
    return call_put(ops::def<ops::IndexPut>(), to, operands, ops::attrs_view<ops::IndexPut>(attrs),
                    puts);
  };
  return in_wide(x, values, accumulate ? compute_type(t.dtype()) : t.dtype(), where, put);
}

}  // namespace

Tensor index_put(ops::At x, std::span<const Tensor> indices, const Tensor& values,
                 bool accumulate) {
  const CalledAs name("index_put", x.where);
  return put_at(x, indices, values, accumulate, Puts::in_result);
}

Tensor put(ops::At x, const Tensor& index, const Tensor& source, bool accumulate) {
  const CalledAs name("put", x.where);
  ops::check_integers("put", index.dtype());
  const Tensor flat = reshape(x, {-1}), values = reshape({source, x.where}, index.sizes());
  const Tensor& t = x.operand.tensor();
  const Tensor made = index_put({flat, x.where}, {index}, values, accumulate);
  const Tensor shaped = reshape({made, x.where}, t.sizes());
  return t.is_contiguous() ? shaped : copy(x, shaped);  // in the layout of x
}

Tensor index_fill(ops::At x, int64_t dim, const Tensor& index, const Operand& value) {
  const CalledAs name("index_fill", x.where);
  const Tensor& t = x.operand.tensor();
  const auto axis = static_cast<size_t>(ops::wrap_dim("index_fill", dim, t.rank()));
  ops::check_integers("index_fill", index.dtype());
  VITRO_CHECK(value.is_number() || value.tensor().rank() == 0,
              "index_fill: needs a number, got a tensor with dimensions");
  VITRO_CHECK(index.rank() <= 1, "index_fill: indices must have rank 1, got sizes ",
              numbers_of(index.sizes()), "; flatten them");
  ops::check_has_indexed("index_fill", t.sizes(), {{static_cast<int64_t>(axis), 1}}, index.sizes());
  const ops::FillValue fitting = ops::fill_value("index_fill", value, t.dtype(), x.where);
  if (known_equal(t.numel(), 0)) return clone(x);  // nothing to fill
  // A mask of the slices to fill. Its rank makes an index out of range report the right dimension.
  const Size size = t.rank() == 0 ? Size(1) : t.size(static_cast<int64_t>(axis));
  Sizes sizes(axis + 1, Size(1));
  sizes[axis] = size;
  std::vector<Tensor> indices(axis);
  indices.push_back(reshape({index, x.where}, {-1}));
  const Tensor nowhere = zeros(sizes, DType::boolean, t.device(), x.where);
  const Tensor yes = scalar_tensor(true, DType::boolean, t.device(), x.where);
  sizes.resize(t.sizes().size(), Size(1));
  const Tensor filled = reshape({index_put({nowhere, x.where}, indices, yes), x.where}, sizes);
  const Tensor one = fitting.tensor.defined()
                         ? fitting.tensor
                         : scalar_tensor(fitting.number, t.dtype(), t.device(), x.where);
  return where({filled, x.where}, one, t);
}

Tensor scatter_add_(ops::At x, int64_t dim, const Tensor& index, const Tensor& src) {
  const CalledAs name("scatter_add_", x.where);
  return add_into(ops::def<ops::ScatterAdd>(), x, dim, index, src, Puts::in_place);
}
Tensor index_add_(ops::At x, int64_t dim, const Tensor& index, const Tensor& source,
                  const Scalar& alpha) {
  const CalledAs name("index_add_", x.where);
  return add_slices(x, dim, index, source, alpha, Puts::in_place);
}
Tensor scatter_reduce_(ops::At x, int64_t dim, const Tensor& index, const Tensor& src,
                       ScatterReduction reduce, bool include_self) {
  const CalledAs name("scatter_reduce_", x.where);
  return written(x, scatter_reduce(x, dim, index, src, reduce, include_self));
}
Tensor index_reduce_(ops::At x, int64_t dim, const Tensor& index, const Tensor& source,
                     ScatterReduction reduce, bool include_self) {
  const CalledAs name("index_reduce_", x.where);
  return written(x, index_reduce(x, dim, index, source, reduce, include_self));
}
Tensor scatter_(ops::At x, int64_t dim, const Tensor& index, const Tensor& src) {
  const CalledAs name("scatter_", x.where);
  return put_along(ops::def<ops::Scatter>(), x, dim, index, src, Puts::in_place);
}
Tensor scatter_(ops::At x, int64_t dim, const Tensor& index, const Scalar& value) {
  const CalledAs name("scatter_", x.where);
  return scatter_(x, dim, index, source_of(x, index, value));
}
Tensor scatter_(ops::At x, int64_t dim, const Tensor& index, const Tensor& src,
                ScatterWith reduce) {
  const CalledAs name("scatter_", x.where);
  return written(x, scatter(x, dim, index, src, reduce));
}
Tensor scatter_(ops::At x, int64_t dim, const Tensor& index, const Scalar& value,
                ScatterWith reduce) {
  const CalledAs name("scatter_", x.where);
  return written(x, scatter(x, dim, index, value, reduce));
}
Tensor index_copy_(ops::At x, int64_t dim, const Tensor& index, const Tensor& source) {
  const CalledAs name("index_copy_", x.where);
  const WithoutAutocast as_given;
  return put_along(ops::def<ops::IndexCopy>(), x, dim, index, source, Puts::in_place);
}
Tensor index_put_(ops::At x, std::span<const Tensor> indices, const Tensor& values,
                  bool accumulate) {
  const CalledAs name("index_put_", x.where);
  return put_at(x, indices, values, accumulate, Puts::in_place);
}

Tensor put_(ops::At x, const Tensor& index, const Tensor& source, bool accumulate) {
  const CalledAs name("put_", x.where);
  return written(x, put(x, index, source, accumulate));
}
Tensor index_fill_(ops::At x, int64_t dim, const Tensor& index, const Operand& value) {
  const CalledAs name("index_fill_", x.where);
  return written(x, index_fill(x, dim, index, value));
}

}  // namespace vitro
