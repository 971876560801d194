#include "backend/run/arena_plan.h"

#include <algorithm>
#include <numeric>

#include "base/sort_list.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

constexpr int64_t alignment = 64;

bool overlap(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

}  // namespace

int64_t add_bytes(int64_t a, int64_t b) {
  int64_t sum = 0;
  VITRO_CHECK(!__builtin_add_overflow(a, b, &sum), "compiled: the temporary buffers (", a, " + ", b,
              " bytes) exceed 64 bits");
  return sum;
}

ArenaPlan plan_arena(std::span<const Lifetime> buffers) {
  ArenaPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  std::vector<size_t> order(buffers.size()), placed;
  std::iota(order.begin(), order.end(), 0);
  sort_list(order, [&](size_t a, size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  const auto rounded = [&](size_t i) {
    return add_bytes(buffers[i].bytes, alignment - 1) / alignment * alignment;
  };
  for (const size_t buffer : order) {
    int64_t offset = 0;
    for (const size_t other : placed) {  // sorted by offset
      if (!overlap(buffers[buffer], buffers[other])) continue;
      if (add_bytes(offset, rounded(buffer)) <= plan.offsets[other]) break;
      offset = std::max(offset, add_bytes(plan.offsets[other], rounded(other)));
    }
    plan.offsets[buffer] = offset;
    plan.bytes = std::max(plan.bytes, add_bytes(offset, rounded(buffer)));
    const auto at = std::find_if(placed.begin(), placed.end(),
                                 [&](size_t other) { return plan.offsets[other] > offset; });
    placed.insert(at, buffer);
  }
  return plan;
}

}  // namespace vitro::backend
