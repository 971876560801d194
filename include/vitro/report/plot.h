// Plots for pages that fit any width: the picture stretches, its numbers are text beside it.
//   report::Html page(out, {.title = "…", .style = report::plot_style()});
//   report::draw_plot(page, {.title = "Queue", .x_text = time, .y_text = count}, {{"stream 7",
//   points}}); report::draw_shares(page, "Self time", {{"aten::mm", 12e6, "12.000ms"}});
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/report/html.h"

namespace vitro::report {

// The CSS needed by pages with plots.
std::string plot_style();

struct PlotSeries {
  std::string name;
  std::vector<Point> points;  // x is ascending
};

struct PlotOptions {
  enum class Kind : uint8_t {
    line,
    levels,   // each value lasts until the next point
    columns,  // points at 0, 1, 2, …, one column each
  };
  std::string title;
  Kind kind = Kind::line;
  std::function<std::string(double)> x_text, y_text;
  bool binary = false;  // ticks of y are round in powers of 1024
};

// Omits points too dense to see, keeping the lowest and highest at each position.
void draw_plot(Html& page, const PlotOptions& options, const std::vector<PlotSeries>& series);

struct Share {
  std::string name;
  double value = 0;
  std::string text;        // the value as text
  std::string shown = {};  // for a long name; empty: the name
};
// A line for each, with a bar as long as its share of `whole`; 0: of the largest.
void draw_shares(Html& page, std::string_view title, const std::vector<Share>& shares,
                 double whole = 0);

// "120ms" for "120.000ms", for numbers at ticks.
std::string short_number(const std::string& text);

// Squares with their names, beginning with fill0.
void draw_keys(Html& page, const std::vector<std::string>& names);

}  // namespace vitro::report
