// The data sizes of a running call: their values, bounds and uses.  Call checks them before it
// compares an op; the runner binds them after a segment has run.
#include "capture/data_symbols.h"

#include <algorithm>

#include "sym/data_size.h"
#include "vitro/base/error.h"

namespace vitro::capture {
bool DataSymbols::some_unknown() const {
  return std::ranges::any_of(
      nodes_, [this](const TraceNode* node) { return !values_.find(node->data_size); });
}

void DataSymbols::bind(const TraceNode& node, const Tensor& result) {
  const bool is_first = values_.bind(node.data_size, result.impl()->sizes[0]);
  VITRO_ASSERT(is_first, node.data_size, " has another value in this call");
  some_known_ = true;
}

std::optional<int64_t> DataSymbols::value_of(sym::Expr expr) const {
  if (const auto known = values_.find_value(expr); known || nodes_.empty()) return known;
  bool all = true;
  const auto value = [&](sym::Expr symbol) -> int64_t {
    if (const int64_t* found = values_.find(symbol)) return *found;
    const auto of = std::ranges::find(nodes_, symbol, &TraceNode::data_size);
    const auto most = of == nodes_.end() ? std::nullopt : value_of((*of)->data_bound);
    all = all && most;
    return most.value_or(1);
  };
  const int64_t number = sym::evaluate(expr, value);
  return all ? std::optional(number) : std::nullopt;
}

const TraceNode* DataSymbols::decider_of(sym::Expr e) const {
  const auto found = std::ranges::find_if(nodes_, [&](const TraceNode* node) {
    return sym::contains(e, node->data_size) && !values_.find(node->data_size);
  });
  return found == nodes_.end() ? nullptr : *found;
}

void DataSymbols::add_bounds(sym::DataBounds& to) const {
  for (const TraceNode* node : nodes_) to.add(node->data_size, node->data_bound);
}

bool DataSymbols::are_taken_by(const OpCall& op_call, uint64_t call) const {
  if (nodes_.empty()) return false;
  return std::ranges::any_of(op_call.operands, [&](const Operand& o) {
    const TensorImpl* impl = o.is_tensor() ? o.tensor().impl() : nullptr;
    return impl && impl->call == call && std::ranges::any_of(impl->deferred->sizes, is_by_data);
  });
}

bool DataSymbols::known_ones_are_named_by(const OpCall& op_call) const {
  return std::ranges::any_of(symbolic_sizes_in(op_call),
                             [this](Size s) { return !identical(s, without_known(s)); });
}

Size DataSymbols::without_known(Size size) const {
  if (!is_by_data(size)) return size;
  sym::Expr e = size.expr();
  for (const sym::Expr symbol : sym::symbols_of(e)) {
    const int64_t* value = sym::is_data(symbol) ? values_.find(symbol) : nullptr;
    if (value) e = sym::substitute(e, symbol, *value);
  }
  return {e.constant() ? *e.constant() : value_of(e).value_or(size.hint()), e};
}

}  // namespace vitro::capture
