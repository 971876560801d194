// Sizes for messages: their values in the running call, without symbols or guards.
#pragma once

#include "sym/data_size.h"
#include "vitro/base/error.h"
#include "vitro/sym/size.h"

namespace vitro {

// A size that data decide never got its number: the op that decides it failed, or belongs to
// another call.
struct NoNumber : Error {
  using Error::Error;
};

// The hint of a data size is only an upper bound, so its value is computed: the call fails in any
// case.
inline int64_t number_of(Size size) {
  return is_by_data(size) ? int64_t{size} : size.hint();
}
inline Sizes numbers_of(const Sizes& sizes) {
  Sizes out = sizes;
  for (Size& s : out) s = Size(number_of(s));
  return out;
}

}  // namespace vitro
