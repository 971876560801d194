#include <algorithm>

#include "backend/codegen/emitter.h"
#include "backend/codegen/index_text.h"
#include "backend/codegen/value_text.h"

namespace vitro::backend {

using loop::Fn;
using sym::Expr;

const std::string& Emitter::buffer_name(int number) const {
  return number >= loop::Kernel::first_row
             ? rows_[static_cast<size_t>(number - loop::Kernel::first_row)]
             : buffers_[static_cast<size_t>(number)];
}

std::string Emitter::with_count(std::string arguments) const {
  return lanes_.count.empty() ? arguments : cat(arguments, ", ", lanes_.count);
}

// Whether lanes differ in it.
bool Emitter::varies(Expr e) const {
  for (const Expr s : sym::symbols_of(e)) {
    if (lanes_.index.defined() && s == lanes_.index) return true;
    if (varying_picks_.contains(s.node())) return true;
  }
  return false;
}

Emitter::Walk Emitter::walk_of(Expr element) const {
  if (!varies(element)) return {Walk::uniform, {}};
  for (const Expr s : sym::symbols_of(element)) {
    if (varying_picks_.contains(s.node())) return {Walk::scattered, {}};
  }
  const auto linear = sym::as_linear(element, lanes_.index);
  if (!linear) return {Walk::scattered, {}};
  if (linear->coefficient.is(1)) return {Walk::contiguous, {}};
  return {Walk::strided, linear->coefficient};
}

// What the places of all lanes have in common, as long as neither it nor the rest is negative: it
// stays inside of the buffer.
Expr Emitter::shared_part(Expr element) const {
  if (sym::kind_of(element) != sym::Kind::sum) return 0;
  Expr shared = 0;
  for (const Expr term : sym::operands_of(element)) {
    if (!varies(term)) shared = shared + term;
  }
  const bool inside = !sym::prove_less(shared, 0).value_or(true) &&
                      !sym::prove_less(element - shared, 0).value_or(true);
  return inside ? shared : Expr(0);
}

std::string Emitter::lanes_text(Expr symbol) {
  if (lanes_.index.defined() && symbol == lanes_.index) {
    return cat("(splat(", sym::name_of(symbol), ") + iota())");
  }
  const auto pick = varying_picks_.find(symbol.node());
  return pick == varying_picks_.end() ? std::string() : pick->second;
}

void Emitter::need_picks(Expr e) {
  for (size_t p = 0; p < kernel_.picks.size(); ++p) {
    const Expr symbol = kernel_.picks[p].symbol;
    if (sym::contains(e, symbol) && !known_picks_.contains(symbol.node())) emit_pick(p);
  }
}

void Emitter::emit_pick(size_t which) {
  const loop::Pick& pick = kernel_.picks[which];
  const std::string text = text_of(pick.value.node(), true);
  need_picks(pick.bound);
  const std::string name = names_.take(sym::name_of(pick.symbol));
  bool differs = false;
  for (const Node* node : loop::nodes_below({pick.value})) {
    const bool of_lane =
        node->fn == Fn::variable && declared_in_lanes_.contains(static_cast<int>(node->payload));
    differs = differs || of_lane || (node->index.defined() && varies(node->index));
  }
  const std::string count = lane_count();
  if (differs) {
    varying_picks_[pick.symbol.node()] = name;
    out_.line("const Vec<i64> ", name, " = checked_index(args, ", text, ", ",
              scalar_text(pick.bound), ", ", pick.check, ", ", count, ");");
  } else {
    out_.line("const i64 ", sym::name_of(pick.symbol), " = checked_index(args, ", text, "[0], ",
              scalar_text(pick.bound), ", ", pick.check, ");");
  }
  known_picks_.insert(pick.symbol.node());
  scopes_.back().picks.push_back(which);
}

std::string Emitter::index_value_text(Expr e) {
  const Walk walk = walk_of(e);
  if (walk.kind == Walk::uniform) return cat("splat(i64(", scalar_text(e), "))");
  if (walk.kind == Walk::contiguous) return cat("(splat(i64(", scalar_text(e), ")) + iota())");
  if (walk.kind == Walk::strided) {
    return cat("(splat(i64(", scalar_text(e), ")) + iota() * splat(i64(", scalar_text(walk.stride),
               ")))");
  }
  return vector_text(e, [this](Expr s) { return lanes_text(s); });
}

std::string Emitter::load_text(const Node* node) {
  const std::string& from = buffer_name(static_cast<int>(node->payload));
  const Walk walk = walk_of(node->index);
  switch (walk.kind) {
    case Walk::uniform:
      return cat("splat(", from, "[", scalar_text(node->index), "])");
    case Walk::contiguous:
      return cat("load(", with_count(cat(from, " + ", scalar_text(node->index))), ")");
    case Walk::strided:
      return cat(
          "load_strided(",
          with_count(cat(from, " + ", scalar_text(node->index), ", ", scalar_text(walk.stride))),
          ")");
    case Walk::scattered:
      break;
  }
  const Expr shared = shared_part(node->index);
  const std::string base = shared.is(0) ? from : cat(from, " + ", scalar_text(shared)),
                    at =
                        vector_text(node->index - shared, [this](Expr e) { return lanes_text(e); });
  return cat("gather(", with_count(cat(base, ", ", at)), ")");
}

bool Emitter::deserves_let(const Node* node) const {
  if (info(node->fn).cost == 0) return false;
  const auto uses = uses_.find(node);
  if (uses != uses_.end() && uses->second > 1) return true;
  return !node->name.empty() && node->fn != Fn::cast;
}

void Emitter::let(const Node* node) {
  bool is_operator = false;
  const std::string text = plain_text(node, &is_operator);
  std::string_view wanted = node->name;
  std::string from_buffer;
  if (wanted.empty() && node->fn == Fn::load) {
    from_buffer = cat(buffer_name(static_cast<int>(node->payload)), "_i");
    wanted = from_buffer;
  }
  const std::string name = named(wanted.empty() ? "t" : wanted);
  out_.line("const ", vector_type_text(node->dtype), " ", name, " = ", text, ";");
  lets_[node] = name;
  scopes_.back().lets.push_back(node);
}

// The text of a value; `atom`: it must hold together beside an operator.
std::string Emitter::text_of(const Node* node, bool atom) {
  if (!lets_.contains(node) && deserves_let(node)) let(node);
  const auto known = lets_.find(node);
  if (known != lets_.end()) return known->second;
  bool is_operator = false;
  std::string text = plain_text(node, &is_operator);
  return is_operator && atom ? "(" + text + ")" : text;
}

std::string Emitter::plain_text(const Node* node, bool* is_operator) {
  switch (node->fn) {
    case Fn::constant:
      return constant_text(node);
    case Fn::load:
      need_picks(node->index);
      return load_text(node);
    case Fn::index:
      need_picks(node->index);
      return index_value_text(node->index);
    case Fn::number:
      return cat("splat(", numbers_[node->payload], ")");
    case Fn::variable:
      return variables_.at(static_cast<int>(node->payload));
    default:
      break;
  }
  std::vector<std::string> operands;
  for (const Node* operand : node->operands) {
    const bool named = node->fn != Fn::cast && node->fn != Fn::select;
    operands.push_back(text_of(operand, named));
  }
  if (node->fn == Fn::not_zero) {
    return cat("not_zero(args, ", operands[0], ", ", node->payload, ", ", lane_count(), ")");
  }
  return function_text(node, operands, is_operator);
}

}  // namespace vitro::backend
