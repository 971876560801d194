// Chains of products: when they are one kernel, and the bits of its results.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "backend/programs.h"
#include "eager/eager.h"

namespace vitro::backend {
namespace {

struct Attention {
  int64_t batch, heads, rows, keys, width;
};

// Reshapes [batch, length, heads * width] to [batch, heads, length, width].
Tensor by_head(const Tensor& x, const Attention& a, int64_t length) {
  return permute(view(x, {a.batch, length, a.heads, a.width}), {0, 2, 1, 3});
}

std::vector<Sizes> sizes_of(const Attention& a) {
  const int64_t all = a.heads * a.width;
  return {{a.batch, a.rows, all}, {a.batch, a.keys, all}, {a.batch, a.keys, all}};
}

Tensor attend(const std::vector<Tensor>& in, const Attention& a, const Tensor& mask,
              bool is_causal) {
  const Tensor mixed =
      scaled_dot_product_attention(by_head(in[0], a, a.rows), by_head(in[1], a, a.keys),
                                   by_head(in[2], a, a.keys), mask, 0, is_causal);
  return reshape(permute(mixed, {0, 2, 1, 3}), {a.batch, a.rows, a.heads * a.width});
}

bool is_chained(const Compiled& c) {
  return std::any_of(c.report.kernels.begin(), c.report.kernels.end(), [](const KernelReport& k) {
    return std::count(k.ops.begin(), k.ops.end(), "bmm") == 2;
  });
}

// The reason and the code of the last refusal between two products.
std::pair<std::string, std::string_view> refusal(const Compiled& c) {
  for (auto d = c.report.fusion.rbegin(); d != c.report.fusion.rend(); ++d) {
    if (!d->verdict) return {d->verdict.why, d->verdict.code->id};
  }
  return {};
}

Compiled run_and_compare(const std::vector<Sizes>& sizes, const Function& f,
                         std::vector<Tensor> inputs = {}) {
  eager::init();
  Compiled c = compile_graph(passed_graph_of(sizes, f));
  if (std::getenv("VITRO_SHOW")) show(c);
  for (size_t i = inputs.size(); i < sizes.size(); ++i) {
    inputs.push_back(random_tensor(sizes[i], static_cast<uint32_t>(i + 1)));
  }
  const std::vector<Tensor> want = f(inputs), got = c.run(inputs);
  for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  return c;
}

TEST(Chain, attention_is_one_kernel_with_the_digits_of_eager) {
  for (const Attention a :
       {Attention{1, 12, 128, 128, 64}, Attention{2, 3, 20, 20, 16}, Attention{1, 2, 130, 300, 24},
        Attention{3, 1, 1, 37, 8}, Attention{1, 4, 70, 5, 33}, Attention{1, 1, 17, 1025, 64}}) {
    const Compiled c = run_and_compare(sizes_of(a), [a](std::vector<Tensor> in) {
      return std::vector<Tensor>{attend(in, a, {}, false)};
    });
    EXPECT_TRUE(is_chained(c)) << a.rows << " rows, " << a.keys << " keys";
  }
}

TEST(Chain, masks_are_applied_to_the_rows_in_scratch) {
  const Attention a{2, 3, 50, 70, 16};
  std::vector<Sizes> sizes = sizes_of(a);
  for (const Sizes& mask : {Sizes{50, 70}, Sizes{2, 1, 1, 70}, Sizes{2, 3, 50, 70}}) {
    sizes.resize(3);
    sizes.push_back(mask);
    for (const bool is_causal : {false, true}) {
      for (const bool is_bool : {false, true}) {
        const Compiled c = run_and_compare(sizes, [&](std::vector<Tensor> in) {
          return std::vector<Tensor>{attend(in, a, is_bool ? in[3] > 0.5 : in[3], is_causal)};
        });
        EXPECT_TRUE(is_chained(c)) << mask.size() << refusal(c).first;
      }
    }
  }
}

TEST(Chain, what_is_not_finite_spreads_as_in_eager) {
  const Attention a{1, 2, 40, 40, 16};
  std::vector<Tensor> in;
  for (size_t i = 0; i < 3; ++i) {
    in.push_back(random_tensor(sizes_of(a)[i], static_cast<uint32_t>(i + 1)));
  }
  in[2].data<float>()[39 * 32 + 3] = std::numeric_limits<float>::quiet_NaN();
  in[2].data<float>()[38 * 32 + 20] = std::numeric_limits<float>::infinity();
  in[0].data<float>()[7] = std::numeric_limits<float>::infinity();
  const Compiled c = run_and_compare(
      sizes_of(a),
      [&](std::vector<Tensor> x) { return std::vector<Tensor>{attend(x, a, {}, true)}; }, in);
  EXPECT_TRUE(is_chained(c));
}

TEST(Chain, lengths_can_be_symbols) {
  eager::init();
  const sym::Expr s0 = sym::Expr::symbol("s0");
  const Size n(12, s0);
  const auto f = [](std::vector<Tensor> in) {
    const auto heads = [&](const Tensor& t) {
      return permute(view(t, {1, t.size(1), 3, 16}), {0, 2, 1, 3});
    };
    const Tensor mixed = scaled_dot_product_attention(heads(in[0]), heads(in[1]), heads(in[1]));
    return std::vector<Tensor>{
        matmul(reshape(permute(mixed, {0, 2, 1, 3}), {1, in[0].size(1), 48}), in[2])};
  };
  graph::Graph g = graph_of({{1, n, 48}, {1, n, 48}, {48, 20}}, f, false);
  Compiled c = compile_graph(graph::run_passes(std::move(g), graph::standard_passes()));
  if (std::getenv("VITRO_SHOW")) show(c);
  EXPECT_TRUE(is_chained(c));
  for (const int64_t length : {2, 12, 77, 300}) {
    const std::vector<Tensor> in{random_tensor({1, length, 48}), random_tensor({1, length, 48}, 2),
                                 random_tensor({48, 20}, 3)};
    const std::vector<Tensor> want = f(in), got = c.run(in, {length});
    expect_same_bits(got[0], want[0]);
  }
}

// The inner dimension is a sum of symbols: strides of panels are products with it.
TEST(Chain, lengths_can_be_sums_of_symbols) {
  eager::init();
  const Size n(12, sym::Expr::symbol("s0"));
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto f = [](std::vector<Tensor> in) {
      const Tensor x = slice(in[0], 0, in[0].size(0) / 2);
      return std::vector<Tensor>{scaled_dot_product_attention(x, x, x), matmul(t(x), exp(x)),
                                 matmul(exp(t(x)), x)};
    };
    graph::Graph g = graph_of({{n, 100}}, f, false, dtype);
    Compiled c = compile_graph(graph::run_passes(std::move(g), graph::standard_passes()));
    for (const int64_t length : {12, 31, 130}) {
      const Tensor x = to(random_tensor({length, 100}), dtype);
      const std::vector<Tensor> want = f({x}), got = c.run({x}, {length});
      for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
    }
  }
}

TEST(Chain, rows_that_the_caller_gets_are_in_memory) {
  const Compiled c = run_and_compare({{4, 9, 8}, {4, 8, 9}, {4, 9, 8}}, [](std::vector<Tensor> in) {
    const Tensor weights = softmax(bmm(in[0], in[1]), -1);
    return std::vector<Tensor>{weights, bmm(weights, in[2])};
  });
  EXPECT_FALSE(is_chained(c));
  EXPECT_EQ(refusal(c).second, "V0407") << refusal(c).first;
}

TEST(Chain, rows_in_another_order_are_not_handed_on) {
  const Compiled c = run_and_compare({{4, 9, 8}, {4, 8, 9}, {4, 9, 8}}, [](std::vector<Tensor> in) {
    const Tensor weights = softmax(bmm(in[0], in[1]), -1);
    return std::vector<Tensor>{bmm(permute(weights, {0, 2, 1}), in[2])};
  });
  EXPECT_FALSE(is_chained(c));
  EXPECT_EQ(refusal(c).second, "V0408") << refusal(c).first;
}

// The exponentials are not stored, but computed where they are read: at other columns.
TEST(Chain, rows_that_are_read_at_other_columns_are_not_handed_on) {
  const std::vector<Sizes> sizes = {{9, 8}, {8, 9}, {9, 8}, {9}};
  const auto expect_refused = [&](auto read) {
    const auto f = [&](std::vector<Tensor> in) {
      const Tensor rows = exp(mm(in[0], in[1]) * 0.1);
      return std::vector<Tensor>{mm(softmax(read(rows, argsort(in[3])), 1), in[2])};
    };
    const Compiled c = run_and_compare(sizes, f);
    EXPECT_EQ(refusal(c).second, "V0408") << refusal(c).first;
  };
  expect_refused([](const Tensor& rows, const Tensor&) { return flip(rows, {1}); });
  expect_refused([](const Tensor& rows, const Tensor& at) {
    return gather(rows, 1, expand(unsqueeze(at, 0), {9, 9}));
  });
}

TEST(Chain, an_operand_that_is_computed_goes_through_memory) {
  const Compiled c = run_and_compare({{4, 9, 8}, {4, 8, 9}, {4, 9, 8}}, [](std::vector<Tensor> in) {
    const Tensor q = in[0] + 1;  // both readers compute it
    return std::vector<Tensor>{bmm(softmax(bmm(q, in[1]), -1), in[2]), exp(q)};
  });
  EXPECT_FALSE(is_chained(c));
  EXPECT_EQ(refusal(c).second, "V0412") << refusal(c).first;
}

TEST(Chain, rows_that_are_both_operands_go_through_memory) {
  const Compiled c = run_and_compare({{5, 8}, {8, 5}}, [](std::vector<Tensor> in) {
    const Tensor rows = softmax(mm(in[0], in[1]), -1);
    return std::vector<Tensor>{mm(rows, permute(rows, {1, 0}))};
  });
  EXPECT_EQ(refusal(c).second, "V0412") << refusal(c).first;
}

}  // namespace
}  // namespace vitro::backend
