// Compares interpreted kernels with the same kernels compiled.
#include "loop/interpret.h"

#include <gtest/gtest.h>

#include "backend/programs.h"

namespace vitro::backend {
namespace {

std::vector<Tensor> run_interpreted(const graph::Graph& g, const std::vector<Tensor>& inputs,
                                    const std::vector<int64_t>& symbols = {}) {
  BuildOptions options;
  options.interpret = true;
  return compile_graph(g, options).run(inputs, symbols);
}

graph::Graph graph_for(const std::vector<Tensor>& inputs, const Function& f) {
  std::vector<Sizes> sizes;
  for (const Tensor& t : inputs) sizes.push_back(t.sizes());
  return graph_of(sizes, f, true, inputs[0].dtype());
}

void expect_bits(const std::vector<Tensor>& inputs, const Function& f) {
  const std::vector<Tensor> want = f(inputs);
  const std::vector<Tensor> got = run_interpreted(graph_for(inputs, f), inputs);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
}

Tensor integers(const Sizes& sizes, DType dtype, uint32_t seed = 1) {
  return to(random_tensor(sizes, seed) * 40, dtype);
}

constexpr DType all_dtypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,
                                DType::i16, DType::i32, DType::i64, DType::u8};

TEST(Interpret, arithmetic_of_every_dtype_has_the_bits_of_compiled_kernels) {
  for (const DType dtype : all_dtypes) {
    SCOPED_TRACE(cat(dtype));
    const Tensor x = integers({3, 37}, dtype), y = integers({37}, dtype, 2);
    expect_bits({x, y}, [](std::vector<Tensor> in) {
      const Tensor a = in[0], b = in[1];
      return std::vector<Tensor>{a + b,
                                 a - b * a,
                                 -a,
                                 abs(a),
                                 minimum(a, b),
                                 maximum(a, b),
                                 where(a < b, a, b),
                                 to(a <= b, DType::i32),
                                 to(a, DType::f32) / 3,
                                 to(to(a, DType::f64) * 1e3, DType::i8),
                                 floor_divide(a, where(b == 0, b + 1, b)),
                                 remainder(a, where(b == 0, b + 1, b)),
                                 fmod(a, where(b == 0, b + 1, b))};
    });
  }
}

TEST(Interpret, functions_lie_within_their_bounds) {
  constexpr DType floats[] = {DType::f32, DType::f64};
  for (const DType dtype : floats) {
    const Tensor x = to(random_tensor({517}), dtype);
    const Function f = [](std::vector<Tensor> in) {
      const Tensor a = in[0], p = abs(a) + 0.25;
      return std::vector<Tensor>{
          exp(a),       exp2(a),     expm1(a),     log(p),
          log2(p),      log10(p),    log1p(p),     sqrt(p),
          rsqrt(p),     sin(a),      cos(a),       tan(a),
          asin(a / 2),  acos(a / 2), atan(a),      sinh(a),
          cosh(a),      tanh(a),     asinh(a),     acosh(p + 1),
          atanh(a / 3), erf(a),      erfc(a),      pow(p, a),
          atan2(a, p),  floor(a),    ceil(a),      round(a * 4),
          trunc(a),     sigmoid(a),  isnan(a / 0), to(isinf(a / 0), DType::u8)};
    };
    const std::vector<Tensor> want = f({x}), got = run_interpreted(graph_for({x}, f), {x});
    const double ulp = dtype == DType::f32 ? 0x1p-23 : 0x1p-52;
    for (size_t i = 0; i < want.size(); ++i) {
      const std::vector<double> a = to(got[i], DType::f64).to_vector<double>(),
                                b = to(want[i], DType::f64).to_vector<double>();
      for (size_t j = 0; j < a.size(); ++j)
        ASSERT_NEAR(a[j], b[j], 8 * ulp * std::abs(b[j])) << "result " << i << " of " << cat(dtype);
    }
  }
}

TEST(Interpret, reductions_add_in_the_same_order) {
  for (const Sizes& sizes : {Sizes{5, 1000}, Sizes{1000, 5}, Sizes{3, 70, 40}, Sizes{1, 4099}}) {
    SCOPED_TRACE(cat(sizes));
    expect_bits({random_tensor(sizes)}, [](std::vector<Tensor> in) {
      const Tensor x = in[0];
      return std::vector<Tensor>{sum(x),
                                 sum(x, 0),
                                 sum(x, -1),
                                 mean(x, 0),
                                 amax(x, 0),
                                 argmax(x, -1),
                                 argmin(x, 0),
                                 prod(x, -1),
                                 var(x, -1, 1),
                                 to(any(x > 1.9), DType::u8),
                                 sum(x * 2 + 1, -1)};
    });
  }
}

TEST(Interpret, elements_are_picked_and_put_in_the_same_order) {
  expect_bits({random_tensor({6, 50, 9})}, [](std::vector<Tensor> in) {
    const Tensor x = in[0];
    const Tensor i = to(floor(select(x, 2, 0) * 2), DType::i64);  // some of each sign
    const Tensor at = remainder(i, 6), back = remainder(i, 9) - 9;
    const Tensor y = index(x, {at, {}, back});
    return std::vector<Tensor>{y, index_put(x, {at, {}, back}, y * 2, true),
                               index_put(x, {{}, {}, back}, select(select(y, 0, 0), 0, 0)),
                               scatter_reduce(x, 0, remainder(to(floor(x * 3), DType::i64), 6),
                                              x * 2, ops::ScatterReduction::amin),
                               scatter_reduce(x, 0, remainder(to(floor(x * 3), DType::i64), 6),
                                              x * 2, ops::ScatterReduction::prod, false)};
  });
}

TEST(Interpret, scans_keep_every_step) {
  for (const Sizes& sizes : {Sizes{5, 300}, Sizes{300, 5}, Sizes{3, 40, 37}}) {
    SCOPED_TRACE(cat(sizes));
    expect_bits({random_tensor(sizes)}, [](std::vector<Tensor> in) {
      const auto [most, where_it_is] = cummax(in[0], 0);
      const auto [values, indices] = max(in[0], -1);
      return std::vector<Tensor>{cumsum(in[0] * 2, 0) + 1,
                                 cumsum(in[0], -1),
                                 cumprod(in[0], 1),
                                 most,
                                 where_it_is,
                                 values,
                                 indices};
    });
  }
}

TEST(Interpret, rows_in_order) {
  for (const DType dtype : all_dtypes) {
    SCOPED_TRACE(cat(dtype));
    expect_bits({integers({5, 90}, dtype)}, [](std::vector<Tensor> in) {
      const auto [values, indices] = sort(in[0] + in[0], 0, true);
      const auto [least, where_it_is] = topk(in[0], 3, 1, false);
      return std::vector<Tensor>{values, indices, least, where_it_is};
    });
  }
}

TEST(Interpret, layouts_and_indices) {
  const Tensor x = random_tensor({40, 50});
  expect_bits({x}, [](std::vector<Tensor> in) {
    const Tensor at = remainder(arange(64) * 7, 40);
    return std::vector<Tensor>{contiguous(t(in[0])),
                               in[0] + reshape(t(in[0]), {40, 50}),
                               index_select(in[0], 0, at),
                               slice(in[0], 1, 3, 40, 4) * 2,
                               cat({in[0], in[0] * 2}, 1),
                               tril(in[0], 2),
                               slice_scatter(in[0], slice(in[0], 0, 0, 5) * 3, 0, 10, 15)};
  });
}

TEST(Interpret, sizes_are_those_of_the_call) {
  const sym::Expr s = sym::Expr::symbol("s0");
  graph::Builder b;
  const Tensor x = b.input("x", f32({Size(7, s), 3}));
  {
    const Using use(&b);
    b.output(sum(x * 2, 0));
    b.output(x + 1);
  }
  const graph::Graph g = b.take();
  for (const int64_t rows : {1, 7, 300}) {
    const Tensor input = random_tensor({rows, 3});
    const std::vector<Tensor> got = run_interpreted(g, {input}, {rows});
    expect_same_bits(got[0], sum(input * 2, 0));
    expect_same_bits(got[1], input + 1);
  }
}

TEST(Interpret, an_index_that_is_out_of_range_is_an_error) {
  const Tensor table = random_tensor({4, 3}), at = Tensor::from<int64_t>({0, 3, 9}, {3});
  graph::Builder b;
  const Tensor t0 = b.input("table", f32({4, 3})),
               i0 = b.input("at", ops::dense(DType::i64, cpu, {3}));
  {
    const Using use(&b);
    b.output(index_select(t0, 0, i0));
  }
  try {
    run_interpreted(b.take(), {table, at});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("index 9 is out of range; needs 0 to 3"),
              std::string::npos)
        << e.what();
  }
}

TEST(Interpret, products_are_refused_with_a_reason) {
  const graph::Graph g = graph_of({{4, 4}, {4, 4}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{mm(in[0], in[1])};
  });
  BuildOptions options;
  options.interpret = true;
  const auto made = compile(g, options);
  ASSERT_FALSE(made);
  EXPECT_NE(made.why().find("a matrix product is not interpreted"), std::string::npos)
      << made.why();
}

}  // namespace
}  // namespace vitro::backend
