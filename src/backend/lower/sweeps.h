// Shared by all groups with reductions: a task sweeps the reduced dimensions once for each level of
// dependent reductions. softmax takes three sweeps: maximum, sum, quotient.
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
#include "vitro/base/function_ref.h"

namespace vitro::backend {

struct Reduction {
  using State = ReductionBody::State;
  ComputeNodeId compute_node;
  const ReductionBody* body;
  DType operand;  // that the elements are converted to
  loop::Value element;
  int level = 0;          // number of the sweep that computes it
  int result = -1;        // variable or scratch row, as the lowering chose
  State state;            // variables while it is computed
  bool rounds;            // its blocks merge as a tree
  int tree = -1;          // in Kernel::trees, if it has more than one block
  std::vector<int> rows;  // scratch rows of its state between blocks, if that is not a tree
};

class Sweeps {
 protected:
  using Value = loop::Value;
  using Block = loop::Block;
  using State = Reduction::State;

  // With `pieces`, a task reduces one of them and stores its state there.
  Sweeps(KernelBuilder& build, const Group& group, bool along, Pieces* pieces = nullptr);

  const Program& program() const { return build_.program(); }
  const graph::Node& node_of(const Reduction& r) const {
    return program().graph()[program()[r.compute_node].value.node];
  }
  std::string_view op_name(const Reduction& r) const { return node_of(r).op->name; }

  Reduction reduction(ComputeNodeId compute_node, DType operand) const;
  // Finds the reductions; `result` returns the value that stands for one, of the dtype of its node.
  void find_reductions(const std::function<Value(Reduction&)>& result);
  // Whether a stored compute node has one element for each reduction.
  bool is_of_row(ComputeNodeId id) const;
  loop::Statement store_of(ComputeNodeId id);
  // Assigns each store to the sweep in which it is done, or before which if it is a store of a row.
  // Stores of rows wait for all pieces.
  void schedule_stores();
  // Keeps values that a later sweep needs again and that cost more than writing and reading them:
  // in scratch, at `element` of `size`, or in the memory of a result until that is written.
  void keep_rows(Expr element, Expr size, int64_t most_bytes);

  bool has_reductions(int level) const;
  bool has_work(int level) const {
    return has_reductions(level) || !full_stores_[at(level)].empty();
  }
  // The stores of a sweep for each of its elements; not the reductions.
  Block elements_of(int level);
  void reduce(int level, Block& body);
  // Whether the sweep runs in blocks of its innermost dimension, whose parts are merged.
  bool in_blocks(int level) const;
  // For tree merges: the number of parts, the number of one part, and an upper bound of the number.
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
  // Merges lanes pairwise: 8 apart, then 4, 2, 1.
  State merge_lanes(const Reduction& r, State state, Block& out);
  // The same for lanes in separate states.
  static State merge_halves(const Reduction& r, std::vector<State> states);
  Value finished(const Reduction& r, const State& state);

  // A loop over block `chunk_` of the innermost reduced dimension, or over all of it.
  loop::Statement inner_loop(Block body, bool one_block);
  loop::Statement chunk_loop(Block body);
  // Wraps it in loops over the outer reduced dimensions.
  loop::Statement outer_loops(loop::Statement inner);
  static size_t at(int level) { return static_cast<size_t>(level); }

  KernelBuilder& build_;
  const Group& group_;
  IterationSpace space_;
  std::vector<Expr> kept_, reduced_;
  Pieces* pieces_;
  bool along_;    // lanes run along the innermost reduced dimension
  Expr count_;    // elements reduced to one
  Expr last_;     // extent of the innermost reduced dimension
  Expr number_;   // number of an element among them
  Expr step_;     // elements of a block
  Expr per_row_;  // blocks of the innermost reduced dimension
  Expr chunk_;    // index of a block there
  Index outer_sizes_;
  std::vector<Reduction> reductions_;
  int levels_ = 0;
  std::vector<Block> full_stores_, row_stores_, row_writes_;  // by sweep

 private:
  struct ScheduledStore;
  void each_node_of(Value value, FunctionRef<void(const loop::Node&)> visit) const;
  int level_of(Value value) const;
  bool put_off_writes(std::vector<ScheduledStore>& all) const;
  bool reads(Value value, int buffer) const;
  bool is_swept(const IndexMap& map) const;
  std::optional<RowScratch::ResultRow> result_row() const;
  IndexMap index_map_of(ComputeNodeId id) const;

  std::unordered_map<const loop::Node*, int>
      level_of_result_;  // of the node that stands for a result
};

// Whether the reduced dimensions are not the innermost, so that a task takes some columns; only if
// there are enough rows to reduce.
bool takes_columns(const IterationSpace& space);
// Columns of a task; `again`: it sweeps them more than once.
int64_t columns_of_strip(const MachineModel& machine, const IterationSpace& space, bool again);
// For a group whose elements are swept once: fewer if it reads them in tiles.
int64_t columns_of_strip(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_columns(const Program&, const BufferAssignment&, const Group&,
                            Pieces* = nullptr);
// The first kernel of `lower_in_pieces`.
LoweredKernel lower_pieces(const Program&, const BufferAssignment&, const Group&, Pieces&);

// Rows that are not contiguous in memory although neighbouring rows are adjacent: each of the
// sixteen lanes takes its elements as columns do.
struct TurnedRows {
  Group group;  // the reduced index is lanes * step + lane
  Expr lane, step;
};
std::optional<TurnedRows> turn_rows(const Program&, const BufferAssignment&, const Group&);
LoweredKernel lower_turned_rows(const Program&, const BufferAssignment&, const TurnedRows&,
                                Pieces* = nullptr);

}  // namespace vitro::backend
