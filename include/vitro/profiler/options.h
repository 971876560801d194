// The options of a profiler.
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

// The kinds of devices whose activity can be recorded in this process.
std::vector<Device::Kind> supported_activities();

using TraceReady = std::function<void(const Profiler& profiler)>;

struct ProfilerOptions {
  bool record_shapes = false;  // the inputs of ops: dtypes, sizes, strides, numbers
  bool with_stack = false;     // the program's stacks at ops, ranges, kernels and allocations
  bool with_modules = false;   // the modules of ops
  bool with_flops = false;     // floating-point operations of ops
  // The input and output tensors of ops, for execution traces; with record_shapes.
  bool with_tensors = false;
  bool profile_memory = false;  // allocations and frees in the trace and in the table
  // Limit of event buffers, 0: none.  Events that do not fit are counted; table and trace report
  // it.
  size_t max_bytes = 0;

  std::vector<Device::Kind> activities = {Device::Kind::cpu};  // Error if not supported
  Schedule schedule = {};          // which steps are recorded; empty: everything
  TraceReady on_trace_ready = {};  // called at the end of a cycle, with its recording
  bool acc_events = false;         // keep the events of earlier cycles; else each cycle
                                   // begins empty, and the table's last line says so
  bool start_at_once = true;       // false: recording begins with start()
};

struct TraceHandlerOptions {
  std::string worker_name = {};  // empty: host, process and rank
  bool use_gzip = false;
};
// For on_trace_ready: writes FOLDER/WORKER.TIME.pt.trace.json(.gz), the name that TensorBoard and
// HTA look for: a file per rank and cycle.  Creates the folder.
TraceReady trace_handler(std::string folder, TraceHandlerOptions options = {});

}  // namespace vitro
