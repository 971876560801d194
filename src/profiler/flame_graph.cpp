// The picture of a call tree.

#include <algorithm>

#include "vitro/base/cat.h"
#include "vitro/base/hash.h"
#include "vitro/profiler/call_tree.h"
#include "vitro/report/svg.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro {
namespace {

using Node = CallTree::Node;

constexpr double width = 1200, margin = 10, head = 58, row = 18, narrowest = 0.1, text_margin = 3;
constexpr double full = width - 2 * margin;

constexpr std::string_view style =
    ".frame{cursor:pointer;--l:76%}.frame.b{--l:80%}.frame.c{--l:84%}"
    ".frame rect,.key{fill:hsl(var(--h) var(--s) var(--l));stroke:var(--page);stroke-width:.6}"
    ".frame:hover rect{stroke:var(--text)}.frame.around{opacity:.6}.key{--l:80%}"
    ".all,.thread{--h:215;--s:12%}.op{--h:28;--s:85%}.kernel{--h:150;--s:45%}"
    ".region{--h:265;--s:60%}.range{--h:205;--s:70%}.phase{--h:345;--s:60%}"
    ".work{--h:175;--s:40%}.eager{--h:55;--s:70%}"
    "@media (prefers-color-scheme:dark){.frame{--l:30%}.frame.b{--l:34%}.frame.c{--l:38%}"
    ".key{--l:34%}}";

// Makes what was clicked as wide as the picture, what is around it too, and fits the texts again.
constexpr std::string_view script = R"js((() => {
const svg = document.currentScript.ownerSVGElement, margin = 10, full = 1180, column = 7.3, near = 0.02;
const frames = [...svg.querySelectorAll('.frame')].map(box => ({box, x: +box.getAttribute('x'),
  width: +box.getAttribute('width'), y: +box.getAttribute('y'), text: box.querySelector('text'),
  name: [...box.querySelector('title').textContent.split('\n')[0]]}));
const fit = (name, width) => {
  const columns = Math.floor((width - 6) / column);
  return name.length <= columns ? name.join('') : columns < 2 ? '' : name.slice(0, columns - 1).join('') + '…';
};
const show = (frame, x, width) => {
  frame.box.setAttribute('x', x);
  frame.box.setAttribute('width', width);
  frame.text.textContent = fit(frame.name, width);
};
const zoom = to => {
  for (const frame of frames) {
    const around = frame.y < to.y && frame.x <= to.x + near && frame.x + frame.width >= to.x + to.width - near;
    const inside = frame.y >= to.y && frame.x >= to.x - near && frame.x + frame.width <= to.x + to.width + near;
    frame.box.style.display = around || inside ? '' : 'none';
    frame.box.classList.toggle('around', around);
    if (around) show(frame, margin, full);
    if (inside) show(frame, margin + (frame.x - to.x) / to.width * full, frame.width / to.width * full);
  }
};
for (const frame of frames) frame.box.addEventListener('click', () => zoom(frame));
document.addEventListener('keydown', event => { if (event.key === 'Escape') zoom(frames[0]); });
})();
)js";

std::string_view css_class(const Node& node) {
  switch (node.kind) {
    case CallTree::Kind::all:
      return "all";
    case CallTree::Kind::thread:
      return "thread";
    case CallTree::Kind::slice:
      return name_of(node.slice_kind);
  }
  return "all";
}

std::string amount(Metric metric, int64_t value) {
  const auto number = static_cast<double>(value);
  switch (metric) {
    case Metric::self_cpu_time:
      return report::time_text(number);
    case Metric::allocated:
      return report::bytes_text(number);
    case Metric::calls:
      return cat(value, " calls");
  }
  return {};
}

class Picture {
 public:
  Picture(const CallTree& tree, std::string_view title, report::Output& out)
      : tree_(tree),
        whole_(std::max<int64_t>(tree.nodes().front().total, 1)),
        svg_(out, {.width = width,
                   .height = height(),
                   .title = std::string(title),
                   .style = std::string(style)}) {
    svg_.text({margin, 20}, report::shorten(title, report::columns_in(full)));
    legend();
  }

  void draw() {
    std::vector<double> next(1, margin);  // where the next box of each depth begins
    for (const Node& node : tree_.nodes()) {
      next.resize(node.depth + 2);
      const double x = next[node.depth], share = full * part(node);
      next[node.depth] += share;
      next[node.depth + 1] = x;
      if (share >= narrowest) box(node, x, share);
    }
    svg_.script(script).finish();
  }

 private:
  double part(const Node& node) const {
    if (node.kind == CallTree::Kind::all) return 1;
    return static_cast<double>(node.total) / static_cast<double>(whole_);
  }
  double height() const {
    uint32_t depth = 0;
    for (const Node& node : tree_.nodes()) {
      if (full * part(node) >= narrowest) depth = std::max(depth, node.depth);
    }
    return head + (depth + 1) * row + margin;
  }

  void legend() {
    constexpr std::string_view kinds[] = {"op",    "kernel", "work", "region",
                                          "eager", "range",  "phase"};
    double x = margin;
    for (const std::string_view kind : kinds) {
      svg_.rect({x, 34, 10, 10}, cat("key ", kind)).text({x + 16, 43}, kind, {}, "muted");
      x += 40 + static_cast<double>(kind.size()) * report::column_width;
    }
    svg_.text({width - margin, 43}, "click: zoom, Escape: back", report::Anchor::end, "muted");
  }

  void box(const Node& node, double x, double share) {
    constexpr std::string_view shades[] = {"a", "b", "c"};
    const std::string classes =
        cat("frame ", css_class(node), " ", shades[hash_of(node.name).low % 3]);
    svg_.open("svg", {{"class", classes},
                      {"x", report::pixels(x)},
                      {"y", report::pixels(head + node.depth * row)},
                      {"width", report::pixels(share)},
                      {"height", report::pixels(row)}});
    svg_.tooltip(
        cat(node.name, "\n", amount(tree_.metric(), node.total), " (",
            report::percent_text(static_cast<double>(node.total), static_cast<double>(whole_)),
            "), ", amount(tree_.metric(), node.self), " of its own, ", node.calls, " calls"));
    svg_.open("rect", {{"width", "100%"}, {"height", "100%"}}).close();
    const std::string text =
        report::shorten(node.name, report::columns_in(share - 2 * text_margin));
    svg_.text({text_margin, 13}, text == "…" ? "" : text).close();
  }

  const CallTree& tree_;
  int64_t whole_;
  report::Svg svg_;
};

}  // namespace

void write_flame_graph(const CallTree& tree, std::string_view title, report::Output& out) {
  Picture(tree, title, out).draw();
}

}  // namespace vitro
