// A self-contained HTML page, readable in light and dark mode, on wide and narrow screens, and
// usable with the keyboard alone.
//   report::Html page(out, "Memory of train");
//   page.heading("Peak").paragraph("12.0 MiB at 1.2 s");
//   page.sortable_table("Categories", {{"category"}, {"bytes", true}}, {{{"parameter"}, {"4 KiB",
//   4096}}}); page.picture({.width = 800, .height = 300, .title = "…"}, [&](report::Svg& svg) { …
//   }); page.finish();
// Text may contain any bytes.  The page is also well-formed XML.  It belongs to one thread.  plot.h
// has plots.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/report/svg.h"

namespace vitro::report {

struct HtmlOptions {
  std::string title;       // shown as the window title and above the page
  std::string style = {};  // CSS for classes of this page
};

// A cell of a sortable table.
struct HtmlCell {
  std::string text;
  std::optional<double> value = {};  // the sort key; by default the text
  std::string link = {};             // where it leads to: characters that need no escape
};
struct HtmlColumn {
  std::string name;
  bool numbers = false;  // right-aligned
};

class Html {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  Html(Output& out, std::string_view title) : Html(out, HtmlOptions{std::string(title)}) {}
  Html(Output& out, const HtmlOptions& options);
  Html(const Html&) = delete;

  Html& heading(std::string_view text);
  Html& paragraph(std::string_view text);
  // Clicking a column's name sorts by it.  `about` names the table for screen readers.
  Html& sortable_table(std::string_view about, const std::vector<HtmlColumn>& columns,
                       const std::vector<std::vector<HtmlCell>>& rows);
  Html& picture(SvgOptions options, const std::function<void(Svg&)>& draw);
  // A text for scripts, as the content of an element: compressed with gzip, in base64.
  Html& packed(std::string_view id, std::string_view text);
  // Runs when the page is complete; must not contain "]]>".
  Html& script(std::string_view text);

  // A tag may have attributes that need no escape: "p class=\"muted\"".
  Html& element(std::string_view tag, std::string_view text, Attributes attributes = {});
  // Opens an element that contains what follows until close().
  Html& open(std::string_view tag, Attributes attributes = {});
  Html& close();

  // Closes everything.  Nothing may be written after it.
  void finish();

 private:
  void begin(std::string_view tag, Attributes attributes);

  Output& out_;
  std::vector<std::string> open_;
  bool sortable_ = false;
  std::string scripts_;
};

}  // namespace vitro::report
