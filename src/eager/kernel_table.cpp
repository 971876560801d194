#include "eager/kernel_table.h"

#include "eager/kernel_entry_points.h"
#include "kernels/machine.h"

VITRO_EAGER_KERNEL_ENTRY_POINTS(baseline)
#if defined(__x86_64__)
VITRO_EAGER_KERNEL_ENTRY_POINTS(avx2)
VITRO_EAGER_KERNEL_ENTRY_POINTS(avx512)
#endif

namespace vitro::eager {
namespace {

void fill(KernelTable& table) {
#if defined(__x86_64__)
  switch (kernels::machine_isa()) {
    case kernels::Isa::avx512:
      return avx512::fill(table);
    case kernels::Isa::avx2:
      return avx2::fill(table);
    case kernels::Isa::baseline:
      break;
  }
#endif
  baseline::fill(table);
}

}  // namespace

const KernelTable& kernel_table() {
  static const KernelTable* table = [] {
    auto* made = new KernelTable{};
    fill(*made);
    return made;
  }();
  return *table;
}

}  // namespace vitro::eager
