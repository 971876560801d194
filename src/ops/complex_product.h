// Products and quotients of complex numbers in one visit, for eager calls: a kernel each instead of
// several on the parts. They compute what the formulas of the parts compute, to the last bit.
#pragma once

#include "vitro/ops/define.h"

namespace vitro::ops {

// Contiguous pairs of f32 or f64 [..., 2], of equal sizes, or those of one number as operand 1.
// Not in the list of ops: graphs have the formula.
struct OfPairs {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr std::string_view signatures = "(Tensor self, Tensor other) -> Tensor";
  static constexpr int arity = 2;
  static constexpr std::string_view not_differentiable = "it is called eagerly only";
  static void shape(ShapeCall& call);
};
struct MulOfPairs : OfPairs {
  static constexpr std::string_view name = "mul_of_pairs", doc = "The products of pairs [..., 2].";
  static void kernel(const OpaqueCall& call);
};
struct DivOfPairs : OfPairs {
  static constexpr std::string_view name = "div_of_pairs", doc = "The quotients of pairs [..., 2].";
  static void kernel(const OpaqueCall& call);
};

// Of complex tensors of one dtype; nothing unless they are contiguous, and alike or `b` one number.
std::optional<Tensor> product_in_one_visit(const Tensor& a, const Tensor& b,
                                           std::source_location where);
std::optional<Tensor> quotient_in_one_visit(const Tensor& a, const Tensor& b,
                                            std::source_location where);

}  // namespace vitro::ops
