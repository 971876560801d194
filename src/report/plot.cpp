// Draws line, level and bar plots for HTML pages, thinning points too dense to see; plot.h is its
// interface.
#include "vitro/report/plot.h"

#include <algorithm>
#include <cmath>

#include "report/page_text.h"
#include "vitro/base/cat.h"
#include "vitro/report/chart.h"

namespace vitro::report {
namespace {

constexpr double width = 1000, height = 200;
constexpr size_t most_columns = 500;

struct Frame {
  Axis x, y;
  double unit = 1;  // unit in which ticks of y are round
};

// A round range from the least to the most value, including zero.
Frame frame_of(const PlotOptions& options, const std::vector<PlotSeries>& series) {
  Frame frame{{.low = HUGE_VAL, .high = -HUGE_VAL, .from = 0, .to = width},
              {.low = 0, .high = 0, .from = height, .to = 0}};
  for (const PlotSeries& each : series) {
    for (const Point& point : each.points) {
      frame.x.low = std::min(frame.x.low, point.x);
      frame.x.high = std::max(frame.x.high, point.x);
      frame.y.low = std::min(frame.y.low, point.y);
      frame.y.high = std::max(frame.y.high, point.y);
    }
  }
  if (frame.x.low > frame.x.high) frame.x.low = frame.x.high = 0;
  if (options.kind == PlotOptions::Kind::columns) ++frame.x.high;
  if (!(frame.x.high > frame.x.low)) frame.x.high = frame.x.low + 1;
  const double most = std::max(frame.y.high, -frame.y.low);
  while (options.binary && most >= frame.unit * 1024) frame.unit *= 1024;
  frame.y.low /= frame.unit;
  frame.y.high = most > 0 ? frame.y.high / frame.unit : 1;
  return frame;
}

// The first, lowest, highest and last of the points in a column of pixels.
void append_column(const std::vector<Point>& points, size_t from, size_t to,
                   std::vector<Point>& out) {
  size_t low = from, high = from;
  for (size_t i = from; i < to; ++i) {
    if (points[i].y < points[low].y) low = i;
    if (points[i].y > points[high].y) high = i;
  }
  size_t kept[] = {from, std::min(low, high), std::max(low, high), to - 1};
  for (size_t i = 0; i < std::size(kept); ++i)
    if (i == 0 || kept[i] != kept[i - 1]) out.push_back(points[kept[i]]);
}

std::vector<Point> thinned(const std::vector<Point>& points, const Axis& x) {
  if (points.size() <= 4 * most_columns) return points;
  std::vector<Point> out;
  const double per_column = (x.high - x.low) / static_cast<double>(most_columns);
  const auto column = [&](size_t i) { return std::floor((points[i].x - x.low) / per_column); };
  for (size_t from = 0; from < points.size();) {
    size_t to = from;
    while (to < points.size() && column(to) == column(from)) ++to;
    append_column(points, from, to, out);
    from = to;
  }
  return out;
}

void draw_line(Svg& svg, const Frame& frame, const PlotOptions& options, const PlotSeries& series,
               size_t colour) {
  std::vector<Point> line;
  for (const Point& point : thinned(series.points, frame.x)) {
    const Point next{frame.x.at(point.x), frame.y.at(point.y / frame.unit)};
    if (options.kind == PlotOptions::Kind::levels && !line.empty())
      line.push_back({next.x, line.back().y});
    line.push_back(next);
  }
  svg.polyline(line, cat("stroke", colour % 8));
}

void draw_columns(Svg& svg, const Frame& frame, const PlotOptions& options,
                  const std::vector<Point>& points) {
  const size_t together = (points.size() + most_columns - 1) / most_columns;
  for (size_t i = 0; i < points.size(); i += together) {
    const size_t end = std::min(i + together, points.size());
    Point most = points[i];
    for (size_t k = i; k < end; ++k)
      if (points[k].y > most.y) most = points[k];
    const double left = frame.x.at(static_cast<double>(i));
    const double right = frame.x.at(static_cast<double>(end));
    const double top = frame.y.at(most.y / frame.unit), gap = 0.1 * (right - left);
    svg.rect({left + gap, top, right - left - 2 * gap, height - top}, "fill0",
             cat(options.x_text(most.x), ": ", options.y_text(most.y)));
  }
}

std::string percent_of(double part) {
  return cat(pixels(100 * part), "%");
}

void draw_numbers(Html& page, const Frame& frame, const PlotOptions& options) {
  for (const double tick : frame.y.ticks(4)) {
    page.element("span", short_number(options.y_text(tick * frame.unit)),
                 {{"class", "y"}, {"style", cat("top:", percent_of(frame.y.at(tick) / height))}});
  }
  const bool columns = options.kind == PlotOptions::Kind::columns;
  const double to_middle = columns ? 0.5 : 0;
  size_t n = 0;
  for (const double tick : frame.x.ticks(5)) {
    if (columns && (tick != std::floor(tick) || tick >= frame.x.high)) continue;
    const double at = frame.x.at(tick + to_middle) / width;
    page.element(
        "span", short_number(options.x_text(tick)),
        {{"class", n++ % 2 == 0 ? "x" : "x odd"}, {"style", cat("left:", percent_of(at))}});
  }
}

}  // namespace

std::string plot_style() {
  return text_of(plot_css);
}

std::string short_number(const std::string& text) {
  const size_t point = text.find('.');
  if (point == std::string::npos) return text;
  size_t end = text.find_first_not_of("0123456789", point + 1);
  if (end == std::string::npos) end = text.size();
  size_t keep = end;
  while (keep > point + 1 && text[keep - 1] == '0') --keep;
  if (keep == point + 1) keep = point;
  return text.substr(0, keep) + text.substr(end);
}

void draw_plot(Html& page, const PlotOptions& options, const std::vector<PlotSeries>& series) {
  const Frame frame = frame_of(options, series);
  page.open("figure").element("figcaption", options.title).open("div class=\"area\"");
  page.picture({.width = width, .height = height, .title = options.title, .stretched = true},
               [&](Svg& svg) {
                 for (const double tick : frame.y.ticks(4))
                   svg.line({0, frame.y.at(tick)}, {width, frame.y.at(tick)}, "grid");
                 for (size_t i = 0; i < series.size(); ++i) {
                   if (options.kind == PlotOptions::Kind::columns) {
                     draw_columns(svg, frame, options, series[i].points);
                   } else {
                     draw_line(svg, frame, options, series[i], i);
                   }
                 }
               });
  draw_numbers(page, frame, options);
  page.close();
  if (series.size() > 1) {
    std::vector<std::string> names;
    for (const PlotSeries& each : series) names.push_back(each.name);
    draw_keys(page, names);
  }
  page.close();
}

void draw_shares(Html& page, std::string_view title, const std::vector<Share>& shares,
                 double whole) {
  double most = whole;
  for (const Share& share : shares) most = std::max(most, share.value);
  page.open("figure").element("figcaption", title).open("ul class=\"shares\"");
  for (const Share& share : shares) {
    const double part = most > 0 ? std::max(share.value, 0.0) / most : 0;
    page.open("li");
    page.element("span", share.shown.empty() ? share.name : share.shown,
                 {{"class", "name"}, {"title", share.name}});
    page.element("span class=\"bar\"", "", {{"style", cat("--part:", percent_of(part))}});
    page.element("span class=\"value\"", share.text).close();
  }
  page.close().close();
}

void draw_keys(Html& page, const std::vector<std::string>& names) {
  page.open("ul class=\"keys\"");
  for (size_t i = 0; i < names.size(); ++i)
    page.open("li", {{"style", cat("--key:var(--c", i % 8, ")")}})
        .element("span", names[i])
        .close();
  page.close();
}

}  // namespace vitro::report
