// The shape rule of an op that is recorded, with all that its answer depends on.
// Threads: any; asks the thread's interpreters for sizes.
#pragma once

#include <span>
#include <vector>

#include "vitro/core/op.h"

namespace vitro::capture {

// A shape rule may ask about symbols; what it asked is a guard of its answer.
struct Inferred {
  std::vector<TensorMeta> results;
  std::vector<sym::Guard> guards;
};
// Where a size of a result could be 0 in another call, or its bytes more than can be counted, that
// is asked too.
Inferred infer_with_guards(const OpDef& op, std::span<const Operand> operands, AttrsView attrs);

}  // namespace vitro::capture
