// Sizes as messages say them: the numbers of the call that is running, without symbols or guards.
#pragma once

#include "vitro/sym/size.h"

namespace vitro {

// The hint of a size that data decide is what it is at most; the number is asked, as the program
// that the message is for ends here.
inline int64_t number_of(Size size) {
  const bool asks = size.is_symbolic() && sym::is_data(size.expr());
  return asks ? int64_t{size} : size.hint();
}
inline Sizes numbers_of(const Sizes& sizes) {
  Sizes out = sizes;
  for (Size& s : out) s = Size(number_of(s));
  return out;
}

}  // namespace vitro
