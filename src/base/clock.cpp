#include "vitro/base/clock.h"

#include <chrono>

namespace vitro {
namespace {

struct Anchor {
  uint64_t ticks;
  int64_t steady_ns, unix_ns;
};

int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Reads the counter and both clocks as close together as possible: the best of a few tries.
Anchor read_anchor() {
  Anchor best{};
  uint64_t narrowest = UINT64_MAX;
  for (int i = 0; i < 8; ++i) {
    const uint64_t before = ticks();
    const int64_t now = steady_ns();
    const int64_t wall = std::chrono::duration_cast<std::chrono::nanoseconds>(
                             std::chrono::system_clock::now().time_since_epoch())
                             .count();
    const uint64_t after = ticks();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best = {before + (after - before) / 2, now, wall};
  }
  return best;
}

const Anchor start = read_anchor();

double ns_per_tick() {
  static const double rate = [] {
    Anchor now = read_anchor();
    while (now.steady_ns - start.steady_ns < 2'000'000) now = read_anchor();
    return static_cast<double>(now.steady_ns - start.steady_ns) /
           static_cast<double>(now.ticks - start.ticks);
  }();
  return rate;
}

}  // namespace

int64_t ticks_to_ns(uint64_t difference) {
  return static_cast<int64_t>(static_cast<double>(difference) * ns_per_tick());
}

int64_t ticks_to_unix_ns(uint64_t moment) {
  const auto since = static_cast<int64_t>(moment - start.ticks);
  return start.unix_ns + static_cast<int64_t>(static_cast<double>(since) * ns_per_tick());
}

}  // namespace vitro
