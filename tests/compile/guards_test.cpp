// Guards on symbols that are added when a graph is compiled to kernels.
#include <gtest/gtest.h>

#include "compile/pipeline.h"
#include "vitro/base/cat.h"
#include "vitro/compile/compile.h"
#include "vitro/graph/graph.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

Tensor counted(int64_t rows, int64_t columns, double step) {
  const Tensor flat = arange(Scalar(rows * columns), DType::f32) * step;
  return reshape(flat, {Size(rows), Size(columns)});
}

std::vector<float> elements(const Tensor& t) {
  return t.to_vector<float>();
}

// Attention divides by the square root of the head size, a constant in its kernels.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v) {
  return scaled_dot_product_attention(q, k, v);
}

TEST(Guards, of_what_was_compiled_are_known) {
  init();
  const graph::Graph g = graph::parse(R"(graph[s0=8](q: f32[4, s0], k: f32[4, s0], v: f32[4, s0]) {
  y: f32[4, s0] = scaled_dot_product_attention(q, k, v)
  return y
})")
                             .value();
  std::string why;
  const auto segment = pipeline::make_compiler()->compile(g, "g/0", &why);
  ASSERT_TRUE(segment) << why;
  std::string guards;
  for (const sym::Guard& guard : segment->guards()) guards += guard.text() + "; ";
  EXPECT_NE(guards.find("s0 == 8; "), std::string::npos) << guards;
}

// Kernels compiled for one size are not used for another: each size gets its own, and the reason is
// reported.
TEST(Guards, that_do_not_hold_make_other_kernels) {
  init();
  CompileOptions options;
  options.dynamic = true;
  auto fast = compile(attend, options);
  for (const int64_t size : {8, 12, 3, 8, 12, 3, 8}) {
    const Tensor q = counted(4, size, 0.1), k = counted(4, size, -0.05), v = counted(4, size, 1);
    const Tensor want = attend(q, k, v), got = fast(q, k, v);
    ASSERT_EQ(cat(got.sizes()), cat(want.sizes()));
    EXPECT_EQ(elements(got), elements(want)) << size;
  }
  const CompiledReport report = fast.report();
  EXPECT_TRUE(report.fallbacks.empty());
  ASSERT_EQ(report.segments.size(), 3U);
  const uint64_t runs[] = {3, 2, 2};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(report.segments[i].compiled) << report.segments[i].why_not;
    EXPECT_EQ(report.segments[i].runs, runs[i]);
  }
  ASSERT_EQ(report.recompiles.size(), 2U);
  EXPECT_EQ(report.recompiles[0].code->id, "V0305");
  EXPECT_NE(report.recompiles[0].reason.find(" was compiled for "), std::string::npos);
}

TEST(Guards, that_do_not_hold_too_often_are_a_fallback_with_its_code) {
  init();
  CompileOptions options;
  options.dynamic = true;
  auto fast = compile(attend, options);
  for (int64_t size = 3; size < 16; ++size) {
    const Tensor q = counted(4, size, 0.1), k = counted(4, size, -0.05), v = counted(4, size, 1);
    EXPECT_EQ(elements(fast(q, k, v)), elements(attend(q, k, v))) << size;
  }
  ASSERT_EQ(fast.report().fallbacks.size(), 1U);
  EXPECT_EQ(fast.report().fallbacks[0].code->id, "V0308");
}

TEST(Guards, of_frozen_calls_are_checked) {
  init();
  CompileOptions options;
  options.dynamic = options.fullgraph = options.frozen = true;
  auto fast = compile(attend, options);
  for (const int64_t size : {8, 12, 8, 12, 3}) {
    const Tensor q = counted(4, size, 0.1), k = counted(4, size, -0.05), v = counted(4, size, 1);
    EXPECT_EQ(elements(fast(q, k, v)), elements(attend(q, k, v))) << size;
  }
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

}  // namespace
}  // namespace vitro
