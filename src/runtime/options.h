// The switches of this folder.
#pragma once

#include "vitro/base/option.h"

namespace vitro::runtime {

struct Options {
  Option<int64_t> num_threads{"VITRO_NUM_THREADS", 0,
                              "threads of a kernel; 0: as many as the process may run on at once"};
  Option<int64_t> cpu_cache_mb{"VITRO_CPU_CACHE_MB", -1,
                               "freed CPU memory that is kept for the next tensor, in MiB; -1: a "
                               "quarter of the machine's memory"};
};

Options& options();

}  // namespace vitro::runtime
