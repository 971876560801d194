// Sizes, strides and numbers that vary: symbols, guards on them, and sizes beyond 64 bits.
#include "capture/testing.h"

namespace vitro {
namespace {

TEST(Dynamic, a_size_that_differs_at_the_second_call_becomes_a_symbol) {
  auto f = compile([](const Tensor& x) { return mul(add(x, x), 2.0); }, graphs());
  for (const int64_t n : {3, 5, 7, 100, 3})
    EXPECT_EQ(f(counted({n, 2})).numel().value(), n * 2) << n;
  const CompiledReport report = f.report();
  EXPECT_EQ(report.segments.size(), 2U);
  ASSERT_EQ(report.recompiles.size(), 1U);
  EXPECT_EQ(report.recompiles[0].code->id, "V0302");
  EXPECT_NE(report.recompiles[0].location.find("size_test.cpp:"), std::string::npos);
  EXPECT_EQ(report.recompiles[0].reason, "input 0: expected f32[3, 2], got f32[5, 2]");
  EXPECT_EQ(report.guards, (std::vector<std::string>{"input 0: f32[3, 2]", "input 0: f32[s0, 2]"}));
  expect_sound_graphs(report);
}

TEST(Dynamic, a_marked_size_is_a_symbol_from_the_start) {
  auto f = compile([](const Tensor& x) { return exp(x); }, graphs());
  const Tensor x = counted({4, 3});
  x.impl()->dynamic_dims = 1;
  f(x);
  f(counted({9, 3}));
  EXPECT_EQ(f.report().segments.size(), 1U);
  EXPECT_TRUE(f.report().recompiles.empty());
}

TEST(Dynamic, can_be_switched_off_and_on) {
  CompileOptions fixed = graphs(), free = graphs();
  fixed.dynamic = false;
  free.dynamic = true;
  const auto program = [](const Tensor& x) { return exp(x); };
  auto f = compile(program, fixed), g = compile(program, free);
  for (const int64_t n : {2, 3, 4}) {
    f(counted({n}));
    g(counted({n}));
  }
  EXPECT_EQ(f.report().segments.size(), 3U);
  EXPECT_EQ(g.report().segments.size(), 1U);
}

TEST(Dynamic, a_question_of_a_shape_rule_is_a_guard_that_is_checked) {
  auto f = compile([](const Tensor& x, const Tensor& y) { return add(x, y); }, graphs());
  const auto run = [&](int64_t a, int64_t b) {
    const Tensor x = counted({a, 1}), y = counted({b});
    EXPECT_EQ(values(f(x, y)), values(add(x, y)));
  };
  run(2, 3);
  run(4, 5);
  run(6, 6);
  run(3, 1);
  EXPECT_THROW(f(counted({3}), counted({4})), Error);
  run(8, 9);
}

TEST(Dynamic, a_shape_error_reads_the_same_as_eager) {
  auto f = compile([](const Tensor& x, const Tensor& y) { return add(x, y); }, graphs());
  std::string eager_text, compiled_text;
  const Tensor x = counted({3}), y = counted({4});
  try {
    add(x, y);
  } catch (const Error& e) {
    eager_text = e.message();
  }
  try {
    f(x, y);
  } catch (const Error& e) {
    compiled_text = e.message();
  }
  EXPECT_FALSE(eager_text.empty());
  EXPECT_EQ(compiled_text, eager_text);
}

TEST(Dynamic, an_error_about_a_symbolic_size_reads_the_same_as_eager) {
  const auto text_of = [](auto&& f, int64_t n) -> std::string {
    try {
      f(counted({n}));
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const auto counts = [](const Tensor& x) { return arange(3, x.size(0)); };
  const auto looks = [](const Tensor& x) { return x * slice(x, 0, 0, x.size(0) / 4).item(); };
  const auto cuts = [](const Tensor& x) {
    return reshape(slice(expand(x, {3, x.size(0)}), 0, 3), {0, -1});
  };
  auto counted_up = compile(counts, graphs());
  auto looked_at = compile(looks, graphs());
  auto cut = compile(cuts, graphs());
  for (const int64_t n : {4, 5, 2, 9}) {
    EXPECT_EQ(text_of(counted_up, n), text_of(counts, n));
    EXPECT_EQ(text_of(looked_at, n), text_of(looks, n));
    EXPECT_EQ(text_of(cut, n), text_of(cuts, n));
  }
}

TEST(Dynamic, the_length_of_fractions_up_to_a_size_is_asked) {
  const auto program = [](const Tensor& x) {
    return slice(arange(0.5, x.size(0), 0.25), 0, -18, 20, 3);
  };
  auto f = compile(program, graphs());
  for (const int64_t n : {6, 4, 7, 9}) {
    EXPECT_EQ(values(f(counted({n}))), values(program(counted({n}))));
  }
}

// 64 bits cannot count the product of the other sizes.
TEST(Dynamic, tensors_without_elements_may_have_sizes_of_any_size) {
  constexpr int64_t much = int64_t{1} << 31;
  auto f = compile([](const Tensor& x) { return add(x, x); }, graphs());
  for (const DType dtype : {DType::c64, DType::f32}) {
    const Tensor x = Tensor::empty({much, 0, much}, dtype);
    EXPECT_EQ(cat(f(x).sizes(), f(x).strides()), cat(x.sizes(), x.strides()));
  }
}

TEST(Dynamic, tensors_without_elements_have_strides_of_their_other_sizes) {
  auto f = compile([](const Tensor& x) { return tanh(transpose(x, 1, 3)); }, graphs());
  for (const int64_t n : {6, 7, 8}) {
    const Tensor got = f(counted({5, 0, 6, n})),
                 want = tanh(transpose(counted({5, 0, 6, n}), 1, 3));
    EXPECT_EQ(got.impl()->sizes, want.impl()->sizes);
    EXPECT_EQ(got.impl()->strides, want.impl()->strides);
  }
}

TEST(Dynamic, strides_that_depend_on_whether_sizes_are_equal_are_of_this_call) {
  auto f = compile(
      [](const Tensor& q, const Tensor& v) { return scaled_dot_product_attention(q, q, v); },
      graphs());
  const Tensor v = counted({5, 5});
  for (const int64_t n : {6, 7, 5, 8}) {
    const Tensor q = transpose(counted({n, 5}), 0, 1);
    EXPECT_EQ(f(q, v).impl()->strides, scaled_dot_product_attention(q, q, v).impl()->strides);
  }
}

// A composite whose numbers vary is captured as the ops that it is written with.
TEST(Dynamic, results_of_expanded_composites_have_the_layout_of_the_composite) {
  const auto attention = [](const Tensor& q, double scale) {
    return scaled_dot_product_attention(q, q, q, {}, 0.0, false, scale);
  };
  auto f = compile(attention, graphs());
  const Tensor q = transpose(counted({2, 5, 3, 4}), 1, 3);
  for (const double scale : {0.5, 0.25, 2.0})
    EXPECT_EQ(f(q, scale).impl()->strides, attention(q, scale).impl()->strides) << scale;
}

TEST(Dynamic, a_branch_on_a_size_is_the_hosts_and_forks) {
  auto f = compile([](const Tensor& x) { return x.size(0) > 4 ? exp(x) : add(x, 1.0); }, graphs());
  for (const int64_t n : {2, 3, 4, 5, 6, 3, 9}) {
    const Tensor x = counted({n}, 0.1F);
    EXPECT_EQ(values(f(x)), values(n > 4 ? exp(x) : add(x, 1.0))) << n;
  }
}

TEST(Dynamic, a_plain_size_in_attributes_that_varies_becomes_a_symbol) {
  int64_t n = 4;
  auto f = compile([&](const Tensor& x) { return mul(slice(x, 0, 0, n), 2.0); }, graphs());
  const Tensor x = counted({64});
  for (n = 4; n < 40; n += 3) EXPECT_EQ(values(f(x)), values(mul(slice(x, 0, 0, n), 2.0))) << n;
  EXPECT_EQ(f.report().segments.size(), 2U);
  EXPECT_TRUE(f.report().fallbacks.empty());
  n = 1;
  EXPECT_EQ(f(x).numel().value(), 1);
}

TEST(Dynamic, sizes_of_tensors_behind_a_break_keep_their_symbols) {
  auto f = compile(
      [](const Tensor& x) {
        const Tensor y = add(x, 1.0);
        graph_break("in the middle");
        return sum(view(mul(y, x), {x.size(0) / 2, 2}), {1});
      },
      graphs());
  for (const int64_t n : {4, 6, 8, 10, 12}) {
    const Tensor x = counted({n});
    EXPECT_EQ(values(f(x)), values(sum(view(mul(add(x, 1.0), x), {n / 2, 2}), {1}))) << n;
  }
  EXPECT_LE(f.report().segments.size(), 4U);
}

// A view made after the break may have the address of a released one.
TEST(Dynamic, sizes_of_tensors_that_are_gone_are_forgotten) {
  auto f = compile(
      [](const Tensor& x) {
        const Tensor y = add(x, 1.0);
        Tensor whole = view(y, {y.numel()});
        if (whole.to_vector<float>().empty()) return y;
        whole = Tensor();
        const Tensor half = disable([](const Tensor& t) { return slice(t, 0, t.size(0) / 2); })(y);
        return expand(view(half, {half.numel()}), {2, half.numel()});
      },
      graphs());
  for (const int64_t n : {8, 6, 12, 7}) {
    const Tensor x = counted({n});
    const Tensor half = slice(add(x, 1.0), 0, n / 2);
    EXPECT_EQ(values(f(x)), values(expand(half, {2, half.numel()}))) << n;
  }
}

TEST(Dynamic, parameters_seen_on_the_way_may_vary_too) {
  Tensor table = counted({4, 2});
  auto f = compile([&](const Tensor& x) { return add(sum(table, {0}), x); }, graphs());
  for (const int64_t n : {4, 5, 6, 7}) {
    table = counted({n, 2});
    EXPECT_EQ(values(f(vec({1, 2}))), values(add(sum(table, {0}), vec({1, 2}))));
  }
  EXPECT_EQ(f.report().segments.size(), 2U);
}

TEST(Dynamic, strides_of_another_kind_are_another_start) {
  auto f = compile([](const Tensor& x) { return add(x, 1.0); }, graphs());
  const Tensor x = counted({3, 4});
  for (const Tensor& t : {x, permute(counted({4, 3}), {1, 0}), slice(counted({6, 8}), 1, 0, 8, 2),
                          slice(counted({5, 10}), 1, 0, 10, 2), permute(counted({7, 9}), {1, 0})}) {
    const Tensor want = add(t, 1.0), got = f(t);
    EXPECT_EQ(values(got), values(want));
    for (int64_t d = 0; d < 2; ++d)
      EXPECT_EQ(got.strides()[static_cast<size_t>(d)].value(),
                want.strides()[static_cast<size_t>(d)].value());
  }
}

TEST(Number, that_varies_becomes_an_argument) {
  auto f = compile([](const Tensor& x, double n) { return mul(x, n); }, graphs());
  for (double n = 0; n < 20; n += 0.5)
    EXPECT_EQ(values(f(vec({2}), n)), (std::vector<float>{static_cast<float>(2 * n)}));
  const CompiledReport report = f.report();
  EXPECT_EQ(report.segments.size(), 2U);
  ASSERT_EQ(report.recompiles.size(), 1U);
  EXPECT_EQ(report.recompiles[0].code->id, "V0303");
  EXPECT_EQ(report.recompiles[0].reason, "mul: operand 1: expected 0.0, got 0.5");
  const graph::Graph& g = report.segments[1].graph;
  EXPECT_EQ(g[g.inputs().at(1)].input, graph::InputKind::number);
  expect_sound_graphs(report);
}

TEST(Number, that_decides_a_shape_is_a_recompile) {
  auto f = compile([](int64_t n) { return add(arange(n), 1); }, graphs());
  for (int64_t n = 2; n < 6; ++n) EXPECT_EQ(f(n).numel().value(), n);
}

// The number of values that a program returns for these arguments, or its error.
template <class Program, class... Numbers>
std::string said(const Program& program, Numbers... numbers) {
  try {
    const std::vector<float> v = values(program(numbers...));
    return cat(v.size(), " values");
  } catch (const Error& e) {
    return e.what();
  }
}

constexpr int64_t beyond_memory = int64_t{1} << 62;

TEST(Countable, a_size_of_what_is_never_in_memory_is_refused_as_in_eager) {
  const auto program = [](int64_t n) { return add(slice(zeros({n}), 0, 0, 1), vec({1})); };
  auto f = compile(program, graphs());
  for (const int64_t n : {4, 5, 6}) EXPECT_EQ(said(f, n), "1 values");
  EXPECT_NE(said(f, beyond_memory).find("has more bytes than 64 bits can count"),
            std::string::npos);
  EXPECT_NE(said(f, beyond_memory).find(said(program, beyond_memory)), std::string::npos);
  EXPECT_EQ(said(f, 7), "1 values");
  EXPECT_EQ(f.report().segments.size(), 2U);
}

TEST(Countable, so_is_a_product_of_sizes) {
  const auto program = [](int64_t rows, int64_t columns) {
    const Tensor wide = expand(zeros({1, 1}), {rows, columns});
    return add(slice(slice(wide, 0, 0, 1), 1, 0, 1), vec({1}));
  };
  auto f = compile(program, graphs());
  constexpr int64_t many = int64_t{1} << 35;
  for (const auto& [rows, columns] :
       {std::pair{4, 5}, std::pair{6, 7}, std::pair{8, 9}, std::pair{10, 11}})
    EXPECT_EQ(said(f, int64_t{rows}, int64_t{columns}), "1 values");
  EXPECT_NE(said(program, many, many).find("than 64 bits can count"), std::string::npos);
  EXPECT_NE(said(f, many, many).find("than 64 bits can count"), std::string::npos);
  EXPECT_EQ(said(f, int64_t{1} << 32, int64_t{4}), "1 values");
  EXPECT_EQ(said(f, int64_t{1} << 26, int64_t{1} << 26),
            said(program, int64_t{1} << 26, int64_t{1} << 26));
}

// The bytes of operands are known to fit 64 bits, and so are those of results that are not larger.
TEST(Countable, nothing_is_asked_of_what_takes_no_more_than_an_operand) {
  auto f = compile([](const Tensor& x) { return sum(mul(exp(x), 2.0), {0}); }, graphs());
  for (const int64_t n : {3, 5, 7}) f(counted({n, n + 2, 4}));
  for (const std::string& guard : f.report().guards)
    EXPECT_EQ(guard.find(">="), std::string::npos) << guard;
}

TEST(Countable, one_question_is_asked_of_all_factors) {
  auto f = compile(
      [](const Tensor& x, const Tensor& y) {
        const Tensor outer = mul(unsqueeze(x, 1), unsqueeze(y, 0));
        return sum(mul(unsqueeze(outer, 2), vec({1, 2, 3})), {0, 1});
      },
      graphs());
  for (const int64_t n : {3, 5, 7}) f(counted({n}), counted({n + 1}));
  int64_t asked = 0;
  for (const std::string& guard : f.report().guards)
    asked += guard.starts_with("1099511627775 >= s0*s1");
  EXPECT_EQ(asked, 1) << f.report().guards.back();
}

}  // namespace
}  // namespace vitro
