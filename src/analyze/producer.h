// Which program wrote a trace, and how its users name what it can record.
#pragma once

#include <string>
#include <string_view>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// Whether Vitro wrote the trace.
bool is_from_vitro(const Trace& trace);

// An advice in PyTorch's words ("record with record_shapes=True") in those of what wrote the trace:
// of Vitro "record with --record-shapes (in C++ .record_shapes = true)".
std::string in_words_of_producer(const Trace& trace, std::string_view advice);

}  // namespace vitro::analyze
