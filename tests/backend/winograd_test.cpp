// Convolutions by Winograd's algorithm: when it is chosen, that it is off if bits must be kept, and
// its error against sums in double.
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

  ops::ConvolveAttrs attrs() const { return {{1, 1}, {before, before}, {after, after}, {1, 1}, 1}; }
  Sizes x() const { return {images, channels, height, width}; }
  Sizes weight() const { return {columns, channels, 3, 3}; }
  TiledConvolution tiled() const {
    const int64_t more = before + after - 2;
    return {images, height + more, width + more, channels, columns};
  }
  // The identity as a convolution: its operand is in the order of pixels.
  Tensor pass_on() const {
    Tensor made = zeros({columns, columns, 1, 1});
    for (int64_t i = 0; i < columns; ++i) made.data<float>()[i * columns + i] = 1;
    return made;
  }
  Function program(ops::ConvolveAttrs with) const {
    return [with](const std::vector<Tensor>& in) {
      const Tensor y = convolve(in[0], in[1], with) + 0.25;
      return std::vector<Tensor>{convolve(y, in[2], {{1, 1}, {0, 0}, {0, 0}, {1, 1}, 1})};
    };
  }
};

Compiled compile_layer(const Layer& layer, bool exact,
                       graph::InputKind kind = graph::InputKind::parameter) {
  BuildOptions options = for_any_host();
  options.exact = exact;
  return compile_graph(graph_of({layer.x(), layer.weight(), {layer.columns, layer.columns, 1, 1}},
                                layer.program(layer.attrs()), true, DType::f32, kind),
                       options);
}

std::string loops_of(const Compiled& c) {
  std::string all;
  for (const KernelReport& kernel : c.report.kernels) all += kernel.loops;
  return all;
}
bool uses(const Compiled& c, int64_t m) {
  return loops_of(c).find(cat("by Winograd F(", m, "x", m, ", 3x3)")) != std::string::npos;
}

// Blocks with a rest, tiles that leave the image, columns that end inside a panel, several images.
const std::vector<Layer> layers{
    {1, 64, 64, 56, 56},       {2, 16, 40, 23, 30, 0, 0}, {3, 48, 70, 13, 9, 2, 1},
    {1, 256, 256, 14, 14},     {5, 32, 33, 7, 6},         {1, 32, 20, 40, 41, -2, 3},
    {4, 128, 16, 5, 22, 1, 0}, {1, 1024, 64, 16, 16},
};

double error_of(const Tensor& got, const Tensor& want) {
  const Tensor wide = to(got, DType::f64);
  const double root = std::sqrt(mean(mul(want, want)).item<double>());
  return amax(abs(sub(wide, want))).item<double>() / root;
}

// The sums are stored in the order of pixels for the next convolution, a function of them in rows.
TEST(Winograd, has_results_of_two_layouts) {
  eager::init();
  BuildOptions options = for_any_host();
  options.exact = false;
  const auto program = [](const std::vector<Tensor>& in) {
    const ops::ConvolveAttrs attrs{{1, 1}, {1, 1}, {1, 1}, {1, 1}, 1};
    const Tensor y = convolve(in[0], in[1], attrs);
    return std::vector<Tensor>{convolve(y, in[1], attrs), y * 2};
  };
  const std::vector<Tensor> in{random_tensor({1, 64, 56, 56}, 1), random_tensor({64, 64, 3, 3}, 2)};
  Compiled c = compile_graph(graph_of({{1, 64, 56, 56}, {64, 64, 3, 3}}, program, true, DType::f32,
                                      graph::InputKind::parameter),
                             options);
  EXPECT_TRUE(uses(c, 4) || uses(c, 2)) << loops_of(c);
  const std::vector<Tensor> got = c.run(in), want = program(in);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(cat(got[i].strides()), cat(want[i].strides()));
    EXPECT_LE(error_of(got[i], to(want[i], DType::f64)), 1e-4);
  }
}

TEST(Winograd, has_the_error_that_explain_names) {
  eager::init();
  int twos = 0, fours = 0;
  for (const Layer& layer : layers) {
    Compiled c = compile_layer(layer, false);
    const WinogradChoice choice = choose_winograd(layer.tiled(), {});
    EXPECT_EQ(uses(c, 2), choice.m == 2);
    EXPECT_EQ(uses(c, 4), choice.m == 4);
    twos += choice.m == 2, fours += choice.m == 4;
    const Tensor x = random_tensor(layer.x(), 1), w = random_tensor(layer.weight(), 2),
                 id = layer.pass_on();
    const auto wide = [](const Tensor& t) { return to(t, DType::f64); };
    const Tensor want = layer.program(layer.attrs())({wide(x), wide(w), wide(id)})[0];
    const double error = error_of(c.run({x, w, id})[0], want);
    EXPECT_LE(error, choice.m > 0 ? choice.error : 1e-5)
        << cat(layer.x(), " under ", layer.weight());
    EXPECT_GT(error, 0);
  }
  EXPECT_GT(twos, 0);
  EXPECT_GT(fours, 0);
}

TEST(Winograd, is_named_with_the_convolution) {
  const Compiled c = compile_layer(layers[0], false);
  EXPECT_TRUE(std::ranges::any_of(c.report.kernels, [](const KernelReport& kernel) {
    return kernel.source.find("computes: conv3x3 64→64, Winograd F4\n") != std::string::npos;
  }));
}

TEST(Winograd, gives_the_same_bits_on_any_number_of_threads) {
  eager::init();
  const int before = num_threads();
  for (const Layer& layer : layers) {
    const Tensor x = random_tensor(layer.x(), 1), w = random_tensor(layer.weight(), 2),
                 id = layer.pass_on();
    set_num_threads(1);
    const Tensor one = compile_layer(layer, false).run({x, w, id})[0];
    set_num_threads(5);
    expect_same_bits(compile_layer(layer, false).run({x, w, id})[0], one);
  }
  set_num_threads(before);
}

TEST(Winograd, is_off_if_bits_are_kept) {
  const Layer layer = layers[0];
  EXPECT_TRUE(uses(compile_layer(layer, false), 4));
  EXPECT_FALSE(uses(compile_layer(layer, true), 4));
}

// Weights that a call is given, or writes, are transformed at every call.
TEST(Winograd, of_weights_that_are_not_kept_pays_for_many_positions) {
  eager::init();
  EXPECT_EQ(choose_winograd({5, 56, 56, 64, 64, true}, {}).m, 4);
  EXPECT_EQ(choose_winograd({5, 28, 28, 128, 128, true}, {}).m, 4);
  EXPECT_EQ(choose_winograd({1, 14, 14, 256, 256, true}, {}).m, 0);
  EXPECT_EQ(choose_winograd({5, 7, 7, 512, 512, true}, {}).m, 0);
  const Layer many = layers[0], few = layers[3];
  EXPECT_TRUE(uses(compile_layer(many, false, graph::InputKind::argument), 4));
  EXPECT_TRUE(uses(compile_layer(few, false), 2));
  EXPECT_EQ(loops_of(compile_layer(few, false, graph::InputKind::argument)).find("Winograd"),
            std::string::npos);
}

TEST(Winograd, is_off_for_other_windows) {
  const Layer layer = layers[0];
  const std::vector<ops::ConvolveAttrs> others{{{2, 1}, {1, 1}, {1, 1}, {1, 1}, 1},
                                               {{1, 1}, {1, 1}, {1, 1}, {1, 2}, 1}};
  for (const ops::ConvolveAttrs& attrs : others) {
    BuildOptions options = for_any_host();
    options.exact = false;
    Compiled c =
        compile_graph(graph_of({layer.x(), layer.weight(), {layer.columns, layer.columns, 1, 1}},
                               layer.program(attrs), true, DType::f32, graph::InputKind::parameter),
                      options);
    EXPECT_EQ(loops_of(c).find("Winograd"), std::string::npos);
  }
}

// Layers of ResNet-18 and ResNet-50: large images in large tiles; few positions with many weights
// are bound by loading them.
TEST(Winograd, is_chosen_by_what_it_computes_and_loads) {
  EXPECT_EQ(choose_winograd({5, 56, 56, 64, 64}, {}).m, 4);
  EXPECT_EQ(choose_winograd({5, 28, 28, 128, 128}, {}).m, 4);
  EXPECT_EQ(choose_winograd({1, 14, 14, 256, 256}, {}).m, 2);
  EXPECT_EQ(choose_winograd({1, 7, 7, 512, 512}, {}).m, 0);
  EXPECT_EQ(choose_winograd({1, 2, 2, 64, 64}, {}).m, 0);
  EXPECT_EQ(choose_winograd({1, 56, 56, 24, 24}, {}).m, 0);
}

TEST(Winograd, keeps_as_many_tiles_together_as_the_cache_holds) {
  const TiledConvolution of{1, 28, 28, 128, 128};
  MachineModel small, large;
  small.l2_bytes = 512 << 10;
  large.l2_bytes = 2 << 20;
  const WinogradChoice one = choose_winograd(of, small), other = choose_winograd(of, large);
  EXPECT_EQ(one.m, 4);
  EXPECT_EQ(other.m, 4);
  EXPECT_EQ(one.tiles_of_block, 24);
  EXPECT_GE(other.tiles_of_block, of.tiles(4));
}

}  // namespace
}  // namespace vitro::backend
