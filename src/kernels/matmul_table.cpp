#include "kernels/matmul_table.h"

#include "kernels/machine.h"

namespace vitro::kernels {

const MatmulKernels& matmul_kernels(MatmulType type) {
#if defined(__x86_64__)
  switch (machine_isa()) {
    case Isa::avx512:
      return kernels_ahead::avx512::matmul_table[int(type)];
    case Isa::avx2:
      return kernels_ahead::avx2::matmul_table[int(type)];
    case Isa::baseline:
      break;
  }
#endif
  return kernels_ahead::baseline::matmul_table[int(type)];
}

}  // namespace vitro::kernels
