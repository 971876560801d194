// A floating-point number compared by its bits, so that `= default` comparisons treat NaN and -0 as
// what they are: values.
#pragma once

#include <bit>
#include <cstdint>

namespace vitro {

struct Bits {
  double value = 0;
  friend bool operator==(Bits a, Bits b) {
    return std::bit_cast<uint64_t>(a.value) == std::bit_cast<uint64_t>(b.value);
  }
};

}  // namespace vitro
