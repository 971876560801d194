#include "harness.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::bench {
namespace {

const Add softmax_rows({"softmax", "softmax(x*0.5) over rows of [4096, 1024]", [] {
                          return Program{[](const std::vector<Tensor>& in) {
                                           return softmax(in[0] * 0.5, -1);
                                         },
                                         {nn::normal({4096, 1024}, 0, 1)}};
                        }});

const Add layernorm_gelu({"layernorm_gelu", "gelu(layer_norm(x)) over rows of [2048, 768]", [] {
                            return Program{
                                [](const std::vector<Tensor>& in) {
                                  return gelu(layer_norm(in[0], {768}, in[1], in[2]));
                                },
                                {nn::normal({2048, 768}, 0, 1), nn::uniform({768}, 0.5, 1.5),
                                 nn::uniform({768}, -0.5, 0.5)}};
                          }});

}  // namespace
}  // namespace vitro::bench
