// Sampling of planes at any places, written with gathers and arithmetic; and grids of places.
#include <array>
#include <vector>

#include "core/numbers.h"
#include "ops/autocast.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/region.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/resample.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

enum class Sampling : uint8_t { linear, nearest, cubic };
enum class Beyond : uint8_t { zeros, border, reflection };

// The gradient is 0 at both ends, too, as in ATen.
Tensor within(const Tensor& place, Size size) {
  const Tensor from_first = where(place > 0, place, 0);
  return where(from_first < size - 1, from_first, Scalar(size - 1));
}

// Mirrored at the centers of the outermost elements, or at their outer edges.
Tensor mirrored(const Tensor& place, Size size, bool at_centers) {
  const Size span = at_centers ? size - 1 : size;
  if (equal(span, 0)) return zeros_like(place);
  const double first = at_centers ? 0 : -0.5;
  const Tensor from_first = place - first;
  const Tensor distance = where(from_first < 0, -from_first, from_first);
  const Tensor rest = fmod(distance, span);
  const Tensor is_even = fmod(floor(distance / span), 2) == 0;
  return where(is_even, rest + first, span - rest + first);
}

class Sampler {
 public:
  // x [n, c, ...] and grid [n, ..., dims], in their compute type.
  Sampler(const Tensor& x, const Tensor& grid, Beyond beyond, bool align_corners)
      : grid_(grid), beyond_(beyond), align_corners_(align_corners), dims_(x.rank() - 2) {
    Size count = 1;
    for (int64_t d = 2; d < x.rank(); ++d) {
      sizes_.push_back(x.size(d));
      count = count * x.size(d);
    }
    flat_ = reshape(x, {x.size(0), x.size(1), count});
    for (int64_t d = 1; d <= dims_; ++d) places_.push_back(grid.size(d));
  }

  Tensor sample(Sampling how) const {
    Taps taps;
    for (int64_t d = 0; d < dims_; ++d) {
      const Tensor at = place(d, how);
      if (how == Sampling::nearest) {
        taps.push_back({{round(at), {}}});
      } else {
        taps.push_back(how == Sampling::linear ? linear(at) : cubic(at, size(d)));
      }
    }
    return combined(taps, 0, {}, {}, {});
  }

 private:
  struct Tap {
    Tensor place, weight;  // no weight: 1
  };
  using Taps = std::vector<std::vector<Tap>>;

  Size size(int64_t d) const { return sizes_[static_cast<size_t>(d)]; }

  Tensor beyond_ends(const Tensor& at, Size size) const {
    if (beyond_ == Beyond::zeros) return at;
    return within(beyond_ == Beyond::border ? at : mirrored(at, size, align_corners_), size);
  }

  // The place along dimension d of a plane, in elements. Of cubic interpolation each element is
  // moved inside, not the place.
  Tensor place(int64_t d, Sampling how) const {
    const Tensor at = select(grid_, -1, dims_ - 1 - d);
    const Size n = size(d);
    const Tensor scaled = align_corners_ ? (at + 1) / 2 * (n - 1) : ((at + 1) * n - 1) / 2;
    return how == Sampling::cubic ? scaled : beyond_ends(scaled, n);
  }

  static std::vector<Tap> linear(const Tensor& at) {
    const Tensor first = floor(at), weight = at - first;
    return {{first, 1 - weight}, {first + 1, weight}};
  }
  std::vector<Tap> cubic(const Tensor& at, Size size) const {
    const Tensor second = floor(at);
    const std::array<Tensor, 4> weights = ops::cubic_weights(at - second);
    std::vector<Tap> taps;
    for (size_t i = 0; i < 4; ++i)
      taps.push_back({beyond_ends(second + (static_cast<int>(i) - 1), size), weights[i]});
    return taps;
  }

  // The sum over all combinations of the taps of dimensions from d on, given those before.
  Tensor combined(const Taps& taps, int64_t d, const Tensor& index, const Tensor& weight,
                  const Tensor& inside) const {
    if (d == dims_) return weighted(index, weight, inside);
    Tensor sum;
    for (const Tap& tap : taps[static_cast<size_t>(d)]) {
      const Tensor has = logical_and(tap.place >= 0, tap.place <= size(d) - 1);
      const Tensor at = to(where(has, tap.place, 0), DType::i64);
      const bool is_first = d == 0;
      const Tensor part =
          combined(taps, d + 1, is_first ? at : index * size(d) + at,
                   weight.defined() && tap.weight.defined() ? weight * tap.weight : tap.weight,
                   is_first ? has : logical_and(inside, has));
      sum = sum.defined() ? sum + part : part;
    }
    return sum;
  }

  // The elements at the index in their planes, 0 unless inside, times their weight.
  Tensor weighted(const Tensor& index, const Tensor& weight, const Tensor& inside) const {
    Sizes sizes{flat_.size(0), flat_.size(1)};
    Size count = 1;
    for (const Size n : places_) {
      sizes.push_back(n);
      count = count * n;
    }
    const Tensor rows =
        expand(reshape(index, {flat_.size(0), 1, count}), {flat_.size(0), flat_.size(1), count});
    const Tensor taken = where(unsqueeze(inside, 1), reshape(gather(flat_, 2, rows), sizes), 0);
    return weight.defined() ? taken * unsqueeze(weight, 1) : taken;
  }

  Tensor flat_, grid_;
  Sizes sizes_, places_;
  Beyond beyond_;
  bool align_corners_;
  int64_t dims_;
};

void check_grid(std::string_view op, const Tensor& x, const Tensor& grid, int dims) {
  VITRO_CHECK(x.rank() == dims + 2 && grid.rank() == dims + 2, op, ": needs x and grid of rank ",
              dims + 2, ", got sizes ", numbers_of(x.sizes()), " and ", numbers_of(grid.sizes()));
  VITRO_CHECK(is_floating(x.dtype()) && grid.dtype() == x.dtype(), op,
              ": takes floating-point numbers of one dtype, got ", x.dtype(), " and ",
              grid.dtype());
  VITRO_CHECK(equal(x.size(0), grid.size(0)) && equal(grid.size(-1), dims), op,
              ": needs a grid of sizes [", number_of(x.size(0)), ", ..., ", dims, "], got ",
              numbers_of(grid.sizes()));
  for (int64_t d = 2; d < x.rank(); ++d)
    VITRO_CHECK(less(0, x.size(d)), op, ": dimension ", d, " has no elements, got sizes ",
                numbers_of(x.sizes()));
}

Tensor sampled(std::string_view op, const ops::At& at, const Tensor& grid,
               int64_t interpolation_mode, int64_t padding_mode, bool align_corners, int dims) {
  const CalledAs name(op, at.where);
  const Tensor& x = at.operand.tensor();
  check_grid(op, x, grid, dims);
  const int64_t modes = dims == 2 ? 3 : 2;
  VITRO_CHECK(interpolation_mode >= 0 && interpolation_mode < modes, op,
              ": interpolation_mode must be 0 (bilinear)",
              modes == 3 ? ", 1 (nearest) or 2 (bicubic)" : " or 1 (nearest)", ", got ",
              interpolation_mode);
  VITRO_CHECK(padding_mode >= 0 && padding_mode < 3, op,
              ": padding_mode must be 0 (zeros), 1 (border) or 2 (reflection), got ", padding_mode);
  const DType wide = compute_type(x.dtype());
  return region(op, {&x, &grid}, [&] {
    const Sampler sampler(to(x, wide), to(contiguous(grid), wide),
                          static_cast<Beyond>(padding_mode), align_corners);
    return to(sampler.sample(static_cast<Sampling>(interpolation_mode)), x.dtype());
  });
}

// The position of the word in the list. Error if it is not there.
template <size_t n>
int64_t position(std::string_view what, const std::array<std::string_view, n>& words,
                 std::string_view word) {
  for (size_t i = 0; i < n; ++i) {
    if (words[i] == word) return static_cast<int64_t>(i);
  }
  throw_error(cat("grid_sample: ", what, " must be ", words[0], ", ", words[1], " or ", words[2],
                  ", got ", word));
}

}  // namespace

Tensor grid_sampler_2d(ops::At x, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners) {
  if (autocasts())
    return autocasted("grid_sampler_2d", &grid_sampler_2d, x, grid, interpolation_mode,
                      padding_mode, align_corners);
  return sampled("grid_sampler_2d", x, grid, interpolation_mode, padding_mode, align_corners, 2);
}
Tensor grid_sampler_3d(ops::At x, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners) {
  if (autocasts())
    return autocasted("grid_sampler_3d", &grid_sampler_3d, x, grid, interpolation_mode,
                      padding_mode, align_corners);
  return sampled("grid_sampler_3d", x, grid, interpolation_mode, padding_mode, align_corners, 3);
}
Tensor grid_sampler(ops::At x, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode,
                    bool align_corners) {
  if (autocasts())
    return autocasted("grid_sampler", &grid_sampler, x, grid, interpolation_mode, padding_mode,
                      align_corners);
  const int dims = x.operand.tensor().rank() == 5 ? 3 : 2;
  return sampled("grid_sampler", x, grid, interpolation_mode, padding_mode, align_corners, dims);
}
Tensor grid_sample(ops::At x, const Tensor& grid, std::string_view mode,
                   std::string_view padding_mode, bool align_corners) {
  const CalledAs name("grid_sample", x.where);
  using Words = std::array<std::string_view, 3>;
  return grid_sampler(
      x, grid, position("mode", Words{"bilinear", "nearest", "bicubic"}, mode),
      position("padding_mode", Words{"zeros", "border", "reflection"}, padding_mode),
      align_corners);
}

Tensor affine_grid_generator(ops::At theta, SizesArg size, bool align_corners) {
  const CalledAs name("affine_grid_generator", theta.where);
  const Tensor& t = theta.operand.tensor();
  const auto dims = static_cast<int64_t>(size.size()) - 2;
  VITRO_CHECK(dims == 2 || dims == 3, "affine_grid_generator: size needs 4 or 5 numbers, got ",
              numbers_of(size));
  VITRO_CHECK(is_floating(t.dtype()), "affine_grid_generator: takes floating-point numbers, got ",
              t.dtype());
  VITRO_CHECK(t.rank() == 3 && equal(t.size(0), size[0]) && equal(t.size(1), dims) &&
                  equal(t.size(2), dims + 1),
              "affine_grid_generator: needs theta of sizes [", number_of(size[0]), ", ", dims, ", ",
              dims + 1, "], got ", numbers_of(t.sizes()));
  Tensor factors = to({t, theta.where}, compute_type(t.dtype()));
  for (int64_t d = 0; d < dims; ++d) factors = unsqueeze(factors, 1);
  Tensor sum = select(factors, -1, dims);
  for (int64_t d = 0; d < dims; ++d) {
    const Size n = size[static_cast<size_t>(d) + 2], between = align_corners ? n - 1 : n;
    // From -1 to 1: 2 * i + 1 - n over the number of steps.
    const Tensor twice = to(arange(1 - n, n, 2, {}, t.device()), factors.dtype());
    const Tensor place = twice / max(between, 1);
    Sizes sizes(static_cast<size_t>(dims) + 2, Size(1));
    sizes[static_cast<size_t>(d) + 1] = n;
    sum = sum + view(place, sizes) * select(factors, -1, dims - 1 - d);
  }
  return to(sum, t.dtype());
}

}  // namespace vitro
