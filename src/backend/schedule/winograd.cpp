// Estimates what tiles would compute and load in multiply-adds, and compares that with the direct
// sums.
#include "backend/schedule/winograd.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "kernels/product.h"
#include "vitro/base/cat.h"

namespace vitro::backend {
namespace {

constexpr double least_gain = 1.25;            // of less exact results
constexpr int64_t usual_l2_bytes = 512 << 10;  // costs do not depend on the machine
// Of F(2x2, 3x3); of F(4x4, 3x3) and F(3x3, 4x4): of a sum of one term.
constexpr double error_of_two = 2.5e-7, error_of_four = 1.2e-6;

int64_t points_of(int64_t m) {
  return (m + 2) * (m + 2);
}

// As many tiles as keep their transformed operand in a little more than half of the L2 cache;
// enough for each weight that comes from farther away.
int64_t tiles_of_block(const TiledConvolution& of, int64_t m, int64_t l2_bytes) {
  constexpr int64_t least = 12, most = 96, least_of_large = 24, large_weights = 1 << 20;
  const int64_t bytes = 4 * points_of(m),
                in_cache = l2_bytes / 16 * 9 / (bytes * (of.channels + 16));
  const bool large = bytes * of.channels * of.columns > large_weights;
  return std::clamp(in_cache, large ? least_of_large : least, most);
}

// All costs are in multiply-adds. Measured with AVX2 and an L2 cache of 512 KiB: the direct sum
// hides the loads of its weights, tiles do not; every block loads all, the later ones from the last
// cache if they fit there.
double direct_cost(const TiledConvolution& of) {
  return static_cast<double>(of.images * of.height * of.width * 9) *
         static_cast<double>(of.channels * of.columns);
}

double winograd_cost(const TiledConvolution& of, int64_t m) {
  constexpr double of_load = 12, of_load_again = 6;  // of four bytes
  constexpr double of_packing = 40;                  // of a factor
  constexpr int64_t most_in_cache = 6 << 20;
  // Of the transforms of one tile, for a channel and for a column.
  const double reads = m == 2 ? 112 : 288, finishes = m == 2 ? 80 : 216;
  const int64_t count = points_of(m) * of.channels * of.columns;
  const auto tiles = static_cast<double>(of.tiles(m)), channels = static_cast<double>(of.channels),
             columns = static_cast<double>(of.columns), weights = static_cast<double>(count),
             blocks = std::ceil(tiles / static_cast<double>(tiles_of_block(of, m, usual_l2_bytes)));
  const double again = 4 * count <= most_in_cache ? of_load_again : of_load;
  return tiles * (weights + reads * channels + finishes * columns) +
         weights * (of_load + (blocks - 1) * again + (of.packs ? of_packing : 0));
}

// Of gradients of weights: a block has at most so many columns, and M takes about half of the L2
// cache.
constexpr int64_t weights_columns = kernels::winograd_weights_columns;
int64_t channels_of_block(int64_t l2_bytes) {
  constexpr int64_t least = 16, most = 64, bytes = 4 * 36 * weights_columns;
  return std::clamp(l2_bytes / 16 * 9 / bytes / least * least, least, most);
}

double winograd_weights_cost(const TiledConvolution& of) {
  constexpr double reads = 288, reads_gradient = 200, finishes = 216;
  const auto tiles = static_cast<double>(of.tiles(4)), channels = static_cast<double>(of.channels),
             columns = static_cast<double>(of.columns),
             row_blocks =
                 std::ceil(channels / static_cast<double>(channels_of_block(usual_l2_bytes))),
             column_blocks = std::ceil(columns / static_cast<double>(weights_columns));
  return tiles * (36 * channels * columns + reads * channels * column_blocks +
                  reads_gradient * columns * row_blocks) +
         finishes * channels * columns;
}

// Rounding errors add up like a random walk. The factors are above what was measured for 16 to 1024
// channels (docs/numerics.md).
double error_of(const TiledConvolution& of, int64_t m) {
  return (m == 2 ? error_of_two : error_of_four) * std::sqrt(static_cast<double>(of.channels));
}

}  // namespace

int64_t TiledConvolution::tiles(int64_t m) const {
  return images * ((height + m - 1) / m) * ((width + m - 1) / m);
}

WinogradChoice choose_winograd(const TiledConvolution& of, const MachineModel& machine) {
  if (of.channels % 16 != 0 || of.channels > kernels::winograd_most_channels) return {};
  const double direct = direct_cost(of), two = winograd_cost(of, 2), four = winograd_cost(of, 4);
  if (direct < least_gain * std::min(two, four)) return {};
  const int64_t m = two < least_gain * four ? 2 : 4;
  return {m, tiles_of_block(of, m, machine.l2_bytes), error_of(of, m)};
}

std::string winograd_note(std::string_view sizes, const WinogradChoice& choice) {
  char error[32];
  std::snprintf(error, sizeof error, "%.0e", choice.error);
  return cat("Winograd F(", sizes, "), not exact: errors of about ", error,
             " of the root mean square");
}

WinogradChoice choose_winograd_weights(const TiledConvolution& of, const MachineModel& machine) {
  constexpr int64_t tiles = 24;
  if (of.channels % 16 != 0 || of.columns % 16 != 0) return {};
  if (direct_cost(of) < least_gain * winograd_weights_cost(of)) return {};
  const double error = error_of_four * std::sqrt(static_cast<double>(of.tiles(4)));
  return {4, tiles, error, channels_of_block(machine.l2_bytes)};
}

}  // namespace vitro::backend
