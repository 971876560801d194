// Symbols for data sizes.  Each has no value from the op that makes it until its segment has run;
// until then shape rules use its largest possible value.
//
// Invariant: a symbol gets its value once, when its node's result exists (`bind`).
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
  // Whether some have values; later calls that use these get numbers instead.
  bool some_known() const { return some_known_; }
  bool some_unknown() const;

  // Takes the node's data size from its result in this call.
  void bind(const TraceNode& node, const Tensor& result);
  // Whether the node's data size is known, because an earlier segment of this call ran the node.
  bool has_value(const TraceNode& node) const {
    return node.data_size.defined() && values_.find(node.data_size);
  }
  // Data sizes without a value count as their upper bound; none: a symbol does not belong to this
  // call.
  std::optional<int64_t> value_of(sym::Expr expr) const;
  // A node whose data size occurs in `e` and is unknown, or null.
  const TraceNode* decider_of(sym::Expr e) const;
  void add_bounds(sym::DataBounds& to) const;

  // Whether an operand is a deferred tensor of that call with a data size in its shape.
  bool are_taken_by(const OpCall& op_call, uint64_t call) const;
  // Whether attributes or numbers use data sizes that are known by now; and a size with these
  // replaced by numbers.
  bool known_ones_are_named_by(const OpCall& op_call) const;
  Size without_known(Size size) const;

 private:
  Symbols& values_;
  std::vector<const TraceNode*> nodes_;  // in call order
  bool some_known_ = false;
};

}  // namespace vitro::capture
