// Elements picked by a tensor of whole-number indices.
#pragma once

#include "vitro/ops/define.h"

namespace vitro {
namespace ops {

struct Embedding {
  static constexpr std::string_view name = "embedding",
                                    doc = "Rows of `weight` [n, d], one per index.";
  static constexpr OpKind kind = OpKind::gather;
  static constexpr int arity = 2;
  static void shape(ShapeCall& call);
  static GatherSpec spec(AttrsView, int) { return {0, 1, 0, false}; }
  static constexpr GatherInfo info{&spec};
};

}  // namespace ops

// Indices are i32 or i64 in [0, n); one out of range is an Error that names it.
inline Tensor embedding(ops::At weight, const Tensor& indices) {
  return ops::call<ops::Embedding>(weight.where, {weight.operand, indices});
}

}  // namespace vitro
