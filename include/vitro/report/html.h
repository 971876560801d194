// A page of HTML that needs nothing from outside, readable on light and dark ground, on wide and
// narrow screens, and with the keyboard alone.
//   report::Html page(out, "Memory of train");
//   page.heading("Peak").paragraph("12.0 MiB at 1.2 s");
//   page.table({"category", "bytes"}, {{"parameter", "4096"}});
//   page.picture({.width = 800, .height = 300, .title = "…"}, [&](report::Svg& svg) { … });
//   page.finish();
// Text may hold any bytes.  The page is well-formed XML too.  It belongs to one thread.  plot.h has
// plots.
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
  std::string title;       // stands in the window and above the page
  std::string style = {};  // CSS of this page's own classes
};

// A cell of a table that readers may sort.
struct HtmlCell {
  std::string text;
  std::optional<double> value = {};  // what it is sorted by; without one the text
};
struct HtmlColumn {
  std::string name;
  bool numbers = false;  // set to the right
};

class Html {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  Html(Output& out, std::string_view title) : Html(out, HtmlOptions{std::string(title)}) {}
  Html(Output& out, const HtmlOptions& options);
  Html(const Html&) = delete;

  Html& heading(std::string_view text);
  Html& paragraph(std::string_view text);
  // Each row has a cell for each column; all columns but the first are set to the right.
  Html& table(const std::vector<std::string>& columns,
              const std::vector<std::vector<std::string>>& rows);
  // A click on a name sorts by it.  `about` names the table to those who do not see it.
  Html& sortable_table(std::string_view about, const std::vector<HtmlColumn>& columns,
                       const std::vector<std::vector<HtmlCell>>& rows);
  Html& picture(SvgOptions options, const std::function<void(Svg&)>& draw);
  // Runs when all of the page is there; without "]]>".
  Html& script(std::string_view text);

  Html& element(std::string_view tag, std::string_view text, Attributes attributes = {});
  // What follows stands in it until close().
  Html& open(std::string_view tag, Attributes attributes = {});
  Html& close();

  // Closes all that is open.  Nothing may be written after it.
  void finish();

 private:
  void begin(std::string_view tag, Attributes attributes);

  Output& out_;
  std::vector<std::string> open_;
  bool sortable_ = false;
  std::string scripts_;
};

}  // namespace vitro::report
