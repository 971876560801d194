// Where the time went, by name: the ops of the host, or the kernels of the devices.
//   for (const NameTimes& op : ops(index)) …        // largest self time first
//   for (const NameTimes& kernel : kernels(index)) …
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/model/timeline.h"
#include "vitro/analyze/answer.h"
#include "vitro/base/result.h"

namespace vitro::analyze {

class TraceIndex;

// How calls of one name are separated, besides by class:
//   shape    `Input Dims` of the op; for a kernel those of the op that launched it
//   module   the modules around it, the outermost first: Python `nn.Module` functions if they were
//            recorded (with_modules and with_stack), else the argument `Module Hierarchy`
//   stack    the Python functions around it, the outermost first; else the argument `Call stack`
// For kernels, module and stack are those of their launch, or of what was captured (captures.h).
// Ops that autograd calls on its own thread have neither.
enum class GroupBy : uint8_t { name, shape, module, stack };
inline constexpr std::array<std::string_view, 4> group_by_words{"name", "shape", "module", "stack"};

// Times in nanoseconds.
struct NameTimes {
  std::string name;
  std::string group;  // empty if only by name
  std::string kind;   // name_of(EventClass)
  uint64_t calls = 0;
  int64_t total = 0;  // of nested calls of the same name only the outer counts
  int64_t self = 0;   // without events nested on the same track; for kernels: total
  // For ops: the summed times of device work (kernels, copies, fills; it may overlap) launched by
  // the calls: directly or by a runtime call directly inside them; by anything inside them,
  // counting only the outer of nested calls of one name.  torch's key_averages calls these Self
  // CUDA and CUDA total.
  int64_t device_self = 0, device_total = 0;
  int64_t least = 0, median = 0, p90 = 0, p99 = 0, most = 0;  // of single calls; nearest rank
  double share = 0;                                           // percent of the total self time
  EventId longest = 0;                                        // the call that took `most`
};

// Ops, annotations, functions and runtime calls of all host threads.
std::vector<NameTimes> ops(const TraceIndex& index);
// Kernels, copies and fills of all streams of all devices.  Overlapping work counts on each stream.
std::vector<NameTimes> kernels(const TraceIndex& index);
// The same, separated by group; fail if the file's text is needed but is gone.
Result<std::vector<NameTimes>> ops(const TraceIndex& index, GroupBy by);
Result<std::vector<NameTimes>> kernels(const TraceIndex& index, GroupBy by);

Answer answer_ops(const TraceIndex& index, GroupBy by = GroupBy::name);
Answer answer_kernels(const TraceIndex& index, GroupBy by = GroupBy::name);
// Throws Error if there is no such grouping.
GroupBy group_by_of(std::string_view text);

}  // namespace vitro::analyze
