// The phases of a compiler, as recorded by PyTorch's dynamo_timed and by Vitro.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/trace.h"
#include "vitro/base/result.h"

namespace vitro::analyze {

class TraceIndex;

struct CompilePhase {
  EventId event = 0;
  std::string_view name;   // "backend_compile"
  std::string compile_id;  // "0/0", for Vitro "mlp/0"; empty if unknown
  int64_t self = 0;        // nanoseconds without nested phases
  bool outermost = false;  // not nested in another phase
};

// PyTorch: an op "NAME" around an annotation "NAME_data: …, compile_id=0/0", with a nested op
// "… (dynamo_timed)" for the same phase; before 2.6 that op alone.  Vitro: an op with the argument
// "Compile phase of".   Sorted by track and begin.  Fails if the file's text
// is needed (for Vitro's traces) but is gone.
Result<std::vector<CompilePhase>> compile_phases_of(const TraceIndex& index);

}  // namespace vitro::analyze
