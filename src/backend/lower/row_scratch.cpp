#include "backend/lower/row_scratch.h"

#include <algorithm>

#include "backend/schedule/fusion.h"

namespace vitro::backend {
namespace {

using loop::Node;
using loop::Value;

bool depends_on(const Node* node, sym::Expr index) {
  const auto below = loop::nodes_below({Value(node)});
  return std::any_of(below.begin(), below.end(), [&](const Node* n) {
    return n->index.defined() && sym::contains(n->index, index);
  });
}

}  // namespace

bool RowScratch::worth_keeping(const Node* node) const {
  if (reads_memory(*node) || node->fn == loop::Fn::constant || is_bool(node->dtype)) {
    return false;
  }
  const bool fits = shape_.size.constant().value_or(1) * bytes_of(node->dtype) <= shape_.most_bytes;
  return fits && is_worth_a_row(loop::cost_of(Value(node)), rows_) &&
         depends_on(node, shape_.index);
}

bool RowScratch::worth_keeping_in_result(const Node* node) const {
  if (!shape_.result_row || reads_memory(*node) || node->dtype != shape_.result_row->dtype)
    return false;
  const int sweep = computed_in_.at(node);
  return hides_fetches(*shape_.machine, costs_[static_cast<size_t>(sweep)]) &&
         loop::cost_of(Value(node)) > 0 && depends_on(node, shape_.index);
}

void RowScratch::keep(const Node* node, Value in,
                      std::vector<std::pair<int, loop::Statement>>& stores) {
  const int sweep = computed_in_.at(node);
  stores.push_back({sweep,
                    {loop::Store{static_cast<int>(in->payload), sym::Expr(in->index),
                                 sweeps_[static_cast<size_t>(sweep)].at(node)}}});
  rewritten_.emplace(node, in);
}

Value RowScratch::row_of(const Node* node) {
  const int number = loop::Kernel::first_row + static_cast<int>(kernel_.rows.size());
  const std::string name = cat(node->name.empty() ? "kept" : node->name, "_row");
  kernel_.rows.push_back({name, node->dtype, shape_.size});
  ++rows_;
  return node->pool->load(number, node->dtype, shape_.element);
}

std::vector<std::pair<int, loop::Statement>> RowScratch::next_sweep(
    const std::vector<Value*>& values) {
  std::vector<std::pair<int, loop::Statement>> stores;
  std::vector<const Node*> todo;
  std::unordered_set<const Node*> seen;
  for (const Value* v : values) todo.push_back(v->node());
  while (!todo.empty()) {
    const Node* node = todo.back();
    todo.pop_back();
    if (!seen.insert(node).second || rewritten_.contains(node)) continue;
    const auto before = computed_in_.find(node);
    if (before != computed_in_.end() && worth_keeping_in_result(node)) {
      const ResultRow row = *std::exchange(shape_.result_row, std::nullopt);
      keep(node, node->pool->load(row.buffer, row.dtype, row.element), stores);
      continue;
    }
    if (before != computed_in_.end() && worth_keeping(node)) {
      keep(node, row_of(node), stores);
      continue;
    }
    for (const Node* operand : node->operands) todo.push_back(operand);
  }
  std::vector<Value> all;
  for (const Value* v : values) all.push_back(*v);
  for (const Node* node : loop::nodes_below(all))
    computed_in_.emplace(node, static_cast<int>(sweeps_.size()));
  int cost = 0;
  for (const Value v : all) cost = std::max(cost, loop::cost_of(v));
  costs_.push_back(cost);
  auto with = rewritten_;
  for (const Node* node : loop::nodes_below(all)) (void)replace(Value(node), with);
  for (Value* v : values) *v = replace(*v, with);
  sweeps_.push_back(std::move(with));
  return stores;
}

}  // namespace vitro::backend
