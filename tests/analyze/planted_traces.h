// Traces of training steps with one planted cause of lost time, as PyTorch's profiler writes them
// on NVIDIA and AMD devices.  A simulation of a host that launches and of streams that work makes
// them, so what the cause costs is known: the same program is simulated without it.
//   const PlantedTrace planted = plant(PlantedCause::data, 0.3, Vendor::amd);
//   planted.json, planted.cost
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vitro::analyze {

enum class Vendor : uint8_t { nvidia, amd };
// Inference has no steps of the profiler, backward pass, communication and optimizer.
enum class Program : uint8_t { training, inference };

enum class PlantedCause : uint8_t {
  data,           // the data loader is slow
  item,           // values are read in the loop, after small reductions
  pageable,       // batches are copied from unpinned memory
  launch_bound,   // many small kernels
  full_queue,     // none: the device is busy, and its queue full
  slow_kernel,    // one kernel takes most of the time
  f32,            // products without tensor cores
  attention,      // products, softmax and dropout instead of one kernel
  optimizer,      // a few kernels for each parameter
  recompilation,  // in every second step
  communication,  // gradients are reduced after the backward pass, not during it
  straggler,      // one step is long: the host does something that is not recorded
  sleep,
  lock,
  allocator,  // memory is returned and allocated again
  few_blocks  // a kernel with fewer blocks than multiprocessors
};
inline constexpr size_t planted_causes = 16;
std::string_view name_of(PlantedCause cause);

struct PlantedTrace {
  std::string json, without;  // the same program with and without the cause
  int64_t length = 0;         // of the measured steps, in nanoseconds
  int64_t cost = 0;           // how much shorter they are without the cause
};

// `strength`: about the share of the steps that the cause takes.  Another cause is planted with a
// quarter of it, with both programs that are compared.
PlantedTrace plant(PlantedCause cause, double strength, Vendor vendor,
                   Program program = Program::training);
// Without a planted cause.
std::string healthy_trace(Vendor vendor, Program program = Program::training);

}  // namespace vitro::analyze
