// What can be asked of a compiled function.
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
  bool frozen = false;  // needs fullgraph: once recorded, the function's own code is not run
  bool exact = false;   // only passes that keep every bit; there are no others yet
  // Whether sizes are symbols: from the start, never, or (unset) once they vary.  From the start,
  // sizes that are equal in the first call share a symbol: a call in which they differ is recorded
  // anew.
  std::optional<bool> dynamic = {};
};

namespace capture {

// Ways that one place in a function may go, and sets of inputs it may have, before it runs eagerly.
extern Option<int64_t> recompile_limit;
// Segments compiled for one function, and seconds that takes, before new ones run eagerly.
extern Option<int64_t> compile_limit, compile_seconds;
// Ops in one segment before it is cut.
extern Option<int64_t> segment_limit;
// Ops recorded for one function before further ones run eagerly.
extern Option<int64_t> record_limit;

}  // namespace capture
}  // namespace vitro
