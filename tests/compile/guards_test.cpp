// Questions about symbols that are asked on the way from the graph to kernels.
#include <gtest/gtest.h>

#include "compile/pipeline.h"
#include "eager/eager.h"
#include "vitro/base/cat.h"
#include "vitro/graph/graph.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

Tensor counted(int64_t rows, int64_t columns, double step) {
  const Tensor flat = arange(Scalar(rows * columns), DType::f32) * step;
  return reshape(flat, {Size(rows), Size(columns)});
}

std::vector<float> elements(const Tensor& t) {
  return t.to_vector<float>();
}

// Attention divides by the root of the head's size: a number of the kernels.
TEST(Guards, kernels_made_for_one_size_are_not_used_for_another) {
  eager::init();
  const graph::Graph g = graph::parse(R"(graph[s0=8](q: f32[4, s0], k: f32[4, s0], v: f32[4, s0]) {
  y: f32[4, s0] = scaled_dot_product_attention(q, k, v, is_causal=false, scale=none)
  return y
})")
                             .value();
  std::string why;
  const auto segment = pipeline::make_runner()->compile(g, "g/0", &why);
  ASSERT_TRUE(segment) << why;
  for (const int64_t size : {8, 12, 3, 8}) {
    const Tensor q = counted(4, size, 0.1), k = counted(4, size, -0.05), v = counted(4, size, 1);
    const Operand inputs[] = {q, k, v};
    const int64_t symbols[] = {size};
    Tensor y;
    segment->run(inputs, symbols, {&y, 1});
    const Tensor want = graph::interpret(g, inputs, symbols)[0];
    ASSERT_EQ(cat(y.sizes()), cat(want.sizes()));
    const std::vector<float> a = elements(y), b = elements(want);
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5) << size << " at " << i;
  }
}

}  // namespace
}  // namespace vitro
