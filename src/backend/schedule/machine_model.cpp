#include "backend/schedule/machine_model.h"

#include <algorithm>

#include "kernels/product.h"

namespace vitro::backend {

static_assert(MachineModel{}.panel_columns == kernels::product_most_width);

MachineModel machine_model_of(const runtime::DeviceTraits& device) {
  MachineModel out;
  const auto take = [](int64_t bytes, int64_t& to) {
    if (bytes > 0) to = bytes;
  };
  take(device.l1_bytes, out.l1_bytes);
  take(device.l2_bytes, out.l2_bytes);
  take(device.l3_bytes, out.l3_bytes);
  take(device.lanes, out.lanes);
  out.least_streamed_bytes = device.least_streamed_bytes;
  out.bf16_tiles = device.bf16_tiles;
  out.threads = std::max(out.threads, device.threads);
  return out;
}

const MachineModel& host_machine_model() {
  static const MachineModel host = machine_model_of(runtime::device_runtime(cpu).traits());
  return host;
}

}  // namespace vitro::backend
