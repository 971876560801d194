// Frozen programs are keyed by all arguments of a call.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <thread>
#include <unordered_map>
#include <variant>

#include "capture/testing.h"

namespace vitro {
namespace {

struct Config {
  int layers = 1;
  std::string norm;
  bool operator==(const Config&) const = default;
};
struct Opaque {
  int layers = 1;
};
enum class Kind { sum, product };

struct State {
  std::vector<Tensor> hidden, cell;
  Kind kind = Kind::sum;
};

}  // namespace

template <>
struct Flatten<State> {
  static void each(auto& state, auto&& f) {
    f(state.hidden);
    f(state.cell);
    f(state.kind);
  }
};

namespace {

struct FrozenKeys : testing::Test {
  CompileOptions options = [] {
    CompileOptions o = graphs("cold");
    o.fullgraph = o.frozen = true;
    return o;
  }();
  const Tensor x = vec({1, 2}), y = vec({10, 20}), z = vec({100, 200});
  int runs = 0;

  // Expects each call to return what the function returns, when recorded and when frozen, and
  // different calls to have different programs.
  template <class F, class... Calls>
  void expect_told_apart(F function, Calls... calls) {
    auto counting = [&](const auto&... args) {
      ++runs;
      return function(args...);
    };
    const auto f = compile(counting, options);
    for (int round = 0; round < 3; ++round) {
      runs = 0;
      (calls([&](const auto&... args) {
         EXPECT_EQ(values(f(args...)), values(function(args...))) << round;
       }),
       ...);
      EXPECT_EQ(runs, round == 0 ? static_cast<int>(sizeof...(calls)) : 0) << round;
    }
  }
};

TEST_F(FrozenKeys, hold_plain_numbers_that_vary) {
  const auto scaled = [](const Tensor& t, double s) { return add(mul(t, s), 1.0); };
  const auto f = compile(scaled, options);
  for (int round = 0; round < 3; ++round) {
    for (const double s : {0.5, 2.0, 3.0, 2.0, 0.5, -1.0})
      EXPECT_EQ(values(f(x, s)), values(scaled(x, s))) << s;
  }
}

TEST_F(FrozenKeys, hold_plain_numbers_of_attributes) {
  const Tensor rows = counted({8, 3});
  const auto part = [](const Tensor& t, int64_t begin, int64_t end) {
    return add(slice(t, 0, begin, end), 1.0);
  };
  const auto f = compile(part, options);
  for (int round = 0; round < 3; ++round) {
    for (const int64_t n : {2, 3, 4, 5, 3})
      EXPECT_EQ(values(f(rows, n - 2, n)), values(part(rows, n - 2, n))) << n;
  }
}

TEST_F(FrozenKeys, hold_numbers_for_threads_at_once) {
  const auto scaled = [](const Tensor& t, double s) { return mul(exp(t), s); };
  const auto f = compile(scaled, options);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const double s = 0.5 * ((i + t) % 4);
        wrong += values(f(x, s)) != values(scaled(x, s));
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(FrozenKeys, tell_which_optional_is_there) {
  using Maybe = std::optional<Tensor>;
  expect_told_apart(
      [](const Maybe& a, const Maybe& b) { return sub(mul(a ? *a : *b, a ? 2.0 : 3.0), 1.0); },
      [&](auto call) { call(Maybe(x), Maybe()); }, [&](auto call) { call(Maybe(), Maybe(x)); },
      [&](auto call) { call(Maybe(x), Maybe(y)); });
}

TEST_F(FrozenKeys, tell_where_lists_end) {
  using List = std::vector<Tensor>;
  expect_told_apart(
      [](const List& a, const List& b) {
        Tensor sum_a = mul(a[0], 1.0), sum_b = mul(b[0], 1.0);
        for (size_t i = 1; i < a.size(); ++i) sum_a = add(sum_a, a[i]);
        for (size_t i = 1; i < b.size(); ++i) sum_b = add(sum_b, b[i]);
        return sub(sum_a, mul(sum_b, 2.0));
      },
      [&](auto call) { call(List{x, y}, List{z}); }, [&](auto call) { call(List{x}, List{y, z}); });
}

TEST_F(FrozenKeys, tell_where_lists_of_numbers_end) {
  using Numbers = std::vector<int>;
  expect_told_apart(
      [](const Tensor& t, const Numbers& a, const Numbers& b) {
        return mul(t, static_cast<double>(a.size() * 10 + b.size()));
      },
      [&](auto call) { call(x, Numbers{1, 2}, Numbers{3}); },
      [&](auto call) { call(x, Numbers{1}, Numbers{2, 3}); },
      [&](auto call) { call(x, Numbers{1, 2, 3}, Numbers{}); });
}

TEST_F(FrozenKeys, hold_keys_of_maps) {
  using Named = std::map<std::string, Tensor>;
  expect_told_apart(
      [](const Named& named) {
        return named.contains("a") ? mul(named.begin()->second, 2.0)
                                   : mul(named.begin()->second, 3.0);
      },
      [&](auto call) { call(Named{{"a", x}}); }, [&](auto call) { call(Named{{"b", x}}); });
  using Hashed = std::unordered_map<int, Tensor>;
  expect_told_apart(
      [](const Hashed& named) {
        return mul(named.begin()->second, static_cast<double>(named.begin()->first));
      },
      [&](auto call) { call(Hashed{{3, x}}); }, [&](auto call) { call(Hashed{{4, x}}); });
}

TEST_F(FrozenKeys, hold_texts) {
  const auto by_name = [](const Tensor& t, std::string_view how) {
    return how == "relu" ? relu(t) : exp(t);
  };
  expect_told_apart(
      by_name, [&](auto call) { call(x, std::string("relu")); },
      [&](auto call) { call(x, std::string("tanh")); });
  expect_told_apart(
      by_name, [&](auto call) { call(x, std::string_view("relu")); },
      [&](auto call) { call(x, std::string_view("tanh")); });
  // The same array with different text.
  const auto f = compile(by_name, options);
  char how[5] = "relu";
  const char* p = how;
  for (int round = 0; round < 3; ++round) {
    for (const char* text : {"relu", "tanh"}) {
      std::copy_n(text, 4, how);
      EXPECT_EQ(values(f(x, how)), values(by_name(x, text)));
      EXPECT_EQ(values(f(x, p)), values(by_name(x, text)));
    }
  }
}

TEST_F(FrozenKeys, hold_enums_and_truth_values) {
  expect_told_apart(
      [](const Tensor& t, Kind kind) { return kind == Kind::sum ? add(t, t) : mul(t, t); },
      [&](auto call) { call(x, Kind::sum); }, [&](auto call) { call(x, Kind::product); });
  expect_told_apart([](const Tensor& t, bool how) { return how ? exp(t) : relu(t); },
                    [&](auto call) { call(x, true); }, [&](auto call) { call(x, false); });
  using Bits = std::vector<bool>;
  expect_told_apart([](const Tensor& t, const Bits& bits) { return bits[1] ? exp(t) : relu(t); },
                    [&](auto call) { call(x, Bits{true, true}); },
                    [&](auto call) { call(x, Bits{true, false}); });
}

TEST_F(FrozenKeys, hold_variants_tuples_and_what_is_nested) {
  using Either = std::variant<std::monostate, Tensor, std::pair<Tensor, int>>;
  expect_told_apart(
      [&](const Either& e) {
        if (const auto* t = std::get_if<Tensor>(&e)) return mul(*t, 2.0);
        if (const auto* p = std::get_if<2>(&e))
          return mul(p->first, static_cast<double>(p->second));
        return mul(z, 5.0);
      },
      [&](auto call) { call(Either(x)); }, [&](auto call) { call(Either(std::pair(x, 3))); },
      [&](auto call) { call(Either(std::pair(x, 4))); }, [&](auto call) { call(Either()); });
  using Nested = std::vector<std::tuple<std::optional<Tensor>, std::list<int>>>;
  expect_told_apart(
      [&](const Nested& n) {
        double k = 0;
        for (const auto& [t, numbers] : n) k = k * 10 + static_cast<double>(numbers.size());
        return mul(std::get<0>(n[0]).value_or(std::get<0>(n.back()).value_or(y)), k);
      },
      [&](auto call) { call(Nested{{x, {1}}, {std::nullopt, {2, 3}}}); },
      [&](auto call) { call(Nested{{x, {1, 2}}, {std::nullopt, {3}}}); },
      [&](auto call) { call(Nested{{std::nullopt, {1, 2}}, {x, {3}}}); });
}

TEST_F(FrozenKeys, hold_what_structs_say) {
  expect_told_apart(
      [](const State& s) {
        const Tensor& last = s.hidden.back();
        return s.kind == Kind::sum ? add(last, s.cell[0]) : mul(last, s.cell[0]);
      },
      [&](auto call) { call(State{{x, y}, {z}, Kind::sum}); },
      [&](auto call) { call(State{{x}, {y, z}, Kind::sum}); },
      [&](auto call) { call(State{{x}, {y, z}, Kind::product}); });
}

TEST_F(FrozenKeys, hold_what_can_be_compared) {
  expect_told_apart(
      [](const Tensor& t, const Config& c) {
        return mul(t, static_cast<double>(c.layers) + static_cast<double>(c.norm.size()));
      },
      [&](auto call) { call(x, Config{1, "rms"}); }, [&](auto call) { call(x, Config{2, "rms"}); },
      [&](auto call) { call(x, Config{1, "layer"}); });
}

TEST_F(FrozenKeys, hold_numbers_of_any_width_by_their_bits) {
  using Complex = std::complex<float>;
  const auto by_sign = [](const Tensor& t, auto negative) { return mul(t, negative ? -1.0 : 1.0); };
  expect_told_apart([&](const Tensor& t, double s) { return by_sign(t, std::signbit(s)); },
                    [&](auto call) { call(x, 0.0); }, [&](auto call) { call(x, -0.0); });
  expect_told_apart([&](const Tensor& t, long double s) { return by_sign(t, std::signbit(s)); },
                    [&](auto call) { call(x, 0.0L); }, [&](auto call) { call(x, -0.0L); },
                    [&](auto call) { call(x, 1.0L); });
  expect_told_apart(
      [&](const Tensor& t, const Complex& s) {
        return by_sign(by_sign(t, std::signbit(s.real())), std::signbit(s.imag()));
      },
      [&](auto call) { call(x, Complex(0, 0)); }, [&](auto call) { call(x, Complex(0, -0.0F)); },
      [&](auto call) { call(x, Complex(NAN, 0)); });
  using Nested = std::tuple<std::optional<std::complex<long double>>, std::array<float, 2>>;
  expect_told_apart(
      [&](const Tensor& t, const Nested& n) {
        return by_sign(by_sign(t, std::signbit(std::get<0>(n)->imag())),
                       std::signbit(std::get<1>(n)[1]));
      },
      [&](auto call) { call(x, Nested({{0, 0}}, {0, 0})); },
      [&](auto call) { call(x, Nested({{0, -0.0L}}, {0, 0})); },
      [&](auto call) { call(y, Nested({{0, 0}}, {0, -0.0F})); });
  __extension__ using Wide = __int128;
  expect_told_apart([&](const Tensor& t, Wide n) { return mul(t, static_cast<double>(n >> 64)); },
                    [&](auto call) { call(x, Wide{1} << 64); },
                    [&](auto call) { call(x, Wide{2} << 64); });
}

TEST_F(FrozenKeys, follow_pointers_to_tensors) {
  const Tensor *first = &x, *second = &y, *none = nullptr;
  const auto f = compile(
      [&](const Tensor* t, std::reference_wrapper<const Tensor> u) {
        ++runs;
        return t ? add(*t, u.get()) : exp(u.get());
      },
      options);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(values(f(first, std::cref(y))), values(add(x, y)));
    EXPECT_EQ(values(f(second, std::cref(z))), values(add(y, z)));
    EXPECT_EQ(values(f(none, std::cref(x))), values(exp(x)));
  }
  EXPECT_EQ(runs, 2);
}

TEST_F(FrozenKeys, refuse_what_cannot_be_compared) {
  const auto f = compile(
      [](const Tensor& t, const Opaque& o) { return mul(t, static_cast<double>(o.layers)); },
      options);
  const std::string said = error_of([&] { f(x, Opaque{2}); });
  EXPECT_NE(said.find("cold: frozen: argument 2 holds a"), std::string::npos) << said;
  EXPECT_NE(said.find("Opaque, which cannot be compared"), std::string::npos) << said;
  EXPECT_NE(said.find("V0101"), std::string::npos) << said;
  const auto g = compile([](const Tensor& t, const float* by) { return mul(t, *by); }, options);
  const float two = 2;
  EXPECT_NE(error_of([&] { g(x, &two); }).find("V0101"), std::string::npos);
}

TEST_F(FrozenKeys, are_kept_before_the_function_takes_its_arguments_apart) {
  const auto f = compile(
      [](const Tensor& t, std::string how, std::vector<int> by) {
        const std::vector<int> taken = std::move(by);
        return how == "add" ? add(t, static_cast<double>(taken[0])) : mul(t, 3.0);
      },
      options);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(values(f(x, std::string("add"), std::vector<int>{1})), (std::vector<float>{2, 3}));
    EXPECT_EQ(values(f(x, std::string("add"), std::vector<int>{2})), (std::vector<float>{3, 4}));
    EXPECT_EQ(values(f(x, std::string("mul"), std::vector<int>{1})), (std::vector<float>{3, 6}));
  }
}

TEST_F(FrozenKeys, run_the_function_itself_where_there_are_too_many) {
  const auto f = compile(
      [&](const Tensor& t, double s) {
        ++runs;
        return mul(t, s);
      },
      options);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(values(f(x, 1.5 * i)), values(mul(x, 1.5 * i))) << i;
  }
  EXPECT_EQ(runs, 20 + 12);  // 8 are kept, the default of VITRO_RECOMPILE_LIMIT
  ASSERT_EQ(f.report().fallbacks.size(), 1U);
  EXPECT_EQ(f.report().fallbacks[0].code->id, "V0308");
}

TEST_F(FrozenKeys, follow_symbols_of_tensors_that_the_function_reaches) {
  Tensor weight = counted({3});
  const auto f = compile(
      [&](const Tensor& t) {
        ++runs;
        return add(t, sum(mul(weight, 2.0), {}));
      },
      options);
  for (const int64_t n : {2, 3, 4, 5}) {
    const Tensor t = counted({n});
    EXPECT_EQ(values(f(t)), values(add(t, sum(mul(weight, 2.0), {}))));
  }
  EXPECT_LE(runs, 2);
}

// ---- results

TEST_F(FrozenKeys, results_may_be_of_any_structure) {
  using Out = std::tuple<std::map<std::string, Tensor>, std::vector<Tensor>, std::optional<Tensor>,
                         std::variant<int, Tensor>, std::array<Tensor, 2>>;
  const auto f = compile(
      [&](const Tensor& t) -> Out {
        ++runs;
        return {{{"b", add(t, 1.0)}, {"a", add(t, 2.0)}},
                {add(t, 3.0), Tensor()},
                add(t, 4.0),
                add(t, 5.0),
                {add(t, 6.0), t}};
      },
      options);
  for (int round = 0; round < 3; ++round) {
    const Tensor t = vec({static_cast<float>(round), 1});
    auto [named, list, maybe, either, pair] = f(t);
    EXPECT_EQ(values(named.at("b")), values(add(t, 1.0)));
    EXPECT_EQ(values(named.at("a")), values(add(t, 2.0)));
    EXPECT_EQ(values(list[0]), values(add(t, 3.0)));
    EXPECT_FALSE(list[1].defined());
    EXPECT_EQ(values(*maybe), values(add(t, 4.0)));
    EXPECT_EQ(values(std::get<Tensor>(either)), values(add(t, 5.0)));
    EXPECT_EQ(values(pair[0]), values(add(t, 6.0)));
    EXPECT_TRUE(pair[1].same_as(t));
  }
  EXPECT_EQ(runs, 1);
}

TEST_F(FrozenKeys, results_that_could_not_be_made_again_are_refused) {
  struct Out {
    Tensor t;
  };
  const auto said = [&](auto function) {
    const auto f = compile(function, options);
    return error_of([&] { (void)f(x); });
  };
  EXPECT_NE(said([](const Tensor& t) { return Out{exp(t)}; }).find("V0102"), std::string::npos);
  EXPECT_NE(said([](const Tensor& t) { return std::make_shared<Tensor>(exp(t)); }).find("pointers"),
            std::string::npos);
  EXPECT_NE(said([](const Tensor& t) { return std::pair(exp(t), std::string("a")); }).find("V0102"),
            std::string::npos);
  EXPECT_NE(said([](const Tensor& t) { return std::make_unique<Tensor>(exp(t)); }).find("V0102"),
            std::string::npos);
}

TEST_F(FrozenKeys, arguments_that_the_function_changes_are_refused) {
  const auto counts = compile(
      [](const Tensor& t, int& calls) {
        ++calls;
        return exp(t);
      },
      options);
  int calls = 0;
  EXPECT_NE(error_of([&] { (void)counts(x, calls); }).find("modifies an argument"),
            std::string::npos);
  const auto assigns = compile(
      [](Tensor& a, const Tensor& b) {
        a = b;
        return exp(b);
      },
      options);
  Tensor a = x;
  EXPECT_NE(error_of([&] { (void)assigns(a, y); }).find("V0102"), std::string::npos);
}

TEST_F(FrozenKeys, follow_smart_pointers_to_numbers) {
  const auto f = compile(
      [](const Tensor& t, const std::shared_ptr<double>& s) { return mul(t, *s); }, options);
  const auto number = std::make_shared<double>(2);
  EXPECT_EQ(values(f(x, number)), (std::vector<float>{2, 4}));
  *number = 5;
  EXPECT_EQ(values(f(x, number)), (std::vector<float>{5, 10}));
}

TEST_F(FrozenKeys, do_not_compare_iterators_by_what_they_point_at) {
  using Iterator = std::vector<float>::const_iterator;
  const auto f = compile([](const Tensor& t, Iterator s) { return mul(t, *s); }, options);
  const std::vector<float> numbers{2};
  EXPECT_NE(error_of([&] { (void)f(x, numbers.begin()); }).find("V0101"), std::string::npos);
}

TEST_F(FrozenKeys, writes_through_what_is_passed_by_value_are_refused) {
  const auto spans = compile(
      [](const Tensor& t, std::span<float> list) {
        list[0] += 1;
        return exp(t);
      },
      options);
  std::vector<float> list{1};
  EXPECT_NE(error_of([&] { (void)spans(x, std::span(list)); }).find("V0102"), std::string::npos);
  const auto counts = compile(
      [](const Tensor& t, std::reference_wrapper<int> calls) {
        ++calls.get();
        return exp(t);
      },
      options);
  int calls = 0;
  EXPECT_NE(error_of([&] { (void)counts(x, std::ref(calls)); }).find("V0102"), std::string::npos);
}

}  // namespace
}  // namespace vitro
