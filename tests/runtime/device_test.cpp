// Tests the interface of devices with that of the CPU: launches, their errors, copies, events.
#include "runtime/device.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

#include "error_of.h"
#include "vitro/base/error.h"
#include "vitro/runtime/copy.h"
#include "vitro/runtime/parallel.h"

namespace vitro::runtime {
namespace {

TEST(Device, the_cpu_is_there_from_the_start_and_others_are_not) {
  EXPECT_EQ(device_runtime(cpu).device(), cpu);
  EXPECT_EQ(error_of([] { device_runtime({Device::Kind::cuda, 3}); }),
            "the device cuda:3 is not registered: its library must call add_device()");
  EXPECT_EQ(error_of([] { to(Tensor::from({1.0F}, {1}), {Device::Kind::cuda, 3}); }),
            "no allocator is registered for device cuda:3");
}

TEST(Device, a_file_that_is_no_module_is_refused_with_the_loaders_words) {
  const auto module = device_runtime(cpu).load("/no/such/file.so");
  ASSERT_FALSE(module);
  EXPECT_NE(module.why().find("/no/such/file.so"), std::string::npos) << module.why();
}

struct Sum {
  std::atomic<int64_t> tasks = 0, calls = 0;
};

TEST(Device, a_kernel_of_the_host_gets_every_task_once_and_its_arguments) {
  DeviceRuntime& device = device_runtime(cpu);
  std::vector<float> x(1000, 1.0F);
  void* const buffers[] = {x.data()};
  const int64_t sizes[] = {7};
  const uint64_t numbers[] = {9};
  Sum sum;
  const auto kernel = [](const void* context, const LaunchArgs& args, int64_t begin, int64_t end) {
    auto& s = *static_cast<Sum*>(const_cast<void*>(context));
    EXPECT_EQ(args.sizes[0], 7);
    EXPECT_EQ(args.numbers[0], 9U);
    for (int64_t i = begin; i < end; ++i) static_cast<float*>(args.buffers[0])[i] += 1;
    s.tasks += end - begin, ++s.calls;
  };
  device.launch(+kernel, &sum, {.buffers = buffers, .sizes = sizes, .numbers = numbers},
                {.tasks = 1000, .grain = 10, .workers = device.workers()}, nullptr);
  device.synchronize(nullptr);
  EXPECT_EQ(sum.tasks, 1000);
  for (const float value : x) ASSERT_EQ(value, 2.0F);
  device.launch(+kernel, &sum, {.buffers = buffers, .sizes = sizes, .numbers = numbers},
                {.tasks = 5, .grain = 10}, nullptr);
  EXPECT_EQ(sum.tasks, 1005) << "less than a grain is one piece";
}

// A piece of later tasks fails while the first one runs.
TEST(Device, the_error_of_a_launch_is_that_of_the_first_task_that_fails) {
  DeviceRuntime& device = device_runtime(cpu);
  const int threads = num_threads();
  set_num_threads(4);
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> failed = false;
    const auto kernel = [](const void* context, const LaunchArgs& args, int64_t begin,
                           int64_t end) {
      auto& other = *static_cast<std::atomic<bool>*>(const_cast<void*>(context));
      if (begin == 0 && end < 1000) other.wait(false);
      for (int64_t task = end; task-- > begin;) *args.error = {1, task, 1000};
      if (begin > 0) other = true, other.notify_all();
    };
    kernels::ErrorSlot error;
    device.launch(+kernel, &failed, {.error = &error}, {.tasks = 1000, .grain = 1, .workers = 4},
                  nullptr);
    EXPECT_EQ(error.check, 1);
    EXPECT_EQ(error.index, 0);
  }
  set_num_threads(threads);
}

TEST(Device, copies_and_events_keep_the_order_of_their_stream) {
  DeviceRuntime& device = device_runtime(cpu);
  const auto stream = device.create_stream();
  const auto begin = device.create_event(), end = device.create_event();
  std::vector<int> from(1 << 16), back(from.size());
  std::iota(from.begin(), from.end(), 0);
  const size_t bytes = from.size() * sizeof(int);
  void *a = device.memory().allocate(bytes), *b = device.memory().allocate(bytes);
  device.record(*begin, stream.get());
  device.copy_in(a, from.data(), bytes, stream.get());
  device.copy(b, a, bytes, stream.get());
  device.record(*end, stream.get());
  device.wait(*end, nullptr);
  device.copy_out(back.data(), b, bytes, nullptr);
  device.synchronize(nullptr);
  EXPECT_EQ(back, from);
  EXPECT_GT(device.elapsed_ns(*begin, *end), 0);
  device.memory().free(a, bytes);
  device.memory().free(b, bytes);
}

TEST(Device, products_are_cut_for_the_workers_that_a_launch_has) {
  DeviceRuntime& device = device_runtime(cpu);
  ProductShape shape;
  shape.m = 1000, shape.n = 1000, shape.k = 64;
  EXPECT_GE(device.product_tasks(shape, 64), device.product_tasks(shape, 1));
  EXPECT_GE(device.product_tasks(shape, 1), 1);
  shape.batches = 3;
  EXPECT_EQ(device.pack_tasks(shape) % 3, 0);
}

}  // namespace
}  // namespace vitro::runtime
