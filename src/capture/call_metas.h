// What the tensors of a path are in one call, by the rules of their ops on the numbers of the call.
// Expressions say the same of every tensor but for the strides of one without elements: a stride
// is a product of sizes, and eager leaves out those that are 0.
#pragma once

#include <vector>

#include "capture/slots.h"
#include "capture/symbols.h"
#include "capture/trace_node.h"

namespace vitro::capture {

// By slot.  `slots` has the tensors that come from outside; every symbol of the path has its value.
// Error: of a rule that refuses a size that data decided.
std::vector<TensorMeta> metas_in_call(const TraceNode& last, const Slots& slots,
                                      const CallValues& values);

}  // namespace vitro::capture
