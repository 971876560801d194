// The layout in which a temporary is written for its only consumer.
#pragma once

#include <optional>

#include "backend/program/program.h"

namespace vitro::backend {

// The position of each element in memory: `element` in terms of `index`.
struct ConsumerLayout {
  Index index;  // of the value
  Expr element;
};

// For a value that only a product reads, through views that permute or reshape it: the layout that
// makes the product's operand a row-major matrix, if the value's last dimension stays contiguous.
std::optional<ConsumerLayout> consumer_layout(const Program& program, ComputeNodeId made);

}  // namespace vitro::backend
