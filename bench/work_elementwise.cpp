#include "harness.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::bench {
namespace {

const Add cos_sin({"cos_sin", "sin(cos(x)) over 10 000 floats", [] {
                     return Program{[](const std::vector<Tensor>& in) { return sin(cos(in[0])); },
                                    {nn::normal({10'000}, 0, 1)}};
                   }});

Tensor mixed(const std::vector<Tensor>& in) {
  const Tensor &x = in[0], &y = in[1];
  const Tensor left = tanh(x * y + 1) * sigmoid(x);
  return left - exp(-y * y);
}

const Add pointwise({"pointwise_1m", "tanh(x*y+1)*sigmoid(x)-exp(-y*y) over two of 2^20 floats",
                     [] {
                       return Program{&mixed,
                                      {nn::normal({1 << 20}, 0, 1), nn::normal({1 << 20}, 0, 1)}};
                     }});

}  // namespace
}  // namespace vitro::bench
