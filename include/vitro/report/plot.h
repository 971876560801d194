// Plots of a page that fit any width: the picture stretches, its numbers are text beside it.
//   report::Html page(out, {.title = "…", .style = std::string(report::plot_style())});
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

// The CSS that a page with plots needs.
std::string_view plot_style();

struct PlotSeries {
  std::string name;
  std::vector<Point> points;  // x ascends
};

struct PlotOptions {
  enum class Kind : uint8_t {
    line,
    levels,   // a value lasts until the next point
    columns,  // points lie at 0, 1, 2, …, a column each
  };
  std::string title;
  Kind kind = Kind::line;
  std::function<std::string(double)> x_text, y_text;
  bool binary = false;  // ticks of y are round in powers of 1024
};

// Points too many for the eye are left out; the lowest and highest at each place stay.
void draw_plot(Html& page, const PlotOptions& options, const std::vector<PlotSeries>& series);

struct Share {
  std::string name;
  double value = 0;
  std::string text;  // the value, as it is read
};
// A line for each, with a bar as long as its part of the whole; 0: of the largest.
void draw_shares(Html& page, std::string_view title, const std::vector<Share>& shares,
                 double whole = 0);

// "120ms" of "120.000ms", for numbers at ticks.
std::string short_number(const std::string& text);

// Squares with their names: fill0 the first.
void draw_keys(Html& page, const std::vector<std::string>& names);

}  // namespace vitro::report
