#include "vitro/ops/compaction.h"

#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {

void Nonzero::shape(ShapeCall& call) {
  const TensorMeta& x = *call.operands[0].meta;
  const Size most = product(x.sizes);
  // As in PyTorch, the indices along one dimension are contiguous.
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

// Of a tensor that is empty by its sizes there is no size that depends on data.
Tensor nonzero(ops::At x) {
  const Tensor& t = x.operand.tensor();
  if (!known_equal(t.numel(), 0)) return ops::call<ops::Nonzero>(x.where, {x.operand});
  const CalledAs name("nonzero", x.where);
  return expand(zeros({0, 1}, DType::i64, t.device()), {0, t.rank()});
}

}  // namespace vitro
