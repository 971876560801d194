// The interface of gradient formulas: the call that they differentiate, and the gradients they set.
//   void Sum::gradient(Formula& f) {
//     f.set(0, expand(kept(f.gradient()), f.tensor(0).sizes()));
//   }
// A formula consists of calls of ops, so it runs eagerly and in capture, on symbolic sizes, and has
// a gradient itself.  It must not read elements.  Every operand or result that it passes to an op
// has to be saved for it; reading only the sizes or dtype does not count, nor does an op that uses
// only the shape (zeros_like).  A gradient may be larger than its operand if the operand was
// broadcast, or of another dtype: the caller sums and converts (vitro/autograd/vjp.h).  A gradient
// that is not set is 0.
#pragma once

#include <span>

#include "vitro/base/error.h"
#include "vitro/base/verdict.h"
#include "vitro/core/op.h"

namespace vitro {

// Whether the op has a gradient, or why not.
Verdict is_differentiable(const OpDef& op);

class Formula {
 public:
  // All are borrowed; `out` has one element per operand.
  Formula(const OpCall& call, std::span<const Tensor> results, std::span<const Tensor> gradients,
          std::span<const bool> wanted, std::span<Tensor> out)
      : call_(call), results_(results), gradients_(gradients), wanted_(wanted), out_(out) {}

  // The call to differentiate.
  const OpDef& op() const { return *call_.op; }
  size_t operand_count() const { return call_.operands.size(); }
  const Operand& operand(size_t i) const { return call_.operands[i]; }
  bool has(size_t i) const { return i < operand_count() && operand(i).is_tensor(); }
  const Tensor& tensor(size_t i) const {
    VITRO_ASSERT(has(i));
    return operand(i).tensor();
  }
  AttrsView attrs() const { return call_.attrs; }
  template <class A>
  const A& attrs() const {
    return call_.attrs.as<A>();
  }
  const Tensor& result(size_t k = 0) const { return results_[k]; }
  size_t result_count() const { return results_.size(); }

  // The gradient of result k, undefined if it is 0.  At least one is defined, so that of an op with
  // one result always is.
  const Tensor& gradient(size_t k = 0) const { return gradients_[k]; }

  // Whether the gradient of the operand is needed; only ever true for floating-point tensors.
  bool wants(size_t i) const { return i < wanted_.size() && wanted_[i]; }
  // Ignored for an operand whose gradient is not wanted.
  void set(size_t i, Tensor gradient) {
    if (wants(i)) out_[i] = std::move(gradient);
  }

 private:
  const OpCall& call_;
  std::span<const Tensor> results_, gradients_;
  std::span<const bool> wanted_;
  std::span<Tensor> out_;
};

}  // namespace vitro
