// Selects elements by a mask, in row-major order. A size of the result is a data size: it has no
// value until the op has run (sym/expr.h, Expr::data).
//   Tensor at = nonzero(x);          // [u, rank]: where x is not 0
//   Tensor some = index(x, x > 0);   // boolean indexing: x[x > 0]
#pragma once

#include "vitro/ops/define.h"

namespace vitro {

Tensor nonzero(ops::At x);

namespace ops {

struct Compaction {
  static constexpr OpKind kind = OpKind::compaction;
};

struct Nonzero : Compaction {
  static constexpr std::string_view name = "nonzero",
                                    doc = "The indices [u, rank] of the elements that are not 0.";
  static constexpr std::string_view signatures = "(Tensor self) -> Tensor";
  static constexpr int arity = 1;
  static void shape(ShapeCall& call);
  static constexpr std::string_view not_differentiable = "its result is an integer";
  static constexpr CompactionInfo info{.mask = 0, .places = true};
  static constexpr auto function = &vitro::nonzero;
};
struct MaskedSelect : Compaction {
  static constexpr std::string_view name = "masked_select",
                                    doc = "The elements [u] where the mask (bool) is true.";
  static constexpr std::string_view signatures = "(Tensor self, Tensor mask) -> Tensor";
  static constexpr int arity = 2;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static constexpr CompactionInfo info{.mask = 1, .places = false};
};

// Replaces the bound from the shape rule by the actual count, or its symbol.
void set_count(TensorMeta& result, Size count);

}  // namespace ops

// x and mask broadcast.
inline Tensor masked_select(ops::At x, const Tensor& mask) {
  return ops::call<ops::MaskedSelect>(x.where, {x.operand, mask});
}

}  // namespace vitro
