#include "report/protobuf.h"

#include <bit>
#include <cstring>

#include "report/utf8.h"
#include "vitro/base/error.h"

namespace vitro::report {
namespace {

enum Wire : uint32_t { varint_wire = 0, fixed64_wire = 1, length_wire = 2 };

constexpr size_t longest_varint = 10;

size_t encode(uint64_t value, char* into) {
  size_t length = 0;
  for (; value >= 0x80; value >>= 7) into[length++] = static_cast<char>(value | 0x80);
  into[length++] = static_cast<char>(value);
  return length;
}

uint32_t tag(uint32_t field, Wire wire) {
  return field << 3 | wire;
}

}  // namespace

void Protobuf::varint(uint64_t value) {
  char encoded[longest_varint];
  bytes_.append(encoded, encode(value, encoded));
}

Protobuf& Protobuf::varint_field(uint32_t field, uint64_t value) {
  varint(tag(field, varint_wire));
  varint(value);
  return *this;
}

Protobuf& Protobuf::fixed64(uint32_t field, uint64_t value) {
  static_assert(std::endian::native == std::endian::little);
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  varint(tag(field, fixed64_wire));
  bytes_.append(raw, sizeof raw);
  return *this;
}

Protobuf& Protobuf::number(uint32_t field, double value) {
  return fixed64(field, std::bit_cast<uint64_t>(value));
}

Protobuf& Protobuf::text(uint32_t field, std::string_view value) {
  if (!is_utf8(value)) return text(field, as_utf8(value));
  varint(tag(field, length_wire));
  varint(value.size());
  bytes_.append(value);
  return *this;
}

Protobuf& Protobuf::begin(uint32_t field) {
  varint(tag(field, length_wire));
  bytes_.push_back(0);  // the length, if below 128
  open_.push_back(bytes_.size());
  return *this;
}

Protobuf& Protobuf::end() {
  VITRO_ASSERT(!open_.empty());
  const size_t begin = open_.back();
  open_.pop_back();
  char length[longest_varint];
  const size_t size = encode(bytes_.size() - begin, length);
  bytes_[begin - 1] = length[0];
  if (size > 1) bytes_.insert(begin, length + 1, size - 1);
  return *this;
}

std::string_view Protobuf::bytes() const {
  VITRO_ASSERT(open_.empty());
  return bytes_;
}

}  // namespace vitro::report
