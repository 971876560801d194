#include "vitro/ops/compaction.h"

#include <algorithm>

#include "vitro/base/error.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {

void Nonzero::shape(ShapeCall& call) {
  const TensorMeta& x = *call.operands[0].meta;
  const Size most = product(x.sizes);
  // As PyTorch lays it out: the indices along a dimension lie side by side.
  call.results.push_back({DType::i64, x.device, {most, Size(x.rank())}, {1, most}, 0});
}

void MaskedSelect::shape(ShapeCall& call) {
  const TensorMeta &x = *call.operands[0].meta, &mask = *call.operands[1].meta;
  VITRO_CHECK(is_bool(mask.dtype), call.op, ": the mask must be bool, got ", mask.dtype);
  call.results.push_back(
      dense(x.dtype, x.device, {product(broadcast(call.op, x.sizes, mask.sizes))}));
}

void set_count(TensorMeta& result, Size count) {
  result.sizes[0] = count;
  if (result.rank() == 2) result.strides[1] = count;
}

}  // namespace ops

Tensor index(ops::At x, const Tensor& mask) {
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(is_bool(mask.dtype()), "index: the mask must be bool, got ", mask.dtype());
  const Sizes sizes = t.sizes(), picked = mask.sizes();
  bool fits = picked.size() <= sizes.size();
  for (size_t d = 0; fits && d < picked.size(); ++d) fits = equal(sizes[d], picked[d]);
  VITRO_CHECK(fits, "index: a mask of sizes ", picked, " does not stand for the first sizes of ",
              sizes);
  if (picked.size() == sizes.size()) return masked_select(x, mask);
  Sizes rows{product(picked)};
  for (size_t d = picked.size(); d < sizes.size(); ++d) rows.push_back(sizes[d]);
  const Tensor places = nonzero({reshape({mask, x.where}, rows[0]), x.where});
  const Tensor which = select({places, x.where}, 1, 0);
  return index_select({reshape(x, rows), x.where}, 0, which);
}

}  // namespace vitro
