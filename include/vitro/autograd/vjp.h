// The gradients of one call of an op, from its definition. Used by a tape that records calls and by
// a pass over a graph.
//   Tensor y = mul(x, w);                        // the call, with its results
//   const Operand operands[] = {x, w};
//   const bool wanted[] = {true, false};
//   auto [of_x, of_w] = vjp({&ops::def<ops::Mul>(), operands}, {&y, 1}, {&g, 1}, wanted);
// vjp() calls ops through the door: it runs eagerly and during capture, on symbolic sizes, and its
// calls can be recorded for second-order gradients.
//  * Gradients come from the op's formula (core/formula.h); for a composite without one, its
//  program
//    is run again on a tape.
//  * The gradient of an operand that was broadcast is summed to the operand's sizes; it has the
//    operand's dtype.
//  * An undefined tensor means 0, in arguments and results.
//  * Integers, bool and plain numbers have no gradient; gradients of such results are ignored.
//  * A call in place has overwritten its first operand. It is an Error if the formula needs it; to
//    avoid that, clone it before the call and pass the clone as the operand.
// Where the derivative is undefined the convention is PyTorch's: abs at 0 gives 0, equal operands
// of maximum share the gradient, and so on.
#pragma once

#include <span>
#include <vector>

#include "vitro/core/op.h"

namespace vitro::autograd {

// The gradient of each operand of the call, undefined if it is not wanted or 0. `gradients` are
// those of `results`. Error if a wanted gradient is needed and the op has none, with the reason
// from its definition, and if `results` do not match the operands of the call.
std::vector<Tensor> vjp(const OpCall& call, std::span<const Tensor> results,
                        std::span<const Tensor> gradients, std::span<const bool> wanted);

// What vjp() reads of the call, so what must be kept until it runs. For values that are not saved
// any tensor of the same dtype and sizes may be passed.
struct Saved {
  std::vector<bool> operands, results;
};
// Found by running the formula on shapes; computes no elements.
Saved saved_for(const OpCall& call, std::span<const bool> wanted);

// A line about the op for documents: "formula; saves other, result".
std::string describe(const OpDef& op);

}  // namespace vitro::autograd
