#include "vitro/nn/init.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "vitro/core/generator.h"
#include "vitro/core/mt19937.h"

namespace vitro::nn {
namespace {

// A number in (0, 1) with 24 random bits.
double unit(uint32_t bits) {
  return (static_cast<double>(bits >> 8) + 0.5) * 0x1p-24;
}

// Has PyTorch's numbers filled in by fill(generator, elements), if manual_seed chose those.
template <class Fill>
bool filled_as_torch(Tensor& t, const DimsArg& sizes, Fill fill) {
  if (current_generator() != Generator::mt19937) return false;
  t = Tensor::empty(sizes);
  const std::span out(static_cast<float*>(t.storage().data()),
                      static_cast<size_t>(t.numel().value()));
  draw_from_mt19937([&](Mt19937& generator) { fill(generator, out); });
  return true;
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
  Tensor t;
  if (filled_as_torch(t, sizes, [&](Mt19937& generator, std::span<float> out) {
        for (float& x : out) x = static_cast<float>(generator.unit_f32() * (high - low) + low);
      }))
    return t;
  return filled(sizes, [&](const std::array<uint32_t, 4>& w) {
    const auto one = [&](uint32_t bits) { return low + (high - low) * unit(bits); };
    return std::array{one(w[0]), one(w[1]), one(w[2]), one(w[3])};
  });
}

Tensor normal(DimsArg sizes, double mean, double deviation) {
  Tensor t;
  if (filled_as_torch(t, sizes, [&](Mt19937& generator, std::span<float> out) {
        generator.fill_normal(out);
        for (float& x : out) x = static_cast<float>(x * deviation + mean);
      }))
    return t;
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
