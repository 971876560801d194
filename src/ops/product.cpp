#include "vitro/ops/product.h"

#include "vitro/base/error.h"

namespace vitro::ops {
namespace {

void product_shape(ShapeCall& call, int rank) {
  const TensorMeta &a = *call.operands[0].meta, &b = *call.operands[1].meta;
  VITRO_CHECK(a.rank() == rank && b.rank() == rank, call.op, ": needs two tensors of rank ", rank,
              ", got sizes ", a.sizes, " and ", b.sizes);
  VITRO_CHECK(a.dtype == b.dtype, call.op, ": dtypes differ: ", a.dtype, " and ", b.dtype,
              "; cast one of them");
  VITRO_CHECK(is_floating(a.dtype) || is_integer(a.dtype), call.op,
              ": takes numbers (not bool), got ", a.dtype);
  const auto m = static_cast<size_t>(rank - 2), k = static_cast<size_t>(rank - 1);
  VITRO_CHECK(equal(a.sizes[k], b.sizes[m]), call.op, ": inner sizes differ: left has ", a.sizes[k],
              " columns, right has ", b.sizes[m], " rows");
  Sizes sizes{a.sizes[m], b.sizes[k]};
  if (rank == 3) {
    VITRO_CHECK(equal(a.sizes[0], b.sizes[0]), call.op, ": batch sizes differ: ", a.sizes[0],
                " and ", b.sizes[0]);
    sizes.insert(0, a.sizes[0]);
  }
  call.results.push_back(dense(a.dtype, a.device, sizes));
}

}  // namespace

void Mm::shape(ShapeCall& call) {
  product_shape(call, 2);
}
void Bmm::shape(ShapeCall& call) {
  product_shape(call, 3);
}

}  // namespace vitro::ops
