// Groups with a sort: a task is a row. The row is read in place if it is contiguous, otherwise
// computed into scratch first, together with all that shares its elements; then it is sorted.
#include "backend/lower/builder.h"
#include "backend/program/operand.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

using loop::Value;

class Sorts {
 public:
  Sorts(KernelBuilder& build, const Group& group) : build_(build), group_(group) {
    const IterationSpace& space = group.iteration.space;
    for (size_t d = 0; d < space.sizes.size(); ++d) {
      if (space.reduced[d]) {
        sorted_ = space.index[d];
        size_ = space.sizes[d];
      } else if (!space.index[d].constant()) {
        build.kernel().tasks.push_back(space.index[d]);
      }
    }
  }

  void run() {
    const Program& program = build_.program();
    for (const ComputeNodeId id : group_.compute_nodes) {
      if (program[id].kind == ComputeKind::sort) sorts_.push_back(id);
    }
    const graph::Node& node = node_of(sorts_[0]);
    const int rank = program.graph().meta(std::get<graph::Value>(node.args[0])).rank();
    const SortSpec spec = node.op->sort->spec(node.attrs.view(), rank);
    loop::Sort sort;
    sort.size = size_;
    sort.descending = spec.descending;
    const TensorMeta& result = node.results[0];
    sort.count = rank == 0 ? Expr(1) : result.sizes[static_cast<size_t>(spec.dim)].expr();
    read_row(sort);
    for (const ComputeNodeId id : group_.stored) {
      if (const auto made = result_in(id)) write_to(sort, *made, id);
    }
    // Two arrays of a key and an index for each element, of 32 bits each if these are enough, as
    // kernels/sort.h requires.
    const Expr wide = sym::min(sym::floordiv(size_, int64_t{1} << 32), 1) + 1;
    const bool is_wide = bytes_of(row_dtype_) == 8;
    sort.scratch = build_.add_row("entries", DType::i64, size_ * 2 * (is_wide ? Expr(2) : wide));
    build_.kernel().body.push_back({std::move(sort)});
  }

 private:
  const graph::Node& node_of(ComputeNodeId id) const {
    return build_.program().graph()[build_.program()[id].value.node];
  }

  // The sort of the group whose result a stored compute node is or copies.
  std::optional<ComputeNodeId> result_in(ComputeNodeId id) const {
    for (const ComputeNodeId sort : sorts_) {
      if (build_.program()[sort].value == build_.program()[id].value) return sort;
    }
    return std::nullopt;
  }

  // If elements are not contiguous, are computed, or are needed elsewhere too, a loop over the row
  // computes them first.
  void read_row(loop::Sort& sort) {
    const Value element = build_.compute(sorts_[0], group_.index_map(sorts_[0]));
    row_dtype_ = element.dtype();
    loop::Block made;
    if (const auto from = as_side_by_side(element)) {
      sort.from = static_cast<int>(element->payload);
      sort.base = *from;
    } else {
      sort.from = build_.add_row("row", row_dtype_, size_);
      sort.base = 0;
      made.push_back({loop::Store{sort.from, sorted_, element}});
    }
    for (const ComputeNodeId id : group_.stored) {
      if (result_in(id)) continue;
      const Index& at = group_.index_map(id);
      made.push_back(build_.store(id, at, build_.compute(id, at)));
    }
    if (made.empty()) return;
    const bool is_loop = !sorted_.constant();
    const Expr index = is_loop ? sorted_ : Expr::index("k", 1);
    build_.kernel().body.push_back({loop::Loop{index, 0, size_, is_loop, std::move(made)}});
  }

  // The first element of the row, if the row is contiguous in memory.
  std::optional<Expr> as_side_by_side(Value element) const {
    if (element->fn != loop::Fn::load || !build_.kernel().indirect_indices.empty())
      return std::nullopt;
    if (sorted_.constant()) return element->index;
    const auto linear = sym::as_linear(element->index, sorted_);
    if (!linear || !linear->coefficient.is(1)) return std::nullopt;
    return linear->rest;
  }

  void write_to(loop::Sort& sort, ComputeNodeId made, ComputeNodeId target) {
    const Index& at = group_.index_map(target);
    const Expr element = build_.assignment().target(
        target, target == made ? build_.program().operand_index(made, at) : at);
    Expr base = element, stride = 1;
    if (!sorted_.constant()) {
      const auto linear = sym::as_linear(element, sorted_);
      VITRO_ASSERT(linear, build_.program().name_of(target), " is not written in steps");
      base = linear->rest;
      stride = linear->coefficient;
    }
    const int buffer = build_.buffer(build_.assignment().target_buffer(target), true);
    const bool are_values = build_.program().result_of(build_.program()[made].value.node) == 0;
    (are_values ? sort.values : sort.indices) = buffer;
    (are_values ? sort.values_base : sort.indices_base) = base;
    (are_values ? sort.values_stride : sort.indices_stride) = stride;
  }

  KernelBuilder& build_;
  const Group& group_;
  std::vector<ComputeNodeId> sorts_;  // one for each result of the call that has readers
  Expr sorted_ = 0, size_ = 1;
  DType row_dtype_ = DType::f32;
};

}  // namespace

LoweredKernel lower_sort(const Program& program, const BufferAssignment& assignment,
                         const Group& group) {
  KernelBuilder build(program, assignment, group);
  Sorts(build, group).run();
  return build.take();
}

}  // namespace vitro::backend
