#include "harness.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::bench {
namespace {

// [m, k] x [k, n], where the right operand is a parameter: the products of BERT, and square ones.
template <int64_t m, int64_t k, int64_t n>
Program product_of() {
  Tensor weight = nn::normal({k, n}, 0, 1);
  weight.set_parameter(true);
  return {[weight](const std::vector<Tensor>& in) { return mm(in[0], weight); },
          {nn::normal({m, k}, 0, 1)}};
}

const Add qkv({"mm_128x768x2304", "BERT's query, key and value", &product_of<128, 768, 2304>});
const Add projection({"mm_128x768x768", "BERT's projection", &product_of<128, 768, 768>});
const Add inner({"mm_128x768x3072", "BERT's way into the inner layer",
                 &product_of<128, 768, 3072>});
const Add outer({"mm_128x3072x768", "BERT's way out of the inner layer",
                 &product_of<128, 3072, 768>});
const Add small_cube({"mm_512x512x512", "a small cube", &product_of<512, 512, 512>});
const Add cube({"mm_1024x1024x1024", "a cube", &product_of<1024, 1024, 1024>});

}  // namespace
}  // namespace vitro::bench
