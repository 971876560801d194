#include "analyze/store/rewrite.h"

#include <gtest/gtest.h>

#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

std::optional<std::string> doubled(std::string_view event) {
  return rewritten(event, [](std::string_view key, std::string_view value, bool in_args) {
    return key == "ts" || in_args ? std::optional(cat(value, value)) : std::nullopt;
  });
}

TEST(Rewrite, replaces_members_of_the_event_and_of_its_arguments_alone) {
  EXPECT_EQ(
      doubled(R"({"ts": 12, "name":"ts\"{", "x":{"ts":1} ,"args":{"a":[1,{"ts":2}],"ts": 3 }})"),
      R"({"ts": 1212, "name":"ts\"{", "x":{"ts":1} ,"args":{"a":[1,{"ts":2}][1,{"ts":2}],"ts": 33 }})");
  EXPECT_EQ(doubled("{}"), "{}");
  EXPECT_EQ(doubled(R"({"args":{},"ts":"1"})"), R"({"args":{},"ts":"1""1"})");
}

TEST(Rewrite, of_anything_but_an_object_gives_nothing) {
  for (const char* text : {"", "[1]", "{\"ts\":}", "{\"ts\":1", "{\"ts\" 1}", "{\"a\":\"b}"})
    EXPECT_FALSE(doubled(text)) << text;
}

}  // namespace
}  // namespace vitro::analyze
