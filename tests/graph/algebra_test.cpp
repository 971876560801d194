// The algebra pass: rewrites of text graphs, and every rule on every dtype with awkward values.
#include "graph/passes/algebra.h"

#include <gtest/gtest.h>

#include <set>

#include "eager/eager.h"
#include "graph/programs.h"
#include "graph/values.h"
#include "vitro/graph/pass.h"

namespace vitro::graph {
namespace {

std::string simplified(std::string_view text) {
  const Graph g = parse(text).value();
  EXPECT_EQ(verify(g), "");
  const Graph out = drop_dead(algebra(g));
  EXPECT_EQ(verify(out), "");
  return print(out);
}

TEST(Algebra, removes_what_changes_nothing) {
  EXPECT_EQ(simplified(R"(graph[s0=5](x: f32[s0, 3]) {
  mul: f32[s0, 3] = mul(x, 1)
  sub: f32[s0, 3] = sub(mul, 0.0)
  div: f32[s0, 3] = div(sub, 1.0)
  neg: f32[s0, 3] = neg(div)
  neg_1: f32[s0, 3] = neg(neg)
  exp: f32[s0, 3] = exp(neg_1)
  return exp
})"),
            R"(graph[s0=5](x: f32[s0, 3]) {
  exp: f32[s0, 3] = exp(x)
  return exp
}
)");
}

TEST(Algebra, leaves_what_would_change_a_value_a_dtype_or_a_shape) {
  for (const char* statement : {
           "y: f32[3] = add(x, 0.0)\n",
           "y: f32[3] = add(x, 0)\n",     // -0.0 becomes 0.0
           "y: f32[3] = sub(x, -0.0)\n",  // the same
           "y: f32[3] = mul(n, 1.0)\n",   // integers become f32
           "y: f32[3] = div(n, 1)\n",     // the same
           "y: f32[3] = mul(x, 0)\n",     // NaN times 0
           "y: f32[2, 3] = mul(o, x)\n",  // broadcasts
           "y: f64[3] = _to_copy(x, dtype=f64)\n",
       }) {
    const std::string text =
        cat("graph(x: f32[3], n: i32[3], o: f32[2, 3]) {\n  ", statement, "  return y\n}\n");
    EXPECT_EQ(simplified(text), text);
  }
}

TEST(Algebra, does_not_drop_a_layout_that_the_result_has) {
  const std::string text = R"(graph(x: f32[2, 3]{strides=[1, 2], offset=4}) {
  clone: f32[2, 3] = clone(x, memory_format="contiguous")
  return clone
}
)";
  EXPECT_EQ(simplified(text), text);
}

TEST(Algebra, makes_one_permute_of_two) {
  EXPECT_EQ(simplified(R"(graph(x: f32[2, 3, 4]) {
  a: f32[3, 4, 2]{strides=[4, 1, 12]} = permute(x, dims=[1, 2, 0])
  b: f32[2, 3, 4] = permute(a, dims=[2, 0, 1])
  c: f32[4, 3, 2]{strides=[1, 4, 12]} = permute(a, dims=[1, -3, 2])
  return b, c
})"),
            R"(graph(x: f32[2, 3, 4]) {
  c: f32[4, 3, 2]{strides=[1, 4, 12]} = permute(x, dims=[2, 1, 0])
  return x, c
}
)");
}

TEST(Algebra, shortens_chains_of_views) {
  EXPECT_EQ(simplified(R"(graph[s0=5](x: f32[s0, 12]) {
  a: f32[s0, 3, 4] = view(x, size=[s0, 3, 4])
  b: f32[s0, 1, 3, 4]{strides=[12, 12, 4, 1]} = unsqueeze(a, dim=1)
  c: f32[3*s0, 4] = view(b, size=[3*s0, 4])
  d: f32[s0, 12] = view(c, size=[s0, 12])
  e: f32[s0, 12] = expand(d, size=[-1, 12])
  f: f32[s0, 12] = slice(e)
  return c, f
})"),
            R"(graph[s0=5](x: f32[s0, 12]) {
  c: f32[3*s0, 4] = view(x, size=[3*s0, 4])
  return c, x
}
)");
}

TEST(Algebra, keeps_views_that_skip_or_repeat) {
  const std::string text = R"(graph(x: f32[4, 1]) {
  slice: f32[2, 1]{strides=[2, 1]} = slice(x, end=4, step=2)
  expand: f32[2, 3]{strides=[2, 0]} = expand(slice, size=[2, 3])
  return expand
}
)";
  EXPECT_EQ(simplified(text), text);
}

TEST(Algebra, knows_that_placeholders_stand_for_one_value) {
  EXPECT_EQ(simplified(R"(graph(c: bool[3], x: f32[3], y: f32[3]) {
  same: f32[3] = where(c, x, x)
  other: f32[3] = where(c, same, y)
  not: bool[3] = logical_not(c)
  turned: f32[3] = where(not, other, y)
  return turned
})"),
            R"(graph(c: bool[3], x: f32[3], y: f32[3]) {
  other: f32[3] = where(c, x, y)
  turned: f32[3] = where(c, y, other)
  return turned
}
)");
}

// The pattern of a rule on operands of these dtypes; nullopt if its ops refuse them.
std::optional<Graph> pattern_of(const Rule& rule, DType x, DType y) {
  Builder b;
  const Sizes sizes{Size(31, sym::Expr::symbol("s0")), 37};
  const Placeholders p{b.input("x", ops::dense(x, cpu, sizes)),
                       b.input("y", ops::dense(y, cpu, sizes)),
                       b.input("c", ops::dense(DType::boolean, cpu, sizes)),
                       {}};
  const Using use(&b);
  b.set_location({});
  try {
    b.output(rule.from(p));
  } catch (const Error&) {
    return std::nullopt;
  }
  return b.take();
}

constexpr DType dtypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,
                            DType::i16, DType::i32, DType::i64, DType::u8,   DType::boolean};

TEST(Algebra, each_rule_has_a_name_of_its_own_and_applies_to_some_dtype) {
  std::set<std::string_view> names;
  for (const Rule& rule : algebra_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    if (rule.name == "cast_same") continue;  // to() makes no such cast; tested below
    int applied = 0;
    for (const DType dtype : dtypes) {
      const auto g = pattern_of(rule, dtype, dtype);
      if (!g) continue;
      const Graph now = drop_dead(apply_rule(*g, rule));
      EXPECT_EQ(verify(now), "") << rule.name;
      applied += now.hash() != g->hash() ? 1 : 0;
    }
    EXPECT_GT(applied, 0) << rule.name;
  }
}

// Every rule keeps the bits of awkward values, for every pair of dtypes that its ops take.
TEST(Algebra, each_rule_keeps_every_bit) {
  eager::init();
  for (const Rule& rule : algebra_rules()) {
    for (const DType x : dtypes) {
      for (const DType y : dtypes) {
        const auto g = pattern_of(rule, x, y);
        if (!g) continue;
        const Graph now = apply_rule(*g, rule);
        if (drop_dead(now).hash() == g->hash()) continue;
        const Inputs inputs(*g, 17);
        const auto want = interpret(*g, inputs.operands), got = interpret(now, inputs.operands);
        ASSERT_EQ(difference(want[0], got[0]), "") << rule.name << " on " << cat(x, " and ", y);
      }
    }
  }
}

TEST(Algebra, drops_casts_that_do_nothing) {
  EXPECT_EQ(simplified(R"(graph(x: f16[3]) {
  a: f16[3] = _to_copy(x, dtype=f16)
  b: f64[3] = _to_copy(a, dtype=f64)
  c: f32[3] = _to_copy(b, dtype=f32)
  d: f16[3] = _to_copy(c, dtype=f16)
  e: i32[3] = _to_copy(b, dtype=i32)
  return c, d, e
})"),
            R"(graph(x: f16[3]) {
  b: f64[3] = _to_copy(x, dtype=f64)
  c: f32[3] = _to_copy(x, dtype=f32)
  e: i32[3] = _to_copy(b, dtype=i32)
  return c, x, e
}
)");
}

}  // namespace
}  // namespace vitro::graph
