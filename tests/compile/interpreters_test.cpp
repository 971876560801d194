// User interpreters above eager, and around and inside compiled functions.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "vitro/compile/compile.h"
#include "vitro/graph/build.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

class CountOps : public Interpreter {
 public:
  void call(const OpCall& call, std::span<Tensor> results) override {
    ++count;
    call_below(call, results);
  }
  int count = 0;
};

// a - b becomes a + -b.
class NoSub : public Interpreter {
 public:
  void call(const OpCall& call, std::span<Tensor> results) override {
    if (call.op->name != "sub" || call.in_place) return call_below(call, results);
    const Below below;
    results[0] = add({call.operands[0].tensor(), call.where}, neg(call.operands[1].tensor()));
  }
};

Tensor numbers() {
  return Tensor::from<float>({1, 2, 3, 4}, {2, 2});
}

TEST(Interpreters, count_what_eager_is_asked_for) {
  CountOps counter;
  const Using counting(&counter);
  const Tensor y = exp(numbers()) + 1;
  EXPECT_EQ(counter.count, 2);
  EXPECT_EQ(softmax(y, 1).size(0), 2);  // a composite is one call
  EXPECT_EQ(counter.count, 3);
}

TEST(Interpreters, inside_of_a_compiled_function_see_every_call) {
  CountOps counter;
  auto fast = compile([&](const Tensor& x) {
    const Using counting(&counter);
    const Tensor y = exp(x) - x;
    return y * y.size(0);
  });
  const Tensor x = numbers();
  const Tensor want = (exp(x) - x) * 2;
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(fast(x).to_vector<float>(), want.to_vector<float>());
    EXPECT_EQ(counter.count, 3 * i);
  }
  EXPECT_EQ(fast.report().segments.size(), 1U);
  EXPECT_EQ(fast.report().segments[0].kernels, 1);
}

TEST(Interpreters, around_a_compiled_function_do_not_see_what_is_compiled) {
  CountOps counter;
  auto fast = compile([](const Tensor& x) { return exp(x) - x; });
  const Tensor x = numbers();
  const Using counting(&counter);
  (void)fast(x).to_vector<float>();
  (void)fast(x).to_vector<float>();
  EXPECT_EQ(counter.count, 0);
}

TEST(Interpreters, what_they_make_of_a_call_is_captured) {
  NoSub rewriter;
  auto fast = compile([&](const Tensor& x, const Tensor& y) {
    const Using rewriting(&rewriter);
    return (x - y) * 2;
  });
  const Tensor x = numbers(), y = exp(x);
  EXPECT_EQ(fast(x, y).to_vector<float>(), ((x - y) * 2).to_vector<float>());
  const std::string graph = graph::print(fast.report().segments[0].graph);
  EXPECT_EQ(graph.find("sub"), std::string::npos) << graph;
  EXPECT_NE(graph.find("neg"), std::string::npos) << graph;
  const Using rewriting(&rewriter);
  EXPECT_EQ((x - y).to_vector<float>(), (x + -y).to_vector<float>());
}

TEST(Interpreters, deferred_tensors_are_materialized_through_those_above) {
  CountOps counter;
  auto fast = compile([&](const Tensor& x) {
    const Tensor y = exp(x);
    const Using counting(&counter);
    const float first = select(select(y, 0, 0), 0, 0).item<float>();  // a break
    Tensor z = y * first;
    z.data<float>()[0] = 7;  // another break
    return z + 1;
  });
  const Tensor x = numbers();
  for (int i = 0; i < 3; ++i) {
    const std::vector<float> got = fast(x).to_vector<float>();
    EXPECT_EQ(got[0], 8);
    EXPECT_EQ(got[1], (exp(x) * exp(x).to_vector<float>()[0] + 1).to_vector<float>()[1]);
  }
}

TEST(Interpreters, stay_when_capture_is_disabled_under_them) {
  CountOps counter;
  auto inner = compile([](const Tensor& x) { return x * 3; });
  auto fast = compile([&](const Tensor& x) {
    const Using counting(&counter);
    Tensor y = exp(x);
    {
      const capture::Disabled eager;
      y = inner(y) + 1;  // the addition is counted, the inner function is compiled
    }
    return y * 2;
  });
  const Tensor x = numbers();
  EXPECT_EQ(fast(x).to_vector<float>(), ((exp(x) * 3 + 1) * 2).to_vector<float>());
  EXPECT_EQ(counter.count, 3);
  EXPECT_EQ(inner.report().segments.size(), 1U);
}

TEST(Interpreters, are_gone_after_an_exception) {
  CountOps counter;
  auto fast = compile([&](const Tensor& x) -> Tensor {
    const Using counting(&counter);
    const Tensor y = exp(x);
    if (x.size(0) == 2) throw std::runtime_error("no");
    return y;
  });
  EXPECT_THROW(fast(numbers()), std::runtime_error);
  const int before = counter.count;
  (void)exp(numbers());
  EXPECT_EQ(counter.count, before);
}

TEST(Interpreters, between_compiled_functions_leave_the_inner_one_in_the_graph_of_the_outer) {
  CountOps counter;
  auto inner = compile([](const Tensor& x) { return exp(x) - x; });
  auto outer = compile([&](const Tensor& x) {
    const Tensor y = x * 2;
    const Using counting(&counter);
    return inner(y) + 1;
  });
  const Tensor x = numbers();
  const std::vector<float> want = (exp(x * 2) - x * 2 + 1).to_vector<float>();
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(outer(x).to_vector<float>(), want);
    EXPECT_EQ(counter.count, 3 * i);
  }
  EXPECT_TRUE(inner.report().segments.empty());
  ASSERT_EQ(outer.report().segments.size(), 1U);
  EXPECT_EQ(outer.report().segments[0].kernels, 1);
}

TEST(Interpreters, may_be_pushed_between_two_ops) {
  NoSub rewriter;
  auto fast = compile([&](const Tensor& x, const Tensor& y) {
    const Tensor before = exp(x - y);
    Tensor within;
    {
      const Using rewriting(&rewriter);
      within = before - y;
    }
    return within - x;
  });
  const Tensor x = numbers(), y = exp(x);
  const std::vector<float> want = (exp(x - y) - y - x).to_vector<float>();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(fast(x, y).to_vector<float>(), want);
  ASSERT_EQ(fast.report().segments.size(), 1U);
  const std::string graph = graph::print(fast.report().segments[0].graph);
  EXPECT_NE(graph.find("sub"), std::string::npos) << graph;
  EXPECT_NE(graph.find("neg"), std::string::npos) << graph;
}

TEST(Interpreters, around_a_compiled_function_see_what_it_runs_op_by_op) {
  CountOps counter;
  auto fast = compile([](const Tensor& x) {
    const Tensor y = exp(x) * 2;
    const capture::Disabled eager;
    return y + 1 - x;
  });
  const Tensor x = numbers();
  const std::vector<float> want = (exp(x) * 2 + 1 - x).to_vector<float>();
  const Using counting(&counter);
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(fast(x).to_vector<float>(), want);
    EXPECT_EQ(counter.count, 2 * i);
  }
}

// A compiled call is one frame of the stack, before and after its first op, whatever is above it.
TEST(Interpreters, find_a_compiled_call_below_them_once) {
  CountOps counter;
  const auto calls = [] {
    int found = 0;
    for (const InterpreterFrame* f = thread_state.top; f; f = f->below)
      found += f->interpreter->call_number() != 0;
    return found;
  };
  std::vector<int> seen;
  auto fast = compile([&](const Tensor& x) {
    seen.push_back(calls());
    Tensor y = exp(x);
    seen.push_back(calls());
    const Using counting(&counter);
    y = y + 1;
    seen.push_back(calls());
    return y;
  });
  (void)fast(numbers());
  EXPECT_EQ(seen, (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(calls(), 0);
}

// Ops become nodes of the builder's graph, whatever is below it on the stack.
TEST(Interpreters, that_build_a_graph_are_not_the_compiled_function_below_them) {
  bool under_counter = false, under_builder = true;
  auto fast = compile([&](const Tensor& x) {
    CountOps counter;
    {
      const Using counting(&counter);
      under_counter = is_compiling();
    }
    graph::Builder b;
    const Tensor in = b.input("in", ops::dense(DType::f32, cpu, {2}));
    {
      const Using building(&b);
      under_builder = is_compiling();
      const capture::Disabled of_the_function;
      b.output(exp(in));
    }
    EXPECT_EQ(b.take().outputs().size(), 1U);
    return x + 1;
  });
  (void)fast(numbers());
  EXPECT_TRUE(under_counter);
  EXPECT_FALSE(under_builder);
}

TEST(Interpreters, that_a_compiled_function_leaves_in_place_end_with_it) {
  CountOps counter;
  std::optional<Using> left;
  auto fast = compile([&](const Tensor& x) -> Tensor {
    const Tensor y = exp(x);
    left.emplace(&counter);
    if (y.size(0) == 2) throw std::runtime_error("no");
    return y;
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(fast(numbers()), std::runtime_error);
    (void)exp(numbers());
    left.reset();
    EXPECT_EQ(exp(numbers()).to_vector<float>().size(), 4U);
  }
  EXPECT_EQ(counter.count, 0);
}

TEST(Interpreters, of_one_thread_are_not_seen_by_others) {
  CountOps counter;
  const Using counting(&counter);
  std::thread([] { (void)exp(numbers()); }).join();
  EXPECT_EQ(counter.count, 0);
  std::thread([&] {
    const Using here_too(&counter);
    (void)exp(numbers());
  }).join();
  EXPECT_EQ(counter.count, 1);
}

TEST(Interpreters, may_stand_in_a_stack_twice) {
  CountOps counter;
  const Using once(&counter), twice(&counter);
  (void)exp(numbers());
  EXPECT_EQ(counter.count, 2);
}

}  // namespace
}  // namespace vitro
