// Captured graphs to running kernels: the passes, then the back end.  This is the runner of backend
// "vitro".
#pragma once

#include <memory>

#include "vitro/capture/segment.h"

namespace vitro::pipeline {

// Threads: any.  `exact`: no pass that changes a bit of a result.
std::shared_ptr<capture::SegmentRunner> make_runner(bool exact = false);

}  // namespace vitro::pipeline
