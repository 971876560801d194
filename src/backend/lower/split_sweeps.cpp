// Splits groups whose reductions are few and long into one group for each sweep: split_sweeps()
// runs after fusion.
#include "backend/lower/split_sweeps.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "backend/lower/pieces.h"

namespace vitro::backend {
namespace {

class Split {
 public:
  // `leaves`: whether a sweep stores expensive values that a later sweep needs.
  Split(const Program& program, const Group& group, bool leaves)
      : p_(program), group_(group), leaves_(leaves) {
    for (const ComputeNodeId id : group.compute_nodes) note_sweep(id);
    for (int sweep = 0; sweep <= last_; ++sweep) note_first(sweep);
  }

  // Empty if some sweep cannot be a group by itself.
  std::vector<Group> run() {
    std::vector<Group> out;
    for (int sweep = last_; sweep >= 0; --sweep) {
      Group made;
      for (const ComputeNodeId id : targets(sweep)) {
        add(id, sweep, made.compute_nodes);
        if (stores(id)) made.stored.push_back(id);
      }
      std::sort(made.compute_nodes.begin(), made.compute_nodes.end());
      if (made.compute_nodes.empty()) continue;
      if (!can_group(p_, made.compute_nodes, &made.iteration)) return {};
      out.push_back(std::move(made));
    }
    std::reverse(out.begin(), out.end());
    return reads_overwritten(out) ? std::vector<Group>() : out;
  }

 private:
  // Whether a sweep reads an input that an earlier one has written.
  bool reads_overwritten(std::span<const Group> sweeps) const {
    const graph::Graph& g = p_.graph();
    std::unordered_set<uint32_t> written;
    for (const Group& sweep : sweeps) {
      for (const ComputeNodeId id : sweep.compute_nodes) {
        for (const graph::NodeId source : p_.sources(id)) {
          if (written.contains(source.n)) return true;
        }
      }
      for (const ComputeNodeId id : sweep.stored) {
        if (p_[id].role != ComputeRole::write) continue;
        const int input = g.outputs()[static_cast<size_t>(p_[id].part)].writes;
        written.insert(g.inputs()[static_cast<size_t>(input)].n);
      }
    }
    return false;
  }

  bool is_reduction(ComputeNodeId id) const { return p_[id].kind == ComputeKind::reduction; }
  // Whether it depends only on results of reductions.
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

  // Finds the first sweep in which all operands of a compute node are known. A node that depends
  // only on results belongs to the sweep that computes the last of them.
  void note_sweep(ComputeNodeId id) {
    int sweep = 0;
    for (const ComputeNodeId made : needs(id)) {
      sweep = std::max(sweep, sweep_.at(made.n) + (is_reduction(made) || is_result(made)));
    }
    if (sweep > 0 && !is_reduction(id) && is_row(group_.iteration.space, p_[id].sizes)) {
      results_.insert(id.n);
      --sweep;
    }
    sweep_[id.n] = sweep;
    last_ = std::max(last_, sweep);
  }

  // Finds the first sweep that computes each compute node.
  void note_first(int sweep) {
    for (const ComputeNodeId id : group_.compute_nodes) {
      if (sweep_.at(id.n) == sweep && (is_reduction(id) || is_stored(id))) note_first(id, sweep);
    }
  }
  void note_first(ComputeNodeId id, int sweep) {
    if (!first_.emplace(id.n, sweep).second) return;
    for (const ComputeNodeId made : needs(id)) note_first(made, sweep);
  }

  // The outputs of a sweep, including those that later sweeps need.
  std::vector<ComputeNodeId> targets(int sweep) const {
    std::vector<ComputeNodeId> out;
    for (const ComputeNodeId id : group_.compute_nodes) {
      const auto left = left_.find(id.n);
      const int in = left == left_.end() ? sweep_.at(id.n) : left->second;
      if (in == sweep && (is_reduction(id) || stores(id))) out.push_back(id);
    }
    return out;
  }

  // Adds the compute node and the operands that the sweep computes; earlier sweeps store the
  // others.
  void add(ComputeNodeId id, int sweep, std::vector<ComputeNodeId>& compute_nodes) {
    if (std::find(compute_nodes.begin(), compute_nodes.end(), id) != compute_nodes.end()) return;
    compute_nodes.push_back(id);
    for (const ComputeNodeId made : needs(id)) {
      const int in = left_in(made, sweep);
      if (in < 0) {
        add(made, sweep, compute_nodes);
      } else {
        left_.emplace(made.n, in);
      }
    }
  }

  // The earlier sweep that stores the value; -1: this one computes it.
  int left_in(ComputeNodeId id, int sweep) const {
    const bool alone = is_reduction(id) || is_result(id) || is_stored(id);
    if (alone) return sweep_.at(id.n) < sweep ? sweep_.at(id.n) : -1;
    return first_.at(id.n) < sweep && is_kept(id) ? first_.at(id.n) : -1;
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
  std::unordered_map<uint32_t, int> sweep_, first_;
  std::unordered_set<uint32_t> results_;
  std::unordered_map<uint32_t, int> left_;  // the sweep that stores a value for a later one
  int last_ = 0;
};

}  // namespace

void split_sweeps(const Program& program, Groups& groups) {
  const auto sweeps_again = [&](const Group& group) {
    return group.iteration.space.reduces() &&
           !sweeps_once(program, group.compute_nodes, group.iteration.space);
  };
  if (std::none_of(groups.groups.begin(), groups.groups.end(), sweeps_again)) return;
  const BufferAssignment assignment(program, groups);
  std::vector<Group> out;
  for (Group& group : groups.groups) {
    Verdict verdict = should_split_sweeps(program, assignment, group);
    std::vector<Group> sweeps;
    // The result of a sweep across memory is stored in rows only, which are transposed.
    if (verdict) sweeps = Split(program, group, verdict.code != &reductions_lie_across).run();
    if (sweeps.empty()) {
      out.push_back(std::move(group));
      continue;
    }
    verdict.ok = false;
    groups.decisions.push_back({program.name_of(sweeps.front().compute_nodes.back()),
                                program.name_of(sweeps.back().compute_nodes.back()),
                                std::move(verdict)});
    for (Group& sweep : sweeps) out.push_back(std::move(sweep));
  }
  groups.groups = std::move(out);
}

}  // namespace vitro::backend
