#include "vitro/report/html.h"

#include "vitro/base/error.h"

namespace vitro::report {
namespace {

constexpr std::string_view page_style =
    "html{color-scheme:light dark;--page:#fff;--text:#1c1e21;--grid:#e3e5e8}"
    "@media (prefers-color-scheme:dark){html{--page:#16181b;--text:#e6e8ea;--grid:#303439}}"
    "body{background:var(--page);color:var(--text);font:14px/1.5 system-ui,sans-serif;"
    "max-width:1200px;margin:2em auto;padding:0 1em}svg{max-width:100%;height:auto}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.2em .8em;border-bottom:1px solid var(--grid);text-align:right}"
    "th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}";

}  // namespace

Html::Html(Output& out, std::string_view title) : out_(out) {
  const std::string text = xml_text(title);
  out_.write(cat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>",
                 text, "</title>\n<style>", page_style, Svg::style(),
                 "</style>\n</head>\n<body>\n<h1>", text, "</h1>\n"));
}

Html& Html::element(std::string_view tag, std::string_view text) {
  out_.write(cat("<", tag, ">", xml_text(text), "</", tag, ">\n"));
  return *this;
}

Html& Html::heading(std::string_view text) {
  return element("h2", text);
}

Html& Html::paragraph(std::string_view text) {
  return element("p", text);
}

Html& Html::table(const std::vector<std::string>& columns,
                  const std::vector<std::vector<std::string>>& rows) {
  const auto line = [&](std::string_view tag, const std::vector<std::string>& cells) {
    VITRO_ASSERT(cells.size() == columns.size(),
                 "a row has as many cells as the table has columns");
    out_.write("<tr>");
    for (const std::string& cell : cells)
      out_.write(cat("<", tag, ">", xml_text(cell), "</", tag, ">"));
    out_.write("</tr>\n");
  };
  out_.write("<table>\n");
  line("th", columns);
  for (const auto& row : rows) line("td", row);
  out_.write("</table>\n");
  return *this;
}

Html& Html::picture(SvgOptions options, const std::function<void(Svg&)>& draw) {
  options.in_page = true;
  Svg svg(out_, options);
  draw(svg);
  svg.finish();
  return *this;
}

void Html::finish() {
  out_.write("</body>\n</html>\n");
}

}  // namespace vitro::report
