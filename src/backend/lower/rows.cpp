// Reductions whose lanes run along the innermost dimension, which is reduced; a task takes one
// index of the kept dimensions. Also reductions of few rows, whose lanes run along the innermost
// kept dimension.
//
// A sweep computes the reductions that depend only on earlier sweeps. It runs over blocks of the
// innermost reduced dimension: each block has its own state in variables, which then merges into a
// tree (sums, whose order decides the bits) or into a total. At its end the sixteen lanes merge
// pairwise into the result, or, if pieces are shared by threads, are stored for a second kernel.
#include <algorithm>

#include "backend/lower/row_blocks.h"
#include "backend/lower/sweeps.h"
#include "backend/lower/turned_tile.h"
#include "backend/schedule/fusion.h"
#include "vitro/ops/reduce.h"

namespace vitro::backend {
namespace {

class Rows : private Sweeps {
 public:
  Rows(KernelBuilder& build, const Group& group, Pieces* pieces = nullptr)
      : Sweeps(build, group, group.iteration.space.reduced.back(), pieces) {}
  // Sweeps in blocks of rows, for the reason `why`, which the kernel reports.
  Rows(KernelBuilder& build, const Group& group, RowBlocks blocks, std::string why)
      : Sweeps(build, group, true), blocks_(blocks), schedule_(std::move(why)) {}

  // For one index of the kept dimensions.
  Block sweeps() {
    find_reductions([&](Reduction& r) {
      r.result = build_.new_variable();
      return build_.pool().variable(r.result, node_of(r).results[0].dtype);
    });
    for (Reduction& r : reductions_) add_tree(r, ops::reduction_lanes, blocks());
    schedule_stores();
    if (along_) keep_rows(reduced_.back(), last_, most_bytes_of_row(program().machine()));
    Block body;
    for (int level = 0; level <= levels_; ++level) sweep(level, body);
    for (loop::Statement& s : row_stores_.back()) body.push_back(std::move(s));
    return body;
  }

  void run() { finish(sweeps()); }

 private:
  void sweep(int level, Block& out) {
    for (loop::Statement& s : row_stores_[at(level)]) out.push_back(std::move(s));
    if (!has_work(level)) return;
    const bool cut = in_blocks(level);
    Block body = elements_of(level), inner;
    std::vector<State> totals;
    for (Reduction& r : reductions_) {
      if (r.level != level) continue;
      const bool fresh = r.tree >= 0 || cut;
      totals.push_back(r.tree < 0 && cut ? declare(initial(r), "total", out) : State());
      r.state = declare(initial(r), op_name(r), fresh ? inner : out);
    }
    reduce(level, body);
    inner.push_back(inner_loop(std::move(body), cut));
    size_t which = 0;
    for (const Reduction& r : reductions_) {
      if (r.level == level) end_block(r, totals[which++], inner);
    }
    out.push_back(outer_loops(cut ? chunk_loop(std::move(inner)) : std::move(inner[0])));
    which = 0;
    for (const Reduction& r : reductions_) {
      if (r.level != level) continue;
      const State& full = totals[which++];
      const State state = r.tree >= 0 ? total(r, 0, blocks(), out) : full.empty() ? r.state : full;
      pieces_ ? leave_piece(r, state, out) : finish_reduction(r, state, out);
    }
  }

  // Each block has its own state even if the order does not matter, so that blocks do not depend on
  // each other.
  void end_block(const Reduction& r, const State& full, Block& out) {
    if (r.tree >= 0) {
      out.push_back(grow(r, 0, blocks()));
    } else if (!full.empty()) {
      out.push_back(assign(full, r.body->merge(full, r.state)));
    }
  }

  void leave_piece(const Reduction& r, const State& state, Block& out) {
    const auto& buffers = pieces_->add(r.compute_node, op_name(r), r.operand, state).buffers;
    const Expr lane = along_ ? Expr::index("lane", ops::reduction_lanes) : Expr(0);
    Block stores;
    for (size_t i = 0; i < state.size(); ++i) {
      stores.push_back(
          {loop::Store{build_.buffer(buffers[i], true), pieces_->element(lane), state[i]}});
    }
    if (along_) {
      out.push_back({loop::Loop{lane, 0, ops::reduction_lanes, true, std::move(stores)}});
    } else {
      for (loop::Statement& s : stores) out.push_back(std::move(s));
    }
  }

  void finish_reduction(const Reduction& r, const State& state, Block& out) {
    Value result = finished(r, along_ ? merge_lanes(r, state, out) : state);
    if (along_) result = first_lane(result);
    out.push_back({loop::Declare{r.result, result, false, std::string(op_name(r))}});
  }

  void finish(Block body) {
    std::vector<Expr> tasks;
    for (const Expr index : kept_) {
      if (!index.constant()) tasks.push_back(index);
    }
    if (pieces_) tasks.push_back(pieces_->index());
    loop::Kernel& kernel = build_.kernel();
    if (blocks_) {
      tasks.pop_back();
      in_blocks_of_rows(std::move(body), tasks);
    } else if (along_ || tasks.empty() || kept_.back().constant()) {
      kernel.body = std::move(body);
    } else {
      const Expr column = tasks.back(), extent = sym::extent_of(column);
      const Expr blocks = sym::floordiv(extent + (columns_of_few_rows - 1), columns_of_few_rows);
      const Expr b = blocks.is(1) ? Expr(0) : Expr::index("b", blocks);
      tasks.pop_back();
      if (!b.constant()) tasks.push_back(b);
      const Expr begin = b * columns_of_few_rows;
      const Expr end = sym::min(begin + columns_of_few_rows, extent);
      kernel.body.push_back({loop::Loop{column, begin, end, true, std::move(body)}});
    }
    kernel.tasks = std::move(tasks);
  }

  void in_blocks_of_rows(Block body, std::vector<Expr>& tasks) {
    const Expr row = kept_.back(), extent = sym::extent_of(row);
    const Expr count = sym::floordiv(extent + (blocks_->rows - 1), blocks_->rows);
    const Expr b = count.is(1) ? Expr(0) : Expr::index("b", count);
    if (!b.constant()) tasks.push_back(b);
    const Expr begin = b * blocks_->rows, end = sym::min(begin + blocks_->rows, extent);
    loop::Kernel& kernel = build_.kernel();
    kernel.body = turn_over(
        build_, body,
        {{reduced_.back(), 0, last_}, {row, begin, end - begin}, blocks_->pitch, blocks_->rows});
    kernel.body.push_back({loop::Loop{row, begin, end, false, std::move(body)}});
    kernel.schedule = std::move(schedule_);
  }

  std::optional<RowBlocks> blocks_;
  std::string schedule_;
};

}  // namespace

LoweredKernel lower_rows(const Program& program, const BufferAssignment& assignment,
                         const Group& group) {
  if (takes_columns(group.iteration.space)) return lower_columns(program, assignment, group);
  if (const auto turned = turn_rows(program, assignment, group))
    return lower_turned_rows(program, assignment, *turned);
  KernelBuilder build(program, assignment, group);
  RowBlocks blocks{};
  if (Verdict in_blocks = rows_in_blocks(program, assignment, group, &blocks)) {
    Rows(build, group, blocks, std::move(in_blocks.why)).run();
  } else {
    Rows(build, group).run();
  }
  return build.take();
}

LoweredKernel lower_pieces(const Program& program, const BufferAssignment& assignment,
                           const Group& group, Pieces& pieces) {
  if (takes_columns(group.iteration.space))
    return lower_columns(program, assignment, group, &pieces);
  if (const auto turned = turn_rows(program, assignment, group))
    return lower_turned_rows(program, assignment, *turned, &pieces);
  KernelBuilder build(program, assignment, group);
  Rows(build, group, &pieces).run();
  return build.take();
}

loop::Block lower_sweeps(KernelBuilder& build, const Group& group) {
  return Rows(build, group).sweeps();
}

}  // namespace vitro::backend
