// Pictures as SVG, written as they come: self-contained, readable on light and dark ground, the
// same bytes every time.
//   report::Svg svg(out, {.width = 800, .height = 300, .title = "Memory"});
//   svg.rect({10, 10, 200, 20}, "fill0", "parameters: 12 MiB").text({14, 24}, "parameters");
//   svg.finish();
// Colours are classes: fill0 … fill7 and stroke0 … stroke7 (a palette for both grounds), `axis`,
// `grid`, `muted`; text has the colour of text.  A tooltip shows where the pointer rests.
// An Svg belongs to one thread.  Text may hold any bytes.  chart.h has axes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/report/output.h"

namespace vitro::report {

// `text` inside an element or an attribute of XML or HTML: markup is escaped; what is not UTF-8 and
// what XML cannot hold becomes U+FFFD.
std::string xml_text(std::string_view text);

// With at most two decimals and no zeros at the end.
std::string pixels(double number);

struct Point {
  double x = 0, y = 0;
};
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};
enum class Anchor : uint8_t { start, middle, end };

// How many columns of text (display_width of table.h) stand in `width`; text is set in a
// fixed-width font.
constexpr double font_size = 12, column_width = 7.3;
size_t columns_in(double width);

struct SvgOptions {
  double width = 0, height = 0;
  std::string title = {};
  std::string style = {};  // CSS of this picture's own classes
  bool in_page = false;    // inside an HTML page (html.h), which has the common style already
  bool stretched = false;  // as wide and high as the page says, without regard to proportions: for
                           // pictures without text
};

class Svg {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  Svg(Output& out, const SvgOptions& options);
  Svg(const Svg&) = delete;

  Svg& rect(const Box& box, std::string_view css_class, std::string_view tooltip = {});
  Svg& line(Point from, Point to, std::string_view css_class);
  Svg& polyline(std::span<const Point> points, std::string_view css_class);
  Svg& polygon(std::span<const Point> points, std::string_view css_class,
               std::string_view tooltip = {});
  Svg& circle(Point centre, double radius, std::string_view css_class,
              std::string_view tooltip = {});
  // `at` is on the base line.
  Svg& text(Point at, std::string_view text, Anchor anchor = Anchor::start,
            std::string_view css_class = {});
  // Vertically centred at the left of the box, shortened to fit and never drawn outside.
  Svg& text_in(const Box& box, std::string_view text, std::string_view css_class = {});

  // Any other element; what follows stands in it until close().
  Svg& open(std::string_view tag, Attributes attributes);
  Svg& close();
  // Of the element that is open.
  Svg& tooltip(std::string_view text);
  // The code of a <script>, run when the picture is loaded.
  Svg& script(std::string_view code);

  // Closes all that is open.  Nothing may be drawn after it.
  void finish();

  // The CSS of the classes above.
  static std::string_view style();

 private:
  void begin(std::string_view tag, std::string_view css_class);
  void attribute(std::string_view name, double number);
  void attribute(std::string_view name, std::string_view value);
  void points(std::span<const Point> points);
  // Ends an element that holds a tooltip or nothing.
  Svg& end(std::string_view tag, std::string_view tooltip);

  Output& out_;
  std::vector<std::string> open_;
};

}  // namespace vitro::report
