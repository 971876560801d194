// Tests decompression with each library: pieces of any size, several members, truncated and
// corrupt input.
#include "report/inflate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "analyze/packed.h"
#include "analyze/read/bytes.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

using report::Inflate;
using report::inflate_by_isal;
using report::make_inflate;
using report::use_isal;

std::string some_text(size_t bytes) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < bytes)
    text += cat("{\"ts\": ", random() % 100'000, ", \"name\": \"op\"},\n");
  return text;
}

struct Unpacked {
  std::string text, trouble;
};

Unpacked unpack(std::string_view bytes) {
  const auto stream = unpacked(bytes_of(bytes));
  Unpacked out;
  char room[5000];
  while (const size_t got = stream->read(room, sizeof room)) out.text.append(room, got);
  out.trouble = stream->trouble();
  return out;
}

// With each of the libraries.
class Inflating : public testing::TestWithParam<bool> {
 protected:
  Inflating() { use_isal.set(GetParam()); }
  ~Inflating() override { use_isal.set(before_); }

 private:
  bool before_ = use_isal.get();
};

INSTANTIATE_TEST_SUITE_P(By, Inflating, testing::Bool(),
                         [](const auto& which) { return which.param ? "the_best" : "zlib"; });

TEST_P(Inflating, is_by_the_library_that_was_asked_for) {
  const auto inflate = make_inflate(Inflate::Form::raw);
  const bool there = inflate_by_isal(Inflate::Form::raw) != nullptr;
  EXPECT_EQ(inflate->by(), GetParam() && there ? "ISA-L" : "zlib");
}

TEST_P(Inflating, in_pieces_of_any_size_gives_the_same) {
  const std::string text = some_text(100'000);
  for (const Inflate::Form form : {Inflate::Form::gzip, Inflate::Form::raw}) {
    const std::string bytes =
        packed(text, form == Inflate::Form::gzip ? with_header : without_header);
    for (const size_t piece : {1, 7, 1000, 1'000'000}) {
      const auto inflate = make_inflate(form);
      std::string out;
      std::vector<char> room(piece);
      for (size_t at = 0; !inflate->ended();) {
        std::string_view in = std::string_view(bytes).substr(at, piece);
        const size_t before = in.size(), put = inflate->run(in, room.data(), room.size());
        at += before - in.size();
        out.append(room.data(), put);
        ASSERT_TRUE(before > 0 || put > 0) << "no progress in pieces of " << piece;
      }
      EXPECT_EQ(inflate->why(), "");
      EXPECT_TRUE(out == text) << "in pieces of " << piece;
    }
  }
}

TEST_P(Inflating, goes_through_all_members_of_a_file) {
  const std::string text = some_text(30'000), empty;
  const Unpacked out = unpack(packed(text) + packed(empty) + packed("[") + packed(text));
  EXPECT_EQ(out.trouble, "");
  EXPECT_TRUE(out.text == text + "[" + text);
}

TEST_P(Inflating, gives_what_is_whole_of_a_file_that_ends_early) {
  const std::string text = some_text(30'000), bytes = packed(text) + packed(text);
  for (size_t length = 3; length < bytes.size(); length += 97) {
    if (length == packed(text).size()) continue;  // one complete member
    const Unpacked out = unpack(bytes.substr(0, length));
    EXPECT_NE(out.trouble.find("truncated"), std::string::npos) << length << out.trouble;
    EXPECT_EQ(out.text, (text + text).substr(0, out.text.size())) << length;
  }
  EXPECT_GT(unpack(bytes.substr(0, bytes.size() - 1)).text.size(), text.size());
}

TEST_P(Inflating, says_where_a_file_is_corrupt) {
  const std::string text = some_text(30'000), bytes = packed(text);
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    std::string corrupt = bytes;
    const size_t header = 10;  // a changed flag in it may have no effect
    corrupt[header + random() % (bytes.size() - header)] ^= static_cast<char>(1 + random() % 255);
    const Unpacked out = unpack(corrupt + packed(text));
    EXPECT_NE(out.trouble, "") << round;
  }
  EXPECT_NE(unpack(bytes + "garbage after it").trouble, "");
}

Unpacked inflate_members(std::string_view bytes, size_t piece, size_t room) {
  const auto inflate = make_inflate(Inflate::Form::gzip);
  Unpacked out;
  std::vector<char> to(room);
  for (;;) {
    std::string_view in = bytes.substr(0, piece);
    const size_t before = in.size(), put = inflate->run(in, to.data(), room);
    bytes.remove_prefix(before - in.size());
    out.text.append(to.data(), put);
    out.trouble = inflate->why();
    const bool more = !bytes.empty() || inflate->has_input();
    if (!out.trouble.empty() || (inflate->ended() && !more)) return out;
    if (inflate->ended()) inflate->again();
  }
}

// A library may consume bytes of the next member before it notices the end of its own.
TEST_P(Inflating, members_give_the_same_wherever_pieces_end) {
  const std::string parts[] = {"", "a", some_text(300), some_text(3000), "b"};
  std::string text, bytes;
  for (const std::string& part : parts) {
    text += part;
    bytes += packed(part, with_header);
  }
  for (size_t piece = 1; piece < 40; ++piece) {
    for (const size_t room : {1, 2, 3, 61, 300, 301, 5000}) {
      const Unpacked got = inflate_members(bytes, piece, room);
      ASSERT_EQ(got.trouble, "") << piece << ", " << room;
      ASSERT_EQ(got.text, text) << piece << ", " << room;
    }
  }
}

}  // namespace
}  // namespace vitro::analyze
