// Options of compile(), and limits on capture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vitro/base/option.h"

namespace vitro {

struct CompileOptions {
  std::string name = "f";         // in reports, logs and names of kernels
  std::string backend = "vitro";  // one of list_backends(); "inductor" is an alias of "vitro"
  bool fullgraph = false;         // a graph break is an Error
  bool frozen = false;  // needs fullgraph; after recording, the function's own code does not run
  bool exact = false;   // keep the bits of eager: docs/behaviour.md lists what is then off
  // Whether sizes are symbols: always, never, or (unset) once they vary.  If always, sizes that are
  // equal in the first call share a symbol; a call in which they differ is recorded again.
  std::optional<bool> dynamic = {};
  // If gradients are computed after the call: what is kept for them, as a share of what is kept at
  // 1, from 0 to 1.  At 1 what elementwise ops give is computed again where that takes less memory;
  // below, sums and products are, too.  PyTorch's activation_memory_budget.
  double memory_budget = 1;
  // Segments are compiled on another thread, unless they are in the cache of kernels.  Until one is
  // ready, calls run its ops one by one, with the results of eager.  Segments in which sizes depend
  // on data are compiled by the call.
  bool asynchronous = false;
};

namespace capture {

// Recorded ways to go on from one place of a function, and recorded sets of inputs, before it falls
// back to eager.
extern Option<int64_t> recompile_limit;
// Segments compiled for one function, and the seconds spent on it, before new ones run eagerly.
extern Option<int64_t> compile_limit, compile_seconds;
// Ops in one segment before it is cut.
extern Option<int64_t> segment_limit;
// Ops recorded for one function before new ones run eagerly.
extern Option<int64_t> record_limit;

}  // namespace capture
}  // namespace vitro
