// What a compiler did, phase by phase, as PyTorch's dynamo_timed and Vitro record it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/timeline.h"
#include "vitro/base/result.h"

namespace vitro::analyze {

struct CompilePhase {
  EventId event = 0;
  std::string_view name;   // "backend_compile"
  std::string compile_id;  // "0/0", of Vitro "mlp/0"; empty where it is not known
  int64_t self = 0;        // nanoseconds without the phases in it
  bool outermost = false;  // no phase lies around it
};

// PyTorch: an op "NAME" around an annotation "NAME_data: …, compile_id=0/0", with an op
// "… (dynamo_timed)" in it that is the same phase; before 2.6 such an op alone.  Vitro: an op with
// the argument "Compile phase of".  `order`: of the work of the host.  By track and begin.
// Fails where the file's text is needed, which is so of Vitro's, and has gone.
Result<std::vector<CompilePhase>> compile_phases(const Trace& trace, const TrackOrder& order);

}  // namespace vitro::analyze
