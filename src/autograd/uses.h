// What the gradient of a call reads of its operands and results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vitro/core/op.h"

namespace vitro::autograd {

enum class Use : uint8_t {
  metadata,  // at most sizes, strides and dtype
  shape,     // passed to ops that use only its shape (zeros_like)
  elements,
};

struct Uses {
  std::vector<Use> operands, results;
  // Of a result; all of its elements if the results are not known.
  Use of_result(size_t k) const { return k < results.size() ? results[k] : Use::elements; }
};

// Without symbols: the values in this run.
Size number_of_size(Size size);
TensorMeta in_numbers(TensorMeta meta);

// Found by running the formula on shapes; computes no elements.
Uses uses_of(const OpCall& call, std::span<const bool> wanted);

// The same, from a table of earlier answers: calls of one op with equal attributes and numbers, and
// operands of equal dtypes, sizes and strides, use the same.  Threads: any.
std::shared_ptr<const Uses> known_uses_of(const OpCall& call, std::span<const bool> wanted);

}  // namespace vitro::autograd
