// The order in layers by the means of neighbours, positions by isotonic regression.
#include "report/layers.h"

#include <algorithm>
#include <limits>

namespace vitro::report {
namespace {

constexpr double gap = 18, bend_gap = 9;
constexpr int order_sweeps = 8, position_sweeps = 32;
// Of an edge by the number of its ends that are bends: long edges should be straight (Gansner,
// Koutsofios, North, Vo: A technique for drawing directed graphs, 1993).
constexpr double weights[] = {1, 2, 8};

// What an edge says about the position of one of its ends.
struct Neighbour {
  uint32_t vertex;
  double own_port, port, weight;
};

class Placement {
 public:
  Placement(std::span<LayerVertex> vertices, std::span<const LayerEdge> edges)
      : vertices_(vertices), above_(vertices.size()), below_(vertices.size()) {
    for (uint32_t i = 0; i < vertices.size(); ++i) {
      if (vertices[i].layer >= layers_.size()) layers_.resize(vertices[i].layer + 1);
      layers_[vertices[i].layer].push_back(i);
    }
    for (const LayerEdge& one : edges) {
      const double weight =
          weights[(vertices[one.from].is_bend ? 1 : 0) + (vertices[one.to].is_bend ? 1 : 0)];
      below_[one.from].push_back({one.to, one.from_port, one.to_port, weight});
      above_[one.to].push_back({one.from, one.to_port, one.from_port, weight});
    }
  }

  void place() {
    for (int i = 0; i < order_sweeps; ++i) sweep(i % 2 == 0, [&](auto& layer) { reorder(layer); });
    for (const std::vector<uint32_t>& layer : layers_) pack(layer);
    for (int i = 0; i < position_sweeps; ++i) {
      uses_both_sides_ = i >= position_sweeps / 2;
      sweep(i % 2 == 0, [&](auto& layer) { move(layer); });
    }
    double least = std::numeric_limits<double>::max();
    for (const LayerVertex& one : vertices_) least = std::min(least, one.x);
    for (LayerVertex& one : vertices_) one.x -= least;
  }

 private:
  // Down, each layer sees the one above it, and up, the one below it.
  void sweep(bool is_down, auto visit) {
    is_down_ = is_down;
    if (is_down) {
      for (auto& layer : layers_) visit(layer);
    } else {
      for (size_t i = layers_.size(); i-- > 0;) visit(layers_[i]);
    }
  }

  // By the mean place of neighbours, counted in their layer; those without any keep their place.
  void reorder(std::vector<uint32_t>& layer) {
    std::vector<std::pair<double, uint32_t>> keyed;
    for (uint32_t place = 0; place < layer.size(); ++place) {
      const uint32_t vertex = layer[place];
      const std::vector<Neighbour>& neighbours = is_down_ ? above_[vertex] : below_[vertex];
      double sum = 0;
      for (const Neighbour& one : neighbours)
        sum += vertices_[one.vertex].x + one.port / (1 + vertices_[one.vertex].width);
      keyed.emplace_back(neighbours.empty() ? place : sum / static_cast<double>(neighbours.size()),
                         vertex);
    }
    std::ranges::stable_sort(keyed, {}, &std::pair<double, uint32_t>::first);
    for (uint32_t place = 0; place < layer.size(); ++place) {
      layer[place] = keyed[place].second;
      vertices_[layer[place]].x = place;
    }
  }

  void pack(const std::vector<uint32_t>& layer) {
    double x = 0;
    for (size_t i = 0; i < layer.size(); ++i) {
      if (i > 0) x += distance(layer[i - 1], layer[i]);
      vertices_[layer[i]].x = x;
    }
  }

  // Between the left sides of vertices side by side.
  double distance(uint32_t left, uint32_t right) const {
    const bool is_close = vertices_[left].is_bend || vertices_[right].is_bend;
    return vertices_[left].width + (is_close ? bend_gap : gap);
  }

  // Where the vertex would make its edges steep, and how much that counts.
  struct Wanted {
    double x, weight;
  };
  Wanted wanted(uint32_t vertex) const {
    double sum = 0, weight = 0;
    const auto add = [&](const std::vector<Neighbour>& neighbours) {
      for (const Neighbour& one : neighbours) {
        sum += one.weight * (vertices_[one.vertex].x + one.port - one.own_port);
        weight += one.weight;
      }
    };
    if (is_down_ || uses_both_sides_) add(above_[vertex]);
    if (!is_down_ || uses_both_sides_) add(below_[vertex]);
    if (weight == 0) return {vertices_[vertex].x, weights[0]};
    return {sum / weight, weight};
  }

  // The positions nearest to those wanted, by the sum of weighted squares, that keep the order and
  // the distances: less what is to the left of them positions must not fall, so that neighbours
  // that would become one block at their mean (pool adjacent violators).
  void move(const std::vector<uint32_t>& layer) {
    struct Block {
      double weight, sum;
      size_t size;
      double mean() const { return sum / weight; }
    };
    std::vector<Block> blocks;
    std::vector<double> left;  // the distance from the first vertex
    for (size_t i = 0; i < layer.size(); ++i) {
      left.push_back(i == 0 ? 0 : left.back() + distance(layer[i - 1], layer[i]));
      const auto [x, weight] = wanted(layer[i]);
      blocks.push_back({weight, weight * (x - left.back()), 1});
      while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
        const Block last = blocks.back();
        blocks.pop_back();
        blocks.back().weight += last.weight;
        blocks.back().sum += last.sum;
        blocks.back().size += last.size;
      }
    }
    size_t i = 0;
    for (const Block& block : blocks)
      for (size_t n = 0; n < block.size; ++n, ++i) vertices_[layer[i]].x = block.mean() + left[i];
  }

  std::span<LayerVertex> vertices_;
  std::vector<std::vector<Neighbour>> above_, below_;
  std::vector<std::vector<uint32_t>> layers_;
  bool is_down_ = true, uses_both_sides_ = false;
};

}  // namespace

void place_vertices(std::span<LayerVertex> vertices, std::span<const LayerEdge> edges) {
  Placement(vertices, edges).place();
}

}  // namespace vitro::report
