// The heads of an attention, which are stretches of the last dimension.
#pragma once

#include "vitro/models/kv_cache.h"

namespace vitro::models {

// [batch, length, heads * width] as [batch, heads, length, width], and back.
Tensor split_heads(const Tensor& x, int64_t heads);
Tensor join_heads(const Tensor& x);

// Attention of the queries [batch, heads, n, width] to the tokens up to their own: the keys and
// values [batch, kv_heads, n, width], each read by heads / kv_heads heads, and before them those of
// the cache, to which they are added.
Tensor causal_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Past& past,
                        double dropout_p = 0);

}  // namespace vitro::models
