// Discrete Fourier transforms, along one, two or any dimensions, and what is written with them.
//   Tensor z = fft_rfft(x);   Tensor y = fft_irfft(z, x.size(-1));   Tensor s = stft(x, 512);
// `n` and `s` are the lengths of the signal: longer operands are cut, shorter ones filled with 0.
// `norm` says which direction is scaled by 1/n: "backward" (the default), "forward", or "ortho":
// each by 1/sqrt(n). The lengths may be any numbers; those with large prime factors take several
// times as long. Real operands become complex where that is needed, integers f32.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "vitro/ops/fourier.h"

namespace vitro {

// Lists that may be left out: fft_fft2(x, {64, 64}), fft_fftn(x, {}, {0, 1}).
template <class T>
struct FftList : std::optional<SmallVector<T>> {
  FftList() = default;
  FftList(std::initializer_list<T> list) : std::optional<SmallVector<T>>(list) {}
  FftList(SmallVector<T> list)  // NOLINT(google-explicit-constructor)
      : std::optional<SmallVector<T>>(std::move(list)) {}
};
using FftSize = std::optional<Size>;
using FftSizes = FftList<Size>;
using FftDims = FftList<int64_t>;

Tensor fft_fft(ops::At x, FftSize n = {}, int64_t dim = -1, std::string_view norm = {});
Tensor fft_ifft(ops::At x, FftSize n = {}, int64_t dim = -1, std::string_view norm = {});
// Of a real signal: the first half of the spectrum, and the signal from that.
Tensor fft_rfft(ops::At x, FftSize n = {}, int64_t dim = -1, std::string_view norm = {});
Tensor fft_irfft(ops::At x, FftSize n = {}, int64_t dim = -1, std::string_view norm = {});
// Of a signal with a real spectrum, of which the first half is given; and the reverse.
Tensor fft_hfft(ops::At x, FftSize n = {}, int64_t dim = -1, std::string_view norm = {});
Tensor fft_ihfft(ops::At x, FftSize n = {}, int64_t dim = -1, std::string_view norm = {});

// Along the last two dimensions, or the two of `dim`.
Tensor fft_fft2(ops::At x, FftSizes s = {}, DimsArg dim = {-2, -1}, std::string_view norm = {});
Tensor fft_ifft2(ops::At x, FftSizes s = {}, DimsArg dim = {-2, -1}, std::string_view norm = {});
Tensor fft_rfft2(ops::At x, FftSizes s = {}, DimsArg dim = {-2, -1}, std::string_view norm = {});
Tensor fft_irfft2(ops::At x, FftSizes s = {}, DimsArg dim = {-2, -1}, std::string_view norm = {});
Tensor fft_hfft2(ops::At x, FftSizes s = {}, DimsArg dim = {-2, -1}, std::string_view norm = {});
Tensor fft_ihfft2(ops::At x, FftSizes s = {}, DimsArg dim = {-2, -1}, std::string_view norm = {});

// Along the dimensions of `dim`, by default the last ones of `s`, or all.
Tensor fft_fftn(ops::At x, FftSizes s = {}, FftDims dim = {}, std::string_view norm = {});
Tensor fft_ifftn(ops::At x, FftSizes s = {}, FftDims dim = {}, std::string_view norm = {});
Tensor fft_rfftn(ops::At x, FftSizes s = {}, FftDims dim = {}, std::string_view norm = {});
Tensor fft_irfftn(ops::At x, FftSizes s = {}, FftDims dim = {}, std::string_view norm = {});
Tensor fft_hfftn(ops::At x, FftSizes s = {}, FftDims dim = {}, std::string_view norm = {});
Tensor fft_ihfftn(ops::At x, FftSizes s = {}, FftDims dim = {}, std::string_view norm = {});

// The frequencies of the elements of a spectrum of n elements at distance d.
Tensor fft_fftfreq(Size n, double d = 1, std::optional<DType> dtype = {},
                   std::optional<Device> device = {},
                   std::source_location from = std::source_location::current());
Tensor fft_rfftfreq(Size n, double d = 1, std::optional<DType> dtype = {},
                    std::optional<Device> device = {},
                    std::source_location from = std::source_location::current());

// The spectra [..., frequencies, frames] of windows of n_fft elements, `hop_length` (n_fft / 4)
// apart, each times `window`. A real signal gives one-sided spectra unless `onesided` is false.
// With `center`, the signal is padded by half a window at both ends.
struct StftOptions {
  std::optional<int64_t> hop_length = {}, win_length = {};
  Tensor window = {};
  bool center = true;
  std::string_view pad_mode = "reflect";
  bool normalized = false;
  std::optional<bool> onesided = {}, return_complex = {};
};
Tensor stft(ops::At x, int64_t n_fft, const StftOptions& options = {});
// The signal whose spectra these are, by least squares. It reads an element, to see that the
// windows leave no gap: a graph break in a compiled function.
struct IstftOptions {
  std::optional<int64_t> hop_length = {}, win_length = {};
  Tensor window = {};
  bool center = true, normalized = false;
  std::optional<bool> onesided = {};
  std::optional<int64_t> length = {};
  bool return_complex = false;
};
Tensor istft(ops::At x, int64_t n_fft, const IstftOptions& options = {});

// Windows [n]. A periodic one is the first n elements of the symmetric one of n + 1.
struct WindowOptions {
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
};
Tensor hann_window(Size n, bool periodic = true, const WindowOptions& options = {},
                   std::source_location from = std::source_location::current());
Tensor hamming_window(Size n, bool periodic = true, double alpha = 0.54, double beta = 0.46,
                      const WindowOptions& options = {},
                      std::source_location from = std::source_location::current());
Tensor blackman_window(Size n, bool periodic = true, const WindowOptions& options = {},
                       std::source_location from = std::source_location::current());
Tensor bartlett_window(Size n, bool periodic = true, const WindowOptions& options = {},
                       std::source_location from = std::source_location::current());
Tensor kaiser_window(Size n, bool periodic = true, double beta = 12,
                     const WindowOptions& options = {},
                     std::source_location from = std::source_location::current());

}  // namespace vitro
