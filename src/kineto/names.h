// The names in the traces of PyTorch's profiler (Kineto) that Vitro both writes and reads: by these
// the trace reader recognises what a profile meant.  Vitro's additions are marked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitro::kineto {

// "cat" of an event (libkineto, ActivityType.h).
namespace category {
inline constexpr std::string_view op = "cpu_op", annotation = "user_annotation",
                                  instant = "cpu_instant_event";
// Vitro's: the share of a thread in a kernel, a stretch of a compiled function that runs op by op,
// and a phase of a compilation.
inline constexpr std::string_view share = "cpu_work", eager_region = "eager_region",
                                  compile_phase = "compile_phase";
}  // namespace category

// "name" of an instant: an allocation or a free.
inline constexpr std::string_view memory_event = "[memory]";

// Members of "args".
namespace argument {
inline constexpr std::string_view external_id = "External id";
// Of ops.
inline constexpr std::string_view input_dims = "Input Dims", input_type = "Input type",
                                  input_strides = "Input Strides",
                                  concrete_inputs = "Concrete Inputs";
// Of memory events.
inline constexpr std::string_view bytes = "Bytes", address = "Addr", device_type = "Device Type",
                                  device_id = "Device Id", total_allocated = "Total Allocated",
                                  total_reserved = "Total Reserved";
// Of compile phases (Vitro's): the region compiled.
inline constexpr std::string_view compile_phase_of = "Compile phase of";
}  // namespace argument

// Names of arrows: from a launch to device work, from an op to its gradient, and from a kernel to
// its shares (Vitro's).
namespace arrow {
inline constexpr std::string_view device = "ac2g", backward = "fwdbwd", launch = "launch";
}

// Steps are annotations named ProfilerStep#N.
inline constexpr std::string_view step_prefix = "ProfilerStep#";
std::string step_name(int64_t number);
// The number of such a name; -1 for other names.
int64_t step_number(std::string_view name);

}  // namespace vitro::kineto
