#include "backend/schedule/machine_model.h"

#include <algorithm>

#include "kernels/product.h"
#include "runtime/cpu/machine.h"

namespace vitro::backend {

static_assert(MachineModel{}.panel_columns == kernels::product_most_width);

const MachineModel& host_machine_model() {
  static const MachineModel host = [] {
    const runtime::Machine& machine = runtime::machine();
    MachineModel out;
    const auto take = [](size_t bytes, int64_t& to) {
      if (bytes > 0) to = static_cast<int64_t>(bytes);
    };
    take(machine.l1d_bytes, out.l1_bytes);
    take(machine.l2_bytes, out.l2_bytes);
    take(machine.l3_bytes, out.l3_bytes);
    out.threads = std::max(out.threads, machine.available_threads);
    return out;
  }();
  return host;
}

}  // namespace vitro::backend
