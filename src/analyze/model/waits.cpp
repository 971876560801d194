#include "analyze/model/waits.h"

#include <algorithm>
#include <array>
#include <string>

#include "vitro/base/lower_case.h"

namespace vitro::analyze {
namespace {

struct Known {
  std::string_view part;  // of a name, in lower case
  WaitKind kind;
};

// The first that a name contains wins.  Python names are those of its profiler: "<built-in method
// acquire of _thread.lock object at …>", "<built-in function sleep>".
constexpr Known known[] = {
    {"enumerate(dataloader)", WaitKind::data},
    {"_try_get_data", WaitKind::data},
    {"method sleep", WaitKind::sleep},
    {"function sleep", WaitKind::sleep},
    {"time.sleep", WaitKind::sleep},
    {"nanosleep", WaitKind::sleep},
    {"method acquire of", WaitKind::lock},
    {"method 'acquire' of", WaitKind::lock},
    {"mutex", WaitKind::lock},
    {"futex", WaitKind::lock},
    {"pthread_cond", WaitKind::lock},
    {"sem_wait", WaitKind::lock},
    {"condition_variable", WaitKind::lock},
    {"method poll of", WaitKind::threads},
    {"method select of", WaitKind::threads},
    {"method recv", WaitKind::threads},
    {"waitpid", WaitKind::threads},
    {"barrier", WaitKind::threads},
    {"async_compile.wait", WaitKind::threads},
    {"thread_join", WaitKind::threads},
};

// Calls that return when the device is done; their asynchronous variants do not.
constexpr std::string_view blocking_calls[] = {"cudaMemcpy",
                                               "hipMemcpy",
                                               "hipMemcpyWithStream",
                                               "cudaMemcpy2D",
                                               "hipMemcpy2D",
                                               "cudaMemset",
                                               "hipMemset",
                                               "cuMemcpyHtoD_v2",
                                               "cuMemcpyDtoH_v2",
                                               "hipMemcpyHtoD",
                                               "hipMemcpyDtoH",
                                               "cudaMemcpyToSymbol",
                                               "cudaMemcpyFromSymbol",
                                               "urEventWait",
                                               "zeFenceHostSynchronize"};

}  // namespace

std::string_view name_of(WaitKind kind) {
  constexpr std::array<std::string_view, 6> names{"nothing", "device",  "data",
                                                  "lock",    "threads", "sleep"};
  return names[static_cast<size_t>(kind)];
}

WaitKind call_wait(std::string_view name) {
  const bool waits = lower_case(name).find("synchroni") != std::string::npos ||
                     std::ranges::find(blocking_calls, name) != std::end(blocking_calls);
  return waits ? WaitKind::device : WaitKind::nothing;
}

WaitKind other_wait(std::string_view name) {
  const std::string small = lower_case(name);
  for (const Known& each : known) {
    if (small.find(each.part) != std::string::npos) return each.kind;
  }
  // Python conditions and events, whose lock may have been acquired before the recording began.
  if (small.find("threading.py(") != std::string::npos && small.ends_with("): wait"))
    return WaitKind::lock;
  return WaitKind::nothing;
}

bool is_blocking_copy(std::string_view name) {
  return name.find("Pageable") != std::string_view::npos ||
         name.find("Host ->") != std::string_view::npos ||
         name.find("-> Host") != std::string_view::npos;
}

Waits::Waits(const Trace& trace, const Classes& classes)
    : classes_(classes), names_(trace.name_ids()) {
  for (const std::string& name : trace.names()) {
    of_calls_.push_back(call_wait(name));
    of_others_.push_back(other_wait(name));
  }
}

}  // namespace vitro::analyze
