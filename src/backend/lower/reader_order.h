// The order of elements in which a temporary is written for its one reader.
#pragma once

#include <optional>

#include "backend/program/program.h"

namespace vitro::backend {

// Where an element lies in memory: `element` in terms of `index`.
struct Order {
  Index index;  // of the value
  Expr element;
};

// Of a value that only a product reads, through views that permute or reshape it: the order in
// which the product's operand is a row-major matrix, where the value's last dimension stays
// contiguous in it.
std::optional<Order> order_for_reader(const Program& program, ItemId made);

}  // namespace vitro::backend
