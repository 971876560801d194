// Reads the pickles that torch.save writes for tensors in dicts, lists and tuples.  A small machine
// for 30 of the opcodes that builds values; it imports and calls nothing.  What needs a Python
// class other than a tensor's is refused with the name of the class.
//   Result<Pickle> pickle = unpickle(bytes);
//   const PickleValue& dict = pickle->root();
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"

namespace vitro::io {

struct PickleValue {
  enum class Kind : uint8_t {
    none,
    boolean,  // number
    integer,  // number
    real,     // real
    text,     // text
    list,     // items
    tuple,    // items
    dict,     // items: keys and values in turn, in the order of insertion
    global,   // text: "torch\nFloatStorage", one of the names that may occur
    storage,  // text: the key of its entry; items: its global
    tensor,   // number: its index in Pickle::tensors
  };
  Kind kind = Kind::none;
  int64_t number = 0;
  double real = 0;
  std::string_view text;        // in the pickle's bytes
  std::vector<uint32_t> items;  // indices of values; a value may contain itself
};

// A tensor.  Sizes, strides and offset are whatever the pickle says.
struct PickledTensor {
  std::string_view storage_key;    // of the entry data/KEY
  std::string_view storage_class;  // "FloatStorage"
  std::string_view dtype;          // "float8_e4m3fn", of untyped storages; else empty
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  bool is_parameter = false;
};

struct Pickle {
  std::vector<PickleValue> values;
  std::vector<PickledTensor> tensors;
  uint32_t root_index = 0;

  const PickleValue& root() const { return values[root_index]; }
  const PickleValue& at(uint32_t index) const { return values[index]; }
};

// The bytes must outlive the result.  A Failure begins with "byte N of the pickle: ".  Memory is
// bounded by a multiple of the size.
Result<Pickle> unpickle(std::span<const std::byte> bytes);

}  // namespace vitro::io
