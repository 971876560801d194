// Where the time went, name by name: the ops of the host, or the kernels of the devices.
//   for (const NameTimes& op : ops(trace)) …        // largest self time first
//   for (const NameTimes& kernel : kernels(trace)) …
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/timeline.h"
#include "vitro/base/result.h"

namespace vitro::analyze {

// What calls of one name are told apart by, beside their class:
//   shape    `Input Dims` of the op; of a kernel those of the op that launched it
//   module   the modules around it, the outermost first: `nn.Module` functions of Python where they
//            were recorded (with_modules and with_stack), else the argument `Module Hierarchy`
//   stack    the functions of Python around it, the outermost first; else the argument `Call stack`
// Of kernels module and stack are those of their launch.  Ops that autograd calls on a thread of
// its own have none.
enum class GroupBy : uint8_t { name, shape, module, stack };
inline constexpr std::array<std::string_view, 4> group_by_words{"name", "shape", "module", "stack"};

// Times in nanoseconds.
struct NameTimes {
  std::string name;
  std::string group;  // by name empty
  std::string kind;   // name_of(EventClass)
  uint64_t calls = 0;
  int64_t total = 0;  // of a call within a call of its like only the outer counts
  int64_t self = 0;   // without what lies inside on the same track; of kernels: total
  // Of ops: the work of devices (kernels, copies, fills) that calls set off, its times summed
  // though it may overlap: by themselves or by a call of the runtime directly in them; by all that
  // lies in them, of a call within a call of its name only the outer.  torch's key_averages calls
  // them Self CUDA and CUDA total.
  int64_t device_self = 0, device_total = 0;
  int64_t least = 0, median = 0, p90 = 0, p99 = 0, most = 0;  // of single calls; nearest rank
  double share = 0;                                           // percent of the self time of all
  EventId longest = 0;                                        // the call that took `most`
};

// Ops, annotations, functions and runtime calls of all threads of the host.
std::vector<NameTimes> ops(const Trace& trace, const Timeline& timeline);
// Kernels, copies and fills of all streams of all devices.  What overlaps on several streams counts
// on each.
std::vector<NameTimes> kernels(const Trace& trace, const Timeline& timeline);
// The same told apart; fail where the file's text is needed and has gone.
Result<std::vector<NameTimes>> ops(const Trace& trace, const Timeline& timeline, GroupBy by);
Result<std::vector<NameTimes>> kernels(const Trace& trace, const Timeline& timeline, GroupBy by);

Answer answer_ops(const Trace& trace, GroupBy by = GroupBy::name);
Answer answer_kernels(const Trace& trace, GroupBy by = GroupBy::name);
// Error where there is no such way.
GroupBy group_by_of(std::string_view text);

}  // namespace vitro::analyze
