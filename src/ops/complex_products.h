// Products of complex elements.
#pragma once

#include "ops/complex_parts.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scan.h"

namespace vitro::ops {

// prod and cumprod of parts in f64.
Parts product_of(const Parts& z, const ReduceAttrs& attrs);
Parts cumulative_product_of(const Parts& z, const ScanAttrs& attrs);

}  // namespace vitro::ops
