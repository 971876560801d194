// Runs the regions of eager (core/region.h) as compiled functions, one for each form of the inputs.
#pragma once

#include "vitro/base/option.h"
#include "vitro/core/region.h"

namespace vitro::pipeline {

// After how many KiB.
extern Option<int64_t> region_kb;

// Threads: any. While one compiles a region, others run it op by op.
void run_in_region(std::string_view name, std::span<const Tensor* const> inputs,
                   FunctionRef<void()> body);

}  // namespace vitro::pipeline
