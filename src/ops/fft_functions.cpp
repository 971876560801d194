// Fourier transforms of tensors, spectra of windows, and windows: functions that are written with
// fft_pairs and other ops, and the table of those and of the functions of complex tensors that can
// be called by ATen's names.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "bind.h"
#include "core/numbers.h"
#include "functions.h"
#include "ops/autocast.h"
#include "ops/complex_parts.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/create.h"
#include "vitro/ops/fft.h"
#include "vitro/ops/layout.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro {
namespace {

using namespace ops;

// ---- one transform along some dimensions ----

// How the two directions are scaled: ATen's numbers.
enum Normalization : int64_t { not_scaled = 0, by_root = 1, by_length = 2 };

// Of a transform of dimensions that are not negative.
struct Way {
  std::string_view op;
  bool forward;
  int64_t normalization;

  Way(std::string_view name, bool goes_forward, std::string_view norm)
      : op(name), forward(goes_forward) {
    const bool is_given = norm.data() != nullptr;  // "" is no mode
    VITRO_CHECK(!is_given || norm == "backward" || norm == "forward" || norm == "ortho", op,
                ": norm must be \"backward\", \"forward\" or \"ortho\", got \"", norm, "\"");
    const bool is_scaled = (norm == "forward") == forward;
    normalization = norm == "ortho" ? by_root : is_scaled ? by_length : not_scaled;
  }
  Way(std::string_view name, bool goes_forward, int64_t scaled)
      : op(name), forward(goes_forward), normalization(scaled) {
    VITRO_CHECK(0 <= scaled && scaled <= 2, op,
                ": normalization must be 0 (none), 1 (by the root of n) or 2 (by n), got ", scaled);
  }
};

Tensor along(const Tensor& x, int64_t dim, FftKind kind, const Way& way, const Size& n) {
  return call<FftPairs>({}, {x}, {dim, kind, way.forward, way.normalization, n});
}

// As floating-point numbers.
Tensor floating(const Way& way, const Tensor& x) {
  VITRO_CHECK(x.dtype() != DType::f16 && x.dtype() != DType::bf16, way.op,
              ": takes f32, f64, complex numbers or integers, got ", x.dtype(), "; cast it first");
  return is_floating(x.dtype()) || x.is_complex() ? x : to(x, default_float);
}
Tensor as_complex(const Way& way, const Tensor& x) {
  const Tensor z = floating(way, x);
  return z.is_complex() ? z : joined(Parts{z, {}});
}
Tensor as_real(const Way& way, const Tensor& x) {
  VITRO_CHECK(!x.is_complex(), way.op, ": takes real numbers, got ", x.dtype(),
              "; a transform of complex ones is fft_fft");
  return floating(way, x);
}

// The dimensions in the order of the result's memory, as MKL's in torch: those of the batch, from
// the largest stride to the smallest, then the transformed ones. `dims` are sorted likewise, all
// but the last `kept`.
class Order {
 public:
  Order(const Tensor& x, Dims& dims, size_t kept) : strides_(x.strides()) {
    sort(dims, dims.size() - kept);
    for (int64_t d = 0; d < x.rank(); ++d)
      if (std::find(dims.begin(), dims.end(), d) == dims.end()) order_.push_back(d);
    sort(order_, order_.size());
    for (const int64_t d : dims) order_.push_back(d);
  }
  // With the dimension of pairs, if there is one, at the end.
  Tensor in_order(const Tensor& x) const { return permute(x, with_pairs(order_, x)); }
  Tensor back(const Tensor& x) const {
    Dims inverse(order_.size());
    for (size_t i = 0; i < order_.size(); ++i)
      inverse[static_cast<size_t>(order_[i])] = static_cast<int64_t>(i);
    return permute(x, with_pairs(inverse, x));
  }

 private:
  void sort(Dims& dims, size_t count) const {
    const auto stride = [&](size_t i) { return strides_[static_cast<size_t>(dims[i])]; };
    for (size_t i = 1; i < count; ++i)
      for (size_t at = i; at > 0 && less_in_layout(stride(at - 1), stride(at)); --at)
        std::swap(dims[at], dims[at - 1]);
  }
  static Dims with_pairs(Dims dims, const Tensor& x) {
    const auto rank = static_cast<int64_t>(dims.size());
    if (x.rank() > rank) dims.push_back(rank);
    return dims;
  }
  Sizes strides_;
  Dims order_;
};

Tensor c2c(const Way& way, const Tensor& z, Dims dims) {
  if (dims.empty()) return clone(z);
  const Order order(z, dims, 0);
  Tensor pairs = order.in_order(z.pairs());
  const int64_t rank = z.rank(), first = rank - static_cast<int64_t>(dims.size());
  for (int64_t d = first; d < rank; ++d) pairs = along(pairs, d, FftKind::c2c, way, pairs.size(d));
  return Tensor::as_complex(order.back(pairs));
}
// The last dimension becomes half as long.
Tensor r2c(const Way& way, const Tensor& x, Dims dims) {
  const Order order(x, dims, 1);
  const Tensor signal = order.in_order(x);
  const int64_t last = x.rank() - 1, first = x.rank() - static_cast<int64_t>(dims.size());
  Tensor pairs = along(signal, last, FftKind::r2c, way, signal.size(last));
  for (int64_t d = first; d < last; ++d) pairs = along(pairs, d, FftKind::c2c, way, pairs.size(d));
  return Tensor::as_complex(order.back(pairs));
}
// The last dimension becomes `n` long; its elements are those that `n` needs.
Tensor c2r(const Way& way, const Tensor& z, const Dims& dims, const Size& n) {
  Dims last = {dims.back()}, others = dims;
  others.pop_back();
  const Tensor half = others.empty() ? z : c2c(way, z, others);
  const Order order(half, last, 1);
  return order.back(along(order.in_order(half.pairs()), z.rank() - 1, FftKind::c2r, way, n));
}

// Cut or filled with zeros at the end of a dimension.
Value resized(const Way& way, const Tensor& x, int64_t dim, const Size& n) {
  VITRO_CHECK(less(0, n), way.op, ": needs at least one element along dimension ", dim, ", got ",
              number_of(n));
  constexpr int64_t limit = int64_t{1} << 62;  // of complex numbers: each is two
  VITRO_CHECK(less(n, limit), way.op, ": needs fewer than 2^62 elements along dimension ", dim,
              ", got ", number_of(n));
  const Size size = x.size(dim);
  if (equal(n, size)) return x;
  if (less(n, size)) return slice(x, dim, 0, n);
  Sizes padding(static_cast<size_t>(2 * (x.rank() - dim)), Size(0));
  padding.back() = n - size;
  return constant_pad_nd(x, padding);
}

// ---- along one dimension ----

int64_t one_dim(const Way& way, const Tensor& x, int64_t dim) {
  VITRO_CHECK(x.rank() > 0, way.op, ": needs at least one dimension, got a number");
  return wrap_dim(way.op, dim, x.rank());
}
Tensor complex_1d(const Way& way, const Tensor& x, const FftSize& n, int64_t dim) {
  const int64_t d = one_dim(way, x, dim);
  const Tensor z = as_complex(way, x);
  return c2c(way, resized(way, z, d, n.value_or(x.size(d))), {d});
}
Tensor from_real_1d(const Way& way, const Tensor& x, const FftSize& n, int64_t dim) {
  const int64_t d = one_dim(way, x, dim);
  return r2c(way, resized(way, as_real(way, x), d, n.value_or(x.size(d))), {d});
}
Tensor to_real_1d(const Way& way, const Tensor& x, const FftSize& n, int64_t dim) {
  const int64_t d = one_dim(way, x, dim);
  const Tensor z = as_complex(way, x);
  const Size length = n.value_or((x.size(d) - 1) * 2);
  VITRO_CHECK(less(0, length), way.op, ": needs at least one element along dimension ", d, ", got ",
              number_of(length));
  return c2r(way, resized(way, z, d, length / 2 + 1), {d}, length);
}

// ---- along several dimensions ----

struct Axes {
  Dims dims;
  Sizes lengths;  // of the signal

  Axes(const Way& way, const Tensor& x, const FftSizes& s, const FftDims& dim,
       bool to_real = false) {
    const int64_t rank = x.rank();
    const size_t given = s ? s->size() : static_cast<size_t>(rank);
    if (dim) {
      for (const int64_t d : *dim) dims.push_back(wrap_dim(way.op, d, rank));
      VITRO_CHECK(!s || s->size() == dims.size(), way.op, ": s has ", s ? s->size() : 0,
                  " elements and dim has ", dims.size(), "; they must have as many");
    } else {
      VITRO_CHECK(static_cast<int64_t>(given) <= rank, way.op, ": s has ", given,
                  " elements, the tensor has ", rank, " dimensions");
      for (size_t i = 0; i < given; ++i) dims.push_back(rank - static_cast<int64_t>(given - i));
    }
    for (size_t i = 0; i < dims.size(); ++i)
      VITRO_CHECK(std::count(dims.begin(), dims.end(), dims[i]) == 1, way.op, ": dimension ",
                  dims[i], " occurs twice in dim");
    for (size_t i = 0; i < dims.size(); ++i) {
      const bool is_given = s && !((*s)[i] == -1);
      const bool is_half = to_real && i + 1 == dims.size();
      const Size size = x.size(dims[i]);
      lengths.push_back(is_given ? (*s)[i] : is_half ? (size - 1) * 2 : size);
    }
  }
  Value resized_signal(const Way& way, const Tensor& x, bool to_real = false) const {
    Value out = x;
    for (size_t i = 0; i < dims.size(); ++i) {
      const bool is_half = to_real && i + 1 == dims.size();
      VITRO_CHECK(less(0, lengths[i]), way.op, ": needs at least one element along dimension ",
                  dims[i], ", got ", number_of(lengths[i]));
      out = resized(way, out, dims[i], is_half ? lengths[i] / 2 + 1 : lengths[i]);
    }
    return out;
  }
};

void check_any(const Way& way, const Axes& axes) {
  VITRO_CHECK(!axes.dims.empty(), way.op, ": needs at least one dimension to transform");
}
Tensor complex_nd(const Way& way, const Tensor& x, const FftSizes& s, const FftDims& dim) {
  const Axes axes(way, x, s, dim);
  return c2c(way, axes.resized_signal(way, as_complex(way, x)), axes.dims);
}
Tensor from_real_nd(const Way& way, const Tensor& x, const FftSizes& s, const FftDims& dim) {
  const Axes axes(way, x, s, dim);
  check_any(way, axes);
  const Value signal = axes.resized_signal(way, as_real(way, x));
  if (way.forward) return r2c(way, signal, axes.dims);
  Dims others = axes.dims;  // two calls in torch, which lay out the result otherwise
  others.pop_back();
  const Tensor half = r2c(way, signal, {axes.dims.back()});
  return others.empty() ? half : c2c(way, half, others);
}
Tensor to_real_nd(const Way& way, const Tensor& x, const FftSizes& s, const FftDims& dim) {
  const Axes axes(way, x, s, dim, true);
  check_any(way, axes);
  return c2r(way, axes.resized_signal(way, as_complex(way, x), true), axes.dims,
             axes.lengths.back());
}

// Every transform has the same parameters, in one, two and any number of dimensions.
#define VITRO_FFT(name, of, forward)                                                        \
  Tensor fft_##name(At x, FftSize n, int64_t dim, std::string_view norm) {                  \
    if (autocasts()) return autocasted("fft_" #name, &fft_##name, x, n, dim, norm);         \
    const CalledAs called("fft_" #name, x.where);                                           \
    return of##_1d({"fft_" #name, forward, norm}, x.operand.tensor(), n, dim);              \
  }                                                                                         \
  Tensor fft_##name##2(At x, FftSizes s, DimsArg dim, std::string_view norm) {              \
    if (autocasts()) return autocasted("fft_" #name "2", &fft_##name##2, x, s, dim, norm);  \
    const CalledAs called("fft_" #name "2", x.where);                                       \
    return of##_nd({"fft_" #name "2", forward, norm}, x.operand.tensor(), s, FftDims(dim)); \
  }                                                                                         \
  Tensor fft_##name##n(At x, FftSizes s, FftDims dim, std::string_view norm) {              \
    if (autocasts()) return autocasted("fft_" #name "n", &fft_##name##n, x, s, dim, norm);  \
    const CalledAs called("fft_" #name "n", x.where);                                       \
    return of##_nd({"fft_" #name "n", forward, norm}, x.operand.tensor(), s, dim);          \
  }
}  // namespace

VITRO_FFT(fft, complex, true)
VITRO_FFT(ifft, complex, false)
VITRO_FFT(rfft, from_real, true)
VITRO_FFT(irfft, to_real, false)
VITRO_FFT(hfft, to_real, true)
VITRO_FFT(ihfft, from_real, false)
#undef VITRO_FFT

Tensor fft_fftfreq(Size n, double d, std::optional<DType> dtype, std::optional<Device> device,
                   std::source_location from) {
  const CalledAs name("fft_fftfreq", from);
  const Value k = arange(n, DType::i64, device);
  const Value signed_k = ops::where(k < Scalar((n + 1) / 2), k, k - Scalar(n));
  return to(signed_k, dtype.value_or(default_float)) *
         Scalar(1 / (static_cast<double>(n.value()) * d));
}
Tensor fft_rfftfreq(Size n, double d, std::optional<DType> dtype, std::optional<Device> device,
                    std::source_location from) {
  const CalledAs name("fft_rfftfreq", from);
  return Value(arange(n / 2 + 1, dtype.value_or(default_float), device)) *
         Scalar(1 / (static_cast<double>(n.value()) * d));
}

// ---- spectra of windows ----

namespace {

// The window of n_fft elements, or undefined: all ones.
Value window_for(std::string_view op, const Tensor& window, int64_t n_fft, int64_t win_length) {
  VITRO_CHECK(0 < win_length && win_length <= n_fft, op, ": win_length must be from 1 to n_fft (",
              n_fft, "), got ", win_length);
  if (!window.defined()) return {};
  VITRO_CHECK(window.rank() == 1 && equal(window.size(0), win_length), op,
              ": needs a window of sizes [", win_length, "], got ", numbers_of(window.sizes()));
  const int64_t left = (n_fft - win_length) / 2;
  return constant_pad_nd(window, {left, n_fft - win_length - left});
}
int64_t checked_hop(std::string_view op, const std::optional<int64_t>& given, int64_t n_fft) {
  const int64_t hop = given.value_or(n_fft / 4);
  VITRO_CHECK(hop > 0, op, ": hop_length must be positive, got ", hop);
  return hop;
}
Value window_of_ones(const Tensor& like, int64_t win_length) {
  return ones({win_length}, real_of(like.dtype()), like.device());
}

}  // namespace

Tensor stft(At signal, int64_t n_fft, const StftOptions& options) {
  if (autocasts()) return autocasted("stft", &stft, signal, n_fft, options);
  const CalledAs name("stft", signal.where);
  const Way way("stft", true, options.normalized ? by_root : not_scaled);
  const Value x = floating(way, signal.operand.tensor());
  const bool is_complex =
      x.is_complex() || (options.window.defined() && options.window.is_complex());
  VITRO_CHECK(x.rank() == 1 || x.rank() == 2,
              "stft: takes a signal or a batch of signals, got sizes ", numbers_of(x.sizes()));
  VITRO_CHECK(is_complex || options.return_complex,
              "stft: return_complex must be given for real signals: true, or false for a result of "
              "pairs [..., 2]");
  VITRO_CHECK(n_fft > 0, "stft: n_fft must be positive, got ", n_fft);
  const int64_t hop = checked_hop("stft", options.hop_length, n_fft);
  const int64_t win_length = options.win_length.value_or(n_fft);
  const Value window = window_for("stft",
                                  !options.window.defined() && win_length < n_fft
                                      ? Tensor(window_of_ones(x, win_length))
                                      : options.window,
                                  n_fft, win_length);
  Value batch = x.rank() == 1 ? Value(unsqueeze(x, 0)) : x;
  if (options.center) batch = pad(batch, {n_fft / 2, n_fft / 2}, options.pad_mode);
  VITRO_CHECK(!less(batch.size(1), n_fft), "stft: n_fft must not be larger than the signal of ",
              number_of(batch.size(1)), " elements, got ", n_fft);
  Value frames = unfold(batch, -1, n_fft, hop);
  if (window.defined()) frames = frames * window;
  const bool onesided = options.onesided.value_or(!frames.is_complex());
  VITRO_CHECK(!onesided || !frames.is_complex(),
              "stft: the spectrum of complex numbers is not one-sided; pass onesided=False");
  Value spectra = onesided ? r2c(way, frames, {2}) : c2c(way, as_complex(way, frames), {2});
  spectra = transpose(spectra, 1, 2);
  if (x.rank() == 1) spectra = squeeze(spectra, {0});
  return options.return_complex.value_or(true) ? Tensor(spectra) : view_as_real(spectra);
}

namespace {

// The sum of frames [b, frames, n], each `hop` after the one before it, as signals [b, length].
Value overlapped(const Tensor& frames, int64_t hop, const Size& length) {
  const Tensor begins = unsqueeze(arange(frames.size(1), DType::i64, frames.device()), 1);
  const Value places = Value(begins) * hop + arange(frames.size(2), DType::i64, frames.device());
  const Value none = zeros({frames.size(0), length}, frames.dtype(), frames.device());
  return index_add(none, 1, reshape(places, {-1}), reshape(frames, {frames.size(0), -1}));
}

// Divides by the sum of the squared windows.
Value without_window(const Tensor& signal, const Tensor& window, const Size& frames, int64_t hop,
                     const Size& start, const Size& end) {
  const Value w = window, squared = expand(w * w, {1, frames, window.size(0)});
  const Value all = overlapped(squared, hop, (frames - 1) * hop + window.size(0));
  const Value sum = slice(all, 1, start, end);
  if (sum.device() == cpu) {
    const double least = amin(abs(sum)).item().as_double();
    VITRO_CHECK(least > 1e-11, "istft: the windows leave gaps: their squares sum to ", least,
                " at some element; needs a smaller hop_length or another window");
  }
  return Value(signal) / sum;
}

}  // namespace

Tensor istft(At spectra, int64_t n_fft, const IstftOptions& options) {
  const CalledAs name("istft", spectra.where);
  const Way way("istft", false, options.normalized ? by_root : by_length);
  const Tensor& given = spectra.operand.tensor();
  VITRO_CHECK(given.is_complex(), "istft: takes complex spectra, got ", given.dtype());
  VITRO_CHECK(given.rank() == 2 || given.rank() == 3,
              "istft: takes spectra [frequencies, frames] or a batch of them, got sizes ",
              numbers_of(given.sizes()));
  const bool onesided = options.onesided.value_or(!equal(given.size(-2), n_fft));
  const int64_t size = onesided ? n_fft / 2 + 1 : n_fft;
  VITRO_CHECK(equal(given.size(-2), size), "istft: n_fft = ", n_fft,
              " with onesided=", onesided ? "True" : "False", " needs ", size,
              " frequencies, got sizes ", numbers_of(given.sizes()));
  VITRO_CHECK(!(onesided && options.return_complex),
              "istft: one-sided spectra are those of real signals; return_complex needs "
              "onesided=False");
  const int64_t hop = checked_hop("istft", options.hop_length, n_fft);
  const int64_t win_length = options.win_length.value_or(n_fft);
  const Value window = window_for(
      "istft", options.window.defined() ? options.window : window_of_ones(given, win_length), n_fft,
      win_length);
  const Value batch = transpose(given.rank() == 2 ? unsqueeze(given, 0) : given, 1, 2);
  const Value frames = options.return_complex
                           ? c2c(way, batch, {2})
                           : c2r(way, slice(batch, 2, 0, n_fft / 2 + 1), {2}, n_fft);
  const Size count = frames.size(1), length = (count - 1) * hop + n_fft;
  const Size start = options.center ? n_fft / 2 : 0;
  const Size wanted =
      options.length ? start + *options.length : length - (options.center ? n_fft / 2 : 0);
  const Size end = min(wanted, length);
  const Value signal = slice(overlapped(frames * window, hop, length), 1, start, end);
  Value out = without_window(signal, window, count, hop, start, end);
  if (less(end, wanted)) out = constant_pad_nd(out, {0, wanted - end});
  return given.rank() == 2 ? squeeze(out, {0}) : Tensor(out);
}

// ---- windows ----

namespace {

// What a window is of the places 0, 1, ... in f64, of the last one, and of two numbers.
using WindowShape = Value (*)(const Value& k, double last, double a, double b);

Tensor window_by(const Called& called, const Size& n, bool periodic, const WindowOptions& options,
                 WindowShape shape, double a = 0, double b = 0) {
  const std::string_view op = called.name;
  const CalledAs name(op, called.from);
  const DType dtype = options.dtype.value_or(default_float);
  VITRO_CHECK(is_floating(dtype), op, ": takes floating-point dtypes, got ", dtype);
  VITRO_CHECK(!less(n, 0), op, ": the length must not be negative, got ", number_of(n));
  if (n == 0 || n == 1) return ones({n}, dtype, options.device);
  const Size last = periodic ? n : n - 1;
  const Value k = arange(n, DType::f64, options.device);
  return to(shape(k, static_cast<double>(last.value()), a, b), dtype);
}

Value cosine(const Value& x) {
  return vitro::cos(x);
}
// A window of cosines: a - b cos(2 pi k / last).
Value raised_cosine(const Value& k, double last, double a, double b) {
  return a - cosine(k * (2 * std::numbers::pi / last)) * b;
}
Value blackman(const Value& k, double last, double, double) {
  return cosine(k * (4 * std::numbers::pi / last)) * 0.08 + raised_cosine(k, last, 0.42, 0.5);
}
Value bartlett(const Value& k, double last, double, double) {
  return 1 - abs(k * (2 / last) - 1);
}

// The sum of (x^2 / 4)^k / k!^2, as many terms as the largest x needs: all are positive.
Value bessel_i0(const Value& x, double largest) {
  const double most = largest * largest / 4;
  int terms = 1;
  for (double term = 1, sum = 1; term > sum * 1e-17; ++terms) {
    term *= most / (static_cast<double>(terms) * terms);
    sum += term;
  }
  const Value y = x * x * 0.25;
  Value sum = y * 0 + 1;
  for (int k = terms; k > 0; --k) sum = sum * y * (1 / (static_cast<double>(k) * k)) + 1;
  return sum;
}
Value kaiser(const Value& k, double last, double beta, double) {
  const Value from_middle = k * (2 / last) - 1;
  const Value x = ops::sqrt(ops::maximum(1 - from_middle * from_middle, 0)) * beta;
  return bessel_i0(x, beta) / bessel_i0(k * 0 + beta, beta);
}

}  // namespace

Tensor hann_window(Size n, bool periodic, const WindowOptions& options, std::source_location from) {
  return window_by({"hann_window", false, from}, n, periodic, options, &raised_cosine, 0.5, 0.5);
}
Tensor hamming_window(Size n, bool periodic, double alpha, double beta,
                      const WindowOptions& options, std::source_location from) {
  return window_by({"hamming_window", false, from}, n, periodic, options, &raised_cosine, alpha,
                   beta);
}
Tensor blackman_window(Size n, bool periodic, const WindowOptions& options,
                       std::source_location from) {
  return window_by({"blackman_window", false, from}, n, periodic, options, &blackman);
}
Tensor bartlett_window(Size n, bool periodic, const WindowOptions& options,
                       std::source_location from) {
  return window_by({"bartlett_window", false, from}, n, periodic, options, &bartlett);
}
Tensor kaiser_window(Size n, bool periodic, double beta, const WindowOptions& options,
                     std::source_location from) {
  return window_by({"kaiser_window", false, from}, n, periodic, options, &kaiser, beta);
}

}  // namespace vitro

namespace vitro::ops {
namespace {

// ATen's functions, as its schemas pass arguments.

Dims wrapped(std::string_view op, const Tensor& x, const Dims& dims) {
  Dims out;
  for (const int64_t dim : dims) out.push_back(wrap_dim(op, dim, x.rank()));
  return out;
}
Tensor aten_c2c(At x, const Dims& dim, int64_t normalization, bool forward) {
  const Way way("_fft_c2c", forward, normalization);
  const Tensor& z = x.operand.tensor();
  VITRO_CHECK(z.is_complex(), "_fft_c2c: takes complex numbers, got ", z.dtype());
  return c2c(way, z, wrapped(way.op, z, dim));
}
Tensor aten_r2c(At x, const Dims& dim, int64_t normalization, bool onesided) {
  const Way way("_fft_r2c", true, normalization);
  const Value signal = as_real(way, x.operand.tensor());
  VITRO_CHECK(!dim.empty(), "_fft_r2c: needs at least one dimension to transform");
  const Dims dims = wrapped(way.op, signal, dim);
  return onesided ? r2c(way, signal, dims) : c2c(way, as_complex(way, signal), dims);
}
Tensor aten_c2r(At x, const Dims& dim, int64_t normalization, Size last_dim_size) {
  const Way way("_fft_c2r", false, normalization);
  const Tensor& z = x.operand.tensor();
  VITRO_CHECK(z.is_complex(), "_fft_c2r: takes complex numbers, got ", z.dtype());
  VITRO_CHECK(!dim.empty(), "_fft_c2r: needs at least one dimension to transform");
  const Dims dims = wrapped(way.op, z, dim);
  return c2r(way, resized(way, z, dims.back(), last_dim_size / 2 + 1), dims, last_dim_size);
}

using Integer = std::optional<int64_t>;
using Boolean = std::optional<bool>;
Tensor centred_stft(At x, int64_t n_fft, Integer hop_length, Integer win_length, Tensor window,
                    bool center, const std::string& pad_mode, bool normalized, Boolean onesided,
                    Boolean return_complex) {
  return stft(x, n_fft,
              {hop_length, win_length, std::move(window), center, pad_mode, normalized, onesided,
               return_complex});
}
Tensor plain_stft(At x, int64_t n_fft, Integer hop_length, Integer win_length, Tensor window,
                  bool normalized, Boolean onesided, Boolean return_complex) {
  return centred_stft(x, n_fft, hop_length, win_length, std::move(window), false, "reflect",
                      normalized, onesided, return_complex);
}
Tensor aten_istft(At x, int64_t n_fft, Integer hop_length, Integer win_length, Tensor window,
                  bool center, bool normalized, Boolean onesided, Integer length,
                  bool return_complex) {
  return istft(x, n_fft,
               {hop_length, win_length, std::move(window), center, normalized, onesided, length,
                return_complex});
}

using MaybeType = std::optional<DType>;
using MaybeDevice = std::optional<Device>;
Tensor aten_fftfreq(Size n, double d, MaybeType dtype, const Layout& layout, MaybeDevice device,
                    std::source_location from) {
  check_layout("fft_fftfreq", layout);
  return fft_fftfreq(n, d, dtype, device, from);
}
Tensor aten_rfftfreq(Size n, double d, MaybeType dtype, const Layout& layout, MaybeDevice device,
                     std::source_location from) {
  check_layout("fft_rfftfreq", layout);
  return fft_rfftfreq(n, d, dtype, device, from);
}

// A window of the length alone, or of the length and whether it is periodic.
template <auto window>
Tensor usual(Size n, MaybeType dtype, const Layout& layout, MaybeDevice device,
             std::source_location from) {
  check_layout("window", layout);
  return window(n, true, {dtype, device}, from);
}
template <auto window>
Tensor periodic(Size n, bool is_periodic, MaybeType dtype, const Layout& layout, MaybeDevice device,
                std::source_location from) {
  check_layout("window", layout);
  return window(n, is_periodic, {dtype, device}, from);
}
Tensor usual_hamming(Size n, bool is_periodic, const WindowOptions& options,
                     std::source_location from) {
  return hamming_window(n, is_periodic, 0.54, 0.46, options, from);
}
Tensor usual_kaiser(Size n, bool is_periodic, const WindowOptions& options,
                    std::source_location from) {
  return kaiser_window(n, is_periodic, 12, options, from);
}
Tensor hamming_alpha(Size n, bool is_periodic, double alpha, MaybeType dtype, const Layout& layout,
                     MaybeDevice device, std::source_location from) {
  check_layout("hamming_window", layout);
  return hamming_window(n, is_periodic, alpha, 0.46, {dtype, device}, from);
}
Tensor hamming_alpha_beta(Size n, bool is_periodic, double alpha, double beta, MaybeType dtype,
                          const Layout& layout, MaybeDevice device, std::source_location from) {
  check_layout("hamming_window", layout);
  return hamming_window(n, is_periodic, alpha, beta, {dtype, device}, from);
}
Tensor kaiser_beta(Size n, bool is_periodic, double beta, MaybeType dtype, const Layout& layout,
                   MaybeDevice device, std::source_location from) {
  check_layout("kaiser_window", layout);
  return kaiser_window(n, is_periodic, beta, {dtype, device}, from);
}

Tensor sgn(At x) {
  const CalledAs name("sgn", x.where);
  const Tensor& z = x.operand.tensor();
  return z.is_complex() ? joined(sign(parts_of(z))) : Tensor(vitro::sign({z, x.where}));
}

#define VITRO_ONE "(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor"
#define VITRO_TWO "(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor"
#define VITRO_MANY "(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor"

constexpr NamedFunction list[] = {
    {"real", "The real part, in the same memory; a real tensor itself.",
     "(Tensor(a) self) -> Tensor(a)", bound<&real>},
    {"imag", "The imaginary part of a complex tensor, in the same memory.",
     "(Tensor(a) self) -> Tensor(a)", bound<&imag>},
    {"conj", "The complex conjugate; a real tensor itself.", "(Tensor(a) self) -> Tensor(a)",
     bound<&vitro::conj>},
    {"conj_physical", "The complex conjugate; a real tensor itself.", "(Tensor self) -> Tensor",
     bound<&vitro::conj>},
    {"view_as_real", "The numbers of a complex tensor as pairs [..., 2], in the same memory.",
     "(Tensor(a) self) -> Tensor(a)", bound<&view_as_real>},
    {"view_as_complex", "Pairs [..., 2] as complex numbers, in the same memory.",
     "(Tensor(a) self) -> Tensor(a)", bound<&view_as_complex>},
    {"complex", "A complex tensor of these parts.", "(Tensor real, Tensor imag) -> Tensor",
     bound<&complex>},
    {"polar", "A complex tensor of these absolute values and angles.",
     "(Tensor abs, Tensor angle) -> Tensor", bound<&vitro::polar>},
    {"sgn", "The sign; of a complex number z / |z|, 0 at 0.", "(Tensor self) -> Tensor",
     bound<&sgn>},
    {"sgn_", "The sign; of a complex number z / |z|, 0 at 0.", "(Tensor(a!) self) -> Tensor(a!)",
     written<&sgn>},
    {"_fft_c2c", "A Fourier transform along dimensions; normalization is 0, 1 (by the root) or 2.",
     "(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor", bound<&aten_c2c>},
    {"_fft_r2c", "That of real numbers: of the last dimension one half if onesided.",
     "(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor", bound<&aten_r2c>},
    {"_fft_c2r", "The real numbers of which one half of the transform is given.",
     "(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor",
     bound<&aten_c2r>},
    {"fft_fft", "The Fourier transform along dim.", VITRO_ONE, bound<&fft_fft>},
    {"fft_ifft", "The inverse of fft_fft.", VITRO_ONE, bound<&fft_ifft>},
    {"fft_rfft", "The first half of the transform of real numbers.", VITRO_ONE, bound<&fft_rfft>},
    {"fft_irfft", "The inverse of fft_rfft.", VITRO_ONE, bound<&fft_irfft>},
    {"fft_hfft", "The real transform of a signal of which one half is given.", VITRO_ONE,
     bound<&fft_hfft>},
    {"fft_ihfft", "The inverse of fft_hfft.", VITRO_ONE, bound<&fft_ihfft>},
    {"fft_fft2", "fft_fft along two dimensions.", VITRO_TWO, bound<&fft_fft2>},
    {"fft_ifft2", "The inverse of fft_fft2.", VITRO_TWO, bound<&fft_ifft2>},
    {"fft_rfft2", "fft_rfft along the second dimension, fft_fft along the first.", VITRO_TWO,
     bound<&fft_rfft2>},
    {"fft_irfft2", "The inverse of fft_rfft2.", VITRO_TWO, bound<&fft_irfft2>},
    {"fft_hfft2", "fft_hfft along the second dimension, fft_fft along the first.", VITRO_TWO,
     bound<&fft_hfft2>},
    {"fft_ihfft2", "The inverse of fft_hfft2.", VITRO_TWO, bound<&fft_ihfft2>},
    {"fft_fftn", "fft_fft along several dimensions.", VITRO_MANY, bound<&fft_fftn>},
    {"fft_ifftn", "The inverse of fft_fftn.", VITRO_MANY, bound<&fft_ifftn>},
    {"fft_rfftn", "fft_rfft along the last dimension, fft_fft along the others.", VITRO_MANY,
     bound<&fft_rfftn>},
    {"fft_irfftn", "The inverse of fft_rfftn.", VITRO_MANY, bound<&fft_irfftn>},
    {"fft_hfftn", "fft_hfft along the last dimension, fft_fft along the others.", VITRO_MANY,
     bound<&fft_hfftn>},
    {"fft_ihfftn", "The inverse of fft_hfftn.", VITRO_MANY, bound<&fft_ihfftn>},
    {"fft_fftfreq", "The frequencies of a spectrum of n elements at distance d.",
     "(int n, float d=1., " VITRO_OPTIONS ") -> Tensor", bound<&aten_fftfreq>},
    {"fft_rfftfreq", "The frequencies of the first half of a spectrum.",
     "(int n, float d=1., " VITRO_OPTIONS ") -> Tensor", bound<&aten_rfftfreq>},
    {"stft", "The spectra of windows of a signal.",
     "(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
     "bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? "
     "align_to_window=None) -> Tensor",
     bound<&plain_stft>},
    {"stft", "The same of a signal that is padded at both ends.",
     ".center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? "
     "window=None, bool center=True, str pad_mode=\"reflect\", bool normalized=False, bool? "
     "onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor",
     bound<&centred_stft>},
    {"istft", "The signal whose spectra of windows these are.",
     "(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
     "bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool "
     "return_complex=False) -> Tensor",
     bound<&aten_istft>},
    {"hann_window", "A raised cosine.", "(int window_length, " VITRO_OPTIONS ") -> Tensor",
     bound<&usual<&hann_window>>},
    {"hann_window", "A raised cosine.",
     ".periodic(int window_length, bool periodic, " VITRO_OPTIONS ") -> Tensor",
     bound<&periodic<&hann_window>>},
    {"hamming_window", "alpha less beta times a cosine.",
     "(int window_length, " VITRO_OPTIONS ") -> Tensor", bound<&usual<&usual_hamming>>},
    {"hamming_window", "alpha less beta times a cosine.",
     ".periodic(int window_length, bool periodic, " VITRO_OPTIONS ") -> Tensor",
     bound<&periodic<&usual_hamming>>},
    {"hamming_window", "alpha less beta times a cosine.",
     ".periodic_alpha(int window_length, bool periodic, float alpha, " VITRO_OPTIONS ") -> Tensor",
     bound<&hamming_alpha>},
    {"hamming_window", "alpha less beta times a cosine.",
     ".periodic_alpha_beta(int window_length, bool periodic, float alpha, float "
     "beta, " VITRO_OPTIONS ") -> Tensor",
     bound<&hamming_alpha_beta>},
    {"blackman_window", "A sum of two cosines.", "(int window_length, " VITRO_OPTIONS ") -> Tensor",
     bound<&usual<&blackman_window>>},
    {"blackman_window", "A sum of two cosines.",
     ".periodic(int window_length, bool periodic, " VITRO_OPTIONS ") -> Tensor",
     bound<&periodic<&blackman_window>>},
    {"bartlett_window", "A triangle.", "(int window_length, " VITRO_OPTIONS ") -> Tensor",
     bound<&usual<&bartlett_window>>},
    {"bartlett_window", "A triangle.",
     ".periodic(int window_length, bool periodic, " VITRO_OPTIONS ") -> Tensor",
     bound<&periodic<&bartlett_window>>},
    {"kaiser_window", "A Bessel function of a half circle.",
     "(int window_length, " VITRO_OPTIONS ") -> Tensor", bound<&usual<&usual_kaiser>>},
    {"kaiser_window", "A Bessel function of a half circle.",
     ".periodic(int window_length, bool periodic, " VITRO_OPTIONS ") -> Tensor",
     bound<&periodic<&usual_kaiser>>},
    {"kaiser_window", "A Bessel function of a half circle.",
     ".beta(int window_length, bool periodic, float beta, " VITRO_OPTIONS ") -> Tensor",
     bound<&kaiser_beta>},
};
#undef VITRO_ONE
#undef VITRO_TWO
#undef VITRO_MANY

}  // namespace

std::span<const NamedFunction> complex_functions() {
  return list;
}

}  // namespace vitro::ops
