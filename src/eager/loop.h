// Walks over strided operands of the same sizes together.
//   Loop loop({2, 3}, {out, x});
//   loop.run(0, loop.count(), [](const Loop::Runs& runs) { ... });
// Dimensions are ordered by the strides of operand 0 (the result) and joined where all operands
// allow it, so that runs are long.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vitro/core/reach.h"
#include "vitro/core/tensor.h"

namespace vitro::eager {

// An operand as bytes; strides count bytes, 0 where it is broadcast.
struct Strided {
  std::byte* data = nullptr;
  Ints strides;
};

// What `t` looks like when broadcast to `sizes`.
Strided strided(const Tensor& t, std::span<const int64_t> sizes);

class Loop {
 public:
  static constexpr size_t most = 5;
  enum class Order : uint8_t { by_stride, as_given };  // as_given: nothing is joined either

  Loop(std::span<const int64_t> sizes, std::span<const Strided> operands,
       Order order = Order::by_stride);

  int64_t count() const { return count_; }
  size_t rank() const { return dims_.size(); }
  size_t operands() const { return operands_; }
  int64_t inner() const { return dims_.empty() ? 1 : dims_[0].size; }
  // Of a dimension in the loop's order, innermost first; the stride counts bytes.
  int64_t size(size_t dimension) const { return dims_[dimension].size; }
  int64_t stride(size_t dimension, size_t operand) const {
    return dims_[dimension].stride[operand];
  }
  int64_t inner_stride(size_t operand) const {
    return dims_.empty() ? 0 : dims_[0].stride[operand];
  }
  // Where operand 0 is contiguous along dimension 0, of at least `least` elements of `bytes`, and
  // operand 1 along another: that dimension, by which a copy is better done in tiles.
  std::optional<size_t> turned(int64_t bytes, int64_t least) const;
  // Planes of dimension 0 and dimension `across`: the addresses of their first elements.
  std::array<std::byte*, most> plane(size_t across, int64_t number) const;
  int64_t planes(size_t across) const { return count_ / (dims_[0].size * dims_[across].size); }
  bool is_constant(size_t operand) const;  // the same element everywhere

  // `count` runs of n elements each, side by side: addresses of the first element for each operand,
  // bytes from element to element and from run to run.  `first` is the number of that element.
  struct Runs {
    std::array<std::byte*, most> at;
    const int64_t *stride, *step;
    int64_t n, count, first;
  };
  // f(runs) for elements begin to end in the loop's order.
  template <class F>
  void run(int64_t begin, int64_t end, F&& f) const;

 private:
  struct Dim {
    int64_t size;
    std::array<int64_t, most> stride;
  };
  using Dims = SmallVector<Dim, 6>;
  void sort();
  void join();
  void seek(int64_t element, Ints& index, std::array<std::byte*, most>& at) const;
  void advance(Ints& index, std::array<std::byte*, most>& at, int64_t runs) const;

  Dims dims_;  // innermost first
  std::array<std::byte*, most> data_{};
  size_t operands_;
  int64_t count_ = 1;
};

template <class F>
void Loop::run(int64_t begin, int64_t end, F&& f) const {
  static constexpr std::array<int64_t, most> none{};
  if (begin >= end) return;
  Ints index(dims_.size(), 0);
  std::array<std::byte*, most> at = data_;
  seek(begin, index, at);
  Runs runs{at,
            dims_.empty() ? none.data() : dims_[0].stride.data(),
            dims_.size() < 2 ? none.data() : dims_[1].stride.data(),
            1,
            1,
            begin};
  for (int64_t offset = dims_.empty() ? 0 : index[0]; begin < end; offset = 0) {
    runs.n = std::min(inner() - offset, end - begin);
    const bool whole = runs.n == inner() && dims_.size() > 1;
    runs.count = whole ? std::min(dims_[1].size - index[1], (end - begin) / runs.n) : 1;
    for (size_t o = 0; o < operands_; ++o) runs.at[o] = at[o] + offset * runs.stride[o];
    runs.first = begin;
    f(runs);
    begin += runs.count * runs.n;
    if (begin < end) advance(index, at, runs.count);
  }
}

}  // namespace vitro::eager
