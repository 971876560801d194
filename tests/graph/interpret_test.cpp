#include <gtest/gtest.h>

#include "eager/eager.h"
#include "graph/programs.h"
#include "graph/values.h"

namespace vitro::graph {
namespace {

struct Interpret : testing::Test {
  static void SetUpTestSuite() { eager::init(); }
  static Graph read(std::string_view text) { return parse(text).value(); }
  static std::string refusal(const Graph& g, std::vector<Operand> inputs) {
    try {
      (void)interpret(g, inputs);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  Tensor x = Tensor::from({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}, {3, 2});
};

TEST_F(Interpret, reads_symbols_off_the_sizes_of_its_inputs) {
  const Graph g = read(R"(graph[s0=5](x: f32[s0, 2]) {
  y: f32[2*s0] = view(x, size=[2*s0])
  z: f32[2*s0] = mul(y, s0)
  return z
})");
  const Operand inputs[] = {x};
  EXPECT_EQ(interpret(g, inputs)[0].to_vector<float>(), (std::vector<float>{3, 6, 9, 12, 15, 18}));
  const int64_t symbols[] = {3};
  EXPECT_EQ(interpret(g, inputs, symbols)[0].to_vector<float>(),
            (std::vector<float>{3, 6, 9, 12, 15, 18}));
}

TEST_F(Interpret, takes_the_values_of_symbols_that_no_input_shows) {
  const Graph g = read(R"(graph[s0=5](x: f32[3, 2]) {
  y: f32[3, 2] = mul(x, s0)
  return y
})");
  const Operand inputs[] = {x};
  const int64_t ten[] = {10};
  EXPECT_EQ(interpret(g, inputs, ten)[0].to_vector<float>()[5], 60);
  EXPECT_EQ(interpret(g, inputs)[0].to_vector<float>()[5], 30);  // with the hint, 5
}

TEST_F(Interpret, passes_numbers_as_numbers) {
  const Graph g = read(R"(graph(x: f32[3, 2], k: number f64[]) {
  y: f32[3, 2] = mul(x, k)
  return y
})");
  const Operand inputs[] = {x, 0.5};
  EXPECT_EQ(interpret(g, inputs)[0].to_vector<float>(),
            (std::vector<float>{0.5, 1, 1.5, 2, 2.5, 3}));
}

TEST_F(Interpret, gives_outputs_memory_of_their_own) {
  const Graph g = read(R"(graph(x: f32[3, 2]) {
  v: f32[2, 3]{strides=[1, 2]} = permute(x, dims=[1, 0])
  e: f32[3, 2] = exp(x)
  return x, v, e, e
})");
  const Operand inputs[] = {x};
  const std::vector<Tensor> out = interpret(g, inputs);
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_FALSE(out[i].storage() == x.storage()) << i;
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(out[i].storage() == out[j].storage()) << i << j;
  }
  EXPECT_EQ(difference(out[0], x), "");
  EXPECT_EQ(difference(out[2], out[3]), "");
}

TEST_F(Interpret, runs_every_result_of_an_op) {
  const Graph g = read(R"(graph(x: f32[3, 2]) {
  vm: (f32[3], f32[3]) = var_mean(x, dim=[1], correction=1.0, keepdim=false)
  y: f32[3] = add(vm[0], vm[1])
  return y, vm[1]
})");
  const Operand inputs[] = {x};
  const std::vector<Tensor> out = interpret(g, inputs);
  EXPECT_EQ(out[0].to_vector<float>(), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(out[1].to_vector<float>(), (std::vector<float>{1.5, 3.5, 5.5}));
}

TEST_F(Interpret, says_what_it_needs_for_an_input) {
  const Graph g = read("graph(x: f32[3, 2], k: number i64[]) {\n  return x\n}");
  EXPECT_EQ(refusal(g, {x}), "interpret: the graph has 2 inputs, got 1");
  EXPECT_EQ(refusal(g, {x, x}), "interpret: input k is a number");
  EXPECT_EQ(refusal(g, {1, 1}), "interpret: input x is a tensor");
  EXPECT_EQ(refusal(g, {Tensor::from({1.0}, {1}), 1}),
            "interpret: input x is f32[3, 2], got f64[1]");
}

}  // namespace
}  // namespace vitro::graph
