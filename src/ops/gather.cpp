#include "vitro/ops/gather.h"

#include "vitro/base/error.h"

namespace vitro::ops {
namespace {

const TensorMeta& indices_of(const ShapeCall& call) {
  VITRO_CHECK(call.operands[0].meta && call.operands[1].meta, call.op, ": takes two tensors");
  const TensorMeta& indices = *call.operands[1].meta;
  VITRO_CHECK(indices.dtype == DType::i64 || indices.dtype == DType::i32, call.op,
              ": indices must be i32 or i64, got ", indices.dtype);
  return indices;
}

}  // namespace

void Embedding::shape(ShapeCall& call) {
  const TensorMeta &indices = indices_of(call), &weight = *call.operands[0].meta;
  VITRO_CHECK(weight.rank() == 2, "embedding: weight must have rank 2, got sizes ", weight.sizes);
  Sizes sizes = indices.sizes;
  sizes.push_back(weight.sizes[1]);
  call.results.push_back(dense(weight.dtype, weight.device, sizes));
}

void IndexSelect::shape(ShapeCall& call) {
  const TensorMeta &indices = indices_of(call), &x = *call.operands[0].meta;
  const auto dim = static_cast<size_t>(wrap_dim(call.op, call.attrs.as<Attrs>().dim, x.rank()));
  VITRO_CHECK(indices.rank() <= 1, "index_select: indices must have rank 1, got sizes ",
              indices.sizes, "; flatten them");
  const Size count = indices.rank() == 0 ? Size(1) : indices.sizes[0];
  VITRO_CHECK(x.rank() > 0 || equal(count, 1),
              "index_select: a tensor without dimensions has one element, got ", count, " indices");
  Sizes sizes = x.sizes;
  if (x.rank() > 0) sizes[dim] = count;
  call.results.push_back(dense(x.dtype, x.device, sizes));
}

void Gather::shape(ShapeCall& call) {
  const TensorMeta &indices = indices_of(call), &x = *call.operands[0].meta;
  const auto dim = static_cast<size_t>(wrap_dim(call.op, call.attrs.as<Attrs>().dim, x.rank()));
  VITRO_CHECK(indices.rank() == x.rank(), "gather: ranks differ: x has sizes ", x.sizes,
              ", indices have ", indices.sizes);
  for (size_t d = 0; d < x.sizes.size(); ++d) {
    VITRO_CHECK(d == dim || !less(x.sizes[d], indices.sizes[d]), "gather: indices of sizes ",
                indices.sizes, " reach outside of sizes ", x.sizes, " in dimension ", d);
  }
  call.results.push_back(dense(x.dtype, x.device, indices.sizes));
}

}  // namespace vitro::ops
