// The op of Fourier transforms, along one dimension. The functions that users call are in
// vitro/ops/fft.h.
#pragma once

#include <array>
#include <string_view>

#include "vitro/ops/define.h"

namespace vitro::ops {

// Complex to complex; real to the first half (rounded down, and one more) of complex, and back.
enum class FftKind : uint8_t { c2c, c2r, r2c };
constexpr auto names_of_values(FftKind) {
  return std::array<std::string_view, 3>{"c2c", "c2r", "r2c"};
}
struct FftAttrs {
  int64_t dim = 0;  // of the transform, not negative
  FftKind kind = FftKind::c2c;
  bool forward = true;
  int64_t normalization = 0;  // 1: divided by sqrt(n), 2: by n
  Size n = 1;                 // the length of the signal
  static constexpr void each(auto&& f) {
    f("dim", &FftAttrs::dim);
    f("kind", &FftAttrs::kind);
    f("forward", &FftAttrs::forward);
    f("normalization", &FftAttrs::normalization);
    f("n", &FftAttrs::n);
  }
};
struct FftPairs {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr std::string_view name = "fft_pairs",
                                    doc =
                                        "A Fourier transform along dim. Complex numbers are pairs "
                                        "[..., 2]; `n` is the length of the signal.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, str kind, bool forward, int normalization, SymInt n) -> Tensor";
  static constexpr int arity = 1;
  using Attrs = FftAttrs;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

}  // namespace vitro::ops
