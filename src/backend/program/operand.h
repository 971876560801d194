// Recognizes operands of products that are matrices in memory.
#pragma once

#include <optional>

#include "backend/program/program.h"
#include "loop/value.h"

namespace vitro::backend {

// Element (i, j) at base + i*first_stride + j*second_stride.
struct Matrix {
  Expr base, first_stride, second_stride;
  friend bool operator==(const Matrix&, const Matrix&) = default;
};

// The matrix with these elements; none unless `element` is linear in both indices, with strides
// that do not depend on other loop indices (the batch).
std::optional<Matrix> as_matrix(Expr element, Expr first, Expr second);

// The same, for a load from a kernel's buffer.
struct Plain : Matrix {
  int buffer = 0;
};
std::optional<Plain> as_plain(loop::Value v, Expr first, Expr second);

// Operand 0 or 1 of a product as a matrix; none if it is not stored as one.
std::optional<Matrix> operand_in_memory(const Program& program, const graph::Node& product,
                                        size_t operand);

// Whether panels of a node are kept for later calls: it is a parameter that the graph does not
// write.
bool has_kept_panels(const graph::Graph& graph, graph::NodeId node);

}  // namespace vitro::backend
