// Horizontal fusion: launches that do not depend on each other run as one, and others do not.
#include "backend/run/horizontal_fusion.h"

#include <algorithm>

#include "backend/programs.h"
#include "vitro/profiler/profiler.h"
#include "vitro/runtime/parallel.h"

namespace vitro::backend {
namespace {

// Writes f(inputs)[i] to input i, for the first of these inputs.
graph::Graph graph_of_updates(const std::vector<Sizes>& inputs, const Function& f) {
  graph::Builder b;
  std::vector<Tensor> in;
  for (size_t i = 0; i < inputs.size(); ++i) in.push_back(b.input(cat("x", i), f32(inputs[i])));
  const Using use(&b);
  b.set_expand(true);
  const std::vector<Tensor> out = f(in);
  for (size_t i = 0; i < out.size(); ++i) b.output(out[i], static_cast<int>(i));
  return graph::run_passes(b.take(), graph::standard_passes());
}

size_t joined(const Compiled& c) {
  return static_cast<size_t>(std::ranges::count(c.executable->launches(), true, &Launch::joins));
}

// Parameters of these numbers of elements, and gradients of the same.
constexpr int64_t counts[] = {1,   3,      16,      17,        1000, 4096,   5001,
                              300, 70'001, 200'000, 1'500'000, 2,    33'000, 7};
constexpr size_t parameters = std::size(counts);

std::vector<Sizes> sizes_of_parameters_and_gradients() {
  std::vector<Sizes> out;
  for (size_t i = 0; i < 2 * parameters; ++i) out.push_back({counts[i % parameters]});
  return out;
}
std::vector<Tensor> updated(const std::vector<Tensor>& in) {
  std::vector<Tensor> out;
  for (size_t i = 0; i < parameters; ++i)
    out.push_back(in[i] * 0.99 - sqrt(abs(in[parameters + i])) * 0.1);
  return out;
}
std::vector<Tensor> random_inputs(const std::vector<Sizes>& sizes) {
  std::vector<Tensor> out;
  for (const Sizes& one : sizes)
    out.push_back(random_tensor(one, static_cast<uint32_t>(out.size())));
  return out;
}

TEST(HorizontalFusion, updates_of_all_parameters_run_as_one) {
  eager::init();
  const std::vector<Sizes> sizes = sizes_of_parameters_and_gradients();
  Compiled c = compile_graph(graph_of_updates(sizes, updated));
  ASSERT_EQ(c.executable->launches().size(), parameters);
  EXPECT_EQ(joined(c), parameters - 1);
  EXPECT_FALSE(c.report.launches[0].joins);
  EXPECT_TRUE(c.report.launches[1].joins);
  const int before = num_threads();
  for (const int threads : {1, 2, 3, 8}) {
    SCOPED_TRACE(threads);
    set_num_threads(threads);
    const std::vector<Tensor> in = random_inputs(sizes);
    const std::vector<Tensor> want = updated(in);
    (void)c.run(in);
    for (size_t i = 0; i < parameters; ++i) expect_same_bits(in[i], want[i]);
  }
  set_num_threads(before);
}

TEST(HorizontalFusion, launches_that_run_as_one_are_one_kernel_in_a_profile) {
  eager::init();
  const std::vector<Sizes> sizes = sizes_of_parameters_and_gradients();
  Compiled c = compile_graph(graph_of_updates(sizes, updated));
  const std::vector<Tensor> in = random_inputs(sizes);
  Profiler profiler;
  (void)c.run(in);
  profiler.stop();
  const Averages averages = profiler.averages();
  const auto kernel = std::ranges::find_if(
      averages.entries(), [](const Average& one) { return one.name.ends_with(" and 13 more"); });
  ASSERT_NE(kernel, averages.entries().end());
  EXPECT_EQ(kernel->count, 1U);
  int64_t elements = 0;
  for (const int64_t count : counts) elements += count;
  EXPECT_EQ(kernel->kernel_bytes, static_cast<uint64_t>(3 * 4 * elements));
}

TEST(HorizontalFusion, takes_numbers_of_a_call) {
  eager::init();
  graph::Graph g;
  const graph::NodeId x = g.add_input("x", f32({1000})), y = g.add_input("y", f32({77}));
  const graph::NodeId rate =
      g.add_input("rate", ops::dense(DType::f64, cpu, {}), graph::InputKind::number);
  const OpDef& op = *ops::named("mul");
  g.add_output({g.add(op, {graph::Value{x}, graph::Value{rate}}), 0}, 0);
  g.add_output({g.add(op, {graph::Value{y}, graph::Value{rate}}), 0}, 1);
  Compiled c = compile_graph(g);
  EXPECT_EQ(joined(c), 1U);
  const std::vector<Tensor> in{random_tensor({1000}), random_tensor({77})};
  const std::vector<Tensor> want{in[0] * 0.25, in[1] * 0.25};
  std::vector<Operand> operands{in[0], in[1], Scalar(0.25)};
  c.executable->run(operands, {}, {});
  for (size_t i = 0; i < 2; ++i) expect_same_bits(in[i], want[i]);
}

TEST(HorizontalFusion, sizes_may_vary) {
  eager::init();
  const Size n(12, sym::Expr::symbol("n")), m(5, sym::Expr::symbol("m"));
  const Function f = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] * 2, exp(in[1])};
  };
  Compiled c = compile_graph(graph_of_updates({{n}, {m, 3}}, f));
  EXPECT_EQ(joined(c), 1U);
  for (const auto& [a, b] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {12, 5}, {0, 4}, {3, 0}, {0, 0}, {100'000, 7}, {9, 200'000}}) {
    SCOPED_TRACE(cat(a, " and ", b));
    const std::vector<Tensor> in{random_tensor({a}), random_tensor({b, 3})};
    const std::vector<Tensor> want = f(in);
    (void)c.run(in, {a, b});
    for (size_t i = 0; i < 2; ++i) expect_same_bits(in[i], want[i]);
  }
}

// What one writes and the other uses, in both orders.
TEST(HorizontalFusion, launches_that_depend_on_each_other_stay_apart) {
  eager::init();
  const std::vector<Sizes> sizes{{64, 1000}, {64}};
  for (const Function& f :
       {Function([](const std::vector<Tensor>& in) {  // the sum reads what is then written
          return std::vector<Tensor>{in[0] * 2, sum(in[0], {1})};
        }),
        Function([](const std::vector<Tensor>& in) {  // the sum reads what was written
          const Tensor twice = in[0] * 2;
          return std::vector<Tensor>{twice, sum(exp(twice), {1}) / amax(twice)};
        })}) {
    Compiled c = compile_graph(graph_of_updates(sizes, f));
    const std::vector<Tensor> in = random_inputs(sizes);
    const std::vector<Tensor> want = f(in);
    (void)c.run(in);
    for (size_t i = 0; i < 2; ++i) expect_same_bits(in[i], want[i]);
    const auto& launches = c.executable->launches();
    for (size_t i = 1; i < launches.size(); ++i) {
      if (!launches[i].joins) continue;
      for (const BufferId buffer : launches[i].buffers)
        EXPECT_EQ(std::ranges::count(launches[i - 1].buffers, buffer), 0);
    }
  }
}

// Whether two tensors of this many elements, which the next launches read, are made as one.
bool joins_results_that_are_read(int64_t count) {
  const Compiled c = compile_graph(graph_of({{count}, {count}}, [&](const std::vector<Tensor>& in) {
    const Tensor a = cumsum(in[0], 0), b = cumsum(in[1], 0);
    return std::vector<Tensor>{flip(a, {0}) * flip(b, {0})};
  }));
  return c.executable->launches().at(1).joins;
}

TEST(HorizontalFusion, large_results_that_are_read_stay_where_their_reader_finds_them) {
  eager::init();
  EXPECT_TRUE(joins_results_that_are_read(1000));
  EXPECT_FALSE(joins_results_that_are_read(1'000'000));
}

TEST(HorizontalFusion, products_and_what_may_fail_run_alone) {
  eager::init();
  const Compiled products =
      compile_graph(graph_of({{8, 8}, {8, 8}}, [](const std::vector<Tensor>& in) {
        return std::vector<Tensor>{mm(in[0], in[0]), mm(in[1], in[1])};
      }));
  EXPECT_EQ(joined(products), 0U);
  graph::Builder b;
  const Tensor x = b.input("x", f32({10, 4})), y = b.input("y", f32({20, 3}));
  const Tensor i = b.input("i", ops::dense(DType::i64, cpu, {5}));
  const Using use(&b);
  b.output(index_select(x, 0, i));
  b.output(index_select(y, 0, i));
  EXPECT_EQ(joined(compile_graph(b.take())), 0U);
}

}  // namespace
}  // namespace vitro::backend
