// Compares tensors element by element in f64, integers as such.  For each dtype: elements(), then
// note() of every pair.
#include "comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "vitro/base/cat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro::cli {
namespace {

// The elements of any real dtype; integers beyond 2^53 are compared as such.
template <class T>
std::vector<T> elements(const Tensor& tensor) {
  return reshape(to(tensor, dtype_of<T>), {-1}).template to_vector<T>();
}

void note(Difference& out, double error, double size, bool is_equal) {
  if (is_equal) return;
  const double infinite = std::numeric_limits<double>::infinity();
  if (std::isnan(error)) error = infinite;
  out.absolute = std::max(out.absolute, error);
  out.relative = std::max(out.relative, size == 0 || error == infinite ? infinite : error / size);
  if (!(error <= out.tolerance.atol + out.tolerance.rtol * size) || error == infinite) ++out.wrong;
}

void compare_integers(const Tensor& got, const Tensor& wanted, Difference& out) {
  const auto a = elements<int64_t>(got), b = elements<int64_t>(wanted);
  for (size_t i = 0; i < a.size(); ++i)
    note(out, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])),
         std::fabs(static_cast<double>(b[i])), a[i] == b[i]);
  // Differences that a double does not show.
  if (out.tolerance.rtol == 0 && out.tolerance.atol == 0) {
    out.wrong = 0;
    for (size_t i = 0; i < a.size(); ++i) out.wrong += a[i] == b[i] ? 0 : 1;
  }
}

void compare_reals(const Tensor& got, const Tensor& wanted, Difference& out) {
  const auto a = elements<double>(got), b = elements<double>(wanted);
  for (size_t i = 0; i < a.size(); ++i) {
    const bool is_nan = std::isnan(a[i]), is_nan_wanted = std::isnan(b[i]);
    out.nans += is_nan ? 1 : 0;
    out.nans_wanted += is_nan_wanted ? 1 : 0;
    note(out, std::fabs(a[i] - b[i]), std::fabs(b[i]), a[i] == b[i] || (is_nan && is_nan_wanted));
  }
}

void compare_pairs(const Tensor& got, const Tensor& wanted, Difference& out) {
  const auto a = elements<double>(got.pairs()), b = elements<double>(wanted.pairs());
  for (size_t i = 0; i + 1 < a.size(); i += 2) {
    const bool is_nan = std::isnan(a[i]) || std::isnan(a[i + 1]);
    const bool is_nan_wanted = std::isnan(b[i]) || std::isnan(b[i + 1]);
    out.nans += is_nan ? 1 : 0;
    out.nans_wanted += is_nan_wanted ? 1 : 0;
    note(out, std::hypot(a[i] - b[i], a[i + 1] - b[i + 1]), std::hypot(b[i], b[i + 1]),
         (a[i] == b[i] && a[i + 1] == b[i + 1]) || (is_nan && is_nan_wanted));
  }
}

bool same_sizes(const Tensor& a, const Tensor& b) {
  if (a.rank() != b.rank()) return false;
  for (int64_t d = 0; d < a.rank(); ++d)
    if (a.size(d).value() != b.size(d).value()) return false;
  return true;
}

}  // namespace

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

Tolerance tolerance_of(DType dtype) {
  if (is_complex(dtype)) return tolerance_of(real_of(dtype));
  switch (dtype) {
    case DType::f16:
      return {1e-3, 1e-5};
    case DType::bf16:
      return {1.6e-2, 1e-5};
    case DType::f32:
      return {1.3e-6, 1e-5};
    case DType::f64:
      return {1e-7, 1e-7};
    default:
      return {};
  }
}

std::string Difference::text() const {
  if (!misfit.empty()) return misfit;
  std::string out =
      cat(wrong, " of ", elements, elements == 1 ? " element" : " elements", " differ, by ",
          short_number(absolute), " at most, relative ", short_number(relative));
  if (nans != 0 || nans_wanted != 0) out += cat("; ", nans, " NaN, wanted ", nans_wanted);
  return out;
}

Difference difference(const Tensor& got, const Tensor& wanted, std::optional<double> rtol,
                      std::optional<double> atol) {
  Difference out;
  out.tolerance = tolerance_of(got.dtype());
  out.tolerance = {rtol.value_or(out.tolerance.rtol), atol.value_or(out.tolerance.atol)};
  const bool is_rounded = got.dtype() == DType::bf16 && wanted.dtype() == DType::f32;
  if ((got.dtype() != wanted.dtype() && !is_rounded) || !same_sizes(got, wanted)) {
    out.misfit = cat("is ", got.dtype(), got.sizes(), ", wanted ", wanted.dtype(), wanted.sizes());
    return out;
  }
  out.elements = got.numel().value();
  if (is_complex(got.dtype())) {
    compare_pairs(got, wanted, out);
  } else if (is_floating(got.dtype())) {
    compare_reals(got, wanted, out);
  } else {
    compare_integers(got, wanted, out);
  }
  return out;
}

}  // namespace vitro::cli
