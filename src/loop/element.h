// Elements as the host computes them one by one: what kernels do, said in plain C++.  Constants are
// folded with it, and kernels are interpreted with it (loop/interpret.h).
#pragma once

#include <cstdint>

#include "loop/function.h"
#include "vitro/core/dtype.h"

namespace vitro::loop {

// Of a floating dtype `real`, rounded to it; else `integer`, cut to it (bool: 0 or 1).
union Element {
  int64_t integer = 0;
  double real;
};

// A number of that dtype: rounded to nearest (f16 and bf16 by way of f32), or wrapped.
Element element_of(DType dtype, double value);
Element element_of(DType dtype, int64_t value);
// As kernels convert (kernels/convert.h): towards zero, the smallest number where it does not fit,
// by way of i32 below 64 bits.
Element converted(Element x, DType from, DType to);

// A function of numbers that have one dtype (but for the condition of `select`).  Elementary
// functions are those of the C++ library, rounded to the dtype: within the bounds of
// core/functions.h, but not bit by bit what kernels give.  No leaf, and none that moves lanes.
Element apply(Fn fn, DType dtype, const Element* operands);

Element load(const void* from, int64_t element, DType dtype);
void store(void* to, int64_t element, DType dtype, Element x);

}  // namespace vitro::loop
