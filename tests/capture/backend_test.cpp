// User backends and runners: what they receive, how their results are checked, and fallbacks.
#include <algorithm>

#include "capture/testing.h"

namespace vitro {
namespace {

TEST(Backend, of_the_users_takes_graph_and_example_inputs) {
  int compiled_graphs = 0, runs = 0;
  register_backend("mine", [&](const graph::Graph& g, std::span<const Operand> example) {
    ++compiled_graphs;
    EXPECT_EQ(example.size(), g.inputs().size());
    return [&runs, g](std::span<const Operand> inputs) {
      ++runs;
      return graph::interpret(g, inputs);
    };
  });
  CompileOptions options = graphs();
  options.backend = "mine";
  const Tensor count = vec({0});
  auto f = compile(
      [&](const Tensor& x) {
        add_(count, 1.0);
        return mul(x, 2.0);
      },
      options);
  EXPECT_EQ(values(f(vec({3}))), (std::vector<float>{6}));
  EXPECT_EQ(values(f(vec({4}))), (std::vector<float>{8}));
  EXPECT_EQ(values(count), (std::vector<float>{2}));
  EXPECT_EQ(compiled_graphs, 1);
  EXPECT_EQ(runs, 2);
  const std::vector<std::string> names = list_backends();
  EXPECT_NE(std::find(names.begin(), names.end(), "mine"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "eager"), names.end());
}

TEST(Backend, of_the_users_that_throws_is_replaced_by_eager) {
  register_backend("broken", [](const graph::Graph&, std::span<const Operand>) -> GraphFunction {
    throw std::runtime_error("not today");
  });
  CompileOptions options = graphs();
  options.backend = "broken";
  auto f = compile([](const Tensor& x) { return mul(x, 2.0); }, options);
  EXPECT_EQ(values(f(vec({3}))), (std::vector<float>{6}));
  EXPECT_EQ(values(f(vec({4}))), (std::vector<float>{8}));
}

// Compiles a program that returns 2 x and writes x + 1 into x, with a backend whose graph function
// is `f`; the values must be eager's.
CompiledReport report_with(GraphFunction f) {
  register_backend("odd", [f](const graph::Graph&, std::span<const Operand>) { return f; });
  CompileOptions options = graphs();
  options.backend = "odd";
  const auto g = compile(
      [](const Tensor& x) {
        const Tensor twice = mul(x, 2.0);
        add_(x, 1.0);
        return twice;
      },
      options);
  for (int call = 0; call < 3; ++call) {
    const Tensor x = vec({3, 4});
    EXPECT_EQ(values(g(x)), (std::vector<float>{6, 8}));
    EXPECT_EQ(values(x), (std::vector<float>{4, 5}));
  }
  return g.report();
}

void expect_given_up(GraphFunction f, std::string_view code, const std::string& reason) {
  const CompiledReport report = report_with(std::move(f));
  ASSERT_EQ(report.fallbacks.size(), 1U);
  EXPECT_EQ(report.fallbacks[0].code->id, code);
  EXPECT_NE(report.fallbacks[0].reason.find(reason), std::string::npos)
      << report.fallbacks[0].reason;
  EXPECT_FALSE(report.segments.at(0).compiled);
  EXPECT_NE(report.segments.at(0).why_not.find(reason), std::string::npos);
}

TEST(Backend, of_the_users_is_not_believed_where_it_gives_other_outputs) {
  const auto gives = [](std::vector<Tensor> tensors) {
    return [tensors](std::span<const Operand>) { return tensors; };
  };
  const Tensor right = vec({0, 0});
  expect_given_up(gives({}), "V0606", "returned 0 tensors for a graph of 2 outputs");
  expect_given_up(gives({right, vec({1})}), "V0606", "output 1");
  expect_given_up(gives({vec({1, 2, 3}), right}), "V0606", "f32[3]");
  expect_given_up(gives({counted({1, 2}), right}), "V0606", "f32[1, 2]");
  expect_given_up(gives({right, Tensor::from<double>({1, 2}, {2})}), "V0606", "f64[2]");
  expect_given_up(gives({right, Tensor()}), "V0606",
                  "output 1 of the backend's function is undefined");
  const Tensor far = vec({0, 0});
  far.impl()->strides[0] = 1000;
  expect_given_up(gives({far, right}), "V0606", "exceeds its storage");
}

// The first output has the size that the last one, which is wrong, would tell.
TEST(Backend, of_the_users_that_spoils_a_data_size_gave_other_outputs) {
  register_backend("spoils", [](const graph::Graph& g, std::span<const Operand>) {
    return [g](std::span<const Operand> inputs, std::span<const int64_t> symbols) {
      std::vector<Tensor> out = graph::interpret(g, inputs, symbols);
      out.back() = inputs[0].tensor().size(0) == 2 ? Tensor() : unsqueeze(out.back(), 0);
      return out;
    };
  });
  CompileOptions options = graphs();
  options.backend = "spoils";
  for (const Tensor& x : {vec({3, -4}), vec({3, 5, -1})}) {
    const auto f = compile(
        [](const Tensor& t) {
          const Tensor some = masked_select(t, t > 0.0), twice = some * 2.0;
          return std::vector<Tensor>{twice, some};
        },
        options);
    EXPECT_EQ(values(f(x)[0]), values(masked_select(x, x > 0.0) * 2.0));
    const CompiledReport report = f.report();
    ASSERT_EQ(report.fallbacks.size(), 1U);
    EXPECT_EQ(report.fallbacks[0].code->id, "V0606") << report.fallbacks[0].reason;
    EXPECT_NE(report.fallbacks[0].reason.find("of the backend's function is "), std::string::npos);
  }
}

TEST(Backend, of_the_users_may_throw_whatever_it_likes) {
  const CompiledReport report =
      report_with([](std::span<const Operand>) -> std::vector<Tensor> { throw 42; });
  ASSERT_EQ(report.fallbacks.size(), 1U);
  EXPECT_EQ(report.fallbacks[0].code->id, "V0605");
  EXPECT_EQ(report.fallbacks[0].count, 3U);
  EXPECT_NE(report.fallbacks[0].reason.find("not a std::exception"), std::string::npos);
}

TEST(Backend, of_the_users_that_makes_nothing_is_a_fallback_with_its_reason) {
  expect_given_up(nullptr, "V0601", "the backend returned no function");
  register_backend(
      "throws", [](const graph::Graph&, std::span<const Operand>) -> GraphFunction { throw 42; });
  CompileOptions options = graphs();
  options.backend = "throws";
  const auto f = compile([](const Tensor& x) { return mul(x, 2.0); }, options);
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(values(f(vec({3}))), (std::vector<float>{6}));
  }
  ASSERT_EQ(f.report().fallbacks.size(), 1U);
  EXPECT_EQ(f.report().fallbacks[0].code->id, "V0601");
  EXPECT_FALSE(f.report().segments.at(0).compiled);
}

TEST(Backend, of_the_users_may_give_one_tensor_for_many_outputs) {
  constexpr size_t count = 100;
  register_backend("one", [](const graph::Graph& g, std::span<const Operand>) -> GraphFunction {
    const size_t outputs = g.outputs().size();
    return [outputs](std::span<const Operand> inputs) {
      return std::vector<Tensor>(outputs, mul(inputs[0].tensor(), 0.0));
    };
  });
  CompileOptions options = graphs();
  options.backend = "one";
  const auto f = compile(
      [](const Tensor& x) {
        std::vector<Tensor> out;
        for (size_t i = 0; i < count; ++i) out.push_back(mul(x, 0.0 * static_cast<double>(i)));
        return out;
      },
      options);
  const std::vector<Tensor> out = f(vec({1, 2}));
  EXPECT_TRUE(f.report().segments.at(0).compiled) << f.report().segments.at(0).why_not;
  ASSERT_EQ(out.size(), count);
  for (size_t i = 0; i < count; ++i) add_(out[i], static_cast<double>(i));
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(i);
    EXPECT_EQ(values(out[i]), (std::vector<float>{value, value}));
  }
}

TEST(Backend, of_the_users_may_give_its_inputs_back) {
  register_backend("lazy", [](const graph::Graph& g, std::span<const Operand>) -> GraphFunction {
    EXPECT_EQ(g.outputs().size(), 3U) << graph::print(g);
    return [](std::span<const Operand> inputs) {  // x and y swapped, and the old x
      return std::vector<Tensor>{inputs[0].tensor(), inputs[1].tensor(), inputs[0].tensor()};
    };
  });
  CompileOptions options = graphs();
  options.backend = "lazy";
  const auto f = compile(
      [](const Tensor& x, const Tensor& y) {
        const Tensor was = clone(x);
        copy_(x, y);
        copy_(y, was);
        return was;
      },
      options);
  const Tensor x = vec({1, 2}), y = vec({3, 4});
  const Tensor was = f(x, y);
  const CompiledReport report = f.report();
  EXPECT_TRUE(report.segments.at(0).compiled) << report.segments.at(0).why_not;
  EXPECT_EQ(values(was), (std::vector<float>{1, 2}));
  EXPECT_EQ(values(x), (std::vector<float>{3, 4}));
  EXPECT_EQ(values(y), (std::vector<float>{1, 2}));
}

// A write into a result must not change the results of other calls or the backend's own tensors.
TEST(Backend, of_the_users_may_give_tensors_that_it_holds) {
  register_backend("holding", [](const graph::Graph& g, std::span<const Operand> example) {
    const std::vector<Tensor> once = graph::interpret(g, example);
    return [once](std::span<const Operand>) { return once; };
  });
  register_backend("twice", [](const graph::Graph&, std::span<const Operand>) {
    return [](std::span<const Operand> inputs) {
      const Tensor y = mul(inputs[0].tensor(), 0.0);
      return std::vector<Tensor>{y, slice(y, 0, 0)};
    };
  });
  for (const char* backend : {"holding", "twice"}) {
    CompileOptions options = graphs();
    options.backend = backend;
    const auto f =
        compile([](const Tensor& x) { return std::pair(mul(x, 0.0), mul(x, 0.0)); }, options);
    const auto [a, b] = f(vec({1, 2}));
    const auto [c, d] = f(vec({3, 4}));
    fill_(a, 7.0);
    fill_(d, 9.0);
    EXPECT_EQ(values(b), (std::vector<float>{0, 0})) << backend;
    EXPECT_EQ(values(c), (std::vector<float>{0, 0})) << backend;
    EXPECT_EQ(values(f(vec({5, 6})).first), (std::vector<float>{0, 0})) << backend;
    EXPECT_TRUE(f.report().fallbacks.empty());
  }
}

TEST(Backend, of_the_users_may_run_compiled_functions) {
  register_backend("nested", [](const graph::Graph&, std::span<const Operand>) -> GraphFunction {
    const auto inner = compile([](const Tensor& t) { return mul(t, 2.0); }, graphs("inner"));
    return [inner](std::span<const Operand> inputs) {
      return std::vector<Tensor>{inner(inputs[0].tensor())};
    };
  });
  CompileOptions options = graphs();
  options.backend = "nested";
  const auto f = compile([](const Tensor& x) { return mul(x, 2.0); }, options);
  for (int call = 0; call < 3; ++call) {
    const Tensor y = f(add(vec({1}), static_cast<double>(call)));
    EXPECT_EQ(values(y), (std::vector<float>{2.0F * static_cast<float>(1 + call)}));
  }
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Backend, of_the_users_is_held_to_the_sizes_of_each_call) {
  register_backend("first", [](const graph::Graph& g, std::span<const Operand> example) {
    const std::vector<Tensor> once = graph::interpret(g, example);
    return [once](std::span<const Operand>) { return once; };
  });
  CompileOptions options = graphs();
  options.backend = "first";
  options.dynamic = true;
  const auto f = compile([](const Tensor& x) { return mul(x, 0.0); }, options);
  EXPECT_EQ(values(f(vec({3, 4}))), (std::vector<float>{0, 0}));
  EXPECT_TRUE(f.report().segments.at(0).compiled);
  EXPECT_EQ(values(f(vec({3, 4, 5}))), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(f.report().fallbacks.at(0).code->id, "V0606");
}

// Doubles a slice of varying length, and returns the whole tensor.
Tensor doubled_until(const Tensor& x, int64_t end) {
  const Tensor y = add(x, 1.0);
  mul_(slice(y, 0, 0, end), 2.0);
  return y;
}

CompiledReport report_of_lengths(const std::string& backend) {
  CompileOptions options = graphs();
  options.backend = backend;
  const auto f = compile(doubled_until, options);
  for (const int64_t end : {1, 2, 4, 3, 0, 5}) {
    const Tensor x = counted({5});
    EXPECT_EQ(values(f(x, end)), values(doubled_until(x, end))) << end;
  }
  return f.report();
}

TEST(Backend, of_the_users_takes_symbols_that_no_input_shows) {
  register_backend("of symbols", [](const graph::Graph& g, std::span<const Operand>) {
    return [g](std::span<const Operand> inputs, std::span<const int64_t> symbols) {
      EXPECT_EQ(symbols.size(), g.symbols().size());
      return graph::interpret(g, inputs, symbols);
    };
  });
  const CompiledReport report = report_of_lengths("of symbols");
  EXPECT_TRUE(report.fallbacks.empty()) << report.fallbacks.at(0).reason;
}

TEST(Backend, of_the_users_that_takes_no_symbols_runs_no_graph_that_needs_them) {
  register_backend("of inputs", [](const graph::Graph& g, std::span<const Operand>) {
    return [g](std::span<const Operand> inputs) { return graph::interpret(g, inputs); };
  });
  const CompiledReport report = report_of_lengths("of inputs");
  ASSERT_EQ(report.fallbacks.size(), 1U);
  EXPECT_EQ(report.fallbacks[0].code->id, "V0601");
  EXPECT_NE(report.fallbacks[0].reason.find("takes no symbols"), std::string::npos)
      << report.fallbacks[0].reason;
}

// Records in `asked` which of the two runners compiles.
class TwoCompilers final : public capture::SegmentCompiler {
 public:
  TwoCompilers(bool exact, std::vector<std::string>& asked) : exact_(exact), asked_(asked) {}
  std::shared_ptr<capture::CompiledSegment> compile(const graph::Graph& graph, const std::string&,
                                                    std::string*) override {
    asked_.emplace_back(exact_ ? "exact" : "usual");
    return capture::interpreted_segment(graph);
  }
  std::shared_ptr<SegmentCompiler> exact() override {
    return exact_ ? nullptr : std::make_shared<TwoCompilers>(true, asked_);
  }

 private:
  bool exact_;
  std::vector<std::string>& asked_;
};

TEST(Backend, is_asked_for_exact_rewrites_only_where_the_option_says_so) {
  eager::init();
  std::vector<std::string> asked;
  capture::register_compiler("two", std::make_shared<TwoCompilers>(false, asked));
  const auto program = [](const Tensor& x) { return exp(x); };
  (void)compile(program, {.backend = "two", .dynamic = {}})(vec({1, 2}));
  (void)compile(program, {.backend = "two", .exact = true, .dynamic = {}})(vec({1, 2}));
  EXPECT_EQ(asked, (std::vector<std::string>{"usual", "exact"}));
}

TEST(MarkDynamic, makes_a_size_a_symbol_from_the_start) {
  auto f = compile([](const Tensor& x) { return exp(x); }, graphs());
  const Tensor x = counted({4, 3});
  mark_dynamic(x, -2);
  f(x);
  f(counted({9, 3}));
  EXPECT_TRUE(f.report().recompiles.empty());
  EXPECT_EQ(f.report().guards, (std::vector<std::string>{"input 0: f32[s0, 3]"}));
  EXPECT_THROW(mark_dynamic(x, 2), Error);
  EXPECT_THROW(mark_dynamic(zeros(Sizes(33, Size(1))), 32), Error) << "a bit for each of 32";
}

}  // namespace
}  // namespace vitro
