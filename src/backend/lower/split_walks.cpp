#include "backend/lower/split_walks.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "backend/lower/pieces.h"

namespace vitro::backend {
namespace {

class Split {
 public:
  // `leaves`: whether a walk leaves in memory what is dear to compute again.
  Split(const Program& program, const Group& group, bool leaves)
      : p_(program), group_(group), leaves_(leaves) {
    for (const ComputeNodeId id : group.compute_nodes) note_walk(id);
    for (int walk = 0; walk <= last_; ++walk) note_first(walk);
  }

  // Nothing where a walk alone makes no loop.
  std::vector<Group> run() {
    std::vector<Group> out;
    for (int walk = last_; walk >= 0; --walk) {
      Group made;
      for (const ComputeNodeId id : targets(walk)) {
        add(id, walk, made.compute_nodes);
        if (stores(id)) made.stored.push_back(id);
      }
      std::sort(made.compute_nodes.begin(), made.compute_nodes.end());
      if (made.compute_nodes.empty()) continue;
      if (!can_group(p_, made.compute_nodes, &made.iteration)) return {};
      out.push_back(std::move(made));
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

 private:
  bool is_reduction(ComputeNodeId id) const { return p_[id].kind == ComputeKind::reduction; }
  // Computed of results alone.
  bool is_result(ComputeNodeId id) const { return results_.contains(id.n); }
  bool is_stored(ComputeNodeId id) const {
    return std::binary_search(group_.stored.begin(), group_.stored.end(), id);
  }
  bool stores(ComputeNodeId id) const { return is_stored(id) || left_.contains(id.n); }
  std::vector<ComputeNodeId> needs(ComputeNodeId id) const {
    std::vector<ComputeNodeId> out;
    for (const ComputeNodeId made : p_.needs(id)) {
      if (group_.has(made)) out.push_back(made);
    }
    return out;
  }

  // The first walk in which all that a compute node needs is known.  What is computed of results
  // alone belongs to the walk that gives the last of them.
  void note_walk(ComputeNodeId id) {
    int walk = 0;
    for (const ComputeNodeId made : needs(id)) {
      walk = std::max(walk, walk_.at(made.n) + (is_reduction(made) || is_result(made)));
    }
    if (walk > 0 && !is_reduction(id) && is_row(group_.iteration.space, p_[id].sizes)) {
      results_.insert(id.n);
      --walk;
    }
    walk_[id.n] = walk;
    last_ = std::max(last_, walk);
  }

  // The first walk that computes each compute node.
  void note_first(int walk) {
    for (const ComputeNodeId id : group_.compute_nodes) {
      if (walk_.at(id.n) == walk && (is_reduction(id) || is_stored(id))) note_first(id, walk);
    }
  }
  void note_first(ComputeNodeId id, int walk) {
    if (!first_.emplace(id.n, walk).second) return;
    for (const ComputeNodeId made : needs(id)) note_first(made, walk);
  }

  // What a walk is for: those that later walks asked for among them.
  std::vector<ComputeNodeId> targets(int walk) const {
    std::vector<ComputeNodeId> out;
    for (const ComputeNodeId id : group_.compute_nodes) {
      const auto left = left_.find(id.n);
      const int in = left == left_.end() ? walk_.at(id.n) : left->second;
      if (in == walk && (is_reduction(id) || stores(id))) out.push_back(id);
    }
    return out;
  }

  // The compute node and what the walk computes for it; the rest earlier walks leave in memory.
  void add(ComputeNodeId id, int walk, std::vector<ComputeNodeId>& compute_nodes) {
    if (std::find(compute_nodes.begin(), compute_nodes.end(), id) != compute_nodes.end()) return;
    compute_nodes.push_back(id);
    for (const ComputeNodeId made : needs(id)) {
      const int in = left_in(made, walk);
      if (in < 0) {
        add(made, walk, compute_nodes);
      } else {
        left_.emplace(made.n, in);
      }
    }
  }

  // The earlier walk that leaves the value in memory; -1: this one computes it.
  int left_in(ComputeNodeId id, int walk) const {
    const bool alone = is_reduction(id) || is_result(id) || is_stored(id);
    if (alone) return walk_.at(id.n) < walk ? walk_.at(id.n) : -1;
    return first_.at(id.n) < walk && is_kept(id) ? first_.at(id.n) : -1;
  }
  bool is_kept(ComputeNodeId id) const {
    if (!leaves_) return false;
    const TensorMeta& meta = p_.graph().meta(p_[id].value);
    const auto bytes = (count_of(p_[id].sizes) * bytes_of(meta.dtype)).constant();
    return is_worth_leaving(p_.machine(), p_[id].cost, bytes);
  }

  const Program& p_;
  const Group& group_;
  const bool leaves_;
  std::unordered_map<uint32_t, int> walk_, first_;
  std::unordered_set<uint32_t> results_;
  std::unordered_map<uint32_t, int> left_;  // the walk that stores what a later one needs
  int last_ = 0;
};

}  // namespace

void split_walks(const Program& program, Groups& groups) {
  const auto walks_again = [&](const Group& group) {
    return group.iteration.space.reduces() &&
           !walks_once(program, group.compute_nodes, group.iteration.space);
  };
  if (std::none_of(groups.groups.begin(), groups.groups.end(), walks_again)) return;
  const BufferAssignment assignment(program, groups);
  std::vector<Group> out;
  for (Group& group : groups.groups) {
    Verdict verdict = should_split_walks(program, assignment, group);
    std::vector<Group> walks;
    // A walk across memory gives rows alone, which are turned over.
    if (verdict) walks = Split(program, group, verdict.code != &folds_lie_across).run();
    if (walks.empty()) {
      out.push_back(std::move(group));
      continue;
    }
    verdict.ok = false;
    groups.decisions.push_back({program.name_of(walks.front().compute_nodes.back()),
                                program.name_of(walks.back().compute_nodes.back()),
                                std::move(verdict)});
    for (Group& walk : walks) out.push_back(std::move(walk));
  }
  groups.groups = std::move(out);
}

}  // namespace vitro::backend
