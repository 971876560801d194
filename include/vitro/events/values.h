// Serialized values in events: inputs and outputs of ops, arguments of ranges.
//   ValueWriter inputs;
//   inputs.tensor(dtype, sizes, strides).name("dim").integer(-1);
//   record_tail(Inputs{}, inputs.bytes());
//   for (ValueReader reader(bytes); const Value* value = reader.next();) …
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vitro/base/small_vector.h"

namespace vitro::events {

struct TensorValue {
  uint8_t dtype = 0;  // core's number of the dtype
  SmallVector<int64_t, 6> sizes, strides;
};

struct Value {
  enum class Kind : uint8_t { none, tensor, tensors, boolean, integer, floating, integers, text };
  Kind kind = Kind::none;
  std::string_view name;  // empty for a positional argument
  int64_t integer = 0;    // also for booleans
  double floating = 0;
  std::string_view text;
  std::vector<int64_t> integers;
  std::vector<TensorValue> tensors;  // one for Kind::tensor
};

// Writes into an internal buffer without allocating.  Values that do not fit are replaced by the
// text "(and more)".
class ValueWriter {
 public:
  // Sets the name of the next value.
  ValueWriter& name(std::string_view name);
  ValueWriter& none();
  ValueWriter& tensor(uint8_t dtype, std::span<const int64_t> sizes,
                      std::span<const int64_t> strides);
  // The next `count` calls of tensor() form one value.
  ValueWriter& tensors(size_t count);
  ValueWriter& boolean(bool value);
  ValueWriter& integer(int64_t value);
  ValueWriter& floating(double value);
  ValueWriter& integers(std::span<const int64_t> values);
  ValueWriter& text(std::string_view text);

  std::span<const std::byte> bytes() const { return {buffer_, size_}; }

 private:
  static constexpr size_t room = 4096, reserve = 32;
  bool begin(uint8_t tag, size_t bytes);
  template <class T>
  void put(const T& value);
  void put(const void* bytes, size_t count);

  size_t size_ = 0;
  bool full_ = false;
  std::byte buffer_[room];
};

// Reads the bytes of a ValueWriter.  Views in the values point into them.
class ValueReader {
 public:
  explicit ValueReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  // Returns the next value, valid until the next call; null after the last one.
  const Value* next();

 private:
  void read_tensor(TensorValue& tensor);
  template <class T>
  T take();
  std::string_view take_text();

  std::span<const std::byte> rest_;
  Value value_;
};

}  // namespace vitro::events
