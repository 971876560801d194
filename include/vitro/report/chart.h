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

// Maps values from `low` to `high` on pixels from `from` to `to`.
struct Axis {
  double low = 0, high = 1;
  double from = 0, to = 1;
  bool logarithmic = false;  // then low > 0

  double at(double value) const;
  // Round values between low and high, about as many as wanted: 1, 2 or 5 times a power of ten;
  // powers of ten where it is logarithmic.
  std::vector<double> ticks(size_t wanted = 6) const;
};

// An axis as it is drawn.
struct AxisView {
  Axis axis;
  std::string label;                          // what is measured, with its unit
  std::function<std::string(double)> number;  // the text at a tick
};

// Grid, ticks with their numbers, and labels: `x` below, `y` on the left.
void draw_axes(Svg& svg, const AxisView& x, const AxisView& y);

// One line of squares with their names, from `at` to the right: fill0 the first.
void draw_legend(Svg& svg, Point at, const std::vector<std::string>& names);

}  // namespace vitro::report
