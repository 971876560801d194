// Groups the compute nodes of a program into kernels: fuse() joins each node with its producers,
// then groups that read the same values, and last chains of products.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "backend/fuse/groups.h"
#include "vitro/base/error.h"

namespace vitro::backend {

const Code cycle{"V0410", "the group would depend on itself",
                 "A kernel outside the group needs one of its members and is needed by another.",
                 "", "Nothing: the program's order requires two kernels."};

namespace {

class Fuser {
 public:
  Fuser(const Program& p, const FuseOptions& options) : p_(p), options_(options) {
    for (uint32_t i = 0; i < p.compute_nodes().size(); ++i) {
      members_.push_back({ComputeNodeId{i}});
      group_of_.push_back(i);
      first_.push_back(p.position(ComputeNodeId{i}));
      last_.push_back(first_.back());
      iterations_.emplace_back();
      VITRO_ASSERT(can_group(p, members_.back(), &iterations_.back()), p.name_of(ComputeNodeId{i}),
                   " has no loop nest");
    }
    run_.resize(p.compute_nodes().size() + 1);
    std::iota(run_.begin(), run_.end(), 0);
  }

  Groups run() {
    if (options_.fuse) {
      for (uint32_t i = 0; i < p_.compute_nodes().size(); ++i) join_producers(ComputeNodeId{i});
      join_siblings();
    }
    return finish();
  }

 private:
  void join_producers(ComputeNodeId compute_node) {
    std::vector<uint32_t> producers;
    for (const ComputeNodeId made : p_.needs(compute_node)) producers.push_back(group_of_[made.n]);
    std::sort(producers.rbegin(), producers.rend());
    producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
    for (const uint32_t group : producers) {
      const uint32_t own = group_of_[compute_node.n];
      if (members_[group].empty() || group == own) continue;
      try_join(group, own, p_.name_of(members_[group].back()), p_.name_of(compute_node));
    }
  }

  void try_join(uint32_t a, uint32_t b, std::string producer, std::string consumer) {
    std::vector<ComputeNodeId> both;
    std::merge(members_[a].begin(), members_[a].end(), members_[b].begin(), members_[b].end(),
               std::back_inserter(both));
    GroupIteration iteration;
    Verdict verdict = check(a, b, both, &iteration);
    if (verdict) {
      verdict.why = "every element is read by the iteration that computes it";
      for (const ComputeNodeId id : members_[b]) group_of_[id.n] = a;
      members_[a] = std::move(both);
      first_[a] = std::min(first_[a], first_[b]);
      last_[a] = std::max(last_[a], last_[b]);
      tie(first_[a], last_[a]);
      members_[b].clear();
      iterations_[a] = std::move(iteration);
    }
    decisions_.push_back({std::move(producer), std::move(consumer), std::move(verdict)});
  }

  Verdict check(uint32_t a, uint32_t b, const std::vector<ComputeNodeId>& both,
                GroupIteration* iteration) {
    const auto is_part = [&](ComputeNodeId id) { return p_[id].role == ComputeRole::slice; };
    const auto parts = static_cast<size_t>(std::ranges::count_if(both, is_part));
    if (Verdict v = should_grow(options_, both.size(), parts); !v) return v;
    if (Verdict v = can_group(p_, both, iteration); !v) return v;
    if (waits(b, a) || waits(a, b)) {
      return Verdict::no(cycle, "another kernel runs between them");
    }
    return Verdict::yes();
  }

  // Whether `from` depends on `target` through another group.
  bool waits(uint32_t from, uint32_t target) {
    if (lies_before(from, target)) return false;
    seen_.assign(p_.compute_nodes().size(), false);
    return waits_for(from, target, from, seen_);
  }
  bool waits_for(uint32_t from, uint32_t target, uint32_t start, std::vector<bool>& seen) {
    for (const ComputeNodeId id : members_[from]) {
      for (const ComputeNodeId needed : p_.needs(id)) {
        const uint32_t group = group_of_[needed.n];
        if (group == target) {
          if (from != start) return true;
          continue;
        }
        if (group == start || seen[group] || lies_before(group, target)) continue;
        seen[group] = true;
        if (waits_for(group, target, start, seen)) return true;
      }
    }
    return false;
  }

  // Whether `target` starts after everything that `group` can depend on. A compute node depends
  // only on earlier ones, but their groups may extend further: groups that span a run of positions
  // tie it together, and nodes of a run depend only on it and on earlier runs.
  bool lies_before(uint32_t group, uint32_t target) {
    return end_of_run(last_[group]) < first_[target];
  }
  uint32_t end_of_run(uint32_t position) {
    while (run_[position] != position) position = run_[position] = run_[run_[position]];
    return position;
  }
  void tie(uint32_t first, uint32_t last) {
    for (uint32_t p = end_of_run(first); p < last; p = end_of_run(p)) run_[p] = p + 1;
  }

  // Joins groups over one space that read the same values, or write parts of one tensor.
  void join_siblings() {
    find_readers();
    for (uint32_t a = 0; a < members_.size(); ++a) {
      if (members_[a].empty() || has_product(a)) continue;
      const std::vector<uint32_t> read = sources_of(a);
      for (const uint32_t b : siblings_of(a, read)) {
        if (members_[a].size() >= options_.max_compute_nodes) break;
        if (members_[b].empty() || depends(a, b) ||
            !same_space(iterations_[a].space, iterations_[b].space))
          continue;
        try_join(a, b, p_.name_of(members_[a].back()), p_.name_of(members_[b].back()));
      }
    }
  }

  void find_readers() {
    for (uint32_t g = 0; g < members_.size(); ++g) {
      if (members_[g].empty() || has_product(g)) continue;
      for (const uint32_t source : sources_of(g)) readers_[source].push_back(g);
    }
  }

  // The next groups that read one of these; of each source at most max_compute_nodes, so that the
  // search stays linear.
  std::vector<uint32_t> siblings_of(uint32_t group, const std::vector<uint32_t>& read) const {
    const auto most = static_cast<std::ptrdiff_t>(options_.max_compute_nodes);
    std::vector<uint32_t> out;
    for (const uint32_t source : read) {
      const std::vector<uint32_t>& all = readers_.at(source);
      const auto next = std::upper_bound(all.begin(), all.end(), group);
      out.insert(out.end(), next, next + std::min(most, all.end() - next));
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  bool depends(uint32_t a, uint32_t b) const {
    for (const ComputeNodeId id : members_[b]) {
      for (const ComputeNodeId needed : p_.needs(id)) {
        if (group_of_[needed.n] == a) return true;
      }
    }
    return false;
  }

  bool has_product(uint32_t group) const {
    return std::any_of(members_[group].begin(), members_[group].end(),
                       [&](ComputeNodeId id) { return p_[id].kind == ComputeKind::product; });
  }

  // Nodes outside the group whose values it reads, and those that it writes parts of.
  std::vector<uint32_t> sources_of(uint32_t group) const {
    std::vector<uint32_t> out;
    for (const ComputeNodeId id : members_[group]) {
      const std::vector<graph::NodeId>& read = p_.sources(id);
      for (const graph::NodeId node : read) out.push_back(node.n);
      if (p_[id].role == ComputeRole::slice) out.push_back(p_[id].value.node.n);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  Groups finish() {
    Groups out;
    std::vector<int> state(members_.size(), 0);
    for (uint32_t g = 0; g < members_.size(); ++g) {
      if (!members_[g].empty()) emit(g, state, out);
    }
    out.decisions = std::move(decisions_);
    return out;
  }

  // Emits groups in dependency order.
  void emit(uint32_t g, std::vector<int>& state, Groups& out) {
    if (state[g] == 2) return;
    VITRO_ASSERT(state[g] == 0, "groups depend on each other");
    state[g] = 1;
    for (const ComputeNodeId id : members_[g]) {
      for (const ComputeNodeId needed : p_.needs(id)) {
        if (group_of_[needed.n] != g) emit(group_of_[needed.n], state, out);
      }
    }
    state[g] = 2;
    Group made = group(g);
    if (!made.stored.empty()) out.groups.push_back(std::move(made));  // else it has no readers
  }

  Group group(uint32_t g) const {
    Group made{members_[g], iterations_[g], {}};
    for (const ComputeNodeId id : made.compute_nodes) {
      if (p_[id].kind == ComputeKind::product) made.product = id;
      const auto& readers = p_.readers(id);
      const bool read_outside = std::any_of(readers.begin(), readers.end(),
                                            [&](ComputeNodeId r) { return !made.has(r); });
      if (p_.is_output(id) || p_[id].role != ComputeRole::result || read_outside) {
        made.stored.push_back(id);
      }
    }
    return made;
  }

  const Program& p_;
  const FuseOptions& options_;
  std::vector<std::vector<ComputeNodeId>> members_;  // by group; empty: joined to another
  std::vector<uint32_t> group_of_;                   // by compute node
  std::vector<uint32_t> first_, last_;               // by group: positions of its members
  std::vector<uint32_t> run_;  // by position: a later one of its run; the last one is itself
  std::vector<GroupIteration> iterations_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> readers_;  // by node: groups, in order
  std::vector<bool> seen_;
  std::vector<FusionReport> decisions_;
};

}  // namespace

bool Group::has(ComputeNodeId id) const {
  return std::binary_search(compute_nodes.begin(), compute_nodes.end(), id);
}

const IndexMap& Group::index_map(ComputeNodeId id) const {
  const auto at = std::lower_bound(compute_nodes.begin(), compute_nodes.end(), id);
  return iteration.index_maps[static_cast<size_t>(at - compute_nodes.begin())];
}

Groups fuse(const Program& program, const FuseOptions& options) {
  Groups out = Fuser(program, options).run();
  if (options.fuse) chain_products(program, out);
  return out;
}

}  // namespace vitro::backend
