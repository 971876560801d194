#include "vitro/ops/scan.h"

#include "vitro/base/error.h"
#include "vitro/ops/create.h"

namespace vitro {
namespace ops {
namespace {

const TensorMeta& scanned(const ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta, call.op, ": takes a tensor");
  const TensorMeta& in = *call.operands[0].meta;
  (void)wrap_dim(call.op, call.attrs.as<ScanAttrs>().dim, in.rank());
  return in;
}

void shape_of_total(ShapeCall& call) {
  const TensorMeta& in = scanned(call);
  const DType result =
      call.attrs.as<ScanAttrs>().dtype.value_or(is_floating(in.dtype) ? in.dtype : DType::i64);
  VITRO_CHECK(!is_bool(result), call.op, ": is computed in numbers, got dtype ", result,
              "; cast the operand to it before and the result after");
  call.results.push_back(dense(result, in.device, in.sizes));
}

template <class Op>
std::pair<Tensor, Tensor> two(At x, int64_t dim) {
  auto [first, second] = call_many<Op, 2>(x.where, {x.operand}, {dim, {}});
  return {std::move(first), std::move(second)};
}

}  // namespace

int64_t scanned_dim(AttrsView attrs, int rank) {
  return wrap_dim("scan", attrs.as<ScanAttrs>().dim, rank);
}

DType total_dtype(DType, DType result) {
  if (result == DType::f32) return DType::f64;
  return is_floating(result) ? compute_type(result) : DType::i64;
}

void Cumsum::shape(ShapeCall& call) {
  shape_of_total(call);
}
void Cumprod::shape(ShapeCall& call) {
  shape_of_total(call);
}
void Logcumsumexp::shape(ShapeCall& call) {
  const TensorMeta& in = scanned(call);
  VITRO_CHECK(is_floating(in.dtype), call.op, ": takes floating-point numbers, got ", in.dtype,
              "; cast them first");
  call.results.push_back(dense(in.dtype, in.device, in.sizes));
}
void Extreme::shape(ShapeCall& call) {
  const TensorMeta& in = scanned(call);
  call.results.push_back(dense(in.dtype, in.device, in.sizes));
  call.results.push_back(dense(DType::i64, in.device, in.sizes));
}

}  // namespace ops

Tensor cumsum(ops::At x, int64_t dim, std::optional<DType> dtype) {
  return ops::call<ops::Cumsum>(x.where, {x.operand}, {dim, dtype});
}
Tensor cumprod(ops::At x, int64_t dim, std::optional<DType> dtype) {
  return ops::call<ops::Cumprod>(x.where, {x.operand}, {dim, dtype});
}
Tensor logcumsumexp(ops::At x, int64_t dim) {
  return ops::call<ops::Logcumsumexp>(x.where, {x.operand}, {dim, {}});
}
std::pair<Tensor, Tensor> cummax(ops::At x, int64_t dim) {
  return ops::two<ops::Cummax>(x, dim);
}
std::pair<Tensor, Tensor> cummin(ops::At x, int64_t dim) {
  return ops::two<ops::Cummin>(x, dim);
}

}  // namespace vitro
