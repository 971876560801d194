// Transposed convolutions: the work of their phases, and where these are written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backend/program/layout.h"
#include "backend/programs.h"

namespace vitro::backend {
namespace {

struct Shape {
  Sizes x, weight;
  ops::ConvTransposeAttrs attrs;
  size_t convolutions;
  int64_t multiplications;
};

Function function_of(const ops::ConvTransposeAttrs& attrs) {
  return [attrs](const std::vector<Tensor>& in) {
    const int64_t rank = in[0].rank() - 2;
    const Tensor y = rank == 1   ? conv_transpose1d(in[0], in[1], {}, attrs)
                     : rank == 2 ? conv_transpose2d(in[0], in[1], {}, attrs)
                                 : conv_transpose3d(in[0], in[1], {}, attrs);
    return std::vector<Tensor>{relu(y)};
  };
}

std::vector<const graph::Node*> convolutions_of(const graph::Graph& g) {
  std::vector<const graph::Node*> out;
  for (uint32_t n = 0; n < g.size(); ++n) {
    const graph::Node& node = g[{n}];
    if (!node.is_input() && node.op->contraction) out.push_back(&node);
  }
  return out;
}

int64_t multiplications_of(const graph::Graph& g) {
  int64_t out = 0;
  for (const graph::Node* node : convolutions_of(g)) {
    int64_t each = 1;
    const Sizes weight = g.meta(std::get<graph::Value>(node->args[1])).sizes;
    for (const Size size : node->results[0].sizes) each *= size.value();
    for (size_t d = 1; d < weight.size(); ++d) each *= weight[d].value();
    out += each;
  }
  return out;
}

constexpr int64_t channels = 32 * 32;

// The elements of x times the elements of the weight, unless the comment says more.
const std::vector<Shape> shapes{
    {{2, 32, 4, 4}, {32, 32, 4, 4}, {2, 1}, 4, 2 * 16 * 16 * channels},
    {{2, 32, 4, 4}, {32, 32, 4, 4}, {2, 0}, 1, 2 * 25 * 16 * channels},  // the result is larger
    {{1, 32, 4, 4}, {32, 32, 3, 3}, {2, 1, 1}, 4, 16 * 9 * channels},
    {{1, 32, 4, 4}, {32, 32, 2, 2}, {2}, 1, 16 * 4 * channels},
    {{1, 32, 4, 4}, {32, 32, 8, 8}, {4, 2}, 4, 16 * 64 * channels},
    {{1, 32, 4, 4}, {32, 32, 5, 5}, {3, 1}, 9, 16 * 25 * channels},
    {{1, 32, 6}, {32, 32, 4}, {2, 1}, 2, 6 * 4 * channels},
    {{1, 32, 2, 2, 2}, {32, 32, 4, 4, 4}, {2, 1}, 8, 8 * 64 * channels},
    {{1, 64, 4, 4}, {64, 32, 4, 4}, {2, 1, 0, 2}, 4, 16 * 16 * 2 * channels},
    {{1, 64, 4, 4}, {64, 1, 4, 4}, {2, 1, 0, 64}, 4, 16 * 16 * 64},
    // Taps that are 2 or 3 elements apart are 1 or 3 elements of x apart.
    {{1, 32, 4, 4}, {32, 32, 3, 3}, {2, 2, 1, 1, 2}, 1, 16 * 9 * channels},
    {{1, 32, 4, 4}, {32, 32, 3, 3}, {2, 3, 1, 1, 3}, 4, 16 * 9 * channels},
    // One element of x: the part of the weight that is in the result.
    {{2, 32, 1, 1}, {32, 32, 4, 4}, {1, 0}, 1, 2 * 16 * channels},
    {{2, 32, 1, 1}, {32, 32, 4, 4}, {1, 1}, 1, 2 * 4 * channels},
    {{2, 32, 1, 1}, {32, 32, 4, 4}, {2, 1}, 1, 2 * 4 * channels},
    {{2, 32, 1, 4}, {32, 32, 4, 4}, {2, 1}, 2, 2 * 2 * 4 * 4 * channels},
    // Phases of few channels are channels of one convolution, which computes a position more.
    {{1, 32, 8, 8}, {32, 3, 4, 4}, {2, 1}, 1, 9 * 9 * 16 * 32 * 3},
    {{1, 32, 8, 8}, {32, 16, 4, 4}, {2, 1}, 2, 8 * 9 * 16 * 32 * 16},
};

TEST(TransposedConvolution, computes_what_each_phase_contributes) {
  for (const Shape& s : shapes) {
    const graph::Graph g = passed_graph_of({s.x, s.weight}, function_of(s.attrs));
    const std::string name = cat(s.x, " under ", s.weight, ", stride ", s.attrs.stride[0]);
    EXPECT_EQ(convolutions_of(g).size(), s.convolutions) << name;
    EXPECT_EQ(multiplications_of(g), s.multiplications) << name;
  }
}

TEST(TransposedConvolution, has_the_bits_of_eager) {
  eager::init();
  for (const Shape& s : shapes) {
    const std::vector<Tensor> in{random_tensor(s.x), random_tensor(s.weight, 2)};
    const Function f = function_of(s.attrs);
    expect_same_bits(compile_graph(passed_graph_of({s.x, s.weight}, f)).run(in)[0], f(in)[0]);
  }
}

// A kernel whose size varies, as in the gradient of a window that covers an image.
TEST(TransposedConvolution, of_one_element_multiplies_each_tap_once_at_sizes_that_vary) {
  eager::init();
  const Size side(5, sym::Expr::symbol("s0"));
  graph::Builder b;
  const Tensor x = b.input("x", f32({2, 32, 1, 1})),
               weight = b.input("w", f32({32, 8, side, side}));
  {
    const Using use(&b);
    b.output(conv_transpose2d(x, weight));
  }
  Compiled c = compile_graph(b.take());
  for (const int64_t n : {1, 3, 7}) {
    SCOPED_TRACE(n);
    Tensor w = random_tensor({32, 8, n, n}, 2);
    fill_(select(select(select(w, 3, 0), 2, 0), 1, 0), INFINITY);
    const std::vector<Tensor> in{random_tensor({2, 32, 1, 1}), w};
    const Tensor got = c.run(in, {n})[0];
    expect_same_bits(got, conv_transpose2d(in[0], in[1]));
    // The infinite tap meets the one element of x only: no other place reads padding times it.
    int64_t infinite = 0;
    for (const float element : got.to_vector<float>()) infinite += !std::isfinite(element);
    EXPECT_EQ(infinite, 2);
  }
}

// Products write between one another, with their channels contiguous, and one copy of the image
// serves them all.
TEST(TransposedConvolution, interleaves_its_phases_where_they_are_computed) {
  const graph::Graph g =
      passed_graph_of({{1, 32, 8, 8}, {32, 32, 4, 4}}, function_of({.stride = 2, .padding = 1}));
  const Program program(g);
  const std::vector<MemoryOrder> orders = memory_orders(program);
  size_t joined = 0;
  for (uint32_t n = 0; n < g.size(); ++n) {
    if (g[{n}].is_input() || g[{n}].op->kind != OpKind::concat || program.is_inlined({n})) continue;
    ++joined;
    // [image, group, phase, phase, channel, place, place]
    EXPECT_EQ(orders[n], (MemoryOrder{0, 1, 5, 2, 6, 3, 4})) << g[{n}].name;
  }
  EXPECT_EQ(joined, 1U);

  const Compiled c = compile_graph(g);
  size_t products = 0, images = 0;
  for (const auto& launch : c.report.launches) {
    const std::string& source = c.report.kernel_of(launch).source;
    products += source.find("product.multiply_windows(") != std::string::npos;
    images += source.find(" image_out") != std::string::npos;
  }
  EXPECT_EQ(products, 4U);
  EXPECT_EQ(images, 1U);
}

}  // namespace
}  // namespace vitro::backend
