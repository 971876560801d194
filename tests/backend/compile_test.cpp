// Compiled graphs against eager, bit by bit, over all kinds of ops, dtypes and symbolic sizes.
#include "backend/compile.h"

#include <gtest/gtest.h>

#include "backend/programs.h"
#include "eager/eager.h"

namespace vitro::backend {
namespace {

// Compiles `g` and checks every output against the function run eagerly, bit by bit.
Compiled check(const graph::Graph& g, const std::vector<Sizes>& sizes, const Function& f) {
  Compiled c = compile_graph(g);
  if (std::getenv("VITRO_SHOW")) show(c);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < sizes.size(); ++i) {
    inputs.push_back(random_tensor(sizes[i], static_cast<uint32_t>(i + 1)));
  }
  const std::vector<Tensor> want = f(inputs), got = c.run(inputs);
  for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  return c;
}

Compiled check(const std::vector<Sizes>& sizes, const Function& f) {
  eager::init();
  return check(graph_of(sizes, f), sizes, f);
}

TEST(Compile, a_chain_of_elementwise_ops_is_one_kernel) {
  const Compiled c = check({{10000}, {10000}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{tanh(in[0] * in[1] + 1) * sigmoid(in[0]) - exp(-in[1] * in[1])};
  });
  EXPECT_EQ(c.report.kernels.size(), 1u);
}

TEST(Compile, every_elementary_function_gives_the_digits_of_eager) {
  check({{1003}}, [](std::vector<Tensor> in) {
    const Tensor x = in[0], p = abs(x) + 0.25;
    return std::vector<Tensor>{
        exp(x),      exp2(x),         expm1(x),     log(p),     log2(p),    log10(p),
        log1p(p),    sqrt(p),         rsqrt(p),     sin(x),     cos(x),     tan(x),
        asin(x / 2), acos(x / 2),     atan(x),      sinh(x),    cosh(x),    tanh(x),
        asinh(x),    acosh(p + 1),    atanh(x / 3), erf(x),     pow(p, x),  atan2(x, p),
        floor(x),    ceil(x),         round(x),     trunc(x),   fmod(x, p), remainder(x, p),
        gelu(x),     gelu(x, "tanh"), silu(x),      sigmoid(x), relu(x)};
  });
}

// Whole vectors are gathered without a count; the rest of a row is written apart.
TEST(Compile, gathers_along_rows_count_lanes_in_their_rest_only) {
  const auto text_of = [](int64_t columns) {
    const Compiled c = check({{6, columns}}, [=](std::vector<Tensor> in) {
      const Tensor at = remainder(arange(columns) * 7, columns),
                   each = expand(remainder(arange(columns) * 5, 6), {6, columns});
      return std::vector<Tensor>{index_select(in[0], 1, contiguous(at)),
                                 gather(in[0], 1, contiguous(each)),
                                 gather(in[0], 0, contiguous(each))};
    });
    std::string all;
    for (const KernelReport& kernel : c.report.kernels) all += kernel.source;
    return all;
  };
  for (const int64_t columns : {100, 1000}) {
    const std::string text = text_of(columns);
    EXPECT_NE(text.find(", 0, 16);"), std::string::npos) << text;
    EXPECT_NE(text.find(", 0, count);"), std::string::npos) << text;
    EXPECT_NE(text.find("+ 16 <="), std::string::npos) << text;
    // What the lanes share is a part of the address.
    EXPECT_NE(text.find(cat("gather(x + ", columns, " * i0, p")), std::string::npos) << text;
  }
  EXPECT_EQ(text_of(1024).find("count"), std::string::npos);
  EXPECT_EQ(text_of(20).find("+ 16 <="), std::string::npos);
}

TEST(Compile, softmax_is_one_kernel) {
  const Compiled c = check({{7, 1000}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{softmax(in[0] * 0.5, -1)};
  });
  EXPECT_EQ(c.report.kernels.size(), 1u);
}

TEST(Compile, layer_norm_and_gelu_are_one_kernel) {
  const Compiled c = check({{33, 768}, {768}, {768}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{gelu(layer_norm(in[0], {768}, in[1], in[2], 1e-5))};
  });
  EXPECT_EQ(c.report.kernels.size(), 1u);
}

TEST(Compile, reductions_over_any_dimensions_give_the_digits_of_eager) {
  check({{70, 100}, {6, 5, 40}, {5, 9000}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{sum(in[0], {0}),    sum(in[0]),
                               mean(in[0], {1}),   amax(in[1], {0, 2}),
                               sum(in[1], {0, 2}), sum(in[1], {1}),
                               argmax(in[0], 1),   argmin(in[1], 2),
                               sum(in[2], {1}),    argmax(in[2], 1),
                               sum(in[2]),         in[0] - mean(in[0], {0}),
                               prod(in[1], {2}),   amin(in[0], {0}, true)};
  });
}

TEST(Compile, what_follows_a_product_goes_into_its_kernel) {
  const Compiled c = check({{37, 65}, {65, 50}, {50}, {37, 50}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{relu(mm(in[0], in[1]) + in[2]) + in[3]};
  });
  EXPECT_EQ(c.report.launches.size(), 1u);
}

TEST(Compile, the_permuted_result_of_a_product_is_written_in_place_of_a_copy) {
  const Compiled c = check({{1, 16, 48}, {1, 16, 48}}, [](std::vector<Tensor> in) {
    const auto heads = [](const Tensor& t) {
      return permute(view(t, {1, 16, 3, 16}), {0, 2, 1, 3});
    };
    const Tensor q = view(heads(in[0]), {3, 16, 16}), k = view(heads(in[1]), {3, 16, 16});
    const Tensor o = bmm(softmax(bmm(q, permute(k, {0, 2, 1})) * 0.25, -1), k);
    return std::vector<Tensor>{
        reshape(permute(view(o, {1, 3, 16, 16}), {0, 2, 1, 3}), {1, 16, 48})};
  });
  EXPECT_EQ(c.report.launches.size(), 1u);
}

// Heads lie side by side in the rows of the next product's left operand.
TEST(Compile, a_product_is_written_in_the_order_in_which_the_next_one_reads_it) {
  eager::init();
  for (const int64_t batch : {1, 2}) {
    const auto f = [batch](std::vector<Tensor> in) {
      const Tensor heads = permute(view(in[0], {batch, 20, 3, 16}), {0, 2, 1, 3});
      const Tensor mixed = scaled_dot_product_attention(heads, heads, heads);
      return std::vector<Tensor>{
          matmul(reshape(permute(mixed, {0, 2, 1, 3}), {batch, 20, 48}), in[1])};
    };
    const std::vector<Sizes> sizes{{batch, 20, 48}, {48, 30}};
    const Compiled c = check(passed_graph_of(sizes, f), sizes, f);
    const KernelReport& last = c.report.kernel_of(c.report.launches.back());
    EXPECT_NE(last.source.find("bmm + at.row * 48, 48, 1"), std::string::npos) << last.source;
  }
}

TEST(Compile, joined_and_cut_tensors) {
  check({{4, 10}, {4, 7}, {4, 3}}, [](std::vector<Tensor> in) {
    const Tensor joined = cat({in[0] + 1, in[1], exp(in[2])}, 1);
    return std::vector<Tensor>{joined * 2, slice(joined, 1, 3, 15), cat({in[0], in[0] * 2}, 0)};
  });
}

TEST(Compile, views_and_triangles) {
  check({{6, 6}, {6, 6}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{permute(in[0], {1, 0}) + in[1], tril(in[0]), triu(exp(in[1]), 1),
                               in[0] + arange(6), slice(in[0], 0, 1, 6, 2) * 2};
  });
}

TEST(Compile, scattered_slices) {
  check({{6, 8}, {6, 3}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{slice_scatter(in[0] * 2, in[1], 1, 2, 5) + 1,
                               select_scatter(in[0], sum(in[1], {1}), 1, 3)};
  });
}

TEST(Compile, a_row_of_a_table_for_each_index) {
  check({{50, 40}, {7}}, [](std::vector<Tensor> in) {
    const Tensor index = to(abs(in[1]) * 20, DType::i64);
    return std::vector<Tensor>{embedding(in[0], index), index_select(in[0], 1, index),
                               softmax(embedding(in[0], index), -1)};
  });
}

TEST(Compile, a_single_index_and_a_single_element_may_have_no_dimension) {
  check({{5, 4, 3}, {2, 1}}, [](std::vector<Tensor> in) {
    const Tensor last = argmax(in[0]), none = zeros({}, DType::i64), one = sum(in[1]);
    return std::vector<Tensor>{index_select(in[0], 0, remainder(last, 5)) * 2,
                               index_select(in[0], 1, remainder(last, 4)) + 1,
                               index_select(in[0], 2, remainder(last, 3)) - 1,
                               embedding(in[1], remainder(last, 2)) * 2,
                               index_select(one, 0, none) + 1,
                               index_select(one, 0, reshape(none, {1})) * 2,
                               gather(one, 0, none) - 1};
  });
}

TEST(Compile, an_index_out_of_range_is_an_error_with_its_numbers) {
  eager::init();
  const graph::Graph g = graph_of({{5, 4}, {3}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{embedding(in[0], to(in[1], DType::i64))};
  });
  Compiled c = compile_graph(g);
  try {
    c.run({random_tensor({5, 4}), Tensor::from({1.0F, 7.0F, 2.0F}, {3})});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("embedding"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("7"), std::string::npos) << e.what();
  }
}

TEST(Compile, other_dtypes_give_the_digits_of_eager) {
  check({{5, 33}}, [](std::vector<Tensor> in) {
    const Tensor h = to(in[0], DType::f16), b = to(in[0], DType::bf16), d = to(in[0], DType::f64);
    const Tensor i = to(in[0] * 10, DType::i32), l = to(in[0] * 10, DType::i64);
    return std::vector<Tensor>{h * h + 1,
                               exp(b) * b,
                               sin(d),
                               i * 3 + i,
                               l * l - 5,
                               gt(in[0], 0),
                               sum(h, {1}),
                               sum(i, {1}),
                               softmax(b, -1),
                               where(gt(i, 0), i, l),
                               logical_and(gt(in[0], 0), lt(in[0], 1)),
                               any(gt(i, 18), {1}),
                               to(h, DType::f32),
                               floor_divide(l, 3),
                               remainder(l, 3)};
  });
}

// Not through f32, in which a signalling NaN would become a quiet one: eager copies memory.
TEST(Compile, a_copy_of_half_precision_keeps_every_bit) {
  eager::init();
  for (const DType dtype : {DType::f16, DType::bf16}) {
    Tensor x = Tensor::empty({65536}, dtype);
    auto* words = static_cast<uint16_t*>(x.data());
    for (int i = 0; i < 65536; ++i) words[i] = static_cast<uint16_t>(i);
    const auto copies = [](std::vector<Tensor> in) {
      return std::vector<Tensor>{clone(in[0]), contiguous(t(reshape(in[0], {256, 256}))),
                                 cat({in[0], in[0]}, 0)};
    };
    const std::vector<Tensor> want = copies({x}),
                              got =
                                  compile_graph(graph_of({{65536}}, copies, true, dtype)).run({x});
    for (size_t i = 0; i < want.size(); ++i) {
      const auto bytes = static_cast<size_t>(want[i].numel().value()) * sizeof(uint16_t);
      EXPECT_EQ(std::memcmp(got[i].const_data(), want[i].const_data(), bytes), 0)
          << name_of(dtype) << ", copy " << i;
    }
  }
}

TEST(Compile, a_conversion_is_computed_once) {
  const auto converted = [](std::vector<Tensor> in) {
    return std::vector<Tensor>{to(in[0], DType::bf16)};
  };
  const std::string source = compile_graph(graph_of({{1024}}, converted)).report.kernels[0].source;
  const size_t first = source.find("convert<");
  ASSERT_NE(first, std::string::npos) << source;
  EXPECT_EQ(source.find("convert<", first + 1), std::string::npos) << source;
}

TEST(Compile, truths_are_raised_to_powers_and_numbers_are_cut_off_as_in_eager) {
  check({{100}}, [](std::vector<Tensor> in) {
    const Tensor least = full_like(in[0], INT32_MIN, DType::i32);
    return std::vector<Tensor>{pow(gt(in[0], 0), gt(in[0], 0.5)), remainder(least, 33),
                               full_like(in[0], -128, DType::i8),
                               full_like(in[0], 200.7, DType::u8)};
  });
}

TEST(Compile, sizes_are_arguments_where_they_are_symbols) {
  eager::init();
  const Size n(12, sym::Expr::symbol("s0"));
  const graph::Graph base = graph_of({{n, 64}, {64, 32}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{softmax(in[0], -1), gelu(mm(in[0], in[1])), sum(in[0], {0})};
  });
  graph::Graph g = base;
  Compiled c = compile_graph(g);
  for (const int64_t rows : {2, 12, 57}) {
    const Tensor x = random_tensor({rows, 64}), w = random_tensor({64, 32}, 2);
    const std::vector<Operand> operands{x, w};
    const std::vector<int64_t> symbols{rows};
    const std::vector<Tensor> want = graph::interpret(g, operands, symbols);
    const std::vector<Tensor> got = c.run({x, w}, symbols);
    for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  }
}

TEST(Compile, each_column_reads_the_element_that_its_own_reduction_selects) {
  check({{6, 5, 5}}, [](std::vector<Tensor> in) {
    const Tensor x = amax(in[0], {1});
    const Tensor picked = reshape(argmax(x, 0, true), {-1});
    return std::vector<Tensor>{exp(index_select(x, 1, remainder(picked, 5)))};
  });
}

// The sweep that reduces needs no indirect index; the one after it needs both, each at its time.
TEST(Compile, a_row_that_a_reduction_selects_says_which_rows_are_read) {
  const Compiled c = check({{4, 4}, {4, 4}}, [](std::vector<Tensor> in) {
    const Tensor product = mm(in[0], in[1]);
    const Tensor rows = embedding(in[1], remainder(to(product * 10, DType::i64), 4));
    const Tensor least = reshape(argmin(product, {}, true), {-1});
    return std::vector<Tensor>{index_select(rows, 0, remainder(least, 4))};
  });
  EXPECT_EQ(c.report.launches.size(), 2u);  // product, reduction
}

TEST(Compile, a_symbolic_size_that_is_1_is_broadcast) {
  eager::init();
  const sym::Expr symbol = sym::Expr::symbol("s0");
  graph::Graph g = graph_of({{Size(4, symbol)}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{in[0] + slice(in[0], 0, 3, in[0].size(0), 2)};
  });
  Compiled c = compile_graph(g);
  const Tensor x = random_tensor({4});
  const std::vector<int64_t> symbols{4};
  expect_same_bits(c.run({x}, symbols)[0],
                   graph::interpret(g, std::vector<Operand>{x}, symbols)[0]);
}

TEST(Compile, an_innermost_size_that_is_a_symbol_is_summed_in_eagers_order) {
  eager::init();
  const sym::Expr symbol = sym::Expr::symbol("s0");
  graph::Graph g = graph_of({{5, Size(12, symbol), 6}}, [](std::vector<Tensor> in) {
    const Tensor turned = permute(in[0], {0, 2, 1});
    return std::vector<Tensor>{sum(turned, {0, 2}), var(exp(turned * 9), {0, 2}),
                               argmax(turned, {}), sum(in[0], {0, 1})};
  });
  Compiled c = compile_graph(g);
  for (const int64_t n : {2, 12, 57, 4096, 4097, 9000}) {
    const Tensor x = random_tensor({5, n, 6});
    const std::vector<Operand> operands{x};
    const std::vector<int64_t> symbols{n};
    const std::vector<Tensor> want = graph::interpret(g, operands, symbols);
    const std::vector<Tensor> got = c.run({x}, symbols);
    for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  }
}

// Rows across cache lines: a store under a mask would cost more than a plain one.
TEST(Compile, the_rest_of_a_long_row_is_stored_apart) {
  eager::init();
  const auto stores = [](const Sizes& sizes, const Function& f) {
    Compiled c = compile_graph(graph_of({sizes}, f));
    const Tensor x = random_tensor(sizes);
    expect_same_bits(c.run({x})[0], f({x})[0]);
    const std::string text = c.report.kernels[0].source;
    return std::pair(text.find(" + 16 <= ") != std::string::npos,
                     text.find("count);") != std::string::npos);
  };
  const auto inner = [](std::vector<Tensor> in) {
    return std::vector<Tensor>{slice(in[0], 1, 1, -1) + 1};
  };
  EXPECT_EQ(stores({20, 300}, inner), std::pair(true, true));
  EXPECT_EQ(stores({20, 258}, inner), std::pair(false, false));  // no rest
  EXPECT_EQ(stores({20, 60}, inner), std::pair(false, true));    // short
  EXPECT_EQ(stores({20, 300},
                   [](std::vector<Tensor> in) {  // dear
                     return std::vector<Tensor>{tanh(slice(in[0], 1, 1, -1))};
                   }),
            std::pair(false, true));
  EXPECT_EQ(stores({5000},
                   [](std::vector<Tensor> in) {  // one row lies in whole cache lines
                     return std::vector<Tensor>{in[0] + 1};
                   }),
            std::pair(false, true));
}

// A user calls inputs k, row or turned, as kernels call their indices and variables.
TEST(Compile, takes_inputs_of_any_name) {
  eager::init();
  const std::vector<std::string> names{"i", "i0",  "i1",     "k",     "b",      "r",    "c",
                                       "d", "row", "column", "inner", "turned", "lane", "tile",
                                       "x", "sum", "block",  "all",   "batch",  "task", "first"};
  const auto program = [](const Tensor& a, const Tensor& b) {
    return std::vector<Tensor>{mm(a, b) + a, sum(tanh(a) * transpose(b, 0, 1), 1),
                               a * 2 + transpose(b, 0, 1), cumsum(a, 0)};
  };
  for (size_t n = 0; n + 1 < names.size(); ++n) {
    graph::Builder builder;
    const Tensor a = builder.input(names[n], f32({40, 40})),
                 b = builder.input(names[n + 1], f32({40, 40}));
    {
      const Using use(&builder);
      builder.set_expand(true);
      for (const Tensor& result : program(a, b)) builder.output(result);
    }
    const std::vector<Tensor> in{random_tensor({40, 40}, 1), random_tensor({40, 40}, 2)};
    const std::vector<Tensor> got = compile_graph(builder.take()).run(in),
                              want = program(in[0], in[1]);
    for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  }
}

}  // namespace
}  // namespace vitro::backend
