#include "vitro/report/chart.h"

#include <algorithm>
#include <cmath>

#include "vitro/base/cat.h"
#include "vitro/report/table.h"

namespace vitro::report {
namespace {

std::vector<double> powers_of_ten(const Axis& axis, size_t wanted) {
  const double first = std::ceil(std::log10(axis.low)), last = std::floor(std::log10(axis.high));
  const double step = std::max(1.0, std::ceil((last - first + 1) / static_cast<double>(wanted)));
  std::vector<double> ticks;
  for (double exponent = first; exponent <= last; exponent += step)
    ticks.push_back(std::pow(10.0, exponent));
  return ticks;
}

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

}  // namespace

double Axis::at(double value) const {
  const double part =
      logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + part * (to - from);
}

std::vector<double> Axis::ticks(size_t wanted) const {
  if (!(high > low) || wanted == 0) return {low};
  if (logarithmic) return powers_of_ten(*this, wanted);
  const double step = round_step((high - low) / static_cast<double>(wanted));
  std::vector<double> found;
  for (double n = std::ceil(low / step); n * step <= high * (1 + 1e-12); ++n)
    found.push_back(n * step);
  return found;
}

void draw_axes(Svg& svg, const AxisView& x, const AxisView& y) {
  constexpr double below = 16, left = 6;
  for (const double tick : x.axis.ticks()) {
    const double at = x.axis.at(tick);
    svg.line({at, y.axis.from}, {at, y.axis.to}, "grid");
    svg.text({at, y.axis.from + below}, x.number(tick), Anchor::middle, "muted");
  }
  for (const double tick : y.axis.ticks()) {
    const double at = y.axis.at(tick);
    svg.line({x.axis.from, at}, {x.axis.to, at}, "grid");
    svg.text({x.axis.from - left, at + font_size / 3}, y.number(tick), Anchor::end, "muted");
  }
  svg.line({x.axis.from, y.axis.from}, {x.axis.to, y.axis.from}, "axis");
  svg.line({x.axis.from, y.axis.from}, {x.axis.from, y.axis.to}, "axis");
  svg.text({x.axis.to, y.axis.from + 2 * below + 2}, x.label, Anchor::end);
  svg.text({x.axis.from, y.axis.to - 8}, y.label);
}

void draw_legend(Svg& svg, Point at, const std::vector<std::string>& names) {
  constexpr double square = 10, gap = 6, between = 18;
  for (size_t i = 0; i < names.size(); ++i) {
    svg.rect({at.x, at.y - square + 1, square, square}, cat("fill", i % 8));
    svg.text({at.x + square + gap, at.y}, names[i]);
    at.x += square + gap + static_cast<double>(display_width(names[i])) * column_width + between;
  }
}

}  // namespace vitro::report
