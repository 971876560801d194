// The transpose of a convolution, by phases. With stride s the elements t, t + s, t + 2 s, ... of
// the result, its phase t, are a convolution of x with stride 1, whose taps are every s-th of the
// kernel, reversed. Adjacent phases that begin at the same element of x and have the same number
// of taps are the channels of one convolution. The results are interleaved.
//
// A kernel of 5 with stride 3: phases 0 and 1 have two taps (0 3, 1 4), phase 2 has one (2). A
// kernel of 4 with stride 2 and padding 1: phase 0 has the taps 1 3, phase 1 the taps 0 2, and
// begins one element later.
#include <algorithm>
#include <numeric>

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

// Phases that are the channels of one convolution. `phase`: the first tap of their first one.
struct Run {
  Size phase, count, taps;
  Size first;  // the element of x that the last tap of its first element reads
};
// A dimension of the result.
struct Axis {
  // The taps of a phase are `period` apart in the kernel and `dilation` apart in x.
  Size period;
  int64_t dilation;
  Size taps;              // of the longest phase
  Size positions;         // of each phase
  Size skipped = 0;       // elements before the first of the result
  std::vector<Run> runs;  // in the order of the result
  Size phases() const {
    Size out = 0;
    for (const Run& run : runs) out = out + run.count;
    return out;
  }
};

// All phases begin at the same element of x. Those whose results are outside of the result there
// are computed for nothing, but there are at most two runs.
Axis common_axis(Size kernel, int64_t stride, int64_t dilation, Size padding, Size size) {
  const Size taps = (kernel + (stride - 1)) / stride, longer = kernel - (taps - 1) * stride,
             first = padding / stride, end = (padding + size + (stride - 1)) / stride;
  Axis out{
      stride, dilation, taps, end - first, padding - first * stride, {{0, longer, taps, first}}};
  if (!equal(longer, stride)) out.runs.push_back({longer, stride - longer, taps - 1, first});
  return out;
}

// Each phase begins at its own element of x. `phases`: the number of them that are needed.
Axis exact_axis(int64_t kernel, int64_t stride, int64_t dilation, int64_t padding, Size size,
                int64_t phases) {
  const int64_t common = std::gcd(stride, dilation), period = stride / common;
  const int64_t taps = (kernel + period - 1) / period;
  Axis out{period, dilation / common, taps, (size + (stride - 1)) / stride, 0, {}};
  for (int64_t t = padding; t < padding + phases; ++t) {
    Run run{0, 1, 0, 0};
    for (int64_t tap = 0; tap < std::min(period, kernel); ++tap) {
      if ((t - tap * dilation) % stride != 0) continue;
      run = {tap, 1, (kernel - tap + period - 1) / period, (t - tap * dilation) / stride};
      break;
    }
    if (!out.runs.empty()) {
      Run& last = out.runs.back();
      const bool follows = last.taps == 0 || last.phase + last.count == run.phase;
      if (last.taps == run.taps && last.first == run.first && follows) {
        last.count = last.count + 1;
        continue;
      }
    }
    out.runs.push_back(run);
  }
  return out;
}

// Each element of the result is a phase of its own: x has one element, which each tap meets once.
Axis axis_of_one(Size kernel) {
  return {kernel, 1, 1, 1, 0, {{0, kernel, 1, 0}}};
}

class Phases {
 public:
  Phases(const Tensor& x, const Tensor& weight, const ConvolveAttrs& a, const Sizes& sizes)
      : x_(x),
        sizes_(sizes),
        groups_(a.groups),
        rank_(a.stride.size()),
        of_group_(weight.size(1)),
        channels_last_(gives_channels_last(x_.rule_meta(), weight.rule_meta())) {
    // The channels that vectors run along: those of a group, or groups of one channel.
    Size columns = known_equal(weight.size(0), groups_) ? of_group_ * groups_ : of_group_;
    axes_.resize(rank_);
    for (size_t d = rank_; d-- > 0;) {
      axes_[d] = axis(d, weight.sizes()[d + 2], a, columns);
      convolutions_ *= axes_[d].runs.size();
      if (axes_[d].runs.size() == 1) columns = columns * axes_[d].runs[0].count;
    }
    Sizes grouped{groups_, weight.size(0) / groups_, of_group_};
    Sizes pad;  // from the last dimension on
    bool pads = false;
    for (size_t d = 0; d < rank_; ++d) {
      const Axis& axis = axes_[d];
      grouped.push_back(axis.taps);
      grouped.push_back(axis.period);
      pad.insert(0, axis.taps * axis.period - weight.sizes()[d + 2]);
      pad.insert(0, 0);
      pads = pads || !known_equal(pad[1], 0);
    }
    taps_ = in_order(reshape(pads ? constant_pad_nd(weight, pad) : weight, grouped));
    if (!pads && convolutions_ > 1) taps_ = contiguous(taps_);  // then those of a run are, too
  }

  Tensor run() const {
    Sizes sizes{x_.size(0), groups_ * of_group_};
    Dims order{0, 1, dim_of(rank_)};
    for (size_t d = 0; d < rank_; ++d) {
      sizes.push_back(axes_[d].positions * axes_[d].phases());
      order.push_back(dim_of(rank_ + d) + 1);
      order.push_back(dim_of(d));
    }
    Tensor out = reshape(permute(from({}), order), sizes);
    for (size_t d = 0; d < rank_; ++d) {
      const Size first = axes_[d].skipped;
      out = slice(out, dim_of(d), first, first + sizes_[d]);
    }
    return channels_last_ ? with_channels_last(out) : contiguous(out);
  }

 private:
  using Runs = SmallVector<Run, 3>;  // one of each axis

  static int64_t dim_of(size_t d) { return static_cast<int64_t>(d) + 2; }

  // The axis of dimension d, if products have `columns` columns without its phases.
  Axis axis(size_t d, Size kernel, const ConvolveAttrs& a, Size columns) {
    const Size padding = a.padding[d], size = sizes_[d];
    int64_t stride = a.stride[d];
    const int64_t dilation = a.dilation[d];
    const bool one = known_equal(x_.sizes()[d + 2], 1) && dilation == 1;
    if (one && known_equal(padding, 0) && known_equal(kernel, size)) return axis_of_one(kernel);
    if (!kernel.is_symbolic() && !padding.is_symbolic()) {
      int64_t phases = stride;
      if (!size.is_symbolic()) {
        // One element is followed by none, so that any stride is its own, and a tap a phase.
        if (one) stride = std::max({stride, kernel.hint(), padding.hint() + size.hint()});
        phases = std::min(stride, size.hint());
      }
      if (phases <= most_phases) {
        Axis exact = exact_axis(kernel, stride, dilation, padding, size, phases);
        if (is_preferred(exact, stride > 1 && dilation > 1, columns)) return exact;
      }
    }
    // The taps of a phase of a dilated kernel are not adjacent.
    if (stride > 1 && dilation > 1) x_ = spread(x_, d + 2, stride), stride = 1;
    return common_axis(kernel, stride, dilation, padding, size);
  }

  // Few channels leave lanes of vectors without work, unless phases are channels too.
  bool is_preferred(const Axis& exact, bool spreads, Size columns) const {
    if (exact.runs.size() == 1) return true;
    if (convolutions_ * exact.runs.size() > most_convolutions) return false;
    const bool few = !columns.is_symbolic() && columns.hint() < few_columns;
    return spreads || !few;
  }

  // The results of all phases of the axes from here on, for runs of the earlier ones:
  // [n, groups, phases..., channels, elements...] by axis.
  Tensor from(const Runs& runs) const {
    const size_t d = runs.size();
    if (d == rank_) return of_runs(runs);
    std::vector<Tensor> parts;
    for (const Run& run : axes_[d].runs) parts.push_back(from(with(runs, run)));
    return parts.size() == 1 ? parts[0] : cat(parts, dim_of(d));
  }
  static Runs with(Runs runs, const Run& run) {
    runs.push_back(run);
    return runs;
  }

  Tensor of_runs(const Runs& runs) const {
    ConvolveAttrs a{Dims(rank_, 1), {}, {}, {}, groups_};
    Sizes sizes{x_.size(0), groups_};
    Size channels = of_group_;
    bool none = false;
    for (size_t d = 0; d < rank_; ++d) {
      const auto& [phase, count, taps, first] = runs[d];
      none = none || equal(taps, 0);
      a.dilation.push_back(axes_[d].dilation);
      a.padding.push_back((taps - 1) * axes_[d].dilation - first);
      a.padding_after.push_back(first + axes_[d].positions - x_.sizes()[d + 2]);
      channels = channels * count;
      sizes.push_back(count);
    }
    sizes.push_back(of_group_);
    for (const Axis& axis : axes_) sizes.push_back(axis.positions);
    if (none) return zeros(sizes, x_.dtype(), x_.device());
    return reshape(convolved(x_, weight_of(runs, channels), a), sizes);
  }

  // The weight of such a convolution: [groups * phases * channels, x's channels, taps...].
  Tensor weight_of(const Runs& runs, Size channels) const {
    Tensor out = taps_;
    Sizes sizes{groups_ * channels, out.size(dim_of(rank_))};
    for (size_t d = 0; d < rank_; ++d) {
      const auto& [phase, count, taps, first] = runs[d];
      const int64_t dim = dim_of(rank_ + d) + 1;
      const Size most = out.size(dim);
      out = slice(slice(out, dim_of(d) - 1, phase, phase + count), dim, most - taps, most);
      sizes.push_back(taps);
    }
    return reshape(out, sizes);
  }

  // Of [groups, x's channels, channels, taps, phases, ...]: [groups, phases..., channels, x's
  // channels, taps...], with the taps reversed.
  Tensor in_order(const Tensor& taps) const {
    Dims reversed, order{0};
    for (size_t d = 0; d < rank_; ++d) {
      const int64_t dim = dim_of(2 * d) + 1;
      if (!known_equal(taps.size(dim), 1)) reversed.push_back(dim);
      order.push_back(dim + 1);
    }
    order.push_back(2);
    order.push_back(1);
    for (size_t d = 0; d < rank_; ++d) order.push_back(dim_of(2 * d) + 1);
    return permute(reversed.empty() ? taps : flip(taps, reversed), order);
  }

  static constexpr int64_t most_phases = 64;  // of an axis, whose runs are looked for
  static constexpr size_t most_convolutions = 16;
  // Fewer are less than two vectors of f32, and such products wait for what they load.
  static constexpr int64_t few_columns = 32;

  Tensor x_;
  const Sizes& sizes_;
  int64_t groups_;
  size_t rank_;
  Size of_group_;       // channels of the result in each group
  bool channels_last_;  // the memory format of the result
  std::vector<Axis> axes_;
  size_t convolutions_ = 1;
  Tensor taps_;  // in_order()
};

}  // namespace

void Transposed::shape(ShapeCall& call) {
  const TensorMeta &x = *call.operands[0].meta, &weight = *call.operands[1].meta;
  const auto& a = call.attrs.as<Attrs>();
  Sizes sizes{x.sizes[0], weight.sizes[1] * a.groups};
  for (const Size size : a.sizes) sizes.push_back(size);
  call.results.push_back(dense_in(gives_channels_last(x, weight), x.dtype, x.device, sizes));
}

void Transposed::expand(std::span<const Operand> operands, AttrsView attrs,
                        std::span<Tensor> results) {
  const auto& a = attrs.as<Attrs>();
  results[0] = Phases(operands[0].tensor(), operands[1].tensor(), a, a.sizes).run();
}

Tensor transposed(const At& x, const Tensor& weight, const ConvolveAttrs& a, const Sizes& sizes) {
  return by_formula<Transposed>(x.where, {x.operand, weight}, {a, sizes});
}

}  // namespace vitro::ops
