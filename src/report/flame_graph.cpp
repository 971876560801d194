// Draws a flame tree as an SVG with a script for zooming by pointer and keyboard; flame.h is its
// interface.
#include <algorithm>

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

constexpr double width = 1200, margin = 10, head = 58, row = 18, narrowest = 0.1, text_margin = 3;
constexpr double full = width - 2 * margin;

constexpr std::string_view common_style =
    ".frame{cursor:pointer;--l:76%}.frame.b{--l:80%}.frame.c{--l:84%}"
    ".frame rect,.key{fill:hsl(var(--h) var(--s) var(--l));stroke:var(--page);stroke-width:.6}"
    ".frame:hover rect,.frame:focus "
    "rect{stroke:var(--text)}.frame:focus{outline:none}.frame:focus-visible "
    "rect{stroke-width:2.4}.frame.around{opacity:.6}.key{--l:80%}"
    "@media (prefers-color-scheme:dark){.frame{--l:30%}.frame.b{--l:34%}.frame.c{--l:38%}"
    ".key{--l:34%}}";

// Zooms the clicked box and its ancestors to the width of the picture and refits the texts.  Arrow
// keys move to the parent, children and siblings; the focused or hovered box is described at the
// top.
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
const said = svg.querySelector('.said'), usage = said.textContent;
const say = frame => { said.textContent = frame ? fit([...frame.box.querySelector('title').textContent.replace('\n', ': ')], 0.64 * full) : usage; };
const now = frame => +frame.box.getAttribute('x'), wide = frame => +frame.box.getAttribute('width');
const go = to => {
  if (!to) return;
  for (const frame of frames) frame.box.setAttribute('tabindex', frame === to ? 0 : -1);
  to.box.focus();
};
const beside = (from, key) => {
  const seen = frames.filter(frame => frame.box.style.display !== 'none');
  const level = y => seen.filter(frame => Math.abs(frame.y - y) < 1).sort((a, b) => now(a) - now(b));
  if (key === 'ArrowUp') return level(from.y - 18).findLast(frame => now(frame) <= now(from) + near);
  if (key === 'ArrowDown') return level(from.y + 18).filter(frame => now(frame) >= now(from) - near && now(frame) < now(from) + wide(from) - near)
    .sort((a, b) => wide(b) - wide(a))[0];
  const row = level(from.y);
  return row[row.indexOf(from) + (key === 'ArrowRight' ? 1 : -1)];
};
for (const frame of frames) {
  frame.box.setAttribute('tabindex', -1);
  frame.box.addEventListener('click', () => zoom(frame));
  for (const on of ['focus', 'pointerenter']) frame.box.addEventListener(on, () => say(frame));
  for (const off of ['blur', 'pointerleave']) frame.box.addEventListener(off, () => say());
  frame.box.addEventListener('keydown', event => {
    if (event.key === 'Enter') zoom(frame);
    else if (event.key.startsWith('Arrow')) go(beside(frame, event.key));
    else return;
    event.preventDefault();
  });
}
frames[0].box.setAttribute('tabindex', 0);
document.addEventListener('keydown', event => { if (event.key === 'Escape') zoom(frames[0]); });
})();
)js";

std::string style_of(std::span<const FlameKind> kinds) {
  std::string style(common_style);
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
                   .style = style_of(options.kinds)}) {
    svg_.text({margin, 20}, shorten(options.title, columns_in(full / 3)));
    legend();
  }

  void draw() {
    std::vector<double> next(1, margin);  // the begin of the next box at each depth
    for (const FlameNode& node : nodes_) {
      next.resize(node.depth + 2);
      const double x = next[node.depth], share = full * part(node);
      next[node.depth] += share;
      next[node.depth + 1] = x;
      if (share >= narrowest) box(node, x, share);
    }
    svg_.script(script).finish();
  }

 private:
  double part(const FlameNode& node) const {
    if (node.depth == 0) return 1;
    return static_cast<double>(node.total) / static_cast<double>(whole_);
  }
  double height() const {
    uint32_t depth = 0;
    for (const FlameNode& node : nodes_) {
      if (full * part(node) >= narrowest) depth = std::max(depth, node.depth);
    }
    return head + (depth + 1) * row + margin;
  }

  void legend() {
    double x = margin;
    for (size_t i = 0; i < options_.kinds.size(); ++i) {
      const std::string_view name = options_.kinds[i].name;
      if (!options_.kinds[i].in_legend) continue;
      svg_.rect({x, 34, 10, 10}, cat("key k", i)).text({x + 16, 43}, name, {}, "muted");
      x += 40 + static_cast<double>(name.size()) * column_width;
    }
    svg_.text({width - margin, 20}, "click or Enter: zoom, Escape: back, Tab and arrows: move",
              Anchor::end, "muted said");
  }

  void box(const FlameNode& node, double x, double share) {
    constexpr std::string_view shades[] = {"a", "b", "c"};
    const std::string classes =
        cat("frame k", int{node.kind}, " ", shades[hash_of(node.name).low % 3]);
    svg_.open("svg", {{"class", classes},
                      {"x", pixels(x)},
                      {"y", pixels(head + node.depth * row)},
                      {"width", pixels(share)},
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
