// Axes of a picture.
//   const report::Axis x{.low = 0, .high = 2.5, .from = 60, .to = 780};
//   const report::Axis y{.low = 1, .high = 1e4, .from = 260, .to = 20, .logarithmic = true};
//   report::draw_axes(svg, {x, "time, s", number}, {y, "GFLOP/s", number});
//   svg.circle({x.at(1.2), y.at(300)}, 3, "fill0");
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vitro/report/svg.h"

namespace vitro::report {

// Maps values from `low` to `high` to pixels from `from` to `to`.
struct Axis {
  double low = 0, high = 1;
  double from = 0, to = 1;
  bool logarithmic = false;  // then low > 0

  double at(double value) const;
  // About `wanted` round values between low and high: 1, 2 or 5 times a power of ten, or powers of
  // ten if logarithmic.
  std::vector<double> ticks(size_t wanted = 6) const;
};

// The drawing of an axis.
struct AxisView {
  Axis axis;
  std::string label;                          // the quantity, with its unit
  std::function<std::string(double)> number;  // the text at a tick
};

// Grid, ticks with their numbers, and labels: `x` below, `y` on the left.
void draw_axes(Svg& svg, const AxisView& x, const AxisView& y);

// A line of squares with their names, from `at` to the right, beginning with fill0.
void draw_legend(Svg& svg, Point at, const std::vector<std::string>& names);

}  // namespace vitro::report
