// Resizing and sampling of images x [n, c, ...], whose dimensions after the first two are a plane,
// and moving elements between channels and planes.
//   Tensor y = upsample_bilinear2d(x, {64, 64}, false);
//   Tensor z = interpolate(x, {.scale_factor = 2, .mode = "bicubic"});
// All are written with gathers and arithmetic, so they fuse and have gradients.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/ops/define.h"

namespace vitro {
namespace ops {

enum class Interpolation : uint8_t { nearest, nearest_exact, linear, cubic };
// Describes an op that resizes planes of `dims` dimensions.
struct Resizing {
  std::string_view op;
  Interpolation by;
  int dims;
  bool antialias = false;  // elements that are closer than the new ones are averaged
};
using Scale = std::optional<double>;
using Scales = std::vector<Scale>;
// The places of the new elements in x are computed with the scales if they are given, else with
// the quotients of the sizes.
Tensor resized(const Resizing& how, At x, const SizesArg& size, const Scales& scales,
               bool align_corners = false);
// By sizes or by factors, of which the other one is empty.
Tensor resized_by(const Resizing& how, At x, const std::optional<Sizes>& size,
                  const std::vector<Scalar>& factors, bool align_corners = false);

// The weights of four neighbors for cubic interpolation at distance t, 0 to 1, behind the second.
std::array<Tensor, 4> cubic_weights(const Tensor& t);

inline constexpr Resizing nearest1d{"upsample_nearest1d", Interpolation::nearest, 1},
    nearest2d{"upsample_nearest2d", Interpolation::nearest, 2},
    nearest3d{"upsample_nearest3d", Interpolation::nearest, 3},
    nearest_exact1d{"_upsample_nearest_exact1d", Interpolation::nearest_exact, 1},
    nearest_exact2d{"_upsample_nearest_exact2d", Interpolation::nearest_exact, 2},
    nearest_exact3d{"_upsample_nearest_exact3d", Interpolation::nearest_exact, 3},
    linear1d{"upsample_linear1d", Interpolation::linear, 1},
    bilinear2d{"upsample_bilinear2d", Interpolation::linear, 2},
    trilinear3d{"upsample_trilinear3d", Interpolation::linear, 3},
    bicubic2d{"upsample_bicubic2d", Interpolation::cubic, 2},
    bilinear2d_aa{"_upsample_bilinear2d_aa", Interpolation::linear, 2, true},
    bicubic2d_aa{"_upsample_bicubic2d_aa", Interpolation::cubic, 2, true};

}  // namespace ops

inline Tensor upsample_nearest1d(ops::At x, SizesArg output_size, ops::Scale scales = {}) {
  return ops::resized(ops::nearest1d, x, output_size, {scales});
}
inline Tensor upsample_nearest2d(ops::At x, SizesArg output_size, ops::Scale scales_h = {},
                                 ops::Scale scales_w = {}) {
  return ops::resized(ops::nearest2d, x, output_size, {scales_h, scales_w});
}
inline Tensor upsample_nearest3d(ops::At x, SizesArg output_size, ops::Scale scales_d = {},
                                 ops::Scale scales_h = {}, ops::Scale scales_w = {}) {
  return ops::resized(ops::nearest3d, x, output_size, {scales_d, scales_h, scales_w});
}
// The nearest by the distance of centers.
inline Tensor upsample_nearest_exact1d(ops::At x, SizesArg output_size, ops::Scale scales = {}) {
  return ops::resized(ops::nearest_exact1d, x, output_size, {scales});
}
inline Tensor upsample_nearest_exact2d(ops::At x, SizesArg output_size, ops::Scale scales_h = {},
                                       ops::Scale scales_w = {}) {
  return ops::resized(ops::nearest_exact2d, x, output_size, {scales_h, scales_w});
}
inline Tensor upsample_nearest_exact3d(ops::At x, SizesArg output_size, ops::Scale scales_d = {},
                                       ops::Scale scales_h = {}, ops::Scale scales_w = {}) {
  return ops::resized(ops::nearest_exact3d, x, output_size, {scales_d, scales_h, scales_w});
}
inline Tensor upsample_linear1d(ops::At x, SizesArg output_size, bool align_corners,
                                ops::Scale scales = {}) {
  return ops::resized(ops::linear1d, x, output_size, {scales}, align_corners);
}
inline Tensor upsample_bilinear2d(ops::At x, SizesArg output_size, bool align_corners,
                                  ops::Scale scales_h = {}, ops::Scale scales_w = {}) {
  return ops::resized(ops::bilinear2d, x, output_size, {scales_h, scales_w}, align_corners);
}
inline Tensor upsample_trilinear3d(ops::At x, SizesArg output_size, bool align_corners,
                                   ops::Scale scales_d = {}, ops::Scale scales_h = {},
                                   ops::Scale scales_w = {}) {
  return ops::resized(ops::trilinear3d, x, output_size, {scales_d, scales_h, scales_w},
                      align_corners);
}
inline Tensor upsample_bicubic2d(ops::At x, SizesArg output_size, bool align_corners,
                                 ops::Scale scales_h = {}, ops::Scale scales_w = {}) {
  return ops::resized(ops::bicubic2d, x, output_size, {scales_h, scales_w}, align_corners);
}
inline Tensor upsample_bilinear2d_aa(ops::At x, SizesArg output_size, bool align_corners,
                                     ops::Scale scales_h = {}, ops::Scale scales_w = {}) {
  return ops::resized(ops::bilinear2d_aa, x, output_size, {scales_h, scales_w}, align_corners);
}
inline Tensor upsample_bicubic2d_aa(ops::At x, SizesArg output_size, bool align_corners,
                                    ops::Scale scales_h = {}, ops::Scale scales_w = {}) {
  return ops::resized(ops::bicubic2d_aa, x, output_size, {scales_h, scales_w}, align_corners);
}

// One number, or a list: .scale_factor = 2, .scale_factor = {2, 1.5}.
struct Factors : std::vector<double> {
  Factors() = default;
  Factors(double one) : vector{one} {}  // NOLINT(google-explicit-constructor)
  Factors(std::initializer_list<double> all) : vector(all) {}
  Factors(std::vector<double> all)
      : vector(std::move(all)) {}  // NOLINT(google-explicit-constructor)
};
// Either size or scale_factor, each with one number for all dimensions of the plane, or one for
// each.
struct InterpolateOptions {
  SizesArg size = {};
  Factors scale_factor = {};
  // nearest, nearest-exact, linear, bilinear, trilinear, bicubic, or area: the mean of the elements
  // that a new one covers.
  std::string_view mode = "nearest";
  bool align_corners = false;
  bool recompute_scale_factor = false;  // use the quotient of the sizes instead of scale_factor
  bool antialias = false;               // bilinear and bicubic
};
Tensor interpolate(ops::At x, InterpolateOptions how);

// x [n, c, h, w] at the places `grid` [n, rows, columns, 2], whose numbers (column first) are -1
// and 1 at the ends of the plane: at the centers of its outermost elements with align_corners, else
// at their outer edges. interpolation_mode: 0 bilinear, 1 nearest, 2 bicubic. padding_mode, for
// places beyond the ends: 0 zeros, 1 the outermost elements, 2 mirrored.
Tensor grid_sampler_2d(ops::At x, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners);
// The same for x [n, c, d, h, w]; not bicubic.
Tensor grid_sampler_3d(ops::At x, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners);
// By the rank of x.
Tensor grid_sampler(ops::At x, const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode,
                    bool align_corners);
// With the modes as words: bilinear, nearest or bicubic; zeros, border or reflection.
Tensor grid_sample(ops::At x, const Tensor& grid, std::string_view mode = "bilinear",
                   std::string_view padding_mode = "zeros", bool align_corners = false);
// A grid for images of `size` [n, c, h, w] or [n, c, d, h, w]: the products of theta [n, 2, 3] or
// [n, 3, 4] and the places of the elements.
Tensor affine_grid_generator(ops::At theta, SizesArg size, bool align_corners);

// x [..., c * r * r, h, w] as [..., c, h * r, w * r], and back.
Tensor pixel_shuffle(ops::At x, int64_t upscale_factor);
Tensor pixel_unshuffle(ops::At x, int64_t downscale_factor);
// The channels of `groups` groups in turn: one of the first, one of the second, ...
Tensor channel_shuffle(ops::At x, int64_t groups);

}  // namespace vitro
