// Iterates over strided operands of the same sizes together.
//   StridedLoop loop({2, 3}, {out, x});
//   loop.run(0, loop.count(), [](const StridedLoop::Runs& runs) { ... });
// Dimensions are sorted by the strides of operand 0 (the result) and joined if all operands allow
// it, so that runs are long.
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

// An operand as bytes; strides in bytes, 0 in broadcast dimensions.
struct Strided {
  std::byte* data = nullptr;
  Ints strides;
};

// Returns `t` broadcast to `sizes`.
Strided strided(const Tensor& t, std::span<const int64_t> sizes);

class StridedLoop {
 public:
  static constexpr size_t most = 5;
  enum class Order : uint8_t { by_stride, as_given };  // as_given does not join dimensions either

  StridedLoop(std::span<const int64_t> sizes, std::span<const Strided> operands,
              Order order = Order::by_stride);

  int64_t count() const { return count_; }
  size_t rank() const { return dims_.size(); }
  size_t operands() const { return operands_; }
  int64_t inner() const { return dims_.empty() ? 1 : dims_[0].size; }
  // Dimensions are in the loop's order, innermost first; strides are in bytes.
  int64_t size(size_t dimension) const { return dims_[dimension].size; }
  int64_t stride(size_t dimension, size_t operand) const {
    return dims_[dimension].stride[operand];
  }
  int64_t inner_stride(size_t operand) const {
    return dims_.empty() ? 0 : dims_[0].stride[operand];
  }
  // If operand 0 is contiguous along dimension 0, which has at least `least` elements of `bytes`
  // bytes, and operand 1 along another dimension, returns the latter: a copy is faster in tiles.
  std::optional<size_t> turned(int64_t bytes, int64_t least) const;
  // The addresses of the first elements of a plane spanned by dimensions 0 and `across`.
  std::array<std::byte*, most> plane(size_t across, int64_t number) const;
  int64_t planes(size_t across) const { return count_ / (dims_[0].size * dims_[across].size); }
  bool is_constant(size_t operand) const;  // true if the operand is one element, broadcast

  // `count` runs of n elements each.  Per operand: the address of the first element, and the
  // strides in bytes between elements and between runs.  `first` is the first element's number.
  struct Runs {
    std::array<std::byte*, most> at;
    const int64_t *stride, *step;
    int64_t n, count, first;
  };
  // Calls f(runs) for the elements [begin, end), in the loop's order.
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
void StridedLoop::run(int64_t begin, int64_t end, F&& f) const {
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
