// embedding_bag with a padding index that is not negative, or none: -1, as in the ops of core ATen.
#pragma once

#include <tuple>

#include "vitro/ops/define.h"

namespace vitro::ops {

// The third and fourth result of sums are zeros, of the sizes that torch gives them.
std::tuple<Tensor, Tensor, Tensor, Tensor> bags(const At& weight, const Tensor& indices,
                                                const Tensor& offsets, bool scale_grad_by_freq,
                                                int64_t mode, bool sparse, const Tensor& scale,
                                                bool include_last_offset, Size padding);
// Where no gradient is wanted; torch then keeps a size for the last offset, too.
std::tuple<Tensor, Tensor, Tensor, Tensor> bags_forward_only(
    const At& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const Tensor& scale, bool include_last_offset, Size padding);

}  // namespace vitro::ops
