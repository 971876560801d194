// Numbers in bytes of files, little-endian and not aligned.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

namespace vitro::io {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

// The number at this position, which must be inside of the bytes.
template <class T>
T number_at(std::span<const std::byte> bytes, size_t at) {
  T number;
  std::memcpy(&number, bytes.subspan(at, sizeof number).data(), sizeof number);
  return number;
}

}  // namespace vitro::io
