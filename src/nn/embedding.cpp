#include "vitro/nn/embedding.h"

#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::nn {
namespace {

// The row that a padding index means; -1: there is none.
int64_t row_of_padding(std::string_view layer, std::optional<int64_t> index, int64_t count) {
  if (!index) return -1;
  VITRO_CHECK(*index >= -count && *index < count, layer, ": padding_idx ", *index,
              " is out of range for ", count, " rows");
  return *index < 0 ? *index + count : *index;
}

// Normal numbers; the row of the padding is 0.
Tensor rows(int64_t count, int64_t width, int64_t padding) {
  Tensor t = normal({count, width}, 0, 1);
  if (padding >= 0) zero_(select(t, 0, padding));
  return t;
}

}  // namespace

Embedding::Embedding(Module& owner, std::string name, int64_t count, int64_t width,
                     std::optional<int64_t> padding_idx)
    : Module(owner, std::move(name), "Embedding"),
      padding_idx_(row_of_padding("Embedding", padding_idx, count)) {
  add_parameter("weight", weight, rows(count, width, padding_idx_));
}

Tensor Embedding::operator()(ops::At indices) const {
  return forward(indices, [&](const ops::At& in) {
    return embedding(ops::At(weight, in.where), in.operand.tensor(), padding_idx_);
  });
}

EmbeddingBag::EmbeddingBag(Module& owner, std::string name, int64_t count, int64_t width,
                           EmbeddingBagOptions options)
    : Module(owner, std::move(name), "EmbeddingBag"), options_(options) {
  add_parameter("weight", weight,
                rows(count, width, row_of_padding("EmbeddingBag", options.padding_idx, count)));
}

Tensor EmbeddingBag::operator()(ops::At at, const Tensor& offsets,
                                const Tensor& per_sample_weights) const {
  const ModuleScope here = scope();
  const CalledAs name("embedding_bag", at.where);
  const Tensor& indices = at.operand.tensor();
  const auto bags = [&](const Tensor& in, const Tensor& starts, const Tensor& weights, bool last) {
    return std::get<0>(embedding_bag({weight, at.where}, in, starts, false, options_.mode, false,
                                     weights, last, options_.padding_idx));
  };
  if (indices.rank() == 1) {
    VITRO_CHECK(offsets.defined(), "embedding_bag: indices of rank 1 need offsets");
    return bags(indices, offsets, per_sample_weights, options_.include_last_offset);
  }
  VITRO_CHECK(indices.rank() == 2, "embedding_bag: needs indices of rank 1 or 2, got rank ",
              indices.rank());
  VITRO_CHECK(!offsets.defined(),
              "embedding_bag: the rows of indices are the bags; offsets are "
              "for indices of rank 1");
  const Size length = indices.size(1);
  const Tensor starts = arange(0, indices.size(0), 1, DType::i64, indices.device()) * length;
  return bags(reshape(indices, {-1}), starts,
              per_sample_weights.defined() ? reshape(per_sample_weights, {-1}) : Tensor(), false);
}

}  // namespace vitro::nn
