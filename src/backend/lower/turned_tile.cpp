#include "backend/lower/turned_tile.h"

#include <algorithm>

#include "backend/lower/walk_order.h"
#include "loop/rewrite.h"

namespace vitro::backend {
namespace {

using loop::Node;
using loop::Value;

bool is_only_read(const loop::Kernel& kernel, const Node* load) {
  return load->payload < kernel.buffers.size() && !kernel.buffers[load->payload].written &&
         std::none_of(
             kernel.picks.begin(), kernel.picks.end(),
             [&](const loop::Pick& pick) { return sym::contains(load->index, pick.symbol); });
}

}  // namespace

loop::Block turn_over(KernelBuilder& build, loop::Block& body, const TurnedTile& tile) {
  const auto& [lane, inner, pitch, most_inner] = tile;
  const std::pair<Expr, Expr> begin[] = {{lane.index, lane.begin}, {inner.index, inner.begin}};
  const Expr element = (inner.index - inner.begin) * pitch + (lane.index - lane.begin);
  std::vector<Value> roots;
  loop::each_value(body, [&](Value v) { roots.push_back(v); });
  loop::Block turns;
  std::unordered_map<const Node*, Value> in_tile;
  const loop::Kernel& kernel = build.kernel();
  for (const Node* node : loop::nodes_below(roots)) {
    if (node->fn != loop::Fn::load || !is_only_read(kernel, node)) continue;
    const auto stride = stride_across(node->index, lane.index, inner.index);
    if (!stride) continue;
    const auto from = static_cast<size_t>(node->payload);
    const int row =
        build.add_row(cat(kernel.buffers[from].name, "_tile"), node->dtype, most_inner * pitch);
    turns.push_back({loop::Turn{static_cast<int>(from), sym::substitute(node->index, begin),
                                *stride, lane.count, inner.count, row, 0, pitch}});
    in_tile.emplace(node, build.pool().load(row, node->dtype, element));
  }
  loop::replace(body, in_tile);
  return turns;
}

}  // namespace vitro::backend
