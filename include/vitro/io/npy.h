// Reads and writes NumPy's files: one array (.npy), or named arrays in a zip archive (.npz).
//   Result<Tensor> x = io::read_npy("x.npy");
//   if (!x) return x.failure();
//   io::write_npz("both.npz", {{"x", *x}, {"y", relu(*x)}});
// Of NumPy's dtypes there are float16 to float64, int8 to int64, uint8, bool and both complex ones,
// in either byte order.  Arrays of Python objects are refused: nothing in a file is executed.
#pragma once

#include <string>
#include <vector>

#include "vitro/base/result.h"
#include "vitro/core/named_tensor.h"
#include "vitro/core/tensor.h"

namespace vitro::io {

using vitro::NamedTensor;

// The array of a file.  Its elements are those of the file, mapped without a copy if this machine
// can use them in place; they may be written to, and the file does not change.  An array in
// Fortran's order has strides of that order.  The file must not be truncated by others as long as
// the tensor exists.  A Failure names the file and what to do.
Result<Tensor> read_npy(const std::string& path);

// The arrays of numpy.savez or numpy.savez_compressed, in the order of the file, without the ".npy"
// of their names.
Result<std::vector<NamedTensor>> read_npz(const std::string& path);

// Write files that appear complete or not at all, and that numpy.load reads: any layout, in C's
// order.  Throw Error for bf16, which NumPy does not have (convert it: to(x, DType::f32)), if a
// name is not one of an archive or is used twice, or if the file cannot be written.
void write_npy(const std::string& path, const Tensor& tensor);
// The arrays are not compressed, and aligned so that read_npz maps them.
void write_npz(const std::string& path, const std::vector<NamedTensor>& tensors);

}  // namespace vitro::io
