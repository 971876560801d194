// A minimal device: the CPU's memory and threads under another name. Its addresses are not host
// addresses: reading them without the device crashes.
#pragma once

#include <atomic>
#include <cstdlib>
#include <vector>

#include "runtime/device.h"

namespace vitro::test {

class FarDevice final : public runtime::DeviceRuntime, public Allocator {
 public:
  std::atomic<int64_t> launches = 0, allocations = 0, copies = 0;
  std::atomic<int64_t> cut_for = 0;  // workers, of the last launch

  Device device() const override { return {Device::Kind::plugin, 0}; }
  runtime::DeviceTraits traits() const override { return host_.traits(); }
  Allocator& memory() override { return *this; }
  void* allocate(size_t bytes) override {
    ++allocations;
    return static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 64) / 64 * 64)) + distance;
  }
  void free(void* data, size_t) override { std::free(near(data)); }

  std::unique_ptr<runtime::Stream> create_stream() override { return host_.create_stream(); }
  void synchronize(runtime::Stream* s) override { host_.synchronize(s); }
  void copy_in(void* to, const void* from, size_t n, runtime::Stream* s) override {
    ++copies, host_.copy_in(near(to), from, n, s);
  }
  void copy_out(void* to, const void* from, size_t n, runtime::Stream* s) override {
    ++copies, host_.copy_out(to, near(from), n, s);
  }
  void copy(void* to, const void* from, size_t n, runtime::Stream* s) override {
    ++copies, host_.copy(near(to), near(from), n, s);
  }

  Result<std::unique_ptr<const runtime::Module>> load(const std::string& file) override {
    return host_.load(file);
  }
  void launch(runtime::Kernel kernel, const runtime::LaunchArgs& args, const runtime::Grid& grid,
              runtime::Stream* s) override {
    ++launches, cut_for = grid.workers;
    host_.launch(kernel, Near(args).args, grid, s);
  }
  void launch(runtime::HostKernel kernel, const void* context, const runtime::LaunchArgs& args,
              const runtime::Grid& grid, runtime::Stream* s) override {
    ++launches, host_.launch(kernel, context, Near(args).args, grid, s);
  }

  std::unique_ptr<runtime::Event> create_event() override { return host_.create_event(); }
  void record(runtime::Event& event, runtime::Stream* s) override { host_.record(event, s); }
  void wait(const runtime::Event& event, runtime::Stream* s) override { host_.wait(event, s); }
  int64_t elapsed_ns(const runtime::Event& begin, const runtime::Event& end) override {
    return host_.elapsed_ns(begin, end);
  }

  int64_t workers() const override { return host_.workers(); }
  int64_t grain(Cost per_task) const override { return host_.grain(per_task); }
  int64_t product_tasks(const runtime::ProductShape& shape, int64_t workers) const override {
    return host_.product_tasks(shape, workers);
  }
  int64_t pack_tasks(const runtime::ProductShape& shape) const override {
    return host_.pack_tasks(shape);
  }

 private:
  static constexpr ptrdiff_t distance = ptrdiff_t{1} << 60;  // to addresses that are never mapped
  static void* near(const void* data) {
    return const_cast<std::byte*>(static_cast<const std::byte*>(data)) - distance;
  }
  struct Near {
    explicit Near(const runtime::LaunchArgs& given) : args(given) {
      for (const void* buffer : given.buffers) buffers.push_back(near(buffer));
      args.buffers = buffers;
    }
    std::vector<void*> buffers;
    runtime::LaunchArgs args;
  };
  runtime::DeviceRuntime& host_ = runtime::device_runtime(cpu);
};

// The instance of this process, registered with add_device().
inline FarDevice& far_device() {
  static FarDevice& one = *[] {
    auto* made = new FarDevice;
    runtime::add_device(*made);
    return made;
  }();
  return one;
}

}  // namespace vitro::test
