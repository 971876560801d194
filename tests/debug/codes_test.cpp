#include "vitro/debug/codes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "vitro/base/code.h"

namespace vitro {
namespace {

TEST(Codes, docs_codes_md_is_what_the_declarations_say) {
  std::stringstream page;
  page << std::ifstream(VITRO_TEST_DATA "/../../docs/codes.md").rdbuf();
  EXPECT_EQ(page.str(), codes_page())
      << "regenerate it: build/release/cli/vitro codes > docs/codes.md";
}

TEST(Codes, say_what_they_mean_and_what_to_do) {
  for (const Code* code : all_codes()) {
    EXPECT_EQ(code->id.size(), 5u) << code->id;
    EXPECT_GE(code->id, "V0100");
    EXPECT_LT(code->id, "V0900");
    EXPECT_FALSE(code->title.empty()) << code->id;
    EXPECT_FALSE(code->meaning.empty()) << code->id;
    EXPECT_FALSE(code->advice.empty()) << code->id;
  }
}

}  // namespace
}  // namespace vitro
