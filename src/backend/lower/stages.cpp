// Cuts a deep chain of functions into stages with a scratch row between them, if the overlap of
// iterations gained is worth the memory accesses and the repeated work.
#include "backend/lower/stages.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "backend/schedule/elementwise.h"
#include "loop/rewrite.h"
#include "vitro/base/cat.h"

namespace vitro::backend {
namespace {

using loop::Node;
using loop::Value;
using sym::Expr;

// The values stored in rows, and the loop that each value belongs to.
class Cut {
 public:
  Cut(const MachineModel& machine, const std::vector<Value>& roots, Expr index)
      : machine_(machine), roots_(roots), index_(index) {
    order_ = loop::nodes_below(roots);
    for (const Node* node : order_) note_varying(node);
    for (const Node* node : order_) deepen(node);
    while (!cut_.empty() && cut_shared()) {
    }
  }

  bool none() const { return cut_.empty(); }
  // Whether too many loops would recompute values without rows.
  bool repeats() const {
    int64_t once = 0, all = 0;
    for (const Node* node : varying_) once += info(node->fn).cost;
    for (const auto& [node, loop] : computed_in_) all += info(node->fn).cost;
    return is_too_much_again(once, all);
  }
  int deepest() const { return deepest_; }
  int loops() const { return last_ + 1; }
  // In dependency order.
  std::vector<const Node*> nodes() const {
    std::vector<const Node*> out;
    for (const Node* node : order_) {
      if (cut_.contains(node)) out.push_back(node);
    }
    return out;
  }
  int stage(const Node* node) const { return stage_.at(node); }
  // The last loop that reads the row of `node`.
  int last_reader(const Node* node) const { return last_reader_.at(node); }

 private:
  void note_varying(const Node* node) {
    bool varies = node->index.defined() && sym::contains(node->index, index_);
    for (const Node* operand : node->operands) varies = varies || varying_.contains(operand);
    if (varies) varying_.insert(node);
  }

  int depth_of(const Node* node) const {
    int deepest = 0;
    for (const Node* operand : node->operands) {
      const auto below = depth_.find(operand);
      if (below != depth_.end() && !cut_.contains(operand)) {
        deepest = std::max(deepest, below->second);
      }
    }
    return deepest + steps_of(info(node->fn).cost);
  }

  // Computes the node's depth; an operand that makes it too deep is cut.
  void deepen(const Node* node) {
    if (!varying_.contains(node)) return;
    depth_[node] = depth_of(node);
    if (!is_deep(machine_, depth_[node])) return;
    deepest_ = std::max(deepest_, depth_[node]);
    for (const Node* operand : node->operands) {
      if (cut_.contains(operand) || !is_worth_a_row(operand)) continue;
      std::vector<const Node*> way = {operand};
      while (const Node* next = only_operand(way.back())) way.push_back(next);
      if (!is_worth_a_row(way.back()) || !is_floating(way.back()->dtype)) continue;
      cut_.insert(way.back());
      way.pop_back();
      while (!way.empty()) {
        depth_[way.back()] = depth_of(way.back());
        way.pop_back();
      }
    }
    depth_[node] = depth_of(node);
  }
  bool is_worth_a_row(const Node* node) const {
    const auto known = depth_.find(node);
    return known != depth_.end() && is_worth_a_stage(known->second);
  }
  // The only varying operand of a node that is cheap to compute from it.
  const Node* only_operand(const Node* node) const {
    if (!follows_its_operand(info(node->fn).cost)) return nullptr;
    const Node* only = nullptr;
    for (const Node* operand : node->operands) {
      if (!varying_.contains(operand) || operand == only) continue;
      if (only) return nullptr;
      only = operand;
    }
    return only && !cut_.contains(only) && is_worth_a_row(only) ? only : nullptr;
  }

  // Cuts one costly value that several loops would compute; false if there is none.
  bool cut_shared() {
    number_stages();
    std::unordered_map<const Node*, int> loops_of, cost;  // the loop that computes it, -1: several
    last_reader_.clear();
    computed_in_.clear();
    const auto visit = [&](const auto& self, const Node* node, int in) -> void {
      for (const Node* operand : node->operands) {
        if (!varying_.contains(operand)) continue;
        if (cut_.contains(operand)) {
          last_reader_[operand] = std::max(last_reader_[operand], in);
          continue;
        }
        if (!computed_in_.emplace(operand, in).second) continue;
        const auto [known, is_new] = loops_of.emplace(operand, in);
        if (!is_new) known->second = -1;
        self(self, operand, in);
      }
    };
    for (const Node* node : nodes()) visit(visit, node, stage_.at(node));
    for (const Value root : roots_) {
      if (cut_.contains(root.node())) last_reader_[root.node()] = last_;
      visit(visit, root.node(), last_);
    }
    // Each use of a value counts, so costs may double with every node; beyond this they are all
    // large.
    constexpr int most = 1 << 20;
    for (const Node* node : order_) {
      int all = info(node->fn).cost;
      for (const Node* operand : node->operands) {
        if (varying_.contains(operand) && !cut_.contains(operand))
          all = std::min(all + cost.at(operand), most);
      }
      cost[node] = all;
      const auto in = loops_of.find(node);
      if (in == loops_of.end() || in->second >= 0) continue;
      if (!is_worth_sharing_between_stages(all)) continue;
      if (is_floating(node->dtype)) return cut_.insert(node), true;
    }
    return false;
  }

  void number_stages() {
    last_ = 0;
    for (const Node* node : order_) {
      int stage = 0;
      for (const Node* operand : node->operands) {
        stage = std::max(stage, stage_[operand] + (cut_.contains(operand) ? 1 : 0));
      }
      stage_[node] = stage;
      if (cut_.contains(node)) last_ = std::max(last_, stage + 1);
    }
  }

  const MachineModel& machine_;
  const std::vector<Value>& roots_;
  const Expr index_;
  std::vector<const Node*> order_;
  std::unordered_set<const Node*> varying_, cut_;
  std::unordered_map<const Node*, int> depth_, stage_, last_reader_;
  std::set<std::pair<const Node*, int>>
      computed_in_;  // values without a row, and each loop that computes them
  int deepest_ = 0, last_ = 0;
};

// Scratch rows of the kernel; a row is reused after its last reader.
class Rows {
 public:
  Rows(loop::Kernel& kernel, Expr size) : kernel_(kernel), size_(size) {}

  int take(DType dtype, int stage, int last_reader) {
    for (Used& row : used_) {
      if (row.dtype == dtype && row.until < stage) return row.until = last_reader, row.number;
    }
    const int number = loop::Kernel::first_row + static_cast<int>(kernel_.rows.size());
    kernel_.rows.push_back({"stage_row", dtype, size_});
    used_.push_back({dtype, number, last_reader});
    return number;
  }

 private:
  struct Used {
    DType dtype;
    int number, until;
  };
  loop::Kernel& kernel_;
  Expr size_;
  std::vector<Used> used_;
};

// A part of the loop's index range.
struct Stretch {
  Expr begin, end, length;
};

loop::Block loops_of(loop::Kernel& kernel, const loop::Loop& original, const Cut& cut,
                     const Stretch& stretch) {
  std::vector<loop::Block> bodies(static_cast<size_t>(cut.loops()));
  std::unordered_map<const Node*, Value> in_row;
  Rows rows(kernel, stretch.length);
  const Expr element = original.index - stretch.begin;
  for (const Node* node : cut.nodes()) {
    Node made = *node;
    for (const Node*& operand : made.operands) {
      operand = loop::replace(Value(operand), in_row).node();
    }
    const Value value = node->pool->make(made);
    if (!node->name.empty()) node->pool->name(value, node->name);
    const int row = rows.take(node->dtype, cut.stage(node), cut.last_reader(node));
    bodies[static_cast<size_t>(cut.stage(node))].push_back({loop::Store{row, element, value}});
    in_row.emplace(node, node->pool->load(row, node->dtype, element));
  }
  for (loop::Statement s : original.body) {
    auto& store = std::get<loop::Store>(s.what);
    store.value = loop::replace(store.value, in_row);
    bodies.back().push_back(std::move(s));
  }
  loop::Block out;
  for (loop::Block& body : bodies) {
    out.push_back({loop::Loop{original.index, stretch.begin, stretch.end, true, std::move(body)}});
  }
  return out;
}

}  // namespace

loop::Block in_stages(const MachineModel& machine, loop::Kernel& kernel, loop::Loop original,
                      Expr most, Verdict* verdict) {
  std::vector<Value> roots;
  loop::each_value(original.body, [&](Value v) { roots.push_back(v); });
  const Cut cut(machine, roots, original.index);
  *verdict = cut.none()      ? Verdict::no("no chain of functions is deep")
             : cut.repeats() ? Verdict::no("stages would recompute too much")
                             : should_cut_into_stages(most, cut.deepest(), cut.loops());
  if (!*verdict) return {{std::move(original)}};
  if (sym::prove_less(most, elements_of_block + 1).value_or(false)) {
    const Expr size = most.constant() ? most : Expr(elements_of_block);
    return loops_of(kernel, original, cut, {original.begin, original.end, size});
  }
  const Expr count = sym::floordiv(most + (elements_of_block - 1), elements_of_block);
  const Expr part = Expr::index("stretch", count),
             begin = original.begin + part * elements_of_block;
  const Stretch stretch{begin, sym::min(begin + elements_of_block, original.end),
                        elements_of_block};
  return {{loop::Loop{part, 0, count, false, loops_of(kernel, original, cut, stretch)}}};
}

}  // namespace vitro::backend
