// Plans of Fourier transforms, and their passes: one for each factor of the length.
#include "ops/fourier_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace vitro::ops {
namespace {

constexpr int largest_factor = 13;

// e^(-2 pi i k / n); exact where it is a multiple of a quarter turn.
std::complex<double> root(int64_t k, int64_t n) {
  if (4 * k % n == 0) {
    constexpr std::complex<double> quarters[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
    return quarters[4 * k / n % 4];
  }
  const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(angle), -std::sin(angle)};
}

// Factors 4 first, then the primes in order; empty: some prime is too large.
[[gnu::cold]] std::vector<int> factors_of(int64_t n) {
  std::vector<int> out;
  for (const int factor : {4, 2, 3, 5, 7, 11, largest_factor}) {
    while (n % factor == 0) {
      out.push_back(factor);
      n /= factor;
    }
  }
  if (n != 1) out.clear();
  return out;
}

template <class T>
using Complex = std::complex<T>;

// std::complex's product checks for infinities, which costs a call.
template <class T>
Complex<T> times(Complex<T> a, Complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <class T>
Complex<T> times_minus_i(Complex<T> z) {
  return {z.imag(), -z.real()};
}

// What a pass is about: n = factor * m numbers, in `stride` interleaved rows.
template <class T>
struct Pass {
  int64_t m, stride, n;
  const Complex<T>* roots;  // of the whole length n
  const Complex<T>* from;
  Complex<T>* to;
};

template <class T>
void pass_of_2(const Pass<T>& pass) {
  const int64_t s = pass.stride;
  for (int64_t p = 0; p < pass.m; ++p) {
    const Complex<T> w = pass.roots[p * s];
    const Complex<T>*a = pass.from + s * p, *b = a + s * pass.m;
    Complex<T>* to = pass.to + s * 2 * p;
    for (int64_t q = 0; q < s; ++q) {
      to[q] = a[q] + b[q];
      to[q + s] = times(a[q] - b[q], w);
    }
  }
}

template <class T>
void pass_of_4(const Pass<T>& pass) {
  const int64_t s = pass.stride, m = pass.m;
  for (int64_t p = 0; p < m; ++p) {
    const Complex<T> w1 = pass.roots[p * s], w2 = pass.roots[2 * p * s], w3 = pass.roots[3 * p * s];
    const Complex<T>* from = pass.from + s * p;
    Complex<T>* to = pass.to + s * 4 * p;
    for (int64_t q = 0; q < s; ++q) {
      const Complex<T> a = from[q], b = from[q + s * m], c = from[q + 2 * s * m],
                       d = from[q + 3 * s * m];
      const Complex<T> even = a + c, odd = a - c, other = b + d, turned = times_minus_i(b - d);
      to[q] = even + other;
      to[q + s] = times(odd + turned, w1);
      to[q + 2 * s] = times(even - other, w2);
      to[q + 3 * s] = times(odd - turned, w3);
    }
  }
}

// Any factor, by the definition: roots of the factor are those of n at distance n / factor.
template <class T>
void pass_of_any(const Pass<T>& pass, int factor) {
  const int64_t s = pass.stride, m = pass.m;
  std::array<Complex<T>, largest_factor> a, roots;
  for (int k = 0; k < factor; ++k) roots[k] = pass.roots[pass.n / factor * k];
  for (int64_t p = 0; p < m; ++p) {
    for (int64_t q = 0; q < s; ++q) {
      for (int j = 0; j < factor; ++j) a[j] = pass.from[q + s * (p + m * j)];
      for (int k = 0; k < factor; ++k) {
        Complex<T> sum = a[0];
        for (int j = 1, turn = k; j < factor; ++j) {
          sum += times(a[j], roots[turn]);
          turn += k - (turn + k >= factor ? factor : 0);
        }
        pass.to[q + s * (int64_t{factor} * p + k)] = times(sum, pass.roots[p * k * s]);
      }
    }
  }
}

}  // namespace

// Of many roots, most are products of two, so that the cost of a plan is small beside that of a
// row.
template <class T>
[[gnu::cold]] std::vector<std::complex<T>> roots_of_unity(int64_t n, int64_t count) {
  constexpr int64_t few = 1024;
  std::vector<std::complex<T>> out;
  out.reserve(static_cast<size_t>(count));
  std::vector<std::complex<double>> fine;
  for (int64_t k = 0; k < std::min(count, few); ++k) fine.push_back(root(k, n));
  for (int64_t coarse = 0; coarse < count; coarse += few) {
    const std::complex<double> first = root(coarse, n);
    for (int64_t k = 0; k < std::min(few, count - coarse); ++k)
      out.emplace_back(coarse == 0 ? fine[static_cast<size_t>(k)]
                                   : times(first, fine[static_cast<size_t>(k)]));
  }
  return out;
}
template std::vector<std::complex<float>> roots_of_unity(int64_t n, int64_t count);
template std::vector<std::complex<double>> roots_of_unity(int64_t n, int64_t count);

template <class T>
[[gnu::cold]] FourierPlan<T>::FourierPlan(int64_t n) : n_(n), factors_(factors_of(n)) {
  if (!factors_.empty() || n == 1) {
    roots_ = roots_of_unity<T>(n, n);
    return;
  }
  int64_t size = 1;
  while (size < 2 * n - 1) size *= 2;
  convolution_ = std::make_unique<FourierPlan>(size);
  spectrum_.resize(static_cast<size_t>(size));
  for (int64_t j = 0; j < n; ++j) {
    const auto square = static_cast<int64_t>(static_cast<__int128>(j) * j % (2 * n));
    const C z(root(square, 2 * n));
    chirp_.push_back(z);
    spectrum_[static_cast<size_t>(j)] = std::conj(z);
    if (j > 0) spectrum_[static_cast<size_t>(size - j)] = std::conj(z);
  }
  std::vector<C> buffer(static_cast<size_t>(convolution_->space()));
  convolution_->forward(spectrum_.data(), buffer.data());
  for (C& z : spectrum_) z /= static_cast<T>(size);
}

template <class T>
int64_t FourierPlan<T>::space() const {
  return convolution_ ? convolution_->n_ + convolution_->space() : n_;
}

template <class T>
void FourierPlan<T>::forward(C* row, C* space) const {
  convolution_ ? by_chirp(row, space) : by_factors(row, space);
}

template <class T>
void FourierPlan<T>::by_factors(C* row, C* space) const {
  Pass<T> pass{n_, 1, n_, roots_.data(), row, space};
  C* to = space;
  C* from = row;
  for (const int factor : factors_) {
    pass.m /= factor;
    pass.from = from;
    pass.to = to;
    if (factor == 4) {
      pass_of_4(pass);
    } else if (factor == 2) {
      pass_of_2(pass);
    } else {
      pass_of_any(pass, factor);
    }
    pass.stride *= factor;
    std::swap(from, to);
  }
  if (from != row) std::copy_n(from, n_, row);
}

// The sum over j of x[j] e^(-2 pi i j k / n), in which 2 j k = j^2 + k^2 - (k - j)^2.
template <class T>
void FourierPlan<T>::by_chirp(C* row, C* space) const {
  const int64_t size = convolution_->n_;
  C *padded = space, *rest = space + size;
  for (int64_t j = 0; j < n_; ++j) padded[j] = times(row[j], chirp_[static_cast<size_t>(j)]);
  std::fill(padded + n_, padded + size, C());
  convolution_->forward(padded, rest);
  // The inverse transform is the transform of the conjugate, conjugated.
  for (int64_t k = 0; k < size; ++k)
    padded[k] = std::conj(times(padded[k], spectrum_[static_cast<size_t>(k)]));
  convolution_->forward(padded, rest);
  for (int64_t k = 0; k < n_; ++k)
    row[k] = times(std::conj(padded[k]), chirp_[static_cast<size_t>(k)]);
}

template class FourierPlan<float>;
template class FourierPlan<double>;

}  // namespace vitro::ops
