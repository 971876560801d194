// Groups with a scan: the scanned dimension is swept in order, with the state in variables or, if
// lanes run along another dimension, in scratch rows. That dimension is the one after the scanned
// one, or that of the scanned rows: then a tile of sixteen rows is transposed, scanned, and its
// results are transposed back.
#include <algorithm>
#include <iterator>

#include "backend/lower/builder.h"
#include "backend/lower/turned_tile.h"
#include "backend/program/bodies.h"
#include "backend/schedule/reductions.h"

namespace vitro::backend {
namespace {

using loop::Block;
using loop::Value;
using State = std::vector<Value>;

class Scans {
 public:
  Scans(KernelBuilder& build, const Group& group)
      : build_(build), group_(group), space_(group.iteration.space) {
    for (size_t d = 0; d < space_.sizes.size(); ++d) {
      if (space_.reduced[d]) {
        scanned_ = space_.index[d];
        count_ = space_.sizes[d];
      } else if (!space_.index[d].constant()) {
        kept_.push_back(space_.index[d]);
      }
    }
    const bool along = !space_.reduced.back() && !space_.index.back().constant();
    if (along) {
      set_strips(space_.index.back(), columns_of_scan);
    } else if (!kept_.empty() && !scanned_.constant()) {
      const Expr rows = sym::extent_of(kept_.back());
      if (const Verdict verdict = should_turn_scan(rows, count_, cost_of_step())) {
        set_strips(kept_.back(), rows_of_scan);
        build_.kernel().schedule = verdict.why;
        turned_ = true;
      }
    }
  }

  void run() {
    Block steps = steps_of();
    loop::Kernel& kernel = build_.kernel();
    const Expr index = scanned_.constant() ? Expr::index("k", 1) : scanned_;
    loop::Statement sweep =
        turned_ ? in_tiles(std::move(steps))
                : loop::Statement{loop::Loop{index, 0, count_, false, in_lanes(std::move(steps))}};
    kernel.body = in_lanes(before_);
    kernel.body.push_back(std::move(sweep));
    for (const Expr index_kept : kept_) {
      if (!(index_kept == lanes_)) kernel.tasks.push_back(index_kept);
    }
    if (!strip_.constant()) kernel.tasks.push_back(strip_);
  }

 private:
  // One scan; compute nodes that are results of the same call share it.
  struct Scan {
    const graph::Node* node;
    State before, after;  // of a step
    State results;
  };

  bool has_lanes() const { return lanes_.defined(); }
  Expr lane() const { return lanes_ - begin_; }

  // Of all scans of the group.
  int cost_of_step() const {
    int cost = 0;
    for (const ComputeNodeId id : group_.compute_nodes) {
      const ComputeNode& compute_node = build_.program()[id];
      if (compute_node.kind != ComputeKind::scan) continue;
      const graph::Node& node = build_.program().graph()[compute_node.value.node];
      const DType type = node.op->scan->state(
          build_.program().graph().meta(std::get<graph::Value>(node.args[0])).dtype,
          node.results[0].dtype);
      const ScanBody& body = scan_body(*node.op);
      loop::Pool pool;
      State state;
      for (const Value v : body.init(pool.constant(type, int64_t{0})))
        state.push_back(pool.variable(static_cast<int>(state.size()), v.dtype()));
      const Value element = pool.variable(static_cast<int>(state.size()), type);
      for (const Value v : body.combine(state, element, pool.index(scanned_)))
        cost += loop::cost_of(v);
    }
    return cost;
  }

  void set_strips(Expr lanes, int64_t width) {
    lanes_ = lanes;
    width_ = width;
    const Expr extent = sym::extent_of(lanes_);
    const Expr strips = sym::floordiv(extent + (width - 1), width);
    strip_ = strips.is(1) ? Expr(0) : Expr::index("b", strips);
    begin_ = strip_ * width;
    end_ = sym::min(begin_ + width, extent);
  }

  // The steps of a tile, between transposes.
  loop::Statement in_tiles(Block steps) {
    const Expr tiles = sym::floordiv(count_ + (steps_of_scan - 1), steps_of_scan);
    const Expr tile = Expr::index("tile", tiles), first = tile * steps_of_scan;
    const Expr end = sym::min(first + steps_of_scan, count_);
    const TurnedTile turned{
        {lanes_, begin_, end_ - begin_}, {scanned_, first, end - first}, width_, steps_of_scan};
    Block body = turn_over(build_, steps, turned), back = turn_back(build_, steps, turned);
    // Missing lanes are harmless in scratch, and masking them off would cost more.
    if (stay_in_scratch(steps)) end_ = begin_ + width_;
    body.push_back({loop::Loop{scanned_, first, end, false, in_lanes(std::move(steps))}});
    std::move(back.begin(), back.end(), std::back_inserter(body));
    return {loop::Loop{tile, 0, tiles, false, std::move(body)}};
  }

  // Whether no access that depends on the lane reads or writes memory, and no index is checked.
  bool stay_in_scratch(const Block& steps) {
    const loop::Kernel& kernel = build_.kernel();
    if (!kernel.indirect_indices.empty() || !kernel.checks.empty()) return false;
    std::vector<Value> roots;
    loop::each_value(steps, [&](Value v) { roots.push_back(v); });
    const auto nodes = loop::nodes_below(roots);
    const auto leaves = [](int64_t buffer) { return buffer < loop::Kernel::first_row; };
    return std::ranges::none_of(nodes,
                                [&](const loop::Node* node) {
                                  return loop::reads_memory(*node) && leaves(node->payload) &&
                                         sym::contains(node->index, lanes_);
                                }) &&
           std::ranges::none_of(steps, [&](const loop::Statement& s) {
             const auto* store = std::get_if<loop::Store>(&s.what);
             return store && leaves(store->buffer);
           });
  }

  Block in_lanes(Block body) const {
    if (!has_lanes() || body.empty()) return body;
    Block out;
    out.push_back({loop::Loop{lanes_, begin_, end_, true, std::move(body)}});
    return out;
  }

  Scan& scan_of(ComputeNodeId id, Block& steps) {
    const ComputeNode& compute_node = build_.program()[id];
    const graph::Node& node = build_.program().graph()[compute_node.value.node];
    for (Scan& known : scans_) {
      const graph::Node& other = *known.node;
      if (other.op == node.op && other.args == node.args && other.attrs == node.attrs) return known;
    }
    const Value element = build_.compute(id, group_.index_map(id));
    const DType type = node.op->scan->state(element.dtype(), node.results[0].dtype);
    const ScanBody& body = scan_body(*node.op);
    Scan& scan = scans_.emplace_back(Scan{&node, {}, {}, {}});
    const State first = body.init(build_.pool().constant(type, int64_t{0}));
    for (const Value v : first) scan.before.push_back(keep(v, node.op->name));
    const State next =
        body.combine(scan.before, cast(element, type), build_.pool().index(scanned_));
    for (const Value v : next) {
      const int variable = build_.new_variable();
      steps.push_back({loop::Declare{variable, v, false, std::string(node.op->name)}});
      scan.after.push_back(build_.pool().variable(variable, v.dtype()));
    }
    scan.results = body.results(scan.after);
    return scan;
  }

  // Initializes a part of a state before the first step; returns the value that stands for it in a
  // step.
  Value keep(Value first, std::string_view name) {
    if (!has_lanes()) {
      const int variable = build_.new_variable();
      before_.push_back({loop::Declare{variable, first, true, std::string(name)}});
      return build_.pool().variable(variable, first.dtype());
    }
    const int row = build_.add_row(cat(name, "_state"), first.dtype(), width_);
    before_.push_back({loop::Store{row, lane(), first}});
    return build_.pool().load(row, first.dtype(), lane());
  }

  // The body for each element, in order.
  Block steps_of() {
    Block steps;
    const Program& program = build_.program();
    for (const ComputeNodeId id : group_.compute_nodes) {
      const ComputeNode& compute_node = program[id];
      if (compute_node.kind != ComputeKind::scan) continue;
      const Scan& scan = scan_of(id, steps);
      const DType dtype = program.graph().meta(compute_node.value).dtype;
      build_.define(id, cast(scan.results[program.result_of(compute_node.value.node)], dtype));
    }
    for (const ComputeNodeId id : group_.stored) {
      const Index& at = group_.index_map(id);
      const bool scanned = program[id].kind == ComputeKind::scan;
      const Value value = scanned ? build_.read(program[id].value, at) : build_.compute(id, at);
      steps.push_back(build_.store(id, scanned ? program.operand_index(id, at) : at, value));
    }
    for (const Scan& scan : scans_) save(scan, steps);
    return steps;
  }

  void save(const Scan& scan, Block& out) const {
    if (!has_lanes()) {
      std::vector<int> variables;
      for (const Value v : scan.before) variables.push_back(static_cast<int>(v->payload));
      out.push_back({loop::Assign{std::move(variables), scan.after}});
      return;
    }
    for (size_t i = 0; i < scan.before.size(); ++i)
      out.push_back(
          {loop::Store{static_cast<int>(scan.before[i]->payload), lane(), scan.after[i]}});
  }

  KernelBuilder& build_;
  const Group& group_;
  const IterationSpace& space_;
  std::vector<Expr> kept_;
  Expr scanned_ = 0, count_ = 1;
  Expr lanes_;           // none: all lanes are equal
  int64_t width_ = 1;    // of a strip of lanes
  bool turned_ = false;  // lanes are rows
  Expr strip_ = 0, begin_ = 0, end_ = 0;
  std::vector<Scan> scans_;
  Block before_;  // the first step
};

}  // namespace

LoweredKernel lower_scan(const Program& program, const BufferAssignment& assignment,
                         const Group& group) {
  KernelBuilder build(program, assignment, group);
  Scans(build, group).run();
  return build.take();
}

}  // namespace vitro::backend
