// Images, the operands [n, c, positions...] of contractions over windows: where they are in memory,
// and copies of them whose channels are contiguous.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend/lower/builder.h"
#include "vitro/core/op.h"

namespace vitro::backend {

// `e` as a linear expression in an index of a dimension; the coefficient contains no index.
std::optional<sym::Linear> linear_in(Expr e, Expr index);

// Whether a value is f32 and not converted from halves: only such convolutions have other bits than
// eager's.
bool is_f32(const graph::Graph& graph, graph::Value value);

// An index for a dimension.
Expr index_of(std::string_view name, Expr extent);

// Element (image, channel, position) is at base + the sum of index * stride.
struct Image {
  BufferId buffer;
  Expr base, image_stride, channel_stride;
  Index strides;  // of positions

  // Whether the positions `sizes` of an image, or of all `images`, are evenly spaced.
  bool has_even_positions(const Index& sizes, Expr images) const;
};

// The windows of a contraction: in the sizes of its operand, at the positions `out`.
struct WindowsOf {
  WindowsSpec spec;
  Index in, out, taps;  // in: [n, c, positions...]

  size_t rank() const { return out.size(); }
  // Whether each of them is one position of the operand, which has no others.
  bool is_pointwise() const;
  // Whether they are those of Winograd's algorithm: 3 x 3 taps next to one another, with stride 1.
  bool has_tiles() const;
  // kernels::joins_last_taps() of the last dimension.
  bool joins_last_taps() const;
  // "conv3x3 64→128 /2", "conv3x3 256→256, 32 groups", "depthwise conv3x3 96". `channels`: of the
  // operand, in a group; `results`: of the result.
  std::string name(Expr channels, Expr results) const;
  // The number of elements of the last dimension that they read, with padding.
  Expr joined_size() const;
  // `channels`: of a group.
  loop::Windows over(const Image& image, Expr channels) const;
  // Of an image that is Images::copy_joined(): the last taps are channels.
  loop::Windows over_joined(const Image& image, Expr channels) const;
};

// Makes images for a kernel of `group`, by kernels of their own.
class Images {
 public:
  // `dtype`: that of the sums.
  Images(const Program& program, BufferAssignment& assignment, const Group& group,
         std::vector<LoweredKernel>& kernels)
      : program_(program),
        assignment_(assignment),
        alone_{{*group.product}, {}, {}},
        kernels_(kernels) {}

  // nullopt: x is computed, or not of this type.
  std::optional<Image> in_memory(graph::Value x, DType dtype) const;
  // A copy with contiguous channels, each `repeats` times.
  Image copy(graph::Value x, DType dtype, int64_t repeats = 1);
  // The same with what windows read in the last dimension, including their padding.
  Image copy_joined(graph::Value x, DType dtype, const WindowsOf& windows);

  using ValueAt = std::function<loop::Value(KernelBuilder&, const Index&)>;
  // Adds a kernel that stores the value at each row-major element of a new buffer.
  BufferId store(std::string_view name, DType dtype, const Index& sizes, const ValueAt& value);

 private:
  // One for all that ask for it.
  Image stored(const BufferAssignment::ImageCopy& copy, DType dtype, const ValueAt& value);
  // Adds the kernel that stores the values in a buffer.
  void fill(BufferId made, DType dtype, const Index& sizes, const ValueAt& value);

  const Program& program_;
  BufferAssignment& assignment_;
  Group alone_;
  std::vector<LoweredKernel>& kernels_;
};

}  // namespace vitro::backend
