// The options of this folder.
#pragma once

#include "vitro/base/option.h"

namespace vitro::runtime {

inline Option<int64_t> thread_count{
    "VITRO_NUM_THREADS", 0,
    "maximum number of threads of a kernel; 0: all hardware threads available to the process", 0};
inline Option<int64_t> cpu_cache_mb{
    "VITRO_CPU_CACHE_MB", -1,
    "MiB of freed CPU memory kept for the next tensor; -1: a quarter of what the process may use",
    -1};
inline Option<int64_t> stream_mb{"VITRO_STREAM_MB", -1,
                                 "kernels that move at least this many MiB write their results "
                                 "past the caches; -1: 1.5 times the last-level cache",
                                 -1};

}  // namespace vitro::runtime
