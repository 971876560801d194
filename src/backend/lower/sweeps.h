// What all groups with reductions share: a task sweeps the reduced dimensions as often as
// reductions depend on each other.  softmax is three sweeps: the largest, the sum, the quotient.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backend/lower/builder.h"
#include "backend/lower/pieces.h"
#include "backend/lower/row_scratch.h"
#include "backend/program/bodies.h"

namespace vitro::backend {

struct Reduction {
  using State = ReductionBody::State;
  ComputeNodeId compute_node;
  const ReductionBody* body;
  DType operand;  // that the elements are converted to
  loop::Value element;
  int level = 0;          // number of the sweep that computes it
  int result = -1;        // variable, or scratch row: what the lowering chose
  State state;            // variables while it is computed
  bool rounds;            // its blocks merge as a tree
  int tree = -1;          // in Kernel::trees, where it has more than one block
  std::vector<int> rows;  // scratch rows of its state between blocks, where that is not a tree
};

class Sweeps {
 protected:
  using Value = loop::Value;
  using Block = loop::Block;
  using State = Reduction::State;

  // With `pieces` a task reduces one of them and leaves its state there.
  Sweeps(KernelBuilder& build, const Group& group, bool along, Pieces* pieces = nullptr);

  const Program& program() const { return build_.program(); }
  const graph::Node& node_of(const Reduction& r) const {
    return program().graph()[program()[r.compute_node].value.node];
  }
  std::string_view op_name(const Reduction& r) const { return node_of(r).op->name; }

  Reduction reduction(ComputeNodeId compute_node, DType operand) const;
  // The reductions; `result` gives the value that stands for one, of the dtype of its node.
  void find_reductions(const std::function<Value(Reduction&)>& result);
  // Whether a stored compute node has one element for each reduction.
  bool is_of_row(ComputeNodeId id) const;
  loop::Statement store_of(ComputeNodeId id);
  // The stores, by the sweep in which, or before which where they are of a row, they are done.
  // Those of rows wait for all pieces.
  void schedule_stores();
  // Values that a later sweep needs again and that cost more than to write and read them go through
  // scratch, at `element` of `size`, or lie in the memory of a result until that is written.
  void keep_rows(Expr element, Expr size, int64_t most_bytes);

  bool has_reductions(int level) const;
  bool has_work(int level) const {
    return has_reductions(level) || !full_stores_[at(level)].empty();
  }
  // What a sweep does for each of its elements, except reducing it.
  Block elements_of(int level);
  void reduce(int level, Block& body);
  // In blocks of its innermost dimension: where the parts of blocks are merged.
  bool in_blocks(int level) const;
  // Of what merges as a tree: how many there are, the number of one, and how many there may be.
  struct Parts {
    Expr count, number;
    std::optional<int64_t> most;
  };
  Parts blocks() const;

  State initial(const Reduction& r);
  State declare(const State& values, std::string_view name, Block& out);
  static loop::Statement assign(const State& variables, const State& values);
  void add_tree(Reduction& r, int64_t width, const Parts& parts);
  loop::Statement grow(const Reduction& r, Expr column, const Parts& parts);
  State total(const Reduction& r, Expr column, const Parts& parts, Block& out);
  // Lanes merge pairwise: 8 apart, then 4, 2, 1.
  State merge_lanes(const Reduction& r, State state, Block& out);
  // The same of lanes whose states are apart.
  static State merge_halves(const Reduction& r, std::vector<State> states);
  Value finished(const Reduction& r, const State& state);

  // A loop over the elements of block `chunk_` of the innermost reduced dimension, or all of it.
  loop::Statement inner_loop(Block body, bool one_block);
  loop::Statement chunk_loop(Block body);
  // Around it the loops over the outer reduced dimensions.
  loop::Statement outer_loops(loop::Statement inner);
  static size_t at(int level) { return static_cast<size_t>(level); }

  KernelBuilder& build_;
  const Group& group_;
  IterationSpace space_;
  std::vector<Expr> kept_, reduced_;
  Pieces* pieces_;
  bool along_;    // lanes run along the innermost reduced dimension
  Expr count_;    // elements reduced to one
  Expr last_;     // of the innermost reduced dimension
  Expr number_;   // of an element among them
  Expr step_;     // elements of a block
  Expr per_row_;  // blocks of the innermost reduced dimension
  Expr chunk_;    // index of a block there
  Index outer_sizes_;
  std::vector<Reduction> reductions_;
  int levels_ = 0;
  std::vector<Block> full_stores_, row_stores_, row_writes_;  // by sweep

 private:
  struct ScheduledStore;
  int level_of(Value value);
  bool put_off_writes(std::vector<ScheduledStore>& all) const;
  bool is_swept(const IndexMap& map) const;
  std::optional<RowScratch::ResultRow> result_row() const;
  IndexMap index_map_of(ComputeNodeId id) const;

  std::unordered_map<const loop::Node*, int> level_of_result_;  // of the node that stands for one
};

// The dimensions that are reduced are not the innermost: a task takes some columns.  Only where
// there are enough rows to reduce.
bool takes_columns(const IterationSpace& space);
// Columns that a task takes; `again`: it sweeps them more than once.
int64_t columns_of_strip(const MachineModel& machine, const IterationSpace& space, bool again);
// Of a group whose elements are swept once: fewer where it reads them in tiles.
int64_t columns_of_strip(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_columns(const Program&, const BufferAssignment&, const Group&,
                            Pieces* = nullptr);
// Of `lower_in_pieces`: the first kernel.
LoweredKernel lower_pieces(const Program&, const BufferAssignment&, const Group&, Pieces&);

// Rows whose elements are not beside each other in memory, but those of neighbouring rows are: each
// of the sixteen lanes takes its elements as columns do.
struct TurnedRows {
  Group group;  // the reduced index is lanes * step + lane
  Expr lane, step;
};
std::optional<TurnedRows> turn_rows(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_turned_rows(const Program&, const BufferAssignment&, const TurnedRows&,
                                Pieces* = nullptr);

}  // namespace vitro::backend
