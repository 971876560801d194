// Few and long reductions: one kernel reduces pieces of them, which threads share, and a second one
// merges the pieces of each reduction.
//
//   sum of 10^6 elements: piece < 16   states[piece] = the sum of its blocks
//                         once         merges the states, in order
//
// A piece is an entire subtree of a sum (docs/numerics.md), so the bits are those of a single
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
    std::vector<BufferId> buffers;  // that hold the state
  };
  // `columns`: a task's lanes are the last kept dimension.
  Pieces(BufferAssignment& assignment, const IterationSpace& space, bool columns, Expr blocks,
         int64_t blocks_of_piece, std::string why);

  Expr index() const { return index_; }  // of a piece of a reduction
  Expr count() const { return count_; }
  int64_t most() const { return most_; }  // blocks of a piece, a power of two
  bool columns() const { return columns_; }
  const std::string& why() const { return why_; }  // the reason for cutting reductions
  Expr begin() const { return index_ * most_; }
  Expr end() const;
  const std::vector<States>& states() const { return states_; }

  // Adds buffers for the states of a reduction.
  const States& add(ComputeNodeId compute_node, std::string_view name, DType operand,
                    const std::vector<loop::Value>& state);
  // The element that holds the state of `lane`: a lane of a row, a column, or lane * columns +
  // column.
  Expr element(Expr lane) const { return first_ + lane; }

 private:
  BufferAssignment& assignment_;
  bool columns_;
  int64_t most_;
  std::string why_;
  Expr blocks_, count_, index_;
  Expr size_;   // of the states of all reductions
  Expr first_;  // first state of a piece
  std::vector<States> states_;
};

// Whether the compute nodes need the elements of the space only once: nothing that is swept, or
// reduced, depends on a reduction of the group.
bool sweeps_once(const Program& program, const std::vector<ComputeNodeId>& compute_nodes,
                 const IterationSpace& space);

// Whether the sweeps of a group should be separate kernels: a task would sweep a long reduction
// several times while other threads are idle, would not find it in the cache again, or its elements
// are not contiguous along the sweep.
Verdict should_split_sweeps(const Program& program, const BufferAssignment& assignment,
                            const Group& group);
// The reason in the last case.
extern const Code reductions_lie_across;

// How the reductions of a group are cut; empty if they are many or short.
std::optional<Pieces> cut_into_pieces(const Program&, BufferAssignment&, const Group&);
// The kernel that reduces pieces, and the one that merges them.
std::vector<LoweredKernel> lower_in_pieces(const Program&, const BufferAssignment&, const Group&,
                                           Pieces&);

}  // namespace vitro::backend
