// Tables whose rows are selected by indices; names, shapes and initial values are those of
// torch.nn.
//   nn::Embedding words{*this, "words", 30522, 768};   Tensor y = words(ids);
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vitro/nn/module.h"
#include "vitro/ops/define.h"
#include "vitro/ops/embedding_bag.h"

namespace vitro::nn {

// Selects rows of weight [count, width] by i32 or i64 indices of any shape. The row padding_idx, if
// there is one (a negative one counts from the end), begins as 0 and has no gradient.
class Embedding : public Module {
 public:
  Embedding(Module& owner, std::string name, int64_t count, int64_t width,
            std::optional<int64_t> padding_idx = {});
  Tensor operator()(ops::At indices) const;
  Tensor weight;

 private:
  int64_t padding_idx_;  // -1: none
};

struct EmbeddingBagOptions {
  BagMode mode = bag_mean;                  // or bag_sum, bag_max
  bool include_last_offset = false;         // the last offset is the end of a bag and begins none
  std::optional<int64_t> padding_idx = {};  // indices that count for nothing
};

// Sums, means or maxima of bags of rows of weight [count, width]. The bags are the rows of indices
// [bags, length]; or parts of indices [n], each of which begins at one of the offsets. In a sum
// each row may have a weight, of the sizes of the indices.
class EmbeddingBag : public Module {
 public:
  EmbeddingBag(Module& owner, std::string name, int64_t count, int64_t width,
               EmbeddingBagOptions options = {});
  Tensor operator()(ops::At indices, const Tensor& offsets = {},
                    const Tensor& per_sample_weights = {}) const;
  Tensor weight;

 private:
  EmbeddingBagOptions options_;
};

}  // namespace vitro::nn
