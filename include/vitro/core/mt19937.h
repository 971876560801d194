// PyTorch's random numbers on the CPU: of the Mersenne Twister, drawn one after the other.
//   manual_seed(7, Generator::mt19937);
//   draw_from_mt19937([&](Mt19937& g) { for (float& x : elements) x = g.unit_f32(); });
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <random>
#include <span>

namespace vitro {

class Mt19937 {
 public:
  explicit Mt19937(uint64_t seed) : words_(static_cast<uint32_t>(seed)) {}
  uint32_t word() { return static_cast<uint32_t>(words_()); }
  uint64_t long_word() {
    const uint64_t high = word();
    return high << 32 | word();
  }
  // In [0, 1), with 24 and 53 random bits.
  float unit_f32() { return static_cast<float>(word() & 0xFFFFFF) * 0x1p-24F; }
  double unit_f64() {
    return static_cast<double>(long_word() & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
  }
  // By the Box-Muller transform, whose second number is kept for the next call.
  double normal();
  // Fewer than 16 numbers one after the other, more in blocks of 16: eight radii, eight angles. For
  // f16 and bf16 (`is_half`) the rest behind the last whole block draws nothing of its own.
  void fill_normal(std::span<float> out, bool is_half = false);
  void fill_normal(std::span<double> out);

  // Its words, and the number kept by normal(), as text.
  friend std::ostream& operator<<(std::ostream& out, const Mt19937& generator);
  friend std::istream& operator>>(std::istream& in, Mt19937& generator);

 private:
  std::mt19937 words_;
  std::optional<double> second_;
};

// Calls draw with the generator that manual_seed made; threads take turns. Error if it made none.
void draw_from_mt19937(const std::function<void(Mt19937&)>& draw);

}  // namespace vitro
