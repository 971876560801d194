#include "capture/step.h"

#include <algorithm>

namespace vitro::capture {
namespace {

Attrs without_sizes(AttrsView attrs) {
  return Attrs(attrs.type->map_sizes(attrs.data, [](Size) { return Size(0); }), attrs.type);
}

}  // namespace

void Step::finish() {
  operands = operands_owned.data();
  operand_count = static_cast<uint16_t>(operands_owned.size());
  attrs = attrs_owned.view();
  results = results_owned.data();
  result_count = in_place ? 0 : static_cast<uint16_t>(results_owned.size());
  const bool varies =
      std::any_of(operands_owned.begin(), operands_owned.end(), [](const StepOperand& o) {
        return o.kind == StepOperand::Kind::varying || o.kind == StepOperand::Kind::bind;
      });
  plain = !varies && guards.empty() && attr_symbols.empty();
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

bool same_but_sizes(AttrsView a, AttrsView b) {
  if (a.type != b.type || !a || !a.type->has_sizes) return a == b;
  return without_sizes(a) == without_sizes(b);
}

std::vector<const Step*> path_to(const Step& last) {
  std::vector<const Step*> path;
  path.reserve(last.depth);
  for (const Step* s = &last; s->op; s = s->parent) path.push_back(s);
  std::reverse(path.begin(), path.end());
  return path;
}

const Step& start_of(const Step& last) {
  const Step* s = &last;
  while (s->op) s = s->parent;
  return *s;
}

}  // namespace vitro::capture
