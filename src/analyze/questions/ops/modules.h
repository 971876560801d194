// The tree of a model's modules, with the time of devices and of the host in each.
//   for (const ModuleTimes& m : modules(index).value()) print(m.depth, m.name, m.device);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/base/result.h"

namespace vitro::analyze {

class TraceIndex;

// A module at one place of the tree, as GroupBy::module (ops.h) finds it.  Times in nanoseconds.
struct ModuleTimes {
  std::string name;    // "Linear_3"
  uint32_t depth = 0;  // 0: in no other module
  uint64_t calls = 0;  // 0 if only the arguments of ops name modules
  // Summed times of the kernels, copies and fills that were launched in it, but in no module
  // inside: these sum to those of all work.  With those of the modules inside, and the part of that
  // which computes gradients: launched in ops to which an arrow (`fwdbwd`) leads from the module.
  int64_t device_self = 0, device = 0, gradients = 0;
  // The time in which an event of the module, but of no module inside, is the innermost of its
  // thread; with that of the modules inside.
  int64_t host_self = 0, host = 0;
  EventId longest = 0;  // of its calls
};

// Each before those inside; of those in the same, the one that takes most of a device first, or of
// the host.  The last, without a name, is what runs in no module.  Nothing if the file names no
// modules; fails if its text is needed but is gone.
Result<std::vector<ModuleTimes>> modules(const TraceIndex& index);

Answer answer_modules(const TraceIndex& index);

}  // namespace vitro::analyze
