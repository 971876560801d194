// The number of floating-point operations of a call, counted by running the op's own body.
//   flops_of(call, result)     // for a product of [m, k] and [k, n]: 2 m n k
// An elementary function, a comparison and a choice count as one operation each; moving an element
// counts as none.
#pragma once

#include "vitro/core/op.h"

namespace vitro::ops {

// `result`: the meta of the first result. A composite counts by its row program (rows.h); without
// one it is 0, because the ops that it calls are counted themselves.
uint64_t flops_of(const OpCall& call, const TensorMeta& result);

// The products in each element of the result of a contraction.
uint64_t depth_of(const OpDef& op, const TensorMeta& left, const TensorMeta& right);

}  // namespace vitro::ops
