#include "fma_peak.h"

#include "kernels/machine.h"

namespace vitro::bench {

FmaPeak fma_peak() {
#if defined(__x86_64__)
  switch (kernels::machine_isa()) {
    case kernels::Isa::avx512:
      return avx512::fma_loop;
    case kernels::Isa::avx2:
      return avx2::fma_loop;
    case kernels::Isa::baseline:
      break;
  }
#endif
  return baseline::fma_loop;
}

}  // namespace vitro::bench
