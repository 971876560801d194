// Writes protobuf messages incrementally, with nested messages.
//   Protobuf packet;
//   packet.integer(8, time).begin(11).integer(9, 1).text(23, "name").end();
//   out.write(packet.bytes());
// Field numbers are those of the reader's schema.  Text may contain any bytes: invalid UTF-8
// becomes U+FFFD.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vitro::report {

class Protobuf {
 public:
  // A field of type uint32, uint64, int32, int64, bool or an enum.
  Protobuf& integer(uint32_t field, std::integral auto value) {
    return varint_field(field, static_cast<uint64_t>(value));
  }
  Protobuf& fixed64(uint32_t field, uint64_t value);
  Protobuf& number(uint32_t field, double value);
  Protobuf& text(uint32_t field, std::string_view value);

  // Opens a nested message in this field, until end().
  Protobuf& begin(uint32_t field);
  Protobuf& end();

  // Everything written; no message may be open.
  std::string_view bytes() const;
  void clear() { bytes_.clear(); }

 private:
  void varint(uint64_t value);
  Protobuf& varint_field(uint32_t field, uint64_t value);

  std::string bytes_;
  std::vector<size_t> open_;  // where open messages begin
};

}  // namespace vitro::report
