// FunctionRef refers to a callable, UniqueFunction owns one.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "vitro/base/function_ref.h"
#include "vitro/base/unique_function.h"

namespace vitro {
namespace {

int twice(FunctionRef<int(int)> f, int x) {
  return f(f(x));
}
int add_one(int x) {
  return x + 1;
}

TEST(FunctionRef, calls_lambdas_functions_and_what_keeps_state) {
  int calls = 0;
  auto counting = [&calls](int x) mutable { return ++calls, x * 3; };
  EXPECT_EQ(twice(counting, 2), 18);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(twice(add_one, 5), 7);
  const auto constant = [](int) { return 4; };
  EXPECT_EQ(twice(constant, 0), 4);
  const FunctionRef<int(int)> first = counting, copy = first;
  EXPECT_EQ(copy(1), 3);
  EXPECT_EQ(calls, 3);
}

TEST(FunctionRef, passes_on_what_cannot_be_copied) {
  const auto take = [](std::unique_ptr<int> p) { return *p; };
  const FunctionRef<int(std::unique_ptr<int>)> f = take;
  EXPECT_EQ(f(std::make_unique<int>(9)), 9);
}

TEST(UniqueFunction, owns_its_callable_once) {
  const auto alive = std::make_shared<int>(0);
  {
    UniqueFunction f([alive] { ++*alive; });
    EXPECT_EQ(alive.use_count(), 2);
    UniqueFunction moved = std::move(f);
    EXPECT_TRUE(moved);
    moved();
    moved = UniqueFunction([alive] { *alive += 10; });
    moved();
  }
  EXPECT_EQ(*alive, 11);
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(UniqueFunction, takes_callables_that_cannot_be_copied_and_may_be_empty) {
  EXPECT_FALSE(UniqueFunction());
  bool called = false;
  UniqueFunction f([p = std::make_unique<int>(1), &called] { called = *p == 1; });
  f();
  EXPECT_TRUE(called);
}

}  // namespace
}  // namespace vitro
