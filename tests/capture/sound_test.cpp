// Conditions for a sound replay, each with an example.
#include <cmath>
#include <thread>

#include "capture/testing.h"

namespace vitro {
namespace {

// 1. Storing a handle is not an op, so liveness is part of what is compiled.
TEST(Sound, a_handle_that_is_kept_on_some_calls_is_there_on_these_calls) {
  Tensor kept;
  bool keep = false;
  auto f = compile(
      [&](const Tensor& x) {
        const Tensor h = exp(x);
        if (keep) kept = h;
        return add(h, 1.0);
      },
      graphs());
  const Tensor x = vec({0, 1}), want = exp(x);
  f(x);
  keep = true;
  f(x);
  EXPECT_EQ(values(kept), values(want));
  keep = false;
  kept = Tensor();
  f(x);
  const CompiledReport report = f.report();
  EXPECT_EQ(report.ops_recorded, 2U);
  ASSERT_EQ(report.segments.size(), 2U);
  EXPECT_EQ(report.segments[0].graph.outputs().size(), 1U);
  EXPECT_EQ(report.segments[1].graph.outputs().size(), 2U);
  EXPECT_EQ(report.segments[0].runs, 2U);
}

TEST(Sound, no_deferred_tensor_outlives_its_call) {
  Tensor kept;
  auto f = compile(
      [&](const Tensor& x) {
        kept = exp(x);
        return add(x, 1.0);
      },
      graphs());
  f(vec({0}));
  EXPECT_FALSE(kept.is_deferred());
  EXPECT_EQ(values(kept), (std::vector<float>{1}));
}

// 2. Paths rejoin.
TEST(Sound, ten_branches_on_data_make_tens_of_nodes_not_thousands) {
  auto f = compile(
      [](Tensor x) {
        for (int i = 0; i < 10; ++i) {
          const bool big = sum(x).item<float>() > 3;
          x = big ? mul(x, 0.5) : add(x, 1.0);
        }
        return x;
      },
      graphs());
  for (float start = -10; start < 10; start += 0.5F) {
    Tensor want = vec({start, 1});
    for (int i = 0; i < 10; ++i) {
      const bool big = sum(want).item<float>() > 3;
      want = big ? mul(want, 0.5) : add(want, 1.0);
    }
    EXPECT_EQ(values(f(vec({start, 1}))), values(want));
  }
  EXPECT_LE(f.report().ops_recorded, 60U);
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Sound, a_while_loop_on_data_compiles_its_body_once) {
  auto f = compile(
      [](Tensor x) {
        Tensor error = sum(x);
        while (error.item<float>() > 1e-3F) {
          x = mul(x, 0.5);
          error = sum(x);
        }
        return x;
      },
      graphs());
  f(vec({1, 2, 3}));
  const size_t after_one = f.report().segments.size();
  const uint64_t ops = f.report().ops_recorded;
  f(vec({100, 2, 3}));
  EXPECT_EQ(f.report().segments.size(), after_one);
  EXPECT_EQ(f.report().ops_recorded, ops);
  EXPECT_LE(ops, 6U);
}

TEST(Sound, a_long_path_is_cut) {
  const int64_t before = capture::segment_limit.get();
  capture::segment_limit.set(100);
  auto f = compile(
      [](Tensor x) {
        for (int i = 0; i < 250; ++i) x = add(x, 1.0);
        return x;
      },
      graphs());
  EXPECT_EQ(values(f(vec({0}))), (std::vector<float>{250}));
  EXPECT_EQ(values(f(vec({1}))), (std::vector<float>{251}));
  capture::segment_limit.set(before);
  const CompiledReport report = f.report();
  ASSERT_FALSE(report.breaks.empty());
  EXPECT_EQ(report.breaks[0].code->id, "V0206");
}

TEST(Sound, the_trace_tree_is_bounded) {
  const int64_t before = capture::record_limit.get();
  capture::record_limit.set(50);
  auto f = compile(
      [](Tensor x) {
        for (int i = 0; i < 100; ++i) x = add(x, 1.0);
        return x;
      },
      graphs());
  EXPECT_EQ(values(f(vec({0}))), (std::vector<float>{100}));
  EXPECT_EQ(values(f(vec({1}))), (std::vector<float>{101}));
  capture::record_limit.set(before);
  const CompiledReport report = f.report();
  ASSERT_FALSE(report.fallbacks.empty());
  EXPECT_EQ(report.fallbacks[0].code->id, "V0309");
  EXPECT_LE(report.ops_recorded, 50U);
}

// 3. Sizes know their symbols.
TEST(Sound, a_size_computed_from_a_symbol_follows_it) {
  auto f = compile(
      [](const Tensor& x) {
        const Size n = x.size(0);
        return sum(view(x, {n / 2, 2}), {1});
      },
      graphs());
  for (const int64_t n : {4, 6, 8, 10, 6}) {
    const Tensor x = counted({n});
    EXPECT_EQ(values(f(x)), values(sum(view(x, {n / 2, 2}), {1}))) << n;
  }
  EXPECT_EQ(f.report().segments.size(), 2U);
}

// 4. Mutation is tracked per storage.
TEST(Sound, a_read_after_a_write_through_a_view_sees_the_new_value) {
  auto f = compile(
      [](const Tensor& x) {
        const Tensor y = exp(x);
        const Tensor row = select(y, 0, 1);
        add_(row, 100.0);
        return sum(y, {1});
      },
      graphs());
  const Tensor x = counted({3, 2}, 0.1F);
  const Tensor y = exp(x);
  add_(select(y, 0, 1), 100.0);
  EXPECT_EQ(values(f(x)), values(sum(y, {1})));
  EXPECT_EQ(values(f(x)), values(sum(y, {1})));
  EXPECT_TRUE(f.report().fallbacks.empty());
  expect_sound_graphs(f.report());
}

TEST(Sound, whether_inputs_are_the_same_tensor_is_a_guard) {
  auto f = compile(
      [](const Tensor& a, const Tensor& b) {
        add_(a, 1.0);
        return mul(a, b);
      },
      graphs());
  const Tensor x = vec({1, 2});
  EXPECT_EQ(values(f(vec({1, 2}), vec({3, 4}))), (std::vector<float>{6, 12}));
  EXPECT_EQ(values(f(x, x)), (std::vector<float>{4, 9}));
  EXPECT_EQ(values(f(vec({1, 2}), vec({3, 4}))), (std::vector<float>{6, 12}));
  EXPECT_EQ(f.report().recompiles.size(), 1U);
}

// 5. A recycled handle cannot stand for another tensor.
TEST(Sound, tensors_made_inside_of_the_function_are_fresh_on_every_call) {
  float next = 0;
  auto f = compile(
      [&](const Tensor& x) {
        Tensor sum_of = x;
        for (int i = 0; i < 3; ++i) sum_of = add(sum_of, vec({next++}));
        return sum_of;
      },
      graphs());
  EXPECT_EQ(values(f(vec({100}))), (std::vector<float>{103}));
  EXPECT_EQ(values(f(vec({100}))), (std::vector<float>{112}));
  EXPECT_EQ(values(f(vec({100}))), (std::vector<float>{121}));
  EXPECT_EQ(f.report().segments.size(), 1U);
}

// 6. Modes are one machine word, which is compared at each node.
TEST(Sound, switching_gradients_off_is_another_way) {
  bool off = false;
  auto f = compile(
      [&](const Tensor& x) {
        std::optional<NoGrad> scope;
        if (off) scope.emplace();
        return exp(x);
      },
      graphs());
  f(vec({1}));
  off = true;
  f(vec({1}));
  const CompiledReport report = f.report();
  ASSERT_EQ(report.recompiles.size(), 1U);
  EXPECT_EQ(report.recompiles[0].code->id, "V0306");
}

// 7. Attributes compare by bits, numbers by kind and bits.
TEST(Sound, numbers_differ_by_kind_and_bits) {
  Scalar n = 1;
  auto f = compile([&](const Tensor& x) { return mul(x, n); }, graphs());
  const Tensor whole = Tensor::from<int64_t>({3}, {1});
  EXPECT_EQ(f(whole).dtype(), DType::i64);
  n = 1.0;
  EXPECT_EQ(f(whole).dtype(), DType::f32);
  const Tensor x = vec({0});
  n = -0.0;
  EXPECT_TRUE(std::signbit(f(x).item<float>()));
  n = 0.0;
  EXPECT_FALSE(std::signbit(f(x).item<float>()));
}

// 8. A composite is one node.
TEST(Sound, a_composite_is_recorded_as_one_node) {
  auto f = compile([](const Tensor& x) { return softmax(x, 1); }, graphs());
  const Tensor x = counted({2, 3});
  EXPECT_EQ(values(f(x)), values(softmax(x, 1)));
  EXPECT_EQ(f.report().ops_recorded, 1U);
}

// 9. Stack unwinding flushes by interpretation.
TEST(Sound, a_write_before_a_throw_stays) {
  const Tensor buffer = vec({1, 2});
  auto f = compile(
      [&](const Tensor& x) {
        add_(buffer, x);
        if (x.size(0) == 2) throw std::runtime_error("as planned");
        return x;
      },
      graphs());
  EXPECT_THROW(f(vec({10, 20})), std::runtime_error);
  EXPECT_EQ(values(buffer), (std::vector<float>{11, 22}));
  EXPECT_THROW(f(vec({10, 20})), std::runtime_error);
  EXPECT_EQ(values(buffer), (std::vector<float>{21, 42}));
}

// 10. Use of another thread's pending tensor is a clear error.
TEST(Sound, a_pending_tensor_in_another_thread_is_a_clear_error) {
  std::string message;
  auto f = compile(
      [&](const Tensor& x) {
        const Tensor y = exp(x);
        std::thread([&] {
          try {
            (void)y.item();
          } catch (const Error& e) {
            message = e.what();
          }
        }).join();
        return y;
      },
      graphs());
  EXPECT_EQ(values(f(vec({0}))), (std::vector<float>{1}));
  EXPECT_NE(message.find("another thread"), std::string::npos) << message;
}

// 11. Same program, same bytes.
TEST(Sound, equal_programs_give_equal_graphs) {
  const auto program = [](const Tensor& x) { return sum(mul(exp(x), 2.0), {0}); };
  auto f = compile(program, graphs()), g = compile(program, graphs());
  f(vec({1, 2}));
  g(vec({3, 4}));
  EXPECT_EQ(f.report().segments.at(0).graph.hash(), g.report().segments.at(0).graph.hash());
  EXPECT_EQ(graph::print(f.report().segments.at(0).graph),
            graph::print(g.report().segments.at(0).graph));
}

}  // namespace
}  // namespace vitro
