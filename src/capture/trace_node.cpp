// Queries on nodes and attributes: sizes and numbers in them, equality except for these, and the
// path to a node.  Used by the matcher, the recorder and plans.
#include "capture/trace_node.h"

#include <algorithm>
#include <functional>

namespace vitro::capture {
namespace {

Attrs without_sizes(AttrsView attrs) {
  if (!attrs.type->has_sizes) return Attrs(attrs);
  return Attrs(attrs.type->map_sizes(attrs.data, [](Size) { return Size(0); }), attrs.type);
}

}  // namespace

void TraceNode::finish() {
  operands = operands_owned.data();
  operand_count = static_cast<uint16_t>(operands_owned.size());
  attrs = attrs_owned.view();
  results = results_owned.data();
  result_count = in_place ? 0 : static_cast<uint16_t>(results_owned.size());
  is_view = op && op->kind == OpKind::view;
  const bool varies =
      std::any_of(operands_owned.begin(), operands_owned.end(), [](const NodeOperand& o) {
        return o.kind == NodeOperand::Kind::varying || o.kind == NodeOperand::Kind::external ||
               o.kind == NodeOperand::Kind::counted;
      });
  plain = !expands && !varies && guards.empty() && attr_symbols.empty() && !data_size.defined();
}

std::vector<Size> sizes_in(AttrsView attrs) {
  std::vector<Size> out;
  if (!attrs || !attrs.type->has_sizes) return out;
  attrs.type->map_sizes(attrs.data, [&](Size s) {
    out.push_back(s);
    return s;
  });
  return out;
}

std::vector<Size> symbolic_sizes_in(const OpCall& call) {
  std::vector<Size> out = sizes_in(call.attrs);
  std::erase_if(out, [](Size s) { return !s.is_symbolic(); });
  for (const Operand& o : call.operands) {
    if (o.is_number() && o.number().is_symbolic()) out.push_back(o.number().size());
  }
  return out;
}

void map_sizes(const OpCall& call, const SizeMap& map, FunctionRef<void(const OpCall&)> pass_on) {
  std::vector<Operand> operands(call.operands.begin(), call.operands.end());
  for (Operand& o : operands) {
    if (o.is_number() && o.number().is_symbolic()) o = Operand(map(o.number().size()));
  }
  const Attrs attrs = call.attrs ? Attrs(call.attrs).map_sizes(map) : Attrs();
  pass_on({call.op, operands, attrs.view(), call.in_place, call.where});
}

bool same_but_sizes(AttrsView a, AttrsView b) {
  if (a.type != b.type || !a || !a.type->has_sizes) return a == b;
  return without_sizes(a) == without_sizes(b);
}

bool same_but_numbers(AttrsView a, AttrsView b) {
  if (a.type != b.type || !a) return a == b;
  const Attrs left = without_sizes(a), right = without_sizes(b);
  const std::vector<NamedArg> mine = a.type->values(left.view().data),
                              others = b.type->values(right.view().data);
  const auto is_fraction = [](const ArgValue& value) {
    const auto* number = std::get_if<Scalar>(&value);
    return number && number->is_floating();
  };
  return std::equal(mine.begin(), mine.end(), others.begin(), others.end(),
                    [&](const NamedArg& x, const NamedArg& y) {
                      return same_value(x.value, y.value) ||
                             (is_fraction(x.value) && is_fraction(y.value));
                    });
}

std::vector<Scalar> fractions_in(AttrsView attrs) {
  std::vector<Scalar> out;
  if (!attrs) return out;
  for (const NamedArg& one : attrs.type->values(attrs.data)) {
    const auto* number = std::get_if<Scalar>(&one.value);
    if (number && number->is_floating()) out.push_back(*number);
  }
  return out;
}

size_t generality(const TraceNode& node) {
  std::vector<sym::Expr> symbols = node.attr_symbols;
  size_t count = 0;
  for (const ExternalInput& input : node.inputs) {
    for (const Sizes* sizes : {&input.meta.sizes, &input.meta.strides}) {
      for (const Size s : *sizes) {
        if (s.is_symbolic() && s.expr().is_symbol()) symbols.push_back(s.expr());
      }
    }
  }
  for (const NodeOperand& o : node.operands_owned) {
    count += o.kind == NodeOperand::Kind::varying;
  }
  std::sort(symbols.begin(), symbols.end(),
            [](sym::Expr a, sym::Expr b) { return std::less<>()(a.node(), b.node()); });
  const auto end = std::unique(symbols.begin(), symbols.end());
  return count + static_cast<size_t>(end - symbols.begin());
}

std::vector<const TraceNode*> path_to(const TraceNode& last) {
  std::vector<const TraceNode*> path;
  path.reserve(last.depth);
  for (const TraceNode* s = &last; s->op; s = s->parent) path.push_back(s);
  std::reverse(path.begin(), path.end());
  return path;
}

const TraceNode& start_of(const TraceNode& last) {
  const TraceNode* s = &last;
  while (s->op) s = s->parent;
  return *s;
}

}  // namespace vitro::capture
