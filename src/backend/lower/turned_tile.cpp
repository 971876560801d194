#include "backend/lower/turned_tile.h"

#include <algorithm>

#include "backend/lower/sweep_order.h"
#include "loop/rewrite.h"

namespace vitro::backend {
namespace {

using loop::Node;
using loop::Value;

bool is_only_read(const loop::Kernel& kernel, const Node* load) {
  return load->payload < kernel.buffers.size() && !kernel.buffers[load->payload].written &&
         std::none_of(
             kernel.indirect_indices.begin(), kernel.indirect_indices.end(),
             [&](const loop::IndirectIndex& indirect) {
               return sym::contains(load->index, indirect.symbol);
             });
}

// An element at the beginning of the tile.
Expr first_of(Expr element, const TurnedTile& tile) {
  const std::pair<Expr, Expr> begin[] = {{tile.lane.index, tile.lane.begin},
                                         {tile.inner.index, tile.inner.begin}};
  return sym::substitute(element, begin);
}
// Its position in the tile.
Expr index_map_to(const TurnedTile& tile) {
  return (tile.inner.index - tile.inner.begin) * tile.pitch + (tile.lane.index - tile.lane.begin);
}
int add_tile(KernelBuilder& build, size_t buffer, DType dtype, const TurnedTile& tile) {
  return build.add_row(cat(build.kernel().buffers[buffer].name, "_tile"), dtype,
                       tile.most_inner * tile.pitch);
}

}  // namespace

loop::Block turn_over(KernelBuilder& build, loop::Block& body, const TurnedTile& tile) {
  const auto& [lane, inner, pitch, most_inner] = tile;
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
    const int row = add_tile(build, from, node->dtype, tile);
    turns.push_back({loop::Turn{static_cast<int>(from), first_of(node->index, tile), *stride,
                                lane.count, inner.count, row, 0, pitch}});
    in_tile.emplace(node, build.pool().load(row, node->dtype, index_map_to(tile)));
  }
  loop::replace(body, in_tile);
  return turns;
}

loop::Block turn_back(KernelBuilder& build, loop::Block& body, const TurnedTile& tile) {
  const auto& [lane, inner, pitch, most_inner] = tile;
  loop::Block turns;
  for (loop::Statement& s : body) {
    auto* store = std::get_if<loop::Store>(&s.what);
    if (!store || store->buffer >= loop::Kernel::first_row) continue;
    const auto stride = stride_across(store->element, lane.index, inner.index);
    if (!stride) continue;
    const int row = add_tile(build, static_cast<size_t>(store->buffer), store->value.dtype(), tile);
    turns.push_back({loop::Turn{row, 0, pitch, inner.count, lane.count, store->buffer,
                                first_of(store->element, tile), *stride}});
    store->buffer = row;
    store->element = index_map_to(tile);
  }
  return turns;
}

}  // namespace vitro::backend
