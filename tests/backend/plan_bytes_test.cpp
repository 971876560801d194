// Plans as bytes: what is read back launches the same kernels; damaged bytes are refused.
#include "backend/run/plan_bytes.h"

#include <gtest/gtest.h>

#include <random>

#include "damaged.h"
#include "programs.h"
#include "vitro/ops/all.h"
#include "vitro/ops/rearrange.h"

namespace vitro::backend {
namespace {

std::string bytes_of(const ExecutablePlan& plan) {
  PlanWriter out;
  out.add(plan);
  EXPECT_EQ(out.why(), "");
  return out.take();
}

ExecutablePlan plan_in(std::string_view bytes, size_t modules) {
  PlanReader in(bytes, [](std::string_view name) { return ops::named(name); });
  ExecutablePlan plan = read_plan(in, modules);
  EXPECT_TRUE(in.at_end());
  return plan;
}

struct Example {
  std::vector<Sizes> inputs;
  Function f;
  std::vector<int64_t> symbols = {};
};

std::vector<Example> examples() {
  const sym::Expr n = sym::Expr::symbol("s0");
  return {
      {{{64, 33}, {33, 20}},
       [](const std::vector<Tensor>& x) { return std::vector{relu(mm(x[0], x[1]))}; }},
      {{{Size(12, n), 16}},
       [](const std::vector<Tensor>& x) {
         return std::vector{softmax(x[0], 1), sum(x[0], {0}), cumsum(x[0], 0)};
       },
       {12}},
      {{{5, 6, 7}},
       [](const std::vector<Tensor>& x) {
         const auto [values, indices] = topk(x[0], 3);
         return std::vector{values, indices, x[0], x[0]};
       }},
      {{{6, 6}},
       [](const std::vector<Tensor>& x) {
         return std::vector{linalg_cholesky(mm(x[0], transpose(x[0], 0, 1)) + eye(6) * 9.0)};
       }},
  };
}

TEST(PlanBytes, are_read_back_as_they_were_written) {
  for (const Example& example : examples()) {
    const graph::Graph g = passed_graph_of(example.inputs, example.f);
    Compiled made = compile_graph(g);
    const std::string bytes = bytes_of(made.executable->plan());
    const std::vector<std::string> keys = made.executable->module_keys();
    ExecutablePlan plan = plan_in(bytes, keys.size());
    EXPECT_EQ(bytes_of(plan), bytes);
    std::vector<Tensor> inputs;
    for (const Sizes& sizes : example.inputs) {
      Sizes numbers;
      for (const Size size : sizes) numbers.push_back(size.hint());
      inputs.push_back(random_tensor(numbers));
    }
    const std::vector<Tensor> want = made.run(inputs, example.symbols);
    auto loaded = load(std::move(plan), keys, runtime::device_runtime(cpu), "again", nullptr);
    ASSERT_TRUE(loaded) << loaded.why();
    made.executable = *std::move(loaded);
    const std::vector<Tensor> got = made.run(inputs, example.symbols);
    for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  }
}

TEST(PlanBytes, of_interpreted_kernels_are_refused) {
  BuildOptions options = for_any_host();
  options.interpret = true;
  const Example example = examples()[1];
  const Compiled made = compile_graph(passed_graph_of(example.inputs, example.f), options);
  PlanWriter out;
  out.add(made.executable->plan());
  EXPECT_EQ(out.why(), "an interpreted kernel");
}

TEST(PlanBytes, that_are_damaged_are_refused_or_a_plan_that_refers_to_what_is_there) {
  std::mt19937 random(1);
  size_t refused = 0, all = 0;
  for (const Example& example : examples()) {
    const Compiled made = compile_graph(passed_graph_of(example.inputs, example.f));
    const std::string bytes = bytes_of(made.executable->plan());
    const size_t modules = made.executable->module_keys().size();
    for (int i = 0; i < 2000; ++i, ++all) {
      const std::string now = damaged(bytes, random);
      try {
        PlanReader in(now, [](std::string_view name) { return ops::named(name); });
        (void)bytes_of(read_plan(in, modules));
      } catch (const PlanReader::Broken&) {
        ++refused;
      }
    }
    for (size_t size = 0; size < bytes.size(); size += 7) {
      EXPECT_THROW((void)plan_in(std::string_view(bytes).substr(0, size), modules),
                   PlanReader::Broken);
    }
  }
  EXPECT_GT(refused, all / 4);
}

}  // namespace
}  // namespace vitro::backend
