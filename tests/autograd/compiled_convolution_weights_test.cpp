// Compiled training steps of convolutions: which ops and kernels the gradients of their weights
// are, and sizes that vary.
#include <gtest/gtest.h>

#include <cstring>

#include "vitro/autograd/autograd.h"
#include "vitro/compile/compile.h"
#include "vitro/core/generator.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"
#include "vitro/profiler/profiler.h"

namespace vitro::test {
namespace {

// The gradients of the sum of a result's squares with respect to x and the weights.
using Gradients = std::vector<Tensor>;
template <class F>
Gradients gradients(const F& f, const std::vector<Tensor>& given) {
  std::vector<Tensor> inputs;
  for (const Tensor& t : given) inputs.push_back(detach(t).set_requires_grad(true));
  const Tensor y = f(inputs);
  return grad({sum(y * y)}, inputs);
}

void expect_same_bits(const Gradients& got, const Gradients& want, const std::string& where) {
  ASSERT_EQ(got.size(), want.size()) << where;
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(cat(got[i].sizes()), cat(want[i].sizes())) << where;
    EXPECT_EQ(contiguous(got[i]).to_vector<float>(), contiguous(want[i]).to_vector<float>())
        << where << ", gradient " << i;
  }
}

Tensor two_layers(const std::vector<Tensor>& in) {
  const Tensor y = relu(conv2d(in[0], in[1], {}, {.stride = 2, .padding = 1}));
  return conv2d(y, in[2], {}, {.padding = 1});
}

TEST(ConvolutionWeightsCall, take_any_number_of_images_of_any_size) {
  init();
  manual_seed(1);
  const Tensor a = rand({24, 3, 3, 3}) - 0.5, b = rand({20, 24, 3, 3}) - 0.5;
  auto fast = compile([](const std::vector<Tensor>& in) { return gradients(two_layers, in); },
                      {.exact = true});
  for (const int64_t images : {2, 5, 1, 3}) {
    for (const int64_t size : {9, 16, 31}) {
      const std::vector<Tensor> in{rand({images, 3, size, size + 3}) - 0.5, a, b};
      expect_same_bits(fast(in), gradients(two_layers, in), cat(images, " images of ", size));
    }
  }
  const std::vector<Tensor> none{Tensor::empty({0, 3, 9, 12}), a, b};
  expect_same_bits(fast(none), gradients(two_layers, none), "no images");
}

// The kernels of a call that are gradients of weights.
template <class F>
uint64_t kernels_over_positions(const F& f, const std::vector<Tensor>& in) {
  auto fast = compile([&](const std::vector<Tensor>& given) { return gradients(f, given); });
  (void)fast(in);
  Profiler profiler;
  (void)fast(in);
  profiler.stop();
  uint64_t out = 0;
  for (const Average& entry : profiler.averages().entries()) {
    const bool counts = entry.kind == SliceKind::kernel && entry.product.ends_with(", weights");
    out += counts ? entry.count : 0;
  }
  return out;
}

TEST(ConvolutionWeightsCall, are_one_kernel_each_unless_groups_are_narrow) {
  init();
  const auto grouped = [](int64_t groups) {
    return [=](const std::vector<Tensor>& in) {
      return conv2d(in[0], in[1], {}, {.padding = 1, .groups = groups});
    };
  };
  const Tensor x = rand({2, 32, 9, 9});
  EXPECT_EQ(kernels_over_positions(two_layers,
                                   {rand({2, 3, 9, 9}), rand({24, 3, 3, 3}), rand({20, 24, 3, 3})}),
            2U);
  EXPECT_EQ(kernels_over_positions(grouped(1), {x, rand({5, 32, 3, 3})}), 1U);
  EXPECT_EQ(kernels_over_positions(grouped(2), {x, rand({32, 16, 3, 3})}), 1U);
  EXPECT_EQ(kernels_over_positions(grouped(4), {x, rand({32, 8, 3, 3})}), 0U);
  EXPECT_EQ(kernels_over_positions(grouped(32), {x, rand({32, 1, 3, 3})}), 1U);
  EXPECT_EQ(kernels_over_positions(grouped(32), {x, rand({32, 1, 9, 9})}), 0U);
  EXPECT_EQ(kernels_over_positions(grouped(32), {x, rand({64, 1, 3, 3})}), 0U);
}

}  // namespace
}  // namespace vitro::test
