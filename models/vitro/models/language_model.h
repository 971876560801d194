// What generate.h needs of a language model: its logits, computed with and without a cache of the
// tokens before.
#pragma once

#include "vitro/models/kv_cache.h"
#include "vitro/nn/module.h"

namespace vitro::models {

// input_ids [batch, length] i64 -> logits [batch, length, vocabulary], those of the token that
// follows each. Threads: as a module; each thread needs a cache of its own.
class LanguageModel : public nn::Module {
 public:
  Tensor operator()(const Tensor& input_ids) const;
  // The same for tokens that follow those in the cache, which they are added to.
  Tensor operator()(const Tensor& input_ids, KvCache& cache) const;
  // After the last of these tokens only: [batch, vocabulary].
  Tensor next(const Tensor& input_ids, KvCache& cache) const;

  // An empty cache for `batch` texts of up to `capacity` tokens each.
  virtual KvCache cache(int64_t batch, int64_t capacity) const = 0;
  virtual int64_t positions() const = 0;  // the most tokens of a text

 protected:
  // [batch, length, width], what head() reads; `cache` may be null.
  virtual Tensor hidden(const Tensor& input_ids, KvCache* cache) const = 0;
  virtual Tensor head(const Tensor& hidden) const = 0;
};

}  // namespace vitro::models
