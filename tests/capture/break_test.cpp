// Graph breaks: what causes one, what does not, and what the report says about them.
#include "capture/testing.h"

namespace vitro {
namespace {

TEST(Break, item_splits_the_function_and_says_where) {
  int line = 0;
  auto f = compile(
      [&](const Tensor& x) {
        const Tensor y = exp(x);
        line = __LINE__ + 1;
        const float v = sum(y).item<float>();
        return v > 3 ? mul(y, 10.0) : add(y, y);
      },
      graphs());
  const Tensor low = vec({0, 0}), high = vec({1, 1});
  EXPECT_EQ(values(f(low)), values(add(exp(low), exp(low))));
  EXPECT_EQ(values(f(high)), values(mul(exp(high), 10.0)));
  EXPECT_EQ(values(f(low)), values(add(exp(low), exp(low))));
  const CompiledReport report = f.report();
  ASSERT_EQ(report.breaks.size(), 1U);
  EXPECT_EQ(report.breaks[0].code->id, "V0201");
  EXPECT_NE(report.breaks[0].location.find(cat("break_test.cpp:", line)), std::string::npos)
      << report.breaks[0].location;
  EXPECT_EQ(report.breaks[0].count, 3U);
  EXPECT_EQ(report.segments.size(), 3U);
  ASSERT_EQ(report.recompiles.size(), 1U);
  EXPECT_EQ(report.recompiles[0].code->id, "V0301");
  EXPECT_NE(report.recompiles[0].reason.find("expected add, got mul"), std::string::npos);
}

TEST(Break, looking_at_elements_is_one) {
  std::vector<float> seen;
  auto f = compile(
      [&](const Tensor& x) {
        const Tensor y = add(x, 1.0);
        seen = y.to_vector<float>();
        return mul(y, 2.0);
      },
      graphs());
  EXPECT_EQ(values(f(vec({1, 2}))), (std::vector<float>{4, 6}));
  EXPECT_EQ(seen, (std::vector<float>{2, 3}));
  ASSERT_TRUE(find(f.report().breaks, "V0202"));
}

TEST(Break, reading_a_tensor_from_outside_that_was_written_is_one) {
  const Tensor buffer = vec({1});
  auto f = compile(
      [&](const Tensor& x) {
        add_(buffer, x);
        return mul(x, buffer.item<float>());
      },
      graphs());
  EXPECT_EQ(values(f(vec({2}))), (std::vector<float>{6}));
  EXPECT_EQ(values(f(vec({2}))), (std::vector<float>{10}));
  EXPECT_EQ(values(f(vec({2}))), (std::vector<float>{14}));
}

TEST(Break, reading_a_tensor_from_outside_that_was_only_read_is_none) {
  const Tensor scale = vec({3});
  auto f = compile(
      [&](const Tensor& x) {
        const Tensor y = mul(x, scale);
        return mul(y, scale.item<float>());
      },
      graphs());
  EXPECT_EQ(values(f(vec({2}))), (std::vector<float>{18}));
  EXPECT_TRUE(f.report().breaks.empty());
}

TEST(Break, writing_through_a_pointer_waits_for_the_readers_before) {
  const Tensor scale = vec({3});
  auto f = compile(
      [&](const Tensor& x) {
        const Tensor y = mul(x, scale);
        scale.data<float>()[0] = 100;
        return y;
      },
      graphs());
  EXPECT_EQ(values(f(vec({2}))), (std::vector<float>{6}));
}

TEST(Break, can_be_asked_for) {
  auto f = compile(
      [](const Tensor& x) {
        const Tensor y = add(x, 1.0);
        graph_break("to see what happens");
        return mul(y, 2.0);
      },
      graphs());
  EXPECT_EQ(values(f(vec({1}))), (std::vector<float>{4}));
  ASSERT_EQ(f.report().breaks.size(), 1U);
  EXPECT_EQ(f.report().breaks[0].code->id, "V0204");
  EXPECT_EQ(f.report().breaks[0].reason, "to see what happens");
  EXPECT_EQ(f.report().segments.size(), 2U);
}

TEST(Break, a_disabled_part_runs_eagerly) {
  bool compiling = true;
  auto plain = disable([&](const Tensor& x) {
    compiling = is_compiling();
    return exp(x);
  });
  auto f = compile([&](const Tensor& x) { return add(plain(add(x, 1.0)), 1.0); }, graphs());
  const Tensor x = vec({0});
  EXPECT_EQ(values(f(x)), values(add(exp(add(x, 1.0)), 1.0)));
  EXPECT_FALSE(compiling);
  const CompiledReport report = f.report();
  const Diagnostic* said = find(report.breaks, "V0205");
  ASSERT_TRUE(said);
  EXPECT_NE(said->location.find("break_test.cpp"), std::string::npos) << said->location;
}

TEST(Break, a_disabled_part_of_a_whole_graph_is_refused_with_the_place_in_the_program) {
  CompileOptions options = graphs();
  options.fullgraph = true;
  auto f = compile(
      [](const Tensor& x) { return disable([](const Tensor& t) { return exp(t); })(x); }, options);
  const std::string said = error_of([&] { f(vec({1})); });
  EXPECT_NE(said.find("break_test.cpp:"), std::string::npos) << said;
  EXPECT_NE(said.find("V0205"), std::string::npos) << said;
}

TEST(Break, host_side_effects_happen_in_order_on_every_call) {
  std::vector<std::string> log;
  auto f = compile(
      [&](const Tensor& x) {
        log.emplace_back("begin");
        const Tensor y = add(x, 1.0);
        log.push_back(cat("value ", y.item<float>()));
        log.emplace_back("end");
        return y;
      },
      graphs());
  f(vec({1}));
  f(vec({2}));
  EXPECT_EQ(log,
            (std::vector<std::string>{"begin", "value 2.0", "end", "begin", "value 3.0", "end"}));
}

TEST(Break, is_an_error_under_fullgraph_that_says_where) {
  CompileOptions options = graphs("whole");
  options.fullgraph = true;
  const Tensor buffer = vec({0});
  auto f = compile(
      [&](const Tensor& x) {
        add_(buffer, 1.0);
        return sum(x).item<float>() > 0 ? x : exp(x);
      },
      options);
  try {
    f(vec({1}));
    FAIL();
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("whole: fullgraph: item() needs a value"), std::string::npos) << text;
    EXPECT_NE(text.find("break_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("V0201"), std::string::npos) << text;
  }
  EXPECT_EQ(values(buffer), (std::vector<float>{1}));
}

TEST(Break, too_many_ways_at_one_place_run_the_rest_eagerly) {
  int64_t way = 0;
  auto f = compile(
      [&](const Tensor& x) {
        const Tensor y = add(x, 1.0);
        const Tensor z = tril(y, way);
        return add(z, 1.0);
      },
      graphs());
  const Tensor x = counted({20, 20});
  for (way = 0; way < 12; ++way) EXPECT_EQ(values(f(x)), values(add(tril(add(x, 1.0), way), 1.0)));
  const CompiledReport report = f.report();
  const Diagnostic* limit = find(report.fallbacks, "V0308");
  ASSERT_TRUE(limit);
  EXPECT_NE(limit->reason.find("VITRO_RECOMPILE_LIMIT"), std::string::npos) << limit->reason;
  EXPECT_EQ(report.recompiles.size(), 7U);
  EXPECT_EQ(report.recompiles[0].code->id, "V0304");
}

// Sizes that the function took before are symbols.
TEST(Break, the_rest_that_runs_eagerly_uses_sizes_taken_before) {
  int64_t way = 0;
  const auto body = [&](const Tensor& x) {
    const Size n = x.size(0), twice = n * 2;
    const Tensor y = add(cat({x, x, x}, 0), 1.0);
    const Tensor z = tril(y, way);
    const Tensor part = slice(z, 0, n, twice);
    return add(slice_scatter(z, mul(part, n), 0, twice, twice + n), full({n * 3, x.size(1)}, 2.0));
  };
  auto f = compile(body, graphs());
  for (way = 0; way < 12; ++way) {
    for (const int64_t n : {5, 9, 4}) {
      const Tensor x = counted({n, 20});
      EXPECT_EQ(values(f(x)), values(body(x))) << way << ' ' << n;
    }
  }
  EXPECT_TRUE(find(f.report().fallbacks, "V0308"));
}

}  // namespace
}  // namespace vitro
