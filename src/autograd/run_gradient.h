// The gradient of a call whose operands, results and gradients are known to fit together: what
// vjp() does after its checks.
#pragma once

#include <span>

#include "vitro/core/op.h"

namespace vitro::autograd {

// Sets the elements of `out` for operands that are wanted, which are floating-point tensors.  At
// least one gradient is defined; all have the dtypes of their results.
void run_gradient(const OpCall& call, std::span<const Tensor> results,
                  std::span<const Tensor> gradients, std::span<const bool> wanted,
                  std::span<Tensor> out);

}  // namespace vitro::autograd
