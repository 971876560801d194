#include "loop/offsets.h"

#include <algorithm>
#include <unordered_map>

#include "loop/rewrite.h"

namespace vitro::loop {
namespace {

using sym::Expr;

// Products, packs and trees have other kinds of accesses.
bool is_plain(const Block& block) {
  return std::ranges::all_of(block, [](const Statement& s) {
    if (const auto* loop = std::get_if<Loop>(&s.what)) return is_plain(loop->body);
    return std::holds_alternative<Store>(s.what) || std::holds_alternative<Turn>(s.what) ||
           std::holds_alternative<Declare>(s.what) || std::holds_alternative<Assign>(s.what);
  });
}

bool is_fixed(Expr term) {
  return std::ranges::all_of(sym::symbols_of(term),
                             [](Expr symbol) { return sym::kind_of(symbol) == sym::Kind::symbol; });
}

Expr fixed_part(Expr element) {
  if (is_fixed(element)) return element;
  Expr fixed = 0;
  if (sym::kind_of(element) != sym::Kind::sum) return fixed;
  for (const Expr term : sym::operands_of(element)) {
    if (is_fixed(term)) fixed = fixed + term;
  }
  return fixed;
}

std::vector<const Node*> nodes_of(const Block& block) {
  std::vector<Value> roots;
  each_value(block, [&](Value v) { roots.push_back(v); });
  return nodes_below(roots);
}

// Visits elements that statements name; those of loads are in the values.
template <class AnyBlock, class Visit>
void each_element(AnyBlock& block, const Visit& visit) {
  for (auto& s : block) {
    if (auto* loop = std::get_if<Loop>(&s.what)) each_element(loop->body, visit);
    if (auto* store = std::get_if<Store>(&s.what)) visit(store->buffer, store->element);
    if (auto* turn = std::get_if<Turn>(&s.what)) {
      visit(turn->from, turn->base);
      visit(turn->to, turn->to_base);
    }
  }
}

}  // namespace

// Indirect indices are values from memory; kernels that have some keep their offsets.
std::vector<Expr> offsets_of(const Kernel& kernel) {
  if (!kernel.indirect_indices.empty() || !kernel.trees.empty() || !is_plain(kernel.body))
    return {};
  std::vector<Expr> out(kernel.buffers.size());
  const auto note = [&](int buffer, Expr element) {
    const auto number = static_cast<size_t>(buffer);
    if (number < out.size() && !out[number].defined()) out[number] = fixed_part(element);
  };
  for (const Node* node : nodes_of(kernel.body)) {
    if (reads_memory(*node)) note(static_cast<int>(node->payload), node->index);
  }
  each_element(kernel.body, note);
  for (Expr& offset : out) {
    const bool inside = offset.defined() && !sym::prove_less(offset, 0).value_or(true);
    if (!inside) offset = 0;
  }
  const bool none = std::ranges::all_of(out, [](Expr offset) { return offset.is(0); });
  return none ? std::vector<Expr>() : out;
}

void subtract_offsets(Kernel& kernel, std::span<const Expr> offsets) {
  if (offsets.empty()) return;
  // Scratch rows have numbers beyond those of buffers.
  const auto subtract = [&](int buffer, Expr& element) {
    const auto number = static_cast<size_t>(buffer);
    if (number < offsets.size()) element = element - offsets[number];
  };
  std::unordered_map<const Node*, Value> loads;
  for (const Node* node : nodes_of(kernel.body)) {
    if (!reads_memory(*node)) continue;
    Node made = *node;
    subtract(static_cast<int>(node->payload), made.index);
    const Value load = node->pool->make(std::move(made));
    if (!node->name.empty()) node->pool->name(load, node->name);
    loads.emplace(node, load);
  }
  replace(kernel.body, loads);
  each_element(kernel.body, subtract);
}

}  // namespace vitro::loop
