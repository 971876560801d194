// Data sizes: symbols until the deferred op has run.
#include "capture/testing.h"

namespace vitro {
namespace {

Tensor above_0(const Tensor& x) {
  return masked_select(x, x > 0.0);
}

TEST(DataSize, is_a_symbol_that_graphs_declare_at_the_op) {
  auto f = compile(
      [](const Tensor& x) {
        const Tensor some = above_0(x);
        EXPECT_TRUE(some.is_deferred());
        EXPECT_TRUE(some.size(0).is_symbolic());
        EXPECT_EQ(some.size(0).hint(), 4);  // the largest possible size
        return some + 1.0;
      },
      graphs());
  EXPECT_EQ(values(f(vec({1, -1, 2, -2}))), (std::vector<float>{2, 3}));
  EXPECT_EQ(values(f(vec({-1, -1, -2, -2}))), std::vector<float>());
  EXPECT_EQ(values(f(vec({1, 2, 3, 4}))), (std::vector<float>{2, 3, 4, 5}));
  const CompiledReport report = f.report();
  expect_sound_graphs(report);
  ASSERT_EQ(report.segments.size(), 1U);
  EXPECT_EQ(report.segments[0].runs, 3U);
  EXPECT_TRUE(report.guards.empty() || report.recompiles.empty());
  EXPECT_NE(graph::print(report.segments[0].graph).find("masked_select: f32[u0] = masked_select("),
            std::string::npos);
  EXPECT_TRUE(report.breaks.empty());
}

TEST(DataSize, without_elements_strides_are_those_of_eager) {
  const auto program = [](const Tensor& x) {
    const Tensor n = nonzero(x), turned = transpose(n, 0, 1), row = masked_select(x, x > 0.0);
    return std::vector<Tensor>{n,
                               n * n,
                               turned,
                               turned * turned,
                               contiguous(turned),
                               transpose(n * n, 0, 1),
                               clone(n),
                               reshape(turned * 2, {-1, 1}),
                               expand(row, {3, -1}),
                               expand(row, {3, -1}) + 1.0,
                               stack({row, row}),
                               sum(n, {0}, true)};
  };
  auto f = compile(program, graphs());
  for (const Tensor& x : {zeros({4}), ones({4}), zeros({3, 2}), ones({3, 2}), zeros({1, 1, 5})}) {
    const std::vector<Tensor> wanted = program(x), got = f(x);
    for (size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(cat(got[i].sizes(), got[i].strides()), cat(wanted[i].sizes(), wanted[i].strides()))
          << cat("result ", i, " of ", x.sizes());
    }
  }
  EXPECT_TRUE(f.report().breaks.empty());
}

// After the question the sizes are numbers, which decide whether elements have to move.
TEST(DataSize, that_is_known_by_now_gives_the_views_of_eager) {
  const auto program = [](const Tensor& x) {
    const Tensor at = nonzero(x), twice = at * 2;
    return std::vector<Tensor>{reshape(at, {at.size(0), at.numel() / at.size(0)}),
                               reshape(twice, {twice.numel() / 2, 1, 2}),
                               reshape(transpose(at, 0, 1), {2, at.size(0)})};
  };
  auto f = compile(program, graphs());
  for (const Tensor& x : {ones({4, 2}), reshape(vec({1, 0, 2, 0, 3, 4}), {3, 2}), ones({4, 2})}) {
    const std::vector<Tensor> want = program(x), got = f(x);
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(cat(got[i].sizes(), got[i].strides()), cat(want[i].sizes(), want[i].strides()))
          << i;
      EXPECT_EQ(got[i].to_vector<int64_t>(), want[i].to_vector<int64_t>()) << i;
    }
  }
}

TEST(DataSize, its_number_is_a_break_that_says_which_and_who) {
  int line = 0;
  auto f = compile(
      [&](const Tensor& x) {
        line = __LINE__ + 1;
        const Tensor some = masked_select(x, x > 0.0);
        const Size n = some.size(0);
        return n > 1 ? some * 2.0 : x;
      },
      graphs());
  EXPECT_EQ(values(f(vec({1, -1, 2}))), (std::vector<float>{2, 4}));
  EXPECT_EQ(values(f(vec({-1, -1, 2}))), (std::vector<float>{-1, -1, 2}));
  EXPECT_EQ(values(f(vec({1, 3, 2}))), (std::vector<float>{2, 6, 4}));
  const CompiledReport report = f.report();
  const Diagnostic* broke = find(report.breaks, "V0208");
  ASSERT_TRUE(broke);
  EXPECT_EQ(broke->count, 3U);
  EXPECT_NE(broke->reason.find(cat("a size of masked_select at ", __FILE__, ':', line)),
            std::string::npos)
      << broke->reason;
  EXPECT_NE(broke->reason.find("the function asks 1 < u"), std::string::npos) << broke->reason;
}

TEST(DataSize, bounds_answer_without_a_break) {
  auto f = compile(
      [](const Tensor& x) {
        const Tensor some = above_0(x);
        EXPECT_FALSE(some.size(0) > x.size(0));
        EXPECT_FALSE(x.size(0) + 1 == some.size(0));
        EXPECT_TRUE(some.is_deferred());
        return some + 1.0;
      },
      graphs());
  for (int i = 0; i < 2; ++i) (void)f(counted({5 + i}));
  EXPECT_TRUE(f.report().breaks.empty());
}

TEST(DataSize, a_shape_rule_that_compares_it_breaks) {
  auto body = [](const Tensor& x) { return above_0(x) + vec({1, 2}); };
  auto f = compile(body, graphs());
  EXPECT_EQ(values(f(vec({1, -1, 2}))), (std::vector<float>{2, 4}));
  EXPECT_EQ(values(f(vec({5, -1, -2}))), (std::vector<float>{6, 7}));  // 1 is broadcast
  const std::string want = error_of([&] { (void)body(vec({1, 1, 1})); });
  EXPECT_NE(want, "");
  EXPECT_EQ(error_of([&] { (void)f(vec({1, 1, 1})); }), want);
  const CompiledReport report = f.report();
  const Diagnostic* broke = find(report.breaks, "V0208");
  ASSERT_TRUE(broke);
  EXPECT_NE(broke->reason.find("add asks"), std::string::npos) << broke->reason;
}

TEST(DataSize, that_is_too_small_to_be_equal_may_be_1) {
  const Tensor square = Tensor::from(std::vector<float>(25, 1), {5, 5});
  const auto body = [&](const Tensor& x) { return addmm(above_0(x), square, square); };
  auto f = compile(body, graphs());
  EXPECT_EQ(values(f(vec({-1, 6, -1}))), (std::vector<float>(25, 11)));
  const std::string want = error_of([&] { (void)body(vec({1, 1, -1})); });
  EXPECT_NE(want, "");
  EXPECT_EQ(error_of([&] { (void)f(vec({1, 1, -1})); }), want);
}

TEST(DataSize, is_asked_for_by_an_op_whose_own_number_varies) {
  const Tensor all = counted({12});  // reached without an argument
  const auto body = [&](const Tensor& x, int64_t n) { return view(all, {n, above_0(x).size(0)}); };
  auto f = compile(body, graphs());
  for (const int64_t n : {2, 3, 4, 6}) {
    const Tensor x = ones({12 / n});
    EXPECT_EQ(f(x, n).sizes(), (Sizes{n, 12 / n}));
  }
}

TEST(DataSize, an_error_says_the_number) {
  auto body = [](const Tensor& x) {
    const Tensor some = above_0(x);
    return narrow(some, 0, 1, some.size(0) - 1);
  };
  auto f = compile(body, graphs());
  EXPECT_EQ(values(f(vec({1, -1, 2}))), (std::vector<float>{2}));
  const std::string want = error_of([&] { (void)body(vec({-1, -1})); });
  EXPECT_NE(want.find("got -1"), std::string::npos) << want;
  EXPECT_EQ(error_of([&] { (void)f(vec({-1, -1})); }), want);
}

TEST(DataSize, that_is_computed_may_be_minus_1) {
  auto body = [](const Tensor& x) {
    const Tensor some = above_0(x);
    return reshape(some, {1, some.size(0) - 1});
  };
  auto f = compile(body, graphs());
  const Tensor none = vec({-1, -1});
  EXPECT_EQ(f(none).sizes(), body(none).sizes());
  EXPECT_EQ(error_of([&] { (void)f(vec({1, 2})); }), error_of([&] { (void)body(vec({1, 2})); }));
  auto g = compile([](const Tensor& x) { return reshape(x, {1, x.size(0) - 1}); }, graphs());
  for (const int64_t n : {2, 3}) EXPECT_THROW((void)g(counted({n})), Error);
  EXPECT_EQ(g(counted({0})).sizes(), Sizes({1, 0}));
}

// Whether the divisor is 0 depends on the data, and is checked even if the quotient is not used.
TEST(DataSize, is_asked_for_where_it_is_divided_by) {
  auto body = [](const Tensor& x) {
    const Tensor some = above_0(x);
    (void)reshape(some, {some.size(0), some.numel() / some.size(0)});
    return x + 1.0;
  };
  auto f = compile(body, graphs());
  EXPECT_EQ(values(f(vec({1, -1, 2}))), (std::vector<float>{2, 0, 3}));
  const std::string want = error_of([&] { (void)body(vec({-1, -1, -2})); });
  EXPECT_NE(want.find("size: 0 is divided by 0"), std::string::npos) << want;
  EXPECT_EQ(error_of([&] { (void)f(vec({-1, -1, -2})); }), want);
  EXPECT_TRUE(find(f.report().breaks, "V0208"));
  // A divisor that is at least 1 needs no check.
  auto sure = compile(
      [](const Tensor& x) {
        const Tensor some = above_0(x);
        return some + Scalar(x.size(0) / (some.size(0) + 1));
      },
      graphs());
  EXPECT_EQ(values(sure(vec({1, -1, 2}))), (std::vector<float>{2, 3}));
  EXPECT_TRUE(sure.report().breaks.empty());
}

TEST(DataSize, an_error_of_another_size_says_the_number_too) {
  auto body = [](const Tensor& x) {
    const Tensor some = nonzero(x);
    return scatter(some, 0, zeros({1, 2}, DType::i64), zeros({1, 2}, DType::i64));
  };
  auto f = compile(body, graphs());
  for (const Tensor& x : {vec({1, -1, 0}), vec({0, 0, 7})}) {
    const std::string want = error_of([&] { (void)body(x); });
    EXPECT_NE(want.find(cat("exceed sizes [", nonzero(x).size(0).value(), ", 1]")),
              std::string::npos)
        << want;
    EXPECT_EQ(error_of([&] { (void)f(x); }), want);
  }
}

TEST(DataSize, fullgraph_refuses_the_question) {
  CompileOptions options = graphs();
  options.fullgraph = true;
  auto f = compile(
      [](const Tensor& x) { return x * static_cast<double>(above_0(x).size(0).value()); }, options);
  EXPECT_NE(error_of([&] { (void)f(vec({1})); }).find("V0208"), std::string::npos);
}

TEST(DataSize, item_and_elements_settle_first) {
  auto f = compile(
      [](const Tensor& x) {
        const Tensor some = above_0(x);
        return x * some.item<float>();
      },
      graphs());
  EXPECT_EQ(values(f(vec({-1, 3}))), (std::vector<float>{-3, 9}));
  EXPECT_NE(error_of([&] { (void)f(vec({1, 3})); }).find("needs a tensor of one element"),
            std::string::npos);
  auto g = compile(
      [](const Tensor& x) { return x * static_cast<double>(values(above_0(x)).size()); }, graphs());
  EXPECT_EQ(values(g(vec({-1, 3}))), (std::vector<float>{-1, 3}));
}

// A size kept from an earlier iteration of a loop is still that iteration's.
TEST(DataSize, each_round_of_a_loop_has_its_own) {
  auto f = compile(
      [](const Tensor& x) {
        Tensor rest = x;
        std::vector<Size> sizes;
        while (rest.size(0) > 0) {
          rest = above_0(rest - 1.0);
          sizes.push_back(rest.size(0));
        }
        Tensor out = x;
        for (const Size n : sizes) out = out * 10.0 + static_cast<double>(n.value());
        return out;
      },
      graphs());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(values(f(vec({1, 2, 3}))), (std::vector<float>{1210, 2210, 3210}));
    EXPECT_EQ(values(f(vec({4, 2, 3}))), (std::vector<float>{43210, 23210, 33210}));
  }
}

TEST(DataSize, a_kept_size_is_a_number_once_it_is_known) {
  auto f = compile(
      [](const Tensor& x) {
        const Tensor some = above_0(x);
        const Size n = some.size(0);
        graph_break("here");
        return full({n, 2}, 1.0);
      },
      graphs());
  for (const auto& x : {vec({1, 2, -1}), vec({1, -2, -1}), vec({1, 1, 1})}) {
    const Tensor y = f(x);
    EXPECT_EQ(y.size(0), above_0(x).size(0));
    EXPECT_EQ(y.size(1), 2);
  }
  expect_sound_graphs(f.report());
}

TEST(DataSize, frozen_programs_serve_any_count) {
  auto f = compile([](const Tensor& x) { return above_0(x) * 2.0; }, frozen());
  EXPECT_EQ(values(f(vec({1, -1, 2}))), (std::vector<float>{2, 4}));
  EXPECT_EQ(values(f(vec({-1, -1, 2}))), (std::vector<float>{4}));
  EXPECT_EQ(values(f(vec({-1, -1, -2}))), std::vector<float>());
  EXPECT_EQ(f.report().segments.size(), 1U);
}

TEST(DataSize, computed_by_views_and_writes) {
  auto f = compile(
      [](const Tensor& x) {
        const Tensor at = nonzero(reshape(x > 0.0, {2, 2}));
        add_(at, 1);
        const Tensor columns = t(at);
        mul_(select(columns, 0, 1), 10);
        return at;
      },
      graphs());
  EXPECT_EQ(f(vec({1, -1, 2, 3})).to_vector<int64_t>(),
            (std::vector<int64_t>{1, 10, 2, 10, 2, 20}));
  EXPECT_EQ(f(vec({-1, -1, -2, 3})).to_vector<int64_t>(), (std::vector<int64_t>{2, 20}));
  EXPECT_TRUE(f.report().recompiles.empty());
}

TEST(DataSize, nothing_is_asked_to_view_what_has_no_elements) {
  CompileOptions options = graphs();
  options.fullgraph = true;
  auto f = compile(
      [](const Tensor& x) {
        const Tensor at = nonzero(sum(x));  // [u, 0]
        return view(at, {1, at.numel()});
      },
      options);
  for (const auto& x : {vec({1, 2}), vec({1, -1})}) EXPECT_EQ(cat(f(x).sizes()), "[1, 0]");
}

TEST(DataSize, of_an_empty_batch_no_statistics_change) {
  auto f = compile(
      [](const Tensor& x, const Tensor& mean, const Tensor& var) {
        return batch_norm(reshape(above_0(x), {-1, 1}), {}, {}, mean, var, true, 0.5, 1e-5);
      },
      graphs());
  const Tensor mean = zeros({1}), var = ones({1});
  EXPECT_EQ(cat(f(vec({-1, -2}), mean, var).sizes()), "[0, 1]");
  EXPECT_EQ(values(mean), (std::vector<float>{0}));
  EXPECT_EQ(values(var), (std::vector<float>{1}));
  (void)f(vec({1, 3}), mean, var);
  EXPECT_EQ(values(mean), (std::vector<float>{1}));
  EXPECT_EQ(values(var), (std::vector<float>{1.5}));
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(DataSize, a_backend_of_the_programs_gives_what_it_says) {
  eager::init();
  register_backend("interprets_data", [](const graph::Graph& g, std::span<const Operand>) {
    return GraphFunction(
        [g](std::span<const Operand> inputs) { return graph::interpret(g, inputs); });
  });
  auto f =
      compile([](const Tensor& x) { return cat({above_0(x), x}); }, {.backend = "interprets_data"});
  EXPECT_EQ(values(f(vec({1, -1}))), (std::vector<float>{1, 1, -1}));
  EXPECT_EQ(values(f(vec({-1, -1}))), (std::vector<float>{-1, -1}));
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(DataSize, thrown_away_in_the_middle_it_is_never_known) {
  auto f = compile(
      [](const Tensor& x) -> Tensor {
        const Tensor some = above_0(x);
        if (x.size(0) == 2) throw std::runtime_error("no");
        return some;
      },
      graphs());
  EXPECT_THROW((void)f(vec({1, 2})), std::runtime_error);
  EXPECT_EQ(values(f(vec({1, 2, -3}))), (std::vector<float>{1, 2}));
}

}  // namespace
}  // namespace vitro
