#include "analyze/model/arguments.h"

#include <gtest/gtest.h>

namespace vitro::analyze {
namespace {

TEST(Arguments, are_read_as_they_are_written) {
  Arguments args;
  ASSERT_TRUE(
      args.read(R"json({"ph": "X", "args": {"a": 12 , "b": "x\ty\"z", "Input Dims": [[2, 3], []],
    "o": {"k": 1}, "n": -7, "f": 1.5, "t": "34"}, "name": "n"})json"));
  EXPECT_EQ(args.number("a"), 12);
  EXPECT_EQ(args.number("n"), -7);
  EXPECT_EQ(args.number("t"), 34);
  EXPECT_EQ(args.number("f"), std::nullopt);
  EXPECT_EQ(args.decimal("f"), 1.5);
  EXPECT_EQ(args.number("missing"), std::nullopt);
  EXPECT_EQ(args.text("missing"), std::nullopt);
  EXPECT_EQ(args.text("b"), "x\ty\"z");
  EXPECT_EQ(args.text("a"), "12");
  EXPECT_EQ(args.raw("b"), R"("x\ty\"z")");
  EXPECT_EQ(args.raw("Input Dims"), "[[2, 3], []]");
  EXPECT_EQ(args.raw("o"), R"({"k": 1})");
  EXPECT_EQ(args.all().size(), 7U);
  EXPECT_EQ(args.all()[0].first, "a");
}

TEST(Arguments, of_another_event_take_the_place_of_those_before) {
  Arguments args(R"({"args": {"a": 1}})");
  EXPECT_EQ(args.number("a"), 1);
  EXPECT_TRUE(args.read(R"({"ph": "i"})"));
  EXPECT_EQ(args.raw("a"), "");
  EXPECT_TRUE(args.read(R"({"args": null})"));
  EXPECT_TRUE(args.all().empty());
}

TEST(Arguments, lists_are_one_text_however_they_are_spaced) {
  for (const char* dims : {"[[2,3],[]]", "[[2, 3], []]", "[\n  [\n    2,\n    3\n  ],\n  []\n]"}) {
    const Arguments args(std::string(R"({"args": {"Input Dims": )") + dims + "}}");
    EXPECT_EQ(args.text("Input Dims"), "[[2, 3], []]");
  }
  const Arguments args(R"({"args": {"a": ["x , \"y :\"",{"b":1}]}})");
  EXPECT_EQ(args.text("a"), R"(["x , \"y :\"", {"b": 1}])");
}

TEST(Arguments, of_a_broken_event_are_those_in_front_of_the_break) {
  Arguments args;
  EXPECT_FALSE(args.read("[1, 2]"));
  EXPECT_FALSE(args.read(R"({"args": {"a": 5, "b" 6}})"));
  EXPECT_EQ(args.number("a"), 5);
  EXPECT_EQ(args.number("b"), std::nullopt);
}

TEST(Arguments, of_an_object_that_stands_by_itself_are_its_members) {
  const Arguments args = Arguments::of(R"({"rank": 3, "backend": "nccl"})");
  EXPECT_EQ(args.number("rank"), 3);
  EXPECT_EQ(args.text("backend"), "nccl");
  EXPECT_TRUE(Arguments::of("[1, 2]").all().empty());
  EXPECT_TRUE(Arguments::of(R"({"rank": 3, "world_size" 4})").all().empty());
}

}  // namespace
}  // namespace vitro::analyze
