// Writes a self-contained HTML page with sortable tables and pictures; html.h is its interface.
#include "vitro/report/html.h"

#include <algorithm>
#include <functional>

#include "report/page_text.h"
#include "vitro/base/error.h"
#include "vitro/report/table.h"

namespace vitro::report {
namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  uint32_t bits = 0;
  int count = 0;  // of bits that are not written yet
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<uint8_t>(c);
    for (count += 8; count >= 6; count -= 6) text += digits[bits >> (count - 6) & 63];
  }
  if (count > 0) text += digits[bits << (6 - count) & 63];
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

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
          text, "</title>\n<style>", text_of(page_css), Svg::style(), options.style,
          "</style>\n</head>\n<body>\n<main>\n<h1>", text, "</h1>\n"));
}

void Html::begin(std::string_view tag, Attributes attributes) {
  out_.write(cat("<", tag));
  for (const auto& [name, value] : attributes)
    out_.write(cat(" ", name, "=\"", xml_text(value), "\""));
  out_.write('>');
}

Html& Html::element(std::string_view tag, std::string_view text, Attributes attributes) {
  begin(tag, attributes);
  out_.write(cat(xml_text(text), "</", tag.substr(0, tag.find(' ')), ">\n"));
  return *this;
}

Html& Html::open(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  out_.write('\n');
  open_.emplace_back(tag.substr(0, tag.find(' ')));
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

Html& Html::sortable_table(std::string_view about, const std::vector<HtmlColumn>& columns,
                           const std::vector<std::vector<HtmlCell>>& rows) {
  sortable_ = true;
  open("div", {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", about}});
  open("table class=\"sortable\"");
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
      out_.write('>');
      const std::string text = xml_text(row[c].text);
      const bool is_link = !row[c].link.empty();
      out_.write(is_link ? cat("<a href=\"", row[c].link, "\">", text, "</a></td>")
                         : text + "</td>");
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

Html& Html::packed(std::string_view id, std::string_view text) {
  auto made = std::make_unique<TextOutput>();
  const TextOutput& bytes = *made;
  const auto packer = gzip(std::move(made));
  packer->write(text);
  packer->finish();
  return element("script", base64(bytes.text()), {{"type", "text/plain"}, {"id", id}});
}

Html& Html::script(std::string_view text) {
  scripts_ += text;
  return *this;
}

void Html::finish() {
  while (!open_.empty()) close();
  out_.write("</main>\n");
  if (sortable_) script(text_of(sort_js));
  if (!scripts_.empty()) out_.write(cat("<script>//<![CDATA[\n", scripts_, "//]]></script>\n"));
  out_.write("</body>\n</html>\n");
}

}  // namespace vitro::report
