// The table of event categories, with the class of each; every analysis asks Classes instead of
// comparing category names.
#include "analyze/model/classes.h"

#include <algorithm>
#include <array>
#include <string>

#include "kineto/names.h"
#include "vitro/base/lower_case.h"

namespace vitro::analyze {
namespace {

struct Known {
  std::string_view category;
  EventClass which;
};

// Kineto's activity types (libkineto ActivityType.h), spellings of older files, those of rocprofv3
// (hip_api, kernel_dispatch, …), and additions of Vitro's traces (eager_region, cpu_work,
// compile_phase); matched case-insensitively.
constexpr Known known[] = {
    {kineto::category::op, EventClass::op},
    {"operator", EventClass::op},
    {kineto::category::annotation, EventClass::annotation},
    {kineto::category::eager_region, EventClass::annotation},
    {kineto::category::share, EventClass::share},
    {kineto::category::compile_phase, EventClass::phase},
    {"python_function", EventClass::python},
    {"cuda_runtime", EventClass::runtime},
    {"hip_api", EventClass::runtime},
    {"hsa_api", EventClass::runtime},
    {"kernel_dispatch", EventClass::kernel},
    {"memory_copy", EventClass::copy},
    {"marker_api", EventClass::annotation},
    {"cuda_driver", EventClass::runtime},
    {"runtime", EventClass::runtime},
    {"xpu_runtime", EventClass::runtime},
    {"xpu_driver", EventClass::runtime},
    {"mtia_runtime", EventClass::runtime},
    {"glow_runtime", EventClass::runtime},
    {"privateuse1_runtime", EventClass::runtime},
    {"privateuse1_driver", EventClass::runtime},
    {"overhead", EventClass::overhead},
    {"kernel", EventClass::kernel},
    {"mtia_ccp_events", EventClass::kernel},
    {"hpu_op", EventClass::kernel},
    {"collective_comm", EventClass::kernel},
    {"gpu_memcpy", EventClass::copy},
    {"memcpy", EventClass::copy},
    {"gpu_memset", EventClass::set},
    {"memset", EventClass::set},
    {"gpu_user_annotation", EventClass::device_range},
    {"mtia_insight", EventClass::device_range},
    {"cuda_profiler_range", EventClass::device_range},
    {"xpu_scope_profiler", EventClass::device_range},
    {"cuda_sync", EventClass::sync},
    {"xpu_sync", EventClass::sync},
    {"cuda_event", EventClass::sync},
    {kineto::category::instant, EventClass::instant},
    {"mtia_counters", EventClass::counter},
    {"hardware_counters", EventClass::counter},
    {"trace", EventClass::metadata},
};

}  // namespace

std::string_view name_of(EventClass which) {
  constexpr std::array<std::string_view, 17> names{
      "other",   "op",   "annotation", "python",       "runtime", "overhead",
      "kernel",  "copy", "set",        "device range", "sync",    "instant",
      "counter", "flow", "metadata",   "share",        "phase"};
  return names[static_cast<size_t>(which)];
}

EventClass class_of(std::string_view category, char phase) {
  if (is_arrow(phase)) return EventClass::flow;
  switch (phase) {
    case 'M':
      return EventClass::metadata;
    case 'C':
      return EventClass::counter;
    case 'i':
    case 'I':
    case 'n':
      return EventClass::instant;
    default:
      break;
  }
  const auto found = std::ranges::find(known, lower_case(category), &Known::category);
  return found == std::end(known) ? EventClass::other : found->which;
}

Classes::Classes(const Trace& trace) : phases_(trace.phases()), categories_(trace.category_ids()) {
  for (const std::string& category : trace.categories())
    by_category_.push_back(class_of(category, 'X'));
  for (size_t phase = 0; phase < by_phase_.size(); ++phase)
    by_phase_[phase] = class_of({}, static_cast<char>(phase));
}

// Besides the libraries' own names, those of collectives that serving systems and symmetric memory
// bring along: vllm::cross_device_reduce, two_shot_all_reduce, deep_ep::dispatch, nvshmem….
bool is_communication(std::string_view kernel_name) {
  const std::string name = lower_case(kernel_name);
  constexpr std::string_view parts[] = {"allreduce",           "all_reduce",    "allgather",
                                        "all_gather",          "reducescatter", "alltoall",
                                        "reduce_scatter",      "nvshmem",       "all_to_all",
                                        "cross_device_reduce", "deep_ep::",     "mscclpp"};
  if (std::ranges::any_of(parts, [&](std::string_view p) { return name.find(p) != name.npos; }))
    return true;
  for (const std::string_view library : {"nccl", "rccl", "hccl", "oneccl", "mccl"}) {
    if (name.starts_with(library) ||
        name.find(std::string(library) + "kernel") != std::string::npos ||
        name.find(std::string(library) + "devkernel") != std::string::npos)
      return true;
  }
  return false;
}

}  // namespace vitro::analyze
