// Tests explain, logs and the debug folder with functions that are really compiled.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../backend/jit_folder.h"
#include "vitro/base/cat.h"
#include "vitro/debug/debug_folder.h"
#include "vitro/debug/explain.h"
#include "vitro/debug/logs.h"
#include "vitro/graph/graph.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

Tensor counted(int64_t rows) {
  return reshape(arange(Scalar(rows * 8), DType::f32), {Size(rows), Size(8)});
}

TEST(ExplainCompiled, names_graphs_kernels_and_why_they_are_one) {
  const Explanation e = explain([](const Tensor& x) { return tanh(x * 2.0 + 1.0) - x; },
                                {.name = "wave"})(counted(4));
  EXPECT_EQ(e.graphs(), 1u);
  EXPECT_EQ(e.ops(), 4u);
  EXPECT_EQ(e.kernels(), 1u);
  EXPECT_EQ(e.breaks(), 0u);
  ASSERT_TRUE(e.report.segments[0].build);
  EXPECT_EQ(e.report.segments[0].build->launches[0].ops.size(), 4u);
  const std::string text = e.text(true);
  for (const std::string& part :
       {std::string("wave (vitro): 1 call, 1 graph"), std::string("tanh: f32[4, 8] = tanh(add)"),
        std::string("  kernels\n"), std::string("  source\n"), std::string("compile time\n")})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(ExplainCompiled, gives_kernels_that_share_a_text_the_places_of_their_own_ops) {
  const Explanation e = explain([](const Tensor& x) {
    const Tensor a = mm(x, ones({8, 8}));
    const Tensor b = mm(a, ones({8, 8}));
    return std::pair(a, b);
  })(counted(8));
  ASSERT_TRUE(e.report.segments[0].build);
  std::vector<std::string> places;
  const BuildReport& build = *e.report.segments[0].build;
  for (const LaunchReport& launch : build.launches) {
    if (build.kernel_of(launch).name.find("mm") == std::string::npos) continue;
    for (const std::string& place : launch.locations) places.push_back(place);
  }
  EXPECT_GE(places.size(), 2u);
  EXPECT_NE(places.front(), places.back());
}

// Operands are evaluated in any order, and what a composite is written in has names of its own.
TEST(ExplainCompiled, names_items_as_the_graph_above_them_does) {
  auto fast = compile([](const Tensor& x, const Tensor& past) {
    const Tensor keys = cat({past, x}, 0);
    return std::pair(mm(softmax(mm(exp(x), t(keys)), -1), exp(keys) * 2.0), keys);
  });
  Tensor cache = zeros({0, 4});
  for (int step = 0; step < 4; ++step) cache = fast(ones({1, 4}), cache).second;
  const CompiledReport report = fast.report();
  ASSERT_EQ(report.segments.size(), 2u);
  const SegmentReport& segment = report.segments[1];
  ASSERT_TRUE(segment.build) << segment.why_not;
  std::vector<std::string> items;
  for (const LaunchReport& launch : segment.build->launches)
    items.insert(items.end(), launch.ops.begin(), launch.ops.end());
  const std::string text = explain(report);
  for (const graph::Node& node : segment.graph.nodes()) {
    if (node.is_input() || node.op->name != "exp") continue;
    const bool of_keys = node.results[0].sizes[0].is_symbolic();
    const std::string decision = cat(node.name, of_keys ? " + mul" : " + mm");
    EXPECT_NE(text.find(decision), std::string::npos) << decision << " is not in\n" << text;
    EXPECT_EQ(std::count(items.begin(), items.end(), node.name), 1) << node.name << '\n' << text;
  }
}

TEST(ExplainCompiled, tells_each_break_with_its_place_and_what_to_do) {
  const Explanation e = explain([](const Tensor& x) {
    const Tensor y = exp(x);
    return sum(y).item<float>() > 0 ? y * 2.0 : y;
  })(counted(2));
  EXPECT_EQ(e.graphs(), 2u);
  ASSERT_EQ(e.breaks(), 1u);
  const Diagnostic& item = e.report.breaks[0];
  EXPECT_EQ(item.code->id, "V0201");
  EXPECT_NE(item.location.find("compiled_test.cpp:"), std::string::npos) << item.location;
  EXPECT_NE(e.text().find("\nwhat to do\n  V0201: "), std::string::npos) << e.text();
}

TEST(ExplainCompiled, goes_on_with_a_function_that_is_compiled_already) {
  auto fast = compile([](const Tensor& x) { return relu(x) + 1.0; });
  (void)fast(counted(3));
  const Explanation e = explain(fast)(counted(5));
  EXPECT_EQ(e.report.calls, 2u);
  EXPECT_FALSE(e.report.recompiles.empty());
  EXPECT_NE(explain(fast.report()).find("recompiles\n  V03"), std::string::npos)
      << explain(fast.report());
}

// The first argument is looked at and not computed with: its symbol is the first of the call, and
// none of the graph.
TEST(ExplainCompiled, lists_the_guards_of_each_graph_below_it_in_its_symbols) {
  auto fast = compile([](const Tensor& x, const Tensor& y) {
    return x.size(0) < 8 ? y * 2.0 : matmul(y, t(y)) + x.size(1);
  });
  for (const int64_t rows : {4, 5, 6, 9, 10}) (void)fast(counted(rows), counted(rows + 20));
  const CompiledReport report = fast.report();
  ASSERT_EQ(report.segments.size(), 3u);
  const auto texts = [&](size_t segment) {
    std::vector<std::string> out;
    for (const GuardReport& guard : report.segments[segment].guards) {
      if (!guard.counts_only) out.push_back(cat(guard.text, '|', guard.asked));
      const auto same = [&](const GuardReport& other) { return other.text == guard.text; };
      EXPECT_EQ(std::ranges::count_if(report.segments[segment].guards, same), 1) << guard.text;
    }
    return out;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts(0), (Texts{"input 0: f32[4, 8]|", "input 1: f32[24, 8]|"}));
  EXPECT_EQ(texts(1),
            (Texts{"input 0: f32[s1, 8]|", "input 1: f32[s0, 8]|", "s1 < 8|asked before mul"}));
  const std::vector<std::string> last = texts(2);
  EXPECT_NE(std::ranges::find(last, "input 1: f32[s0, 8]|"), last.end());
  EXPECT_EQ(graph::print(report.segments[2].graph).find("graph[s0=29](arg1: f32[s0, 8])"), 0u);
  const std::string text = explain(report);
  EXPECT_EQ(text.find("1099511627775"), std::string::npos) << text;
  EXPECT_NE(text.find("    that sizes do not overflow: 1 guard\n"), std::string::npos) << text;
}

// Two functions of one name have the number of their regions to tell them apart.
TEST(ExplainCompiled, names_graphs_as_tables_and_traces_do) {
  auto fast = compile([](const Tensor& x) { return relu(x) + 1.0; }, {.name = "one"});
  (void)fast(counted(3));
  const SegmentReport segment = fast.report().segments.at(0);
  EXPECT_TRUE(segment.region.starts_with("Torch-Compiled Region: ")) << segment.region;
  EXPECT_TRUE(segment.region.ends_with("/0")) << segment.region;
  EXPECT_NE(explain(fast.report()).find(cat("graph one/0, in tables and traces ", segment.region)),
            std::string::npos);
}

TEST(ExplainCompiled, tells_of_a_compiled_function_without_a_call) {
  auto fast = compile([](const Tensor& x) { return relu(x) + 1.0; }, {.name = "still"});
  (void)fast(counted(3));
  std::ostringstream out;
  out << explain(fast);
  EXPECT_EQ(fast.report().calls, 1u);
  EXPECT_EQ(out.str(), explain(fast.report()));
  EXPECT_EQ(out.str().find("still (vitro): 1 call, 1 graph"), 0u) << out.str();
}

TEST(LogsCompiled, show_breaks_and_phases_of_a_compile) {
  const jit::CacheFolder empty;  // a plan that was kept would leave nothing to do for the passes
  set_logs("breaks,phases");
  testing::internal::CaptureStderr();
  auto fast = compile([](const Tensor& x) { return Tensor(exp(x)).item<float>(); });
  (void)fast(Tensor::from({1.0F}, {1}));
  const std::string said = testing::internal::GetCapturedStderr();
  set_logs("");
  EXPECT_NE(said.find("vitro [breaks] info: V0201 "), std::string::npos) << said;
  EXPECT_NE(said.find("vitro [phases] info: merge_same of f/0: "), std::string::npos) << said;
}

TEST(DebugFolderCompiled, holds_what_every_stage_made) {
  namespace fs = std::filesystem;
  const fs::path root =
      fs::temp_directory_path() / cat("vitro_debug_compiled_test_", static_cast<int64_t>(getpid()));
  set_debug_folder(root.string());
  testing::internal::CaptureStderr();
  auto fast = compile([](const Tensor& x) { return sum(sigmoid(x) * x, {1}); }, {.name = "row"});
  (void)fast(counted(6));
  (void)testing::internal::GetCapturedStderr();
  const fs::path folder = fs::path(debug_folder()) / "row_0";
  for (const char* file :
       {"graph_captured.txt", "graph_after_decompose.txt", "graph_after_passes.txt",
        "loops_before_fusion.txt", "loops_after_fusion.txt", "kernels.cpp", "plan.txt"}) {
    ASSERT_TRUE(fs::exists(folder / file)) << file;
    EXPECT_GT(fs::file_size(folder / file), 0u) << file;
  }
  std::stringstream captured;
  captured << std::ifstream(folder / "graph_captured.txt").rdbuf();
  const Result<graph::Graph> again = graph::parse(captured.str());
  ASSERT_TRUE(again) << again.why();
  EXPECT_EQ(graph::print(*again), graph::print(fast.report().segments[0].graph));
  set_debug_folder("");
  fs::remove_all(root);
}

}  // namespace
}  // namespace vitro
