// Compiles captured graphs to kernels: the passes, then the backend.  This is the segment compiler
// of the backend "vitro".
#pragma once

#include <memory>

#include "vitro/capture/segment.h"

namespace vitro::pipeline {

// Threads: any.  `exact`: only passes that preserve every bit of the results.
std::shared_ptr<capture::SegmentCompiler> make_compiler(bool exact = false);

}  // namespace vitro::pipeline
