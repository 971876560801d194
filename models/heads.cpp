#include "heads.h"

#include <tuple>

#include "vitro/ops/all.h"

namespace vitro::models {

Tensor split_heads(const Tensor& x, int64_t heads) {
  return permute(view(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), {0, 2, 1, 3});
}

Tensor join_heads(const Tensor& x) {
  return reshape(permute(x, {0, 2, 1, 3}), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

namespace {

// Each query sees its own token and those before; undefined: all that there are.
Tensor mask_of(Size queries, Size keys) {
  if (queries == 1) return {};
  return arange(0, keys) <= unsqueeze(arange(keys - queries, keys), 1);
}

}  // namespace

Tensor causal_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Past& past,
                        double dropout_p) {
  const bool is_first = !past.cache || past.cache->length() == 0;
  Tensor keys = k, values = v;
  if (past.cache) std::tie(keys, values) = past.cache->append(past.layer, k, v);
  const Tensor mask = is_first ? Tensor() : mask_of(q.size(2), keys.size(2));
  if (q.size(1) == k.size(1))
    return scaled_dot_product_attention(q, keys, values, mask, dropout_p, is_first);
  // The heads that read the same keys and values are a dimension in which these are broadcast.
  const Sizes sizes{q.size(0), k.size(1), q.size(1) / k.size(1), q.size(2), q.size(3)};
  const Tensor mixed = scaled_dot_product_attention(
      view(q, sizes), unsqueeze(keys, 2), unsqueeze(values, 2), mask, dropout_p, is_first);
  return reshape(mixed, q.sizes());
}

}  // namespace vitro::models
