#include "vitro/base/error.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "vitro/base/result.h"

namespace vitro {
namespace {

TEST(Error, knows_its_message_and_its_place) {
  const Error plain("mm: sizes differ");
  EXPECT_EQ(plain.message(), "mm: sizes differ");
  EXPECT_EQ(plain.location(), "");
  const Error placed(plain, "model.cpp:12");
  EXPECT_STREQ(placed.what(), "mm: sizes differ (model.cpp:12)");
  EXPECT_EQ(placed.message(), "mm: sizes differ");
  EXPECT_EQ(placed.location(), "model.cpp:12");
  EXPECT_STREQ(Error(placed, "main.cpp:3").what(), "mm: sizes differ (main.cpp:3)");
}

TEST(Result, that_failed_gives_its_reason_to_whoever_takes_the_value) {
  Result<std::string> failed = Failure{"weights.bin: not found"};
  const Result<std::string>& same = failed;
  for (const auto& take : std::vector<std::function<void()>>{
           [&] { (void)*failed; }, [&] { (void)*same; }, [&] { (void)failed->size(); },
           [&] { (void)same->size(); }, [&] { (void)std::move(failed).value(); }}) {
    try {
      take();
      ADD_FAILURE() << "gave a value";
    } catch (const Error& e) {
      EXPECT_STREQ(e.what(), "weights.bin: not found");
    }
  }
}

}  // namespace
}  // namespace vitro
