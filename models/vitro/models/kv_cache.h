// The keys and values of the tokens that a language model has read, so that the next token costs
// one step and not the whole text again.
//   KvCache cache = model.cache(1, 256);       // one text of up to 256 tokens
//   Tensor scores = model(prompt, cache);      // [1, n] -> [1, n, vocabulary]
//   scores = model(token, cache);              // [1, 1] -> [1, 1, vocabulary]
// The memory of the whole capacity is allocated at once, and tokens are written in place. In a
// compiled function the position is an argument of the kernels: one program serves every token. A
// function with `frozen` would repeat the position of its first call. Threads: one at a time. After
// an error of the model the length is as before.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "vitro/core/tensor.h"

namespace vitro::models {

struct KvCacheSizes {
  int64_t layers, batch, heads, capacity, width;
};

class KvCache {
 public:
  explicit KvCache(const KvCacheSizes& sizes, DType dtype = default_float);
  KvCache(const KvCache&) = delete;
  KvCache& operator=(const KvCache&) = delete;

  int64_t length() const { return length_; }  // tokens
  int64_t capacity() const { return sizes_.capacity; }
  // Forgets the tokens after the first `length`, which must be there; 0: all.
  void truncate(int64_t length);

  // For models, which call append() in each layer and then advance() once.
  // Writes k and v [batch, heads, n, width] after the tokens that are there, and returns the keys
  // and values of all: views, up to the next write. Error if there is no room or the sizes differ.
  std::pair<Tensor, Tensor> append(size_t layer, const Tensor& k, const Tensor& v) const;
  void advance(Size tokens);

 private:
  struct Layer {
    Tensor keys, values;  // [batch, heads, capacity, width]
  };
  KvCacheSizes sizes_;
  int64_t length_ = 0;
  std::vector<Layer> layers_;
};

// Where a layer finds the tokens before its own: in its part of a cache, if there is one.
struct Past {
  KvCache* cache = nullptr;
  size_t layer = 0;
};

}  // namespace vitro::models
