// Groups that put elements at given indices. Every task sweeps the indexed dimension in order;
// tasks share the other dimensions, so that no two of them write the same element.
#include "backend/lower/builder.h"
#include "backend/schedule/reductions.h"

namespace vitro::backend {
namespace {

using loop::Block;
using loop::Value;

class Puts {
 public:
  Puts(KernelBuilder& build, const Group& group)
      : build_(build), group_(group), space_(group.iteration.space) {}

  void run() {
    Block body;
    for (const ComputeNodeId id : group_.stored) {
      const bool puts = build_.program()[id].kind == ComputeKind::put;
      const Index& at = group_.index_map(id);
      body.push_back(puts ? put(id, at) : build_.store(id, at, build_.compute(id, at)));
    }
    Expr indexed = 0, count = 1;
    loop::Kernel& kernel = build_.kernel();
    for (size_t d = 0; d < space_.sizes.size(); ++d) {
      if (space_.reduced[d]) {
        indexed = space_.index[d];
        count = space_.sizes[d];
      } else if (!space_.index[d].constant()) {
        kernel.tasks.push_back(space_.index[d]);
      }
    }
    const bool has_columns = !space_.reduced.back() && !space_.index.back().constant();
    if (has_columns) body = in_lanes(std::move(body));
    const Expr index = indexed.constant() ? Expr::index("k", 1) : indexed;
    kernel.body.push_back({loop::Loop{index, 0, count, false, std::move(body)}});
  }

 private:
  // Vectorizes the last dimension that is not indexed; a task takes a strip of it.
  Block in_lanes(Block body) {
    std::vector<Expr>& tasks = build_.kernel().tasks;
    const Expr column = tasks.back(), extent = sym::extent_of(column);
    const Expr strips = sym::floordiv(extent + (columns_of_puts - 1), columns_of_puts);
    const Expr strip = strips.is(1) ? Expr(0) : Expr::index("b", strips);
    tasks.pop_back();
    if (!strip.constant()) tasks.push_back(strip);
    const Expr begin = strip * columns_of_puts, end = sym::min(begin + columns_of_puts, extent);
    Block out;
    out.push_back({loop::Loop{column, begin, end, true, std::move(body)}});
    return out;
  }

  loop::Statement put(ComputeNodeId id, const Index& at) {
    const Program& program = build_.program();
    const graph::NodeId node_id = program[id].value.node;
    const graph::Node& node = program.graph()[node_id];
    const TensorMeta& result = node.results[0];
    const PutSpec spec = node.op->put->spec(node.attrs.view(), ranks_of(program.graph(), node));
    const PutReads reads = program.put_reads(id, at);
    Value made = build_.compute(id, at);
    const std::vector<Expr> indirect =
        indirect_indices(node_id, result.sizes, spec.indexed, spec.wraps, reads.indices, build_);
    // A tensor without dimensions has one element; the index is checked nevertheless.
    const Stored& target = build_.assignment().of(node_id);
    const Expr element = result.rank() == 0
                             ? target.element({}) + indirect[0]
                             : target.element(with_indirect(reads.others, spec.indexed, indirect));
    const int buffer = build_.buffer(build_.assignment().target_buffer(id), true);
    if (spec.combine != Combine::replace)
      made = combined(spec.combine, build_.pool().load(buffer, result.dtype, element), made);
    return {loop::Store{buffer, element, made}};
  }

  static Value combined(Combine how, Value there, Value put) {
    switch (how) {
      case Combine::replace:
        return put;
      case Combine::add:
        return there + put;
      case Combine::multiply:
        return there * put;
      case Combine::largest:
        return maximum(there, put);
      case Combine::smallest:
        return minimum(there, put);
    }
    return put;
  }

  KernelBuilder& build_;
  const Group& group_;
  const IterationSpace& space_;
};

}  // namespace

LoweredKernel lower_put(const Program& program, const BufferAssignment& assignment,
                        const Group& group) {
  KernelBuilder build(program, assignment, group);
  Puts(build, group).run();
  return build.take();
}

}  // namespace vitro::backend
