// Tests plots and tables of pages by what they write.
#include "vitro/report/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace vitro::report {
namespace {

std::string page_with(const std::function<void(Html&)>& draw) {
  TextOutput out;
  Html page(out, {.title = "t", .style = std::string(plot_style())});
  draw(page);
  page.finish();
  out.finish();
  return out.text().substr(out.text().find("<body>"));
}

std::string whole(double v) {
  return std::to_string(static_cast<int64_t>(v)) + ".000x";
}

size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

PlotOptions options(PlotOptions::Kind kind) {
  return {.title = "a < b", .kind = kind, .x_text = whole, .y_text = whole};
}

}  // namespace

TEST(Plot, of_levels_holds_each_value_until_the_next) {
  const std::string text = page_with([](Html& page) {
    draw_plot(page, options(PlotOptions::Kind::levels), {{"s", {{0, 0}, {5, 10}, {10, 5}}}});
  });
  EXPECT_NE(text.find("points=\"0,200 500,200 500,0 1000,0 1000,100\""), std::string::npos) << text;
  EXPECT_NE(text.find("<title>a &lt; b</title>"), std::string::npos);
  EXPECT_NE(text.find("style=\"top:0%\">10x<"), std::string::npos);
  EXPECT_NE(text.find("style=\"left:100%\">10x<"), std::string::npos);
  EXPECT_EQ(text.find("class=\"keys\""), std::string::npos);
}

TEST(Plot, of_columns_has_one_for_each_point_with_its_value_as_tooltip) {
  const std::string text = page_with([](Html& page) {
    draw_plot(page, options(PlotOptions::Kind::columns), {{"", {{0, 3}, {1, 6}}}});
  });
  EXPECT_EQ(count(text, "<rect"), 2u);
  EXPECT_NE(text.find("height=\"100\"><title>0.000x: 3.000x</title>"), std::string::npos) << text;
}

TEST(Plot, of_a_million_points_is_small_and_keeps_the_extremes) {
  PlotSeries series{"s", {}};
  for (int i = 0; i < 1'000'000; ++i) series.points.push_back({static_cast<double>(i), 1});
  series.points[123'456].y = 10;
  series.points[654'321].y = -10;
  const std::string text =
      page_with([&](Html& page) { draw_plot(page, options(PlotOptions::Kind::line), {series}); });
  EXPECT_LT(text.size(), 60'000u);
  EXPECT_NE(text.find("123.46,0 "), std::string::npos);
  EXPECT_NE(text.find("654.32,200 "), std::string::npos);
}

TEST(Plot, of_nothing_and_of_one_point_is_drawn_too) {
  for (const std::vector<Point>& points : {std::vector<Point>{}, std::vector<Point>{{7, 0}}}) {
    const std::string text = page_with(
        [&](Html& page) { draw_plot(page, options(PlotOptions::Kind::line), {{"s", points}}); });
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    EXPECT_EQ(text.find("inf"), std::string::npos) << text;
  }
}

TEST(Plot, draws_shares_of_the_largest_or_of_a_whole) {
  const std::vector<Share> shares{{"x<y>", 30, "30 %"}, {"z", 15, "15 %"}};
  const std::string largest = page_with([&](Html& page) { draw_shares(page, "t", shares); });
  EXPECT_NE(largest.find("--part:50%"), std::string::npos);
  EXPECT_NE(largest.find(">x&lt;y&gt;<"), std::string::npos);
  const std::string all = page_with([&](Html& page) { draw_shares(page, "t", shares, 100); });
  EXPECT_NE(all.find("--part:15%"), std::string::npos);
}

TEST(Html, sorts_tables_by_numbers_that_stand_beside_the_texts) {
  const std::string text = page_with([](Html& page) {
    page.sortable_table("about", {{"name", false}, {"time", true}},
                        {{{"a&b", {}}, {"1.5ms", 1.5e6}}});
  });
  EXPECT_NE(text.find("<th class=\"text\">name</th><th>time</th>"), std::string::npos);
  EXPECT_NE(text.find("<td class=\"text short\">a&amp;b</td><td class=\"short\" "
                      "data-v=\"1500000.0\">1.5ms</td>"),
            std::string::npos)
      << text;
  EXPECT_EQ(count(text, "<script>"), 1u);
}

TEST(Html, has_cells_that_lead_somewhere) {
  const std::string text = page_with(
      [](Html& page) { page.sortable_table("about", {{"name"}}, {{{"a<b", {}, "#there"}}}); });
  EXPECT_NE(text.find("<a href=\"#there\">a&lt;b</a></td>"), std::string::npos) << text;
}

TEST(Plot, of_shares_shows_the_part_of_a_long_name_that_differs_and_all_of_it_as_tooltip) {
  const std::string text = page_with([](Html& page) {
    draw_shares(page, "t", {{.name = "long<1>", .value = 1, .text = "1", .shown = "…1>"}});
  });
  EXPECT_NE(text.find("title=\"long&lt;1&gt;\">…1&gt;<"), std::string::npos) << text;
}

}  // namespace vitro::report
