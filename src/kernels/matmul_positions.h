// Left operands whose columns are the positions of windows over images, and whose rows are the
// elements of all windows: sums over positions are the gradients of the weights of a convolution.
//
//   MatmulPositions<f32> positions;
//   positions.find(call);                             // those of ProductCall::windows
//   positions.copy(p, count, to, stride);             // columns [p, p + count)
//
// Not part of the prelude: compiled ahead only (matmul_table.kernel.cpp).
#pragma once
#include "kernels/matmul.h"

namespace vitro::kernels::inline VITRO_ISA {

// Columns of A that are the positions of windows (ProductCall::windows), for its rows: at most
// product_plain_rows elements of all windows. A column is copied in the order of memory, tap by
// tap.
template <class Acc>
class MatmulPositions {
 public:
  [[gnu::noinline]] void find(const ProductCall& call) {
    w_ = call.windows, x_ = (const Acc*)call.a;
    const i64 taps = w_->taps[0] * w_->taps[1] * w_->taps[2], of_channel = call.a_row_stride,
              of_tap = call.a_k_stride, begin = call.windows_row, end = begin + call.rows;
    count_ = 0;
    most_[0] = most_[1] = most_[2] = 0;
    for (i64 tap = 0, element = 0; tap < taps; ++tap) {
      const i64 row = tap * of_tap, first = begin > row ? divide_up(begin - row, of_channel) : 0,
                last = smaller(end > row ? divide_up(end - row, of_channel) : 0, w_->channels);
      for (i64 channel = first; channel < last; ++channel)
        rows_[element++] = u8(row + channel * of_channel - begin);
      if (first < last) add(tap, first, last - first);
    }
  }

  // The row of an element of a column.
  i64 row(i64 element) const { return rows_[element]; }

  // Copies columns [p, p + count), whose starts are `stride` apart. Up to 15 elements after the
  // last one are written, too.
  [[gnu::noinline]] void copy(i64 p, i64 count, Acc* to, i64 stride) {
    start(p);
    for (i64 i = 0; i < count; ++i, to += stride) {
      copy_next(to);
      next();
    }
  }

 private:
  // Elements that are adjacent in memory: at most 16 of one tap, or of several that no border
  // separates.
  struct Run {
    i64 offset, count;
    bool whole, leads;  // sixteen elements exist; no other tap reads them before
    i64 moved[3];
  };
  static constexpr i64 ahead = 8;  // positions

  [[gnu::always_inline]] void add(i64 tap, i64 channel, i64 count) {
    const i64 at[3] = {tap / w_->taps[2] / w_->taps[1], tap / w_->taps[2] % w_->taps[1],
                       tap % w_->taps[2]};
    i64 moved[3], offset = channel;
    for (int d = 0; d < 3; ++d) {
      moved[d] = at[d] * w_->dilation[d];
      offset += moved[d] * w_->position_stride[d];
      most_[d] = moved[d] > most_[d] ? moved[d] : most_[d];
    }
    for (; count > 0;) {
      Run* run = count_ > 0 ? &runs_[count_ - 1] : nullptr;
      const bool follows = run && at[2] > 0 && !has_border() && run->count < 16 &&
                           run->offset + run->count == offset;
      if (!follows) {
        run = &runs_[count_++];
        *run = {offset, 0, false, false, {moved[0], moved[1], moved[2]}};
      }
      const i64 more = smaller(16 - run->count, count);
      run->count += more, offset += more, channel += more, count -= more;
      run->whole = run->count == 16 || channel - run->count + 16 <= w_->channels;
      run->leads = at[2] + 1 == w_->taps[2];
    }
  }
  // Whether windows leave the image in the last dimension.
  [[gnu::always_inline]] bool has_border() const {
    const i64 reach = (w_->out[2] - 1) * w_->stride[2] + (w_->taps[2] - 1) * w_->dilation[2];
    return w_->padding[2] > 0 || reach - w_->padding[2] >= w_->size[2];
  }

  [[gnu::always_inline]] void copy_next(Acc* to) const {
    const Acc* x = x_ + position_;
    const i64 step = ahead * w_->stride[2] * w_->position_stride[2];
    if (first_[0] >= 0 && first_[1] >= 0 && first_[2] >= 0 && first_[0] + most_[0] < w_->size[0] &&
        first_[1] + most_[1] < w_->size[1] && first_[2] + most_[2] < w_->size[2]) {
      for (i64 r = 0; r < count_; ++r) {
        const Run& run = runs_[r];
        const Acc* from = x + run.offset;
        if (run.leads) __builtin_prefetch(from + step), __builtin_prefetch(from + step + 15);
        store(to, run.whole ? load(from) : load(from, run.count));
        to += run.count;
      }
      return;
    }
    for (i64 r = 0; r < count_; ++r) {
      const Run& run = runs_[r];
      const bool inside = is_inside(0, run) && is_inside(1, run) && is_inside(2, run);
      store(to, inside ? load(x + run.offset, run.count) : Vec<Acc>{});
      to += run.count;
    }
  }
  [[gnu::always_inline]] bool is_inside(int d, const Run& run) const {
    return u64(first_[d] + run.moved[d]) < u64(w_->size[d]);
  }

  [[gnu::always_inline]] void start(i64 p) {
    const i64 plane = w_->out[1] * w_->out[2], image = w_->out[0] * plane, left = p % image;
    at_[0] = left / plane, at_[1] = left % plane / w_->out[2], at_[2] = left % w_->out[2];
    image_ = p / image * w_->image_stride;
    find();
  }
  [[gnu::always_inline]] void find() {
    position_ = image_;
    for (int d = 0; d < 3; ++d) {
      first_[d] = at_[d] * w_->stride[d] - w_->padding[d];
      position_ += first_[d] * w_->position_stride[d];
    }
  }
  [[gnu::always_inline]] void next() {
    if (++at_[2] < w_->out[2]) {
      first_[2] += w_->stride[2];
      position_ += w_->stride[2] * w_->position_stride[2];
      return;
    }
    at_[2] = 0;
    if (++at_[1] >= w_->out[1]) {
      at_[1] = 0;
      if (++at_[0] >= w_->out[0]) at_[0] = 0, image_ += w_->image_stride;
    }
    find();
  }

  const Windows* w_;
  const Acc* x_;
  i64 image_ = 0, position_ = 0;  // in elements
  i64 at_[3], first_[3];          // of the position; where its window begins
  i64 most_[3];                   // how far its last tap is from there
  i64 count_;
  Run runs_[product_plain_rows];
  u8 rows_[product_plain_rows];
};

}  // namespace vitro::kernels::inline VITRO_ISA
