// What a device does for those above: memory, streams, copies, modules, launches, events.  The
// executable, eager and copies of tensors know no more of it.
//   DeviceRuntime& device = device_runtime(tensor.device());
//   auto module = device.load("kernels.so");
//   device.launch((*module)->kernel("add"), {.buffers = addresses}, {.tasks = n}, nullptr);
// A new device implements DeviceRuntime and calls add_device() once; tests/eager/far_device.h is
// one of few lines.
//
// Work is put on a stream: that of one stream runs in the order in which it was put there, that of
// several in any.  A device may run it later: calls return when the work is queued, and what they
// were given has been read.  The CPU has done it when they return.
// Addresses are the device's: the host neither reads nor writes there, but it may add bytes to one.
// Threads: any, everything.  Errors: Error, from the call or from a later one on the same stream.
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

// An order of work.  Where a call takes one, null is the device's own.
class Stream {
 public:
  virtual ~Stream() = default;
};

// A moment in a stream: when all that was put there before record() is done.
class Event {
 public:
  virtual ~Event() = default;
};

// A kernel of a module.
struct Kernel {
  void* code = nullptr;  // the device's; null: there is none
};

// Loaded code; its kernels are good as long as it lives.
class Module {
 public:
  virtual ~Module() = default;
  virtual Kernel kernel(const std::string& name) const = 0;
  // Where it lies for those who read code from memory (profilers); 0: nowhere.
  virtual uintptr_t address() const { return 0; }
};

// What a kernel is given.
struct LaunchArgs {
  std::span<void* const> buffers = {};     // addresses of the device
  std::span<const int64_t> sizes = {};     // values of the symbols
  std::span<const uint64_t> numbers = {};  // bits of doubles, whole numbers and bools
  // Where mistakes in the data go, in memory of the host; the work is done when the call returns.
  // Null: the kernel finds none.
  kernels::ErrorSlot* error = nullptr;
  uint64_t past_caches = 0;  // bit b: buffer b is written past the caches
};

// How much there is to do.
struct Grid {
  int64_t tasks = 1;    // in any order, at once or not
  int64_t grain = 1;    // tasks that are worth a thread of their own: grain()
  int64_t scratch = 0;  // bytes of memory that each thread gets
  int64_t workers = 1;  // that the tasks were cut for: workers()
};

// A kernel that the host has no code of the device for: runs tasks begin to before end.  Its
// buffers are addresses that the host may use.
using HostKernel = void (*)(const void* context, const LaunchArgs& args, int64_t begin,
                            int64_t end);

// A matrix product as kernels cut it into tasks.
struct ProductShape {
  DType right = DType::f32;  // of the right operand
  bool panels = true;        // which is packed; else it lies in rows
  bool turns = false;        // the result is written turned over
  int64_t m = 0, n = 0, k = 0, batches = 1;
};

// What choices about kernels depend on; 0: unknown.
struct DeviceTraits {
  std::string_view architecture = {};                // that modules are made for: "x86_64"
  int64_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0;  // of one core; the shared cache whole
  int threads = 1;                                   // that may work at once
  int64_t lanes = 0;                                 // of a vector in code for it
  int64_t least_streamed_bytes = INT64_MAX;          // smaller results are never should_stream()
};

class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;
  virtual Device device() const = 0;
  virtual DeviceTraits traits() const = 0;

  // Memory that is freed may be given out at once: for work on the stream of who freed it, which
  // comes after what still uses it there.
  virtual Allocator& memory() = 0;

  virtual std::unique_ptr<Stream> create_stream() = 0;
  // Returns when all that was put there is done.
  virtual void synchronize(Stream* stream) = 0;

  // From and to memory of the host, which must stay until the stream has come so far; within memory
  // of this device.
  virtual void copy_in(void* to, const void* from, size_t bytes, Stream* stream) = 0;
  virtual void copy_out(void* to, const void* from, size_t bytes, Stream* stream) = 0;
  virtual void copy(void* to, const void* from, size_t bytes, Stream* stream) = 0;

  // Of a file that may go as soon as the call returns.
  virtual Result<std::unique_ptr<const Module>> load(const std::string& file) = 0;
  virtual void launch(Kernel kernel, const LaunchArgs& args, const Grid& grid, Stream* stream) = 0;
  // The same of a function of the host, where it can use the device's memory; Error elsewhere.
  virtual void launch(HostKernel kernel, const void* context, const LaunchArgs& args,
                      const Grid& grid, Stream* stream) = 0;

  virtual std::unique_ptr<Event> create_event() = 0;
  virtual void record(Event& event, Stream* stream) = 0;
  // What is put on the stream from now on runs after the event.
  virtual void wait(const Event& event, Stream* stream) = 0;
  // Nanoseconds from one event to the other; waits until both are there.
  virtual int64_t elapsed_ns(const Event& begin, const Event& end) = 0;

  // How launches are cut.
  virtual int64_t workers() const = 0;
  virtual int64_t grain(Cost per_task) const = 0;
  virtual int64_t product_tasks(const ProductShape& shape, int64_t workers) const = 0;
  // Of the kernel that packs the right operand.
  virtual int64_t pack_tasks(const ProductShape& shape) const = 0;
  // Whether a result of so many bytes is written past the caches by a kernel that moves `moved`.
  virtual bool should_stream(int64_t /*written*/, int64_t /*moved*/) const { return false; }
};

// Who runs a device.  The CPU is there from the start; Error for one that nobody has added.
DeviceRuntime& device_runtime(Device device);
// For as long as the process runs; gives core its memory, too.
void add_device(DeviceRuntime& device);

}  // namespace vitro::runtime
