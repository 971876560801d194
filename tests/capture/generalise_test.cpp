// Sizes and numbers that vary from call to call become symbols or arguments: programs, and the
// number of graphs that they need.
#include <optional>

#include "capture/testing.h"

namespace vitro {
namespace {

std::string reasons(const CompiledReport& report) {
  std::string out;
  for (const Diagnostic& f : report.recompiles) out += cat(f.code->id, ' ', f.reason, '\n');
  return out;
}

// Expects `count` graphs, each but the first from a recompile, and no fallback to eager.
void expect_graphs(const CompiledReport& report, size_t count) {
  EXPECT_EQ(report.segments.size(), count) << reasons(report);
  EXPECT_EQ(report.recompiles.size(), count - 1);
  EXPECT_TRUE(report.fallbacks.empty()) << report.fallbacks[0].reason;
  expect_sound_graphs(report);
}

TEST(Generalise, batches_from_one_on_share_a_graph) {
  const Tensor weight = counted({4, 3}, 0.25F), bias = vec({1, 2, 3});
  const auto program = [&](const Tensor& x) { return softmax(relu(add(mm(x, weight), bias)), -1); };
  auto f = compile(program, graphs());
  for (const int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 30}) {
    const Tensor x = counted({n, 4}, 0.1F);
    EXPECT_EQ(values(f(x)), values(program(x))) << n;
  }
  expect_graphs(f.report(), 2);
}

TEST(Generalise, a_batch_of_one_after_others_fits_the_symbol) {
  auto f = compile([](const Tensor& x) { return sum(exp(x), {1}); }, graphs());
  for (const int64_t n : {3, 4, 1, 2, 1}) EXPECT_EQ(f(counted({n, 2})).numel().value(), n);
  expect_graphs(f.report(), 2);
}

TEST(Generalise, a_tensor_without_elements_is_recorded_by_itself_which_is_said) {
  auto f = compile([](const Tensor& x) { return add(x, 1.0); }, graphs());
  for (const int64_t n : {5, 1, 0, 7, 1, 0, 9}) EXPECT_EQ(f(counted({n})).numel().value(), n);
  expect_graphs(f.report(), 3);
  EXPECT_EQ(reasons(f.report()),
            "V0302 input 0: expected f32[5], got f32[1]\n"
            "V0302 input 0: expected f32[s0], got f32[0] (tensors without elements are recorded "
            "separately)\n");
}

TEST(Generalise, batches_from_zero_on_are_two_graphs) {
  auto f = compile([](const Tensor& x) { return mul(add(x, 1.0), 2.0); }, graphs());
  for (const int64_t n : {0, 1, 2, 3, 0, 4}) EXPECT_EQ(f(counted({n, 2})).numel().value(), 2 * n);
  expect_graphs(f.report(), 2);
}

TEST(Generalise, one_is_special_where_the_program_broadcasts) {
  const auto program = [](const Tensor& x, const Tensor& y) { return add(x, y); };
  auto f = compile(program, graphs());
  for (const int64_t n : {2, 3, 1, 4, 1}) {
    const Tensor x = counted({n, 1}), y = counted({6});
    const Tensor z = counted({n});
    EXPECT_EQ(values(f(x, y)), values(program(x, y)));
    EXPECT_EQ(values(f(z, y.defined() && n == 1 ? y : z)), values(program(z, n == 1 ? y : z)));
  }
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(Generalise, four_sizes_that_vary_in_turn_are_five_graphs) {
  const auto program = [](const Tensor& x) { return mul(add(x, 1.0), x); };
  auto f = compile(program, graphs());
  for (int64_t turn = 0; turn < 24; ++turn) {
    Ints sizes{2, 2, 2, 2};
    if (turn > 0) sizes[static_cast<size_t>(turn - 1) % 4] = 1 + turn % 5;
    const Tensor x = full({sizes[0], sizes[1], sizes[2], sizes[3]}, 3.0F);
    EXPECT_EQ(values(f(x)), values(program(x))) << turn;
  }
  expect_graphs(f.report(), 5);
}

// Attention of a decoder over past and new keys and values.
Tensor attend(const Tensor& q, const Tensor& keys, const Tensor& values) {
  return mm(softmax(mm(q, t(keys)), -1), values);
}

// Decodes several tokens, each call with the past returned by the previous one; expects eager's
// values and two graphs.
template <class Past, class Program>
CompiledReport expect_two_graphs(const Program& program, const Past& start) {
  Past eager_past = start, past = start;
  auto f = compile(program, graphs());
  for (int step = 0; step < 12; ++step) {
    const Tensor x = counted({1, 4}, 0.1F * static_cast<float>(step + 1));
    const auto [want, next] = program(x, eager_past);
    const auto [got, grown] = f(x, past);
    EXPECT_EQ(values(got), values(want)) << step;
    eager_past = next;
    past = grown;
  }
  expect_graphs(f.report(), 2);
  return f.report();
}

const auto with_cache = [](const Tensor& x, const Tensor& past) {
  const Tensor keys = cat({past, x}, 0);
  return std::pair(attend(x, keys, keys), keys);
};

TEST(Decode, a_cache_is_two_graphs_whatever_it_starts_with) {
  expect_two_graphs(with_cache, counted({0, 4}));
  expect_two_graphs(with_cache, counted({1, 4}));
}

TEST(Decode, an_undefined_cache_is_two_graphs) {
  const auto program = [](const Tensor& x, const Tensor& past) {
    const Tensor keys = past.defined() ? cat({past, x}, 0) : add(x, 0.0);
    return std::pair(attend(x, keys, keys), keys);
  };
  const graph::Graph g = expect_two_graphs(program, Tensor()).segments[1].graph;
  EXPECT_EQ(g.symbols().size(), 1U) << graph::print(g);  // sizes compared by cat are numbers
}

TEST(Decode, an_optional_cache_is_two_graphs_whatever_it_starts_with) {
  using Maybe = std::optional<Tensor>;
  const auto program = [](const Tensor& x, const Maybe& past) {
    const Tensor keys = past ? cat({*past, x}, 0) : add(x, 0.0);
    return std::pair(attend(x, keys, keys), keys);
  };
  for (const Maybe& start :
       {Maybe(), Maybe(counted({0, 4})), Maybe(counted({1, 4})), Maybe(counted({2, 4}))})
    expect_two_graphs(program, start);
}

TEST(Decode, a_list_of_caches_is_two_graphs_whatever_they_start_with) {
  using List = std::vector<Tensor>;
  const auto grown = [](const List& past, size_t i, const Tensor& more) {
    return past.empty() ? more : cat({past[i], more}, 0);
  };
  const auto program = [grown](const Tensor& x, const List& past) {
    List now;
    Tensor y = x;
    for (size_t layer = 0; layer < 2; ++layer) {
      now.push_back(grown(past, 2 * layer, add(y, 1.0)));
      now.push_back(grown(past, 2 * layer + 1, mul(y, 0.5)));
      y = attend(y, now[2 * layer], now[2 * layer + 1]);
    }
    return std::pair(y, now);
  };
  expect_two_graphs(program, List());
  for (const int64_t rows : {0, 1}) {
    List start;
    for (int i = 0; i < 4; ++i) start.push_back(counted({rows, 4}, 0.5F));
    expect_two_graphs(program, start);
  }
}

TEST(Decode, a_list_that_grows_by_a_tensor_in_each_call_settles) {
  using List = std::vector<Tensor>;
  const auto program = [](const Tensor& x, const List& past) {
    Tensor y = x;
    for (const Tensor& t : past) y = add(mul(y, 0.5), t);
    return exp(y);
  };
  auto f = compile(program, graphs());
  List list;
  size_t after_some = 0;
  for (int step = 0; step < 40; ++step) {
    const Tensor x = counted({3}, 0.1F * static_cast<float>(step + 1));
    EXPECT_EQ(values(f(x, list)), values(program(x, list))) << step;
    list.push_back(counted({3}, 0.5F));
    if (step == 12) after_some = f.report().segments.size();
  }
  EXPECT_EQ(f.report().segments.size(), after_some);
  EXPECT_LE(after_some, 12U) << reasons(f.report());
  EXPECT_TRUE(f.report().fallbacks.empty());
  expect_sound_graphs(f.report());
}

TEST(Decode, a_prompt_and_then_one_token_at_a_time_is_two_graphs) {
  Tensor cache = counted({0, 4});
  auto f = compile(with_cache, graphs());
  for (const int64_t n : {5, 1, 1, 1, 1, 1}) {
    const Tensor x = counted({n, 4}, 0.1F);
    const Tensor want = with_cache(x, cache).first;
    const auto [got, grown] = f(x, cache);
    EXPECT_EQ(values(got), values(want));
    cache = grown;
  }
  expect_graphs(f.report(), 2);
}

TEST(GeneraliseAttribute, a_position_from_zero_on) {
  const Tensor table = counted({32, 3});
  int64_t at = 0;
  const auto program = [&](const Tensor& x) { return add(x, select(table, 0, at)); };
  auto f = compile(program, graphs());
  for (at = 0; at < 12; ++at) EXPECT_EQ(values(f(vec({1, 2, 3}))), values(program(vec({1, 2, 3}))));
  expect_graphs(f.report(), 2);
  at = 40;
  EXPECT_THROW(f(vec({1, 2, 3})), Error);
}

TEST(GeneraliseAttribute, tiles_of_a_slice) {
  const Tensor x = counted({512});
  int64_t i = 0;
  const auto program = [&](const Tensor& y) { return mul(slice(y, 0, i * 32, (i + 1) * 32), 2.0); };
  auto f = compile(program, graphs());
  for (i = 0; i < 16; ++i) EXPECT_EQ(values(f(x)), values(program(x))) << i;
  expect_graphs(f.report(), 2);
  for (i = 15; i < 18; ++i) EXPECT_EQ(values(f(x)), values(program(x))) << i;
}

TEST(GeneraliseAttribute, tiles_that_go_back_to_zero_fit_the_symbol) {
  const Tensor x = counted({512});
  int64_t i = 0;
  const auto program = [&](const Tensor& y) { return mul(slice(y, 0, i * 32, (i + 1) * 32), 2.0); };
  auto f = compile(program, graphs());
  for (const int64_t at : {1, 2, 0, 3, 0}) {
    i = at;
    EXPECT_EQ(values(f(x)), values(program(x))) << i;
  }
  expect_graphs(f.report(), 2);
}

TEST(GeneraliseAttribute, a_length_given_to_arange) {
  const auto program = [](int64_t n) { return mul(arange(n), 2); };
  auto f = compile(program, graphs());
  for (const int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    EXPECT_EQ(f(n).to_vector<int64_t>(), program(n).to_vector<int64_t>());
  expect_graphs(f.report(), 2);
  EXPECT_EQ(f(0).numel().value(), 0);
}

TEST(GeneraliseAttribute, start_and_step_of_arange) {
  const auto program = [](int64_t from, int64_t to, int64_t by) {
    return add(arange(from, to, by), 1);
  };
  auto f = compile(program, graphs());
  for (const int64_t n : {2, 3, 4, 5, 9})
    EXPECT_EQ(f(n, 3 * n, n - 1).to_vector<int64_t>(),
              program(n, 3 * n, n - 1).to_vector<int64_t>());
  EXPECT_THROW(f(5, 15, 0), Error);
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(GeneraliseAttribute, sizes_given_to_full_expand_and_reshape) {
  const auto program = [](const Tensor& x, int64_t n) {
    const Tensor wide = expand(x, {n, 2});
    return add(reshape(wide, {n * 2}), full({n * 2}, 3.0F));
  };
  auto f = compile(program, graphs());
  const Tensor x = counted({1, 2});
  for (int64_t n = 2; n < 12; ++n) EXPECT_EQ(values(f(x, n)), values(program(x, n))) << n;
  expect_graphs(f.report(), 2);
  for (const int64_t n : {1, 0, 13}) EXPECT_EQ(values(f(x, n)), values(program(x, n))) << n;
}

TEST(GeneraliseAttribute, the_least_number_as_a_start) {
  const auto program = [](const Tensor& x, int64_t start, int64_t end) {
    return slice(x, 0, start, end);
  };
  auto f = compile(program, graphs());
  f(counted({5}), 5, 2);
  const Tensor x = counted({8});
  EXPECT_EQ(values(f(x, INT64_MIN, -1)), values(program(x, INT64_MIN, -1)));
}

TEST(GeneraliseNumber, alpha_of_addmm) {
  const Tensor x = counted({2, 2}), a = counted({2, 3}), b = counted({3, 2});
  const auto program = [&](double alpha) { return addmm(x, a, b, 1, alpha); };
  auto f = compile(program, graphs());
  for (const double alpha : {1.0, 0.5, 0.25, 2.0, 3.0, -1.0, 7.5, 8.5, 9.5, 1.0})
    EXPECT_EQ(values(f(alpha)), values(program(alpha))) << alpha;
  expect_graphs(f.report(), 2);
  EXPECT_EQ(reasons(f.report()), "V0303 addmm: operand 4: expected 1.0, got 0.5\n");
}

TEST(GeneraliseNumber, eps_of_a_layer_norm) {
  const Tensor x = counted({2, 4}), weight = counted({4}), bias = counted({4});
  const auto program = [&](double eps) { return layer_norm(x, {4}, weight, bias, eps); };
  auto f = compile(program, graphs());
  for (const double eps : {1e-5, 1e-6, 1e-3, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1e-5})
    EXPECT_EQ(values(f(eps)), values(program(eps))) << eps;
  expect_graphs(f.report(), 2);
}

TEST(GeneraliseNumber, a_truth_value_is_a_part_of_the_program_which_is_said) {
  auto f = compile([](const Tensor& x, bool b) { return add(x, b); }, graphs());
  f(vec({1}), true);
  f(vec({1}), false);
  EXPECT_EQ(
      reasons(f.report()),
      "V0303 add: operand 1: expected true, got false (a boolean is a constant of the program)\n");
}

TEST(GeneraliseNumber, what_varies_at_a_place_is_known_whichever_way_led_there) {
  const auto program = [](const Tensor& x, bool way, double n) {
    return mul(way ? exp(x) : sin(x), n);
  };
  auto f = compile(program, graphs());
  const Tensor x = vec({1, 2});
  for (const double n : {0.5, 1.5, 2.5})
    EXPECT_EQ(values(f(x, false, n)), values(program(x, false, n)));
  for (const double n : {0.5, 1.5, 2.5})
    EXPECT_EQ(values(f(x, true, n)), values(program(x, true, n)));
  expect_graphs(f.report(), 3);
}

}  // namespace
}  // namespace vitro
