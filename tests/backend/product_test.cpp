// Compiled products in every layout, compared with sums in double and with eager.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/programs.h"
#include "eager/eager.h"
#include "kernels/matmul_table.h"
#include "vitro/runtime/memory.h"

namespace vitro::backend {
namespace {

// A product and its operands, for the reference.
struct Case {
  std::string name;
  Tensor left, right, got;
};

std::vector<double> doubles(const Tensor& t) {
  return to(t, DType::f64).to_vector<double>();
}

// Distance from 1 to the next number of the dtype.
double step_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 0x1p-52;
    case DType::f16:
      return 0x1p-10;
    case DType::bf16:
      return 0x1p-7;
    default:
      return 0x1p-23;
  }
}

// Tolerance: one rounding per product in the sum, and one at the end.
void expect_close(const Case& c) {
  const auto rank = static_cast<size_t>(c.left.dim());
  const int64_t batches = rank == 3 ? c.left.size(0).value() : 1, m = c.left.size(-2).value(),
                k = c.left.size(-1).value(), n = c.right.size(-1).value();
  const std::vector<double> a = doubles(c.left), b = doubles(c.right), got = doubles(c.got);
  ASSERT_EQ(got.size(), static_cast<size_t>(batches * m * n)) << c.name;
  const double step = step_of(c.got.dtype()), sums = std::min(step, 0x1p-23);
  for (int64_t i = 0; i < batches * m * n; ++i) {
    const int64_t batch = i / (m * n), row = i / n % m, column = i % n;
    double exact = 0, size = 0;
    for (int64_t p = 0; p < k; ++p) {
      const double product = a[static_cast<size_t>((batch * m + row) * k + p)] *
                             b[static_cast<size_t>((batch * k + p) * n + column)];
      exact += product, size += std::fabs(product);
    }
    const double most = step / 2 * std::fabs(exact) + static_cast<double>(k + 1) * sums * size;
    ASSERT_NEAR(got[static_cast<size_t>(i)], exact, most) << c.name << ", element " << i;
  }
}

const std::vector<Sizes> inputs{{33, 70},   {70, 45},    {70, 33},     {45, 70},    {1, 70},
                                {3, 9, 20}, {3, 20, 17}, {3, 20, 9},   {7, 700},    {700, 40},
                                {140, 16},  {16, 300},   {70, 64},     {128, 70},   {300, 70},
                                {165, 33},  {401, 33},   {2, 128, 20}, {2, 257, 20}};

std::vector<std::pair<std::string, std::pair<Tensor, Tensor>>> factors(
    const std::vector<Tensor>& x) {
  const auto turned = [](const Tensor& t) { return permute(t, {1, 0}); };
  return {{"plain", {x[0], x[1]}},
          {"left turned", {turned(x[2]), x[1]}},
          {"right turned", {x[0], turned(x[3])}},
          {"left computed", {x[0] * x[0] + 1, x[1]}},
          {"left computed, long", {relu(x[8]), x[9]}},
          {"right computed", {x[0], relu(x[1])}},
          {"long", {x[8], x[9]}},
          {"one row", {x[4], x[1]}},
          {"one column of the left", {turned(x[4]), x[4]}},
          {"one column of the right", {x[0], turned(x[4])}},
          {"whole vectors", {x[0], x[12]}},
          {"many blocks", {x[10], x[11]}},
          {"several blocks of rows", {x[14], x[1]}},
          {"some of the columns of the right", {x[14], slice(x[1], 1, 3, 40)}},
          {"right turned, read in place", {x[13], turned(x[14])}},
          {"right turned, read in place, ragged", {x[15], turned(x[16])}},
          {"batches, right turned, read in place", {x[17], permute(x[18], {0, 2, 1})}},
          {"batches", {x[5], x[6]}},
          {"batches, left turned", {permute(x[7], {0, 2, 1}), x[6]}},
          {"batches, left computed", {exp(x[5]), x[6]}}};
}

std::vector<Tensor> all_products(const std::vector<Tensor>& x) {
  std::vector<Tensor> out;
  for (const auto& [name, f] : factors(x)) {
    out.push_back(f.first.dim() == 3 ? bmm(f.first, f.second) : mm(f.first, f.second));
  }
  return out;
}

std::vector<Tensor> all_transposed(const std::vector<Tensor>& x) {
  std::vector<Tensor> out;
  for (const Tensor& made : all_products(x)) {
    out.push_back(contiguous(transpose(made, -1, -2)));
    out.push_back(transpose(relu(made), -1, -2) + 1);
  }
  return out;
}

std::vector<Tensor> random_inputs(DType dtype) {
  std::vector<Tensor> x;
  for (const Sizes& sizes : inputs) {
    x.push_back(to(random_tensor(sizes, static_cast<uint32_t>(x.size() + 1)), dtype));
  }
  return x;
}

class Product : public testing::TestWithParam<std::tuple<DType, graph::InputKind>> {};

TEST_P(Product, of_every_layout_is_close_to_sums_in_double_and_has_the_digits_of_eager) {
  eager::init();
  const auto [dtype, kind] = GetParam();
  const graph::Graph g = graph_of(inputs, all_products, true, dtype, kind);
  Compiled c = compile_graph(g);
  const std::vector<Tensor> x = random_inputs(dtype), got = c.run(x), want = all_products(x);
  const auto f = factors(x);
  for (size_t i = 0; i < got.size(); ++i) {
    expect_close({f[i].first, f[i].second.first, f[i].second.second, got[i]});
    SCOPED_TRACE(f[i].first);
    expect_same_bits(got[i], want[i]);
  }
}

TEST_P(Product, that_is_written_transposed_has_the_digits_of_eager) {
  eager::init();
  const auto [dtype, kind] = GetParam();
  const std::vector<Tensor> x = random_inputs(dtype), want = all_transposed(x);
  Compiled c = compile_graph(graph_of(inputs, all_transposed, true, dtype, kind));
  const std::vector<Tensor> got = c.run(x);
  for (size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same_bits(got[i], want[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, Product,
    testing::Combine(testing::Values(DType::f32, DType::f64, DType::f16, DType::bf16),
                     testing::Values(graph::InputKind::argument, graph::InputKind::parameter)),
    [](const auto& made) {
      const bool kept = std::get<1>(made.param) == graph::InputKind::parameter;
      return cat(name_of(std::get<0>(made.param)), kept ? "_parameters" : "_arguments");
    });

// A parameter is packed once, for calls of all sizes.
TEST(ProductPanels, of_a_parameter_serve_calls_of_every_size) {
  eager::init();
  const Size n(12, sym::Expr::symbol("s0"));
  graph::Builder b;
  const Tensor x = b.input("x", f32({n, 64})),
               w = b.input("w", f32({64, 32}), graph::InputKind::parameter);
  {
    const Using use(&b);
    b.output(mm(x, w));
  }
  graph::Graph g = b.take();
  Compiled c = compile_graph(g);
  const Tensor weight = random_tensor({64, 32}, 2);
  const auto allocations_of = [&](int64_t rows) {
    const Tensor in = random_tensor({rows, 64});
    const int64_t before = memory_stats().allocations;
    const std::vector<Tensor> got = c.run({in, weight}, {rows});
    const int64_t made = memory_stats().allocations - before;
    expect_same_bits(got[0], mm(in, weight));
    return made;
  };
  for (const int64_t rows : {5, 9}) allocations_of(rows);
  const int64_t again = allocations_of(9), other = allocations_of(5);
  EXPECT_EQ(again, other);
}

// The number of matrices that a program packs, and of products that read the right operand in
// place, by its rows or by its columns.
struct Packs {
  int64_t packed = 0, rows = 0, columns = 0;
  friend bool operator==(const Packs&, const Packs&) = default;
};
std::ostream& operator<<(std::ostream& out, const Packs& p) {
  return out << p.packed << " packed, " << p.rows << " read by rows, " << p.columns
             << " by columns";
}
Packs packs_of(const graph::Graph& g) {
  const Compiled c = compile_graph(g);
  Packs out;
  for (const Launch& launch : c.executable->launches()) {
    out.packed += launch.packs.has_value();
    if (launch.packs || !launch.product) continue;
    out.rows += launch.product->reads == loop::RightOperand::rows;
    out.columns += launch.product->turns && launch.product->reads == loop::RightOperand::panels;
  }
  return out;
}
constexpr Packs packed{1, 0, 0}, by_rows{0, 1, 0}, by_columns{1, 0, 1};

std::vector<Tensor> linear_map(const std::vector<Tensor>& in) {
  return {relu(mm(in[0], permute(in[1], {1, 0})))};
}
std::vector<Tensor> product(const std::vector<Tensor>& in) {
  return {relu(mm(in[0], in[1]))};
}

TEST(ProductInPlace, packs_the_left_operand_once_for_all_that_read_it) {
  eager::init();
  const Packs packs =
      packs_of(graph_of({{128, 40}, {300, 40}, {256, 40}}, [](std::vector<Tensor> in) {
        return std::vector<Tensor>{mm(in[0], permute(in[1], {1, 0})),
                                   mm(in[0], permute(in[2], {1, 0}))};
      }));
  EXPECT_EQ(packs, (Packs{1, 0, 2}));
}

TEST(ProductInPlace, is_for_weights_with_k_contiguous_beside_enough_rows) {
  eager::init();
  constexpr auto parameter = graph::InputKind::parameter;
  const auto packs = [](int64_t m, int64_t n, graph::InputKind kind = graph::InputKind::argument) {
    return packs_of(graph_of({{m, 40}, {n, 40}}, linear_map, true, DType::f32, kind));
  };
  EXPECT_EQ(packs(128, 256), by_columns);
  EXPECT_EQ(packs(63, 1000), packed) << "few rows";
  EXPECT_EQ(packs(64, 1000), by_columns);
  EXPECT_EQ(packs(104, 1000), by_columns);
  EXPECT_EQ(packs(104, 1000, parameter), packed) << "few rows beside panels that are kept";
  EXPECT_EQ(packs(128, 1000, parameter), by_columns);
  EXPECT_EQ(packs(130, 1000), packed) << "rows that leave most of a panel empty";
  EXPECT_EQ(packs(160, 1000), packed) << "a last panel that is half full, beside two others";
  EXPECT_EQ(packs(161, 1000), by_columns);
  EXPECT_EQ(packs(513, 1100), by_columns) << "rows enough that the last panel does not matter";
  EXPECT_EQ(packs(128, 255), packed) << "a right operand that is hardly larger than the left one";
}

TEST(ProductInPlace, is_for_parameters_with_n_contiguous_beside_rows_that_are_not_few_nor_many) {
  eager::init();
  const auto packs = [](int64_t m, DType dtype = DType::f32) {
    return packs_of(
        graph_of({{m, 40}, {40, 100}}, product, true, dtype, graph::InputKind::parameter));
  };
  EXPECT_EQ(packs(47), packed);
  EXPECT_EQ(packs(48), by_rows);
  EXPECT_EQ(packs(48, DType::f64), by_rows);
  EXPECT_EQ(packs(48, DType::bf16), packed) << "operands that are converted";
  EXPECT_EQ(packs(512), by_rows);
  EXPECT_EQ(packs(513), packed);
}

TEST(ProductInPlace, is_for_a_single_column_wherever_it_lies) {
  eager::init();
  for (const auto kind : {graph::InputKind::argument, graph::InputKind::parameter}) {
    const auto packs = [kind](const std::vector<Sizes>& sizes, const Function& f) {
      return packs_of(graph_of(sizes, f, true, DType::f32, kind));
    };
    EXPECT_EQ(packs({{300, 40}, {40, 1}}, product), by_rows);
    EXPECT_EQ(packs({{300, 40}, {1, 40}}, linear_map), by_rows);
    EXPECT_EQ(packs({{8, 300}, {300, 1}}, product), by_rows) << "few rows";
  }
}

// Many products keep all threads busy without being cut as finely as a single one.
TEST(ProductBatches, are_cut_for_one_thread_each_where_they_are_many) {
  const kernels::Product& f32s = kernels::products()[0];
  EXPECT_EQ(kernels::product_threads(7, 4), 4);
  EXPECT_EQ(kernels::product_threads(8, 4), 1);
  EXPECT_EQ(kernels::product_threads(1, 1), 1);
  EXPECT_EQ(f32s.cut_plain(8, 8, 8, 1).count, 1);
  EXPECT_GT(f32s.cut_plain(8, 8, 8, 4).count, 1);
  eager::init();
  const Compiled c = compile_graph(graph_of({{16, 8, 8}, {16, 8, 8}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{bmm(in[0], in[1])};
  }));
  EXPECT_NE(c.report.kernels.back().source.find("8, product_threads(16, args->threads));"),
            std::string::npos)
      << c.report.kernels.back().source;
}

TEST(ProductInPlace, is_for_whatever_would_be_packed_at_every_call) {
  eager::init();
  for (const int64_t m : {1, 47, 513}) {
    EXPECT_EQ(packs_of(graph_of({{m, 40}, {40, 100}}, product)), by_rows) << m << " rows";
  }
  EXPECT_EQ(packs_of(graph_of({{9, 40}, {40, 100}},
                              [](std::vector<Tensor> in) {
                                return std::vector<Tensor>{mm(in[0], relu(in[1]))};
                              })),
            by_rows)
      << "a right operand that is computed";
  EXPECT_EQ(packs_of(graph_of({{9, 80}, {40, 100}},
                              [](std::vector<Tensor> in) {
                                return std::vector<Tensor>{mm(slice(in[0], 1, 0, 80, 2), in[1])};
                              })),
            packed)
      << "a left operand with no elements that are neighbours";
}

TEST(ProductInPlace, is_for_sizes_that_differ_from_call_to_call_but_not_for_parameters_there) {
  eager::init();
  const auto packs = [](graph::InputKind kind) {
    const Size m(60, sym::Expr::symbol("s0"));
    graph::Builder b;
    const Tensor x = b.input("x", f32({m, 64})), w = b.input("w", f32({64, 32}), kind);
    {
      const Using use(&b);
      b.output(mm(x, w));
    }
    graph::Graph g = b.take();
    return packs_of(g);
  };
  EXPECT_EQ(packs(graph::InputKind::argument), by_rows);
  EXPECT_EQ(packs(graph::InputKind::parameter), packed);
}

TEST(ProductInPlace, knows_the_sizes_that_only_its_right_operand_has) {
  eager::init();
  const Size rows(9, sym::Expr::symbol("s0"));
  graph::Builder b;
  const Tensor x = b.input("x", f32({3, 60, 6})), w = b.input("w", f32({3, rows, 8}));
  {
    const Using use(&b);
    b.output(bmm(x, slice(w, 1, 0, 6)));
  }
  graph::Graph g = b.take();
  Compiled c = compile_graph(g);
  const std::vector<Tensor> in{random_tensor({3, 60, 6}, 1), random_tensor({3, 9, 8}, 2)};
  expect_same_bits(c.run(in, {9})[0], bmm(in[0], slice(in[1], 1, 0, 6)));
}

TEST(ProductEpilogue, picks_an_element_for_each_of_the_sums) {
  eager::init();
  const auto picks = [](const std::vector<Tensor>& in) {
    const Tensor where = remainder(to(mm(in[0], in[1]) * 10, DType::i64), in[2].size(0));
    return std::vector<Tensor>{index_select(in[2], 0, reshape(where, {-1}))};
  };
  const graph::Graph g = graph_of({{3, 20}, {20, 37}, {7}}, picks, true);
  Compiled c = compile_graph(g);
  const std::vector<Tensor> in{random_tensor({3, 20}, 1), random_tensor({20, 37}, 2),
                               random_tensor({7}, 3)};
  EXPECT_NE(c.report.kernels.back().source.find("checked_index"), std::string::npos);
  EXPECT_NE(c.report.kernels.back().source.find("Vec<f32> sum"), std::string::npos);
  expect_same_bits(c.run(in)[0], picks(in)[0]);
}

// How the last kernel of a program of f32 matrices writes the result of its product.
enum class Written { as_it_is, from_turned_sums, from_turned_results, by_the_transposed_product };
std::ostream& operator<<(std::ostream& out, Written how) {
  switch (how) {
    case Written::as_it_is:
      return out << "as it is";
    case Written::from_turned_sums:
      return out << "from turned sums";
    case Written::from_turned_results:
      return out << "from turned results";
    case Written::by_the_transposed_product:
      break;
  }
  return out << "by the transposed product";
}
Written written(const std::vector<Sizes>& sizes, const Function& f,
                graph::InputKind kind = graph::InputKind::argument) {
  const Compiled c = compile_graph(graph_of(sizes, f, true, DType::f32, kind));
  const std::string& text = c.report.kernels.back().source;
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has("cut = product.")) << text;
  const Written how = has("product.turn(sums")  ? Written::from_turned_sums
                      : has("transpose_block(") ? Written::from_turned_results
                      : has("the transposed product is computed")
                          ? Written::by_the_transposed_product
                          : Written::as_it_is;
  EXPECT_TRUE(how == Written::as_it_is || !has("_strided(")) << text;
  return how;
}

std::vector<Tensor> transposed_product(const std::vector<Tensor>& in) {
  return {contiguous(transpose(mm(in[0], in[1]), 0, 1))};
}

TEST(ProductTransposed, is_turned_over_in_blocks_before_it_is_written) {
  eager::init();
  EXPECT_EQ(written({{100, 40}, {40, 50}}, transposed_product), Written::from_turned_sums);
  EXPECT_EQ(written({{100, 40}, {40, 50}}, transposed_product, graph::InputKind::parameter),
            Written::from_turned_sums);
  EXPECT_EQ(written({{100, 40}, {40, 1}}, product), Written::from_turned_sums) << "one column";
  EXPECT_EQ(written({{15, 40}, {40, 50}}, transposed_product), Written::as_it_is) << "few rows";
  EXPECT_EQ(written({{100, 40}, {40, 50}}, product), Written::as_it_is);
  EXPECT_EQ(
      written({{3, 100, 40}, {3, 40, 50}},
              [](std::vector<Tensor> in) {
                return std::vector<Tensor>{contiguous(transpose(bmm(in[0], in[1]) * 2, 1, 2))};
              }),
      Written::from_turned_sums);
}

TEST(ProductTransposed,
     is_the_product_of_the_transposed_operands_where_the_left_one_is_transposed) {
  eager::init();
  const auto of_columns = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{contiguous(transpose(mm(transpose(in[0], 0, 1), in[1]), 0, 1))};
  };
  EXPECT_EQ(written({{40, 100}, {40, 50}}, of_columns), Written::by_the_transposed_product);
  EXPECT_EQ(
      written({{40, 100}, {50, 40}},
              [&](std::vector<Tensor> in) { return of_columns({in[0], transpose(in[1], 0, 1)}); }),
      Written::by_the_transposed_product);
  EXPECT_EQ(written({{40, 100}, {40, 50}},
                    [&](std::vector<Tensor> in) { return of_columns({exp(in[0]), in[1]}); }),
            Written::by_the_transposed_product)
      << "a left operand that is computed lies in memory";
}

TEST(ProductTransposed, is_turned_over_after_what_is_read_along_the_product) {
  eager::init();
  const auto residual = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{contiguous(transpose(mm(in[0], in[1]) + in[2], 0, 1))};
  };
  EXPECT_EQ(written({{100, 40}, {40, 50}, {100, 50}}, residual), Written::from_turned_results);
  const auto both = [](const std::vector<Tensor>& in) {
    const Tensor y = relu(mm(in[0], in[1]));
    return std::vector<Tensor>{y, contiguous(transpose(y, 0, 1))};
  };
  EXPECT_EQ(written({{100, 40}, {40, 50}}, both), Written::from_turned_results);
  for (const Function& f : {Function(residual), Function(both)}) {
    for (const int64_t m : {16, 100, 130}) {
      const std::vector<Sizes> sizes{{m, 40}, {40, 70}, {m, 70}};
      Compiled c = compile_graph(graph_of(sizes, f));
      const std::vector<Tensor> in{random_tensor(sizes[0], 1), random_tensor(sizes[1], 2),
                                   random_tensor(sizes[2], 3)},
          got = c.run(in), want = f(in);
      for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
    }
  }
}

TEST(ProductTransposed, has_the_digits_of_eager_at_sizes_that_differ_from_call_to_call) {
  eager::init();
  const Size m(60, sym::Expr::symbol("s0"));
  graph::Builder b;
  const Tensor x = b.input("x", f32({m, 64})), w = b.input("w", f32({64, 32})),
               z = b.input("z", f32({m, 32}));
  {
    const Using use(&b);
    b.output(contiguous(transpose(mm(x, w), 0, 1)));
    b.output(contiguous(transpose(mm(x, w) + z, 0, 1)));
  }
  graph::Graph g = b.take();
  Compiled c = compile_graph(g);
  for (const int64_t rows : {1, 7, 16, 33, 300}) {
    const std::vector<Tensor> in{random_tensor({rows, 64}, 1), random_tensor({64, 32}, 2),
                                 random_tensor({rows, 32}, 3)};
    const std::vector<Tensor> got = c.run(in, {rows});
    SCOPED_TRACE(rows);
    expect_same_bits(got[0], contiguous(transpose(mm(in[0], in[1]), 0, 1)));
    expect_same_bits(got[1], contiguous(transpose(mm(in[0], in[1]) + in[2], 0, 1)));
  }
}

TEST(ProductTransposed, is_not_what_a_convolution_of_single_elements_becomes) {
  eager::init();
  const auto convolve = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{relu(conv2d(in[0], in[1], in[2]))};
  };
  const std::vector<Sizes> sizes{{3, 20, 7, 9}, {40, 20, 1, 1}, {40}};
  Compiled c = compile_graph(passed_graph_of(sizes, convolve));
  ASSERT_EQ(c.report.kernels.size(), 1U);
  const std::string& text = c.report.kernels[0].source;
  EXPECT_NE(text.find("right operand: read in place"), std::string::npos) << text;
  EXPECT_EQ(text.find("loops: "), std::string::npos) << text;
  const std::vector<Tensor> in{random_tensor(sizes[0], 1), random_tensor(sizes[1], 2),
                               random_tensor(sizes[2], 3)};
  expect_same_bits(c.run(in)[0], convolve(in)[0]);
}

TEST(ProductText, names_the_sizes_of_its_operands) {
  const auto computes = [](const std::vector<Sizes>& sizes, const Function& f) {
    const Compiled c = compile_graph(graph_of(sizes, f));
    const std::string& text = c.report.kernels.back().source;
    const size_t at = text.find("computes: ");
    return at == text.npos ? text : text.substr(at + 10, text.find('\n', at) - at - 10);
  };
  EXPECT_EQ(computes({{37, 65}, {65, 50}}, product), "matmul [37, 65] x [65, 50]");
  const Function batches = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{bmm(in[0], in[1])};
  };
  EXPECT_EQ(computes({{3, 9, 20}, {3, 20, 17}}, batches), "matmul 3 x [9, 20] x [20, 17]");
}

TEST(ProductText, prefetches_what_follows_the_sums_if_it_is_not_in_a_cache) {
  const auto source = [](int64_t m, int64_t n, bool reads) {
    const Function f = [&](const std::vector<Tensor>& in) {
      const Tensor y = mm(in[0], in[1]);
      return std::vector<Tensor>{reads ? y + in[2] : y};
    };
    std::string all;
    for (const auto& kernel : compile_graph(graph_of({{m, 64}, {64, n}, {m, n}}, f)).report.kernels)
      all += kernel.source;
    return all;
  };
  const auto asks = [](const std::string& text) {
    return text.find("ProductAhead") != std::string::npos;
  };
  EXPECT_TRUE(asks(source(2048, 1024, true)));
  EXPECT_FALSE(asks(source(2048, 1024, false)));
  EXPECT_FALSE(asks(source(64, 256, true)));
}

TEST(ProductText, loads_what_follows_a_column_once_for_all_rows_unless_rows_need_values_too) {
  const auto source = [](bool of_rows) {
    const Function f = [=](const std::vector<Tensor>& in) {
      const Tensor y = relu(mm(in[0], in[1]) + in[2]);
      return std::vector<Tensor>{of_rows ? y * in[3] : y};
    };
    const Compiled c = compile_graph(graph_of({{37, 65}, {65, 50}, {50}, {37, 1}}, f, true,
                                              DType::f32, graph::InputKind::parameter));
    return c.report.kernels.back().source;
  };
  const auto in_order = [](const std::string& text, std::initializer_list<std::string_view> parts) {
    size_t at = 0;
    for (const std::string_view part : parts) at = at == text.npos ? at : text.find(part, at);
    return at != text.npos;
  };
  const std::string columns = source(false), rows = source(true);
  EXPECT_TRUE(in_order(columns, {"finish_part", "for (i64 column", "load(z + column, count)",
                                 "for (i64 row", "load(sums"}))
      << columns;
  EXPECT_TRUE(in_order(rows, {"finish_part", "for (i64 row", "for (i64 column", "load(sums"}))
      << rows;
}

TEST(ProductText, reads_as_blocks_of_sums_and_what_follows_them) {
  eager::init();
  for (const auto kind : {graph::InputKind::argument, graph::InputKind::parameter}) {
    const Compiled c =
        compile_graph(graph_of({{37, 65}, {65, 50}}, product, true, DType::f32, kind));
    const std::string& text = c.report.kernels.back().source;
    const bool kept = kind == graph::InputKind::parameter;
    const size_t why =
                     text.find(kept ? "right operand: packed once, as few rows (37) are multiplied"
                                    : "right operand: read in place"),
                 multiply = text.find(kept ? "product.multiply({at.rows, at.columns, 65,"
                                           : "product.multiply_plain({at.rows, at.columns, 65,"),
                 relu = text.find("maximum(sum,");
    EXPECT_NE(why, std::string::npos) << text;
    EXPECT_NE(multiply, std::string::npos) << text;
    EXPECT_NE(relu, std::string::npos) << text;
    // Of panels it runs for parts of a block, as a function that the product gets.
    EXPECT_EQ(multiply < relu, !kept);
    EXPECT_EQ(text.find("&finish});") != std::string::npos, kept);
  }
}

}  // namespace
}  // namespace vitro::backend
