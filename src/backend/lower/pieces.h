// Reductions that are few and long: one kernel reduces pieces of them, which threads share, a
// second one makes the pieces of each one.
//
//   sum of 10^6 elements: piece < 16   states[piece] = the sum of so many of its blocks
//                         once         merges the states, in order
//
// A piece is an entire subtree of a sum (docs/numerics.md), so that the bits stay those of one
// sweep.
#pragma once

#include <optional>
#include <vector>

#include "backend/lower/builder.h"
#include "backend/schedule/reductions.h"
#include "vitro/base/code.h"

namespace vitro::backend {

class Pieces {
 public:
  struct States {
    ComputeNodeId compute_node;
    DType operand;                  // that the elements are converted to
    std::vector<DType> dtypes;      // of the state
    std::vector<BufferId> buffers;  // where it lies
  };
  // `columns`: the last kept dimension is a task's vector.
  Pieces(BufferAssignment& assignment, const IterationSpace& space, bool columns, Expr blocks,
         int64_t blocks_of_piece, std::string why);

  Expr index() const { return index_; }  // of a piece of a reduction
  Expr count() const { return count_; }
  int64_t most() const { return most_; }  // blocks of a piece, a power of two
  bool columns() const { return columns_; }
  const std::string& why() const { return why_; }  // reductions are cut
  Expr begin() const { return index_ * most_; }
  Expr end() const;
  const std::vector<States>& states() const { return states_; }

  // Makes room for the states that a reduction leaves.
  const States& add(ComputeNodeId compute_node, std::string_view name, DType operand,
                    const std::vector<loop::Value>& state);
  // Where the state of `lane` lies: a lane of a row, a column, or a column's lane * columns +
  // column.
  Expr element(Expr lane) const { return first_ + lane; }

 private:
  BufferAssignment& assignment_;
  bool columns_;
  int64_t most_;
  std::string why_;
  Expr blocks_, count_, index_;
  Expr size_;   // of the states of all reductions
  Expr first_;  // of those of a piece
  std::vector<States> states_;
};

// Whether the compute nodes need the elements of the space once: nothing that is swept, or reduced,
// needs what is reduced here.
bool sweeps_once(const Program& program, const std::vector<ComputeNodeId>& compute_nodes,
                 const IterationSpace& space);

// Whether the sweeps of a group should be kernels of their own: a task would sweep a long reduction
// several times while other threads have nothing to do, or would not find it in the cache again, or
// its elements lie across the sweep.
Verdict should_split_sweeps(const Program& program, const BufferAssignment& assignment,
                            const Group& group);
// Why, in the last case.
extern const Code reductions_lie_across;

// How the reductions of a group are cut; nothing where they are many or short.
std::optional<Pieces> cut_into_pieces(const Program&, BufferAssignment&, const Group&);
// The kernel that reduces pieces, and the one that makes them one.
std::vector<LoweredKernel> lower_in_pieces(const Program&, const BufferAssignment&, const Group&,
                                           Pieces&);

}  // namespace vitro::backend
