// Diagrams: groups become frames, each laid out by itself from the innermost to the outermost;
// edges across frames are cut at their borders.
#include "vitro/report/diagram.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "report/layers.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/svg.h"
#include "vitro/report/table.h"

namespace vitro::report {
namespace {

constexpr double padding = 10, line_height = 16, header = 22, layer_gap = 26, margin = 16;
constexpr size_t most_columns = 64;

constexpr std::string_view diagram_style =
    "svg .frame{fill:var(--text);fill-opacity:.035;stroke:var(--grid);rx:8px}"
    "svg .box{fill:var(--page);stroke:var(--muted);rx:4px}"
    "svg .terminal{fill:var(--page);stroke:var(--c0);stroke-width:1.5;rx:12px}"
    "svg .wire{fill:none;stroke:var(--muted);stroke-width:1.2}"
    "svg .wire:hover{stroke:var(--c2);stroke-width:2.5}";

struct Frame;

// What stands in a frame: a node, or another frame.
struct Item {
  uint32_t first = 0, end = 0;   // the nodes in it
  std::unique_ptr<Frame> frame;  // null: it is the node
  Box box;                       // in the frame around it
  // Where the edges from a node end and begin on its borders; others do so in the middle.
  std::map<uint32_t, double> top, bottom;

  static double port(const std::map<uint32_t, double>& ports, uint32_t source, double width) {
    const auto found = ports.find(source);
    return found == ports.end() ? width / 2 : found->second;
  }
  double port_above(uint32_t source) const { return port(top, source, box.width); }
  double port_below(uint32_t source) const { return port(bottom, source, box.width); }
};

// The edges from one node as far as they are in a frame.
struct Net {
  static constexpr uint32_t from_outside = ~0U;
  uint32_t from = from_outside;  // an item
  std::set<uint32_t> to;         // items
  bool leaves = false;
};

// A line that leads down: a curve, or straight through a layer.
struct Wire {
  uint32_t source;
  Point from, to;
};

struct Frame {
  std::string title, path;
  std::vector<Item> items;
  std::map<uint32_t, Net> nets;  // by the node where they begin
  std::vector<Wire> wires;

  uint32_t item_with(uint32_t node) const {
    const auto after = std::ranges::upper_bound(items, node, {}, &Item::first);
    return static_cast<uint32_t>(after - items.begin()) - 1;
  }
};

// ---- the tree of frames ----

// The part of `group` after `depth` characters up to the next dot.
std::string_view level_after(std::string_view group, size_t depth) {
  if (depth >= group.size()) return {};
  const std::string_view rest = group.substr(depth == 0 ? 0 : depth + 1);
  return rest.substr(0, rest.find('.'));
}

std::vector<Item> items_of(std::span<const DiagramNode> nodes, uint32_t first, uint32_t end,
                           size_t depth) {
  std::vector<Item> out;
  for (uint32_t i = first; i < end;) {
    const std::string_view level = level_after(nodes[i].group, depth);
    Item& item = out.emplace_back();
    item.first = i;
    if (level.empty()) {
      item.end = ++i;
      continue;
    }
    while (i < end && level_after(nodes[i].group, depth) == level) ++i;
    item.end = i;
    item.frame = std::make_unique<Frame>();
    item.frame->title = level;
    const size_t inside = depth + level.size() + (depth == 0 ? 0 : 1);
    item.frame->path = nodes[item.first].group.substr(0, inside);
    item.frame->items = items_of(nodes, item.first, i, inside);
    // A frame that only holds a frame is the same one.
    std::vector<Item>& inner = item.frame->items;
    if (inner.size() == 1 && inner[0].frame) {
      std::unique_ptr<Frame> only = std::move(inner[0].frame);
      only->title = cat(level, '.', only->title);
      item.frame = std::move(only);
    }
  }
  return out;
}

void add_edge(Frame& root, uint32_t from, uint32_t to) {
  Frame* around = &root;  // the innermost frame that holds both
  while (around->item_with(from) == around->item_with(to))
    around = around->items[around->item_with(from)].frame.get();
  Net& shared = around->nets[from];
  shared.from = around->item_with(from);
  shared.to.insert(around->item_with(to));
  for (Frame* one = around->items[shared.from].frame.get(); one;) {
    Net& net = one->nets[from];
    net.from = one->item_with(from);
    net.leaves = true;
    one = one->items[net.from].frame.get();
  }
  for (Frame* one = around->items[around->item_with(to)].frame.get(); one;) {
    const uint32_t item = one->item_with(to);
    one->nets[from].to.insert(item);
    one = one->items[item].frame.get();
  }
}

// ---- the layout of a frame ----

class FrameLayout {
 public:
  explicit FrameLayout(Frame& frame) : frame_(frame) {}

  // Of the frame; sets the ports of `item`, which it is in.
  void lay_out(Item& item) {
    choose_layers();
    for (uint32_t i = 0; i < frame_.items.size(); ++i)
      vertices_.push_back({layers_[i], frame_.items[i].box.width});
    for (const auto& [source, net] : frame_.nets) add_net(source, net);
    place_vertices(vertices_, edges_);
    set_heights();
    double width = columns_width(frame_.title);
    for (const LayerVertex& one : vertices_) width = std::max(width, one.x + one.width);
    for (uint32_t i = 0; i < frame_.items.size(); ++i) {
      Box& box = frame_.items[i].box;
      box.x = padding + vertices_[i].x;
      box.y = tops_[layers_[i]] + (heights_[layers_[i]] - box.height) / 2;
    }
    item.box = {0, 0, width + 2 * padding, tops_.back() + heights_.back()};
    draw_wires();
    for (const auto& [source, vertex] : entries_) item.top[source] = centre(vertex);
    for (const auto& [source, vertex] : exits_) item.bottom[source] = centre(vertex);
  }

  static double columns_width(std::string_view text) {
    return static_cast<double>(display_width(text)) * column_width;
  }

 private:
  // The longest way to an item from above; items that nothing leads to stand next to their first
  // reader.  Edges from outside enter in a layer of their own, as those that leave do.
  void choose_layers() {
    const bool is_entered = std::ranges::any_of(
        frame_.nets, [](const auto& one) { return one.second.from == Net::from_outside; });
    const uint32_t first = is_entered ? 1 : 0;
    layers_.assign(frame_.items.size(), first);
    std::vector<bool> is_led_to(frame_.items.size());
    std::vector<std::vector<uint32_t>> readers(frame_.items.size());
    for (const auto& [source, net] : frame_.nets) {
      for (const uint32_t to : net.to) {
        is_led_to[to] = true;
        if (net.from != Net::from_outside) readers[net.from].push_back(to);
      }
    }
    for (uint32_t i = 0; i < layers_.size(); ++i)
      for (const uint32_t to : readers[i]) layers_[to] = std::max(layers_[to], layers_[i] + 1);
    last_ = std::ranges::max(layers_) + 1;
    for (uint32_t i = 0; i < layers_.size(); ++i) {
      if (is_led_to[i] || readers[i].empty()) continue;
      uint32_t nearest = last_;
      for (const uint32_t to : readers[i]) nearest = std::min(nearest, layers_[to]);
      layers_[i] = nearest - 1;
    }
  }

  uint32_t add_bend(uint32_t layer) {
    vertices_.push_back({layer, 0, true});
    return static_cast<uint32_t>(vertices_.size()) - 1;
  }

  // One way down past the layers, from which the edges to the items branch off.
  void add_net(uint32_t source, const Net& net) {
    const bool enters = net.from == Net::from_outside;
    uint32_t layer = enters ? 0 : layers_[net.from];
    std::vector<uint32_t> way{enters ? add_bend(0) : net.from};
    if (enters) entries_[source] = way[0];
    uint32_t lowest = net.leaves ? last_ : 0;
    for (const uint32_t to : net.to) lowest = std::max(lowest, layers_[to]);
    const auto port = [&](uint32_t vertex) {
      return vertex == net.from ? frame_.items[vertex].port_below(source) : 0;
    };
    const auto connect = [&](uint32_t from, uint32_t to, double to_port) {
      edges_.push_back({from, to, port(from), to_port});
      sources_.push_back(source);
    };
    const uint32_t top = layer;
    while (++layer < lowest) {
      way.push_back(add_bend(layer));
      connect(way[way.size() - 2], way.back(), 0);
    }
    for (const uint32_t to : net.to)
      connect(way[layers_[to] - 1 - top], to, frame_.items[to].port_above(source));
    if (net.leaves) {
      exits_[source] = add_bend(last_);
      connect(way.back(), exits_[source], 0);
    }
  }

  void set_heights() {
    const bool is_left = !exits_.empty();
    heights_.assign(last_ + (is_left ? 1 : 0), 0);
    for (uint32_t i = 0; i < frame_.items.size(); ++i)
      heights_[layers_[i]] = std::max(heights_[layers_[i]], frame_.items[i].box.height);
    double y = 0;
    if (entries_.empty()) {
      y = header;
    } else {
      heights_[0] = header;
    }
    for (const double height : heights_) {
      tops_.push_back(y);
      y += height + layer_gap;
    }
    if (is_left) {  // at the border
      tops_.back() -= layer_gap / 2;
    } else {
      heights_.back() += padding;
    }
  }

  double centre(uint32_t vertex) const {
    return padding + vertices_[vertex].x + vertices_[vertex].width / 2;
  }
  double top_of(uint32_t vertex) const { return tops_[vertices_[vertex].layer]; }
  double bottom_of(uint32_t vertex) const { return top_of(vertex) + height_of(vertex); }
  double height_of(uint32_t vertex) const { return heights_[vertices_[vertex].layer]; }

  void draw_straight(uint32_t source, double x, double from, double to) {
    if (from < to) frame_.wires.push_back({source, {x, from}, {x, to}});
  }

  // Curves from layer to layer, straight lines past the vertices of a layer.
  void draw_wires() {
    for (size_t i = 0; i < edges_.size(); ++i) {
      const auto& [from, to, from_port, to_port] = edges_[i];
      const double x = padding + vertices_[to].x + to_port;
      frame_.wires.push_back({sources_[i],
                              {padding + vertices_[from].x + from_port, bottom_of(from)},
                              {x, top_of(to)}});
      draw_straight(sources_[i], x, top_of(to),
                    vertices_[to].is_bend ? bottom_of(to) : frame_.items[to].box.y);
    }
    for (const auto& [source, net] : frame_.nets) {
      if (net.from == Net::from_outside) {
        const uint32_t bend = entries_.at(source);
        draw_straight(source, centre(bend), top_of(bend), bottom_of(bend));
      } else {
        const Item& item = frame_.items[net.from];
        draw_straight(source, item.box.x + item.port_below(source), item.box.y + item.box.height,
                      bottom_of(net.from));
      }
    }
  }

  Frame& frame_;
  std::vector<uint32_t> layers_;       // of items
  uint32_t last_ = 0;                  // the layer below all items
  std::vector<LayerVertex> vertices_;  // items, then bends
  std::vector<LayerEdge> edges_;
  std::vector<uint32_t> sources_;                 // of edges
  std::map<uint32_t, uint32_t> entries_, exits_;  // bends, by source
  std::vector<double> tops_, heights_;            // of layers
};

void lay_out(Item& item, std::span<const DiagramNode> nodes) {
  if (item.frame) {
    for (Item& one : item.frame->items) lay_out(one, nodes);
    FrameLayout(*item.frame).lay_out(item);
    return;
  }
  const std::vector<std::string>& lines = nodes[item.first].lines;
  double width = 0;
  for (const std::string& line : lines)
    width = std::max(width, FrameLayout::columns_width(shorten(line, most_columns)));
  item.box = {0, 0, width + 2 * padding,
              static_cast<double>(std::max<size_t>(lines.size(), 1)) * line_height + padding};
}

// ---- drawing ----

// Of the edges from a node, each once.
using Tooltips = std::map<uint32_t, std::vector<std::string_view>>;

class Drawing {
 public:
  Drawing(Svg& svg, const Diagram& diagram, const Tooltips& tooltips)
      : svg_(svg), diagram_(diagram), tooltips_(tooltips) {}

  void draw(const Frame& frame, Point origin) {
    draw_wires(frame, origin);
    for (const Item& item : frame.items) {
      const Box box{origin.x + item.box.x, origin.y + item.box.y, item.box.width, item.box.height};
      if (!item.frame) {
        draw(diagram_.nodes[item.first], box);
        continue;
      }
      svg_.rect(box, "frame", item.frame->path);
      draw(*item.frame, {box.x, box.y});
      svg_.text({box.x + padding, box.y + line_height}, item.frame->title, Anchor::start, "muted");
    }
  }

 private:
  void draw(const DiagramNode& node, const Box& box) {
    const bool is_box = node.shape == DiagramNode::Shape::box;
    svg_.rect(box, is_box ? "box" : "terminal", node.tooltip);
    double y = box.y + padding / 2 + font_size;
    for (const std::string& line : node.lines) {
      svg_.text({box.x + padding, y}, shorten(line, most_columns), Anchor::start,
                &line == node.lines.data() ? "" : "muted");
      y += line_height;
    }
  }

  // Those from one node are one path.
  void draw_wires(const Frame& frame, Point origin) {
    std::map<uint32_t, std::string> paths;
    for (const Wire& wire : frame.wires) {
      std::string& path = paths[wire.source];
      path += cat('M', point(wire.from, origin));
      if (wire.from.x == wire.to.x) {
        path += cat('V', pixels(origin.y + wire.to.y));
        continue;
      }
      const double middle = (wire.from.y + wire.to.y) / 2;
      path += cat('C', point({wire.from.x, middle}, origin), ' ',
                  point({wire.to.x, middle}, origin), ' ', point(wire.to, origin));
    }
    for (const auto& [source, path] : paths) {
      svg_.open("path", {{"class", "wire"}, {"d", path}});
      std::string tooltip;
      for (const std::string_view one : tooltips_.at(source))
        tooltip += cat(tooltip.empty() ? "" : "\n", one);
      svg_.tooltip(tooltip);
      svg_.close();
    }
  }
  static std::string point(Point at, Point origin) {
    return cat(pixels(origin.x + at.x), ' ', pixels(origin.y + at.y));
  }

  Svg& svg_;
  const Diagram& diagram_;
  const Tooltips& tooltips_;
};

}  // namespace

void write_diagram(Output& out, const Diagram& diagram) {
  Tooltips tooltips;
  Item all;
  all.end = static_cast<uint32_t>(diagram.nodes.size());
  all.frame = std::make_unique<Frame>();
  all.frame->title = diagram.title;
  all.frame->items = items_of(diagram.nodes, 0, all.end, 0);
  for (const DiagramEdge& one : diagram.edges) {
    VITRO_CHECK(one.from < one.to && one.to < diagram.nodes.size(), "write_diagram: an edge from ",
                one.from, " to ", one.to, " of ", diagram.nodes.size(),
                " nodes; needs one that leads forwards");
    std::vector<std::string_view>& of_node = tooltips[one.from];
    if (std::ranges::find(of_node, one.tooltip) == of_node.end()) of_node.push_back(one.tooltip);
    add_edge(*all.frame, one.from, one.to);
  }
  if (!diagram.nodes.empty()) lay_out(all, diagram.nodes);
  Svg svg(out, {.width = all.box.width + 2 * margin,
                .height = std::max(all.box.height, header) + 2 * margin,
                .title = diagram.title,
                .style = std::string(diagram_style)});
  Drawing(svg, diagram, tooltips).draw(*all.frame, {margin, margin});
  svg.text({margin + padding, margin + line_height}, diagram.title, Anchor::start, "muted");
  svg.finish();
}

}  // namespace vitro::report
