// The CPU as a DeviceRuntime: memory comes from cpu_allocator(), modules are shared objects, a
// launch is a parallel_for over the tasks, and streams do nothing because calls are synchronous.
#include "runtime/cpu/cpu_device.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>

#include "kernels/machine.h"
#include "kernels/matmul_table.h"
#include "runtime/arena.h"
#include "runtime/cpu/allocator.h"
#include "runtime/cpu/machine.h"
#include "vitro/base/error.h"

namespace vitro::runtime {
namespace {

// A loaded shared object; it holds no file descriptor.
class SharedObject final : public Module {
 public:
  explicit SharedObject(void* handle) : handle_(handle) {}
  SharedObject(const SharedObject&) = delete;
  ~SharedObject() override { dlclose(handle_); }
  Kernel kernel(const std::string& name) const override { return {dlsym(handle_, name.c_str())}; }
  uintptr_t address() const override {
    link_map* loaded = nullptr;
    return dlinfo(handle_, RTLD_DI_LINKMAP, &loaded) == 0 ? loaded->l_addr : 0;
  }

 private:
  void* handle_;
};

constexpr int64_t vector_lanes = 16;  // as in kernels/vector.h, independent of the register width

struct Moment final : Event {
  std::chrono::steady_clock::time_point time;
};

static_assert(static_cast<int>(DType::f32) == 0 && static_cast<int>(DType::f64) == 1 &&
              static_cast<int>(DType::f16) == 2 && static_cast<int>(DType::bf16) == 3);
const kernels::Product& product_of(const ProductShape& p) {
  return kernels::products()[p.bf16x6 ? kernels::product_bf16x6 : static_cast<long>(p.right)];
}

kernels::KernelArgs kernel_args(const LaunchArgs& args, const Grid& grid) {
  return {args.buffers.data(), args.sizes.data(), args.numbers.data(), args.error,
          grid.workers,        args.past_caches,  kernels::products(), nullptr};
}

// The error of the first piece in order, so that it does not depend on which thread comes first.
class FirstError {
 public:
  void keep(int64_t begin, const kernels::ErrorSlot& error, kernels::ErrorSlot& to) {
    const std::lock_guard hold(lock_);
    if (begin >= begin_) return;
    begin_ = begin;
    to = error;
  }

 private:
  std::mutex lock_;
  int64_t begin_ = INT64_MAX;
};

// Calls run(args, begin, end) for all tasks, with scratch memory if the grid requests it.
template <class Run>
void spread(const LaunchArgs& args, const Grid& grid, const Run& run) {
  const kernels::KernelArgs given = kernel_args(args, grid);
  FirstError first;
  const auto piece = [&](int64_t begin, int64_t end) {
    kernels::KernelArgs own = given;
    kernels::ErrorSlot error;
    if (own.error) own.error = &error;
    Arena scratch;
    if (grid.scratch > 0) {
      scratch = lease(cpu_allocator(), static_cast<size_t>(grid.scratch));
      own.scratch = reinterpret_cast<char*>(scratch.data());
    }
    run(own, begin, end);
    if (error.check != 0) [[unlikely]]
      first.keep(begin, error, *given.error);
  };
  if (grid.tasks <= grid.grain) {
    piece(0, grid.tasks);
  } else {
    parallel_for(grid.tasks, grid.grain, piece);
  }
}

// Launches that run as one are cut into items: some tasks of one launch, of which several are worth
// a thread.
int64_t items_of(const Grid& grid) {
  constexpr double items_of_grain = 8;
  const double tasks = static_cast<double>(grid.tasks), grain = static_cast<double>(grid.grain);
  return static_cast<int64_t>(std::min(tasks, std::ceil(tasks / grain * items_of_grain)));
}

void run_items(const IndependentLaunch& one, int64_t begin, int64_t end, char* scratch) {
  const int64_t items = items_of(one.grid);
  const int64_t each = one.grid.tasks / items, longer = one.grid.tasks % items;
  const auto task = [&](int64_t item) { return item * each + std::min(item, longer); };
  kernels::KernelArgs args = kernel_args(one.args, one.grid);
  args.scratch = scratch;
  reinterpret_cast<kernels::KernelFunction>(one.kernel.code)(&args, task(begin), task(end));
}

void launch_as_one(std::span<const IndependentLaunch> launches) {
  int64_t items = 0, scratch = 0;
  double grains = 0;
  for (const IndependentLaunch& one : launches) {
    items += items_of(one.grid);
    grains += static_cast<double>(one.grid.tasks) / static_cast<double>(one.grid.grain);
    scratch = std::max(scratch, one.grid.scratch);
  }
  const auto piece = [&](int64_t begin, int64_t end) {
    Arena memory;
    if (scratch > 0) memory = lease(cpu_allocator(), static_cast<size_t>(scratch));
    int64_t first = 0;  // item of the launch
    for (const IndependentLaunch& one : launches) {
      const int64_t count = items_of(one.grid);
      const int64_t from = std::max(begin - first, int64_t{0}), to = std::min(end - first, count);
      if (from < to) run_items(one, from, to, reinterpret_cast<char*>(memory.data()));
      first += count;
    }
  };
  if (grains <= 1) return piece(0, items);
  const double grain = static_cast<double>(items) / grains;
  parallel_for(items, std::max(static_cast<int64_t>(grain), int64_t{1}), piece);
}

class CpuDevice final : public DeviceRuntime {
 public:
  Device device() const override { return cpu; }

  DeviceTraits traits() const override {
    const Machine& m = machine();
    DeviceTraits out{
        .architecture = m.architecture, .threads = m.available_threads, .lanes = vector_lanes};
    out.l1_bytes = static_cast<int64_t>(m.l1d_bytes);
    out.l2_bytes = static_cast<int64_t>(m.l2_bytes);
    out.l3_bytes = static_cast<int64_t>(m.l3_bytes);
    out.least_streamed_bytes = least_streamed_bytes;
    out.bf16_tiles = kernels::machine_has_bf16_tiles();
    return out;
  }

  Allocator& memory() override { return cpu_allocator(); }

  std::unique_ptr<Stream> create_stream() override { return std::make_unique<Stream>(); }
  void synchronize(Stream*) override {}

  void copy_in(void* to, const void* from, size_t bytes, Stream*) override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void copy_out(void* to, const void* from, size_t bytes, Stream* stream) override {
    copy_in(to, from, bytes, stream);
  }
  void copy(void* to, const void* from, size_t bytes, Stream* stream) override {
    copy_in(to, from, bytes, stream);
  }

  Result<std::unique_ptr<const Module>> load(const std::string& file) override {
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return Failure{dlerror()};
    return std::unique_ptr<const Module>(std::make_unique<SharedObject>(handle));
  }

  void launch(Kernel kernel, const LaunchArgs& args, const Grid& grid, Stream*) override {
    const auto code = reinterpret_cast<kernels::KernelFunction>(kernel.code);
    spread(args, grid, [&](const kernels::KernelArgs& given, int64_t begin, int64_t end) {
      code(&given, begin, end);
    });
  }
  void launch(std::span<const IndependentLaunch> launches, Stream*) override {
    launch_as_one(launches);
  }
  void launch(HostKernel kernel, const void* context, const LaunchArgs& args, const Grid& grid,
              Stream*) override {
    spread(args, grid, [&](const kernels::KernelArgs& given, int64_t begin, int64_t end) {
      LaunchArgs own = args;
      own.error = given.error;
      kernel(context, own, begin, end);
    });
  }

  std::unique_ptr<Event> create_event() override { return std::make_unique<Moment>(); }
  void record(Event& event, Stream*) override {
    static_cast<Moment&>(event).time = std::chrono::steady_clock::now();
  }
  void wait(const Event&, Stream*) override {}
  int64_t elapsed_ns(const Event& begin, const Event& end) override {
    return std::chrono::nanoseconds(static_cast<const Moment&>(end).time -
                                    static_cast<const Moment&>(begin).time)
        .count();
  }

  int64_t workers() const override { return num_threads(); }
  int64_t grain(Cost per_task) const override { return grain_for(per_task); }
  int64_t product_tasks(const ProductShape& p, int64_t workers) const override {
    const kernels::Product& ahead = product_of(p);
    if (p.line > 0) return ahead.cut_split(p.m, p.n, p.most_rows, p.line, workers).count;
    if (p.most_rows > 0) {
      const auto cut = p.panels ? ahead.cut_winograd : ahead.cut_winograd_weights;
      return cut(p.m, p.n, p.most_rows, workers).count;
    }
    if (p.channels) {
      const auto cut = p.right == DType::f64 ? kernels::cut_depthwise_weights<double>
                                             : kernels::cut_depthwise_weights<float>;
      return cut(p.m, p.n, workers).count;
    }
    const auto cut = p.turns ? (p.panels ? ahead.cut_turned : ahead.cut_plain_turned)
                             : (p.panels ? ahead.cut : ahead.cut_plain);
    return p.batches * cut(p.m, p.n, p.k, kernels::product_threads(p.batches, workers)).count;
  }
  int64_t pack_tasks(const ProductShape& p) const override {
    return p.batches * product_of(p).panel_count(p.n);
  }
  bool should_stream(int64_t written, int64_t moved) const override {
    return runtime::should_stream(written, moved);
  }
};

}  // namespace

DeviceRuntime& cpu_device() {
  static auto* one = new CpuDevice;
  return *one;
}

}  // namespace vitro::runtime
