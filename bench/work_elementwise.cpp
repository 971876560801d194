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

// Additions and multiplications of every element, bound by memory.
template <int count>
Program operations() {
  const auto all = [](const std::vector<Tensor>& in) {
    Tensor x = in[0];
    for (int i = 0; i < count; ++i) x = i % 2 == 0 ? x + 0.5 : x * 1.001;
    return x;
  };
  return Program{all, {nn::normal({1 << 25}, 0, 1)}};
}
const Add operations_4({"operations_4", "4 plain operations over 2^25 floats", &operations<4>});
const Add operations_12({"operations_12", "12 of them", &operations<12>});
const Add operations_16({"operations_16", "16 of them", &operations<16>});
const Add operations_20({"operations_20", "20 of them", &operations<20>});
const Add operations_24({"operations_24", "24 of them", &operations<24>});

}  // namespace
}  // namespace vitro::bench
