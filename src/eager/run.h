// One function per kind of op, of those that have kernels compiled ahead for the CPU.  Shapes are
// checked and results are allocated by the caller; everything here is on plain numbers.
#pragma once

#include <span>

#include "vitro/core/op.h"

namespace vitro::eager {

// Writes into `out`, whose dtype may differ from `result`, the dtype that the shape rule gave
// (in-place).  No operand overlaps `out` other than element by element.
void run_pointwise(const OpCall& call, DType result, const Tensor& out);
void run_reduction(const OpCall& call, const Tensor& out);
void run_contraction(const OpCall& call, const Tensor& out);
void run_gather(const OpCall& call, const Tensor& out);
void run_concat(const OpCall& call, const Tensor& out);
void run_scatter(const OpCall& call, const TensorMeta& result, const Tensor& out);
// The result, with as many elements as the mask picks: these are counted before there is memory for
// them.
Tensor run_compaction(const OpCall& call);
void run_opaque(const OpCall& call, std::span<const Tensor> outs);

// A tensor over `operand`'s memory as `meta` says.
Tensor view_of(const Tensor& operand, const TensorMeta& meta);
Ints plain(std::span<const Size> sizes);

}  // namespace vitro::eager
