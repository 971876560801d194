// Calls of compiled functions: which arguments and results are possible.
#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <thread>
#include <variant>

#include "capture/testing.h"

namespace vitro {
namespace {

const Tensor x = vec({1, 2}), y = vec({10, 20});

TEST(Entry, may_be_through_a_constant_function) {
  const auto f = compile([](const Tensor& t) { return add(t, 1.0); }, graphs());
  const auto captured = [f](const Tensor& t) { return f(f(t)); };
  EXPECT_EQ(values(captured(x)), (std::vector<float>{3, 4}));
  const std::function<Tensor(const Tensor&)> held = f;
  EXPECT_EQ(values(held(x)), (std::vector<float>{2, 3}));
  const auto plain = disable(f);
  const auto calls_plain = [plain](const Tensor& t) { return plain(t); };
  EXPECT_EQ(values(calls_plain(x)), (std::vector<float>{2, 3}));
  f.reset();
  EXPECT_EQ(f.report().calls, 0U);
}

TEST(Entry, keeps_the_state_of_the_function) {
  auto f = compile([n = 0](const Tensor& t) mutable { return add(t, static_cast<double>(++n)); },
                   graphs());
  EXPECT_EQ(values(f(x)), (std::vector<float>{2, 3}));
  EXPECT_EQ(values(f(x)), (std::vector<float>{3, 4}));
}

TEST(Entry, takes_functions_and_members) {
  struct Model {
    Tensor weight = vec({2, 3});
    Tensor forward(const Tensor& t) const { return mul(t, weight); }
  };
  const auto f = compile(&Model::forward, graphs());
  const Model model;
  EXPECT_EQ(values(f(model, x)), (std::vector<float>{2, 6}));
  EXPECT_EQ(values(f(&model, x)), (std::vector<float>{2, 6}));
  const auto g = compile(std::bind_front(&Model::forward, &model), graphs());
  EXPECT_EQ(values(g(x)), (std::vector<float>{2, 6}));
  const auto h = compile(+[](const Tensor& t) { return add(t, t); }, graphs());
  EXPECT_EQ(values(h(x)), (std::vector<float>{2, 4}));
  const auto in_place = compile(add_, graphs());
  const Tensor t = vec({1});
  EXPECT_TRUE(in_place(t, 2.0).same_as(t));
  EXPECT_EQ(values(t), (std::vector<float>{3}));
}

TEST(Entry, takes_default_arguments_and_temporaries) {
  const auto f = compile([](Tensor t, double s = 2) { return mul(t, s); }, graphs());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(values(f(vec({1, 2}))), (std::vector<float>{2, 4}));
    EXPECT_EQ(values(f(x)), (std::vector<float>{2, 4}));
    EXPECT_EQ(values(f(vec({1, 2}), 3.0)), (std::vector<float>{3, 6}));
  }
  EXPECT_EQ(values(compile([](Tensor&& t) { return exp(t); }, graphs())(vec({0}))),
            (std::vector<float>{1}));
}

TEST(Entry, takes_whatever_the_function_takes) {
  const auto bits = compile(
      [](const Tensor& t, const std::vector<bool>& on) { return on.at(1) ? add(t, 1.0) : t; },
      graphs());
  EXPECT_EQ(values(bits(x, std::vector<bool>{false, true})), (std::vector<float>{2, 3}));
  EXPECT_TRUE(bits(x, std::vector<bool>{true, false}).same_as(x));
  const auto owned = compile(
      [](std::unique_ptr<Tensor> t, std::list<Tensor> list) { return add(*t, list.front()); },
      graphs());
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(values(owned(std::make_unique<Tensor>(x), std::list<Tensor>{y})),
              (std::vector<float>{11, 22}));
  const auto either = compile(
      [](const std::variant<Tensor, int>& v, std::span<const Tensor> list, const char* text) {
        return mul(std::holds_alternative<int>(v) ? list[0] : std::get<0>(v),
                   static_cast<double>(std::string(text).size()));
      },
      graphs());
  const std::array<Tensor, 2> list = {x, y};
  EXPECT_EQ(values(either(std::variant<Tensor, int>(3), std::span<const Tensor>(list), "abc")),
            (std::vector<float>{3, 6}));
  EXPECT_EQ(values(either(std::variant<Tensor, int>(y), std::span<const Tensor>(list), "ab")),
            (std::vector<float>{20, 40}));
}

TEST(Entry, may_leave_tensors_in_its_arguments) {
  const auto f = compile(
      [](const Tensor& t, Tensor& out, std::vector<Tensor>& cache, int& calls) {
        out = add(t, 1.0);
        cache.push_back(mul(t, 2.0));
        ++calls;
      },
      graphs());
  std::vector<Tensor> cache;
  int calls = 0;
  for (int i = 1; i < 6; ++i) {
    Tensor out;
    f(vec({static_cast<float>(i)}), out, cache, calls);
    EXPECT_EQ(values(out), (std::vector<float>{static_cast<float>(i) + 1}));
    EXPECT_EQ(values(cache.back()), (std::vector<float>{static_cast<float>(i) * 2}));
    EXPECT_EQ(calls, i);
  }
}

TEST(Entry, gives_whatever_the_function_gives) {
  struct Out {
    Tensor t;
    std::unique_ptr<Tensor> more;
  };
  const auto f = compile(
      [](const Tensor& t) { return Out{add(t, 1.0), std::make_unique<Tensor>(mul(t, 2.0))}; },
      graphs());
  const Out out = f(x);
  EXPECT_EQ(values(out.t), (std::vector<float>{2, 3}));
  EXPECT_EQ(values(*out.more), (std::vector<float>{2, 4}));
  const auto list = compile(
      [](const Tensor& t) {
        std::vector<std::unique_ptr<Tensor>> all;
        all.push_back(std::make_unique<Tensor>(exp(t)));
        return all;
      },
      graphs());
  EXPECT_EQ(values(*list(x)[0]), values(exp(x)));
  const auto same = compile([](const Tensor& t) -> const Tensor& { return t; }, graphs());
  EXPECT_TRUE(same(x).same_as(x));
  const auto either = compile(
      [](const Tensor& t, bool first) -> std::variant<Tensor, std::pair<Tensor, std::string>> {
        if (first) return exp(t);
        return std::pair(relu(t), std::string("relu"));
      },
      graphs());
  EXPECT_EQ(values(std::get<0>(either(x, true))), values(exp(x)));
  EXPECT_EQ(values(std::get<1>(either(x, false)).first), values(x));
  const auto span = compile([](std::span<const Tensor> all) { return all.subspan(1); }, graphs());
  const std::array<Tensor, 2> both = {x, y};
  EXPECT_TRUE(span(std::span<const Tensor>(both))[0].same_as(y));
}

TEST(Entry, of_a_function_without_ops_is_counted_and_may_ask_for_sizes) {
  const auto f = compile([](const Tensor& t) { return t; }, graphs());
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(f(x).same_as(x));
  EXPECT_EQ(f.report().calls, 5U);
  EXPECT_TRUE(f.report().segments.empty());
  const auto sizes = compile(
      [](const Tensor& t) { return t.size(0).value() * 10 + t.sizes().back().value(); }, graphs());
  for (const int64_t n : {2, 3, 4, 2}) EXPECT_EQ(sizes(counted({n, 5})), n * 10 + 5);
}

TEST(Entry, may_look_at_an_argument_before_the_first_op) {
  const auto f = compile(
      [](const Tensor& t) {
        const float first = t.const_data<float>()[0];
        return add(t, static_cast<double>(first));
      },
      graphs());
  for (int i = 0; i < 3; ++i) {
    const auto n = static_cast<float>(i);
    EXPECT_EQ(values(f(vec({n, 1}))), (std::vector<float>{2 * n, 1 + n}));
  }
  const auto breaks = compile(
      [](const Tensor& t) {
        graph_break("at once");
        return add(t, 1.0);
      },
      graphs());
  EXPECT_EQ(values(breaks(x)), (std::vector<float>{2, 3}));
  EXPECT_EQ(breaks.report().breaks.size(), 1U);
  CompileOptions whole = graphs();
  whole.fullgraph = true;
  const auto refused = compile(
      [](const Tensor& t) {
        graph_break("at once");
        return t;
      },
      whole);
  EXPECT_NE(error_of([&] { (void)refused(x); }).find("at once"), std::string::npos);
}

TEST(Entry, of_itself_is_part_of_the_graph) {
  std::function<Tensor(const Tensor&, int)> f;
  int depth = 0;
  const auto compiled_f = compile(
      [&](const Tensor& t, int n) -> Tensor {
        depth = std::max(depth, n);
        return n == 0 ? t : add(f(t, n - 1), static_cast<double>(n));
      },
      graphs());
  f = compiled_f;
  EXPECT_EQ(values(f(x, 4)), (std::vector<float>{11, 12}));
  EXPECT_EQ(values(f(x, 4)), (std::vector<float>{11, 12}));
  EXPECT_EQ(depth, 4);
  EXPECT_EQ(compiled_f.report().calls, 2U);
  EXPECT_EQ(compiled_f.report().segments.size(), 1U);
}

TEST(Entry, of_one_that_was_moved_from_still_runs) {
  auto f = compile([](const Tensor& t) { return add(t, 1.0); }, graphs());
  const auto g = std::move(f);
  EXPECT_EQ(values(g(x)), (std::vector<float>{2, 3}));
  EXPECT_EQ(values(f(x)), (std::vector<float>{2, 3}));  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(f.report().calls, 2U);                      // NOLINT(bugprone-use-after-move)
  std::function<Tensor(const Tensor&)> inner = [](const Tensor& t) { return exp(t); };
  auto h = compile(inner, graphs());
  const auto k = std::move(h);
  EXPECT_EQ(values(k(x)), values(exp(x)));
  EXPECT_THROW((void)h(x), std::bad_function_call);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(values(k(x)), values(exp(x)));
}

TEST(Entry, of_a_copy_runs_its_own_state) {
  auto f = compile([n = 0](const Tensor& t) mutable { return add(t, static_cast<double>(++n)); },
                   graphs());
  (void)f(x);
  auto g = f;
  EXPECT_EQ(values(g(x)), (std::vector<float>{3, 4}));
  EXPECT_EQ(values(f(x)), (std::vector<float>{3, 4}));
  EXPECT_EQ(f.report().calls, 3U);
}

TEST(Entry, may_be_left_by_anything_that_is_thrown) {
  struct Odd {};
  const auto f = compile(
      [](const Tensor& t, int how) {
        add_(t, 1.0);
        if (how == 1) throw Odd{};
        if (how == 2) throw 42;
        return mul(t, 2.0);
      },
      graphs());
  const Tensor t = vec({0});
  for (int round = 0; round < 2; ++round) {
    EXPECT_THROW((void)f(t, 1), Odd);
    EXPECT_THROW((void)f(t, 2), int);
    (void)f(t, 0);
    EXPECT_FALSE(is_compiling());
  }
  EXPECT_EQ(values(t), (std::vector<float>{6}));
}

TEST(Entry, takes_undefined_tensors) {
  const auto f = compile(
      [](const Tensor& a, const Tensor& b) { return b.defined() ? add(a, b) : exp(a); }, graphs());
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(values(f(x, Tensor())), values(exp(x)));
    EXPECT_EQ(values(f(x, y)), values(add(x, y)));
  }
  const auto g = compile([](const Tensor& a) { return add(a, 1.0); }, graphs());
  EXPECT_EQ(error_of([&] { (void)g(Tensor()); }), error_of([&] { (void)add(Tensor(), 1.0); }));
  EXPECT_NE(error_of([&] { (void)g(Tensor()); }), "");
  const auto none = compile([](const Tensor&) { return Tensor(); }, graphs());
  EXPECT_FALSE(none(x).defined());
}

TEST(Entry, within_an_eager_part_of_another_one_is_its_own) {
  const auto inner = compile([](const Tensor& t) { return add(t, 1.0); }, graphs("inner"));
  const auto outer = compile([&](const Tensor& t) { return mul(disable(inner)(mul(t, 2.0)), 3.0); },
                             graphs("outer"));
  for (int round = 0; round < 2; ++round) EXPECT_EQ(values(outer(x)), (std::vector<float>{9, 15}));
  EXPECT_EQ(inner.report().calls, 2U);
}

}  // namespace
}  // namespace vitro
