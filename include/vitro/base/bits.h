// A double that is compared by its bits: in a defaulted comparison NaN equals itself, and -0
// differs from 0.
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
