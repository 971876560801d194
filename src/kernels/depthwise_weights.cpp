// Walks over the positions of images for the gradients of the weights of depthwise convolutions:
// line by line, so that lines that several windows read stay in the cache for all channels of a
// block.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/matmul_table.h"

namespace vitro::kernels {
namespace {

alignas(64) constexpr double zeros[16] = {};

class Walk {
 public:
  Walk(const ProductCall& call, long bytes, long most, void (*tile)(const DepthwiseWeightsRun& run))
      : call_(call), w_(*call.windows), bytes_(bytes), most_(most), tile_(tile) {}

  // Elements outside of the image are zeros, which only matter to a gradient that is not finite:
  // then some sum is not, either, or the window has no other elements.
  void run() {
    for (long row = 0; row <= call_.rows; ++row)
      std::fill_n(sums(row), (call_.columns + 15) / 16 * 16 * bytes_, std::byte{});
    lines();
    if (!misses_ && is_finite()) return;
    outside_ = true;
    lines();
  }

 private:
  // The taps along dimension d that are inside the image at a position, [first, end).
  struct Taps {
    long first, end;
    bool operator==(const Taps&) const = default;
    bool has(long tap) const { return first <= tap && tap < end; }
  };
  Taps inside(int d, long at) const {
    const long begin = at * w_.stride[d] - w_.padding[d], step = w_.dilation[d];
    const long first = begin < 0 ? (step - 1 - begin) / step : 0, left = w_.size[d] - begin;
    return {first, left <= 0 ? 0 : std::min((left - 1) / step + 1, w_.taps[d])};
  }

  std::byte* sums(long row) const {
    return static_cast<std::byte*>(call_.c) + row * call_.c_row_stride * bytes_;
  }
  bool is_finite() const {
    // The upper half of an element has its exponent.
    const uint32_t exponent = bytes_ == 4 ? 0x7f800000 : 0x7ff00000;
    for (long row = 0; row < call_.rows; ++row) {
      const std::byte* at = sums(row) + bytes_ - 4;
      for (long j = 0; j < call_.columns; ++j, at += bytes_) {
        uint32_t upper;
        std::copy_n(at, 4, reinterpret_cast<std::byte*>(&upper));
        if ((upper & exponent) == exponent) return false;
      }
    }
    return true;
  }

  // Finds the taps of a run; returns their number, a multiple of `most_`.
  long find(const Taps (&taps)[3]) {
    long count = 0;
    for (long tap = 0, z = 0; z < w_.taps[0]; ++z) {
      for (long y = 0; y < w_.taps[1]; ++y) {
        for (long x = 0; x < w_.taps[2]; ++x, ++tap) {
          if ((taps[0].has(z) && taps[1].has(y) && taps[2].has(x)) == outside_) continue;
          from_[count] = outside_ ? 0
                                  : z * w_.dilation[0] * w_.position_stride[0] +
                                        y * w_.dilation[1] * w_.position_stride[1] +
                                        x * w_.dilation[2] * w_.position_stride[2];
          to_[count++] = tap * call_.c_row_stride;
        }
      }
    }
    // Others are added to a row that nobody reads.
    for (; count % most_ != 0; ++count)
      from_[count] = from_[0], to_[count] = call_.rows * call_.c_row_stride;
    return count;
  }

  void add(long count, long x, long position, long positions) {
    for (long channel = 0; channel < call_.columns; channel += 16) {
      for (long t = 0; t < count; t += most_) {
        const auto* from = static_cast<const std::byte*>(call_.a) + (x + channel) * bytes_;
        tile_({outside_ ? static_cast<const void*>(zeros) : from,
               static_cast<const std::byte*>(call_.b) +
                   (position * call_.b_row_stride + channel) * bytes_,
               sums(0) + channel * bytes_, from_ + t, to_ + t, positions,
               outside_ ? 0 : w_.stride[2] * w_.position_stride[2], call_.b_row_stride,
               call_.columns - channel});
      }
    }
  }

  // A line, in runs of positions that have the same taps.
  void line(long x, long position, Taps (&taps)[3]) {
    const long step = w_.stride[2] * w_.position_stride[2];
    for (long at = 0, end = 0; at < w_.out[2]; at = end) {
      taps[2] = inside(2, at);
      while (end < w_.out[2] && inside(2, end) == taps[2]) ++end;
      const long count = find(taps);
      misses_ = misses_ || count == 0;
      add(count, x + at * step, position + at, end - at);
    }
  }

  // Prefetches the block's channels of some positions: those of a position are too far from those
  // of the next one for the hardware prefetcher.
  void ask(const void* from, long element, long positions, long step) const {
    const auto* at = static_cast<const std::byte*>(from) + element * bytes_;
    for (; positions > 0; --positions, at += step * bytes_) {
      for (long byte = 0; byte < call_.columns * bytes_; byte += 64) __builtin_prefetch(at + byte);
    }
  }
  // What line y of the results of an image reads that the line before it has not.
  void ask_line(long y, long plane, long position) const {
    ask(call_.b, position * call_.b_row_stride, w_.out[2], call_.b_row_stride);
    const long last = y * w_.stride[1] - w_.padding[1] + (w_.taps[1] - 1) * w_.dilation[1];
    for (long row = last - std::min(w_.stride[1], w_.taps[1]) + 1; row <= last; ++row) {
      if (row >= 0 && row < w_.size[1])
        ask(call_.a, plane + row * w_.position_stride[1], w_.size[2], w_.position_stride[2]);
    }
  }

  void lines() {
    const long count = call_.k > 0 ? call_.k / w_.out[2] : 0;
    for (long at = 0; at < count; ++at) {
      const long y = at % w_.out[1], z = at / w_.out[1] % w_.out[0],
                 image = at / w_.out[1] / w_.out[0] * w_.image_stride;
      if (w_.size[0] == 1 && y + 1 < w_.out[1]) ask_line(y + 1, image, (at + 1) * w_.out[2]);
      Taps taps[3] = {inside(0, z), inside(1, y), {}};
      line(image + (z * w_.stride[0] - w_.padding[0]) * w_.position_stride[0] +
               (y * w_.stride[1] - w_.padding[1]) * w_.position_stride[1] -
               w_.padding[2] * w_.position_stride[2],
           at * w_.out[2], taps);
    }
  }

  const ProductCall& call_;
  const Windows& w_;
  const long bytes_, most_;
  void (*const tile_)(const DepthwiseWeightsRun& run);
  bool outside_ = false;  // the taps outside of the image
  bool misses_ = false;   // a window has no tap inside
  long from_[2 * depthwise_most_taps], to_[2 * depthwise_most_taps];
};

}  // namespace

void multiply_depthwise_weights(const ProductCall& call, long bytes,
                                const DepthwiseWeightsTile& tile) {
  Walk(call, bytes, tile.taps, tile.run).run();
}

}  // namespace vitro::kernels
