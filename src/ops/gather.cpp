#include "vitro/ops/gather.h"

#include "vitro/base/error.h"

namespace vitro::ops {

void Embedding::shape(ShapeCall& call) {
  const TensorMeta &weight = *call.operands[0].meta, &indices = *call.operands[1].meta;
  VITRO_CHECK(weight.rank() == 2, "embedding: weight must have rank 2, got sizes ", weight.sizes);
  VITRO_CHECK(indices.dtype == DType::i64 || indices.dtype == DType::i32,
              "embedding: indices must be i32 or i64, got ", indices.dtype);
  Sizes sizes = indices.sizes;
  sizes.push_back(weight.sizes[1]);
  call.results.push_back(dense(weight.dtype, weight.device, sizes));
}

}  // namespace vitro::ops
