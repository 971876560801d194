// Prints tensors in PyTorch's format, and their sizes and dtypes:
//   const Tensor x = Tensor::from({1.0F, 2.5F}, {2});
//   std::cout << x;                                   // tensor([1.0000, 2.5000])
//   std::cout << x.dtype() << x.sizes();              // f32[2]
// Tensors of more than 1000 elements show the first and last three along each dimension; dtypes
// other than f32, i64 and bool are shown.  Reads elements: a graph break in a compiled function.
#pragma once

#include <iosfwd>
#include <source_location>
#include <string>

#include "vitro/core/tensor.h"

namespace vitro {

std::string text_of(const Tensor& x, std::source_location where = std::source_location::current());

// A tensor to print, and the place in the program that prints it.
struct Printed {
  Printed(const Tensor& x,
          std::source_location from =
              std::source_location::current())  // NOLINT(google-explicit-constructor)
      : tensor(x), where(from) {}
  const Tensor& tensor;
  std::source_location where;
};
std::ostream& operator<<(std::ostream& out, Printed x);
std::ostream& operator<<(std::ostream& out, const Sizes& sizes);
std::ostream& operator<<(std::ostream& out, DType dtype);

}  // namespace vitro
