#include "vitro/ops/reduce.h"

namespace vitro::ops {

ReducedDims reduced_dims(AttrsView attrs, int rank) {
  const auto& a = attrs.as<ReduceAttrs>();
  return {wrap_dims("reduction", a.dim, rank), a.keepdim};
}

DType state_dtype(DType operand, DType result) {
  const DType wide = is_floating(result) ? result : operand;
  return compute_type(is_floating(wide) ? wide : result);
}

void Sum::shape(ShapeCall& call) {
  const auto& a = call.attrs.as<ReduceAttrs>();
  const TensorMeta& in = *call.operands[0].meta;
  const ReducedDims dims{wrap_dims(call.op, a.dim, in.rank()), a.keepdim};
  shape_of_reduction(call, dims, a.dtype.value_or(is_floating(in.dtype) ? in.dtype : DType::i64));
}

}  // namespace vitro::ops
