// The gradients of one call of an op, from its definition: what a tape that records calls and a
// pass over a graph both go back with.
//   Tensor y = mul(x, w);                        // the call that was made, with its results
//   const Operand operands[] = {x, w};
//   const bool wanted[] = {true, false};
//   auto [of_x, of_w] = vjp({&ops::def<ops::Mul>(), operands}, {&y, 1}, {&g, 1}, wanted);
// It consists of calls of ops through the door: it runs eagerly and while a graph is captured, on
// symbolic sizes, and whoever records the calls has the second order.
//  * A formula (core/formula.h) makes them; the program of a composite without one is gone back
//    through, which calls its ops once more.
//  * Where an operand was broadcast, its gradient is summed to the operand's sizes, and it has the
//    operand's dtype.
//  * An undefined tensor stands for 0, among those that are given and those that come back.
//  * Whole numbers, bool and plain numbers have no gradient, nor does a result that is one give
//  any.
//  * A call in place has overwritten its first operand.  Where the formula needs that, it is an
//    Error; whoever has cloned it before the call gives the clone as the operand.
// Corners are PyTorch's: abs at 0 gives 0, equal numbers share that of their maximum, and so on.
#pragma once

#include <span>
#include <vector>

#include "vitro/core/op.h"

namespace vitro::autograd {

// The gradient of each operand of the call, undefined where it is not wanted or 0.  `gradients` are
// those of `results`.  Error where a wanted one would be needed and the op has none, with the
// reason that its definition gives, and where results are none of a call with these operands.
std::vector<Tensor> vjp(const OpCall& call, std::span<const Tensor> results,
                        std::span<const Tensor> gradients, std::span<const bool> wanted);

// What vjp() reads of the call: whose elements have to be kept until it runs.  One that is not
// saved may be given as any tensor of its dtype and sizes.
struct Saved {
  std::vector<bool> operands, results;
};
// Found by running the formula on shapes alone, which computes nothing.
Saved saved_for(const OpCall& call, std::span<const bool> wanted);

// A sentence about the op for whoever reads up on it: "formula; saves other, result".
std::string describe(const OpDef& op);

}  // namespace vitro::autograd
