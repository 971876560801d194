#include "runtime/device.h"

#include "runtime/cpu/cpu_device.h"
#include "vitro/base/error.h"
#include "vitro/core/per_device.h"

namespace vitro::runtime {
namespace {

PerDevice<DeviceRuntime>& devices() {
  static auto* all = [] {
    auto* made = new PerDevice<DeviceRuntime>;
    made->set(cpu, &cpu_device());
    return made;
  }();
  return *all;
}

}  // namespace

DeviceRuntime& device_runtime(Device device) {
  DeviceRuntime* found = devices().find(device);
  VITRO_CHECK(found, "the device ", device,
              " is not registered: its library must call add_device()");
  return *found;
}

void add_device(DeviceRuntime& device) {
  set_allocator(device.device(), &device.memory());
  devices().set(device.device(), &device);
}

}  // namespace vitro::runtime
