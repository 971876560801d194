// The JSON writer: nesting, escapes, invalid UTF-8, and numbers that read back exactly.
#include "vitro/report/json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "vitro/base/error.h"

namespace vitro::report {
namespace {

template <class T>
std::string written(const T& v) {
  TextOutput out;
  Json(out).value(v);
  out.finish();
  return out.text();
}

}  // namespace

TEST(Json, writes_nested_values) {
  TextOutput out;
  Json json(out);
  json.begin_object();
  json.member("a", 1).member("b", true).key("c").begin_array().value(-2).value("x").null().end();
  json.key("empty").begin_object().end();
  json.member("big", std::numeric_limits<uint64_t>::max()).member("small", INT64_MIN).end();
  out.finish();
  EXPECT_EQ(out.text(), R"({"a": 1,"b": true,"c": [-2,"x",null],"empty": {},)"
                        R"("big": 18446744073709551615,"small": -9223372036854775808})");
}

TEST(Json, breaks_lines_down_to_the_depth_asked_for) {
  TextOutput out;
  Json json(out, 2);
  json.begin_object().key("list").begin_array();
  json.begin_object().member("a", 1).member("b", 2).end();
  json.begin_object().end();
  json.end().end();
  out.finish();
  EXPECT_EQ(out.text(), "{\n  \"list\": [\n    {\"a\": 1,\"b\": 2},\n    {}\n  ]\n}");
}

TEST(Json, escapes_whatever_bytes_a_text_holds) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  const auto read = nlohmann::json::parse(written(all)).get<std::string>();
  EXPECT_EQ(read.substr(0, 128), all.substr(0, 128));
  EXPECT_EQ(read.substr(128, 3), "\xef\xbf\xbd");
  EXPECT_EQ(written("a\"b\\c\nd\x01"), R"("a\"b\\c\nd\u0001")");
}

TEST(Json, keeps_every_character_of_valid_text_and_no_invalid_one) {
  const std::string valid = "é ∑ 漢字 🙂";
  EXPECT_EQ(nlohmann::json::parse(written(valid)).get<std::string>(), valid);
  const char* broken[] = {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                          "\xe2\x82", "\xff",         "\x80"};
  for (const char* text : broken) EXPECT_TRUE(nlohmann::json::accept(written(text))) << text;
}

TEST(Json, random_bytes_are_always_well_formed) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>(random());
    ASSERT_TRUE(nlohmann::json::accept(written(text)));
  }
}

TEST(Json, numbers_read_back_as_the_same_number) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 2000; ++i) {
    const auto number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    ASSERT_EQ(nlohmann::json::parse(written(number)).get<double>(), number);
  }
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(std::nan("")), "null");
  EXPECT_EQ(written(-HUGE_VAL), "null");
}

TEST(Json, thousandths_have_three_decimals) {
  TextOutput out;
  Json json(out);
  json.begin_array();
  for (const int64_t n : {int64_t{0}, int64_t{7}, int64_t{1234}, int64_t{-50}, INT64_MIN})
    json.thousandths(n);
  json.end();
  out.finish();
  EXPECT_EQ(out.text(), "[0.000,0.007,1.234,-0.050,-9223372036854775.808]");
}

TEST(Json, nesting_that_does_not_close_is_a_bug) {
  TextOutput out;
  Json json(out);
  EXPECT_THROW(json.end(), Bug);
  json.begin_array();
  EXPECT_THROW(json.key("in an array"), Bug);
}

TEST(Json, is_the_same_text_however_it_meets_the_end_of_the_buffer) {
  TextOutput out;
  Json json(out);
  json.begin_array();
  nlohmann::json expected = nlohmann::json::array();
  for (int i = 0; i < 3000; ++i) {
    const std::string text(static_cast<size_t>(i % 97), 'x');
    json.value(text).value(i * 0.37);
    expected.push_back(text);
    expected.push_back(i * 0.37);
  }
  json.value(std::string(200'000, 'y')).end();
  expected.push_back(std::string(200'000, 'y'));
  const uint64_t written = out.written();
  out.finish();
  EXPECT_EQ(out.text().size(), written);
  EXPECT_EQ(nlohmann::json::parse(out.text()), expected);
}

TEST(Json, escapes_every_byte_at_every_place) {
  for (size_t size = 1; size <= 19; ++size) {
    for (size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'a'), expected = text;
        text[at] = static_cast<char>(byte);
        expected.replace(at, 1, byte < 0x80 ? std::string(1, text[at]) : "\xef\xbf\xbd");
        ASSERT_EQ(nlohmann::json::parse(written(std::string_view(text))), expected)
            << "byte " << byte << " at " << at << " of " << size;
      }
    }
  }
}

TEST(Json, writes_numbers_as_text_if_a_double_would_lose_digits) {
  constexpr int64_t limit = int64_t{1} << 53;
  TextOutput out;
  Json json(out);
  json.begin_array().exact(limit).exact(-limit).exact(limit + 1).exact(-limit - 1);
  json.exact(static_cast<uint64_t>(limit)).exact(UINT64_MAX).end();
  out.finish();
  EXPECT_EQ(out.text(),
            R"([9007199254740992,-9007199254740992,"9007199254740993","-9007199254740993",)"
            R"(9007199254740992,"18446744073709551615"])");
}

}  // namespace vitro::report
