#include "sym/range.h"

#include <algorithm>

#include "sym/node.h"

namespace vitro::sym {
namespace {

__extension__ using Wide = __int128;

bool infinite(int64_t end) {
  return end >= unbounded || end <= -unbounded;
}

// An end that does not fit into 64 bits becomes unbounded, or is clamped if no value can reach it.
int64_t low_end(Wide v) {
  return v <= -unbounded ? -unbounded : static_cast<int64_t>(std::min<Wide>(v, unbounded - 1));
}
int64_t high_end(Wide v) {
  return v >= unbounded ? unbounded : static_cast<int64_t>(std::max<Wide>(v, 1 - unbounded));
}

Wide times(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (infinite(a) || infinite(b)) return (a < 0) == (b < 0) ? Wide{unbounded} : -Wide{unbounded};
  return Wide{a} * b;
}

int64_t quotient_end(int64_t a, int64_t b) {
  if (infinite(a)) return (a < 0) == (b < 0) ? unbounded : -unbounded;
  if (infinite(b)) return (a < 0) != (b < 0) && a != 0 ? -1 : 0;
  return floor_quotient(a, b);
}

Range range_of_quotient(Range a, Range b) {
  if (b.low <= 0 && b.high >= 0) return {};  // both signs: any quotient
  const auto [low, high] = std::minmax({quotient_end(a.low, b.low), quotient_end(a.low, b.high),
                                        quotient_end(a.high, b.low), quotient_end(a.high, b.high)});
  return {low_end(low), high_end(high)};
}

Range range_of_remainder(Range a, Range b) {
  if (b.low > 0) {
    const int64_t below_divisor = b.high == unbounded ? unbounded : b.high - 1;
    return {0, a.low >= 0 ? std::min(a.high, below_divisor) : below_divisor};
  }
  if (b.high < 0) return {b.low == -unbounded ? -unbounded : b.low + 1, 0};
  return {};
}

}  // namespace

Range operator+(Range a, Range b) {
  const bool no_low = a.low == -unbounded || b.low == -unbounded;
  const bool no_high = a.high == unbounded || b.high == unbounded;
  return {no_low ? -unbounded : low_end(Wide{a.low} + b.low),
          no_high ? unbounded : high_end(Wide{a.high} + b.high)};
}

Range operator*(Range a, Range b) {
  const Wide corners[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                          times(a.high, b.high)};
  return {low_end(*std::min_element(corners, corners + 4)),
          high_end(*std::max_element(corners, corners + 4))};
}

Range range_of_atom(Kind kind, Range a, Range b) {
  switch (kind) {
    case Kind::floordiv:
      return range_of_quotient(a, b);
    case Kind::mod:
      return range_of_remainder(a, b);
    case Kind::min:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Kind::max:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Kind::constant:
    case Kind::symbol:
    case Kind::index:
    case Kind::sum:
    case Kind::product:
      break;
  }
  return {};
}

}  // namespace vitro::sym
