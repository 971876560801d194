#include "kernels/matmul_table.h"

#include <algorithm>
#include <array>

#include "kernels/machine.h"

namespace vitro::kernels {
namespace {

const MatmulKernels* best_table() {
#if defined(__x86_64__)
  switch (machine_isa()) {
    case Isa::avx512:
      return kernels_ahead::avx512::matmul_table;
    case Isa::avx2:
      return kernels_ahead::avx2::matmul_table;
    case Isa::baseline:
      break;
  }
#endif
  return kernels_ahead::baseline::matmul_table;
}

}  // namespace

const MatmulKernels& matmul_kernels(MatmulType type) {
  return best_table()[int(type)];
}

const Product* products() {
  static const auto all = [] {
    std::array<Product, product_bf16x6 + 1> made{};
    std::copy_n(best_table(), product_bf16x6, made.begin());
#if defined(__x86_64__)
    if (machine_has_bf16_tiles()) made[product_bf16x6] = kernels_ahead::avx512::bf16x6_product;
#endif
    return made;
  }();
  return all.data();
}

}  // namespace vitro::kernels
