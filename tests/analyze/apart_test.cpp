#include "analyze/findings/apart.h"

#include <gtest/gtest.h>

#include <set>

#include "vitro/report/table.h"

namespace vitro::analyze {
namespace {

std::vector<std::string> shown(std::vector<std::string> texts, size_t width) {
  shorten_apart(texts, width);
  return texts;
}

TEST(ShortenApart, leaves_what_fits_and_cuts_the_end_of_what_is_alone) {
  EXPECT_EQ(shown({"aten::mm", "aten::a_long_name_of_an_op"}, 12),
            (std::vector<std::string>{"aten::mm", "aten::a_lon…"}));
}

TEST(ShortenApart, shows_where_names_that_begin_alike_differ) {
  const std::vector<std::string> names = {
      "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>",
      "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>",
      "void at::native::vectorized_elementwise_kernel<4, at::native::BUnaryFunctor<float, mul>>"};
  const std::vector<std::string> texts = shown(names, 40);
  EXPECT_EQ(texts[0], "void at::nat…at::native::CUDAFunctor_ad…");
  EXPECT_EQ(texts[1], "void at::nat…at::native::FillFunctor<fl…");
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 3U);
}

// The first differs from the second near the start, from the third near the end.
TEST(ShortenApart, distinguishes_names_that_differ_in_two_places) {
  const std::string begin = "void at::native::vectorized_elementwise_kernel<",
                    fill = "FillFunctor<";
  const std::vector<std::string> texts = shown(
      {begin + "2, at::native::" + fill + "float>>", begin + "4, at::native::" + fill + "float>>",
       begin + "2, at::native::" + fill + "double>>",
       begin + "4, at::native::" + fill + "double>>"},
      60);
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 4U) << texts[0];
}

TEST(ShortenApart, gives_the_same_names_the_same_texts_and_keeps_to_the_width) {
  const std::string stem(100, 'x'), odd = stem + "ä" + stem;
  const std::vector<std::string> texts = shown({stem + "1", odd, stem + "1", stem + "22"}, 20);
  EXPECT_EQ(texts[0], texts[2]);
  EXPECT_NE(texts[0], texts[3]);
  for (const std::string& text : texts) EXPECT_LE(report::display_width(text), 20U) << text;
  EXPECT_TRUE(texts[1].ends_with("äxxxxxxxxxxxx…") || texts[1].find("ä") != std::string::npos);
}

}  // namespace
}  // namespace vitro::analyze
