// Where an amount (time, bytes, calls) went, by call path: entries with the same name and path are
// one node.  Written as collapsed stacks or as a flame graph.
//   FlameTree tree;
//   const uint32_t op = tree.child(FlameTree::root, {.name = "aten::mm", .number = 7, .kind = 1});
//   tree[op].self += 120;
//   const std::vector<FlameNode> nodes = tree.take();
//   write_stacks(nodes, out);
//   write_flame_graph(nodes, {.title = "…", .kinds = kinds, .amount = text_of}, out);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vitro/report/output.h"

namespace vitro::report {

struct FlameNode {
  std::string_view name;
  uint8_t kind;        // index in FlameOptions::kinds
  uint32_t parent;     // index, smaller than the node's; the root is its own parent
  uint32_t depth = 0;  // of the root: 0
  int64_t self = 0;
  int64_t total = 0;  // including nested nodes
  uint64_t calls = 0;
};

class FlameTree {
 public:
  static constexpr uint32_t root = 0;

  FlameTree();

  // Names of one kind are equal if their numbers are; the text must outlive the nodes.
  struct Name {
    std::string_view name;
    uint32_t number = 0;
    uint8_t kind = 0;
  };
  uint32_t child(uint32_t parent, const Name& name);
  // Valid until the next child().
  FlameNode& operator[](uint32_t node) { return nodes_[node]; }

  // The nodes with totals, in depth-first order, siblings by name; the first is the root, "all" of
  // kind 0.  Leaves the tree empty.
  std::vector<FlameNode> take();

 private:
  struct Key {
    uint32_t parent, number;
    uint8_t kind;
    bool operator==(const Key&) const = default;
  };
  struct HashKey {
    size_t operator()(const Key& key) const;
  };
  std::vector<FlameNode> nodes_;  // in order of creation
  std::unordered_map<Key, uint32_t, HashKey> places_;
};

// A line for each node with an amount of its own: "thread;outer;inner 1234", the format of
// flame-graph tools (flamegraph.pl, inferno, speedscope); `;` and line breaks in names become `_`.
void write_stacks(std::span<const FlameNode> nodes, Output& out);

struct FlameKind {
  std::string_view name;
  int hue = 0, saturation = 0;  // of HSL: degrees, percent
  bool in_legend = true;
};

struct FlameOptions {
  std::string title;
  std::span<const FlameKind> kinds;
  std::function<std::string(int64_t)> amount;  // text for tooltips
};

// A picture: a box for each node, as wide as its share, inner ones below outer ones.  Clicking a
// box zooms it to the width of the picture, which is that of its window.
void write_flame_graph(std::span<const FlameNode> nodes, const FlameOptions& options, Output& out);

}  // namespace vitro::report
