// Compares tensors as torch.testing.assert_close does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vitro/core/tensor.h"

namespace vitro::cli {

// |got - wanted| <= atol + rtol * |wanted|
struct Tolerance {
  double rtol = 0, atol = 0;
};
// assert_close's for that dtype.
Tolerance tolerance_of(DType dtype);

struct Difference {
  std::string misfit;  // other dtypes or sizes, which makes the rest empty
  int64_t elements = 0, wrong = 0;
  int64_t nans = 0, nans_wanted = 0;  // elements
  double absolute = 0, relative = 0;  // the largest; infinite if only one is NaN
  Tolerance tolerance;
  bool is_same() const { return misfit.empty() && wrong == 0; }
  // "5 of 24 elements differ, by 0.25 at most, relative 0.5"
  std::string text() const;
};

// The tolerance is the dtype's, as far as not given.  NaN is equal to NaN.  bf16 may be compared
// with f32, as NumPy has no bf16.
Difference difference(const Tensor& got, const Tensor& wanted, std::optional<double> rtol = {},
                      std::optional<double> atol = {});

// Three significant digits: "1.19e-07".
std::string short_number(double x);

}  // namespace vitro::cli
