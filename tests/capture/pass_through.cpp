// Runs all tests under an interpreter that passes every call on: VITRO_TEST_INTERPRETER=outside
// pushes it before each test, =inside around the code of every compiled function. No result may
// change.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "capture/call.h"
#include "vitro/core/interpreter.h"

namespace vitro {
namespace {

class PassThrough : public Interpreter {};

class AroundTests : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { use_.emplace(&pass_); }
  void OnTestEnd(const testing::TestInfo&) override { use_.reset(); }

  PassThrough pass_;
  std::optional<Using> use_;
};

void inside(const capture::Body& body) {
  PassThrough pass;
  const Using use(&pass);
  body();
}

const bool is_set_up = [] {
  const char* const where = std::getenv("VITRO_TEST_INTERPRETER");
  if (!where) return false;
  if (std::string_view(where) == "outside")
    testing::UnitTest::GetInstance()->listeners().Append(new AroundTests);
  if (std::string_view(where) == "inside") capture::around_body = &inside;
  return true;
}();

TEST(PassThrough, stands_where_it_was_asked_for) {
  const char* const where = std::getenv("VITRO_TEST_INTERPRETER");
  const bool outside = where && std::string_view(where) == "outside",
             is_inside = where && std::string_view(where) == "inside";
  EXPECT_EQ(outside, thread_state.top &&
                         dynamic_cast<PassThrough*>(thread_state.top->interpreter) != nullptr);
  EXPECT_EQ(is_inside, capture::around_body == &inside);
}

}  // namespace
}  // namespace vitro
