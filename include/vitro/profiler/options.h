// What a profiler is asked for.
//   Profiler profiler({.record_shapes = true, .schedule = schedule({.wait = 1, .active = 3}),
//                      .on_trace_ready = trace_handler("log")});
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "vitro/core/device.h"
#include "vitro/profiler/schedule.h"

namespace vitro {

class Profiler;

// The kinds of devices whose doings can be recorded in this process.
std::vector<Device::Kind> supported_activities();

using TraceReady = std::function<void(const Profiler& profiler)>;

struct ProfilerOptions {
  bool record_shapes = false;   // what ops are given: dtypes, sizes, strides, numbers
  bool with_stack = false;      // where in the program ops, ranges, kernels and allocations are
  bool with_modules = false;    // in which module ops are
  bool with_flops = false;      // the floating-point operations of ops
  bool with_tensors = false;    // which tensors ops are given and what they give, for execution
                                // traces; with record_shapes
  bool profile_memory = false;  // allocations and frees in the trace and in the table
  size_t max_bytes = 0;  // of event buffers, 0: no limit.  What does not fit is counted; table and
                         // trace say so

  std::vector<Device::Kind> activities = {Device::Kind::cpu};  // Error where not supported
  Schedule schedule = {};          // what is recorded of the steps; empty: everything
  TraceReady on_trace_ready = {};  // called where a cycle ends, with what it recorded
  bool acc_events = false;         // keep the events of earlier cycles; else each cycle
                                   // begins empty, and the table's last line says so
  bool start_at_once = true;       // false: nothing is recorded before start()
};

struct TraceHandlerOptions {
  std::string worker_name = {};  // empty: host, process and rank
  bool use_gzip = false;
};
// For on_trace_ready: writes FOLDER/WORKER.TIME.pt.trace.json(.gz), the name that TensorBoard and
// HTA look for: a file for each rank and cycle.  Makes the folder.
TraceReady trace_handler(std::string folder, TraceHandlerOptions options = {});

}  // namespace vitro
