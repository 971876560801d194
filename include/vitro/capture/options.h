// What can be asked of a compiled function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vitro/base/option.h"

namespace vitro {

struct CompileOptions {
  std::string name = "f";            // in reports, logs and names of kernels
  std::string backend = "inductor";  // one of list_backends()
  bool fullgraph = false;            // a graph break is an Error
  bool frozen = false;  // needs fullgraph: once recorded, the function's own code is not run
  // Only rewrites that keep every bit, so that each op gives what it gives eagerly; without it a
  // few named ones may round otherwise.
  bool exact = false;
  std::optional<bool> dynamic =
      {};  // sizes symbolic: from the start, never, or (unset) once they vary
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
