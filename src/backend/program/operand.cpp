#include "backend/program/operand.h"

#include <algorithm>

namespace vitro::backend {

std::optional<Matrix> as_matrix(Expr element, Expr first, Expr second) {
  const auto a = sym::as_linear(element, first);
  if (!a) return std::nullopt;
  const auto b = sym::as_linear(a->rest, second);
  if (!b || sym::contains(a->coefficient, second)) return std::nullopt;
  for (const Expr stride : {a->coefficient, b->coefficient}) {
    for (const Expr s : sym::symbols_of(stride)) {
      if (sym::kind_of(s) == sym::Kind::index) return std::nullopt;
    }
  }
  return Matrix{b->rest, a->coefficient, b->coefficient};
}

std::optional<Plain> as_plain(loop::Value v, Expr first, Expr second) {
  if (v->fn != loop::Fn::load) return std::nullopt;
  const auto matrix = as_matrix(v->index, first, second);
  if (!matrix) return std::nullopt;
  return Plain{*matrix, static_cast<int>(v->payload)};
}

std::optional<Matrix> operand_in_memory(const Program& program, const graph::Node& product,
                                        size_t operand) {
  const graph::Graph& g = program.graph();
  const auto value = std::get<graph::Value>(product.args[operand]);
  Index index;
  for (const Expr size : sizes_of(g.meta(value))) {
    index.push_back(Expr::index(cat("d", index.size()), size));
  }
  const Expr first = index[index.size() - 2], second = index.back();
  const Read read = program.through_views({value, std::move(index)});
  const graph::Node& made = g[read.value.node];
  if (!made.is_input() && program.is_inlined(read.value.node)) return std::nullopt;
  return as_matrix(element_of(read.index, program.strides_of(read.value.node)), first, second);
}

bool has_kept_panels(const graph::Graph& graph, graph::NodeId node) {
  if (!graph[node].is_input() || graph[node].input != graph::InputKind::parameter) return false;
  return std::ranges::none_of(graph.outputs(), [&](const graph::Output& output) {
    return output.writes >= 0 && graph.inputs()[static_cast<size_t>(output.writes)] == node;
  });
}

}  // namespace vitro::backend
