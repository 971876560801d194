// Gradients of parts of one tensor, such as the pieces of a split: put together once, instead of a
// sum of tensors of its size for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "vitro/core/tensor.h"

namespace vitro::autograd {

class Node;

// What a call makes its result of: the elements from `begin` to `end` - 1 along a dimension of size
// `size`.  That dimension is left out of the result if `is_element`.
struct Part {
  int64_t dim = 0, begin = 0, end = 0, size = 0;
  bool is_element = false;
};

// The result has the bits of the sum of all gradients in order, each with 0 for the elements that
// are not in its part.
class Parts {
 public:
  bool empty() const { return layers_ == 0; }
  // `node` gives the gradient of all from that of the part.
  void add(const Part& part, const Tensor& gradient, std::shared_ptr<Node> node, Tensor& total);
  // Adds them to `total`, which may be undefined, and forgets them.
  void add_to(Tensor& total);

 private:
  struct Piece {
    Part part;
    Tensor gradient;
    std::shared_ptr<Node> node;
  };
  // By layer and `begin`.  Pieces of a layer share no elements; those that have some of an earlier
  // one are in a later layer.
  using Pieces = std::map<std::pair<size_t, int64_t>, Piece>;
  bool overlaps(size_t layer, const Part& part) const;
  static Tensor joined(Pieces::iterator begin, Pieces::iterator end);

  Pieces pieces_;
  size_t layers_ = 0;
};

}  // namespace vitro::autograd
