// SVG pictures and HTML pages: escapes, axes, and charts.
#include "vitro/report/svg.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vitro/base/cat.h"
#include "vitro/report/chart.h"
#include "vitro/report/html.h"

namespace vitro::report {
namespace {

std::string drawn(auto draw) {
  TextOutput out;
  Svg svg(out, {.width = 200, .height = 100, .title = "a < b"});
  draw(svg);
  svg.finish();
  out.finish();
  return out.text();
}

size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST(XmlText, escapes_markup_and_replaces_what_xml_cannot_hold) {
  EXPECT_EQ(xml_text("vector<int>&& \"é\""), "vector&lt;int&gt;&amp;&amp; &quot;é&quot;");
  EXPECT_EQ(xml_text(std::string_view("a\0b\x1b\xff\tc", 7)),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd\xef\xbf\xbd\tc");
  EXPECT_EQ(xml_text("\xef\xbf\xbe"), "\xef\xbf\xbd");  // U+FFFE is no character
}

TEST(Pixels, have_two_decimals_at_most) {
  EXPECT_EQ(pixels(1), "1");
  EXPECT_EQ(pixels(1.5), "1.5");
  EXPECT_EQ(pixels(1.0 / 3), "0.33");
  EXPECT_EQ(pixels(-0.001), "0");
  EXPECT_EQ(pixels(1e6), "1000000");
  EXPECT_EQ(pixels(NAN), "nan");
}

TEST(Svg, closes_what_it_opens_and_escapes_what_it_is_given) {
  const std::string text = drawn([](Svg& svg) {
    svg.open("g", {{"id", "a\"b"}}).rect({1, 2, 3, 4}, "fill0", "x & y").close();
    svg.open("g", {{"class", "left open"}});
    svg.text({5, 6}, "<tag>", Anchor::end, "muted");
  });
  EXPECT_TRUE(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" "));
  EXPECT_TRUE(text.ends_with("</g>\n</svg>\n"));
  EXPECT_NE(text.find("<title>a &lt; b</title>"), std::string::npos);
  EXPECT_NE(text.find("<g id=\"a&quot;b\">\n<rect class=\"fill0\" x=\"1\" y=\"2\" width=\"3\" "
                      "height=\"4\"><title>x &amp; y</title></rect>\n</g>"),
            std::string::npos);
  EXPECT_NE(
      text.find("<text class=\"muted\" x=\"5\" y=\"6\" text-anchor=\"end\">&lt;tag&gt;</text>"),
      std::string::npos);
  EXPECT_EQ(count(text, "<g"), count(text, "</g>"));
}

TEST(Svg, knows_both_grounds_and_needs_nothing_from_outside) {
  const std::string text = drawn([](Svg&) {});
  EXPECT_NE(text.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_EQ(count(text, "http"), 1u);  // the name space
}

TEST(Svg, text_in_a_box_is_no_wider_than_the_box) {
  const auto shown = [](double width) {
    return drawn([&](Svg& svg) { svg.text_in({0, 0, width, 20}, "aten::convolution"); });
  };
  EXPECT_NE(shown(200).find(">aten::convolution<"), std::string::npos);
  EXPECT_NE(shown(60).find(">aten::…<"), std::string::npos);
  EXPECT_NE(shown(60).find("<svg x=\"0\" y=\"0\" width=\"60\" height=\"20\">"), std::string::npos);
  EXPECT_EQ(shown(8).find("<text"), std::string::npos);
}

TEST(Axis, maps_values_on_pixels) {
  const Axis linear{.low = 0, .high = 10, .from = 100, .to = 200};
  EXPECT_EQ(linear.at(0), 100);
  EXPECT_EQ(linear.at(5), 150);
  const Axis logarithmic{.low = 1, .high = 100, .from = 200, .to = 0, .logarithmic = true};
  EXPECT_NEAR(logarithmic.at(10), 100, 1e-9);
}

TEST(Axis, has_round_ticks) {
  EXPECT_EQ((Axis{.low = 0, .high = 10}.ticks(5)), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ((Axis{.low = 0, .high = 1.3e9}.ticks(3)), (std::vector<double>{0, 5e8, 1e9}));
  const auto powers = Axis{.low = 0.5, .high = 2000, .logarithmic = true}.ticks();
  EXPECT_EQ(powers, (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ((Axis{.low = 3, .high = 3}.ticks()), std::vector<double>{3});
}

TEST(Chart, draws_a_number_at_each_tick) {
  const std::string text = drawn([](Svg& svg) {
    const auto number = [](double v) { return cat(static_cast<int64_t>(v), "u"); };
    draw_axes(svg, {{.low = 0, .high = 4, .from = 20, .to = 190}, "time", number},
              {{.low = 0, .high = 2, .from = 80, .to = 20}, "size", number});
    draw_legend(svg, {20, 95}, {"one", "two & three"});
  });
  for (const char* part : {">4u<", ">2u<", ">time<", ">size<", ">one<", ">two &amp; three<"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Html, is_a_whole_page_with_its_picture_inside) {
  TextOutput out;
  Html page(out, "a & b");
  page.heading("h")
      .paragraph("1 < 2")
      .open("div class=\"x\"")
      .element("p id=\"y\"", "x<y>")
      .close();
  page.picture({.width = 10, .height = 10, .title = "t"},
               [](Svg& svg) { svg.rect({0, 0, 5, 5}, "fill1"); });
  page.finish();
  out.finish();
  const std::string& text = out.text();
  EXPECT_TRUE(text.starts_with("<!DOCTYPE html>\n"));
  EXPECT_TRUE(text.ends_with("</svg>\n</main>\n</body>\n</html>\n"));
  for (const char* part : {"<h1>a &amp; b</h1>", "<p>1 &lt; 2</p>",
                           "<div class=\"x\">\n<p id=\"y\">x&lt;y&gt;</p>\n</div>"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(count(text, ":root{color-scheme"), 1u);
}

}  // namespace vitro::report
