// Pictures as SVG, written incrementally: self-contained, readable in light and dark mode, with the
// same bytes every time.
//   report::Svg svg(out, {.width = 800, .height = 300, .title = "Memory"});
//   svg.rect({10, 10, 200, 20}, "fill0", "parameters: 12 MiB").text({14, 24}, "parameters");
//   svg.finish();
// Colours are classes: fill0 … fill7 and stroke0 … stroke7 (a palette for both modes), `axis`,
// `grid`, `muted`; text has the text colour.  Tooltips show on hover.
// An Svg belongs to one thread.  Text may contain any bytes.  chart.h has axes.
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

// Escapes `text` for an element or attribute of XML or HTML; invalid UTF-8 and characters not
// allowed in XML become U+FFFD.
std::string xml_text(std::string_view text);

// With at most two decimals and no trailing zeros.
std::string pixels(double number);

struct Point {
  double x = 0, y = 0;
};
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};
enum class Anchor : uint8_t { start, middle, end };

// The number of text columns (display_width of table.h) that fit in `width`; text uses a
// fixed-width font.
constexpr double font_size = 12, column_width = 7.3;
size_t columns_in(double width);

struct SvgOptions {
  double width = 0, height = 0;
  std::string title = {};
  std::string style = {};  // CSS for classes of this picture
  bool fluid = false;      // as wide as its place, in which it is `height` high
  bool in_page = false;    // inside an HTML page (html.h), which contains the common style
  bool stretched = false;  // fills the space given by the page, ignoring proportions: for
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
  // `at` is on the baseline.
  Svg& text(Point at, std::string_view text, Anchor anchor = Anchor::start,
            std::string_view css_class = {});
  // Vertically centred and left-aligned in the box, shortened to fit.
  Svg& text_in(const Box& box, std::string_view text, std::string_view css_class = {});

  // Any other element; it contains what follows until close().
  Svg& open(std::string_view tag, Attributes attributes);
  Svg& close();
  // For the open element.
  Svg& tooltip(std::string_view text);
  // The code of a <script>, run when the picture is loaded.
  Svg& script(std::string_view code);

  // Closes everything.  Nothing may be drawn after it.
  void finish();

  // The CSS for the classes above.
  static std::string style();

 private:
  void begin(std::string_view tag, std::string_view css_class);
  void attribute(std::string_view name, double number);
  void attribute(std::string_view name, std::string_view value);
  void points(std::span<const Point> points);
  // Ends an element that contains a tooltip or nothing.
  Svg& end(std::string_view tag, std::string_view tooltip);

  Output& out_;
  std::vector<std::string> open_;
};

}  // namespace vitro::report
