#include "backend/plan/arena_plan.h"

#include <algorithm>
#include <numeric>

namespace vitro::backend {
namespace {

constexpr int64_t alignment = 64;

bool overlap(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

}  // namespace

ArenaPlan plan_arena(std::span<const Lifetime> buffers) {
  ArenaPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  std::vector<size_t> order(buffers.size()), placed;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  const auto rounded = [&](size_t i) {
    return (buffers[i].bytes + alignment - 1) / alignment * alignment;
  };
  for (const size_t buffer : order) {
    int64_t offset = 0;
    for (const size_t other : placed) {  // in order of their offsets
      if (!overlap(buffers[buffer], buffers[other])) continue;
      if (offset + rounded(buffer) <= plan.offsets[other]) break;
      offset = std::max(offset, plan.offsets[other] + rounded(other));
    }
    plan.offsets[buffer] = offset;
    plan.bytes = std::max(plan.bytes, offset + rounded(buffer));
    const auto at = std::find_if(placed.begin(), placed.end(),
                                 [&](size_t other) { return plan.offsets[other] > offset; });
    placed.insert(at, buffer);
  }
  return plan;
}

}  // namespace vitro::backend
