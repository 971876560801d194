// The metas of a path's tensors in one call, from their shape rules on the call's numbers.  The
// symbolic metas agree, except for the strides of tensors without elements: strides are products of
// sizes, and eager leaves out factors of 0.
#pragma once

#include <vector>

#include "capture/slots.h"
#include "capture/symbols.h"
#include "capture/trace_node.h"

namespace vitro::capture {

// By slot.  `slots` has the external tensors; every symbol of the path has a value.  Error: a shape
// rule refuses a data size.
std::vector<TensorMeta> metas_in_call(const TraceNode& last, const Slots& slots,
                                      const CallValues& values);

}  // namespace vitro::capture
