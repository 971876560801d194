// Draws a flame tree as an SVG with a script for zooming by pointer and keyboard; flame.h is its
// interface.
#include <algorithm>
#include <cstdio>

#include "report/page_text.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"
#include "vitro/base/error.h"
#include "vitro/base/hash.h"
#include "vitro/report/flame.h"
#include "vitro/report/svg.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro::report {
namespace {

// The picture is as wide as its window; texts are for this width until the script fits them.
constexpr double width = 1200, margin = 4, head = 62, row = 18, narrowest = 0.1, text_margin = 3;

std::string style_of(std::span<const FlameKind> kinds) {
  std::string style = text_of(flame_css);
  for (size_t i = 0; i < kinds.size(); ++i)
    style += cat(".k", i, "{--h:", kinds[i].hue, ";--s:", kinds[i].saturation, "%}");
  return style;
}

class Picture {
 public:
  Picture(std::span<const FlameNode> nodes, const FlameOptions& options, Output& out)
      : nodes_(nodes),
        options_(options),
        whole_(std::max<int64_t>(nodes.front().total, 1)),
        svg_(out, {.width = width,
                   .height = height(),
                   .title = options.title,
                   .style = style_of(options.kinds),
                   .fluid = true}) {
    svg_.text({margin, 17}, shorten(options.title, columns_in(width / 3)));
    legend();
  }

  void draw() {
    std::vector<double> next(1, 0);  // the begin of the next box at each depth
    for (const FlameNode& node : nodes_) {
      next.resize(node.depth + 2);
      const double x = next[node.depth], share = width * part(node);
      next[node.depth] += share;
      next[node.depth + 1] = x;
      if (share >= narrowest) box(node, x, share);
    }
    svg_.script(text_of(flame_js)).finish();
  }

 private:
  double part(const FlameNode& node) const {
    if (node.depth == 0) return 1;
    return static_cast<double>(node.total) / static_cast<double>(whole_);
  }
  double height() const {
    uint32_t depth = 0;
    for (const FlameNode& node : nodes_) {
      if (width * part(node) >= narrowest) depth = std::max(depth, node.depth);
    }
    return head + (depth + 1) * row + margin;
  }

  void legend() {
    double x = margin;
    for (size_t i = 0; i < options_.kinds.size(); ++i) {
      const std::string_view name = options_.kinds[i].name;
      if (!options_.kinds[i].in_legend) continue;
      svg_.rect({x, 46, 10, 10}, cat("key k", i)).text({x + 16, 55}, name, {}, "muted");
      x += 40 + static_cast<double>(name.size()) * column_width;
    }
    svg_.text(
        {margin, 36},
        "click or Enter: zoom, Escape: back, Tab and arrows: move, /: search, o: order by name or "
        "size",
        {}, "muted said");
  }

  // In steps of a hundredth of a pixel.
  static std::string percent(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g%%", 100 * x / width);
    return text;
  }

  void box(const FlameNode& node, double x, double share) {
    constexpr std::string_view shades[] = {"a", "b", "c"};
    const std::string classes =
        cat("frame k", int{node.kind}, " ", shades[hash_of(node.name).low % 3]);
    svg_.open("svg", {{"class", classes},
                      {"x", percent(x)},
                      {"y", pixels(head + node.depth * row)},
                      {"width", percent(share)},
                      {"height", pixels(row)}});
    const auto total = static_cast<double>(node.total), whole = static_cast<double>(whole_);
    const std::string calls = node.calls == 0 ? "" : cat(", ", counted(node.calls, "call"));
    svg_.tooltip(cat(node.name, "\n", options_.amount(node.total), " (", percent_text(total, whole),
                     "), ", options_.amount(node.self), " of its own", calls));
    svg_.open("rect", {{"width", "100%"}, {"height", "100%"}}).close();
    const std::string text = shorten(node.name, columns_in(share - 2 * text_margin));
    svg_.text({text_margin, 13}, text == "…" ? "" : text).close();
  }

  std::span<const FlameNode> nodes_;
  const FlameOptions& options_;
  int64_t whole_;
  Svg svg_;
};

}  // namespace

void write_flame_graph(std::span<const FlameNode> nodes, const FlameOptions& options, Output& out) {
  VITRO_ASSERT(!nodes.empty(), "the first node is the root");
  Picture(nodes, options, out).draw();
}

}  // namespace vitro::report
