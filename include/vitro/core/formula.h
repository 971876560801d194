// What the formula of an op's gradient may ask for, and where it puts what it finds.
//   void Sum::gradient(Formula& f) {
//     f.set(0, expand(kept(f.gradient()), f.tensor(0).sizes()));
//   }
// A formula consists of calls of ops: it runs eagerly and while a graph is captured, on symbolic
// sizes, and has a gradient itself.  It must not look at elements.  Whatever it hands to an op has
// to be saved for it; asking an operand for its sizes or dtype alone does not count, nor does an op
// of which it is only the shape (zeros_like). It may set a gradient that is larger than the operand
// where the operand was broadcast, or of another dtype: its caller sums and converts
// (vitro/autograd/vjp.h).  One that it leaves out is 0.
#pragma once

#include <span>

#include "vitro/base/error.h"
#include "vitro/base/verdict.h"
#include "vitro/core/op.h"

namespace vitro {

// Whether gradients go back through the op, or why not.
Verdict is_differentiable(const OpDef& op);

class Formula {
 public:
  // All are borrowed; `out` has a place for each operand.
  Formula(const OpCall& call, std::span<const Tensor> results, std::span<const Tensor> gradients,
          std::span<const bool> wanted, std::span<Tensor> out)
      : call_(call), results_(results), gradients_(gradients), wanted_(wanted), out_(out) {}

  // The call that was made.
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

  // Of result k.  Undefined where it is 0; not all of them are, so of an op with one result it
  // never is.
  const Tensor& gradient(size_t k = 0) const { return gradients_[k]; }

  // Whether anybody asks for the gradient of the operand: a tensor of floating-point numbers.
  bool wants(size_t i) const { return i < wanted_.size() && wanted_[i]; }
  // Of one that is not wanted nothing is kept.
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
