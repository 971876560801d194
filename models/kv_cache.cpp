#include "vitro/models/kv_cache.h"

#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro::models {

KvCache::KvCache(const KvCacheSizes& sizes, DType dtype) : sizes_(sizes) {
  VITRO_CHECK(sizes.batch > 0 && sizes.capacity > 0, "KvCache: a batch of ", sizes.batch,
              " with a capacity of ", sizes.capacity, ": both must be positive");
  const auto memory = [&] {
    return zeros({sizes.batch, sizes.heads, sizes.capacity, sizes.width}, dtype);
  };
  for (int64_t layer = 0; layer < sizes.layers; ++layer) layers_.push_back({memory(), memory()});
}

void KvCache::truncate(int64_t length) {
  VITRO_CHECK(length >= 0 && length <= length_, "KvCache: cannot keep ", length,
              " tokens: there are ", length_);
  length_ = length;
}

std::pair<Tensor, Tensor> KvCache::append(size_t layer, const Tensor& k, const Tensor& v) const {
  // Plain numbers, not sizes: each may vary by itself in a compiled function.
  const int64_t tokens = k.size(2).value(), end = length_ + tokens;
  VITRO_CHECK(end <= sizes_.capacity, "KvCache: ", length_, " and ", tokens,
              " more tokens do not fit into a capacity of ", sizes_.capacity);
  VITRO_CHECK(k.size(0) == sizes_.batch, "KvCache: is for a batch of ", sizes_.batch, ", got ",
              k.size(0));
  VITRO_CHECK(k.size(1) == sizes_.heads && k.size(3) == sizes_.width && v.sizes() == k.sizes(),
              "KvCache: has ", sizes_.heads, " heads of ", sizes_.width, ", got keys ", k.sizes(),
              " and values ", v.sizes());
  VITRO_CHECK(layer < layers_.size(), "KvCache: no layer ", layer, ", there are ", layers_.size());
  const auto& [keys, values] = layers_[layer];
  copy_(slice(keys, 2, length_, end), k);
  copy_(slice(values, 2, length_, end), v);
  return {slice(keys, 2, 0, end), slice(values, 2, 0, end)};
}

void KvCache::advance(Size tokens) {
  length_ += tokens.value();
}

}  // namespace vitro::models
