#include "kernels/matmul_table.h"

#include <algorithm>
#include <array>

#include "kernels/machine.h"

namespace vitro::kernels {
namespace {

const MatmulKernels* table_of_machine() {
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

template <MatmulType type, class T>
void multiply_weights(const ProductCall& call) {
  multiply_depthwise_weights(call, sizeof(T), matmul_kernels(type).depthwise_weights);
}

const MatmulKernels* best_table() {
  static const auto all = [] {
    std::array<MatmulKernels, product_bf16x6> made;
    std::copy_n(table_of_machine(), made.size(), made.begin());
    made[int(MatmulType::f32)].multiply_depthwise_weights =
        multiply_weights<MatmulType::f32, float>;
    made[int(MatmulType::f64)].multiply_depthwise_weights =
        multiply_weights<MatmulType::f64, double>;
    return made;
  }();
  return all.data();
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
