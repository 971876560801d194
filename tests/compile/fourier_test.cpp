// Fourier transforms of any length, compared with their definition; compiled ones with eager ones.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/create.h"
#include "vitro/ops/fft.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

using C = std::complex<double>;

Tensor signal(int64_t rows, int64_t n, DType dtype = DType::c128) {
  const Tensor count = to(arange(2 * rows * n), real_of(dtype));
  const Tensor numbers = sin(count * 1.7) + cos(count * count * 0.3);
  if (!is_complex(dtype)) return reshape(slice(numbers, 0, 0, rows * n), {rows, n});
  return view_as_complex(reshape(numbers, {rows, n, 2}));
}

// The definition, with exact multiples of the angle.
std::vector<C> transformed(const std::vector<C>& x, double sign) {
  const auto n = static_cast<int64_t>(x.size());
  std::vector<C> out;
  for (int64_t k = 0; k < n; ++k) {
    C sum;
    for (int64_t j = 0; j < n; ++j) {
      const double turn = static_cast<double>(j * k % n) / static_cast<double>(n);
      sum += x[static_cast<size_t>(j)] * std::polar(1.0, sign * 2 * std::numbers::pi * turn);
    }
    out.push_back(sum);
  }
  return out;
}

void expect_near(const std::vector<C>& got, const std::vector<C>& want, int64_t n) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(std::abs(got[i] - want[i]), 1e-13 * static_cast<double>(n)) << n << " at " << i;
}

std::vector<int64_t> lengths() {
  std::vector<int64_t> out = {64, 97, 100, 101, 121, 128, 169, 210, 256, 289};
  for (int64_t n = 1; n <= 40; ++n) out.push_back(n);
  return out;
}

TEST(Fourier, transforms_of_any_length_are_those_of_the_definition) {
  for (const int64_t n : lengths()) {
    const Tensor x = signal(1, n);
    const std::vector<C> values = x.to_vector<C>();
    expect_near(fft_fft(x).to_vector<C>(), transformed(values, -1), n);
    expect_near((fft_ifft(x) * static_cast<double>(n)).to_vector<C>(), transformed(values, 1), n);
  }
}

TEST(Fourier, transforms_of_real_numbers_are_halves_of_complex_ones) {
  for (const int64_t n : lengths()) {
    const Tensor x = signal(2, n, DType::f64), half = fft_rfft(x);
    const Tensor whole = fft_fft(complex(x, zeros_like(x)));
    expect_near(half.to_vector<C>(), slice(whole, 1, 0, n / 2 + 1).to_vector<C>(), n);
    const std::vector<double> back = fft_irfft(half, n).to_vector<double>();
    const std::vector<double> values = x.to_vector<double>();
    for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(back[i], values[i], 1e-13) << n;
  }
}

TEST(Fourier, rows_have_the_same_bits_on_any_number_of_threads) {
  const Tensor x = signal(300, 90, DType::c64);
  const int before = num_threads();
  set_num_threads(1);
  const auto one = fft_fft(x).to_vector<std::complex<float>>();
  set_num_threads(4);
  const auto four = fft_fft(x).to_vector<std::complex<float>>();
  set_num_threads(before);
  EXPECT_EQ(one, four);
}

TEST(Fourier, one_graph_serves_every_length) {
  auto f = [](const Tensor& x) {
    const Tensor z = fft_rfft(x);
    return std::pair(abs(z), fft_irfft(z * 2, x.size(-1)));
  };
  const auto fast = compile(f);
  for (const int64_t n : {30, 31, 64, 17, 46}) {
    const Tensor x = signal(3, n, DType::f32);
    const auto [a, b] = f(x);
    const auto [c, d] = fast(x);
    EXPECT_EQ(a.to_vector<float>(), c.to_vector<float>()) << n;
    EXPECT_EQ(b.to_vector<float>(), d.to_vector<float>()) << n;
  }
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

TEST(Fourier, spectra_of_windows_give_the_signal_back) {
  const Tensor x = signal(2, 90, DType::f64), window = hann_window(16, true, {DType::f64});
  auto f = [&](const Tensor& of) {
    return istft(stft(of, 16, {.window = window, .return_complex = true}), 16,
                 {.window = window, .length = 90});
  };
  const std::vector<double> values = x.to_vector<double>(), eager = f(x).to_vector<double>();
  ASSERT_EQ(eager.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(eager[i], values[i], 1e-12) << i;
  EXPECT_EQ(compile(f)(x).to_vector<double>(), eager);
}

TEST(Fourier, a_complex_window_makes_spectra_complex) {
  const Tensor x = signal(2, 40, DType::f64), window = hann_window(8, true, {DType::f64});
  const Tensor of_real = stft(x, 8, {.window = window, .onesided = false, .return_complex = true});
  const Tensor of_complex = stft(x, 8, {.window = complex(window, zeros_like(window))});
  EXPECT_EQ(of_complex.to_vector<std::complex<double>>(),
            of_real.to_vector<std::complex<double>>());
}

TEST(Fourier, errors_name_the_function) {
  const auto message = [](auto f) -> std::string {
    try {
      (void)f();
    } catch (const Error& e) {
      const std::string text = e.what();
      return text.substr(0, text.find(" (fourier_test"));
    }
    return "accepted";
  };
  const Tensor x = signal(2, 4);
  EXPECT_EQ(message([&] { return fft_fft(x, 0); }),
            "fft_fft: needs at least one element along dimension 1, got 0");
  EXPECT_EQ(message([&] { return fft_rfft(x); }),
            "fft_rfft: takes real numbers, got c128; a transform of complex ones is fft_fft");
  EXPECT_EQ(message([&] { return fft_fft(x, {}, -1, "unit"); }),
            "fft_fft: norm must be \"backward\", \"forward\" or \"ortho\", got \"unit\"");
  EXPECT_EQ(message([&] { return fft_fftn(x, {}, Dims{0, 0}); }),
            "fft_fftn: dimension 0 occurs twice in dim");
  EXPECT_EQ(message([&] { return stft(real(x), 2); }),
            "stft: return_complex must be given for real signals: true, or false for a result of "
            "pairs [..., 2]");
  EXPECT_EQ(message([&] {
              return istft(
                  stft(real(x), 2,
                       {.hop_length = 2, .window = zeros({2}, DType::f64), .return_complex = true}),
                  2, {.hop_length = 2, .window = zeros({2}, DType::f64)});
            }),
            "istft: the windows leave gaps: their squares sum to 0.0 at some element; needs a "
            "smaller hop_length or another window");
}

}  // namespace
}  // namespace vitro
