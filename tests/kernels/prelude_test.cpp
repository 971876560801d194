#include "kernels/prelude.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace vitro::kernels {
namespace {

size_t count(const std::string& text, std::string_view what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Prelude, brings_what_a_part_needs_before_it) {
  std::string text = prelude_text({"convert"});
  EXPECT_LT(text.find("using Vec"), text.find("load_strided"));
  EXPECT_LT(text.find("load_strided"), text.find("truncate_to"));
}

TEST(Prelude, gives_each_part_once) {
  std::string text = prelude_text({"memory", "convert", "vector", "memory"});
  EXPECT_EQ(count(text, "using Mask"), 1u);
}

TEST(Prelude, includes_nothing_and_carries_no_comments) {
  std::string text = prelude_text(prelude_parts());
  EXPECT_EQ(count(text, "#include"), 0u);
  EXPECT_EQ(count(text, "//"), 0u);
  EXPECT_EQ(count(text, "#pragma once"), 0u);
}

TEST(Prelude, names_its_parts) {
  auto parts = prelude_parts();
  for (std::string_view name :
       {"vector", "memory", "convert", "reduce", "integer", "product", "kernel_args", "checks"}) {
    EXPECT_NE(std::find(parts.begin(), parts.end(), name), parts.end()) << name;
  }
  EXPECT_NE(prelude_version(), 0u);
}

TEST(Prelude, of_generated_kernels_declares_what_they_are_given) {
  std::string text = prelude_header();
  EXPECT_EQ(count(text, "struct KernelArgs {"), 1u);
  EXPECT_EQ(count(text, "struct ErrorSlot {"), 1u);
  EXPECT_EQ(count(text, "using namespace vitro::kernels;"), 1u);
}

}  // namespace
}  // namespace vitro::kernels
