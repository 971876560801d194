// The kernel of Fourier transforms: brings each row into contiguous memory, transforms it by its
// plan, and stores the result.
#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "ops/fourier_plan.h"
#include "vitro/ops/fourier.h"

namespace vitro::ops {
namespace {

// One call of the kernel.
template <class T>
class Transform {
 public:
  using C = std::complex<T>;
  explicit Transform(const OpaqueCall& call)
      : a_(call.attrs.as<FftAttrs>()),
        n_(a_.n.hint()),
        halves_(a_.kind != FftKind::c2c && n_ % 2 == 0),
        plan_(halves_ ? n_ / 2 : n_),
        from_(call.operands[0].tensor),
        to_(call.results[0]) {
    if (halves_) roots_ = roots_of_unity<T>(n_, n_ / 2 + 1);
    scale_ = a_.normalization == 0   ? T(1)
             : a_.normalization == 1 ? static_cast<T>(1 / std::sqrt(static_cast<double>(n_)))
                                     : static_cast<T>(1 / static_cast<double>(n_));
  }

  void run(const OpaqueCall& call) {
    int64_t rows = 1;
    for (size_t d = 0; d < rank(); ++d)
      if (d != dim()) rows *= to_.sizes[d];
    const double cost = static_cast<double>(n_) * std::log2(static_cast<double>(n_) + 1);
    const auto grain = static_cast<int64_t>(1 + 20000 / (cost + 1));
    const auto piece = [](void* self, int64_t begin, int64_t end) {
      static_cast<Transform*>(self)->run_rows(begin, end);
    };
    call.parallel ? call.parallel(rows, grain, piece, this) : piece(this, 0, rows);
  }

 private:
  size_t dim() const { return static_cast<size_t>(a_.dim); }
  size_t rank() const { return to_.sizes.size() - (a_.kind == FftKind::c2r ? 0 : 1); }

  // A row of one tensor: numbers `step` apart, parts of pairs `pair` apart.
  struct Row {
    T* data;
    int64_t step, pair;
    C get(int64_t k) const { return {data[k * step], data[k * step + pair]}; }
    void set(int64_t k, C z) const {
      data[k * step] = z.real();
      data[k * step + pair] = z.imag();
    }
  };
  Row row_of(const OpaqueTensor& t, int64_t row) const {
    T* data = static_cast<T*>(t.data);
    for (size_t d = rank(); d-- > 0;) {
      if (d == dim()) continue;
      data += row % to_.sizes[d] * t.strides[d];
      row /= to_.sizes[d];
    }
    return {data, t.strides[dim()], t.strides.back()};
  }

  void run_rows(int64_t begin, int64_t end) const {
    std::vector<C> memory(static_cast<size_t>(plan_.size() + 1 + plan_.space()));
    C *z = memory.data(), *space = z + plan_.size() + 1;
    for (int64_t i = begin; i < end; ++i) {
      const Row from = row_of(from_, i), to = row_of(to_, i);
      switch (a_.kind) {
        case FftKind::c2c:
          complex_row(from, to, z, space);
          break;
        case FftKind::r2c:
          halves_ ? from_real_halves(from, to, z, space) : from_real(from, to, z, space);
          break;
        case FftKind::c2r:
          halves_ ? to_real_halves(from, to, z, space) : to_real(from, to, z, space);
      }
    }
  }

  // A backward transform is a forward one with the parts exchanged.
  static C exchanged(C z, bool yes) { return yes ? C(z.imag(), z.real()) : z; }
  void complex_row(const Row& from, const Row& to, C* z, C* space) const {
    for (int64_t k = 0; k < n_; ++k) z[k] = exchanged(from.get(k), !a_.forward);
    plan_.forward(z, space);
    for (int64_t k = 0; k < n_; ++k) to.set(k, exchanged(z[k], !a_.forward) * scale_);
  }

  // A backward transform of real numbers is the conjugate of the forward one, and so is a forward
  // one to real numbers of their backward one.
  static C conjugated(C z, bool yes) { return yes ? std::conj(z) : z; }
  void from_real(const Row& from, const Row& to, C* z, C* space) const {
    for (int64_t k = 0; k < n_; ++k) z[k] = from.data[k * from.step];
    plan_.forward(z, space);
    for (int64_t k = 0; k <= n_ / 2; ++k) to.set(k, conjugated(z[k], !a_.forward) * scale_);
  }
  void to_real(const Row& from, const Row& to, C* z, C* space) const {
    z[0] = from.get(0).real();
    for (int64_t k = 1; k <= n_ / 2; ++k) {
      z[k] = conjugated(from.get(k), !a_.forward);
      z[n_ - k] = std::conj(z[k]);
    }
    plan_.forward(z, space);
    for (int64_t k = 0; k < n_; ++k) to.data[k * to.step] = z[k].real() * scale_;
  }

  // 2h real numbers as h complex ones, whose transform holds those of the even and the odd ones.
  void from_real_halves(const Row& from, const Row& to, C* z, C* space) const {
    const int64_t h = n_ / 2;
    for (int64_t k = 0; k < h; ++k)
      z[k] = {from.data[2 * k * from.step], from.data[(2 * k + 1) * from.step]};
    plan_.forward(z, space);
    z[h] = z[0];
    const T half = scale_ / 2;
    for (int64_t k = 0; k <= h; ++k) {
      const C mirrored = std::conj(z[h - k]), even = z[k] + mirrored, odd = z[k] - mirrored;
      const C turned(odd.imag(), -odd.real()), w = roots_[static_cast<size_t>(k)];
      const C sum(even.real() + turned.real() * w.real() - turned.imag() * w.imag(),
                  even.imag() + turned.real() * w.imag() + turned.imag() * w.real());
      to.set(k, conjugated(sum * half, !a_.forward));
    }
  }
  void to_real_halves(const Row& from, const Row& to, C* z, C* space) const {
    const int64_t h = n_ / 2;
    const auto given = [&](int64_t k) {
      const C number = from.get(k);
      return k == 0 || k == h ? C(number.real()) : conjugated(number, a_.forward);
    };
    for (int64_t k = 0; k < h; ++k) {
      const C one = given(k), mirrored = std::conj(given(h - k)),
              w = roots_[static_cast<size_t>(k)];
      const C even = one + mirrored, odd = one - mirrored;
      const C turned(odd.real() * w.real() + odd.imag() * w.imag(),
                     odd.imag() * w.real() - odd.real() * w.imag());
      // even + i * turned, with the parts exchanged for the backward transform
      z[k] = {even.imag() + turned.real(), even.real() - turned.imag()};
    }
    plan_.forward(z, space);
    for (int64_t k = 0; k < h; ++k) {
      to.data[2 * k * to.step] = z[k].imag() * scale_;
      to.data[(2 * k + 1) * to.step] = z[k].real() * scale_;
    }
  }

  const FftAttrs& a_;
  int64_t n_;
  bool halves_;  // computed as complex numbers of half the length
  FourierPlan<T> plan_;
  OpaqueTensor from_, to_;
  std::vector<C> roots_;
  T scale_ = 1;
};

}  // namespace

void FftPairs::kernel(const OpaqueCall& call) {
  if (std::ranges::any_of(call.results[0].sizes, [](int64_t size) { return size == 0; })) return;
  if (call.results[0].dtype == DType::f32) {
    Transform<float>(call).run(call);
  } else {
    Transform<double>(call).run(call);
  }
}

}  // namespace vitro::ops
