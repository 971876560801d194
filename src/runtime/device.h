// The device interface: memory, streams, copies, modules, launches, events.  The executable, eager
// and copies of tensors use a device only through it.
//   DeviceRuntime& device = device_runtime(tensor.device());
//   auto module = device.load("kernels.so");
//   device.launch((*module)->kernel("add"), {.buffers = addresses}, {.tasks = n}, nullptr);
// A new device implements DeviceRuntime and calls add_device() once; tests/eager/far_device.h is a
// minimal example.
//
// Work is queued on streams: that of one stream runs in order, that of different streams in any
// order.  Calls may be asynchronous: they return once the work is queued and their arguments have
// been read.  The CPU is synchronous.
// Addresses are the device's: the host does not access them, but may do arithmetic on them.
// Everything is thread-safe.  Errors: Error, from the call or from a later one on the same stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/kernel_args.h"
#include "vitro/base/result.h"
#include "vitro/core/device.h"
#include "vitro/core/dtype.h"
#include "vitro/core/storage.h"
#include "vitro/runtime/parallel.h"

namespace vitro::runtime {

// An ordered queue of work.  A null Stream* means the device's default stream.
class Stream {
 public:
  virtual ~Stream() = default;
};

// A point in a stream, reached when all work queued before record() is complete.
class Event {
 public:
  virtual ~Event() = default;
};

// A kernel of a module.
struct Kernel {
  void* code = nullptr;  // defined by the device; null: no such kernel
};

// Loaded code; its kernels are valid while it lives.
class Module {
 public:
  virtual ~Module() = default;
  virtual Kernel kernel(const std::string& name) const = 0;
  // Load address, for tools that read code from memory (profilers); 0: none.
  virtual uintptr_t address() const { return 0; }
};

// Arguments of a launch.
struct LaunchArgs {
  std::span<void* const> buffers = {};     // device addresses
  std::span<const int64_t> sizes = {};     // values of the symbols
  std::span<const uint64_t> numbers = {};  // bits of doubles, integers and bools
  // Receives the error in the data that the first failing task, in their order, reports, in host
  // memory; the launch is then synchronous.  Null if the kernel reports none.
  kernels::ErrorSlot* error = nullptr;
  uint64_t past_caches = 0;  // bit b: buffer b is written past the caches
};

// The work of a launch.
struct Grid {
  int64_t tasks = 1;    // independent: may run in any order or at the same time
  int64_t grain = 1;    // minimum number of tasks worth a thread: grain()
  int64_t scratch = 0;  // bytes of scratch memory per thread
  int64_t workers = 1;  // number of workers that the tasks were cut for: workers()
};

// One of several launches that may run in any order, or at the same time.
struct IndependentLaunch {
  Kernel kernel;
  LaunchArgs args;
  Grid grid;
};

// A kernel that is a host function rather than device code: runs the tasks in [begin, end).  Its
// buffers must be addresses that the host can access.
using HostKernel = void (*)(const void* context, const LaunchArgs& args, int64_t begin,
                            int64_t end);

// The properties of a matrix product that decide how it is cut into tasks.
struct ProductShape {
  DType right = DType::f32;  // of the right operand
  bool panels = true;        // the right operand is packed; else it is in rows
  bool turns = false;        // the result is written transposed
  bool channels = false;     // sums of single channels
  int64_t m = 0, n = 0, k = 0, batches = 1;
  // Of Winograd's algorithm: tiles of a block, if rows are tiles; rows of a block of gradients of
  // weights, which do not read panels. Rows of a block of windows that are split, in lines of
  // `line` rows.
  int64_t most_rows = 0;
  bool bf16x6 = false;  // by six products of bf16 parts
  int64_t line = 0;
};

// Properties of the device that decisions about kernels depend on; 0: unknown.
struct DeviceTraits {
  std::string_view architecture = {};                // target of modules: "x86_64"
  int64_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0;  // L1, L2: per core; L3: the entire cache
  int threads = 1;                                   // that may run at once
  int64_t lanes = 0;                                 // of a vector in its code
  int64_t least_streamed_bytes = INT64_MAX;          // should_stream() is false for less
  bool bf16_tiles = false;                           // products of f32 by bf16 parts are fast
};

class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;
  virtual Device device() const = 0;
  virtual DeviceTraits traits() const = 0;

  // Freed memory may be reused at once, for work on the same stream as the work that used it, which
  // the new work then follows.
  virtual Allocator& memory() = 0;

  virtual std::unique_ptr<Stream> create_stream() = 0;
  // Blocks until all work on the stream is complete.
  virtual void synchronize(Stream* stream) = 0;

  // Copies from the host, to the host, and within the device.  Host memory must stay valid until
  // the copy has run.
  virtual void copy_in(void* to, const void* from, size_t bytes, Stream* stream) = 0;
  virtual void copy_out(void* to, const void* from, size_t bytes, Stream* stream) = 0;
  virtual void copy(void* to, const void* from, size_t bytes, Stream* stream) = 0;

  // Loads a module.  The file may be deleted once the call returns.
  virtual Result<std::unique_ptr<const Module>> load(const std::string& file) = 0;
  virtual void launch(Kernel kernel, const LaunchArgs& args, const Grid& grid, Stream* stream) = 0;
  // Launches all of them, as one where the device can.
  virtual void launch(std::span<const IndependentLaunch> launches, Stream* stream) {
    for (const IndependentLaunch& one : launches) launch(one.kernel, one.args, one.grid, stream);
  }
  // Launches a host function.  Throws if the host cannot access the device's memory.
  virtual void launch(HostKernel kernel, const void* context, const LaunchArgs& args,
                      const Grid& grid, Stream* stream) = 0;

  virtual std::unique_ptr<Event> create_event() = 0;
  virtual void record(Event& event, Stream* stream) = 0;
  // Work queued on the stream from now on runs after the event.
  virtual void wait(const Event& event, Stream* stream) = 0;
  // Returns the nanoseconds between two events; blocks until both are reached.
  virtual int64_t elapsed_ns(const Event& begin, const Event& end) = 0;

  // How launches are cut into tasks.
  virtual int64_t workers() const = 0;
  virtual int64_t grain(Cost per_task) const = 0;
  virtual int64_t product_tasks(const ProductShape& shape, int64_t workers) const = 0;
  // The number of tasks of the kernel that packs the right operand.
  virtual int64_t pack_tasks(const ProductShape& shape) const = 0;
  // Whether a kernel that moves `moved` bytes should write its result of `written` bytes past the
  // caches.
  virtual bool should_stream(int64_t /*written*/, int64_t /*moved*/) const { return false; }
};

// Returns the runtime of a device.  The CPU's is built in; throws for a device that was not added.
DeviceRuntime& device_runtime(Device device);
// Registers a device and its allocator for the rest of the process; `device` must outlive it.
void add_device(DeviceRuntime& device);

}  // namespace vitro::runtime
