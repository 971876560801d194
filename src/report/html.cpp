// Writes a self-contained HTML page with sortable tables and pictures; html.h is its interface.
#include "vitro/report/html.h"

#include <algorithm>
#include <functional>

#include "vitro/base/error.h"
#include "vitro/report/table.h"

namespace vitro::report {
namespace {

// A table wider than the page scrolls in its own box.
constexpr std::string_view page_style =
    "html{color-scheme:light dark;--page:#fff;--text:#1c1e21;--muted:#5c6168;--grid:#e3e5e8;"
    "--link:#2b55c4}"
    "@media (prefers-color-scheme:dark){html{--page:#16181b;--text:#e6e8ea;--muted:#9aa0a8;"
    "--grid:#303439;--link:#8eaaff}}"
    "*{box-sizing:border-box}"
    "body{background:var(--page);color:var(--text);font:14px/1.5 system-ui,sans-serif;"
    "max-width:1200px;margin:2em auto;padding:0 1em;overflow-wrap:anywhere}"
    "a{color:var(--link)}svg{max-width:100%;height:auto}"
    ":focus-visible{outline:2px solid var(--link);outline-offset:2px}"
    ".scroll{overflow-x:auto}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;overflow-wrap:normal}"
    "th,td{padding:.2em .8em;border-bottom:1px solid var(--grid);text-align:right;"
    "vertical-align:top}"
    "th:first-child,td:first-child,.text{text-align:left}"
    "td:first-child,td.text{min-width:6em;max-width:44em;overflow-wrap:anywhere}"
    "td.text{min-width:14em}td.short{min-width:0;white-space:nowrap}th{vertical-align:bottom}"
    "th button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;"
    "text-align:inherit}th button:hover{text-decoration:underline}"
    "th[aria-sort=ascending] button::after{content:' \\25b4'}"
    "th[aria-sort=descending] button::after{content:' \\25be'}"
    "@media (max-width:600px){body{margin:1em auto}th,td{padding:.2em .4em}}";

// The first click sorts numbers in descending, texts in ascending order.
constexpr std::string_view sort_script = R"js((() => {
const value = (row, n) => row.cells[n].dataset.v === undefined ? row.cells[n].textContent : +row.cells[n].dataset.v;
const sort = th => {
  const body = th.closest('table').tBodies[0], n = th.cellIndex, was = th.getAttribute('aria-sort');
  const down = was ? was === 'ascending' : !th.classList.contains('text');
  for (const other of th.parentNode.cells) other.removeAttribute('aria-sort');
  th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const order = (a, b) => { const x = value(a, n), y = value(b, n); return x === y ? 0 : (x > y) === down ? -1 : 1; };
  body.append(...[...body.rows].sort(order));
};
for (const th of document.querySelectorAll('.sortable th')) {
  const button = document.createElement('button');
  button.append(...th.childNodes);
  button.addEventListener('click', () => sort(th));
  th.append(button);
}
})();
)js";

// The classes of each column's cells; short texts do not wrap.
std::vector<std::string_view> cell_classes(const std::vector<HtmlColumn>& columns,
                                           const std::vector<std::vector<HtmlCell>>& rows) {
  constexpr size_t longest_short = 24;
  std::vector<std::string_view> classes;
  for (size_t c = 0; c < columns.size(); ++c) {
    const bool is_short = std::ranges::all_of(
        rows, [&](const auto& row) { return display_width(row[c].text) <= longest_short; });
    classes.push_back(columns[c].numbers ? "short" : is_short ? "text short" : "text");
  }
  return classes;
}

}  // namespace

Html::Html(Output& out, const HtmlOptions& options) : out_(out) {
  const std::string text = xml_text(options.title);
  out_.write(
      cat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n<title>",
          text, "</title>\n<style>", page_style, Svg::style(), options.style,
          "</style>\n</head>\n<body>\n<h1>", text, "</h1>\n"));
}

void Html::begin(std::string_view tag, Attributes attributes) {
  out_.write(cat("<", tag));
  for (const auto& [name, value] : attributes)
    out_.write(cat(" ", name, "=\"", xml_text(value), "\""));
  out_.write('>');
}

Html& Html::element(std::string_view tag, std::string_view text, Attributes attributes) {
  begin(tag, attributes);
  out_.write(cat(xml_text(text), "</", tag, ">\n"));
  return *this;
}

Html& Html::open(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  out_.write('\n');
  open_.emplace_back(tag);
  return *this;
}

Html& Html::close() {
  VITRO_ASSERT(!open_.empty());
  out_.write(cat("</", open_.back(), ">\n"));
  open_.pop_back();
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
  open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table");
  line("th", columns);
  for (const auto& row : rows) line("td", row);
  return close().close();
}

Html& Html::sortable_table(std::string_view about, const std::vector<HtmlColumn>& columns,
                           const std::vector<std::vector<HtmlCell>>& rows) {
  sortable_ = true;
  open("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", about}});
  open("table", {{"class", "sortable"}});
  out_.write("<thead><tr>");
  for (const HtmlColumn& column : columns)
    out_.write(
        cat(column.numbers ? "<th>" : "<th class=\"text\">", xml_text(column.name), "</th>"));
  out_.write("</tr></thead>\n<tbody>\n");
  const std::vector<std::string_view> classes = cell_classes(columns, rows);
  for (const auto& row : rows) {
    VITRO_ASSERT(row.size() == columns.size(), "a row has as many cells as the table has columns");
    out_.write("<tr>");
    for (size_t c = 0; c < row.size(); ++c) {
      out_.write(cat("<td class=\"", classes[c], "\""));
      if (row[c].value) out_.write(cat(" data-v=\"", *row[c].value, "\""));
      out_.write(cat(">", xml_text(row[c].text), "</td>"));
    }
    out_.write("</tr>\n");
  }
  out_.write("</tbody>\n");
  return close().close();
}

Html& Html::picture(SvgOptions options, const std::function<void(Svg&)>& draw) {
  options.in_page = true;
  Svg svg(out_, options);
  draw(svg);
  svg.finish();
  return *this;
}

Html& Html::script(std::string_view text) {
  scripts_ += text;
  return *this;
}

void Html::finish() {
  while (!open_.empty()) close();
  if (sortable_) script(sort_script);
  if (!scripts_.empty()) out_.write(cat("<script>//<![CDATA[\n", scripts_, "//]]></script>\n"));
  out_.write("</body>\n</html>\n");
}

}  // namespace vitro::report
