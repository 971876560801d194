// The header of a safetensors file: JSON that gives the location of each tensor.
//   {"__metadata__": {"format": "pt"}, "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0,
//   24]}}
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"
#include "vitro/core/dtype.h"

namespace vitro::io {

inline constexpr uint64_t longest_header = 100'000'000;  // bytes, the format's own limit
inline constexpr uint64_t header_begin = 8;              // after the length
inline constexpr std::string_view metadata_name = "__metadata__";

struct FormatDType {
  std::string_view name;  // in the file
  uint64_t bits;
  std::optional<DType> ours;
};
const FormatDType* format_dtype(std::string_view name);  // null: the format has no such dtype
const FormatDType& format_dtype(DType dtype);

struct HeaderEntry {
  std::string name;
  const FormatDType* dtype = nullptr;
  std::vector<int64_t> sizes;
  uint64_t begin = 0, end = 0;  // in the data after the header
  uint64_t stated_at = 0;       // the byte of the file where the header defines it
};

struct Header {
  std::vector<HeaderEntry> entries;  // in order of position
  std::map<std::string, std::string> metadata;
};

// Parses and checks the header of a file followed by `data_bytes`.  A Failure begins with "byte N:
// ", where N is a position in the file.
Result<Header> parse_header(std::string_view json, uint64_t data_bytes);

}  // namespace vitro::io
