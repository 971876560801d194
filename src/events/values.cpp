// The encoding of values in events: ValueWriter packs tagged values into bytes, ValueReader unpacks
// them.
#include "vitro/events/values.h"

#include <algorithm>
#include <cstring>

namespace vitro::events {
namespace {

// Each value starts with a tag: its Value::Kind.  A name_tag before it introduces its name.
constexpr uint8_t name_tag = 255;
constexpr std::string_view and_more = "(and more)";

uint8_t tag(Value::Kind kind) {
  return static_cast<uint8_t>(kind);
}

}  // namespace

void ValueWriter::put(const void* bytes, size_t count) {
  if (count == 0) return;
  std::memcpy(buffer_ + size_, bytes, count);
  size_ += count;
}

template <class T>
void ValueWriter::put(const T& value) {
  put(&value, sizeof value);
}

// Writes a tag that `bytes` more bytes follow.  Returns false if they do not fit.
bool ValueWriter::begin(uint8_t what, size_t bytes) {
  if (full_) return false;
  if (size_ + bytes + 1 + reserve > room) {
    full_ = true;
    put(tag(Value::Kind::text));
    put(static_cast<uint32_t>(and_more.size()));
    put(and_more.data(), and_more.size());
    return false;
  }
  put(what);
  return true;
}

ValueWriter& ValueWriter::name(std::string_view name) {
  const auto length = static_cast<uint32_t>(std::min<size_t>(name.size(), 256));
  if (begin(name_tag, sizeof length + length)) {
    put(length);
    put(name.data(), length);
  }
  return *this;
}

ValueWriter& ValueWriter::none() {
  begin(tag(Value::Kind::none), 0);
  return *this;
}

ValueWriter& ValueWriter::tensor(uint8_t dtype, std::span<const int64_t> sizes,
                                 std::span<const int64_t> strides) {
  if (!begin(tag(Value::Kind::tensor), 2 + 2 * sizes.size_bytes())) return *this;
  put(dtype);
  put(static_cast<uint8_t>(sizes.size()));
  put(sizes.data(), sizes.size_bytes());
  put(strides.data(), sizes.size_bytes());
  return *this;
}

ValueWriter& ValueWriter::tensors(size_t count) {
  if (begin(tag(Value::Kind::tensors), sizeof(uint32_t))) put(static_cast<uint32_t>(count));
  return *this;
}

ValueWriter& ValueWriter::boolean(bool value) {
  if (begin(tag(Value::Kind::boolean), 1)) put(static_cast<uint8_t>(value));
  return *this;
}

ValueWriter& ValueWriter::integer(int64_t value) {
  if (begin(tag(Value::Kind::integer), sizeof value)) put(value);
  return *this;
}

ValueWriter& ValueWriter::floating(double value) {
  if (begin(tag(Value::Kind::floating), sizeof value)) put(value);
  return *this;
}

ValueWriter& ValueWriter::integers(std::span<const int64_t> values) {
  if (begin(tag(Value::Kind::integers), sizeof(uint32_t) + values.size_bytes())) {
    put(static_cast<uint32_t>(values.size()));
    put(values.data(), values.size_bytes());
  }
  return *this;
}

ValueWriter& ValueWriter::text(std::string_view text) {
  const auto length = static_cast<uint32_t>(std::min<size_t>(text.size(), 1024));
  if (begin(tag(Value::Kind::text), sizeof length + length)) {
    put(length);
    put(text.data(), length);
  }
  return *this;
}

template <class T>
T ValueReader::take() {
  T value;
  std::memcpy(&value, rest_.data(), sizeof value);
  rest_ = rest_.subspan(sizeof value);
  return value;
}

std::string_view ValueReader::take_text() {
  const auto length = take<uint32_t>();
  const std::string_view text(reinterpret_cast<const char*>(rest_.data()), length);
  rest_ = rest_.subspan(length);
  return text;
}

void ValueReader::read_tensor(TensorValue& tensor) {
  tensor.dtype = take<uint8_t>();
  const size_t rank = take<uint8_t>();
  for (auto* list : {&tensor.sizes, &tensor.strides}) {
    list->resize(rank);
    std::memcpy(list->data(), rest_.data(), rank * sizeof(int64_t));
    rest_ = rest_.subspan(rank * sizeof(int64_t));
  }
}

const Value* ValueReader::next() {
  if (rest_.empty()) return nullptr;
  value_.name = {};
  value_.tensors.clear();
  auto what = take<uint8_t>();
  if (what == name_tag) {
    value_.name = take_text();
    if (rest_.empty()) return nullptr;
    what = take<uint8_t>();
  }
  value_.kind = static_cast<Value::Kind>(what);
  switch (value_.kind) {
    case Value::Kind::none:
      break;
    case Value::Kind::tensor:
      read_tensor(value_.tensors.emplace_back());
      break;
    case Value::Kind::tensors:
      for (auto count = take<uint32_t>(); count > 0 && !rest_.empty(); --count) {
        if (std::to_integer<uint8_t>(rest_[0]) != tag(Value::Kind::tensor)) break;
        rest_ = rest_.subspan(1);
        read_tensor(value_.tensors.emplace_back());
      }
      break;
    case Value::Kind::boolean:
      value_.integer = take<uint8_t>();
      break;
    case Value::Kind::integer:
      value_.integer = take<int64_t>();
      break;
    case Value::Kind::floating:
      value_.floating = take<double>();
      break;
    case Value::Kind::integers:
      value_.integers.resize(take<uint32_t>());
      std::memcpy(value_.integers.data(), rest_.data(), value_.integers.size() * sizeof(int64_t));
      rest_ = rest_.subspan(value_.integers.size() * sizeof(int64_t));
      break;
    case Value::Kind::text:
      value_.text = take_text();
      break;
  }
  return &value_;
}

}  // namespace vitro::events
