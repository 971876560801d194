// What the choices of this folder depend on.  Another machine has other numbers; what is chosen by
// them, and the code of the backend, is the same.
#pragma once

#include <cstdint>

#include "runtime/device.h"

namespace vitro::backend {

struct MachineModel {
  int64_t l1_bytes = 32 << 10;  // data cache of one core
  int64_t l2_bytes = 1 << 20;   // of one core
  int64_t l3_bytes = 32 << 20;  // shared
  int threads = 16;             // that kernels are cut for
  // Steps of a chain of dependent operations, two cycles each, above which a core finds too little
  // to do in the turns of a loop that it looks ahead at.
  int overlapped_steps = 60;
  // Plain operations on vectors in the time in which memory moves one, which is its bandwidth as a
  // core sees it.  Measured: 7 with AVX2, 9 with AVX-512 (`operations_N` of vitro_bench moves two
  // vectors for N operations; up to there its time stays the same).
  int operations_of_fetch = 8;
  int64_t lanes = 16;                      // of a vector in generated code
  int64_t least_streamed_bytes = 1 << 20;  // results smaller than this stay in the caches
  // Columns of the panels of a product.
  int64_t panel_columns = 64;

  // Tasks of a kernel that keep all threads busy, where so many for each thread do.
  int64_t enough_tasks(int64_t of_thread) const { return of_thread * threads; }
  // The same where threads share their caches with fewer tasks: one for so many threads.
  int64_t enough_shared_tasks(int64_t threads_of_task) const { return threads / threads_of_task; }
  friend bool operator==(const MachineModel&, const MachineModel&) = default;
};

// A device's.  What it does not tell is as above; kernels are cut for at least sixteen threads, as
// a program may be given more of them later.
MachineModel machine_model_of(const runtime::DeviceTraits& device);
// The CPU's.
const MachineModel& host_machine_model();

}  // namespace vitro::backend
