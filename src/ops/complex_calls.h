// What the rules of complex calls share: the call, its operands as parts, and its results.
#pragma once

#include "ops/complex_parts.h"
#include "vitro/core/complex.h"

namespace vitro::ops {

class ComplexCall {
 public:
  ComplexCall(const OpCall& call, std::span<Tensor> results) : call_(call), results_(results) {}

  const OpDef& op() const { return *call_.op; }
  AttrsView attrs() const { return call_.attrs; }
  template <class A>
  const A& attrs() const {
    return call_.attrs.as<A>();
  }
  size_t count() const { return call_.operands.size(); }
  const Operand& operand(size_t i) const { return call_.operands[i]; }
  // Error if it is not a tensor.
  const Tensor& tensor(size_t i) const;

  // The complex dtype to which the operands from `first` on are promoted.
  DType dtype(size_t first = 0) const;
  // Operand i, converted to the real dtype of `dtype`.
  Parts parts(size_t i, DType dtype) const;
  Parts parts(size_t i) const { return parts(i, dtype()); }
  // The same as a complex tensor.
  Tensor complex(size_t i, DType dtype) const;

  void set(Tensor result, size_t k = 0) { results_[k] = std::move(result); }
  void set(const Parts& z) { set(joined(z)); }
  std::span<Tensor> results() const { return results_; }
  const OpCall& call() const { return call_; }

 private:
  const OpCall& call_;
  std::span<Tensor> results_;
};

// Adds the dtype of a tensor or number.
void add_to(Promotion& all, const Operand& operand);

// The attributes with another value for the member `name`.
Attrs with(AttrsView attrs, std::string_view name, const ArgValue& value);

using ComplexRule = void (*)(ComplexCall& call);
struct NamedRule {
  std::string_view op;
  ComplexRule rule;
};
// Rules by the names of ops, sorted: elementwise ones, decompositions of matrices, and all others.
std::span<const NamedRule> complex_elementwise_rules();
std::span<const NamedRule> complex_decomposition_rules();
std::span<const NamedRule> complex_layout_rules();

}  // namespace vitro::ops
