// Compiled convolutions of many shapes, compared with sums in double and with eager, and the
// layouts of what is between them.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/program/layout.h"
#include "backend/programs.h"

namespace vitro::backend {
namespace {

struct Shape {
  Sizes x, weight;
  Dims stride, padding, padding_after, dilation;
  int64_t groups = 1;

  ops::ConvolveAttrs attrs() const {
    ops::ConvolveAttrs a{stride, {}, {}, dilation, groups};
    for (const int64_t p : padding) a.padding.push_back(p);
    for (const int64_t p : padding_after) a.padding_after.push_back(p);
    return a;
  }
};

// Every path: few and many channels, taps in several parts, groups, depthwise, one to three
// dimensions, more and fewer positions than a block has rows, windows that leave the image.
const std::vector<Shape> shapes{
    {{2, 3, 13, 11}, {20, 3, 7, 5}, {2, 1}, {3, 2}, {3, 2}, {1, 1}},
    {{1, 24, 9, 10}, {33, 24, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {{3, 450, 4, 5}, {18, 450, 3, 2}, {1, 1}, {1, 0}, {1, 1}, {1, 1}},
    {{5, 16, 2, 2}, {70, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {{2, 32, 7, 8}, {48, 8, 3, 3}, {2, 2}, {1, 1}, {0, 1}, {2, 1}, 4},
    {{2, 40, 8, 9}, {40, 1, 3, 3}, {1, 2}, {1, 1}, {1, 1}, {1, 1}, 40},
    {{2, 40, 8, 9}, {80, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 40},
    {{2, 12, 9, 8}, {36, 1, 7, 5}, {2, 1}, {3, 2}, {3, 2}, {1, 1}, 12},
    {{1, 3, 9, 8}, {24, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 3},
    {{2, 5, 9, 8}, {45, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 5},
    {{3, 96, 7, 7}, {96, 1, 5, 3}, {2, 1}, {2, 0}, {1, 2}, {1, 2}, 96},
    {{2, 17, 31}, {17, 1, 4}, {1}, {-2}, {3}, {2}, 17},
    {{1, 33, 4, 5, 6}, {33, 1, 2, 3, 2}, {1, 2, 1}, {1, 1, 0}, {0, 1, 1}, {1, 1, 2}, 33},
    {{2, 16, 3, 3}, {16, 1, 1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, 16},
    {{3, 20, 5, 7}, {24, 20, 1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},
    {{3, 20, 5, 7}, {24, 20, 1, 1}, {2, 3}, {0, 0}, {0, 0}, {1, 1}},
    {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}},
    {{1, 20, 3, 3}, {16, 20, 3, 3}, {1, 1}, {4, 4}, {-2, 3}, {1, 1}},
    {{2, 5, 40}, {17, 5, 4}, {3}, {2}, {1}, {2}},
    {{2, 18, 40}, {17, 18, 4}, {1}, {-2}, {1}, {1}},
    {{1, 17, 4, 5, 6}, {19, 17, 2, 3, 2}, {1, 2, 1}, {1, 1, 0}, {0, 1, 1}, {1, 1, 2}},
    {{2, 2, 4, 5, 6}, {3, 2, 2, 3, 2}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}},
    {{2, 3, 9, 150}, {24, 3, 3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
    {{1, 2, 5, 80}, {70, 2, 3, 2}, {1, 3}, {0, 1}, {1, 0}, {1, 2}},
    {{2, 1, 6, 20}, {8, 1, 5, 5}, {1, 1}, {2, 2}, {2, 2}, {1, 1}},
    {{2, 3, 32, 16}, {20, 3, 16, 8}, {16, 8}, {0, 0}, {0, 0}, {1, 1}},
    {{2, 8, 5, 40}, {8, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 8},
    {{1, 8, 9, 30}, {8, 1, 5, 3}, {2, 1}, {2, 2}, {2, 2}, {1, 2}, 8},
    {{1, 8, 9, 30}, {8, 1, 3, 3}, {2, 2}, {1, 1}, {0, 1}, {1, 1}, 8},
};

int64_t at(const Sizes& sizes, std::span<const int64_t> index) {
  int64_t flat = 0;
  for (size_t d = 0; d < sizes.size(); ++d) flat = flat * sizes[d].value() + index[d];
  return flat;
}

// Calls f(index) for every index of a box.
void each_index(const Sizes& sizes, const std::function<void(const std::vector<int64_t>&)>& f) {
  std::vector<int64_t> index(sizes.size(), 0);
  for (const Size size : sizes)
    if (size.value() == 0) return;
  for (;;) {
    f(index);
    size_t d = index.size();
    while (d-- > 0 && ++index[d] == sizes[d].value()) index[d] = 0;
    if (d == SIZE_MAX) return;
  }
}

// The definition of `convolve`, in double; one rounding per product is tolerated.
void expect_definition(const Shape& s, const Tensor& x, const Tensor& weight, const Tensor& got) {
  const std::vector<float> in = x.to_vector<float>(), w = weight.to_vector<float>(),
                           out = got.to_vector<float>();
  const int64_t channels = s.weight[1].value(), columns = s.weight[0].value() / s.groups;
  size_t number = 0;
  each_index(got.sizes(), [&](const std::vector<int64_t>& o) {
    double sum = 0, size = 0;
    each_index(s.weight, [&](const std::vector<int64_t>& tap) {
      if (tap[0] != o[1]) return;
      std::vector<int64_t> from{o[0], o[1] / columns * channels + tap[1]};
      bool inside = true;
      for (size_t d = 0; d < s.stride.size(); ++d) {
        from.push_back(o[d + 2] * s.stride[d] + tap[d + 2] * s.dilation[d] - s.padding[d]);
        inside = inside && from.back() >= 0 && from.back() < s.x[d + 2].value();
      }
      if (!inside) return;
      const double product = static_cast<double>(in[static_cast<size_t>(at(s.x, from))]) *
                             static_cast<double>(w[static_cast<size_t>(at(s.weight, tap))]);
      sum += product, size += std::fabs(product);
    });
    const auto terms = static_cast<double>(weight.numel().value() / s.weight[0].value() + 1);
    ASSERT_NEAR(static_cast<double>(out[number]), sum, terms * 0x1p-23 * size + 1e-30)
        << vitro::cat(s.x, " under ", s.weight, ", element ", number);
    ++number;
  });
}

TEST(Convolution, of_every_shape_is_its_definition_and_has_the_bits_of_eager) {
  eager::init();
  for (const Shape& s : shapes) {
    const Tensor x = random_tensor(s.x, 1), w = random_tensor(s.weight, 2);
    const Tensor want = convolve(x, w, s.attrs());
    expect_definition(s, x, w, want);
    for (const auto kind : {graph::InputKind::argument, graph::InputKind::parameter}) {
      const Function f = [&](const std::vector<Tensor>& in) {
        return std::vector<Tensor>{relu(convolve(in[0], in[1], s.attrs()))};
      };
      Compiled c = compile_graph(graph_of({s.x, s.weight}, f, true, DType::f32, kind));
      expect_same_bits(c.run({x, w})[0], relu(want));
    }
  }
}

TEST(Convolution, of_halves_rounds_once_and_has_the_bits_of_eager) {
  eager::init();
  for (const DType dtype : {DType::f16, DType::bf16, DType::f64}) {
    for (const Shape& s : shapes) {
      const Tensor x = to(random_tensor(s.x, 1), dtype), w = to(random_tensor(s.weight, 2), dtype);
      const Function f = [&](const std::vector<Tensor>& in) {
        return std::vector<Tensor>{convolve(in[0], in[1], s.attrs())};
      };
      const Tensor want = f({x, w})[0];
      if (dtype != DType::f64)
        expect_same_bits(want,
                         to(convolve(to(x, DType::f32), to(w, DType::f32), s.attrs()), dtype));
      expect_same_bits(compile_graph(graph_of({s.x, s.weight}, f, true, dtype)).run({x, w})[0],
                       want);
    }
  }
}

// The dimensions of `of` in another order: channels first or last.
Tensor with_channels(const Tensor& of, bool last) {
  Dims order;
  const auto rank = static_cast<int64_t>(of.sizes().size());
  for (int64_t d = 0; d < rank; ++d) order.push_back(d);
  if (last) {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  } else {
    std::rotate(order.begin() + 1, order.end() - 1, order.end());
  }
  return permute(of, order);
}

TEST(Convolution, of_channels_last_has_the_bits_of_eager) {
  eager::init();
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const Shape& s : shapes) {
      const Tensor x = to(random_tensor(s.x, 1), dtype), w = to(random_tensor(s.weight, 2), dtype);
      const Tensor in = clone(with_channels(x, true), {ops::MemoryFormat::contiguous});
      const Function f = [&](const std::vector<Tensor>& given) {
        const Tensor y = relu(convolve(with_channels(given[0], false), given[1], s.attrs()));
        return std::vector<Tensor>{with_channels(y, true) + 1};
      };
      const Tensor want = with_channels(relu(convolve(x, w, s.attrs())), true) + 1;
      Compiled c = compile_graph(graph_of({in.sizes(), s.weight}, f, true, dtype));
      expect_same_bits(c.run({in, w})[0], want);
    }
  }
}

TEST(Convolution, multiplies_what_is_outside_the_image_as_zeros) {
  eager::init();
  const Tensor x = full({1, 20, 5, 5}, 1.0), w = full({17, 20, 3, 3}, INFINITY);
  for (const int64_t channels : {20, 2}) {  // few channels are read with their padding
    const Tensor y =
        conv2d(slice(x, 1, 0, channels), slice(w, 1, 0, channels), {}, {.padding = {1, 1}});
    const std::vector<bool> is_nan = isnan(select(select(y, 0, 0), 0, 0)).to_vector<bool>();
    for (size_t i = 0; i < is_nan.size(); ++i) {
      const bool inside = i / 5 % 4 != 0 && i % 5 % 4 != 0;
      EXPECT_EQ(is_nan[i], !inside) << i;
    }
  }
}

// A block of a residual network.
std::vector<Tensor> block(const std::vector<Tensor>& in) {
  const auto conv = [](const Tensor& x, const Tensor& w) {
    return conv2d(x, w, {}, {.padding = {1, 1}});
  };
  const Tensor y = relu(conv(relu(in[0]), in[1]));
  const Tensor z = max_pool2d(cat({conv(y, in[2]), y}, 1), 2);
  return {conv(z, in[3]) + 1};
}
const std::vector<Sizes> sizes_of_block{
    {2, 16, 8, 12}, {24, 16, 3, 3}, {20, 24, 3, 3}, {18, 44, 3, 3}};

// By node: whether its value is stored and not returned, so that its layout may be chosen.
std::vector<bool> free_values(const Program& program) {
  std::vector<bool> out;
  for (uint32_t n = 0; n < program.graph().size(); ++n) {
    const graph::NodeId node{n};
    out.push_back(!program.graph()[node].is_input() && !program.is_inlined(node) &&
                  !program.is_output_value(node));
  }
  return out;
}

TEST(Layout, of_values_between_convolutions_is_channels_last_and_that_of_others_is_eager_s) {
  const graph::Graph g = passed_graph_of(sizes_of_block, block);
  const Program program(g);
  const std::vector<MemoryOrder> orders = memory_orders(program);
  const std::vector<bool> is_free = free_values(program);
  for (uint32_t n = 0; n < g.size(); ++n) {
    const MemoryOrder want = is_free[n] ? MemoryOrder{0, 2, 3, 1} : MemoryOrder{};
    EXPECT_EQ(orders[n], want) << g[{n}].name;
    if (is_free[n]) {
      EXPECT_TRUE(program.strides_of({n})[1].is(1)) << g[{n}].name;
    }
  }
  EXPECT_GE(std::ranges::count(is_free, true), 6);
}

TEST(Layout, without_a_convolution_stays) {
  const graph::Graph g = passed_graph_of({{2, 16, 8, 12}}, [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{max_pool2d(relu(in[0]), 2) + 1};
  });
  for (const MemoryOrder& order : memory_orders(Program(g))) EXPECT_TRUE(order.empty());
}

// A block of a ConvNeXt: its norm sees an image whose channels are the last dimension.
std::vector<Tensor> norm_block(const std::vector<Tensor>& in) {
  const Tensor y = conv2d(relu(in[0]), in[1], {}, {.padding = {3, 3}, .groups = 32});
  const Tensor z = layer_norm(permute(y, {0, 2, 3, 1}), {32}) + 1;
  return {conv2d(permute(z, {0, 3, 1, 2}), in[2]) + 1};
}
const std::vector<Sizes> sizes_of_norm_block{{2, 32, 14, 10}, {32, 1, 7, 7}, {20, 32, 1, 1}};

TEST(Layout, of_permuted_values_around_convolutions_is_that_of_the_image) {
  eager::init();
  const graph::Graph g = passed_graph_of(sizes_of_norm_block, norm_block);
  const Program program(g);
  const std::vector<MemoryOrder> orders = memory_orders(program);
  const std::vector<bool> is_free = free_values(program);
  size_t permuted = 0;
  for (uint32_t n = 0; n < g.size(); ++n) {
    if (!is_free[n] || g[{n}].results[0].rank() < 4 || g[{n}].results[0].sizes[3] == 1) continue;
    const bool is_image = g[{n}].results[0].sizes[3] == 10;
    permuted += !is_image;
    EXPECT_EQ(orders[n], (is_image ? MemoryOrder{0, 2, 3, 1} : MemoryOrder{0, 1, 2, 3}))
        << g[{n}].name;
  }
  EXPECT_GE(permuted, 1U);
  std::vector<Tensor> in;
  for (const Sizes& sizes : sizes_of_norm_block)
    in.push_back(random_tensor(sizes, static_cast<uint32_t>(in.size())));
  expect_same_bits(compile_graph(g).run(in)[0], norm_block(in)[0]);
}

// As the gradient of a max pool, beside the image [2, 20, 8, 12] that it belongs to.
Tensor gradient_of_pool(const Tensor& x, const Tensor& g) {
  const Tensor places = expand(reshape(arange(24) * 4, {1, 1, 24}), {2, 20, 24}),
               planes = scatter_add(zeros({2, 20, 96}), 2, places, reshape(g, {2, 20, 24}));
  return where(x > 0, reshape(planes, {2, 20, 8, 12}), 0);
}

TEST(Layout, of_a_scatter_into_the_planes_of_an_image_is_that_of_the_image) {
  eager::init();
  const Function f = [](const std::vector<Tensor>& in) {
    const Tensor y = conv2d(in[0], in[1], {}, {.padding = 1});
    return std::vector<Tensor>{conv2d(gradient_of_pool(y, in[2]), in[3]) + 1};
  };
  const Function without_convolution = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{gradient_of_pool(in[0], in[1]) + 1};
  };
  const auto order_of_scatter = [](const graph::Graph& g) {
    const std::vector<MemoryOrder> orders = memory_orders(Program(g));
    for (uint32_t n = 0; n < g.size(); ++n) {
      if (!g[{n}].is_input() && g[{n}].op->name == "scatter_add") return orders[n];
    }
    return MemoryOrder{-1};
  };
  const std::vector<Sizes> sizes{{2, 16, 8, 12}, {20, 16, 3, 3}, {2, 20, 4, 6}, {18, 20, 1, 1}};
  const graph::Graph g = passed_graph_of(sizes, f);
  EXPECT_EQ(order_of_scatter(g), (MemoryOrder{0, 2, 1}));
  EXPECT_EQ(order_of_scatter(passed_graph_of({{2, 20, 8, 12}, {2, 20, 4, 6}}, without_convolution)),
            MemoryOrder{});
  std::vector<Tensor> in;
  for (const Sizes& s : sizes) in.push_back(random_tensor(s, static_cast<uint32_t>(in.size())));
  Compiled c = compile_graph(g);
  expect_same_bits(c.run(in)[0], f(in)[0]);
  // A task sweeps the positions of an image once, for all of its channels.
  std::string loops;
  for (const KernelReport& kernel : c.report.kernels) loops += kernel.loops;
  EXPECT_NE(loops.find("  for k0 = 0 .. 24\n    for i0 = 32*b .. min(40, 32*b + 32)\n"),
            std::string::npos)
      << loops;
}

// An image as a sequence of positions: eager keeps the order of the image in every sum.
std::vector<Tensor> sequence(const std::vector<Tensor>& in, bool along_positions) {
  Tensor x = transpose(in[0], 1, 2) + 1;
  for (size_t i = 1; i < in.size(); ++i) {
    const Tensor rows = along_positions ? transpose(x, 1, 2) : x;
    const Tensor y = matmul(rows, in[i]);
    x = x + (along_positions ? transpose(y, 1, 2) : y);
  }
  return {contiguous(x) * 2};
}

TEST(Layout, of_permuted_values_is_what_most_readers_sweep) {
  eager::init();
  for (const bool along_positions : {false, true}) {
    const Size side = along_positions ? 20 : 48;
    const std::vector<Sizes> sizes{{3, 48, 20}, {side, side}, {side, side}};
    const Function f = [&](const std::vector<Tensor>& in) { return sequence(in, along_positions); };
    const graph::Graph g = passed_graph_of(sizes, f);
    const Program program(g);
    const std::vector<MemoryOrder> orders = memory_orders(program);
    const std::vector<bool> is_free = free_values(program);
    size_t found = 0;
    for (uint32_t n = 0; n < g.size(); ++n) {
      const TensorMeta& meta = g[{n}].results[0];
      if (!is_free[n] || meta.rank() != 3 || g[{n}].op->name != "add") continue;
      ++found;
      EXPECT_EQ(orders[n], (along_positions ? MemoryOrder{0, 2, 1} : MemoryOrder{0, 1, 2}))
          << g[{n}].name;
    }
    EXPECT_GE(found, 2U);
    std::vector<Tensor> in;
    for (const Sizes& s : sizes) in.push_back(random_tensor(s, static_cast<uint32_t>(in.size())));
    expect_same_bits(compile_graph(g).run(in)[0], f(in)[0]);
  }
}

// A value of a long chain finds its set without a stack that is as deep.
TEST(Layout, of_a_chain_of_any_length_is_found) {
  constexpr int64_t links = 60'000;
  const Function f = [](const std::vector<Tensor>& in) {
    Tensor x = conv2d(in[0], in[1]);
    for (int64_t i = 0; i < links; ++i) x = x + in[2];
    return std::vector<Tensor>{conv2d(x, in[1]) + 1};
  };
  const graph::Graph g = passed_graph_of({{1, 4, 3, 3}, {4, 4, 1, 1}, {1}}, f);
  const std::vector<MemoryOrder> orders = memory_orders(Program(g));
  EXPECT_GE(std::ranges::count(orders, MemoryOrder{0, 2, 3, 1}), links);
}

TEST(Layout, changes_no_bit) {
  eager::init();
  std::vector<Tensor> in;
  for (const Sizes& sizes : sizes_of_block)
    in.push_back(random_tensor(sizes, static_cast<uint32_t>(in.size())));
  expect_same_bits(compile_graph(passed_graph_of(sizes_of_block, block)).run(in)[0], block(in)[0]);
}

TEST(ConvolutionText, has_the_epilogue_in_the_kernel_of_the_product) {
  const Function f = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{relu(conv2d(in[0], in[1], in[2], {.padding = {1, 1}}))};
  };
  const Compiled c = compile_graph(passed_graph_of({{1, 32, 9, 9}, {32, 32, 3, 3}, {32}}, f));
  ASSERT_EQ(c.report.kernels.size(), 3U);  // the weights, the image, the product
  const std::string& text = c.report.kernels.back().source;
  EXPECT_NE(text.find("product.multiply_windows("), std::string::npos) << text;
  EXPECT_NE(text.find("maximum("), std::string::npos) << text;
}

TEST(ConvolutionText,
     of_one_channel_per_group_has_its_channels_as_columns_where_they_are_contiguous) {
  const auto source_of = [](int64_t images, DType dtype) {
    const Function f = [](const std::vector<Tensor>& in) {
      const Tensor x = relu(conv2d(in[0], in[1]));
      const Tensor y = relu(conv2d(x, in[2], {}, {.padding = {1, 1}, .groups = 32}));
      return std::vector<Tensor>{conv2d(y, in[3])};
    };
    const std::vector<Sizes> sizes{{images, 8, 9, 9}, {32, 8, 1, 1}, {32, 1, 3, 3}, {8, 32, 1, 1}};
    const Compiled c = compile_graph(passed_graph_of(sizes, f, dtype));
    std::string all;
    for (const auto& kernel : c.report.kernels) all += kernel.source;
    return all;
  };
  EXPECT_NE(source_of(2, DType::f32).find("product.multiply_depthwise("), std::string::npos);
  EXPECT_NE(source_of(1, DType::f64).find("product.multiply_depthwise("), std::string::npos);
  EXPECT_NE(source_of(1, DType::bf16).find("product.multiply_depthwise("), std::string::npos);
}

// Where the result's channels are contiguous and the operand's are not, or are read several times.
TEST(ConvolutionText, of_one_channel_per_group_copies_what_is_not_side_by_side) {
  const auto source_of = [](int64_t columns, bool reads_input) {
    const Function f = [=](const std::vector<Tensor>& in) {
      const Tensor x = reads_input ? in[0] : relu(conv2d(in[0], in[3]));
      const Tensor y = relu(conv2d(x, in[1], {}, {.padding = {1, 1}, .groups = 32}));
      return std::vector<Tensor>{conv2d(y, in[2])};
    };
    const std::vector<Sizes> sizes{
        {2, 32, 9, 9}, {32 * columns, 1, 3, 3}, {8, 32 * columns, 1, 1}, {32, 32, 1, 1}};
    const Compiled c = compile_graph(passed_graph_of(sizes, f));
    std::string all;
    for (const auto& kernel : c.report.kernels) all += kernel.source;
    return all;
  };
  const auto count = [](const std::string& text, std::string_view part) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++found;
    return found;
  };
  for (const bool reads_input : {false, true}) {
    for (const int64_t columns : {1, 2, 8, 9}) {
      const std::string text = source_of(columns, reads_input);
      EXPECT_EQ(count(text, "product.multiply_depthwise("), columns <= 8 ? 1U : 0U) << text;
      // The input is copied by the convolution that reads it.
      const bool repeats = !reads_input && columns > 1 && columns <= 8;
      EXPECT_EQ(count(text, "void copy_conv2d"), repeats ? 2U : 1U) << text;
    }
  }
}

TEST(ConvolutionText, names_its_kind_and_sizes) {
  const auto names = [](const Sizes& x, const Sizes& weight, const ops::ConvolveAttrs& attrs) {
    const Function f = [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{convolve(in[0], in[1], attrs)};
    };
    const Compiled c = compile_graph(passed_graph_of({x, weight}, f, DType::f64));
    const std::string& text = c.report.kernels.back().source;
    const size_t at = text.find("computes: ");
    return at == text.npos ? text : text.substr(at + 10, text.find('\n', at) - at - 10);
  };
  EXPECT_EQ(names({1, 64, 9, 9}, {128, 64, 3, 3}, {{2, 2}, {1, 1}, {1, 1}, {1, 1}, 1}),
            "conv3x3 64→128 /2");
  EXPECT_EQ(names({1, 64, 9, 9}, {32, 64, 1, 1}, {{1, 1}, {0, 0}, {0, 0}, {1, 1}, 1}),
            "conv1x1 64→32");
  EXPECT_EQ(names({1, 64, 9, 9}, {32, 16, 3, 1}, {{2, 1}, {0, 0}, {0, 0}, {2, 2}, 4}),
            "conv3x1 64→32 /2x1, 4 groups, dilation 2");
  EXPECT_EQ(names({1, 32, 9, 9}, {32, 1, 3, 3}, {{1, 1}, {1, 1}, {1, 1}, {1, 1}, 32}),
            "depthwise conv3x3 32");
  EXPECT_EQ(names({1, 32, 9}, {64, 1, 3}, {{1}, {1}, {1}, {1}, 32}), "depthwise conv3 32→64");
}

TEST(ConvolutionText, of_few_channels_reads_planes_where_they_lie_unless_windows_are_large) {
  const auto source = [](const Sizes& x, const Sizes& weight, int64_t stride, bool last = false) {
    const Function f = [=](const std::vector<Tensor>& in) {
      const Tensor image = last ? with_channels(in[0], false) : in[0];
      return std::vector<Tensor>{
          conv2d(image, in[1], {}, {.stride = {stride, stride}, .padding = {1, 1}})};
    };
    std::string all;
    for (const auto& kernel : compile_graph(passed_graph_of({x, weight}, f)).report.kernels)
      all += kernel.source;
    return all;
  };
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  const std::string planes = source({1, 3, 40, 48}, {32, 3, 3, 3}, 2);
  EXPECT_FALSE(has(planes, "image_out")) << planes;
  EXPECT_TRUE(has(planes, "{0, 48, 1}, 0, 3, 1920}")) << planes;
  // Each element of a window would need a strip of its own.
  const std::string large = source({1, 3, 64, 64}, {32, 3, 16, 16}, 16);
  EXPECT_TRUE(has(large, "store_strided(image_out")) << large;
  EXPECT_FALSE(has(large, "load_strided(")) << large;
  // Channels are next to one another already.
  const std::string last = source({1, 40, 48, 3}, {32, 3, 3, 3}, 2, true);
  EXPECT_TRUE(has(last, "image_out")) << last;
}

TEST(ConvolutionText, of_one_channel_per_group_is_a_loop) {
  const Function f = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{relu(conv2d(in[0], in[1], {}, {.padding = {1, 1}, .groups = 32}))};
  };
  const Compiled c = compile_graph(passed_graph_of({{1, 32, 9, 9}, {32, 1, 3, 3}}, f));
  ASSERT_EQ(c.report.kernels.size(), 1U);
  const std::string& text = c.report.kernels[0].source;
  EXPECT_NE(text.find("fma("), std::string::npos) << text;
  EXPECT_EQ(text.find("product."), std::string::npos) << text;
}

// As the weights of the gradient of an operand are.
TEST(ConvolutionText, packs_turned_weights_where_they_lie_unless_others_read_them) {
  eager::init();
  const auto turned = [](const Tensor& w) { return transpose(flip(w, {2, 3}), 0, 1); };
  const auto at = [](const Tensor& x, const Tensor& w) {
    return conv2d(x, w, {}, {.padding = {1, 1}});
  };
  const std::vector<Sizes> sizes{{2, 32, 9, 9}, {32, 48, 3, 3}};
  const std::vector<Function> programs{
      [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{at(in[0], turned(in[1]))}; },
      [&](const std::vector<Tensor>& in) {
        return std::vector<Tensor>{at(in[0], turned(in[1])), flip(in[1], {2, 3}) + 1};
      },
      [&](const std::vector<Tensor>& in) {  // not as weights
        return std::vector<Tensor>{at(flip(in[0], {2, 3}), turned(in[1]))};
      }};
  const std::vector<int> copies{0, 1, 1};
  for (size_t i = 0; i < programs.size(); ++i) {
    Compiled c = compile_graph(passed_graph_of(sizes, programs[i]));
    EXPECT_EQ(std::ranges::count_if(c.report.kernels,
                                    [](const KernelReport& kernel) {
                                      return kernel.source.find("// flip") != std::string::npos;
                                    }),
              copies[i]);
    const std::vector<Tensor> in{random_tensor(sizes[0], 1), random_tensor(sizes[1], 2)};
    expect_same_bits(c.run(in)[0], programs[i](in)[0]);
  }
}

}  // namespace
}  // namespace vitro::backend
