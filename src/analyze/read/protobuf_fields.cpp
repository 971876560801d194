#include "analyze/read/protobuf_fields.h"

#include <cstring>

namespace vitro::analyze {

bool ProtobufFields::take_varint(std::string_view& from, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < from.size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>(from[i]);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      from.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool ProtobufFields::next(ProtobufField& field) {
  if (rest_.empty() || !whole_) return false;
  enum Wire : uint8_t { varint = 0, fixed64 = 1, length = 2, fixed32 = 5 };
  uint64_t tag = 0;
  if (!take_varint(rest_, tag)) return fail();
  field = {static_cast<uint32_t>(tag >> 3), 0, {}};
  size_t bytes = 0;
  switch (tag & 7) {
    case varint:
      return take_varint(rest_, field.value) || fail();
    case fixed64:
      bytes = 8;
      break;
    case fixed32:
      bytes = 4;
      break;
    case length: {
      uint64_t size = 0;
      if (!take_varint(rest_, size) || size > rest_.size()) return fail();
      field.bytes = rest_.substr(0, size);
      rest_.remove_prefix(size);
      return true;
    }
    default:
      return fail();
  }
  if (rest_.size() < bytes) return fail();
  std::memcpy(&field.value, rest_.data(), bytes);
  rest_.remove_prefix(bytes);
  return true;
}

}  // namespace vitro::analyze
