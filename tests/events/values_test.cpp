#include "vitro/events/values.h"

#include <gtest/gtest.h>

#include <string>

namespace vitro::events {
namespace {

using Kind = Value::Kind;

constexpr int64_t sizes[] = {2, 3}, strides[] = {3, 1};

}  // namespace

TEST(Values, are_read_as_they_were_written) {
  ValueWriter writer;
  writer.tensor(4, sizes, strides).none().boolean(true).integer(-7).floating(0.25);
  writer.name("dims").integers(sizes).name("mode").text("sum");
  ValueReader reader(writer.bytes());
  const Value* value = reader.next();
  ASSERT_EQ(value->kind, Kind::tensor);
  ASSERT_EQ(value->tensors.size(), 1u);
  EXPECT_EQ(value->tensors[0].dtype, 4);
  EXPECT_EQ(value->tensors[0].sizes, (SmallVector<int64_t, 6>{2, 3}));
  EXPECT_EQ(value->tensors[0].strides, (SmallVector<int64_t, 6>{3, 1}));
  EXPECT_EQ(reader.next()->kind, Kind::none);
  value = reader.next();
  EXPECT_EQ(value->kind, Kind::boolean);
  EXPECT_EQ(value->integer, 1);
  EXPECT_EQ(reader.next()->integer, -7);
  value = reader.next();
  EXPECT_EQ(value->kind, Kind::floating);
  EXPECT_EQ(value->floating, 0.25);
  EXPECT_EQ(value->name, "");
  value = reader.next();
  EXPECT_EQ(value->name, "dims");
  EXPECT_EQ(value->integers, (std::vector<int64_t>{2, 3}));
  value = reader.next();
  EXPECT_EQ(value->name, "mode");
  EXPECT_EQ(value->text, "sum");
  EXPECT_EQ(reader.next(), nullptr);
}

TEST(Values, a_list_of_tensors_is_one_value) {
  ValueWriter writer;
  writer.tensors(2).tensor(0, sizes, strides).tensor(0, {}, {}).integer(1);
  ValueReader reader(writer.bytes());
  const Value* value = reader.next();
  ASSERT_EQ(value->kind, Kind::tensors);
  ASSERT_EQ(value->tensors.size(), 2u);
  EXPECT_EQ(value->tensors[1].sizes.size(), 0u);
  EXPECT_EQ(reader.next()->integer, 1);
  EXPECT_EQ(reader.next(), nullptr);
}

TEST(Values, what_does_not_fit_is_left_out_and_a_text_says_so) {
  for (const bool list : {false, true}) {
    ValueWriter writer;
    if (list) writer.tensors(1000);
    for (int i = 0; i < 1000; ++i) writer.tensor(0, sizes, strides);
    EXPECT_LE(writer.bytes().size(), 4096u);
    ValueReader reader(writer.bytes());
    size_t tensors = 0;
    std::string last;
    while (const Value* value = reader.next()) {
      tensors += value->tensors.size();
      last = value->text;
    }
    EXPECT_GT(tensors, 50u);
    EXPECT_LT(tensors, 1000u);
    EXPECT_EQ(last, "(and more)");
  }
}

}  // namespace vitro::events
