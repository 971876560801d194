// Fourier transforms of one row of complex numbers, of any length.
//   const FourierPlan<float> plan(n);   plan.forward(row, space);
// Lengths with prime factors up to 13 are transformed in place of sorted factors (Stockham,
// "High-speed convolution and correlation", 1966: the result is in order without a reversal of
// digits); others as a convolution with a chirp (L. Bluestein, 1970). Twiddles are computed in f64.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace vitro::ops {

// e^(-2 pi i k / n) for k < count.
template <class T>
std::vector<std::complex<T>> roots_of_unity(int64_t n, int64_t count);

template <class T>
class FourierPlan {
 public:
  using C = std::complex<T>;
  explicit FourierPlan(int64_t n);

  int64_t size() const { return n_; }
  int64_t space() const;  // the numbers that `forward` needs
  // sum over j of row[j] * e^(-2 pi i j k / n), for each k, in place of row.
  void forward(C* row, C* space) const;

 private:
  void by_factors(C* row, C* space) const;
  void by_chirp(C* row, C* space) const;

  int64_t n_;
  std::vector<int> factors_;
  std::vector<C> roots_;
  // By chirp: e^(-pi i j^2 / n), and the transform of its conjugate, periodic with the plan's size.
  std::unique_ptr<FourierPlan> convolution_;
  std::vector<C> chirp_, spectrum_;
};

extern template class FourierPlan<float>;
extern template class FourierPlan<double>;

}  // namespace vitro::ops
