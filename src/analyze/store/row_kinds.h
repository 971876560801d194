// The categories of events that have none, by the names of their rows.
#pragma once

#include <string_view>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// What the events of a row are, as its process and thread are named.
enum class RowKind : uint8_t {
  unknown,
  work,     // of a device: kernels, and by name copies and fills
  copies,   // of a device
  ranges,   // spans of a device's work
  calls,    // of a runtime
  threads,  // of a host: by name calls of a runtime, functions of Python, else annotations
};

// Known are the rows that XLA's profiler writes for JAX and TensorFlow ("/device:GPU:0" with a row
// for each stream, "/host:CPU") and those of rocprof ("GPU0", "COPY", "CPU HIP API").
RowKind kind_of(const TrackInfo& row);

// The category in PyTorch's terms; empty if the row is unknown.
std::string_view category_in(RowKind row, std::string_view name);

}  // namespace vitro::analyze
