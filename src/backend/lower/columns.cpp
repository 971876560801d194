// Reductions whose lanes run along the innermost dimension, which is kept: a task takes a strip of
// columns and processes a block of rows at a time, so that memory is read in long runs. Between
// blocks the states of the columns are in scratch rows.
#include <algorithm>

#include "backend/lower/pieces.h"
#include "backend/lower/sweep_order.h"
#include "backend/lower/sweeps.h"
#include "backend/lower/turned_tile.h"
#include "backend/schedule/fusion.h"
#include "backend/schedule/reductions.h"
#include "vitro/ops/reduce.h"

namespace vitro::backend {
namespace {

class Columns : private Sweeps {
 public:
  Columns(KernelBuilder& build, const Group& group, bool in_tiles, Pieces* pieces)
      : Sweeps(build, group, false, pieces), in_tiles_(in_tiles) {
    set_strips(in_tiles ? columns_of_tile
                        : columns_of_strip(program().machine(), space_, sweeps_again()));
    const Expr blocks = pieces ? Expr(pieces->most()) : per_row_;
    const Expr tiles = sym::floordiv(blocks + (blocks_of_tile - 1), blocks_of_tile);
    if (!tiles.is(1)) tile_ = Expr::index("tile", tiles);
  }
  Columns(KernelBuilder& build, const TurnedRows& turned, Pieces* pieces)
      : Sweeps(build, turned.group, false, pieces),
        phases_(ops::reduction_lanes),
        phase_(turned.lane) {
    reduced_.back() = turned.step;
    per_row_ = sym::floordiv(last_ + (phases_ * step_ - 1), phases_ * step_);
    last_ = sym::floordiv(last_ - phase_ + (phases_ - 1), phases_);
    chunk_ = per_row_.is(1) ? Expr(0) : Expr::index("c", per_row_);
    // Pieces, of which threads have enough, are cut from one reduced dimension.
    set_strips(pieces ? columns_of_turned_rows
                      : columns_of_few_turned_rows(sym::extent_of(kept_.back())));
  }
  void run() {
    find_reductions([&](Reduction& r) {
      const DType dtype = node_of(r).results[0].dtype;
      if (pieces_) return build_.pool().variable(build_.new_variable(), dtype);
      r.result = build_.add_row(cat(op_name(r), "_result"), dtype, width_);
      return build_.pool().load(r.result, dtype, column_ - begin_);
    });
    for (Reduction& r : reductions_) add_rows(r);
    schedule_stores();
    if (phases_ == 1) {
      keep_rows(reduced_.back() * width_ + lane(), last_ * width_,
                most_bytes_of_strip(program().machine()));
    }
    loop::Kernel& kernel = build_.kernel();
    for (int level = 0; level <= levels_; ++level) sweep(level, kernel.body);
    store_rows(levels_ + 1, kernel.body);
    for (const Expr index : kept_) {
      if (!index.constant() && !(index == column_)) kernel.tasks.push_back(index);
    }
    if (pieces_) kernel.tasks.push_back(pieces_->index());
    if (!strip_.constant()) kernel.tasks.push_back(strip_);
  }

 private:
  void set_strips(int64_t most) {
    column_ = kept_.back();
    const Expr extent = sym::extent_of(column_);
    const auto columns = extent.constant();
    const int64_t lanes = program().machine().lanes;
    width_ = columns ? std::min(most, (*columns + lanes - 1) / lanes * lanes) : most;
    const Expr strips = sym::floordiv(extent + (width_ - 1), width_);
    strip_ = strips.is(1) ? Expr(0) : Expr::index("b", strips);
    begin_ = strip_ * width_;
    end_ = sym::min(begin_ + width_, extent);
  }
  bool sweeps_again() const {
    const auto reduces = [&](ComputeNodeId id) {
      return program()[id].kind == ComputeKind::reduction;
    };
    return std::count_if(group_.compute_nodes.begin(), group_.compute_nodes.end(), reduces) > 1 ||
           !std::all_of(group_.stored.begin(), group_.stored.end(), reduces);
  }

  // Between blocks the state is in rows, or the parts are in a tree.
  void add_rows(Reduction& r) {
    add_tree(r, phases_ * width_, blocks());
    if (r.tree >= 0) return;
    for (const Value v : initial(r)) {
      r.rows.push_back(build_.add_row(cat(op_name(r), "_state"), v.dtype(), phases_ * width_));
    }
  }

  loop::Statement columns_loop(Block body) const {
    return {loop::Loop{column_, begin_, end_, true, std::move(body)}};
  }
  Expr lane() const { return column_ - begin_; }
  Expr lane_of(Expr phase) const { return phase * width_ + lane(); }
  // Runs `body` for each phase.
  Block phases(Block body) const {
    if (phases_ == 1) return body;
    Block out;
    out.push_back({loop::Loop{phase_, 0, phases_, false, std::move(body)}});
    return out;
  }
  State loaded(const Reduction& r, Expr phase) {
    State out;
    for (const int row : r.rows) {
      const auto which = static_cast<size_t>(row - loop::Kernel::first_row);
      out.push_back(build_.pool().load(row, build_.kernel().rows[which].dtype, lane_of(phase)));
    }
    return out;
  }
  void save(const Reduction& r, const State& state, Block& out) {
    for (size_t i = 0; i < r.rows.size(); ++i) {
      out.push_back({loop::Store{r.rows[i], lane_of(phase_), state[i]}});
    }
  }
  // The state of one phase.
  State state_of(const Reduction& r, Block& out) {
    return r.tree >= 0 ? total(r, lane_of(phase_), blocks(), out) : loaded(r, phase_);
  }
  // Replaces the parts of each phase by their total, for merged(): one loop, not code for each.
  void total_phases(const Reduction& r, Block& out) {
    if (r.tree < 0 || phases_ == 1) return;
    out.push_back({loop::Store{row_of_tree(r), lane_of(phase_), state_of(r, out)[0]}});
  }
  int row_of_tree(const Reduction& r) const {
    return build_.kernel().trees[static_cast<size_t>(r.tree)].row;
  }
  // The state of all phases, which merge as lanes do: 8 apart, then 4, 2, 1.
  State merged(const Reduction& r, Block& out) {
    if (phases_ == 1) return state_of(r, out);
    std::vector<State> states;
    for (int64_t p = 0; p < phases_; ++p)
      states.push_back(r.tree < 0
                           ? loaded(r, p)
                           : State{build_.pool().load(row_of_tree(r), r.operand, lane_of(p))});
    return merge_halves(r, std::move(states));
  }

  void sweep(int level, Block& out) {
    store_rows(level, out);
    if (!has_work(level)) return;
    Block body = elements_of(level);
    if (!has_reductions(level)) {
      Block rows;
      rows.push_back(columns_loop(std::move(body)));
      out.push_back(outer_loops(inner_loop(std::move(rows), false)));
      return;
    }
    Block first, block, totals, last;
    for (Reduction& r : reductions_) {
      if (r.level != level) continue;
      save(r, initial(r), first);
      r.state = declare(r.tree >= 0 ? initial(r) : loaded(r, phase_), op_name(r), block);
    }
    reduce(level, body);
    Block turns = in_tiles_ ? read_in_tiles(body) : Block();
    block.push_back(inner_loop(std::move(body), true));
    for (const Reduction& r : reductions_) {
      if (r.level != level) continue;
      save(r, r.state, block);
      if (r.tree >= 0) block.push_back(grow(r, lane_of(phase_), blocks()));
      if (pieces_) {
        leave_piece(r, totals);
      } else {
        total_phases(r, totals);
        last.push_back({loop::Store{r.result, lane(), finished(r, merged(r, last))}});
      }
    }
    if (!first.empty()) append(phases(one(columns_loop(std::move(first)))), out);
    block = phases(one(columns_loop(std::move(block))));
    out.push_back(outer_loops(turns.empty() ? chunk_loop(std::move(block))
                                            : tile_loop(std::move(turns), std::move(block))));
    if (!totals.empty()) append(phases(one(columns_loop(std::move(totals)))), out);
    if (!last.empty()) out.push_back(columns_loop(std::move(last)));
  }

  Expr first_block() const { return pieces_ ? pieces_->begin() : Expr(0); }
  Expr last_block() const { return pieces_ ? pieces_->end() : per_row_; }
  // The first block of the tile.
  Expr block_of_tile() const { return first_block() + tile_ * blocks_of_tile; }
  // Runs the blocks of a sweep one tile at a time; `turns` fill the tile.
  loop::Statement tile_loop(Block turns, Block body) const {
    const Expr chunk = chunk_.constant() ? Expr::index("c", 1) : chunk_;
    const Expr begin = block_of_tile(), end = sym::min(begin + blocks_of_tile, last_block());
    turns.push_back({loop::Loop{chunk, begin, end, false, std::move(body)}});
    const Expr tiles =
        sym::floordiv(last_block() - first_block() + (blocks_of_tile - 1), blocks_of_tile);
    const Expr index = tile_.constant() ? Expr::index("tile", 1) : tile_;
    return {loop::Loop{index, 0, tiles, false, std::move(turns)}};
  }

  // Transposes the operands that are contiguous along the columns, a tile at a time: returns the
  // transposes, and `body` reads the tiles.
  Block read_in_tiles(Block& body) {
    const Expr first = block_of_tile() * step_;
    const int64_t most = step_.constant().value() * blocks_of_tile;
    const Expr rows = sym::min(most, last_ - first);
    return turn_over(
        build_, body,
        {{column_, begin_, end_ - begin_}, {reduced_.back(), first, rows}, width_, most});
  }

  void leave_piece(const Reduction& r, Block& out) {
    const auto& buffers = pieces_->add(r.compute_node, op_name(r), r.operand, initial(r)).buffers;
    const State state = state_of(r, out);
    const Expr at = pieces_->element(sym::extent_of(column_) * phase_ + column_);
    for (size_t i = 0; i < state.size(); ++i) {
      out.push_back({loop::Store{build_.buffer(buffers[i], true), at, state[i]}});
    }
  }

  void store_rows(int level, Block& out) {
    Block stores = std::move(row_stores_[at(level)]);
    if (!stores.empty()) out.push_back(columns_loop(std::move(stores)));
  }

  static Block one(loop::Statement s) {
    Block out;
    out.push_back(std::move(s));
    return out;
  }
  static void append(Block more, Block& out) {
    for (loop::Statement& s : more) out.push_back(std::move(s));
  }

  bool in_tiles_ = false;  // some reduced operand is contiguous along the columns
  int64_t phases_ = 1;     // lanes of a turned row; otherwise 1
  Expr phase_ = 0;
  int64_t width_;  // of a strip
  Expr column_, strip_, begin_, end_;
  Expr tile_ = 0;  // of a sweep, if in_tiles_
};

}  // namespace

namespace {

// How many elements are reduced to one.
Expr reduced_count(const IterationSpace& space) {
  Expr count = 1;
  for (size_t d = 0; d < space.sizes.size(); ++d) {
    if (space.reduced[d]) count = count * space.sizes[d];
  }
  return count;
}

}  // namespace

bool takes_columns(const IterationSpace& space) {
  if (space.reduced.back() || space.index.back().constant()) return false;
  return !sym::prove_less(reduced_count(space), ops::reduction_steps + 1).value_or(false);
}

int64_t columns_of_strip(const MachineModel& machine, const IterationSpace& space, bool again) {
  return columns_of_strip(machine, space.sizes.back(), reduced_count(space), again);
}

namespace {

// Whether an element is contiguous across neighbouring rows, and not along a row.
bool is_turned(Expr element, Expr index, Expr row) {
  const auto along = sym::as_linear(element, index), across = sym::as_linear(element, row);
  return along && across && !along->coefficient.is(1) && across->coefficient.is(1);
}

// Whether all reads that a row varies are.
bool is_turned(const std::vector<loop::Value>& elements, Expr index, Expr row) {
  bool found = false;
  for (const loop::Node* node : loop::nodes_below(elements)) {
    if (node->fn != loop::Fn::load || !sym::contains(node->index, index)) continue;
    if (!is_turned(node->index, index, row)) return false;
    found = true;
  }
  return found;
}

}  // namespace

std::optional<TurnedRows> turn_rows(const Program& program, const BufferAssignment& assignment,
                                    const Group& group) {
  const IterationSpace& space = group.iteration.space;
  if (space.sizes.size() < 2 || !space.reduced.back() || space.index.back().constant()) return {};
  const auto kept = std::find(space.reduced.rbegin(), space.reduced.rend(), false);
  if (kept == space.reduced.rend()) return {};
  const auto row = static_cast<size_t>(kept.base() - 1 - space.reduced.begin());
  if (space.index[row].constant() || is_short_side(space.sizes[row])) return {};
  if (!sweeps_once(program, group.compute_nodes, space)) return {};
  KernelBuilder trial(program, assignment, group);
  std::vector<loop::Value> elements;
  for (const ComputeNodeId id : group.compute_nodes) {
    if (program[id].kind != ComputeKind::reduction) continue;
    elements.push_back(trial.compute(id, group.index_map(id)));
    const DType dtype = program.graph().meta(program[id].value).dtype;
    trial.define(id, trial.pool().variable(trial.new_variable(), dtype));
  }
  for (const ComputeNodeId id : group.stored) {
    if (is_row(space, sizes_of(program.graph().meta(program[id].value)))) continue;
    const IndexMap& at = group.index_map(id);
    elements.push_back(trial.compute(id, at));
    const Expr element = std::get<loop::Store>(trial.store(id, at, elements.back()).what).element;
    const bool waits =
        std::ranges::any_of(loop::nodes_below({elements.back()}),
                            [](const loop::Node* node) { return node->fn == loop::Fn::variable; });
    if (waits || program.overwrites(id) ||
        !is_turned(element, space.index.back(), space.index[row]))
      return {};
  }
  if (!is_turned(elements, space.index.back(), space.index[row])) return {};
  const Expr lane = Expr::index("lane", ops::reduction_lanes);
  const Expr steps =
      sym::floordiv(space.sizes.back() + (ops::reduction_lanes - 1), ops::reduction_lanes);
  const Expr step = Expr::index("k", steps);
  TurnedRows out{group, lane, step};
  Index values = space.index;
  values.back() = step * ops::reduction_lanes + lane;
  for (IndexMap& map : out.group.iteration.index_maps) map = with_index(map, space, values);
  out.group.iteration.space.index = values;
  return out;
}

LoweredKernel lower_turned_rows(const Program& program, const BufferAssignment& assignment,
                                const TurnedRows& turned, Pieces* pieces) {
  KernelBuilder build(program, assignment, turned.group);
  Columns(build, turned, pieces).run();
  return build.take();
}

namespace {

// Whether some reduced operand is contiguous along the columns, and these are long enough to
// transpose it.
bool reduces_along_columns(const Program& program, const BufferAssignment& assignment,
                           const Group& group) {
  const IterationSpace& space = group.iteration.space;
  const auto inner =
      static_cast<size_t>(std::find(space.reduced.rbegin(), space.reduced.rend(), true).base() - 1 -
                          space.reduced.begin());
  for (const Expr side : {space.sizes[inner], space.sizes.back()}) {
    if (is_short_side(side)) return false;
  }
  const SweepAccesses accesses = accesses_of(program, assignment, group);
  return std::any_of(accesses.loads.begin(), accesses.loads.end(), [&](const loop::Node* node) {
    return stride_across(node->index, space.index.back(), space.index[inner]).has_value();
  });
}

}  // namespace

int64_t columns_of_strip(const Program& program, const BufferAssignment& assignment,
                         const Group& group) {
  const IterationSpace& space = group.iteration.space;
  const bool in_tiles = takes_columns(space) && reduces_along_columns(program, assignment, group);
  return in_tiles ? columns_of_tile : columns_of_strip(program.machine(), space, false);
}

LoweredKernel lower_columns(const Program& program, const BufferAssignment& assignment,
                            const Group& group, Pieces* pieces) {
  KernelBuilder build(program, assignment, group);
  Columns(build, group, reduces_along_columns(program, assignment, group), pieces).run();
  return build.take();
}

}  // namespace vitro::backend
