// Prefill and decode of a language model that is served.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

class TraceIndex;

enum class ServingPhase : uint8_t { prefill, decode, both, unknown };

struct ServingStep {
  ServingPhase phase = ServingPhase::unknown;
  int64_t tokens = 0;  // 0: not in the name
};
// What the name of an annotation says, as servers write it; nothing if it is not a step of one:
//   SGLang  step[EXTEND bs=15 toks=15360], step[DECODE bs=32], step[MIXED …]
//   vLLM    execute_8192_context_9(…)_generation_37(…): sequences in prefill and in decode
std::optional<ServingStep> serving_step(std::string_view annotation);

// A row for each phase: its steps, tokens, the time of its annotations, and the device work
// launched in them; the last row is the work launched in no such step.  The rows' work sums to that
// of all. Of servers' traces without such annotations, one row: the file does not say which phase
// it is. No rows for other traces.
AnswerTable phases_table(const TraceIndex& index);

}  // namespace vitro::analyze
