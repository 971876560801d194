// The drivers, one function per kind of op.  The caller has checked shapes and allocated results;
// sizes are plain numbers here.
#pragma once

#include <span>

#include "vitro/core/op.h"

namespace vitro::eager {

// Writes into `out`.  In place, its dtype may differ from `result`, that of the shape rule.  An
// operand may overlap `out` only element by element.
void run_pointwise(const OpCall& call, DType result, const Tensor& out);
void run_reduction(const OpCall& call, const Tensor& out);
void run_contraction(const OpCall& call, const Tensor& out);
// One over the positions of windows, of tensors with elements.
void run_convolution_weights(const OpCall& call, const Tensor& out);
// A contraction over windows, not of tensors without elements.
void run_convolution(const OpCall& call, const Tensor& out);
void run_gather(const OpCall& call, const Tensor& out);
void run_concat(const OpCall& call, const Tensor& out);
void run_scatter(const OpCall& call, const TensorMeta& result, const Tensor& out);
// Returns the result, whose size is known only after the mask's true elements are counted.
Tensor run_compaction(const OpCall& call);
void run_opaque(const OpCall& call, std::span<const Tensor> outs);

// Returns a tensor over the operand's storage with the layout of `meta`.
Tensor view_of(const Tensor& operand, const TensorMeta& meta);
Ints plain(std::span<const Size> sizes);

}  // namespace vitro::eager
