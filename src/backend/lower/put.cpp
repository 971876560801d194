// Groups that put elements at given indices. Every task sweeps the indexed dimension in order;
// tasks share the other dimensions, so that no two of them write the same element.
#include <algorithm>
#include <optional>

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
    if (has_columns) {
      body = in_strips(kernel.tasks.size() - 1, true, std::move(body));
    } else if (const auto contiguous = contiguous_task(body)) {
      body = in_strips(*contiguous, false, std::move(body));
    }
    const Expr index = indexed.constant() ? Expr::index("k", 1) : indexed;
    kernel.body.push_back({loop::Loop{index, 0, count, false, std::move(body)}});
  }

 private:
  // The task along which all that is written is contiguous, at least at first, as the channels of
  // an image are beside its positions: one after another would load every line of memory for each.
  std::optional<size_t> contiguous_task(const Block& body) const {
    const std::vector<Expr>& tasks = build_.kernel().tasks;
    for (size_t t = 0; t < tasks.size(); ++t) {
      const bool contiguous = std::ranges::all_of(body, [&](const loop::Statement& s) {
        const auto* store = std::get_if<loop::Store>(&s.what);
        const auto at = [&](Expr i) { return sym::substitute(store->element, tasks[t], i); };
        return store && (at(1) - at(0)).is(1);
      });
      if (contiguous) return t;
    }
    return std::nullopt;
  }

  // Strips of a task's dimension, in vectors or one by one, are tasks instead.
  Block in_strips(size_t task, bool vector, Block body) {
    std::vector<Expr>& tasks = build_.kernel().tasks;
    const Expr column = tasks[task], extent = sym::extent_of(column);
    const Expr strips = sym::floordiv(extent + (columns_of_puts - 1), columns_of_puts);
    const Expr strip = strips.is(1) ? Expr(0) : Expr::index("b", strips);
    tasks[task] = strip;
    if (strip.constant()) tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(task));
    const Expr begin = strip * columns_of_puts, end = sym::min(begin + columns_of_puts, extent);
    Block out;
    out.push_back({loop::Loop{column, begin, end, vector, std::move(body)}});
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
