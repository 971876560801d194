// In which order the elements of windows are the rows of a product over positions
// (ProductCall::windows). Rows that are adjacent in memory are copied together: of few channels
// those of all channels and adjacent taps, of many those of one tap.
#pragma once

namespace vitro::kernels {

// Whether row r is channel r % channels of tap r / channels; otherwise it is tap r % taps of
// channel r / taps, as in weights. `channels`: of a group.
[[gnu::always_inline]] inline constexpr bool rows_follow_taps(long channels) {
  return channels < 16;
}

}  // namespace vitro::kernels
