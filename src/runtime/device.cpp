#include "runtime/device.h"

#include <array>
#include <atomic>

#include "runtime/cpu/cpu_device.h"
#include "vitro/base/error.h"

namespace vitro::runtime {
namespace {

using Slots = std::array<std::atomic<DeviceRuntime*>, device_slots>;

Slots& slots() {
  static auto* all = [] {
    auto* made = new Slots{};
    (*made)[slot_of(cpu)] = &cpu_device();
    return made;
  }();
  return *all;
}

}  // namespace

DeviceRuntime& device_runtime(Device device) {
  DeviceRuntime* found = slots()[slot_of(device)].load(std::memory_order_acquire);
  VITRO_CHECK(found, "nobody runs the device ", device, ": its library has not registered it");
  return *found;
}

void add_device(DeviceRuntime& device) {
  set_allocator(device.device(), &device.memory());
  slots()[slot_of(device.device())].store(&device, std::memory_order_release);
}

}  // namespace vitro::runtime
