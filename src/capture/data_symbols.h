// Symbols for sizes that data decide: each has no value from the op that makes it until its segment
// has run.  Until then shape rules are answered by the largest number that it can be.
//
// Invariant: a symbol gets its value once, when the result of its node is there (`bind`).
// Threads: that of its call.
#pragma once

#include <optional>
#include <vector>

#include "capture/symbols.h"
#include "capture/trace_node.h"

namespace vitro::capture {

class DataSymbols {
 public:
  explicit DataSymbols(Symbols& values) : values_(values) {}
  void clear() {
    nodes_.clear();
    some_known_ = false;
  }
  void add(const TraceNode& node) { nodes_.push_back(&node); }
  bool is_empty() const { return nodes_.empty(); }
  // Whether some have values: what names them in later calls is given numbers.
  bool some_known() const { return some_known_; }
  bool some_unknown() const;

  // The size that the result of the node has in this call.
  void bind(const TraceNode& node, const Tensor& result);
  // Whether the size that the node's data decide has a value: an earlier segment of this call has
  // taken the node.
  bool has_value(const TraceNode& node) const {
    return node.data_size.defined() && values_.find(node.data_size);
  }
  // What data decide counts as the most that it can be until it is known; none: a symbol is not one
  // of this call.
  std::optional<int64_t> value_of(sym::Expr expr) const;
  // The node whose size is a part of `e` and not known; null: there is none.
  const TraceNode* decider_of(sym::Expr e) const;
  void add_bounds(sym::DataBounds& to) const;

  // Whether an operand is a deferred tensor of that call with such a size.
  bool are_taken_by(const OpCall& op_call, uint64_t call) const;
  // Whether attributes or numbers name sizes that are known by now; the size with numbers in the
  // place of these.
  bool known_ones_are_named_by(const OpCall& op_call) const;
  Size without_known(Size size) const;

 private:
  Symbols& values_;
  std::vector<const TraceNode*> nodes_;  // in the order of the call
  bool some_known_ = false;
};

}  // namespace vitro::capture
