// Decides which reductions become several kernels, so that threads share long reductions or each
// sweep finds its columns in the cache; called once for each group with reductions.
#include "backend/lower/pieces.h"

#include <algorithm>
#include <unordered_set>

#include "backend/lower/row_blocks.h"
#include "backend/lower/sweep_order.h"
#include "backend/lower/sweeps.h"
#include "vitro/ops/reduce.h"

namespace vitro::backend {
namespace {

// Empty if several dimensions are reduced: their blocks do not form a single loop.
std::optional<Reductions> reductions_of(const IterationSpace& space, int64_t strip,
                                        int64_t element_bytes, bool turned = false) {
  if (std::count(space.reduced.begin(), space.reduced.end(), true) != 1) return std::nullopt;
  const bool along = space.reduced.back();
  const size_t rank = space.sizes.size();
  const size_t column = turned ? rank - 2 : takes_columns(space) ? rank - 1 : rank;
  const int64_t step = ops::reduction_steps * (along ? ops::reduction_lanes : 1);
  Reductions out{1, 1, step * element_bytes, takes_columns(space), turned};
  for (size_t d = 0; d < space.sizes.size(); ++d) {
    const Expr size = space.sizes[d];
    if (space.reduced[d]) {
      out.blocks = sym::floordiv(size + (step - 1), step);
    } else if (d == column) {
      out.tasks = out.tasks * sym::floordiv(size + (strip - 1), strip);
      out.block_bytes *= std::min(strip, size.constant().value_or(strip));
    } else {
      out.tasks = out.tasks * size;
    }
  }
  return out;
}

// Bytes of the widest operand of the reductions; 0 if there is none.
int64_t most_bytes(const Program& program, const std::vector<ComputeNodeId>& compute_nodes) {
  int64_t out = 0;
  for (const ComputeNodeId id : compute_nodes) {
    if (program[id].kind != ComputeKind::reduction) continue;
    const graph::Node& node = program.graph()[program[id].value.node];
    const DType dtype = program.graph().meta(std::get<graph::Value>(node.args[0])).dtype;
    out = std::max<int64_t>(out, bytes_of(dtype));
  }
  return out;
}

// Whether reduced elements are contiguous along a loop other than that of the lanes.
bool lies_across(const IterationSpace& space, Expr element) {
  if (!is_swept(element, space)) return false;
  for (size_t d = 0; d + 1 < space.index.size(); ++d) {
    if (is_short_side(space.sizes[d])) continue;
    if (stride_across(element, space.index.back(), space.index[d])) return true;
  }
  return false;
}

// The same for a group in memory order, as swept_in_memory_order() returns it.
bool lies_across(const Program& program, const BufferAssignment& assignment, const Group& swept) {
  const IterationSpace& space = swept.iteration.space;
  if (is_short_side(space.sizes.back())) return false;
  const SweepAccesses accesses = accesses_of(program, assignment, swept);
  return std::any_of(accesses.elements.begin(), accesses.elements.end(),
                     [&](Expr element) { return lies_across(space, element); });
}

}  // namespace

const Code reductions_lie_across{
    "V0414", "reduced elements are strided in memory",
    "One kernel would sweep its elements in the order of the reductions, but memory holds them in "
    "another order: each sweep is its own kernel, in the order of memory.",
    "", "Nothing."};

Pieces::Pieces(BufferAssignment& assignment, const IterationSpace& space, bool columns, Expr blocks,
               int64_t blocks_of_piece, std::string why)
    : assignment_(assignment),
      columns_(columns),
      most_(blocks_of_piece),
      why_(std::move(why)),
      blocks_(blocks) {
  count_ = sym::floordiv(blocks + (most_ - 1), most_);
  index_ = Expr::index("piece", count_);
  Index sizes = space.kept_sizes(), at = space.kept_index();
  Expr lanes = space.reduced.back() ? ops::reduction_lanes : 1;
  if (columns) {
    lanes = lanes * sizes.back();
    sizes.pop_back();
    at.pop_back();
  }
  first_ = (flatten(at, sizes) * count_ + index_) * lanes;
  size_ = count_of(sizes) * count_ * lanes;
}

Expr Pieces::end() const {
  const bool even = blocks_.constant() && *blocks_.constant() % most_ == 0;
  return even ? begin() + most_ : sym::min(begin() + most_, blocks_);
}

const Pieces::States& Pieces::add(ComputeNodeId compute_node, std::string_view name, DType operand,
                                  const std::vector<loop::Value>& state) {
  States& made = states_.emplace_back(States{compute_node, operand, {}, {}});
  for (const loop::Value v : state) {
    made.dtypes.push_back(v.dtype());
    made.buffers.push_back(
        assignment_.add({cat(name, "_pieces"), v.dtype(), BufferKind::temporary, {}, size_}));
  }
  return made;
}

bool sweeps_once(const Program& program, const std::vector<ComputeNodeId>& compute_nodes,
                 const IterationSpace& space) {
  std::unordered_set<uint32_t> reduced;  // compute nodes that depend on one of the reductions
  for (const ComputeNodeId id : compute_nodes) {
    const auto& needs = program.needs(id);
    const bool waits = std::any_of(needs.begin(), needs.end(),
                                   [&](ComputeNodeId made) { return reduced.contains(made.n); });
    const bool reduces = program[id].kind == ComputeKind::reduction;
    if (waits && (reduces || !is_row(space, program[id].sizes))) return false;
    if (waits || reduces) reduced.insert(id.n);
  }
  return true;
}

Verdict should_split_sweeps(const Program& program, const BufferAssignment& assignment,
                            const Group& group) {
  const IterationSpace& space = group.iteration.space;
  if (!space.reduces() || sweeps_once(program, group.compute_nodes, space)) {
    return Verdict::no("its elements are swept once");
  }
  // Results of rows are written by one of the sweeps (split_sweeps.cpp finds out which).
  const auto overwrites = [&](ComputeNodeId id) {
    const bool is_of_row =
        program[id].role == ComputeRole::write && is_row(space, program[id].sizes);
    return program.overwrites(id) && !is_of_row;
  };
  if (std::any_of(group.stored.begin(), group.stored.end(), overwrites)) {
    return Verdict::no("it overwrites what an earlier sweep reads");
  }
  const Group swept = swept_in_memory_order(program, assignment, group);
  if (lies_across(program, assignment, swept)) {
    RowBlocks blocks{};
    if (rows_in_blocks(program, assignment, swept, &blocks)) {
      return Verdict::no("its rows are transposed a block at a time, which stays in the cache");
    }
    return {true,
            "its elements are strided along the reductions: each sweep follows the order of memory",
            &reductions_lie_across};
  }
  const int64_t strip = columns_of_strip(program.machine(), space, true);
  const auto reductions = reductions_of(space, strip, most_bytes(program, group.compute_nodes));
  if (!reductions) return Verdict::no("its reductions are short");
  return should_sweep_apart(program.machine(), *reductions);
}

std::optional<Pieces> cut_into_pieces(const Program& program, BufferAssignment& assignment,
                                      const Group& group) {
  const IterationSpace& space = group.iteration.space;
  if (!sweeps_once(program, group.compute_nodes, space)) return std::nullopt;
  const auto overwrites = [&](ComputeNodeId id) {
    return program.overwrites(id) && !is_row(space, program[id].sizes);
  };
  if (std::any_of(group.stored.begin(), group.stored.end(), overwrites)) return std::nullopt;
  const bool turned = turn_rows(program, assignment, group).has_value();
  const int64_t strip =
      turned ? columns_of_turned_rows : columns_of_strip(program, assignment, group);
  const auto reductions =
      reductions_of(space, strip, most_bytes(program, group.compute_nodes), turned);
  if (!reductions) return std::nullopt;
  Verdict shares = should_share_reductions(program.machine(), *reductions);
  if (!shares) return std::nullopt;
  return Pieces(assignment, space, turned || reductions->takes_columns, reductions->blocks,
                blocks_of_piece(program.machine(), *reductions), std::move(shares.why));
}

namespace {

// The second kernel: merges the states of all pieces of a reduction into its result, and computes
// the nodes that depend only on results.
class Joined : private Sweeps {
 public:
  Joined(KernelBuilder& build, const Group& group, const Pieces& pieces)
      : Sweeps(build, group, group.iteration.space.reduced.back()), of_(pieces) {
    if (pieces.columns()) {
      lane_ = kept_.back();
      if (along_) phases_ = ops::reduction_lanes;
    } else if (along_) {
      lane_ = Expr::index("lane", ops::reduction_lanes);
    }
  }

  void run() {
    Block body;
    for (const Pieces::States& states : of_.states()) join(states, body);
    for (const ComputeNodeId id : group_.stored) {
      if (is_of_row(id)) body.push_back(store_of(id));
    }
    set_loops(std::move(body));
  }

 private:
  void join(const Pieces::States& states, Block& out) {
    Reduction r = reduction(states.compute_node, states.operand);
    add_tree(r, phases_ * ops::reduction_lanes, parts());
    std::vector<State> phases;
    for (int64_t p = 0; p < phases_; ++p) phases.push_back(joined(r, states, p, out));
    const State state = merge_halves(r, std::move(phases));
    const bool lanes = along_ && phases_ == 1;
    Value result = finished(r, lanes ? merge_lanes(r, state, out) : state);
    if (lanes) result = first_lane(result);
    const int variable = build_.new_variable();
    out.push_back({loop::Declare{variable, result, false, std::string(op_name(r))}});
    build_.define(r.compute_node, build_.pool().variable(variable, result.dtype()));
  }

  Parts parts() const { return {of_.count(), of_.index(), of_.count().constant()}; }

  State joined(Reduction& r, const Pieces::States& states, int64_t phase, Block& out) {
    const Expr at = phase == 0 ? lane_ : sym::extent_of(lane_) * phase + lane_;
    const Expr column = phase * ops::reduction_lanes;
    State next;
    for (size_t i = 0; i < states.buffers.size(); ++i) {
      next.push_back(
          build_.pool().load(build_.buffer(states.buffers[i]), states.dtypes[i], of_.element(at)));
    }
    Block each;
    if (r.tree >= 0) {
      r.state = next;
      each.push_back(grow(r, column, parts()));
    } else {
      r.state = declare(initial(r), op_name(r), out);
      each.push_back(assign(r.state, r.body->merge(r.state, next)));
    }
    out.push_back({loop::Loop{of_.index(), 0, of_.count(), false, std::move(each)}});
    return r.tree >= 0 ? total(r, column, parts(), out) : r.state;
  }

  void set_loops(Block body) {
    loop::Kernel& kernel = build_.kernel();
    kernel.schedule = "the pieces of a reduction become one";
    for (const Expr index : kept_) {
      if (!index.constant() && !(index == lane_)) kernel.tasks.push_back(index);
    }
    if (lane_.constant()) {
      kernel.body = std::move(body);
      return;
    }
    constexpr int64_t strip = columns_of_states;
    const Expr lanes = sym::extent_of(lane_), strips = sym::floordiv(lanes + (strip - 1), strip);
    const Expr b = strips.is(1) ? Expr(0) : Expr::index("b", strips);
    if (!b.constant()) kernel.tasks.push_back(b);
    const Expr end = sym::min(b * strip + strip, lanes);
    kernel.body.push_back({loop::Loop{lane_, b * strip, end, true, std::move(body)}});
  }

  const Pieces& of_;
  Expr lane_ = 0;
  int64_t phases_ = 1;  // lanes of a turned row
};

}  // namespace

std::vector<LoweredKernel> lower_in_pieces(const Program& program,
                                           const BufferAssignment& assignment, const Group& group,
                                           Pieces& pieces) {
  std::vector<LoweredKernel> out;
  out.push_back(lower_pieces(program, assignment, group, pieces));
  out.back().kernel.schedule = pieces.why();
  KernelBuilder build(program, assignment, group);
  Joined(build, group, pieces).run();
  out.push_back(build.take());
  return out;
}

}  // namespace vitro::backend
