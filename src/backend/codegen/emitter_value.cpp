// Writes one value as C++: loads (contiguous, strided or gathers), conditions on indices, and calls
// of the prelude's functions.
#include <algorithm>
#include <optional>
#include <utility>

#include "backend/codegen/emitter.h"
#include "backend/codegen/index_text.h"
#include "backend/codegen/value_text.h"
#include "backend/schedule/code.h"

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

// Whether the expression differs between lanes.
bool Emitter::varies(Expr e) const {
  for (const Expr s : sym::symbols_of(e)) {
    if (lanes_.index.defined() && s == lanes_.index) return true;
    if (varying_indirect_.contains(s.node())) return true;
  }
  return false;
}

Emitter::LaneAccess Emitter::lane_access_of(Expr element) const {
  if (!varies(element)) return {LaneAccess::uniform, {}};
  for (const Expr s : sym::symbols_of(element)) {
    if (varying_indirect_.contains(s.node())) return {LaneAccess::scattered, {}};
  }
  const auto linear = sym::as_linear(element, lanes_.index);
  if (!linear) return {LaneAccess::scattered, {}};
  if (linear->coefficient.is(1)) return {LaneAccess::contiguous, {}};
  return {LaneAccess::strided, linear->coefficient};
}

// The part of an element expression that is uniform across lanes.  0 if it or the rest may be
// negative, so that a pointer advanced by it stays inside the buffer.
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
  const auto indirect = varying_indirect_.find(symbol.node());
  return indirect == varying_indirect_.end() ? std::string() : indirect->second;
}

void Emitter::need_indirect(Expr e) {
  for (size_t p = 0; p < kernel_.indirect_indices.size(); ++p) {
    const Expr symbol = kernel_.indirect_indices[p].symbol;
    if (sym::contains(e, symbol) && !known_indirect_.contains(symbol.node())) emit_indirect(p);
  }
}

void Emitter::emit_indirect(size_t which) {
  const loop::IndirectIndex& indirect = kernel_.indirect_indices[which];
  const std::string text = text_of(indirect.value.node(), true);
  need_indirect(indirect.bound);
  const std::string name = names_.take(sym::name_of(indirect.symbol));
  bool differs = false;
  for (const Node* node : loop::nodes_below({indirect.value})) {
    const bool of_lane =
        node->fn == Fn::variable && declared_in_lanes_.contains(static_cast<int>(node->payload));
    differs = differs || of_lane || (node->index.defined() && varies(node->index));
  }
  const std::string count = lane_count();
  if (differs) {
    varying_indirect_[indirect.symbol.node()] = name;
    out_.line("const Vec<i64> ", name, " = checked_index(args, ", text, ", ",
              scalar_text(indirect.bound), ", ", indirect.check, ", ", count, ");");
  } else {
    out_.line("const i64 ", sym::name_of(indirect.symbol), " = checked_index(args, ", text, "[0], ",
              scalar_text(indirect.bound), ", ", indirect.check, ");");
  }
  known_indirect_.insert(indirect.symbol.node());
  scopes_.back().indirect_indices.push_back(which);
}

std::string Emitter::index_value_text(Expr e) {
  const LaneAccess access = lane_access_of(e);
  if (access.kind == LaneAccess::uniform) return cat("splat(i64(", scalar_text(e), "))");
  if (access.kind == LaneAccess::contiguous)
    return cat("(splat(i64(", scalar_text(e), ")) + iota())");
  if (access.kind == LaneAccess::strided) {
    return cat("(splat(i64(", scalar_text(e), ")) + iota() * splat(i64(",
               scalar_text(access.stride), ")))");
  }
  return vector_text(e, [this](Expr s) { return lanes_text(s); });
}

namespace {

// Whether the expression changes by at most one from lane to lane.  The lanes are then contiguous
// if the last minus the first equals the number of lanes - 1.
bool goes_by_ones(Expr e, Expr lane) {
  if (!sym::contains(e, lane) || e == lane) return true;
  const std::vector<Expr> operands = sym::operands_of(e);
  const auto moves = [&](Expr part) { return sym::contains(part, lane); };
  const bool goes = std::all_of(operands.begin(), operands.end(),
                                [&](Expr part) { return goes_by_ones(part, lane); });
  switch (sym::kind_of(e)) {
    case sym::Kind::min:
    case sym::Kind::max:
      return goes;
    case sym::Kind::sum:
      return goes && std::count_if(operands.begin(), operands.end(), moves) == 1;
    case sym::Kind::product:
      return goes && operands.size() == 2 && operands[0].is(-1);
    default:
      return false;
  }
}

}  // namespace

// Lanes that are usually, but not always, contiguous, as in reflection padding: tests that at run
// time and loads or gathers.
std::string Emitter::run_or_gather_text(const Node* node, std::string gather) const {
  const Expr element = node->index, lane = lanes_.index;
  const bool is_indirect = std::ranges::any_of(
      sym::symbols_of(element), [&](Expr s) { return varying_indirect_.contains(s.node()); });
  if (is_indirect || !goes_by_ones(element, lane)) return gather;
  const Expr last = sym::substitute(element, lane, lane + (kernel_.lanes - 1));
  const std::string first = scalar_text(element);
  return cat("(", scalar_text(last), " - (", first, ") == ", kernel_.lanes - 1, " ? load(",
             with_count(cat(buffer_name(static_cast<int>(node->payload)), " + ", first)),
             ") : ", gather, ")");
}

std::string Emitter::load_text(const Node* node) {
  const std::string& from = buffer_name(static_cast<int>(node->payload));
  const LaneAccess access = lane_access_of(node->index);
  switch (access.kind) {
    case LaneAccess::uniform:
      return cat("splat(", from, "[", scalar_text(node->index), "])");
    case LaneAccess::contiguous:
      return cat("load(", with_count(cat(from, " + ", scalar_text(node->index))), ")");
    case LaneAccess::strided:
      return cat(
          "load_strided(",
          with_count(cat(from, " + ", scalar_text(node->index), ", ", scalar_text(access.stride))),
          ")");
    case LaneAccess::scattered:
      break;
  }
  const Expr shared = shared_part(node->index);
  const std::string base = shared.is(0) ? from : cat(from, " + ", scalar_text(shared)),
                    at =
                        vector_text(node->index - shared, [this](Expr e) { return lanes_text(e); });
  return run_or_gather_text(node, cat("gather(", with_count(cat(base, ", ", at)), ")"));
}

// ---- conditions that hold for some lanes ----

// The lanes in which an expression is not negative; none if they are not one range.
std::optional<Emitter::Between> Emitter::between(Expr e) const {
  if (!varies(e)) return Between{{e}, {}, {}};
  const auto linear = lanes_.index.defined() ? sym::as_linear(e, lanes_.index) : std::nullopt;
  const auto step = linear ? linear->coefficient.constant() : std::nullopt;
  if (!step || varies(linear->rest)) return std::nullopt;
  if (*step > 0) return Between{{}, -sym::floordiv(e, *step), {}};
  return Between{{}, {}, sym::floordiv(e, -*step) + 1};
}

// The lanes in which a conjunction of such conditions holds.
std::optional<Emitter::Between> Emitter::between(const Node* condition) const {
  if (condition->fn == Fn::not_negative) return between(condition->index);
  if (condition->fn != Fn::and_) return std::nullopt;
  auto a = between(condition->operands[0]);
  const auto b = between(condition->operands[1]);
  if (!a || !b) return std::nullopt;
  a->join(*b);
  return a;
}

void Emitter::Between::join(const Between& other) {
  for (const Expr e : other.everywhere) {
    if (std::find(everywhere.begin(), everywhere.end(), e) == everywhere.end())
      everywhere.push_back(e);
  }
  if (other.first.defined()) first = first.defined() ? sym::max(first, other.first) : other.first;
  if (other.end.defined()) end = end.defined() ? sym::min(end, other.end) : other.end;
}

std::optional<Emitter::Between> Emitter::inside_of(const loop::Loop& l) {
  if (!l.vector || !kernel_.indirect_indices.empty()) return std::nullopt;
  std::vector<Value> roots;
  for (const loop::Statement& s : l.body) {
    const auto* store = std::get_if<loop::Store>(&s.what);
    if (!store) return std::nullopt;
    roots.push_back(store->value);
  }
  const Lanes before = std::exchange(lanes_, {l.index, {}});
  std::optional<Between> all = Between{};
  const auto extent = sym::extent_of(l.index).constant();
  int reads = 0;
  for (const Node* node : loop::nodes_below(roots)) {
    if (node->fn != Fn::load_where) continue;
    const auto one = between(node->operands[0]);
    if (!one || !has_inside_apart(extent, ++reads)) {
      all.reset();
      break;
    }
    all->join(*one);
  }
  lanes_ = before;
  if (!all || !(all->first.defined() || all->end.defined())) return std::nullopt;
  for (Expr* side : {&all->first, &all->end}) {
    if (!side->defined()) continue;
    *side = *side + l.index;  // from lane numbers to indices
    if (sym::contains(*side, l.index)) return std::nullopt;
  }
  return all;
}

std::string Emitter::Between::everywhere_text() const {
  std::string out;
  for (const Expr e : everywhere) out += cat(out.empty() ? "" : " && ", scalar_text(e), " >= 0");
  return out;
}

// Declares what the conditions name: their text may be written without their values.
void Emitter::need_indirect_of(const Node* condition) {
  if (condition->fn == Fn::not_negative) return need_indirect(condition->index);
  if (condition->fn != Fn::and_) return;
  for (const Node* operand : condition->operands) need_indirect_of(operand);
}

std::string Emitter::load_where_text(const Node* node) {
  if (inside_) return load_text(node);
  const Node* condition = node->operands[0];
  need_indirect_of(condition);
  const std::string& from = buffer_name(static_cast<int>(node->payload));
  const auto lanes = between(condition);
  const LaneAccess access = lane_access_of(node->index);
  const bool all_or_none = lanes && !lanes->first.defined() && !lanes->end.defined();
  if (all_or_none) {
    return cat("(", lanes->everywhere_text(), " ? ", load_text(node), " : ",
               vector_type_text(node->dtype), "{})");
  }
  if (!lanes || access.kind == LaneAccess::uniform || access.kind == LaneAccess::scattered) {
    std::string mask = text_of(condition, true);
    if (!lanes_.count.empty()) mask = cat(mask, " & first_lanes(", lanes_.count, ")");
    const std::string at = vector_text(node->index, [this](Expr e) { return lanes_text(e); });
    return cat("gather(", from, ", ", at, ", ", mask, ")");
  }
  const std::string first = lanes->first.defined() ? scalar_text(lanes->first) : "0";
  std::string end = lanes->end.defined() ? scalar_text(lanes->end) : lane_count();
  if (lanes->end.defined() && !lanes_.count.empty())
    end = cat("min(", end, ", ", lanes_.count, ")");
  if (!lanes->everywhere.empty()) end = cat(lanes->everywhere_text(), " ? ", end, " : 0");
  const std::string at = cat(from, " + ", scalar_text(node->index));
  if (access.kind == LaneAccess::contiguous)
    return cat("load_between(", at, ", ", first, ", ", end, ")");
  return cat("load_strided_between(", at, ", ", scalar_text(access.stride), ", ", first, ", ", end,
             ")");
}

std::string Emitter::not_negative_text(Expr e) {
  const auto lanes = between(e);
  if (!lanes) {
    const std::string at = vector_text(e, [this](Expr s) { return lanes_text(s); });
    return cat("ge(", at, ", splat(i64(0)))");
  }
  if (lanes->first.defined()) return cat("lanes_from(", scalar_text(lanes->first), ")");
  if (lanes->end.defined()) return cat("first_lanes(", scalar_text(lanes->end), ")");
  return cat("splat(", lanes->everywhere_text(), ")");
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
  if (wanted.empty() && reads_memory(*node)) {
    from_buffer = cat(buffer_name(static_cast<int>(node->payload)), "_i");
    wanted = from_buffer;
  }
  const std::string name = named(wanted.empty() ? "t" : wanted);
  out_.line("const ", vector_type_text(node->dtype), " ", name, " = ", text, ";");
  lets_[node] = name;
  scopes_.back().lets.push_back(node);
}

// The text of a value; `atom`: in parentheses if it is an operator expression.
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
      need_indirect(node->index);
      return load_text(node);
    case Fn::load_where:
      need_indirect(node->index);
      return load_where_text(node);
    case Fn::not_negative:
      need_indirect(node->index);
      return not_negative_text(node->index);
    case Fn::index:
      need_indirect(node->index);
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
