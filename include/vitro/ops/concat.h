// Concatenation.
//   Tensor y = cat({a, b}, 1);   Tensor z = stack({a, a});
#pragma once

#include <initializer_list>
#include <span>

#include "vitro/ops/define.h"

namespace vitro {
namespace ops {

struct ConcatOp {
  static constexpr OpKind kind = OpKind::concat;
  static constexpr int min_arity = 1, max_arity = 255;
  static void gradient(Formula& f);  // uses the axis
};

struct CatAttrs {
  int64_t dim = 0;
  static constexpr void each(auto&& f) { f("dim", &CatAttrs::dim); }
};
struct Cat : ConcatOp {
  static constexpr std::string_view name = "cat", doc = "The operands concatenated along `dim`.";
  static constexpr std::string_view signatures = "(Tensor[] tensors, int dim=0) -> Tensor";
  using Attrs = CatAttrs;
  static void shape(ShapeCall& call);
  static int64_t axis(AttrsView attrs, int rank) {
    return wrap_dim(name, attrs.as<Attrs>().dim, rank);
  }
  static constexpr ConcatInfo info{&axis};
};
struct Stack {
  static constexpr std::string_view name = "stack",
                                    doc = "The operands stacked along a new dimension `dim`.";
  static constexpr std::string_view signatures = "(Tensor[] tensors, int dim=0) -> Tensor";
  static constexpr OpKind kind = OpKind::composite;
  static constexpr int min_arity = 1, max_arity = 255;
  using Attrs = CatAttrs;
  static void shape(ShapeCall& call);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

}  // namespace ops

Tensor cat(std::span<const Tensor> tensors, int64_t dim = 0,
           std::source_location from = std::source_location::current());
inline Tensor cat(std::initializer_list<Tensor> tensors, int64_t dim = 0,
                  std::source_location from = std::source_location::current()) {
  return cat(std::span(tensors.begin(), tensors.size()), dim, from);
}
Tensor stack(std::span<const Tensor> tensors, int64_t dim = 0,
             std::source_location from = std::source_location::current());
inline Tensor stack(std::initializer_list<Tensor> tensors, int64_t dim = 0,
                    std::source_location from = std::source_location::current()) {
  return stack(std::span(tensors.begin(), tensors.size()), dim, from);
}

}  // namespace vitro
