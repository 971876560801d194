// The transpose of a convolution, by phases. With stride s the elements r, r + s, r + 2 s, ... of
// the result, its phase r, are a convolution of x with stride 1, whose taps are the taps r, r + s,
// ... of the kernel, reversed. Phases with the same number of taps are the channels of one
// convolution, so that there are at most two for each dimension. The results are interleaved.
//   kernel of 5, stride 3:  phases 0 and 1 have two taps (0 3, 1 4), phase 2 has one (2)
#include <algorithm>

#include "ops/convolve.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro::ops {
namespace {

// x with stride - 1 zeros after each element of a dimension.
Tensor spread(const Tensor& x, size_t dim, int64_t stride) {
  Sizes apart = x.sizes(), joined = x.sizes();
  apart.insert(dim + 1, 1);
  joined[dim] = joined[dim] * stride;
  Sizes pad(2 * (apart.size() - dim - 1), Size(0));
  pad.back() = stride - 1;
  return reshape(constant_pad_nd(reshape(x, apart), pad), joined);
}

// A dimension of the result.
struct Axis {
  int64_t stride, dilation;
  Size taps, longer;  // the most taps of a phase, and the number of phases that have as many
  Size first, end;    // of the elements of each phase: those that the result contains
};

class Phases {
 public:
  Phases(const At& x, const Tensor& weight, const ConvolveAttrs& a, const Sizes& sizes)
      : x_(x.operand.tensor()),
        where_(x.where),
        padding_(a.padding),
        sizes_(sizes),
        groups_(a.groups),
        rank_(a.stride.size()),
        of_group_(weight.size(1)),
        channels_last_(gives_channels_last(x_.rule_meta(), weight.rule_meta())) {
    Sizes grouped{groups_, weight.size(0) / groups_, of_group_};
    Sizes pad;  // from the last dimension on
    for (size_t d = 0; d < rank_; ++d) {
      int64_t stride = a.stride[d];
      // The taps of a phase of a dilated kernel are not evenly spaced.
      if (stride > 1 && a.dilation[d] > 1) x_ = spread(x_, d + 2, stride), stride = 1;
      const Size kernel = weight.sizes()[d + 2], taps = (kernel + (stride - 1)) / stride;
      axes_.push_back({stride, a.dilation[d], taps, kernel - (taps - 1) * stride,
                       padding_[d] / stride, (padding_[d] + sizes[d] + (stride - 1)) / stride});
      grouped.push_back(taps);
      grouped.push_back(stride);
      pad.insert(0, taps * stride - kernel);
      pad.insert(0, 0);
    }
    const bool even = std::all_of(axes_.begin(), axes_.end(), &is_even);
    taps_ = reshape(even ? weight : constant_pad_nd(weight, pad), grouped);
  }

  Tensor run() const {
    const Tensor all = from(0, taps_);
    Sizes sizes{x_.size(0), groups_ * of_group_};
    for (const Axis& a : axes_) sizes.push_back((a.end - a.first) * a.stride);
    Tensor out = reshape(all, sizes);
    for (size_t d = 0; d < rank_; ++d) {
      const Size first = padding_[d] - axes_[d].first * axes_[d].stride;
      out = slice(out, dim_of(d), first, first + sizes_[d]);
    }
    return channels_last_ ? with_channels_last(out) : contiguous(out);
  }

 private:
  static int64_t dim_of(size_t d) { return static_cast<int64_t>(d) + 2; }
  // The dimensions of an axis in tensors [groups, channels, ..., taps, phases, taps, phases, ...]
  // and [n, groups, channels, elements, phases, elements, phases, ...].
  static int64_t taps_of(size_t d) { return static_cast<int64_t>(2 * d) + 3; }
  static int64_t phases_of(size_t d) { return taps_of(d) + 1; }
  static bool is_even(const Axis& a) { return equal(a.longer, a.stride); }

  // The results of all phases of the axes from d on, for some phases of the earlier ones.
  Tensor from(size_t d, const Tensor& taps) const {
    if (d == rank_) return of_phases(taps);
    const Axis& a = axes_[d];
    if (is_even(a)) return from(d + 1, taps);
    const Tensor rest = slice(taps, phases_of(d), a.longer);
    return cat({from(d + 1, slice(taps, phases_of(d), 0, a.longer)),
                from(d + 1, slice(rest, taps_of(d), 0, a.taps - 1))},
               phases_of(d));
  }

  // The results of phases with the same number of taps, [n, groups, channels, elements, phases...].
  Tensor of_phases(const Tensor& taps) const {
    ConvolveAttrs a{Dims(rank_, 1), {}, {}, {}, groups_};
    Sizes sizes{x_.size(0), groups_};  // then phases..., channels, elements...
    Dims phases, kernels, reversed, order{0, 1, static_cast<int64_t>(rank_) + 2};
    Sizes turned{0, taps.size(1)};
    Size channels = of_group_;
    bool none = false;
    for (size_t d = 0; d < rank_; ++d) {
      const Size size = taps.size(taps_of(d)), count = taps.size(phases_of(d));
      const Size reach = (size - 1) * axes_[d].dilation;
      none = none || equal(size, 0);
      a.dilation.push_back(axes_[d].dilation);
      a.padding.push_back(reach - axes_[d].first);
      a.padding_after.push_back(axes_[d].end - x_.sizes()[d + 2]);
      phases.push_back(phases_of(d));
      kernels.push_back(taps_of(d));
      if (!known_equal(size, 1)) reversed.push_back(taps_of(d));
      sizes.push_back(count);
      turned.push_back(size);
      channels = channels * count;
      order.push_back(static_cast<int64_t>(rank_ + d) + 3);
      order.push_back(static_cast<int64_t>(d) + 2);
    }
    sizes.push_back(of_group_);
    for (const Axis& axis : axes_) sizes.push_back(axis.end - axis.first);
    if (none) return permute(zeros(sizes, x_.dtype(), x_.device(), where_), order);
    turned[0] = groups_ * channels;
    const Tensor turns = reversed.empty() ? taps : flip(taps, reversed);
    const Tensor weight = reshape(permute(turns, weight_order(phases, kernels)), turned);
    return permute(reshape(convolved({x_, where_}, weight, a), sizes), order);
  }

  // Of taps [groups, x's channels, channels, taps, phases, ...]: [groups, phases..., channels, x's
  // channels, taps...].
  static Dims weight_order(const Dims& phases, const Dims& kernels) {
    Dims order{0};
    for (const int64_t d : phases) order.push_back(d);
    order.push_back(2);
    order.push_back(1);
    for (const int64_t d : kernels) order.push_back(d);
    return order;
  }

  Tensor x_;
  std::source_location where_;
  const Sizes &padding_, &sizes_;
  int64_t groups_;
  size_t rank_;
  Size of_group_;       // channels of the result in each group
  bool channels_last_;  // the memory format of the result
  std::vector<Axis> axes_;
  Tensor taps_;
};

}  // namespace

Tensor transposed(const At& x, const Tensor& weight, const ConvolveAttrs& a, const Sizes& sizes) {
  return Phases(x, weight, a, sizes).run();
}

}  // namespace vitro::ops
