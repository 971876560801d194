// Sizes that data decide, such as the number of elements that a mask selects.
#pragma once

#include "vitro/sym/size.h"

namespace vitro {

// Whether a size contains one that data decide.
inline bool is_by_data(Size size) {
  return size.is_symbolic() && sym::is_data(size.expr());
}

}  // namespace vitro
