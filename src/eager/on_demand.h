// Calls without a kernel compiled ahead, which are all calls on devices other than the CPU: an
// implementation outside this folder compiles a kernel when needed.
#pragma once

#include <span>

#include "vitro/core/op.h"

namespace vitro::eager {

class OnDemand {
 public:
  virtual ~OnDemand() = default;
  // Computes the call's results and writes them, converted to the dtypes of `outs`, into `outs`:
  // one tensor of the right sizes per result, all on one device, none of which shares memory with
  // an operand; but a put may write to its first operand.  Operands and results are not empty,
  // unless the op is defined for no elements (a sum).  Throws for invalid data (an index out of
  // range), and then has written nothing to operands.  Must be thread-safe.
  virtual void run(const OpCall& call, std::span<const Tensor> outs) = 0;
};

// Called once, by vitro::init().
void set_on_demand(OnDemand* who);

// Runs the call through the OnDemand that was set; `outs` may share memory with operands.
void run_on_demand(const OpCall& call, std::span<const Tensor> outs);

}  // namespace vitro::eager
