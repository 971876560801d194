// A page of HTML that needs nothing from outside, readable on light and dark ground.
//   report::Html page(out, "Memory of train");
//   page.heading("Peak").paragraph("12.0 MiB at 1.2 s");
//   page.table({"category", "bytes"}, {{"parameter", "4096"}});
//   page.picture({.width = 800, .height = 300, .title = "…"}, [&](report::Svg& svg) { … });
//   page.finish();
// Text may hold any bytes.  A page belongs to one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/report/svg.h"

namespace vitro::report {

class Html {
 public:
  // The title stands in the window and above the page.
  Html(Output& out, std::string_view title);
  Html(const Html&) = delete;

  Html& heading(std::string_view text);
  Html& paragraph(std::string_view text);
  // Each row has a cell for each column; all columns but the first are set to the right.
  Html& table(const std::vector<std::string>& columns,
              const std::vector<std::vector<std::string>>& rows);
  Html& picture(SvgOptions options, const std::function<void(Svg&)>& draw);

  // Nothing may be written after it.
  void finish();

 private:
  Html& element(std::string_view tag, std::string_view text);

  Output& out_;
};

}  // namespace vitro::report
