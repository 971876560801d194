#include "vitro/init.h"

#include "eager/eager.h"
#include "runtime/cpu/allocator.h"
#include "vitro/core/storage.h"

namespace vitro {

void init() {
  static const bool done = [] {
    set_allocator(Device::Kind::cpu, &runtime::cpu_allocator());
    eager::init();
    return true;
  }();
  (void)done;
}

namespace {

const struct AtLoad {
  AtLoad() { init(); }
} at_load;

}  // namespace
}  // namespace vitro
