// Elements computed one by one on the host: the semantics of kernels in plain C++. Used for
// constant folding and by the interpreter of kernels (loop/interpret.h).
#pragma once

#include <cstdint>

#include "loop/function.h"
#include "vitro/core/dtype.h"

namespace vitro::loop {

// `real`, rounded to its dtype, if that is floating; else `integer`, wrapped to it (bool: 0 or 1).
union Element {
  int64_t integer = 0;
  double real;
};

// A number converted to the dtype: rounded to nearest (f16 and bf16 through f32), or wrapped.
Element element_of(DType dtype, double value);
Element element_of(DType dtype, int64_t value);
// Converts as kernels do (kernels/convert.h): towards zero, the smallest number if it does not fit,
// through i32 below 64 bits.
Element converted(Element x, DType from, DType to);

// A function of elements of one dtype (except the condition of `select`). Elementary functions are
// those of the C++ library, rounded to the dtype: within the bounds of core/functions.h, but not
// bit-identical to kernels. `fn` is not a leaf and does not move lanes.
Element apply(Fn fn, DType dtype, const Element* operands);

Element load(const void* from, int64_t element, DType dtype);
void store(void* to, int64_t element, DType dtype, Element x);

}  // namespace vitro::loop
