#include "aot/min_cut.h"

#include <algorithm>

namespace vitro::aot {

void Network::connect(size_t from, size_t to, int64_t capacity) {
  edges_of_[from].push_back(edges_.size());
  edges_.push_back({to, capacity});
  edges_of_[to].push_back(edges_.size());
  edges_.push_back({from, 0});
}

// The distance of each node from the source by edges with capacity left.
bool Network::find_levels(size_t source, size_t sink) {
  level_.assign(edges_of_.size(), -1);
  level_[source] = 0;
  std::vector<size_t> reached = {source};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const size_t e : edges_of_[reached[i]]) {
      const Edge& edge = edges_[e];
      if (edge.left == 0 || level_[edge.to] >= 0) continue;
      level_[edge.to] = level_[reached[i]] + 1;
      reached.push_back(edge.to);
    }
  }
  return level_[sink] >= 0;
}

// Along a path on which each node is one level further; not recursive, as paths may be long.
bool Network::push_along_a_path(size_t source, size_t sink) {
  std::vector<size_t> path;  // edges
  size_t at = source;
  while (at != sink) {
    const std::vector<size_t>& edges = edges_of_[at];
    size_t& next = next_[at];
    while (next < edges.size() &&
           (edges_[edges[next]].left == 0 || level_[edges_[edges[next]].to] != level_[at] + 1))
      ++next;
    if (next < edges.size()) {
      path.push_back(edges[next]);
      at = edges_[edges[next]].to;
      continue;
    }
    if (path.empty()) return false;
    at = edges_[path.back() ^ 1].to;  // a dead end
    path.pop_back();
    ++next_[at];
  }
  int64_t flow = unlimited;
  for (const size_t e : path) flow = std::min(flow, edges_[e].left);
  for (const size_t e : path) {
    edges_[e].left -= flow;
    edges_[e ^ 1].left += flow;
  }
  return true;
}

std::vector<bool> Network::cut(size_t source, size_t sink) {
  while (find_levels(source, sink)) {
    next_.assign(edges_of_.size(), 0);
    while (push_along_a_path(source, sink)) continue;
  }
  // Those from which the sink can be reached.
  std::vector<bool> side(edges_of_.size(), false);
  side[sink] = true;
  std::vector<size_t> reached = {sink};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const size_t back : edges_of_[reached[i]]) {
      const size_t from = edges_[back].to;
      if (side[from] || edges_[back ^ 1].left == 0) continue;
      side[from] = true;
      reached.push_back(from);
    }
  }
  return side;
}

}  // namespace vitro::aot
