// Interpolation along one dimension after the other, written with index_select and arithmetic.
// Places are computed in the type that ATen uses (UpSample.h), so that the same elements are
// selected.
#include "vitro/ops/resample.h"

#include <algorithm>
#include <cmath>

#include "core/numbers.h"
#include "ops/memory_format.h"
#include "ops/uneven_windows.h"
#include "vitro/base/called_as.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/core/region.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/pool.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {
namespace {

void check_resampled(std::string_view op, const Tensor& x, const SizesArg& size, int dims) {
  VITRO_CHECK(x.rank() == dims + 2, op, ": needs x of rank ", dims + 2, ", got sizes ",
              numbers_of(x.sizes()));
  VITRO_CHECK(static_cast<int>(size.size()) == dims, op, ": needs ", dims, " sizes, got ",
              numbers_of(size));
  for (const Size one : size)
    VITRO_CHECK(less(0, one), op, ": sizes must be positive, got ", numbers_of(size));
  for (int64_t d = 1; d < x.rank(); ++d)
    VITRO_CHECK(less(0, x.size(d)), op, ": dimension ", d, " has no elements, got sizes ",
                numbers_of(x.sizes()));
}

// One dimension of x: its size before and after.
struct Along {
  int64_t dim;
  Size from, to;
  bool align_corners;
  Scale scale;

  // 0, 1, ... in the type of `like`, in which ATen computes places.
  Tensor indices(const Tensor& like) const {
    return vitro::to(arange(to, {}, like.device()), like.dtype());
  }
  // The step in x per step of the result.
  Tensor step(const Tensor& like) const {
    const auto number = [&](const Scalar& n) { return full({}, n, like.dtype(), like.device()); };
    if (align_corners)
      return equal(to, 1) ? number(0) : number(Scalar(from - 1)) / number(Scalar(to - 1));
    if (scale && *scale > 0) return number(1.0 / *scale);
    return number(Scalar(from)) / number(Scalar(to));
  }
  // The step, rounded up; at least 1.
  Size most_in_step() const {
    if (!align_corners && scale && *scale > 0)
      return static_cast<int64_t>(std::ceil(std::clamp(1 / *scale, 1.0, 1e9)));
    const Size elements = align_corners ? from - 1 : from, steps = align_corners ? to - 1 : to;
    return equal(steps, 0) ? Size(1) : max((elements + (steps - 1)) / steps, 1);
  }
  // The places of the centers of the new elements in x, whose first element has its center at 0.
  Tensor places(const Tensor& like) const {
    const Tensor index = indices(like);
    return align_corners ? index * step(like) : (index + 0.5) * step(like) - 0.5;
  }
};

Tensor nearest_along(const Tensor& x, const Along& along, bool exact) {
  const Tensor index = along.indices(full({}, 0, DType::f32, x.device()));
  const Tensor at = (exact ? index + 0.5 : index) * along.step(index);
  return index_select(x, along.dim, minimum(vitro::to(floor(at), DType::i64), along.from - 1));
}

// The elements along the dimension that a new one is computed from, each with its weight.
struct Term {
  Tensor index, weight;
};

std::vector<Term> linear_terms(const Tensor& x, const Along& along) {
  if (equal(along.from, along.to)) {  // no interpolation
    const Tensor index = arange(along.to, {}, x.device());
    const Tensor none = along.indices(x) * 0;
    return {{index, 1 - none}, {index, none}};
  }
  const Tensor at = maximum(along.places(x), 0);
  const Tensor first = minimum(vitro::to(floor(at), DType::i64), along.from - 1);
  const Tensor weight = clamp(at - vitro::to(first, x.dtype()), 0.0, 1.0);
  return {{first, 1 - weight}, {minimum(first + 1, along.from - 1), weight}};
}

// Keys' cubic convolution: its values at a distance of at most 1, and of 1 to 2. ATen's `a` is
// -0.75, with antialiasing -0.5.
Tensor cubic_near(const Tensor& x, double a) {
  return ((a + 2) * x - (a + 3)) * x * x + 1;
}
Tensor cubic_far(const Tensor& x, double a) {
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

}  // namespace

std::array<Tensor, 4> cubic_weights(const Tensor& t) {
  constexpr double a = -0.75;
  return {cubic_far(t + 1, a), cubic_near(t, a), cubic_near(1 - t, a), cubic_far(2 - t, a)};
}

namespace {

std::vector<Term> cubic_terms(const Tensor& x, const Along& along) {
  const Tensor at = along.places(x);
  const Tensor second = minimum(vitro::to(floor(at), DType::i64), along.from - 1);
  const Tensor t = clamp(at - vitro::to(second, x.dtype()), 0.0, 1.0);
  const std::array<Tensor, 4> weights = cubic_weights(t);
  std::vector<Term> terms;
  for (size_t i = 0; i < weights.size(); ++i) {
    const Tensor index = second + (static_cast<int>(i) - 1);
    terms.push_back({maximum(minimum(index, along.from - 1), 0), weights[i]});
  }
  return terms;
}

Tensor sum_of(const std::vector<Term>& terms, const Tensor& x, const Along& along) {
  Tensor sum;
  for (const Term& term : terms) {
    const Tensor part = index_select(x, along.dim, term.index) * beside(term.weight, x, along.dim);
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

// The value of the kernel of an interpolation at a distance.
Tensor kernel_at(const Tensor& distance, Interpolation by) {
  const Tensor x = abs(distance);
  if (by == Interpolation::linear) return maximum(1 - x, 0);
  return where(x < 1, cubic_near(x, -0.5), where(x < 2, cubic_far(x, -0.5), 0));
}

// A new element is a mean of all elements within the reach of the kernel, which is stretched to the
// distance of the new elements if these are further apart.
Tensor mean_along(const Tensor& x, const Along& along, Interpolation by) {
  if (equal(along.from, along.to)) return x;
  const int64_t reach = by == Interpolation::linear ? 1 : 2;
  const Tensor step = along.step(x), stretch = maximum(step, 1);
  const Tensor center = (along.indices(x) + 0.5) * step;
  const auto integer = [](const Tensor& at) { return vitro::to(trunc(at), DType::i64); };
  const Tensor first = maximum(integer(center - stretch * reach + 0.5), 0);
  const Tensor end = minimum(integer(center + stretch * reach + 0.5), along.from);
  // Both sides of the center, and one element for rounding.
  const Size longest = min(2 * reach * along.most_in_step() + 1, along.from);
  const UnevenWindows windows{first, end, longest};
  const Tensor place =
      vitro::to(unsqueeze(first, 1) + arange(windows.longest, {}, x.device()), x.dtype());
  const Tensor distance = (place - unsqueeze(center, 1) + 0.5) / stretch;
  const Tensor weights = where(windows.inside(), kernel_at(distance, by), 0);
  const Tensor shares = weights / sum(weights, 1, true);
  const Tensor elements = elements_under(windows, x, along.dim, 0);
  return sum(elements * beside(shares, x, along.dim), along.dim + 1);
}

Tensor interpolated(const Tensor& x, const Along& along, const Resizing& how) {
  if (how.antialias) return mean_along(x, along, how.by);
  const bool cubic = how.by == Interpolation::cubic;
  return sum_of(cubic ? cubic_terms(x, along) : linear_terms(x, along), x, along);
}

}  // namespace

Tensor resized(const Resizing& how, At x, const SizesArg& size, const Scales& scales,
               bool align_corners) {
  const CalledAs name(how.op, x.where);
  const Tensor& t = x.operand.tensor();
  check_resampled(how.op, t, size, how.dims);
  const bool nearest = how.by == Interpolation::nearest,
             copies = nearest || how.by == Interpolation::nearest_exact;
  VITRO_CHECK(copies || t.dtype() != DType::u8, how.op,
              ": interpolation of u8 is not implemented; cast x to f32, and round the result");
  VITRO_CHECK(copies || is_floating(t.dtype()), how.op, ": takes floating-point numbers, got ",
              t.dtype());
  return region(how.op, {&t}, [&] {
    Tensor out = copies ? t : to(t, compute_type(t.dtype()));
    for (size_t d = size.size(); d-- > 0;) {
      Along along{static_cast<int64_t>(d) + 2, out.sizes()[d + 2], size[d], align_corners,
                  scales[d]};
      if (!copies) {
        out = interpolated(out, along, how);
        continue;
      }
      // Between planes of two dimensions the scale does not count if the size is kept or doubled.
      const bool by_sizes = nearest && how.dims == 2 && along.scale &&
                            (equal(along.from, along.to) || equal(along.from * 2, along.to));
      if (by_sizes) along.scale = {};
      out = nearest_along(out, along, !nearest);
    }
    const Tensor made = in_format_of(t, to(out, t.dtype()));
    return made.same_as(t) ? clone(made) : made;  // means over no distance
  });
}

Tensor resized_by(const Resizing& how, At x, const std::optional<Sizes>& size,
                  const std::vector<Scalar>& factors, bool align_corners) {
  const CalledAs name(how.op, x.where);
  const Sizes& sizes = x.operand.tensor().sizes();
  const auto dims = static_cast<size_t>(how.dims);
  VITRO_CHECK(size.has_value() != !factors.empty(), how.op,
              ": needs either output_size or scale_factors");
  if (size) return resized(how, x, *size, Scales(dims), align_corners);
  VITRO_CHECK(sizes.size() == dims + 2, how.op, ": needs x of rank ", dims + 2, ", got sizes ",
              numbers_of(sizes));
  VITRO_CHECK(factors.size() == dims, how.op, ": needs ", dims, " scale_factors, got ",
              factors.size());
  SizesArg to;
  Scales scales;
  for (size_t d = 0; d < dims; ++d) {
    const double factor = factors[d].as_double();
    const auto from = static_cast<float>(sizes[2 + d].value());
    VITRO_CHECK(factor > 0 && factor * from < 1e9, how.op, ": scale factors must be positive, got ",
                factor);
    to.push_back(static_cast<int64_t>(static_cast<double>(from) * factor));
    scales.emplace_back(factor);
  }
  return resized(how, x, to, scales, align_corners);
}

}  // namespace ops

namespace {

struct InterpolateMode {
  std::string_view name;
  const ops::Resizing& how;
};
constexpr InterpolateMode interpolate_modes[] = {{"nearest", ops::nearest1d},
                                                 {"nearest", ops::nearest2d},
                                                 {"nearest", ops::nearest3d},
                                                 {"nearest-exact", ops::nearest_exact1d},
                                                 {"nearest-exact", ops::nearest_exact2d},
                                                 {"nearest-exact", ops::nearest_exact3d},
                                                 {"linear", ops::linear1d},
                                                 {"bilinear", ops::bilinear2d},
                                                 {"trilinear", ops::trilinear3d},
                                                 {"bicubic", ops::bicubic2d},
                                                 {"bilinear", ops::bilinear2d_aa},
                                                 {"bicubic", ops::bicubic2d_aa}};

// The op of a mode of interpolate for planes of `dims` dimensions; Error if there is none.
const ops::Resizing& resizing_of(std::string_view mode, int64_t dims, bool antialias) {
  std::string others;
  for (const InterpolateMode& one : interpolate_modes) {
    if (one.how.dims != dims || one.how.antialias != antialias) continue;
    if (one.name == mode) return one.how;
    others += cat(others.empty() ? "" : ", ", one.name);
  }
  const std::string_view with = antialias ? " with antialias" : "";
  VITRO_CHECK(!others.empty(), "interpolate: there is no mode", with, " for x of rank ", dims + 2);
  VITRO_CHECK(false, "interpolate: there is no mode ", mode, with, " for x of rank ", dims + 2,
              "; needs ", others, antialias ? "" : ", area");
}

// One number, or one for each dimension.
template <class List>
void fill_up(List& list, std::string_view what, int64_t dims) {
  const auto count = static_cast<size_t>(dims);
  VITRO_CHECK(list.size() == 1 || list.size() == count, "interpolate: ", what,
              " needs one number or ", dims, ", got ", list.size());
  while (list.size() < count) list.push_back(list[0]);
}

Tensor area(const ops::At& x, const SizesArg& size) {
  if (size.size() == 1) return adaptive_avg_pool1d(x, size);
  return size.size() == 2 ? adaptive_avg_pool2d(x, size) : adaptive_avg_pool3d(x, size);
}

}  // namespace

Tensor interpolate(ops::At x, InterpolateOptions how) {
  const CalledAs name("interpolate", x.where);
  const Tensor& t = x.operand.tensor();
  const int64_t dims = t.rank() - 2;
  VITRO_CHECK(dims >= 1 && dims <= 3, "interpolate: needs x of rank 3, 4 or 5, got sizes ",
              numbers_of(t.sizes()));
  VITRO_CHECK(how.size.empty() != how.scale_factor.empty(),
              "interpolate: needs either size or scale_factor, got ",
              how.size.empty() ? "neither" : "both");
  ops::Scales scales(static_cast<size_t>(dims));
  if (how.size.empty()) {
    fill_up(how.scale_factor, "scale_factor", dims);
    for (size_t d = 0; d < how.scale_factor.size(); ++d) {
      const double factor = how.scale_factor[d];
      const auto from = static_cast<double>(t.sizes()[2 + d].value());
      VITRO_CHECK(factor > 0 && factor * from < 1e9,
                  "interpolate: scale_factor must be positive, got ", factor);
      how.size.push_back(static_cast<int64_t>(std::floor(from * factor)));
      if (!how.recompute_scale_factor) scales[d] = factor;
    }
  } else {
    fill_up(how.size, "size", dims);
  }
  if (how.mode == "area" && !how.align_corners && !how.antialias) return area(x, how.size);
  const ops::Resizing& resizing = resizing_of(how.mode, dims, how.antialias);
  VITRO_CHECK(!how.align_corners || resizing.by == ops::Interpolation::linear ||
                  resizing.by == ops::Interpolation::cubic,
              "interpolate: mode ", how.mode, " does not take align_corners");
  return ops::resized(resizing, x, how.size, scales, how.align_corners);
}

namespace {

// A copy of x with its dimensions permuted, as `sizes`.
Tensor moved(const ops::At& x, const Sizes& split, DimsArg order, const Sizes& sizes) {
  const Tensor parts = reshape({x.operand.tensor(), x.where}, split);
  return reshape(clone(permute(parts, std::move(order)), ops::MemoryFormat::contiguous), sizes);
}

// The sizes of x before its channels and planes, which must be there.
Sizes batch_of(std::string_view op, const Tensor& x) {
  VITRO_CHECK(x.rank() >= 3, op, ": needs x of rank at least 3, got sizes ", numbers_of(x.sizes()));
  Sizes batch = x.sizes();
  batch.resize(batch.size() - 3);
  return batch;
}

Sizes joined(Sizes first, std::initializer_list<Size> rest) {
  for (const Size size : rest) first.push_back(size);
  return first;
}

// 0, 1, ... before `first`, then `rest` counted from there.
DimsArg after_batch(const Sizes& batch, std::initializer_list<int64_t> rest) {
  DimsArg order;
  const auto first = static_cast<int64_t>(batch.size());
  for (int64_t d = 0; d < first; ++d) order.push_back(d);
  for (const int64_t d : rest) order.push_back(first + d);
  return order;
}

}  // namespace

Tensor pixel_shuffle(ops::At x, int64_t upscale_factor) {
  const CalledAs name("pixel_shuffle", x.where);
  const Tensor& t = x.operand.tensor();
  const Sizes batch = batch_of("pixel_shuffle", t);
  const int64_t r = upscale_factor;
  VITRO_CHECK(r > 0 && r < (int64_t{1} << 20),
              "pixel_shuffle: upscale_factor must be positive, got ", r);
  const Size channels = t.size(-3), h = t.size(-2), w = t.size(-1);
  VITRO_CHECK(equal(channels % (r * r), 0), "pixel_shuffle: needs a multiple of ", r * r,
              " channels, got ", number_of(channels), " (sizes ", numbers_of(t.sizes()), ")");
  const Size c = channels / (r * r);
  return moved(x, joined(batch, {c, r, r, h, w}), after_batch(batch, {0, 3, 1, 4, 2}),
               joined(batch, {c, h * r, w * r}));
}

Tensor pixel_unshuffle(ops::At x, int64_t downscale_factor) {
  const CalledAs name("pixel_unshuffle", x.where);
  const Tensor& t = x.operand.tensor();
  const Sizes batch = batch_of("pixel_unshuffle", t);
  const int64_t r = downscale_factor;
  VITRO_CHECK(r > 0 && r < (int64_t{1} << 20),
              "pixel_unshuffle: downscale_factor must be positive, got ", r);
  const Size c = t.size(-3), h = t.size(-2), w = t.size(-1);
  VITRO_CHECK(equal(h % r, 0) && equal(w % r, 0),
              "pixel_unshuffle: needs height and width to be multiples of ", r, ", got sizes ",
              numbers_of(t.sizes()));
  return ops::in_format_of(
      t, moved(x, joined(batch, {c, h / r, r, w / r, r}), after_batch(batch, {0, 2, 4, 1, 3}),
               joined(batch, {c * (r * r), h / r, w / r})));
}

Tensor channel_shuffle(ops::At x, int64_t groups) {
  const CalledAs name("channel_shuffle", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() >= 3, "channel_shuffle: needs x of rank at least 3, got sizes ",
              numbers_of(t.sizes()));
  VITRO_CHECK(groups > 0 && equal(t.size(1) % groups, 0), "channel_shuffle: dimension 1 of sizes ",
              numbers_of(t.sizes()), " does not divide into ", groups, " groups");
  Sizes split{t.size(0), groups, t.size(1) / groups};
  DimsArg order{0, 2, 1};
  for (int64_t d = 2; d < t.rank(); ++d) {
    split.push_back(t.size(d));
    order.push_back(d + 1);
  }
  return ops::in_format_of(t, moved(x, split, order, t.sizes()));
}

}  // namespace vitro
