// Broadcasting of one dimension, for shape rules and functions.
#pragma once

#include <optional>

#include "vitro/sym/size.h"

namespace vitro::ops {

// The size to which both broadcast; none if they differ and neither is 1.  A data size next to a 1
// is kept, even if it turns out to be 1.  Next to another number it must equal it, which is unknown
// (Undecided), or be 1, which is then unknown, too.
std::optional<Size> common_size(Size a, Size b);

}  // namespace vitro::ops
