// How many floating-point operations a call is: from the op's own body, so that there is one
// definition.
//   flops_of(call, result)     // of a product of [m, k] and [k, n]: 2 m n k
// An elementary function, a comparison and a choice are one operation each; what only moves
// elements is none.
#pragma once

#include "vitro/core/op.h"

namespace vitro::ops {

// `result`: the meta of the first result.  Of a composite: as its row program does it (rows.h), 0
// where it has none, for then the ops that it calls say.
uint64_t flops_of(const OpCall& call, const TensorMeta& result);

}  // namespace vitro::ops
