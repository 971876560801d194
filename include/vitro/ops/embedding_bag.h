// Sums, means and maxima of bags of rows of an embedding.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "vitro/ops/define.h"

namespace vitro {

enum BagMode : int64_t { bag_sum, bag_mean, bag_max };

// Bag b consists of the rows of `weight` at the indices from offsets[b] up to the next offset, or
// to the end; with include_last_offset the last offset is the end of a bag and begins none. Indices
// that are padding_idx are left out; a negative one counts from the number of rows. Offsets must
// begin with 0 and must not fall, which is not checked. Returns the sum, mean or maximum of each
// bag, 0 for an empty one; the bag of each index; the size of each bag; and for the maximum the
// index from which each element is. As in ATen a sum returns no sizes (zeros), and mostly no bags.
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    ops::At weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq = false,
    int64_t mode = bag_sum, bool sparse = false, const Tensor& per_sample_weights = {},
    bool include_last_offset = false, std::optional<int64_t> padding_idx = {});

}  // namespace vitro
