// The element of an elementwise node as a loop value.
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
  bool wraps = false;  // the index counted from the end where it was negative
};

// What an element of a node is made of: where its operands come from.
class ElementSource {
 public:
  virtual ~ElementSource() = default;
  virtual loop::Pool& pool() = 0;
  // The element of a value, in the value's dtype.
  virtual loop::Value read(graph::Value value, const Index& index) = 0;
  // The same where the condition holds; elsewhere the index may lie outside of the value, no
  // memory is touched, and what comes is of no use.
  virtual loop::Value read_where(graph::Value value, const Index& index, loop::Value condition) = 0;
  // A number of the call (a graph input that is a number), in its dtype.
  virtual loop::Value number(graph::NodeId input) = 0;
  // A symbol for `index`, which is checked to lie in [0, of.size).
  virtual Expr indirect_index(graph::NodeId node, loop::Value index,
                              const IndexedDimension& of) = 0;
  // `divisor`, which is checked to be other than 0.
  virtual loop::Value not_zero(graph::NodeId node, loop::Value divisor) = 0;
};

// The element of a pointwise, gather or window node, or of a reduction of nothing, at `index`,
// rounded to the dtype of its result; `result`: which of its op's results that is.
loop::Value element(const graph::Graph& graph, graph::NodeId node, const Index& index,
                    ElementSource& source, uint32_t result = 0);

// The symbols of the indirect indices that are read at `reads`, into a tensor of sizes `sizes`.
std::vector<Expr> indirect_indices(graph::NodeId node, const Sizes& sizes, const PickedAxes& axes,
                                   bool wraps, std::span<const Read> reads, ElementSource& source);

// What one element of a pointwise, gather or window node costs, operands not counted.
int element_cost(const graph::Graph& graph, graph::NodeId node);

}  // namespace vitro::backend
