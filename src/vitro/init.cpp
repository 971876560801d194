#include "vitro/init.h"

#include "compile/on_demand.h"
#include "compile/pipeline.h"
#include "compile/regions.h"
#include "eager/eager.h"
#include "runtime/device.h"
#include "vitro/base/variables.h"
#include "vitro/capture/function.h"

namespace vitro {

void init() {
  static const bool done = [] {
    runtime::add_device(runtime::device_runtime(cpu));
    eager::init();
    eager::set_on_demand(&pipeline::on_demand());
    set_region_runner(&pipeline::run_in_region);
    capture::register_compiler("vitro", pipeline::make_compiler());
    capture::add_backend_alias("inductor", "vitro");  // PyTorch's name for its default backend
    return true;
  }();
  (void)done;
}

namespace {

const struct AtLoad {
  AtLoad() {
    init();
    watch_for_unknown_variables();  // this folder's static objects are constructed after all others
  }
} at_load;

}  // namespace
}  // namespace vitro
