// Shape rules of joining tensors, and the program of stack.
#include "vitro/ops/concat.h"

#include <algorithm>
#include <vector>

#include "ops/memory_format.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {
namespace {

// torch.cat skips tensors of sizes [0], whatever the sizes of the others.
bool is_skipped(const TensorMeta& t) {
  return t.rank() == 1 && known_equal(t.sizes[0], 0);
}

const TensorMeta& needs_tensor(const ShapeCall& call, const Argument& operand) {
  VITRO_CHECK(operand.meta, call.op, ": takes tensors only");
  return *operand.meta;
}

}  // namespace

void Cat::shape(ShapeCall& call) {
  const TensorMeta* first = nullptr;
  Promotion promotion;
  for (const Argument& operand : call.operands) {
    const TensorMeta& t = needs_tensor(call, operand);
    VITRO_CHECK(t.rank() > 0, "cat: tensors without dimensions cannot be joined; use stack");
    promotion.add(t.dtype, Promotion::Rank::dimensioned);
    if (!first && !is_skipped(t)) first = &t;
  }
  if (!first) first = call.operands[0].meta;
  const auto axis = static_cast<size_t>(Cat::axis(call.attrs, first->rank()));
  Sizes sizes = first->sizes;
  sizes[axis] = 0;
  for (const Argument& operand : call.operands) {
    const TensorMeta& t = *operand.meta;
    if (is_skipped(t)) continue;
    VITRO_CHECK(t.rank() == first->rank(), "cat: ranks differ: sizes ", first->sizes, " and ",
                t.sizes);
    for (size_t d = 0; d < sizes.size(); ++d) {
      VITRO_CHECK(d == axis || equal(t.sizes[d], sizes[d]), "cat: sizes ", first->sizes, " and ",
                  t.sizes, " differ outside of dimension ", axis);
    }
    sizes[axis] = sizes[axis] + t.sizes[axis];
  }
  const bool channels_last =
      first->rank() > 1 && std::ranges::all_of(call.operands, [](const Argument& a) {
        return is_skipped(*a.meta) || has_channels_last(*a.meta);
      });
  call.results.push_back(dense_in(channels_last, promotion.result(), first->device, sizes));
}

void Stack::shape(ShapeCall& call) {
  const TensorMeta& first = needs_tensor(call, call.operands[0]);
  const int64_t dim = wrap_dim(call.op, call.attrs.as<Attrs>().dim, first.rank() + 1);
  Promotion promotion;
  for (const Argument& operand : call.operands) {
    const TensorMeta& t = needs_tensor(call, operand);
    VITRO_CHECK(equal_sizes(t.sizes, first.sizes), "stack: sizes differ: ", first.sizes, " and ",
                t.sizes, "; expand or pad them first");
    promotion.add(t.dtype, Promotion::Rank::dimensioned);
  }
  Sizes sizes = first.sizes;
  sizes.insert(static_cast<size_t>(dim), static_cast<int64_t>(call.operands.size()));
  call.results.push_back(dense(promotion.result(), first.device, sizes));
}

void Stack::expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results) {
  const int64_t rank = operands[0].tensor().rank();
  const int64_t dim = wrap_dim(name, attrs.as<Attrs>().dim, rank + 1);
  std::vector<Tensor> parts;
  for (const Operand& operand : operands) parts.push_back(unsqueeze(operand.tensor(), dim));
  results[0] = cat(parts, dim);
}

namespace {

template <class Op>
Tensor join(std::span<const Tensor> tensors, int64_t dim, std::source_location from) {
  if (tensors.empty()) {
    const CalledAs name(Op::name, from);  // no op is called, which would have a location
    throw_error(cat(Op::name, ": needs at least one tensor"));
  }
  const std::vector<Operand> operands(tensors.begin(), tensors.end());
  const CatAttrs attrs{dim};
  return call_one(def<Op>(), operands, attrs_view<Op>(attrs), from);
}

}  // namespace
}  // namespace ops

Tensor cat(std::span<const Tensor> tensors, int64_t dim, std::source_location from) {
  return ops::join<ops::Cat>(tensors, dim, from);
}
Tensor stack(std::span<const Tensor> tensors, int64_t dim, std::source_location from) {
  return ops::join<ops::Stack>(tensors, dim, from);
}

}  // namespace vitro
