// Writes SVG elements with the common style and palette; svg.h is its interface.
#include "vitro/report/svg.h"

#include <charconv>
#include <cmath>

#include "report/page_text.h"
#include "report/utf8.h"
#include "vitro/base/error.h"
#include "vitro/report/table.h"

namespace vitro::report {
namespace {

bool stands_in_xml(int32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code != 0x7f && code != 0xfffe && code != 0xffff;
}

std::string_view name_of(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
  }
  return "start";
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const Character c = next_character(text);
    if (!stands_in_xml(c.code)) {
      escaped += "\xef\xbf\xbd";
    } else if (c.code == '&') {
      escaped += "&amp;";
    } else if (c.code == '<') {
      escaped += "&lt;";
    } else if (c.code == '>') {
      escaped += "&gt;";
    } else if (c.code == '"') {
      escaped += "&quot;";
    } else {
      escaped += text.substr(0, c.length);
    }
    text.remove_prefix(c.length);
  }
  return escaped;
}

std::string pixels(double number) {
  char text[64];
  const double rounded = std::round(number * 100) / 100 + 0.0;  // avoids "-0"
  const auto end = std::to_chars(text, text + sizeof text, rounded, std::chars_format::fixed);
  return end.ec == std::errc{} ? std::string(text, end.ptr) : "0";
}

size_t columns_in(double width) {
  return width <= 0 ? 0 : static_cast<size_t>(width / column_width);
}

std::string Svg::style() {
  return text_of(svg_css);
}

Svg::Svg(Output& out, const SvgOptions& options) : out_(out) {
  const std::string width = pixels(options.width), height = pixels(options.height);
  out_.write(options.in_page ? "<svg" : "<svg xmlns=\"http://www.w3.org/2000/svg\"");
  if (!options.fluid) attribute("viewBox", cat("0 0 ", width, " ", height));
  if (options.stretched) {
    attribute("preserveAspectRatio", "none");
  } else {
    attribute("width", options.fluid ? "100%" : width);
    attribute("height", height);
  }
  if (options.title.empty()) {
    out_.write(" aria-hidden=\"true\">\n");
  } else {
    out_.write(cat(options.fluid ? " role=\"group\">\n<title>" : " role=\"img\">\n<title>",
                   xml_text(options.title), "</title>\n"));
  }
  const std::string common = options.in_page ? "" : style();
  if (!common.empty() || !options.style.empty())
    out_.write(cat("<style>", common, options.style, "</style>\n"));
  open_.emplace_back("svg");
  if (!options.stretched) rect({0, 0, options.width, options.height}, "page");
}

void Svg::begin(std::string_view tag, std::string_view css_class) {
  out_.write('<');
  out_.write(tag);
  if (!css_class.empty()) attribute("class", css_class);
}

void Svg::attribute(std::string_view name, double number) {
  attribute(name, pixels(number));
}

void Svg::attribute(std::string_view name, std::string_view value) {
  out_.write(cat(" ", name, "=\"", xml_text(value), "\""));
}

void Svg::points(std::span<const Point> points) {
  out_.write(" points=\"");
  for (size_t i = 0; i < points.size(); ++i)
    out_.write(cat(i == 0 ? "" : " ", pixels(points[i].x), ",", pixels(points[i].y)));
  out_.write('"');
}

Svg& Svg::end(std::string_view tag, std::string_view tooltip) {
  if (tooltip.empty()) {
    out_.write("/>\n");
  } else {
    out_.write(cat("><title>", xml_text(tooltip), "</title></", tag, ">\n"));
  }
  return *this;
}

Svg& Svg::rect(const Box& box, std::string_view css_class, std::string_view tooltip) {
  begin("rect", css_class);
  attribute("x", box.x);
  attribute("y", box.y);
  attribute("width", box.width);
  attribute("height", box.height);
  return end("rect", tooltip);
}

Svg& Svg::line(Point from, Point to, std::string_view css_class) {
  begin("line", css_class);
  attribute("x1", from.x);
  attribute("y1", from.y);
  attribute("x2", to.x);
  attribute("y2", to.y);
  return end("line", {});
}

Svg& Svg::polyline(std::span<const Point> where, std::string_view css_class) {
  begin("polyline", css_class);
  points(where);
  return end("polyline", {});
}

Svg& Svg::polygon(std::span<const Point> where, std::string_view css_class,
                  std::string_view tooltip) {
  begin("polygon", css_class);
  points(where);
  return end("polygon", tooltip);
}

Svg& Svg::circle(Point centre, double radius, std::string_view css_class,
                 std::string_view tooltip) {
  begin("circle", css_class);
  attribute("cx", centre.x);
  attribute("cy", centre.y);
  attribute("r", radius);
  return end("circle", tooltip);
}

Svg& Svg::text(Point at, std::string_view text, Anchor anchor, std::string_view css_class) {
  begin("text", css_class);
  attribute("x", at.x);
  attribute("y", at.y);
  if (anchor != Anchor::start) attribute("text-anchor", name_of(anchor));
  out_.write(cat(">", xml_text(text), "</text>\n"));
  return *this;
}

Svg& Svg::text_in(const Box& box, std::string_view text, std::string_view css_class) {
  constexpr double margin = 3;
  const std::string fitting = shorten(text, columns_in(box.width - 2 * margin));
  if (fitting.empty()) return *this;
  open("svg", {{"x", pixels(box.x)},
               {"y", pixels(box.y)},
               {"width", pixels(box.width)},
               {"height", pixels(box.height)}});
  this->text({margin, box.height / 2 + font_size / 3}, fitting, Anchor::start, css_class);
  return close();
}

Svg& Svg::open(std::string_view tag, Attributes attributes) {
  begin(tag, {});
  for (const auto& [name, value] : attributes) attribute(name, value);
  out_.write(">\n");
  open_.emplace_back(tag);
  return *this;
}

Svg& Svg::close() {
  VITRO_ASSERT(!open_.empty());
  out_.write(cat("</", open_.back(), ">\n"));
  open_.pop_back();
  return *this;
}

Svg& Svg::tooltip(std::string_view text) {
  out_.write(cat("<title>", xml_text(text), "</title>"));
  return *this;
}

Svg& Svg::script(std::string_view code) {
  VITRO_ASSERT(code.find("]]>") == std::string_view::npos);
  out_.write(cat("<script>//<![CDATA[\n", code, "//]]></script>\n"));
  return *this;
}

void Svg::finish() {
  while (!open_.empty()) close();
}

}  // namespace vitro::report
