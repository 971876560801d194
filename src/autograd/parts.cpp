#include "autograd/parts.h"

#include <iterator>
#include <vector>

#include "autograd/node.h"
#include "vitro/ops/all.h"

namespace vitro::autograd {
namespace {

// Windows that overlap more often are added up as whole tensors.
constexpr size_t most_layers = 8;

}  // namespace

bool Parts::overlaps(size_t layer, const Part& part) const {
  const auto after = pieces_.lower_bound({layer, part.end});
  if (after == pieces_.begin()) return false;
  const auto& [place, piece] = *std::prev(after);
  return place.first == layer && piece.part.end > part.begin;
}

void Parts::add(const Part& part, const Tensor& gradient, std::shared_ptr<Node> node,
                Tensor& total) {
  if (!empty() && pieces_.begin()->second.part.dim != part.dim) add_to(total);
  size_t layer = layers_;
  while (layer > 0 && !overlaps(layer - 1, part)) --layer;
  if (layer == 1 && !total.defined()) {  // two of the same elements are the first terms of a sum
    const auto found = pieces_.find({0, part.begin});
    if (found != pieces_.end() && found->second.part.end == part.end &&
        found->second.part.is_element == part.is_element) {
      found->second.gradient = vitro::add(found->second.gradient, gradient);
      return;
    }
  }
  if (layer == most_layers) {
    add_to(total);
    layer = 0;
  }
  layers_ = std::max(layers_, layer + 1);
  pieces_.emplace(std::pair(layer, part.begin), Piece{part, gradient, std::move(node)});
}

// A sum has no element -0 where one of its terms is 0, as it is in each part but one.
Tensor Parts::joined(Pieces::iterator begin, Pieces::iterator end) {
  const Piece& first = begin->second;
  if (std::next(begin) == end) return first.node->back({&first.gradient, 1})[0];
  std::vector<Tensor> all;
  int64_t at = 0;
  const auto fill = [&](int64_t until, const Tensor& like) {
    if (at == until) return;
    Sizes sizes = like.sizes();
    sizes[static_cast<size_t>(first.part.dim)] = until - at;
    all.push_back(zeros(sizes, like.dtype(), like.device()));
  };
  Tensor last;
  for (; begin != end; ++begin) {
    const auto& [part, gradient, node] = begin->second;
    last = vitro::add(gradient, 0.0);
    if (part.is_element) last = unsqueeze(last, part.dim);
    fill(part.begin, last);
    all.push_back(last);
    at = part.end;
  }
  fill(first.part.size, last);
  return cat(all, first.part.dim);
}

void Parts::add_to(Tensor& total) {
  for (size_t layer = 0; layer < layers_; ++layer) {
    const Tensor one = joined(pieces_.lower_bound({layer, 0}), pieces_.lower_bound({layer + 1, 0}));
    total = total.defined() ? vitro::add(total, one) : one;
  }
  pieces_.clear();
  layers_ = 0;
}

}  // namespace vitro::autograd
