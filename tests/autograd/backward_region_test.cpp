// Gradients that are computed after the compiled function whose calls they are of: they run as a
// compiled program, with eager's bits.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "error_of.h"
#include "leaves.h"
#include "vitro/vitro.h"

namespace vitro::test {
namespace {

using Tensors = std::vector<Tensor>;

bool same_bits(const Tensor& a, const Tensor& b) {
  const Numbers x = numbers(a), y = numbers(b);
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

Tensor made_up(const Sizes& sizes, double from = 0) {
  Size count = 1;
  for (const Size s : sizes) count = count * s;
  return reshape(sin(to(arange(count.value()), DType::f64) * 1.7 + from), sizes);
}

Tensor variable(const Sizes& sizes, double from = 0) {
  return clone(made_up(sizes, from)).set_requires_grad(true);
}

struct Layer {
  Tensor weight = variable({4, 3}), bias = variable({4}, 1);
  Tensor operator()(const Tensor& x) const { return tanh(addmm(bias, x, permute(weight, {1, 0}))); }
  Tensors all() const { return {weight, bias}; }
  void forget() const {
    for (Tensor one : all()) one.set_grad({});
  }
};

// The gradients of the leaves after `pass`.
template <class Pass>
Tensors gradients_after(const Layer& layer, Pass pass) {
  layer.forget();
  pass();
  Tensors out;
  for (const Tensor& one : layer.all()) out.push_back(clone(one.grad()));
  return out;
}

void expect_same(const Tensors& got, const Tensors& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(same_bits(got[i], want[i])) << i;
}

const SegmentReport& only_segment(const CompiledReport& of) {
  EXPECT_EQ(of.segments.size(), 1U);
  return of.segments.at(0);
}

TEST(BackwardRegion, of_a_function_compiled_on_another_thread_has_the_bits_of_eager) {
  const Layer layer;
  const Tensor x = made_up({5, 3});
  const auto loss = [&](const Tensor& t) { return sum(square(layer(t))); };
  const auto fast = compile(loss, {.asynchronous = true});
  const Tensors want = gradients_after(layer, [&] { loss(x).backward(); });
  for (int i = 0; i < 4; ++i) {
    expect_same(gradients_after(layer, [&] { fast(x).backward(); }), want);
    if (i == 1) fast.wait();
  }
  EXPECT_GE(fast.report().segments.at(0).runs, 1U);
}

TEST(BackwardRegion, runs_as_one_compiled_program) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  auto fast = compile([&](const Tensor& t) { return sum(layer(t) * layer(t)); });
  const Tensors want = gradients_after(layer, [&] { sum(layer(x) * layer(x)).backward(); });
  EXPECT_EQ(fast.report().backward, nullptr);
  for (int i = 0; i < 3; ++i)
    expect_same(gradients_after(layer, [&] { fast(x).backward(); }), want);
  const auto backward = fast.report().backward;
  ASSERT_NE(backward, nullptr);
  EXPECT_EQ(backward->calls, 3U);
  EXPECT_TRUE(backward->breaks.empty());
  EXPECT_TRUE(backward->recompiles.empty());
  const SegmentReport& segment = only_segment(*backward);
  EXPECT_TRUE(segment.compiled) << segment.why_not;
  EXPECT_EQ(segment.runs, 3U);
  EXPECT_EQ(segment.graph.outputs().size(), 2U);  // the gradients of the leaves, and nothing else
  EXPECT_NE(explain(fast.report()).find("f_backward/0"), std::string::npos);
}

TEST(BackwardRegion, adds_to_earlier_gradients) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2), y = made_up({5, 3}, 3);
  auto fast = compile([&](const Tensor& t) { return sum(layer(t)); });
  const auto both = [&](const auto& f) {
    return gradients_after(layer, [&] {
      f(x).backward();
      f(y).backward();
    });
  };
  expect_same(both(fast), both([&](const Tensor& t) { return sum(layer(t)); }));
}

TEST(BackwardRegion, goes_back_from_one_result_and_then_from_the_other) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  const auto body = [&](const Tensor& t) { return Tensors{sum(layer(t)), sum(exp(layer(t)))}; };
  auto fast = compile(body);
  const auto one_by_one = [&](const auto& f) {
    return gradients_after(layer, [&] {
      const Tensors a = f(x), b = f(x * 2.0);  // the second call comes before the first backward
      a[0].backward();
      b[1].backward();
      a[1].backward();
    });
  };
  const Tensors want = one_by_one(body);
  for (int i = 0; i < 2; ++i) expect_same(one_by_one(fast), want);
}

TEST(BackwardRegion, is_differentiated_in_turn) {
  const Tensor x = variable({6});
  const auto body = [](const Tensor& t) { return sum(exp(sin(t)) * t); };
  auto fast = compile(body);
  const auto second = [&](const auto& f) {
    const Tensor first = grad(f(x), {x}, {.create_graph = true})[0];
    return grad(sum(first * first), {x})[0];
  };
  const Tensor want = second(body);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(second(fast), want));
  const auto backward = fast.report().backward;
  ASSERT_NE(backward, nullptr);
  ASSERT_NE(backward->backward, nullptr);
  EXPECT_TRUE(only_segment(*backward->backward).compiled);
}

TEST(BackwardRegion, takes_sizes_that_vary) {
  const Layer layer;
  const auto body = [&](const Tensor& t) { return sum(layer(t) * layer(t)); };
  auto fast = compile(body);
  for (const int64_t rows : {4, 7, 2, 9, 5, 11}) {
    const Tensor x = made_up({rows, 3}, 2);
    expect_same(gradients_after(layer, [&] { fast(x).backward(); }),
                gradients_after(layer, [&] { body(x).backward(); }));
  }
  EXPECT_LE(fast.report().backward->segments.size(), 2U);
  EXPECT_TRUE(fast.report().backward->fallbacks.empty());
}

// Each step is a call of its own, whose gradients are a program of their own: the number of steps
// does not matter.
TEST(BackwardRegion, goes_back_call_by_call) {
  const Tensor w = variable({4, 4});
  const auto cell = [&](const Tensor& h, const Tensor& x) { return tanh(mm(h, w) + x); };
  auto fast = compile(cell);
  const auto run = [&](const auto& f, int steps) {
    Tensor h = made_up({2, 4}), last = w;
    last.set_grad({});
    for (int i = 0; i < steps; ++i) h = f(h, made_up({2, 4}, i));
    sum(h).backward();
    return clone(w.grad());
  };
  for (const int steps : {3, 8, 5}) EXPECT_TRUE(same_bits(run(fast, steps), run(cell, steps)));
  const auto backward = fast.report().backward;
  EXPECT_EQ(backward->calls, 16U);
  EXPECT_LE(backward->segments.size(), 3U);
}

TEST(BackwardRegion, covers_the_parts_between_breaks) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  const auto body = [&](const Tensor& t) {
    const Tensor y = layer(t);
    graph_break("a test");
    return sum(y * layer(t));
  };
  auto fast = compile(body);
  const Tensors want = gradients_after(layer, [&] { body(x).backward(); });
  for (int i = 0; i < 2; ++i)
    expect_same(gradients_after(layer, [&] { fast(x).backward(); }), want);
  EXPECT_EQ(fast.report().segments.size(), 2U);
  EXPECT_TRUE(only_segment(*fast.report().backward).compiled);
}

// The gradients of a part that is excluded from compilation are not compiled, either.
TEST(BackwardRegion, leaves_out_disabled_parts) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  const auto body = [&](const Tensor& t) {
    Tensor y = layer(t);
    {
      const capture::Disabled eagerly;
      y = y * sin(y);
    }
    return sum(y * layer(t));
  };
  auto fast = compile(body);
  const Tensors want = gradients_after(layer, [&] { body(x).backward(); });
  for (int i = 0; i < 2; ++i)
    expect_same(gradients_after(layer, [&] { fast(x).backward(); }), want);
  EXPECT_EQ(fast.report().backward->calls, 4U);  // what comes before it, and after it
}

TEST(BackwardRegion, calls_hooks_that_may_read_elements) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  double seen = 0;
  const auto body = [&](const Tensor& t) {
    const Tensor y = layer(t);
    (void)register_hook(y, [&](const Tensor& g) {
      seen += sum(g).item<double>();
      return g * 3.0;
    });
    return sum(y * y);
  };
  auto fast = compile(body);
  const Tensors want = gradients_after(layer, [&] { body(x).backward(); });
  const double once = seen;
  for (int i = 0; i < 2; ++i)
    expect_same(gradients_after(layer, [&] { fast(x).backward(); }), want);
  EXPECT_EQ(seen, 3 * once);
}

TEST(BackwardRegion, is_not_used_while_nan_is_looked_for) {
  const Tensor x = variable({3});
  auto fast = compile([](const Tensor& t) { return sum(sqrt(t - 2.0)); });
  const DetectAnomaly on;
  EXPECT_NE(error_of([&] { fast(x).backward(); }).find("the gradient of operand 0 of"),
            std::string::npos);
  EXPECT_EQ(fast.report().backward, nullptr);
}

TEST(BackwardRegion, is_part_of_a_compiled_step) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  auto inner = compile([&](const Tensor& t) { return sum(layer(t)); });
  auto step = compile([&](const Tensor& t) {
    inner(t).backward();
    return t;
  });
  const Tensors want = gradients_after(layer, [&] { sum(layer(x)).backward(); });
  expect_same(gradients_after(layer, [&] { (void)step(x); }), want);
  EXPECT_EQ(inner.report().backward, nullptr);
  EXPECT_EQ(step.report().backward, nullptr);
}

TEST(BackwardRegion, runs_on_several_threads_that_share_leaves) {
  const Layer layer;
  auto fast = compile([&](const Tensor& t) { return sum(layer(t)); });
  const auto times = [&](const auto& f, int threads) {
    return gradients_after(layer, [&] {
      std::vector<std::thread> all;
      for (int i = 0; i < threads; ++i) {
        all.emplace_back([&] {
          for (int k = 0; k < 20; ++k) f(made_up({5, 3}, 2)).backward();
        });
      }
      for (std::thread& one : all) one.join();
    });
  };
  const Tensors want = times([&](const Tensor& t) { return sum(layer(t)); }, 1);
  const Tensors got = times(fast, 3);
  for (size_t i = 0; i < got.size(); ++i) expect_near(got[i], numbers(want[i] * 3.0));
}

// What the function left is usable after the function object is gone.
TEST(BackwardRegion, outlives_the_function) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  const auto leave = [&] { return compile([&](const Tensor& t) { return sum(layer(t)); })(x); };
  expect_same(gradients_after(layer, [&] { leave().backward(); }),
              gradients_after(layer, [&] { sum(layer(x)).backward(); }));
}

// An elementwise op is computed again: only the product is kept.
TEST(ComputedAgain, takes_less_memory_and_has_the_bits_of_eager) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  const auto body = [&](const Tensor& t) {
    const Tensor y = gelu(layer(t));
    return sum(mm(y, permute(y, {1, 0})));
  };
  auto fast = compile(body);
  const Tensors want = gradients_after(layer, [&] { body(x).backward(); });
  for (int i = 0; i < 2; ++i)
    expect_same(gradients_after(layer, [&] { fast(x).backward(); }), want);
  const CompiledReport report = fast.report();
  const SegmentReport& segment = only_segment(report);
  EXPECT_TRUE(segment.compiled) << segment.why_not;
  EXPECT_EQ(segment.kept_bytes_without, 2 * 5 * 4 * 8);  // tanh, gelu
  EXPECT_EQ(segment.kept_bytes, 5 * 4 * 8);
  EXPECT_EQ(segment.computed_again.size(), 1U);
  EXPECT_EQ(segment.graph.outputs().size(), 2U);
  EXPECT_NE(explain(report).find("160 B are kept instead of 320 B"), std::string::npos)
      << explain(report);
}

TEST(ComputedAgain, depends_on_the_budget) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  const auto body = [&](const Tensor& t) {
    const Tensor y = exp(layer(t));
    return sum(mm(softmax(y, 1), permute(y, {1, 0})));
  };
  const Tensors want = gradients_after(layer, [&] { body(x).backward(); });
  int64_t last = std::numeric_limits<int64_t>::max();
  for (const double budget : {1.0, 0.5, 0.0}) {
    auto fast = compile(body, {.memory_budget = budget});
    expect_same(gradients_after(layer, [&] { fast(x).backward(); }), want);
    const CompiledReport report = fast.report();
    EXPECT_LT(only_segment(report).kept_bytes, last);
    last = only_segment(report).kept_bytes;
  }
  EXPECT_EQ(last, 0);
  EXPECT_NE(error_of([&] { (void)compile(body, {.memory_budget = 2}); }).find("from 0 to 1"),
            std::string::npos);
}

TEST(ComputedAgain, is_not_what_the_program_holds) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  auto fast = compile([&](const Tensor& t) {
    const Tensor y = layer(t);
    return Tensors{sum(y * y), detach(y)};
  });
  const Tensors results = fast(x);
  EXPECT_TRUE(same_bits(results[1], layer(x)));
  EXPECT_TRUE(only_segment(fast.report()).computed_again.empty());
}

TEST(ComputedAgain, has_the_same_random_numbers) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  const auto body = [&](const Tensor& t) {
    const Tensor y = dropout(layer(t), 0.5, true);
    return sum(mm(y, permute(y, {1, 0})));
  };
  const auto seeded = [&](const auto& f) {
    return gradients_after(layer, [&] {
      manual_seed(3);
      const Tensor loss = f(x);
      manual_seed(4);
      loss.backward();
    });
  };
  auto fast = compile(body);
  const Tensors want = seeded(body);
  for (int i = 0; i < 2; ++i) expect_same(seeded(fast), want);
  EXPECT_FALSE(only_segment(fast.report()).computed_again.empty());
}

TEST(ComputedAgain, may_be_asked_for_again_and_on_several_threads) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  const auto body = [&](const Tensor& t) { return sum(exp(layer(t)) * layer(t)); };
  auto fast = compile(body);
  const Tensors want = gradients_after(layer, [&] { body(x).backward(); });
  const Tensor loss = fast(x);
  for (int i = 0; i < 2; ++i) {
    expect_same(gradients_after(layer, [&] { backward(loss, {}, {.retain_graph = true}); }), want);
  }
  const auto on_threads = [&] {
    std::vector<std::thread> all;
    for (int i = 0; i < 3; ++i)
      all.emplace_back([&] { backward(loss, {}, {.retain_graph = true}); });
    for (std::thread& one : all) one.join();
  };
  const Tensors got = gradients_after(layer, on_threads);
  for (size_t i = 0; i < got.size(); ++i) expect_near(got[i], numbers(want[i] * 3.0));
}

TEST(ComputedAgain, may_be_differentiated_in_turn) {
  const Tensor x = variable({4, 4});
  const auto body = [&](const Tensor& t) {
    const Tensor y = exp(sin(mm(t, t)));
    return sum(mm(y, y));
  };
  auto fast = compile(body);
  const auto second = [&](const auto& f) {
    const Tensor first = grad(f(x), {x}, {.create_graph = true})[0];
    return grad(sum(first * first), {x})[0];
  };
  const Tensor want = second(body);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(second(fast), want));
  EXPECT_FALSE(only_segment(fast.report()).computed_again.empty());
}

TEST(ComputedAgain, takes_sizes_that_vary) {
  const Layer layer;
  const auto body = [&](const Tensor& t) {
    const Tensor y = gelu(layer(t));
    return sum(mm(permute(y, {1, 0}), y));
  };
  auto fast = compile(body);
  for (const int64_t rows : {4, 7, 2, 9, 5, 11}) {
    const Tensor x = made_up({rows, 3}, 2);
    expect_same(gradients_after(layer, [&] { fast(x).backward(); }),
                gradients_after(layer, [&] { body(x).backward(); }));
  }
  EXPECT_LE(fast.report().segments.size(), 2U);
  EXPECT_FALSE(fast.report().segments.back().computed_again.empty());
  EXPECT_LE(fast.report().backward->segments.size(), 3U);
}

TEST(ComputedAgain, notices_writes_to_what_it_is_computed_from) {
  Tensor x = variable({4});
  auto fast = compile([](const Tensor& t) { return sum(exp(sin(t) * t)); });
  const Tensor loss = fast(x);
  EXPECT_FALSE(only_segment(fast.report()).computed_again.empty());
  {
    const NoGrad off;
    (void)add_(x, 1.0);
  }
  EXPECT_NE(error_of([&] { loss.backward(); }).find("written"), std::string::npos);
}

// A write after the call that a value was saved for is an error, as it is eagerly.
TEST(ComputedAgain, notices_writes_to_what_was_saved) {
  const Tensor x = variable({4});
  const auto body = [](const Tensor& t) {
    const Tensor y = exp(t * 2.0), z = sum(y * y);
    (void)add_(y, 1.0);
    return z;
  };
  auto fast = compile(body);
  const std::string want = error_of([&] { body(x).backward(); });
  EXPECT_NE(want.find("written after the call"), std::string::npos);
  EXPECT_EQ(error_of([&] { fast(x).backward(); }), want);
}

// Nothing but the saved tensor refers to the write, whose node saves others.
TEST(ComputedAgain, may_be_the_last_to_hold_another) {
  const Tensor x = variable({4});
  const auto body = [](const Tensor& t) {
    const Tensor y = t * 2.0, z = sum(cos(y));
    (void)mul_(y, exp(sin(t)));
    return z;
  };
  auto fast = compile(body);
  const std::string want = error_of([&] { body(x).backward(); });
  EXPECT_NE(want.find("written after the call"), std::string::npos);
  EXPECT_EQ(error_of([&] { fast(x).backward(); }), want);
}

// The call writes to what they could be computed from, before it computes them.
TEST(ComputedAgain, is_not_what_the_call_writes_to) {
  const auto body = [](const Tensor& x, const Tensor& at) {
    (void)add_(select(at, 0, -1), 1);
    return index_select(x, 0, remainder(at, 4));
  };
  auto fast = compile(body);
  for (int call = 0; call < 2; ++call) {
    Tensor x = variable({4}), y = variable({4});
    const Tensor at = arange(1, 7), again = arange(1, 7);
    sum(square(body(x, at))).backward();
    sum(square(fast(y, again))).backward();
    EXPECT_EQ(again.to_vector<int64_t>(), (std::vector<int64_t>{1, 2, 3, 4, 5, 7}));
    EXPECT_EQ(y.grad().to_vector<double>(), x.grad().to_vector<double>());
  }
}

// What the program gets it may write: eager saves other tensors, too.
TEST(ComputedAgain, is_not_computed_from_what_the_program_gets) {
  const auto body = [](const Tensor& x) {
    const Tensor half = to(x * 2.0, DType::bf16);
    return std::vector<Tensor>{half, sum(exp(to(half, DType::f64) * 3.0))};
  };
  auto fast = compile(body);
  Tensor x = variable({4}), y = variable({4});
  for (const auto& [result, leaf] : {std::pair(body(x), x), std::pair(fast(y), y)}) {
    {
      const NoGrad off;
      (void)add_(detach(result[0]), 1.0);
    }
    result[1].backward();
  }
  EXPECT_EQ(y.grad().to_vector<double>(), x.grad().to_vector<double>());
}

TEST(BackwardRegion, is_gone_through_once) {
  const Layer layer;
  const Tensor x = made_up({5, 3}, 2);
  auto fast = compile([&](const Tensor& t) { return sum(layer(t)); });
  layer.forget();
  const Tensor loss = fast(x);
  loss.backward();
  EXPECT_NE(error_of([&] { loss.backward(); }).find("released by an earlier backward"),
            std::string::npos);
}

// Sizes that vary: a window of ones has several orders of its dimensions, of which eager takes one.
TEST(ComputedAgain, has_the_strides_that_it_had) {
  init();
  const auto body = [](const Tensor& x) {
    Tensor y = clone(x);
    erfc_(y);
    return y;
  };
  auto fast = compile(body);
  for (const int64_t n : {16, 16, 4, 9, 5, 1, 9}) {
    const auto gradient = [&](const auto& f) {
      Tensor x = as_strided(arange(0.0, n + 4.0), {5, 1, n}, {1, 1, 1}).set_requires_grad(true);
      const Tensor y = f(x);
      return grad({sum(y * y)}, {x})[0];
    };
    EXPECT_EQ(cat(gradient(fast).strides()), cat(gradient(body).strides())) << n;
  }
}

}  // namespace
}  // namespace vitro::test
