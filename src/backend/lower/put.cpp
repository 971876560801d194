// Groups that put elements where indices say.  The dimension that is indexed is walked in order by
// every task; tasks share the others, so that no two of them write one element.
#include "backend/lower/builder.h"
#include "backend/schedule/folds.h"

namespace vitro::backend {
namespace {

using loop::Block;
using loop::Value;

class Puts {
 public:
  Puts(KernelBuilder& build, const Group& group)
      : build_(build), group_(group), space_(group.layout.space) {}

  void run() {
    Block body;
    for (const ItemId id : group_.stored) {
      const bool puts = build_.program()[id].kind == ItemKind::put;
      const Index& at = group_.place(id);
      body.push_back(puts ? put(id, at) : build_.store(id, at, build_.compute(id, at)));
    }
    Expr walked = 0, count = 1;
    loop::Kernel& kernel = build_.kernel();
    for (size_t d = 0; d < space_.sizes.size(); ++d) {
      if (space_.reduced[d]) {
        walked = space_.index[d];
        count = space_.sizes[d];
      } else if (!space_.index[d].constant()) {
        kernel.tasks.push_back(space_.index[d]);
      }
    }
    const bool has_columns = !space_.reduced.back() && !space_.index.back().constant();
    if (has_columns) body = in_lanes(std::move(body));
    const Expr index = walked.constant() ? Expr::index("k", 1) : walked;
    kernel.body.push_back({loop::Loop{index, 0, count, false, std::move(body)}});
  }

 private:
  // The last of the dimensions that are not indexed in vectors, some of them a task.
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

  loop::Statement put(ItemId id, const Index& at) {
    const Program& program = build_.program();
    const graph::NodeId node_id = program[id].value.node;
    const graph::Node& node = program.graph()[node_id];
    const TensorMeta& result = node.results[0];
    const PutSpec spec = node.op->put->spec(node.attrs.view(), result.rank());
    const auto axis = static_cast<size_t>(spec.axis);
    Value made = build_.compute(id, at);
    const Read index = program.put_index(id, at);
    const Value place = cast(build_.read(index.value, index.index), DType::i64);
    const bool has_axis = result.rank() > 0;
    const Expr bound = has_axis ? result.sizes[axis].expr() : Expr(1);
    const Expr picked = build_.pick(node_id, place, bound);
    Index to = program.operand_index(id, at);
    // Without dimensions there is one element, and the index is checked all the same.
    if (has_axis) to[axis] = picked;
    const Expr element = build_.places().of(node_id).element(to) + (has_axis ? Expr(0) : picked);
    const int buffer = build_.buffer(build_.places().target_buffer(id), true);
    if (spec.adds) made = build_.pool().load(buffer, result.dtype, element) + made;
    return {loop::Store{buffer, element, made}};
  }

  KernelBuilder& build_;
  const Group& group_;
  const Space& space_;
};

}  // namespace

LoweredKernel lower_put(const Program& program, const Places& places, const Group& group) {
  KernelBuilder build(program, places, group);
  Puts(build, group).run();
  return build.take();
}

}  // namespace vitro::backend
