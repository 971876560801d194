// Calls for which no kernel was compiled ahead, as none is for any device but the CPU: another
// folder makes one when it is needed.
#pragma once

#include <span>

#include "vitro/core/op.h"

namespace vitro::eager {

class OnDemand {
 public:
  virtual ~OnDemand() = default;
  // Computes the call's results and writes them, converted to their dtypes, into `outs`: a tensor
  // of the right sizes for each that the shape rule gives, all on one device, none of which shares
  // memory with an operand. Operands and results have elements, or the op computes something of
  // none (a sum). Error where the data is wrong (an index out of range).  Called from any thread.
  virtual void run(const OpCall& call, std::span<const Tensor> outs) = 0;
};

// Once, by the top (vitro::init).
void set_on_demand(OnDemand* who);

// The same for results that may share memory with an operand.
void run_on_demand(const OpCall& call, std::span<const Tensor> outs);

}  // namespace vitro::eager
