#include "vitro/nn/init.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vitro/core/generator.h"

namespace vitro::nn {
namespace {

// A number in (0, 1) with 24 random bits.
double unit(uint32_t bits) {
  return (static_cast<double>(bits >> 8) + 0.5) * 0x1p-24;
}

// Calls make(four words) for each group of four elements and stores the results.
template <class Make>
Tensor filled(const DimsArg& sizes, Make make) {
  Tensor t = Tensor::empty(sizes);
  auto* out = static_cast<float*>(t.storage().data());
  const int64_t n = t.numel().value(), groups = (n + 3) / 4;
  const RandomState state = take_random(static_cast<uint64_t>(groups));
  for (int64_t g = 0; g < groups; ++g) {
    const std::array<double, 4> four =
        make(philox(state.seed, 0, state.counter + static_cast<uint64_t>(g)));
    for (int64_t i = 4 * g; i < std::min(n, 4 * g + 4); ++i)
      out[i] = static_cast<float>(four[static_cast<size_t>(i % 4)]);
  }
  return t;
}

}  // namespace

Tensor uniform(DimsArg sizes, double low, double high) {
  return filled(sizes, [&](const std::array<uint32_t, 4>& w) {
    const auto one = [&](uint32_t bits) { return low + (high - low) * unit(bits); };
    return std::array{one(w[0]), one(w[1]), one(w[2]), one(w[3])};
  });
}

Tensor normal(DimsArg sizes, double mean, double deviation) {
  return filled(sizes, [&](const std::array<uint32_t, 4>& w) {  // Box-Muller transform
    std::array<double, 4> out{};
    for (size_t pair = 0; pair < 4; pair += 2) {
      const double radius = deviation * std::sqrt(-2 * std::log(unit(w[pair])));
      const double angle = 2 * std::numbers::pi * unit(w[pair + 1]);
      out[pair] = mean + radius * std::cos(angle);
      out[pair + 1] = mean + radius * std::sin(angle);
    }
    return out;
  });
}

Tensor constant(DimsArg sizes, double value) {
  Tensor t = Tensor::empty(sizes);
  auto* out = static_cast<float*>(t.storage().data());
  std::fill_n(out, t.numel().value(), static_cast<float>(value));
  return t;
}

}  // namespace vitro::nn
