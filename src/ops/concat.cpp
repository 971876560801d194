#include "vitro/ops/concat.h"

#include <vector>

#include "vitro/base/error.h"

namespace vitro {
namespace ops {

void Cat::shape(ShapeCall& call) {
  const TensorMeta& first = *call.operands[0].meta;
  const auto axis =
      static_cast<size_t>(wrap_dim(call.op, call.attrs.as<Attrs>().dim, first.rank()));
  VITRO_CHECK(first.rank() > 0, "cat: tensors without dimensions cannot be joined");
  Promotion promotion;
  Sizes sizes = first.sizes;
  sizes[axis] = 0;
  for (const Argument& operand : call.operands) {
    const TensorMeta& t = *operand.meta;
    VITRO_CHECK(t.rank() == first.rank(), "cat: ranks differ: sizes ", first.sizes, " and ",
                t.sizes);
    for (size_t d = 0; d < sizes.size(); ++d) {
      VITRO_CHECK(d == axis || equal(t.sizes[d], sizes[d]), "cat: sizes ", first.sizes, " and ",
                  t.sizes, " differ outside of dimension ", axis);
    }
    sizes[axis] = sizes[axis] + t.sizes[axis];
    promotion.add(t.dtype, Promotion::Rank::dimensioned);
  }
  call.results.push_back(dense(promotion.result(), first.device, sizes));
}

}  // namespace ops

Tensor cat(std::span<const Tensor> tensors, int64_t dim, std::source_location where) {
  VITRO_CHECK(!tensors.empty(), "cat: needs at least one tensor");
  const std::vector<Operand> operands(tensors.begin(), tensors.end());
  const ops::CatAttrs attrs{dim};
  return call_one(ops::def<ops::Cat>(), operands, ops::view_of<ops::Cat>(attrs), where);
}

}  // namespace vitro
