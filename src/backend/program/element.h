// Builds the loop value of an element of an elementwise node.
#pragma once

#include <functional>
#include <vector>

#include "backend/program/program.h"
#include "loop/value.h"

namespace vitro::backend {

// The dimension that an indirect index selects from.
struct IndexedDimension {
  Expr size;
  int64_t axis = 0;
  bool wraps = false;  // negative indices count from the end
};

// Provides the operands of an element.
class ElementSource {
 public:
  virtual ~ElementSource() = default;
  virtual loop::Pool& pool() = 0;
  // The element of a value, in the value's dtype.
  virtual loop::Value read(graph::Value value, const Index& index) = 0;
  // The same if the condition holds; otherwise the index may be out of range, memory is not
  // accessed, and the result is unspecified.
  virtual loop::Value read_where(graph::Value value, const Index& index, loop::Value condition) = 0;
  // A graph input that is a number, in its dtype.
  virtual loop::Value number(graph::NodeId input) = 0;
  // Returns a symbol for `index`, an i64; if `of` wraps, negative ones are counted from the end.
  // Adds the check that the symbol is in [0, of.size).
  virtual Expr indirect_index(graph::NodeId node, loop::Value index,
                              const IndexedDimension& of) = 0;
  // Returns `divisor` with a check that it is not 0.
  virtual loop::Value not_zero(graph::NodeId node, loop::Value divisor) = 0;
};

// The element at `index` of a pointwise, gather or window node, or of an empty reduction, rounded
// to the dtype of its result; `result`: which of the op's results.
loop::Value element(const graph::Graph& graph, graph::NodeId node, const Index& index,
                    ElementSource& source, uint32_t result = 0);

// The symbols of the indirect indices read at `reads`, which index a tensor of sizes `sizes`.
std::vector<Expr> indirect_indices(graph::NodeId node, const Sizes& sizes, const IndexedAxes& axes,
                                   bool wraps, std::span<const Read> reads, ElementSource& source);

// The cost of one element of a pointwise, gather or window node, without its operands.
int element_cost(const graph::Graph& graph, graph::NodeId node);

}  // namespace vitro::backend
