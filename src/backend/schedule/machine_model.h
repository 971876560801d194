// The parameters of the decisions in this folder. Another machine has other numbers; the decision
// rules and the code of the backend stay the same.
#pragma once

#include <cstdint>

#include "runtime/device.h"

namespace vitro::backend {

struct MachineModel {
  int64_t l1_bytes = 32 << 10;  // data cache of one core
  int64_t l2_bytes = 1 << 20;   // of one core
  int64_t l3_bytes = 32 << 20;  // shared
  int threads = 16;             // that kernels are cut for
  // Length of a chain of dependent operations, in steps of two cycles, above which out-of-order
  // execution cannot overlap enough iterations.
  int overlapped_steps = 60;
  // Plain vector operations in the time in which memory transfers one vector at the bandwidth of
  // one core. Measured: 7 with AVX2, 9 with AVX-512 (`operations_N` of vitro_bench moves two
  // vectors for N operations; up to this N its time is constant).
  int operations_of_fetch = 8;
  int64_t lanes = 16;                      // of a vector in generated code
  int64_t least_streamed_bytes = 1 << 20;  // smaller results stay in the caches
  bool bf16_tiles = false;  // multiplies bf16 by tiles: products of f32 by parts are fast
  // Columns of the panels of a product.
  int64_t panel_columns = 64;

  // Number of tasks that keeps all threads busy, with `of_thread` tasks for each.
  int64_t enough_tasks(int64_t of_thread) const { return of_thread * threads; }
  // The same if tasks are so large that fewer of them already fill the shared caches: one for
  // `threads_of_task` threads.
  int64_t enough_shared_tasks(int64_t threads_of_task) const { return threads / threads_of_task; }
  friend bool operator==(const MachineModel&, const MachineModel&) = default;
};

// The model of a device. Traits that it does not have keep the defaults above; kernels are cut for
// at least sixteen threads, because a program may get more of them later.
MachineModel machine_model_of(const runtime::DeviceTraits& device);
// The model of the CPU.
const MachineModel& host_machine_model();

}  // namespace vitro::backend
