// A minimum cut of a network, by Dinic's algorithm for maximum flows (E. A. Dinic, "Algorithm for
// solution of a problem of maximum flow in networks with power estimation", 1970).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vitro::aot {

class Network {
 public:
  static constexpr int64_t unlimited = int64_t{1} << 60;
  explicit Network(size_t nodes) : edges_of_(nodes) {}
  void connect(size_t from, size_t to, int64_t capacity);
  // By node: whether it is on the side of `sink`, of a minimum cut as near to `sink` as possible.
  // Not to be called twice.
  std::vector<bool> cut(size_t source, size_t sink);

 private:
  struct Edge {
    size_t to;
    int64_t left;  // capacity that is not used
  };
  bool find_levels(size_t source, size_t sink);
  bool push_along_a_path(size_t source, size_t sink);

  std::vector<Edge> edges_;  // 2i and 2i + 1: an edge and the way back
  std::vector<std::vector<size_t>> edges_of_;
  std::vector<int> level_;
  std::vector<size_t> next_;  // by node: the first of its edges that may lead on
};

}  // namespace vitro::aot
