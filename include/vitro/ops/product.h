// Matrix products. Sums over k are in ascending order, one fused multiply-add per step, in every
// implementation.
//   Tensor y = matmul(a, b);   Tensor z = linear(x, weight, bias);
#pragma once

#include "vitro/ops/define.h"

namespace vitro {
namespace ops {

struct Contraction {
  static constexpr OpKind kind = OpKind::contraction;
  static constexpr int arity = 2;
  static void gradient(Formula& f);
  static void integer_product(std::span<const Operand> operands, AttrsView attrs,
                              std::span<Tensor> results);
};
struct Mm : Contraction {
  static constexpr std::string_view name = "mm", doc = "[m, k] x [k, n] -> [m, n].";
  static constexpr std::string_view signatures = "(Tensor self, Tensor mat2) -> Tensor";
  static void shape(ShapeCall& call);
  static constexpr ContractionInfo info{false, &integer_product};
};
struct Bmm : Contraction {
  static constexpr std::string_view name = "bmm", doc = "[b, m, k] x [b, k, n] -> [b, m, n].";
  static constexpr std::string_view signatures = "(Tensor self, Tensor mat2) -> Tensor";
  static void shape(ShapeCall& call);
  static constexpr ContractionInfo info{true, &integer_product};
};
struct IntMm : Contraction {
  static constexpr std::string_view
      name = "_int_mm",
      doc = "[m, k] x [k, n] -> [m, n] in i32, of i8; on the left also of u8.";
  static constexpr std::string_view signatures = "(Tensor self, Tensor mat2) -> Tensor";
  static void shape(ShapeCall& call);
  static constexpr std::string_view not_differentiable = "it takes no floating-point numbers";
  static void integer_product(std::span<const Operand> operands, AttrsView attrs,
                              std::span<Tensor> results);
  static constexpr ContractionInfo info{false, &integer_product};
};

struct Composite {
  static constexpr OpKind kind = OpKind::composite;
};
struct Addmm : Composite {
  static constexpr std::string_view
      name = "addmm",
      doc = "beta * x + alpha * (a @ b); operands x, a, b, beta, alpha.";
  static constexpr std::string_view signatures =
      "(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor";
  static constexpr int min_arity = 3, max_arity = 5;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};
struct Linear : Composite {
  static constexpr std::string_view name = "linear",
                                    doc =
                                        "x [..., k] times weight [n, k] transposed, plus bias [n].";
  static constexpr std::string_view signatures =
      "(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor";
  static constexpr int min_arity = 2, max_arity = 3;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};
struct Matmul : Composite {
  static constexpr std::string_view
      name = "matmul",
      doc =
          "Products of matrices in the last two dimensions, the others broadcast; rank 1 is a row "
          "on the left, a column on the right.";
  static constexpr std::string_view signatures = "(Tensor self, Tensor other) -> Tensor";
  static constexpr int arity = 2;
  static void shape(ShapeCall& call);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

}  // namespace ops

inline Tensor mm(ops::At a, const Tensor& b) {
  return ops::call<ops::Mm>(a.where, {a.operand, b});
}
inline Tensor bmm(ops::At a, const Tensor& b) {
  return ops::call<ops::Bmm>(a.where, {a.operand, b});
}
inline Tensor int_mm(ops::At a, const Tensor& b) {
  return ops::call<ops::IntMm>(a.where, {a.operand, b});
}
inline Tensor matmul(ops::At a, const Tensor& b) {
  return ops::call<ops::Matmul>(a.where, {a.operand, b});
}
inline Tensor addmm(ops::At x, const Tensor& a, const Tensor& b, const Scalar& beta = 1,
                    const Scalar& alpha = 1) {
  return ops::call<ops::Addmm>(x.where, {x.operand, a, b, beta, alpha});
}
// `bias` is optional.
inline Tensor linear(ops::At x, const Tensor& weight, const Tensor& bias = {}) {
  return ops::call<ops::Linear>(x.where, {x.operand, weight, bias});
}

}  // namespace vitro
