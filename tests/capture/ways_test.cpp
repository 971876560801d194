// Functions with many paths: reports of recompiles, reuse of recorded paths, and compile limits.
#include <algorithm>

#include "capture/testing.h"
#include "vitro/capture/options.h"
#include "vitro/ops/activation_functions.h"

namespace vitro {
namespace {

std::string reasons(const CompiledReport& report) {
  std::string out;
  for (const Diagnostic& f : report.recompiles) out += cat(f.code->id, ' ', f.reason, '\n');
  return out;
}

bool has(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

TEST(Recompile, an_op_that_comes_after_the_end_is_reported) {
  auto f = compile([](const Tensor& x, bool more) { return more ? add(exp(x), 1.0) : exp(x); },
                   graphs());
  f(vec({1}), false);
  EXPECT_EQ(reasons(f.report()), "");
  f(vec({1}), true);
  EXPECT_EQ(reasons(f.report()), "V0301 expected the end of the segment, got add\n");
  EXPECT_EQ(f.report().segments.size(), 2U);
  EXPECT_NE(f.report().recompiles[0].location.find("ways_test.cpp:"), std::string::npos);
}

TEST(Recompile, an_end_before_an_op_is_reported) {
  auto f = compile([](const Tensor& x, bool more) { return more ? add(exp(x), 1.0) : exp(x); },
                   graphs());
  f(vec({1}), true);
  f(vec({1}), false);
  EXPECT_EQ(reasons(f.report()), "V0301 expected add, got the end of the segment\n");
  EXPECT_EQ(f.report().segments.size(), 2U);
}

TEST(Recompile, an_op_within_a_function_of_the_library_is_reported_at_the_call_of_the_program) {
  auto f =
      compile([](const Tensor& x, bool more) { return more ? exp(x) : softsign(x); }, graphs());
  f(vec({1}), true);
  f(vec({1}), false);
  EXPECT_EQ(reasons(f.report()), "V0301 expected exp, got abs\n");
  EXPECT_NE(f.report().recompiles[0].location.find("ways_test.cpp:"), std::string::npos)
      << f.report().recompiles[0].location;
}

TEST(Recompile, other_results_that_are_kept_are_reported) {
  Tensor kept;
  auto f = compile(
      [&](const Tensor& x, bool keep) {
        const Tensor y = exp(x);
        if (keep) kept = y;
        return add(y, 1.0);
      },
      graphs());
  f(vec({1}), false);
  f(vec({1}), true);
  const std::string text = reasons(f.report());
  EXPECT_TRUE(text.starts_with("V0310 the result of exp at ")) << text;
  EXPECT_TRUE(text.ends_with(" is now kept\n")) << text;
  EXPECT_EQ(f.report().segments.size(), 2U);
}

TEST(Recompile, a_parameter_that_gives_way_to_another_tensor_is_reported) {
  Tensor weight = vec({2});
  weight.set_parameter(true, "weight");
  auto f = compile([&](const Tensor& x) { return mul(x, weight); }, graphs());
  f(vec({1}));
  weight = vec({3});
  EXPECT_EQ(values(f(vec({1}))), values(vec({3})));
  EXPECT_EQ(
      reasons(f.report()),
      "V0302 mul: operand 1: expected parameter f32[1], got f32[1], which is not a parameter\n");
  auto g = compile([&](const Tensor& x) { return mul(x, weight); }, graphs());
  g(vec({1}));
  weight.set_parameter(true, "weight");
  EXPECT_EQ(values(g(vec({1}))), values(vec({3})));
  EXPECT_EQ(reasons(g.report()),
            "V0302 mul: operand 1 (weight): expected f32[1], got parameter f32[1]\n");
}

TEST(Recompile, a_branch_on_a_size_is_reported_as_that) {
  auto f =
      compile([](const Tensor& x) { return x.size(0) < 8 ? mul(x, 2.0) : add(x, 2.0); }, graphs());
  for (const int64_t n : {2, 3, 4, 9, 7, 12, 8}) {
    const Tensor x = counted({n});
    EXPECT_EQ(values(f(x)), values(n < 8 ? mul(x, 2.0) : add(x, 2.0)));
  }
  EXPECT_EQ(
      reasons(f.report()),
      "V0302 input 0: expected f32[2], got f32[3]\n"
      "V0305 the function compares a size: expected s0 < 8, got s0 = 9 (expected mul, got add)\n");
  EXPECT_TRUE(has(f.report().guards, "s0 < 8 (asked before mul)"));
  EXPECT_TRUE(has(f.report().guards, "s0 >= 8 (asked before add)"));
  EXPECT_EQ(f.report().segments.size(), 3U);
}

TEST(Recompile, a_branch_on_a_size_that_ends_the_function_is_reported_as_that) {
  auto f = compile(
      [](const Tensor& x) {
        Tensor y = mul(x, 2.0);
        if (x.size(0) > 5) y = add(y, 1.0);
        return y;
      },
      graphs());
  for (const int64_t n : {2, 3, 9, 4, 10}) f(counted({n}));
  EXPECT_NE(reasons(f.report())
                .find("V0305 the function compares a size: expected 5 >= s0, got s0 = 9 (expected "
                      "the end of the segment, got add)\n"),
            std::string::npos)
      << reasons(f.report());
}

TEST(Recompile, a_guard_of_a_shape_rule_that_fails_is_named_with_its_values) {
  auto f = compile([](const Tensor& x, const Tensor& y) { return add(x, y); }, graphs());
  const auto run = [&](int64_t a, int64_t b) {
    const Tensor x = counted({a, 1}), y = counted({b});
    EXPECT_EQ(values(f(x, y)), values(add(x, y)));
  };
  run(2, 3);
  run(4, 5);
  run(6, 1);
  EXPECT_NE(reasons(f.report()).find("V0305 "), std::string::npos) << reasons(f.report());
}

Tensor body(const Tensor& x) {
  return add(mul(exp(mul(x, -0.5)), 0.5), 0.25);
}

TEST(Loop, whose_rounds_vary_reuses_its_body) {
  const auto program = [](const Tensor& x, int64_t rounds) {
    Tensor y = x;
    for (int64_t i = 0; i < rounds; ++i) y = body(y);
    return sum(y);
  };
  auto f = compile(program, graphs());
  const Tensor x = vec({1, 2, 3});
  for (int64_t n = 1; n < 40; ++n) EXPECT_EQ(values(f(x, n)), values(program(x, n))) << n;
  const CompiledReport report = f.report();
  EXPECT_LE(report.segments.size(), 8U);
  EXPECT_TRUE(report.fallbacks.empty());
  ASSERT_FALSE(report.breaks.empty());
  EXPECT_EQ(report.breaks[0].code->id, "V0207");
  const size_t before = report.segments.size();
  for (const int64_t n : {80, 3, 55}) EXPECT_EQ(values(f(x, n)), values(program(x, n)));
  EXPECT_EQ(f.report().segments.size(), before);
}

TEST(Loop, whose_rounds_become_fewer_reuses_its_body) {
  const auto program = [](const Tensor& x, int64_t rounds) {
    Tensor y = x;
    for (int64_t i = 0; i < rounds; ++i) y = body(y);
    return y;
  };
  auto f = compile(program, graphs());
  const Tensor x = vec({1, 2, 3});
  for (int64_t n = 20; n > 0; --n) EXPECT_EQ(values(f(x, n)), values(program(x, n))) << n;
  EXPECT_LE(f.report().segments.size(), 8U);
}

TEST(Loop, with_a_choice_in_its_body_keeps_its_ways_apart) {
  const auto program = [](const Tensor& x, int64_t flags) {
    Tensor y = x;
    for (int64_t i = 0; i < 10; ++i)
      y = (flags >> i & 1) != 0 ? mul(exp(y), 0.1) : add(sin(y), 0.5);
    return y;
  };
  auto f = compile(program, graphs());
  const Tensor x = vec({0.1F, 0.2F});
  for (int64_t flags = 0; flags < 1024; flags += 3)
    ASSERT_EQ(values(f(x, flags)), values(program(x, flags))) << flags;
  EXPECT_LE(f.report().segments.size(), 40U);
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Loop, under_fullgraph_is_never_broken) {
  CompileOptions whole = graphs();
  whole.fullgraph = true;
  auto f = compile(
      [](const Tensor& x, int64_t rounds) {
        Tensor y = x;
        for (int64_t i = 0; i < rounds; ++i) y = body(y);
        return y;
      },
      whole);
  const Tensor x = vec({1});
  for (int64_t n = 1; n < 8; ++n) f(x, n);
  EXPECT_EQ(f.report().segments.size(), 7U);
}

// Ten independent branches.
Tensor choose(Tensor y, int64_t flags) {
  const auto on = [&](int bit) { return (flags >> bit & 1) != 0; };
  if (on(0)) y = exp(y);
  if (on(1)) y = sin(y);
  if (on(2)) y = cos(y);
  if (on(3)) y = tanh(y);
  if (on(4)) y = relu(y);
  if (on(5)) y = abs(y);
  if (on(6)) y = neg(y);
  if (on(7)) y = sigmoid(y);
  if (on(8)) y = add(y, 1.0);
  if (on(9)) y = mul(y, 0.5);
  return y;
}

TEST(Budget, that_is_spent_is_said_and_the_rest_runs_eagerly) {
  const int64_t before = capture::compile_limit.get();
  capture::compile_limit.set(20);
  auto f = compile([](const Tensor& x, int64_t flags) { return choose(x, flags); }, graphs());
  const Tensor x = vec({0.1F, 0.2F});
  for (int64_t flags = 1; flags < 1024; flags += 5)
    ASSERT_EQ(values(f(x, flags)), values(choose(x, flags))) << flags;
  capture::compile_limit.set(before);
  size_t compiled = 0;
  for (const SegmentReport& s : f.report().segments) compiled += s.compiled;
  EXPECT_LE(compiled, 20U);
  const std::vector<Diagnostic> fallbacks = f.report().fallbacks;
  const auto spent = std::find_if(fallbacks.begin(), fallbacks.end(),
                                  [](const Diagnostic& x) { return x.code->id == "V0607"; });
  ASSERT_NE(spent, fallbacks.end());
  EXPECT_EQ(spent->reason, "20 segments are compiled for the function (VITRO_COMPILE_LIMIT)");
}

TEST(Budget, of_seconds_is_said_too) {
  const int64_t before = capture::compile_seconds.get();
  capture::compile_seconds.set(0);
  auto f = compile([](const Tensor& x) { return exp(x); }, graphs());
  EXPECT_EQ(values(f(vec({0}))), (std::vector<float>{1}));
  capture::compile_seconds.set(before);
  ASSERT_EQ(f.report().fallbacks.size(), 1U);
  EXPECT_EQ(f.report().fallbacks[0].code->id, "V0607");
}

}  // namespace
}  // namespace vitro
