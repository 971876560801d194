// How often weights are packed into panels.
#include <gtest/gtest.h>

#include "kernels_of.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

std::vector<Tensor> parameters(int count) {
  std::vector<Tensor> out;
  for (int i = 0; i < count; ++i) {
    out.push_back(nn::normal({32, 32}, 0, 0.1));
    out.back().set_parameter(true);
  }
  return out;
}

// Number of packing kernels that `program` launches.
template <class F>
uint64_t packings(F program) {
  return test::kernels_of(program, "pack");
}

TEST(Panels, of_layers_that_share_a_segment_are_packed_once) {
  init();
  const std::vector<Tensor> weights = parameters(12);
  const auto model = [&](Tensor x) {
    for (const Tensor& w : weights) {
      x = relu(linear(x, w));
      (void)x.const_data();  // a break
    }
    return x;
  };
  auto fast = compile(model);
  const Tensor x = nn::normal({5, 32}, 0, 1);
  EXPECT_EQ(packings([&] {
              for (int call = 0; call < 20; ++call) (void)fast(x);
            }),
            12U);
  EXPECT_EQ(fast(x).to_vector<float>(), model(x).to_vector<float>());
}

TEST(Panels, of_functions_that_share_a_graph_are_packed_once) {
  init();
  const std::vector<Tensor> weights = parameters(2);
  const auto layer = [](const Tensor& w) {
    return [w](const Tensor& x) { return tanh(linear(x, w)); };
  };
  auto first = compile(layer(weights[0])), second = compile(layer(weights[1]));
  const Tensor x = nn::normal({5, 32}, 0, 1);
  EXPECT_EQ(packings([&] {
              for (int call = 0; call < 5; ++call) (void)first(second(x));
            }),
            2U);
}

TEST(Panels, of_a_parameter_that_the_program_writes_are_of_what_it_wrote) {
  init();
  const std::vector<Tensor> weights = parameters(2);
  copy_(weights[1], weights[0]);
  const auto program = [](const Tensor& x, const Tensor& w) {
    sin_(diagonal(w));
    return mm(x, w);
  };
  auto fast = compile(program);
  const Tensor x = nn::normal({5, 32}, 0, 1);
  for (int call = 0; call < 3; ++call) {
    const Tensor got = fast(x, weights[0]), want = program(x, weights[1]);
    EXPECT_EQ(got.to_vector<float>(), want.to_vector<float>()) << call;
  }
}

TEST(Panels, of_memory_that_is_written_between_two_products_are_made_anew) {
  init();
  const auto program = [](const Tensor& x, const Tensor& y) {
    copy_(t(x), matmul(x, y));
    return matmul(t(x), y);
  };
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    for (const int64_t size : {8, 200}) {
      const Tensor first = to(nn::normal({size, size}, 0, 1), dtype), second = clone(first);
      const Tensor got = compile(program)(t(first), first), want = program(t(second), second);
      EXPECT_EQ(to(got, DType::f32).to_vector<float>(), to(want, DType::f32).to_vector<float>());
    }
  }
}

}  // namespace
}  // namespace vitro
