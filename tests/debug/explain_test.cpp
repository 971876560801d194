// The text of explain(): its sections, its summary and the generated source.
#include "vitro/debug/explain.h"

#include <gtest/gtest.h>

#include <sstream>

#include "vitro/base/cat.h"

namespace vitro {
namespace {

// One that is declared somewhere: a code of this test's own would stand in docs/codes.md.
const Code& a_code() {
  return *all_codes().front();
}

CompiledReport example() {
  CompiledReport report;
  report.name = "f";
  report.backend = "vitro";
  report.calls = 2;
  report.ops_recorded = 3;
  report.segments.resize(2);
  SegmentReport &first = report.segments[0], &second = report.segments[1];
  first.name = "f/0";
  first.region = "Torch-Compiled Region: 7/0";
  first.graph = graph::parse(R"(graph(x: f32[4]) {
  exp: f32[4] = exp(x)       # f.cpp:1
  mul: f32[4] = mul(exp, x)  # f.cpp:2
  return mul
})")
                    .value();
  first.compiled = true;
  first.kernels = 1;
  first.runs = 2;
  first.compile_ns = 2'000'000;
  first.run_ns = 3000;
  auto build = std::make_shared<BuildReport>();
  build->stages = {{"passes", 1000}, {"fuse", 2000}};
  build->passes = {{"merge_same", true, 500, 3, 2}, {"algebra", false, 100, 2, 2}};
  build->fusion = {{"exp", "mul", Verdict::yes("one loop over [4]")},
                   {"mul", "sum", Verdict::no(a_code(), "sizes differ")}};
  build->kernels = {{"exp_mul",
                     {"exp", "mul"},
                     "one loop over [4]",
                     "32",
                     "8",
                     "void exp_mul() {\n}",
                     "",
                     "in tiles, not exact"}};
  build->launches = {{0, {"exp", "mul"}, {"f.cpp:1", "f.cpp:2"}}};
  first.build = build;
  second.name = "f/1";
  second.why_not = "no compiler";
  report.breaks = {{&a_code(), "item() needs a value", "f.cpp:3", 2}};
  first.guards = {{"input 0: f32[4]", "", false},
                  {"1099511627775 >= s0*s1", "full", true},
                  {"s0 != 1", "view", false},
                  {"1099511627775 >= s0*s0", "mul", true}};
  return report;
}

TEST(Explain, tells_a_report_as_text) {
  std::string text = explain(example());
  const std::string id(a_code().id), advice(a_code().advice);
  for (size_t at; (at = text.find(id)) != text.npos;) text.replace(at, id.size(), "V0000");
  text.replace(text.rfind(advice), advice.size(), "Advice.");
  EXPECT_EQ(text,
            R"(f (vitro): 2 calls, 2 graphs, 3 recorded ops, 1 break, 0 recompiles, 0 fallbacks
  f/0: 2 ops, 1 kernel, compiled in 2.000ms; ran 2 times, 1.500us each
  f/1: 0 ops, runs op by op: no compiler; ran 0 times

breaks
  V0000 f.cpp:3: item() needs a value (2 times)

what to do
  V0000: Advice.

graph f/0, in tables and traces Torch-Compiled Region: 7/0
  ops: 1 exp, 1 mul
  graph(x: f32[4]) {
    exp: f32[4] = exp(x)       # f.cpp:1
    mul: f32[4] = mul(exp, x)  # f.cpp:2
    return mul
  }
  guards
    input 0: f32[4]
    s0 != 1 (view)
    that sizes do not overflow: 2 guards
  kernels
    exp_mul: exp, mul  # f.cpp:1, f.cpp:2
      because one loop over [4]
      loops: in tiles, not exact
      bytes 32, flops 8
  fused, or not
    exp + mul: yes, one loop over [4]
    mul + sum: no (V0000), sizes differ
  time: passes 1.000us, fuse 2.000us
    merge_same: 3 -> 2 nodes, 500ns

graph f/1
)");
}

TEST(Explain, begins_with_a_summary) {
  const Explanation explanation{example(), CompileTimes({})};
  const std::string summary = explanation.summary();
  EXPECT_EQ(explanation.text().find(summary), 0u);
  EXPECT_NE(summary.find("what to do"), std::string::npos);
  EXPECT_EQ(summary.find("graph f/0"), std::string::npos);
}

TEST(Explain, is_written_to_streams) {
  std::ostringstream out;
  out << example();
  EXPECT_EQ(out.str(), explain(example()));
  out << Explanation{example(), CompileTimes({})};
  EXPECT_EQ(out.str(), explain(example()) + explain(example()));
}

TEST(Explain, shows_the_generated_text_where_it_is_asked_for) {
  const Explanation explanation{example(), CompileTimes({})};
  EXPECT_EQ(explanation.text().find("void exp_mul"), std::string::npos);
  EXPECT_NE(explanation.text(true).find("  source\n    void exp_mul() {\n    }\n"),
            std::string::npos);
  EXPECT_EQ(explanation.graphs(), 2u);
  EXPECT_EQ(explanation.ops(), 2u);
  EXPECT_EQ(explanation.kernels(), 1u);
  EXPECT_EQ(explanation.breaks(), 1u);
}

}  // namespace
}  // namespace vitro
