#include "report/protobuf.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vitro::report {
namespace {

using std::string;

string bytes(const Protobuf& message) {
  return string(message.bytes());
}

}  // namespace

// The expected bytes are those of protobuf's documentation of its encoding, and of its Python
// library.
TEST(Protobuf, writes_numbers) {
  EXPECT_EQ(bytes(Protobuf().integer(1, 150)), "\x08\x96\x01");
  EXPECT_EQ(bytes(Protobuf().integer(1, 0)), string("\x08\x00", 2));
  EXPECT_EQ(bytes(Protobuf().integer(1, true)), "\x08\x01");
  EXPECT_EQ(bytes(Protobuf().integer(2, -2)), "\x10\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(bytes(Protobuf().integer(58, UINT64_MAX)),
            "\xd0\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(bytes(Protobuf().fixed64(3, 0x0807060504030201)),
            "\x19\x01\x02\x03\x04\x05\x06\x07\x08");
  EXPECT_EQ(bytes(Protobuf().number(5, 1.0)), string("\x29\0\0\0\0\0\0\xf0\x3f", 9));
}

TEST(Protobuf, writes_text_that_is_utf8) {
  EXPECT_EQ(bytes(Protobuf().text(2, "testing")), "\x12\x07testing");
  EXPECT_EQ(bytes(Protobuf().text(2, "é\xff")), "\x12\x05é\xef\xbf\xbd");
}

TEST(Protobuf, writes_messages_inside_messages) {
  Protobuf message;
  message.begin(3).integer(1, 150).end();
  EXPECT_EQ(bytes(message), "\x1a\x03\x08\x96\x01");
  message.clear();
  message.begin(1).begin(2).end().text(3, "x").end().integer(4, 1);
  EXPECT_EQ(bytes(message), string("\x0a\x05\x12\x00\x1a\x01x\x20\x01", 9));
}

TEST(Protobuf, gives_long_messages_a_long_length) {
  const string text(300, 'x');
  Protobuf message;
  message.begin(1).begin(1).text(1, text).end().end();
  EXPECT_EQ(bytes(message), "\x0a\xb2\x02\x0a\xaf\x02\x0a\xac\x02" + text);
}

}  // namespace vitro::report
