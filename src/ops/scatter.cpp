#include "vitro/ops/scatter.h"

#include <vector>

#include "vitro/base/error.h"

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

}  // namespace

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
