#include "vitro/base/split.h"

#include <gtest/gtest.h>

namespace vitro {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Split, leaves_what_brackets_and_quotes_enclose) {
  EXPECT_EQ(split_list(" a, [1, 2] ,f(b, c), \"d, e\" "),
            (Parts{"a", "[1, 2]", "f(b, c)", "\"d, e\""}));
  EXPECT_EQ(split_list("x"), Parts{"x"});
  EXPECT_EQ(split_list("a,"), (Parts{"a", ""}));
  EXPECT_EQ(split_list("  "), Parts{});
  EXPECT_EQ(split_list("\"a\\\", b\", c"), (Parts{"\"a\\\", b\"", "c"}));
}

TEST(Split, finds_what_stands_outside) {
  EXPECT_EQ(find_outside("f(a=1)=2", '='), 6U);
  EXPECT_EQ(find_outside("\"=\"", '='), std::string_view::npos);
  EXPECT_EQ(find_outside("a)=", '='), std::string_view::npos);
}

}  // namespace
}  // namespace vitro
