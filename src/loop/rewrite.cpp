#include "loop/rewrite.h"

namespace vitro::loop {

Value replace(Value v, std::unordered_map<const Node*, Value>& with) {
  const auto known = with.find(v.node());
  if (known != with.end()) return known->second;
  Node made = *v.node();
  bool changed = false;
  for (const Node*& operand : made.operands) {
    const Value now = replace(Value(operand), with);
    changed = changed || now.node() != operand;
    operand = now.node();
  }
  Value result = v;
  if (changed) {
    result = v.pool().make(made);
    if (!v->name.empty()) v.pool().name(result, v->name);
  }
  with.emplace(v.node(), result);
  return result;
}

void replace(Block& block, std::unordered_map<const Node*, Value>& with) {
  change_values(block, [&](Value& v) { v = replace(v, with); });
}

}  // namespace vitro::loop
