// Limits on gradients, between backward() and the step of an optimizer.
//   nn::clip_grad_norm_(model.parameters(), 1.0);
// Parameters without a gradient are left out.  The calls are ops: in a compiled function they
// become part of the program, and nothing waits for the norm.
#pragma once

#include <span>

#include "vitro/core/tensor.h"

namespace vitro::nn {

// Scales all gradients by one factor, so that the norm of their concatenation is at most
// `max_norm`; returns the norm before that.  `norm_type` may be infinity.
// torch.nn.utils.clip_grad_norm_.
Tensor clip_grad_norm_(std::span<Tensor* const> parameters, double max_norm, double norm_type = 2);

// Limits each element to [-clip_value, clip_value].  torch.nn.utils.clip_grad_value_.
void clip_grad_value_(std::span<Tensor* const> parameters, double clip_value);

}  // namespace vitro::nn
