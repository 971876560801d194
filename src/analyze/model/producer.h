// Which program wrote a trace, and the names of that program's recording options.
#pragma once

#include <string>
#include <string_view>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// Whether Vitro wrote the trace.
bool is_from_vitro(const Trace& trace);

// Translates advice in PyTorch's terms ("record with record_shapes=True") into those of the writer:
// for Vitro "record with --record-shapes (in C++ .record_shapes = true)".
std::string in_words_of_producer(const Trace& trace, std::string_view advice);

}  // namespace vitro::analyze
