// Gradients of the weights of 3x3 windows by Winograd's algorithm: when it is chosen, that it is
// off if bits must be kept, and its error against sums in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backend/programs.h"
#include "backend/schedule/winograd.h"
#include "vitro/runtime/parallel.h"

namespace vitro::backend {
namespace {

struct Layer {
  int64_t images, channels, columns, height, width, before = 1, after = 1;

  ops::ConvolveWeightsAttrs attrs() const {
    return {{{1, 1}, {before, before}, {after, after}, {1, 1}, 1}, {3, 3}};
  }
  Sizes x() const { return {images, channels, height, width}; }
  Sizes gradient() const {
    const int64_t more = before + after - 2;
    return {images, columns, height + more, width + more};
  }
  Sizes weight() const { return {columns, channels, 3, 3}; }
  TiledConvolution tiled() const {
    const int64_t more = before + after - 2;
    return {images, height + more, width + more, channels, columns};
  }
  // The weights after a step, in the order that they have.
  Function program() const {
    return [with = attrs()](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{in[2] - convolve_weights(in[0], in[1], with) * 0.5};
    };
  }
};

Compiled compile_layer(const Layer& layer, bool exact) {
  BuildOptions options = for_any_host();
  options.exact = exact;
  return compile_graph(graph_of({layer.x(), layer.gradient(), layer.weight()}, layer.program()),
                       options);
}

bool uses_tiles(const Compiled& c) {
  return std::ranges::any_of(c.report.kernels, [](const KernelReport& kernel) {
    return kernel.loops.find("by Winograd F(3x3, 4x4)") != std::string::npos;
  });
}

std::vector<Tensor> operands_of(const Layer& layer) {
  return {random_tensor(layer.x(), 1), random_tensor(layer.gradient(), 2),
          mul(random_tensor(layer.weight(), 3), 1e-6)};
}

double error_of(const Tensor& got, const Tensor& want) {
  const Tensor wide = to(got, DType::f64);
  const double root = std::sqrt(mean(mul(want, want)).item<double>());
  return amax(abs(sub(wide, want))).item<double>() / root;
}

// Tiles that leave the image, blocks with a rest, channels and columns of several blocks, several
// images, padding that cuts.
const std::vector<Layer> layers{
    {1, 64, 64, 28, 28},       {2, 16, 48, 23, 30, 0, 0}, {3, 48, 80, 13, 9, 2, 1},
    {1, 256, 256, 14, 14},     {5, 32, 32, 7, 6},         {1, 32, 16, 40, 41, -2, 3},
    {4, 144, 16, 5, 22, 1, 0}, {5, 80, 144, 7, 7},        {5, 16, 16, 56, 56},
};

TEST(WinogradWeights, have_the_error_that_explain_names) {
  eager::init();
  int chosen = 0;
  for (const Layer& layer : layers) {
    Compiled c = compile_layer(layer, false);
    const WinogradChoice choice = choose_winograd_weights(layer.tiled(), {});
    EXPECT_EQ(uses_tiles(c), choice.m > 0);
    chosen += choice.m > 0;
    const std::vector<Tensor> in = operands_of(layer);
    std::vector<Tensor> wide;
    for (const Tensor& t : in) wide.push_back(to(t, DType::f64));
    const double error = error_of(c.run(in)[0], layer.program()(wide)[0]);
    EXPECT_LE(error, choice.m > 0 ? choice.error : 1e-5) << cat(layer.x(), " to ", layer.weight());
    EXPECT_GT(error, 0);
  }
  EXPECT_GE(chosen, 6);
}

TEST(WinogradWeights, have_the_same_bits_on_any_number_of_threads_and_for_any_cache) {
  eager::init();
  const int before = num_threads();
  for (const Layer& layer : layers) {
    const std::vector<Tensor> in = operands_of(layer);
    set_num_threads(1);
    const Tensor one = compile_layer(layer, false).run(in)[0];
    set_num_threads(5);
    expect_same_bits(compile_layer(layer, false).run(in)[0], one);
    BuildOptions options = for_any_host();
    options.exact = false;
    options.machine->l2_bytes = 128 << 10;
    Compiled small = compile_graph(
        graph_of({layer.x(), layer.gradient(), layer.weight()}, layer.program()), options);
    expect_same_bits(small.run(in)[0], one);
  }
  set_num_threads(before);
}

TEST(WinogradWeights, are_exact_if_bits_are_kept) {
  eager::init();
  const Layer layer = layers[0];
  Compiled c = compile_layer(layer, true);
  EXPECT_FALSE(uses_tiles(c));
  const std::vector<Tensor> in = operands_of(layer);
  expect_same_bits(c.run(in)[0], layer.program()(in)[0]);
}

TEST(WinogradWeights, are_direct_sums_for_other_windows) {
  const std::vector<ops::ConvolveWeightsAttrs> others{
      {{{2, 2}, {1, 1}, {1, 1}, {1, 1}, 1}, {3, 3}},
      {{{1, 1}, {2, 2}, {2, 2}, {2, 2}, 1}, {3, 3}},
      {{{1, 1}, {1, 1}, {1, 1}, {1, 1}, 4}, {3, 3}},
      {{{1, 1}, {2, 2}, {2, 2}, {1, 1}, 1}, {5, 5}}};
  for (const ops::ConvolveWeightsAttrs& attrs : others) {
    const int64_t out = attrs.stride[0] == 2 ? 14 : 28;
    BuildOptions options = for_any_host();
    options.exact = false;
    EXPECT_FALSE(uses_tiles(compile_graph(graph_of({{1, 64, 28, 28}, {1, 64, out, out}},
                                                   [&](const std::vector<Tensor>& in) {
                                                     return std::vector<Tensor>{
                                                         convolve_weights(in[0], in[1], attrs)};
                                                   }),
                                          options)));
  }
}

TEST(WinogradWeights, are_chosen_by_what_is_computed) {
  EXPECT_EQ(choose_winograd_weights({5, 56, 56, 64, 64}, {}).m, 4);
  EXPECT_EQ(choose_winograd_weights({5, 7, 7, 512, 512}, {}).m, 4);
  EXPECT_EQ(choose_winograd_weights({1, 2, 2, 512, 512}, {}).m, 0);
  EXPECT_EQ(choose_winograd_weights({5, 56, 56, 24, 64}, {}).m, 0);
  EXPECT_EQ(choose_winograd_weights({5, 56, 56, 64, 24}, {}).m, 0);
}

TEST(WinogradWeights, of_no_images_are_zero) {
  eager::init();
  const Layer layer{0, 32, 32, 20, 20};
  EXPECT_EQ(amax(abs(compile_graph(graph_of({layer.x(), layer.gradient()},
                                            [&](const std::vector<Tensor>& in) {
                                              return std::vector<Tensor>{
                                                  convolve_weights(in[0], in[1], layer.attrs())};
                                            }),
                                   for_any_host())
                         .run({random_tensor(layer.x()), random_tensor(layer.gradient())})[0]))
                .item<float>(),
            0);
}

}  // namespace
}  // namespace vitro::backend
