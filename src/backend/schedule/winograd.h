// Convolutions of 3 x 3 windows and the gradients of their weights: which tiles of Winograd's
// algorithm (kernels/winograd.h, kernels/winograd_weights.h) compute them, if any. The choice of
// tiles depends on sizes only, not on the machine, so that a program has the same bits on all of
// them; only how many are computed together depends on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "backend/schedule/machine_model.h"

namespace vitro::backend {

// Sizes of a convolution with stride 1.
struct TiledConvolution {
  int64_t images = 1, height = 1, width = 1;  // of the result
  int64_t channels = 1, columns = 1;          // of the operand and the result
  bool packs = false;                         // weights are transformed at every call

  int64_t tiles(int64_t m) const;
};

struct WinogradChoice {
  int64_t m = 0;  // tiles of m x m positions; 0: the direct sum
  int64_t tiles_of_block = 0;
  // Of m > 0: the largest error of a result to expect if operands are random numbers around 0,
  // relative to the root mean square of all results.
  double error = 0;
  int64_t channels_of_block = 0;  // of gradients of weights: the most of a task
};

WinogradChoice choose_winograd(const TiledConvolution& of, const MachineModel& machine);
// A note for explain: "Winograd F(<sizes>), not exact: errors of about ..".
std::string winograd_note(std::string_view sizes, const WinogradChoice& choice);
// Of the gradient of the weights.
WinogradChoice choose_winograd_weights(const TiledConvolution& of, const MachineModel& machine);

}  // namespace vitro::backend
