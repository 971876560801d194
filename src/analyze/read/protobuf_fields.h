// Reads the fields of a protobuf message, in their order.
//   ProtobufFields fields(message);
//   for (ProtobufField field; fields.next(field);) …
//   if (!fields.whole()) …   // it is cut off, or not a message
#pragma once

#include <cstdint>
#include <string_view>

namespace vitro::analyze {

struct ProtobufField {
  uint32_t number = 0;
  uint64_t value = 0;        // of a number of any width
  std::string_view bytes{};  // of a text or a message
};

class ProtobufFields {
 public:
  explicit ProtobufFields(std::string_view message) : rest_(message) {}

  bool next(ProtobufField& field);
  // Whether all that was read so far is well formed.
  bool whole() const { return whole_; }

  // A number at the front, which is removed; false if it is not whole.
  static bool take_varint(std::string_view& from, uint64_t& value);

 private:
  bool fail() { return whole_ = false; }

  std::string_view rest_;
  bool whole_ = true;
};

}  // namespace vitro::analyze
