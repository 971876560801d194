#include "vitro/models/language_model.h"

#include "vitro/ops/all.h"

namespace vitro::models {

Tensor LanguageModel::operator()(const Tensor& input_ids) const {
  return head(hidden(input_ids, nullptr));
}

Tensor LanguageModel::operator()(const Tensor& input_ids, KvCache& cache) const {
  return head(hidden(input_ids, &cache));
}

Tensor LanguageModel::next(const Tensor& input_ids, KvCache& cache) const {
  return head(select(hidden(input_ids, &cache), 1, -1));
}

}  // namespace vitro::models
