// Diagrams: what is drawn where, for graphs written by hand and at random.
#include "vitro/report/diagram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <regex>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/svg.h"

namespace vitro::report {
namespace {

std::string drawn(const Diagram& diagram) {
  TextOutput out;
  write_diagram(out, diagram);
  out.finish();
  return out.text();
}

struct Shape {
  std::string kind, tooltip;
  Box box;
  bool is_apart_from(const Shape& other) const {
    return box.x + box.width <= other.box.x || other.box.x + other.box.width <= box.x ||
           box.y + box.height <= other.box.y || other.box.y + other.box.height <= box.y;
  }
  bool has(const Shape& other) const {
    return box.x <= other.box.x && box.y <= other.box.y &&
           other.box.x + other.box.width <= box.x + box.width &&
           other.box.y + other.box.height <= box.y + box.height;
  }
};

std::vector<Shape> shapes(const std::string& svg) {
  static const std::regex rect(
      "<rect class=\"(box|terminal|frame)\" x=\"([^\"]*)\" y=\"([^\"]*)\" "
      "width=\"([^\"]*)\" height=\"([^\"]*)\"(><title>([^<]*)<)?");
  std::vector<Shape> out;
  for (std::sregex_iterator at(svg.begin(), svg.end(), rect), end; at != end; ++at) {
    const std::smatch& m = *at;
    out.push_back({m[1], m[7], {stod(m[2]), stod(m[3]), stod(m[4]), stod(m[5])}});
  }
  return out;
}

// The points where the pieces of a path begin and end, in pairs.
std::vector<std::pair<Point, Point>> pieces(const std::string& path) {
  static const std::regex piece(
      "M([0-9.]+) ([0-9.]+)(V([0-9.]+)|C[0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+ "
      "([0-9.]+) ([0-9.]+))");
  std::vector<std::pair<Point, Point>> out;
  for (std::sregex_iterator at(path.begin(), path.end(), piece), end; at != end; ++at) {
    const std::smatch& m = *at;
    const Point from{stod(m[1]), stod(m[2])};
    out.emplace_back(from,
                     m[4].matched ? Point{from.x, stod(m[4])} : Point{stod(m[5]), stod(m[6])});
  }
  return out;
}

std::vector<std::string> paths(const std::string& svg) {
  static const std::regex path("<path class=\"wire\" d=\"([^\"]*)\"");
  std::vector<std::string> out;
  for (std::sregex_iterator at(svg.begin(), svg.end(), path), end; at != end; ++at)
    out.push_back((*at)[1]);
  return out;
}

DiagramNode node(const std::string& name, const std::string& group = {}) {
  return {.lines = {name}, .tooltip = name, .group = group};
}

Diagram random_diagram(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t n) { return static_cast<uint32_t>(random() % n); };
  Diagram out{.title = "random"};
  const uint32_t count = 1 + below(40);
  std::string group;
  for (uint32_t i = 0; i < count; ++i) {
    if (below(3) == 0) group = below(4) == 0 ? "" : cat("m", below(2), ".", below(3), ".x");
    if (below(6) == 0) group = cat("m", below(2));
    out.nodes.push_back(node(std::string(1 + below(30), 'n'), group));
    out.nodes.back().tooltip = cat("node ", i, " of ", group, ".");
    for (uint32_t n = below(3); i > 0 && n > 0; --n)
      out.edges.push_back({below(2) == 0 ? i - 1 : below(i), i, "v"});
  }
  return out;
}

bool is_near(Point a, Point b) {
  return std::abs(a.x - b.x) < 0.05 && std::abs(a.y - b.y) < 0.05;
}

// Whether the pieces of some path lead from the first shape to the second one.
bool is_connected(const std::vector<std::string>& all, const Shape& from, const Shape& to) {
  const auto touches = [](const Shape& shape, Point at, bool is_below) {
    return at.x > shape.box.x && at.x < shape.box.x + shape.box.width &&
           std::abs(at.y - shape.box.y - (is_below ? shape.box.height : 0)) < 0.05;
  };
  std::vector<std::pair<Point, Point>> left;  // pieces of all paths: edges are cut at frames
  for (const std::string& path : all) std::ranges::copy(pieces(path), std::back_inserter(left));
  std::vector<Point> ends;
  for (const auto& [start, end] : left)
    if (touches(from, start, true)) ends.push_back(end);
  for (size_t i = 0; i < ends.size(); ++i) {
    if (touches(to, ends[i], false)) return true;
    for (const auto& [start, end] : left)
      if (is_near(start, ends[i]) &&
          std::ranges::none_of(ends, [&](Point one) { return is_near(one, end); }))
        ends.push_back(end);
  }
  return false;
}

}  // namespace

TEST(Diagram, of_a_chain_is_a_column) {
  const std::string svg = drawn({.title = "chain",
                                 .nodes = {node("x"), node("relu"), node("a longer name")},
                                 .edges = {{0, 1, "x: f32[8]"}, {1, 2, "y"}}});
  const std::vector<Shape> all = shapes(svg);
  ASSERT_EQ(all.size(), 3u);
  for (size_t i = 1; i < 3; ++i) {
    EXPECT_GT(all[i].box.y, all[i - 1].box.y + all[i - 1].box.height);
    EXPECT_NEAR(all[i].box.x + all[i].box.width / 2, all[i - 1].box.x + all[i - 1].box.width / 2,
                0.5);
  }
  EXPECT_EQ(paths(svg).size(), 2u);
  EXPECT_NE(svg.find("<title>x: f32[8]</title>"), std::string::npos);
}

TEST(Diagram, frames_stand_around_their_nodes) {
  const std::string svg = drawn({.title = "m",
                                 .nodes = {node("a"), node("b", "one.two"), node("c", "one.two"),
                                           node("d", "one"), node("e")},
                                 .edges = {{0, 1}, {1, 2}, {2, 3}, {1, 3}, {3, 4}, {0, 4}}});
  std::map<std::string, Shape> by_name;
  for (const Shape& one : shapes(svg)) by_name[one.tooltip] = one;
  ASSERT_EQ(by_name.size(), 7u);
  EXPECT_TRUE(by_name["one"].has(by_name["one.two"]));
  EXPECT_TRUE(by_name["one.two"].has(by_name["b"]));
  EXPECT_TRUE(by_name["one.two"].has(by_name["c"]));
  EXPECT_TRUE(by_name["one"].has(by_name["d"]));
  EXPECT_TRUE(by_name["one.two"].is_apart_from(by_name["d"]));
  EXPECT_TRUE(by_name["one"].is_apart_from(by_name["a"]));
  EXPECT_TRUE(by_name["one"].is_apart_from(by_name["e"]));
}

// A frame that only holds a frame is not drawn twice; one that others interrupt is drawn again.
TEST(Diagram, frames_are_joined_and_cut) {
  const std::string svg = drawn({.title = "m",
                                 .nodes = {node("a", "x.y"), node("b"), node("c", "x.y")},
                                 .edges = {{0, 1}, {1, 2}}});
  size_t frames = 0;
  for (const Shape& one : shapes(svg)) {
    if (one.kind != "frame") continue;
    ++frames;
    EXPECT_EQ(one.tooltip, "x.y");
  }
  EXPECT_EQ(frames, 2u);
  EXPECT_NE(svg.find(">x.y</text>"), std::string::npos);
}

TEST(Diagram, random_ones_have_boxes_apart_in_their_frames_and_edges_that_lead_down) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Diagram diagram = random_diagram(seed);
    const std::string svg = drawn(diagram);
    EXPECT_EQ(svg, drawn(diagram));
    std::vector<Shape> boxes(diagram.nodes.size()), frames;
    size_t found = 0;
    for (const Shape& one : shapes(svg)) {
      if (one.kind == "frame") {
        frames.push_back(one);
      } else {
        boxes.at(stoul(one.tooltip.substr(5))) = one;
        ++found;
      }
    }
    ASSERT_EQ(found, boxes.size()) << seed;
    for (size_t i = 0; i < boxes.size(); ++i) {
      for (size_t j = i + 1; j < boxes.size(); ++j)
        EXPECT_TRUE(boxes[i].is_apart_from(boxes[j])) << seed << ": " << i << " and " << j;
      for (const Shape& frame : frames) {
        const bool is_in = cat(diagram.nodes[i].group, ".").starts_with(cat(frame.tooltip, "."));
        EXPECT_TRUE(frame.has(boxes[i]) ? is_in : frame.is_apart_from(boxes[i]))
            << seed << ": " << i << " and the frame " << frame.tooltip;
      }
    }
    const std::vector<std::string> wires = paths(svg);
    for (const std::string& wire : wires)
      for (const auto& [from, to] : pieces(wire)) EXPECT_LE(from.y, to.y) << seed;
    for (const DiagramEdge& edge : diagram.edges)
      EXPECT_TRUE(is_connected(wires, boxes[edge.from], boxes[edge.to]))
          << seed << ": " << edge.from << " to " << edge.to;
  }
}

TEST(Diagram, takes_any_text_and_no_nodes) {
  EXPECT_NE(drawn({.title = "none"}).find("</svg>"), std::string::npos);
  const std::string svg = drawn({.title = "<&\xff",
                                 .nodes = {node("\x01<b>", ".."), node("", "a..b"), {.lines = {}}},
                                 .edges = {{0, 1, "\""}, {0, 1, "second"}}});
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
  EXPECT_EQ(shapes(svg).size(), 4u);
  EXPECT_NE(svg.find("<title>&quot;\nsecond</title>"), std::string::npos);
}

TEST(Diagram, large_ones_are_drawn_whole) {
  Diagram diagram{.title = "large"};
  constexpr uint32_t count = 3000;
  for (uint32_t i = 0; i < count; ++i) {
    diagram.nodes.push_back(node(cat(i), i % 2 == 0 ? "" : cat("m", i / 100)));
    if (i > 0) diagram.edges.push_back({i % 3 == 0 ? 0 : i - 1, i});
  }
  size_t boxes = 0;
  for (const Shape& one : shapes(drawn(diagram))) boxes += one.kind == "box" ? 1 : 0;
  EXPECT_EQ(boxes, count);
}

TEST(Diagram, edges_must_lead_forwards) {
  const auto message = [](const Diagram& diagram) {
    try {
      (void)drawn(diagram);
    } catch (const Error& e) {
      return std::string(e.message());
    }
    return std::string();
  };
  const std::string wanted = "of 2 nodes; needs one that leads forwards";
  for (const DiagramEdge& edge : {DiagramEdge{1, 0}, DiagramEdge{1, 1}, DiagramEdge{0, 2}})
    EXPECT_NE(message({.nodes = {node("a"), node("b")}, .edges = {edge}}).find(wanted),
              std::string::npos);
}

}  // namespace vitro::report
