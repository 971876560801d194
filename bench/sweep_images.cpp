// Programs of the sweep: images: pools, padding, resampling and normalization of channels.
#include "sweep.h"
#include "vitro/vitro.h"

namespace vitro::bench {
namespace {

constexpr Three lines{8, 128, 512};  // 16 channels of 8x8, 128x128, 512x512

Tensor resized(const Tensor& x, std::string_view mode) {
  return interpolate(x, {.scale_factor = {2, 2}, .mode = mode});
}

const SweepPrograms pools({
    {"max_pool_2", "1x16xnxn", [](In x) { return max_pool2d(x[0], 2); }, lines},
    {"max_pool_3", "1x16xnxn", [](In x) { return max_pool2d(x[0], 3, 2, 1); }, lines},
    {"avg_pool_2", "1x16xnxn", [](In x) { return avg_pool2d(x[0], 2); }, lines},
    {"avg_pool_3", "1x16xnxn", [](In x) { return avg_pool2d(x[0], 3, 1, 1); }, lines},
    {"avg_pool_8", "1x16xnxn", [](In x) { return avg_pool2d(x[0], 8); }, lines},
    {"adaptive_avg_7", "1x16xnxn", [](In x) { return adaptive_avg_pool2d(x[0], {7, 7}); }, lines},
    {"adaptive_avg_1", "1x16xnxn", [](In x) { return adaptive_avg_pool2d(x[0], {1, 1}); }, lines},
});

const SweepPrograms borders({
    {"pad_zeros", "1x16xnxn", [](In x) { return constant_pad_nd(x[0], {1, 1, 1, 1}, 0); }, lines},
    {"pad_zeros_u8", "1x64xnxn:u8", [](In x) { return constant_pad_nd(x[0], {1, 1, 1, 1}, 0); },
     lines},
    {"pad_mirrored", "1x16xnxn", [](In x) { return reflection_pad2d(x[0], {3, 3, 3, 3}); }, lines},
    {"pad_repeated", "1x16xnxn", [](In x) { return replication_pad2d(x[0], {3, 3, 3, 3}); }, lines},
    {"flip_columns", "nxn", [](In x) { return flip(x[0], {1}); }},
    {"flip_rows", "nxn", [](In x) { return flip(x[0], {0}); }},
    {"roll", "nxn", [](In x) { return roll(x[0], {3, 5}, {0, 1}); }},
});

const SweepPrograms resampled({
    {"nearest", "1x4xnxn", [](In x) { return resized(x[0], "nearest"); }, lines},
    {"bilinear", "1x4xnxn", [](In x) { return resized(x[0], "bilinear"); }, lines},
    {"bilinear_f64", "1x4xnxn:f64", [](In x) { return resized(x[0], "bilinear"); }, lines},
    {"bicubic", "1x4xnxn", [](In x) { return resized(x[0], "bicubic"); }, lines},
    {"pixel_shuffle", "1x16xnxn", [](In x) { return pixel_shuffle(x[0], 2); }, lines},
    {"grid_sample", "1x16xnxn 1xnxnx2", [](In x) { return grid_sample(x[0], x[1]); }, lines},
});

const SweepPrograms normalized({
    {"batch_norm", "1x16xnxn 16 16 16 16:positive",
     [](In x) { return batch_norm(x[0], x[1], x[2], x[3], x[4], false, 0.1, 1e-5); }, lines},
    {"batch_norm_train", "1x16xnxn 16 16",
     [](In x) { return batch_norm(x[0], x[1], x[2], {}, {}, true, 0.1, 1e-5); }, lines},
    {"group_norm", "1x16xnxn 16 16", [](In x) { return group_norm(x[0], 4, x[1], x[2]); }, lines},
    {"add_channels", "1x16xnxn 16x1x1", [](In x) { return x[0] + x[1]; }, lines},
    {"depthwise", "1x16xnxn 16x1x3x3",
     [](In x) { return conv2d(x[0], x[1], {}, {.padding = 1, .groups = 16}); }, lines},
});

}  // namespace
}  // namespace vitro::bench
