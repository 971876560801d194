// Outputs of compiled functions do not share memory, even if passes merged their values.
#include <gtest/gtest.h>

#include "compile/pipeline.h"
#include "eager/eager.h"
#include "vitro/graph/graph.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

TEST(Outputs, are_tensors_of_their_own_where_passes_made_them_one_value) {
  eager::init();
  const graph::Graph g = graph::parse(R"(graph(x: f32[4]) {
  a: f32[4] = exp(x)
  b: f32[4] = exp(x)
  c: f32[4] = mul(x, 1.0)
  return a, b, c, c
})")
                             .value();
  std::string why;
  const auto segment = pipeline::make_compiler()->compile(g, "g/0", &why);
  ASSERT_TRUE(segment) << why;
  const Tensor x = Tensor::from({0.0F, 1.0F, 2.0F, 3.0F}, {4});
  const Operand inputs[] = {x};
  std::vector<Tensor> out(4);
  segment->run(inputs, {}, out);
  const std::vector<Tensor> want = graph::interpret(g, inputs);
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i].to_vector<float>(), want[i].to_vector<float>()) << i;
    EXPECT_FALSE(out[i].storage() == x.storage()) << i;
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(out[i].storage() == out[j].storage()) << i << " and " << j;
  }
}

}  // namespace
}  // namespace vitro
