#include "vitro/ops/scatter.h"

#include <vector>

#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro::ops {
namespace {

// `src` must have the sizes of the view; the result is laid out like x.
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
  VITRO_CHECK(indices.dtype == DType::i64 || indices.dtype == DType::i32, call.op,
              ": indices must be i32 or i64, got ", indices.dtype);
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
  VITRO_CHECK(compute_type(dtype) == dtype, call.op, ": sums of ", dtype, " are made in ",
              compute_type(dtype), "; cast the operands before and the result after");
}

}  // namespace

void Scatter::shape(ShapeCall& call) {
  check_put(call);
  const TensorMeta &x = *call.operands[0].meta, &indices = *call.operands[1].meta,
                   &src = *call.operands[2].meta;
  const auto dim = static_cast<size_t>(wrap_dim(call.op, call.attrs.as<Attrs>().dim, x.rank()));
  VITRO_CHECK(indices.rank() == x.rank(), call.op, ": ranks differ: x has sizes ", x.sizes,
              ", indices have ", indices.sizes);
  for (size_t d = 0; d < x.sizes.size(); ++d) {
    const bool inside =
        (d == dim || !less(x.sizes[d], indices.sizes[d])) && !less(src.sizes[d], indices.sizes[d]);
    VITRO_CHECK(inside, call.op, ": indices of sizes ", indices.sizes, " reach outside of sizes ",
                x.sizes, " or of the source's ", src.sizes, " in dimension ", d);
  }
  put_result(call);
}

void ScatterAdd::shape(ShapeCall& call) {
  Scatter::shape(call);
  check_sums(call);
}

void IndexCopy::shape(ShapeCall& call) {
  check_put(call);
  const TensorMeta &x = *call.operands[0].meta, &indices = *call.operands[1].meta,
                   &src = *call.operands[2].meta;
  const auto dim = static_cast<size_t>(wrap_dim(call.op, call.attrs.as<Attrs>().dim, x.rank()));
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
  put_result(call);
}

void IndexAdd::shape(ShapeCall& call) {
  IndexCopy::shape(call);
  check_sums(call);
}

void EmbeddingDenseBackward::shape(ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta && call.operands[1].meta, call.op, ": takes two tensors");
  const TensorMeta &grad = *call.operands[0].meta, &indices = *call.operands[1].meta;
  VITRO_CHECK(indices.dtype == DType::i64 || indices.dtype == DType::i32, call.op,
              ": indices must be i32 or i64, got ", indices.dtype);
  bool fits = grad.rank() == indices.rank() + 1;
  for (size_t d = 0; fits && d < indices.sizes.size(); ++d)
    fits = equal(grad.sizes[d], indices.sizes[d]);
  VITRO_CHECK(fits, call.op, ": grad_output needs the sizes of the indices, ", indices.sizes,
              ", and one more, got ", grad.sizes);
  const Size rows = call.attrs.as<Attrs>().num_weights;
  VITRO_CHECK(!less(rows, 0), call.op, ": num_weights must not be negative, got ", rows);
  call.results.push_back(dense(grad.dtype, grad.device, {rows, grad.sizes.back()}));
}

void EmbeddingDenseBackward::expand(std::span<const Operand> operands, AttrsView attrs,
                                    std::span<Tensor> results) {
  const auto& a = attrs.as<Attrs>();
  const Tensor &grad = operands[0].tensor(), &indices = operands[1].tensor();
  const Tensor flat = reshape(indices, {-1});
  Tensor rows = reshape(grad, {flat.size(0), grad.size(-1)});
  // A row that does not count is a row of zeros.
  if (!(a.padding_idx < 0)) rows = where(unsqueeze(flat == a.padding_idx, 1), 0, rows);
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
void AsStridedScatter::shape(ShapeCall& call) {
  scatter_shape(call, &AsStrided::shape);
}

}  // namespace vitro::ops

namespace vitro {

namespace {

// ATen sums f16 and bf16 in f32 and rounds once.
template <class Op>
Tensor add_into(ops::At x, int64_t dim, const Tensor& index, const Tensor& source) {
  const DType dtype = x.operand.is_tensor() ? x.operand.tensor().dtype() : DType::f32;
  const DType sums = compute_type(dtype);
  if (sums == dtype || source.dtype() != dtype)
    return ops::call<Op>(x.where, {x.operand, index, source}, {dim});
  const Tensor wide = to({x.operand.tensor(), x.where}, sums), added = to({source, x.where}, sums);
  return to({ops::call<Op>(x.where, {wide, index, added}, {dim}), x.where}, dtype);
}

}  // namespace

Tensor scatter_add(ops::At x, int64_t dim, const Tensor& index, const Tensor& src) {
  return add_into<ops::ScatterAdd>(x, dim, index, src);
}

Tensor index_add(ops::At x, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  const Tensor scaled = alpha.is(1) ? source : mul({source, x.where}, alpha);
  return add_into<ops::IndexAdd>(x, dim, index, scaled);
}

}  // namespace vitro
