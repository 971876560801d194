// SipHash-2-4 with 128 bits (Aumasson, Bernstein: "SipHash: a fast short-input PRF"): without the
// secret nobody can compute the hash of given bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vitro::jit {

using Secret = std::array<uint64_t, 2>;

struct KeyedHash {
  uint64_t first = 0, second = 0;
  bool operator==(const KeyedHash&) const = default;
};

KeyedHash keyed_hash(std::string_view bytes, const Secret& secret);

}  // namespace vitro::jit
