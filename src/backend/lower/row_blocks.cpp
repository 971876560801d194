#include "backend/lower/row_blocks.h"

#include <algorithm>

#include "backend/lower/walk_order.h"

namespace vitro::backend {
namespace {

constexpr int64_t most_rows = 64, least_rows = 16;
constexpr int64_t block_bytes = 256 << 10;       // where more rows would need more
constexpr int64_t most_block_bytes = 512 << 10;  // that stay in the cache
constexpr int64_t enough_blocks = 8;             // for all threads
constexpr int64_t least_across = 8;              // of each side that is walked across

// Of an element of each load that lies across the folds; 0 where there is none, or where something
// lies so that a block of rows does not help.
int64_t bytes_across(const Program& program, const Places& places, const Group& group) {
  const Space& space = group.layout.space;
  const Expr lane = space.index.back(), row = space.index[space.index.size() - 2];
  const WalkAccesses accesses = accesses_of(program, places, group);
  const auto is_across = [&](Expr element) {
    return std::any_of(space.index.begin(), space.index.end() - 1,
                       [&](Expr other) { return stride_across(element, lane, other).has_value(); });
  };
  if (std::any_of(accesses.stored.begin(), accesses.stored.end(), is_across)) return 0;
  int64_t bytes = 0;
  for (const loop::Node* load : accesses.loads) {
    if (stride_across(load->index, lane, row)) {
      bytes += bytes_of(load->dtype);
    } else if (is_across(load->index)) {
      return 0;
    }
  }
  return bytes;
}

}  // namespace

std::optional<RowBlocks> rows_in_blocks(const Program& program, const Places& places,
                                        const Group& group) {
  const Space& space = group.layout.space;
  const size_t rank = space.sizes.size();
  if (rank < 2 || !space.reduced.back() || space.reduced[rank - 2]) return std::nullopt;
  if (std::count(space.reduced.begin(), space.reduced.end(), true) != 1) return std::nullopt;
  const auto length = space.sizes.back().constant();
  if (!length || *length < least_across) return std::nullopt;
  const Expr rows = space.sizes[rank - 2];
  if (sym::prove_less(rows, least_across).value_or(false)) return std::nullopt;
  const auto overwrites = [&](ItemId id) { return program.overwrites(id); };
  if (std::any_of(group.stored.begin(), group.stored.end(), overwrites)) return std::nullopt;
  const int64_t bytes = bytes_across(program, places, group);
  if (bytes == 0) return std::nullopt;
  // A line more than needed: rows of a power of two would share few places of a cache.
  RowBlocks out{most_rows, (*length + 15) / 16 * 16 + 16};
  const int64_t row_bytes = out.pitch * bytes;
  const auto has_blocks = [&](int64_t count) {
    return !sym::prove_less(rows, count * out.rows).value_or(false);
  };
  while (out.rows > least_rows &&
         (out.rows * row_bytes > block_bytes || !has_blocks(enough_blocks))) {
    out.rows /= 2;
  }
  if (out.rows * row_bytes > most_block_bytes) return std::nullopt;
  const auto count = rows.constant();
  const bool is_small = count && *count * row_bytes <= block_bytes;
  if (!is_small && !has_blocks(enough_blocks / 2)) return std::nullopt;
  return out;
}

}  // namespace vitro::backend
