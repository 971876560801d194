// The elements of tensors as bytes of files, in order of their indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vitro/core/tensor.h"
#include "vitro/report/output.h"

namespace vitro::io {

// The bytes of all elements of a tensor of any dtype and layout.  Error if they do not fit in 64
// bits.
int64_t element_bytes(const Tensor& tensor);

// Writes that many bytes.
void write_elements(report::Output& out, const Tensor& tensor);

// The first byte that is neither 0 nor 1, of elements that are to be booleans.
std::optional<size_t> first_odd_boolean(std::span<const std::byte> bytes);

}  // namespace vitro::io
