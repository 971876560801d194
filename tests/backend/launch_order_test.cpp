// The order of kernels: updates follow the gradients that they read, zeros come just before what is
// added to them, and kernels that may fail stay before writes.
#include "backend/lower/launch_order.h"

#include "backend/programs.h"

namespace vitro::backend {
namespace {

constexpr int64_t side = 64, square_bytes = side * side * 4;

// A step of a network of `layers` products and exponentials. Its loss is the sum of its results;
// its first output is the gradient of x, which needs all layers, as that of an embedding does.
std::vector<Tensor> step(const Tensor& x, const std::vector<Tensor>& weights) {
  std::vector<Tensor> h{x};
  for (const Tensor& w : weights) h.push_back(exp(mm(h.back(), w) * 0.01));
  Tensor g = h.back() * 0 + 1;
  std::vector<Tensor> updated(weights.size());
  for (size_t i = weights.size(); i-- > 0;) {
    const Tensor d = g * h[i + 1] * 0.01;
    updated[i] = weights[i] - mm(transpose(h[i], 0, 1), d) * 0.01;
    g = mm(d, transpose(weights[i], 0, 1));
  }
  updated.insert(updated.begin(), g);
  return updated;
}

graph::Graph graph_of_step(size_t layers) {
  graph::Builder b;
  std::vector<Tensor> in;
  for (size_t i = 0; i <= layers; ++i)
    in.push_back(b.input(cat("x", i), f32({side, side}), graph::InputKind::parameter));
  const Using use(&b);
  b.set_expand(true);
  const std::vector<Tensor> out = step(in[0], {in.begin() + 1, in.end()});
  b.output(out[0]);
  for (size_t i = 1; i <= layers; ++i) b.output(out[i], static_cast<int>(i));
  return graph::run_passes(b.take(), graph::standard_passes());
}

// Of a training step only the results of its layers are live when the backward pass begins: a
// gradient of them is freed by the two products that read it.
TEST(LaunchOrder, frees_gradients_as_the_weights_are_updated) {
  eager::init();
  constexpr size_t layers = 12;
  Compiled c = compile_graph(graph_of_step(layers));
  EXPECT_LE(c.report.arena_bytes, static_cast<int64_t>(layers + 5) * square_bytes);
  std::vector<Tensor> in;
  for (uint32_t i = 0; i <= layers; ++i) in.push_back(mul(random_tensor({side, side}, i + 1), 0.1));
  const std::vector<Tensor> want = step(in[0], {in.begin() + 1, in.end()});
  expect_same_bits(c.run(in)[0], want[0]);
  for (size_t i = 1; i <= layers; ++i) expect_same_bits(in[i], want[i]);
}

TEST(LaunchOrder, fills_memory_just_before_it_is_added_to) {
  eager::init();
  const Function f = [](const std::vector<Tensor>& in) {
    Tensor h = in[0];
    for (int i = 0; i < 6; ++i) h = mm(h, in[1]);
    return std::vector<Tensor>{index_add(zeros({side, side}), 0, in[2], h)};
  };
  graph::Builder b;
  std::vector<Tensor> in{b.input("x", f32({side, side})), b.input("w", f32({side, side})),
                         b.input("i", ops::dense(DType::i64, cpu, {side}))};
  {
    const Using use(&b);
    b.set_expand(true);
    b.output(f(in)[0] + 1);
  }
  const Compiled c = compile_graph(b.take());
  // The panels of w, and two products or one and the zeros.
  EXPECT_LE(c.report.arena_bytes, 3 * square_bytes);
}

TEST(LaunchOrder, keeps_what_may_fail_before_writes) {
  eager::init();
  graph::Builder b;
  const Tensor x = b.input("x", f32({8, 8})), i = b.input("p", ops::dense(DType::i64, cpu, {8})),
               j = b.input("q", ops::dense(DType::i64, cpu, {8}));
  {
    const Using use(&b);
    b.set_expand(true);
    b.output(mm(x, x) + remainder(i, j));  // fails if an element of j is 0
    b.output(x + 1, 0);
  }
  Compiled c = compile_graph(b.take());
  ASSERT_GE(c.executable->launches().size(), 2U);
  const Tensor ones = Tensor::from<int64_t>({1, 1, 1, 1, 1, 1, 1, 1}, {8});
  const std::vector<Tensor> in{random_tensor({8, 8}), ones, ones};
  const std::vector<Operand> operands(in.begin(), in.end());
  EXPECT_FALSE(c.executable->may_fail_late(operands, {}));
}

}  // namespace
}  // namespace vitro::backend
