// Runs the shape rule of an op while recording, with every guard that its result depends on.
// Threads: any; asks the thread's interpreters for sizes.
#pragma once

#include <span>
#include <vector>

#include "vitro/core/op.h"

namespace vitro::capture {

// A shape rule may ask questions about symbols; the answers are guards of its results.
struct Inferred {
  std::vector<TensorMeta> results;
  std::vector<sym::Guard> guards;
};
// Also adds guards if in another call a size of a result could be 0, or its byte count overflow.
Inferred infer_with_guards(const OpDef& op, std::span<const Operand> operands, AttrsView attrs);

}  // namespace vitro::capture
