#include <algorithm>
#include <functional>

#include "report/utf8.h"
#include "vitro/base/cat.h"
#include "vitro/report/flame.h"

namespace vitro::report {
namespace {

// A frame escaped for collapsed stacks.
void append_frame(std::string& line, std::string_view name) {
  for (const char c : as_utf8(name)) line += c == ';' || static_cast<uint8_t>(c) < 0x20 ? '_' : c;
}

}  // namespace

size_t FlameTree::HashKey::operator()(const Key& key) const {
  const uint64_t place = uint64_t{key.parent} << 32 | key.number;
  const uint64_t hash = (place ^ uint64_t{key.kind} << 59) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

FlameTree::FlameTree() {
  nodes_.push_back({.name = "all", .kind = 0, .parent = root});
}

uint32_t FlameTree::child(uint32_t parent, const Name& name) {
  const Key key{parent, name.number, name.kind};
  const auto [found, fresh] = places_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
  if (fresh) {
    const uint32_t depth = nodes_[parent].depth + 1;
    nodes_.push_back({.name = name.name, .kind = name.kind, .parent = parent, .depth = depth});
  }
  return found->second;
}

std::vector<FlameNode> FlameTree::take() {
  for (size_t i = nodes_.size(); i-- > 0;) {  // inner nodes come after outer ones
    nodes_[i].total += nodes_[i].self;
    if (i != root) nodes_[nodes_[i].parent].total += nodes_[i].total;
  }
  std::vector<std::vector<uint32_t>> children(nodes_.size());
  for (uint32_t i = 1; i < nodes_.size(); ++i) children[nodes_[i].parent].push_back(i);
  const auto key = [&](uint32_t i) { return std::tuple(nodes_[i].name, nodes_[i].kind); };
  for (auto& siblings : children) std::ranges::sort(siblings, std::greater(), key);

  std::vector<FlameNode> sorted;
  std::vector<uint32_t> place(nodes_.size()), todo{root};
  while (!todo.empty()) {
    const uint32_t i = todo.back();
    todo.pop_back();
    place[i] = static_cast<uint32_t>(sorted.size());
    sorted.push_back(nodes_[i]);
    sorted.back().parent = place[nodes_[i].parent];
    todo.insert(todo.end(), children[i].begin(), children[i].end());
  }
  *this = FlameTree();
  return sorted;
}

void write_stacks(std::span<const FlameNode> nodes, Output& out) {
  std::string line;             // the frames down to the node, without the root
  std::vector<size_t> ends{0};  // end of the frame at each depth in `line`
  for (const FlameNode& node : nodes) {
    if (node.depth == 0) continue;
    ends.resize(node.depth);
    line.resize(ends.back());
    if (node.depth > 1) line += ';';
    append_frame(line, node.name);
    ends.push_back(line.size());
    if (node.self > 0) out.write(cat(line, " ", node.self, "\n"));
  }
}

}  // namespace vitro::report
