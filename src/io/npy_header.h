// The header of a .npy file: a Python dict with the dtype, the order and the sizes.
//   \x93NUMPY 1 0 u16 {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vitro/base/result.h"
#include "vitro/core/dtype.h"

namespace vitro::io {

struct NpyHeader {
  DType dtype = DType::f32;
  bool swapped = false;  // big-endian
  bool fortran = false;  // the first dimension is the fastest
  std::vector<int64_t> sizes;
  uint64_t data_begin = 0, data_bytes = 0;
};

// Parses the header at the beginning of a file and checks that the data has the size that it says.
// A Failure begins with "byte N: ".
Result<NpyHeader> parse_npy_header(std::span<const std::byte> file);

// The header of an array in C's order, a multiple of 64 bytes. Error for bf16.
std::string npy_header(DType dtype, std::span<const int64_t> sizes);

}  // namespace vitro::io
