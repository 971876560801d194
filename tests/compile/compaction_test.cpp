// Data sizes, compiled: one program serves all their values.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <random>

#include "error_of.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/statistics.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

// n elements, `hold` of them above 0.
Tensor numbers(int64_t n, int64_t hold, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<float> v(static_cast<size_t>(n));
  for (size_t i = 0; i < v.size(); ++i) {
    const float size = static_cast<float>(random() % 1000 + 1) / 64;
    v[i] = static_cast<int64_t>(i) < hold ? size : -size;
  }
  std::shuffle(v.begin(), v.end(), random);
  return Tensor::from<float>(v, {n});
}

std::string bits_of(const Tensor& t) {
  std::string out = cat(t.dtype(), t.sizes());
  for (const double v : contiguous(to(t, DType::f64)).to_vector<double>())
    out += cat(' ', std::bit_cast<uint64_t>(v));
  return out;
}

using Body = std::function<Tensor(const Tensor&)>;

void expect_one_program(const Body& body, size_t segments = 1) {
  auto fast = compile(body, {.fullgraph = segments == 1});
  for (const int64_t hold : {40, 0, 100, 1, 99, 57, 0, 2}) {
    const Tensor x = numbers(100, hold, static_cast<uint32_t>(hold));
    EXPECT_EQ(bits_of(fast(x)), bits_of(body(x))) << hold;
  }
  const CompiledReport report = fast.report();
  EXPECT_EQ(report.segments.size(), segments);
  for (const SegmentReport& segment : report.segments) {
    EXPECT_TRUE(segment.compiled) << segment.why_not;
    EXPECT_EQ(graph::verify(segment.graph), "") << graph::print(segment.graph);
  }
  EXPECT_TRUE(report.fallbacks.empty()) << report.fallbacks[0].reason;
  EXPECT_TRUE(segments > 1 || report.recompiles.empty());
}

TEST(Compaction, any_count_runs_the_same_program) {
  expect_one_program([](const Tensor& x) {
    const Tensor at = select(nonzero(x > 0.0), 1, 0);
    return index_select(exp(x), 0, at) * 2.0 + 1.0;
  });
}

TEST(Compaction, what_is_empty_by_its_sizes_has_no_data_size) {
  const auto body = [](const Tensor& x) { return view(nonzero(x), {1, -1}); };
  auto fast = compile(body, {.fullgraph = true});
  for (const Tensor& x : {zeros({2, 0}), zeros({0, 3, 4})}) {
    EXPECT_EQ(fast(x).sizes(), (Sizes{1, 0}));
    EXPECT_EQ(nonzero(x).sizes(), (Sizes{0, x.rank()}));
  }
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

TEST(Compaction, what_is_selected_is_reduced) {
  expect_one_program([](const Tensor& x) {
    const Tensor some = masked_select(x, x > 0.0);
    return sum(some * some) + mean(x);
  });
}

TEST(Compaction, the_size_goes_on_as_a_symbol) {
  expect_one_program([](const Tensor& x) {
    const Tensor some = masked_select(x, x > 0.0);
    const Size n = some.size(0);
    return cat({reshape(full({n * 2}, 3.0), {2, n}), expand(reshape(some, {1, n}), {2, n})}, 1);
  });
}

// No element is divided or picked, so the divisor 0 is not an error.
TEST(Compaction, nothing_is_checked_where_nothing_is_computed) {
  expect_one_program([](const Tensor& x) {
    const Tensor places = nonzero(x > 0.0);
    const Tensor at = remainder(places, Scalar(places.size(0)));
    return index_put(places, {at}, full({}, 7, DType::i64));
  });
  expect_one_program([](const Tensor& x) {
    const Tensor some = masked_select(x, x > 0.0);
    const Tensor count = full({}, Scalar(some.size(0)), DType::i64);
    const Tensor step = floor_divide(full({2, 3}, 12, DType::i64), maximum(count, 1));
    return sum(expand(unsqueeze(some, 1), {some.size(0), 3}), {0}) + step;
  });
}

TEST(Compaction, results_nobody_holds_still_give_sizes) {
  expect_one_program([](const Tensor& x) { return full({nonzero(x > 0.0).size(0), 3}, 1.0); });
}

TEST(Compaction, one_follows_another) {
  expect_one_program([](const Tensor& x) {
    const Tensor some = masked_select(x, x > 0.0);
    const Tensor fewer = masked_select(some, some > 8.0);
    return cat({fewer * 2.0, some, x}, 0) + 1.0;
  });
}

TEST(Compaction, rows_are_picked_by_a_mask) {
  expect_one_program([](const Tensor& x) {
    const Tensor table = reshape(x, {20, 5});
    return relu(index(table, select(table, 1, 0) > 0.0)) - 0.5;
  });
}

TEST(Compaction, a_mask_stands_for_the_first_sizes) {
  const Tensor x = reshape(arange(12), {3, 2, 2});
  const auto picked = [&](const Tensor& mask) {
    const Tensor y = index(x, mask);
    return std::pair(cat(y.sizes()), y.to_vector<int64_t>());
  };
  using Want = std::pair<std::string, std::vector<int64_t>>;
  EXPECT_EQ(picked(Tensor::from<bool>({true, false, true}, {3})),
            Want("[2, 2, 2]", {0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(picked(Tensor::from<bool>({false, true, false, false, true, true}, {3, 2})),
            Want("[3, 2]", {2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(picked(x > 9), Want("[2]", {10, 11}));
  EXPECT_EQ(picked(Tensor::from<bool>({true}, {})).first, "[1, 3, 2, 2]");
  EXPECT_EQ(picked(Tensor::from<bool>({false}, {})).first, "[0, 3, 2, 2]");
  EXPECT_THROW((void)index(x, Tensor::from<bool>({true, false}, {2})), Error);
  EXPECT_THROW((void)index(x, x), Error);
}

TEST(Compaction, it_is_written_into_what_was_given) {
  const auto body = [](const Tensor& x) {
    const Tensor y = clone(x);
    const Tensor total = sum(masked_select(y, y > 0.0));
    add_(y, total);
    return y;
  };
  expect_one_program(body);
  // In place on an argument, after its elements were selected.
  const auto in_place = [](const Tensor& x) {
    const Tensor some = masked_select(x, x > 0.0);
    mul_(x, sum(some));
    return some + 1.0;
  };
  auto fast = compile(in_place);
  for (const int64_t hold : {3, 0, 10}) {
    const Tensor a = numbers(10, hold), b = numbers(10, hold);
    EXPECT_EQ(bits_of(fast(a)), bits_of(in_place(b)));
    EXPECT_EQ(bits_of(a), bits_of(b));
  }
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

TEST(Compaction, what_holds_at_most_one_is_viewed_where_eager_views) {
  const auto body = [](const Tensor& x) {
    const Tensor at = nonzero(x > 0.0);  // one row, or none
    (void)fill_(flatten(unsqueeze(at, -2)), 7);
    (void)add_(reshape(at, {1, -1, 1}), 1);
    return at;
  };
  auto fast = compile(body);
  for (const float number : {1.0F, -1.0F, 2.0F}) {
    const Tensor x = full({1}, number);
    EXPECT_EQ(bits_of(fast(x)), bits_of(body(x))) << number;
  }
}

TEST(Compaction, sizes_of_the_input_may_vary_too) {
  auto body = [](const Tensor& x) {
    const Tensor some = masked_select(x, x > 0.0);
    return cat({some, x}) * sum(some);
  };
  auto fast = compile(body);
  for (const int64_t n : {10, 20, 33, 7, 64}) {
    for (const int64_t hold : {int64_t{0}, n / 2, n}) {
      const Tensor x = numbers(n, hold);
      EXPECT_EQ(bits_of(fast(x)), bits_of(body(x))) << n;
    }
  }
  EXPECT_EQ(fast.report().segments.size(), 2U);  // for n == 10, for any n
}

TEST(Compaction, a_question_about_the_number_breaks_and_goes_on) {
  expect_one_program(
      [](const Tensor& x) {
        const Tensor some = masked_select(x, x > 0.0);
        const int64_t n = some.size(0);
        return x * static_cast<double>(n);
      },
      3);  // before the break; after it for the first number, and for any
}

TEST(Compaction, what_needs_elements_asks_for_the_number) {
  auto body = [](const Tensor& x) {
    const Tensor some = masked_select(x, x > 0.0);
    return amax(some) + x;
  };
  auto fast = compile(body);
  for (const int64_t hold : {4, 1, 9}) {
    const Tensor x = numbers(10, hold);
    EXPECT_EQ(bits_of(fast(x)), bits_of(body(x)));
  }
  ASSERT_EQ(fast.report().breaks.size(), 1U);
  EXPECT_EQ(fast.report().breaks[0].code->id, "V0208");
  const auto error = [](auto f, const Tensor& x) {
    try {
      (void)f(x);
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(error(fast, numbers(10, 0)), error(body, numbers(10, 0)));
}

// The question whether it equals another size decides the size, so that it may be 1.
TEST(Compaction, one_element_is_broadcast_where_a_function_of_several_ops_asks) {
  const Tensor two = Tensor::from({1.0F, 2.0F}, {2});
  for (const Body& body : std::vector<Body>{
           [&](const Tensor& some) { return addmm(some, ones({3, 2}), ones({2, 2})); },
           [&](const Tensor& some) { return einsum("i,i->i", {some, two}); },
           [&](const Tensor& some) { return einsum("i,i->i", {two, some}); },
           [&](const Tensor& some) { return tensordot(some, two, {0}, {0}); },
           [&](const Tensor& some) { return tensordot(two, some, {0}, {0}); },
           [&](const Tensor& some) { return index_put(zeros({2}), {arange(2)}, some); },
       }) {
    auto fast = compile([&](const Tensor& x) { return body(masked_select(x, x > 0.0)); });
    for (const int64_t hold : {2, 1, 1, 2}) {
      const Tensor x = numbers(3, hold, 7);
      EXPECT_EQ(bits_of(fast(x)), bits_of(body(masked_select(x, x > 0.0))));
    }
  }
}

TEST(Compaction, slices_without_elements_are_refused_if_there_turn_out_to_be_none) {
  const auto body = [](const Tensor& x) {  // of sizes [1, 0] or [0, 0]
    return std::get<0>(unique_consecutive(nonzero(select(x, 0, 0) > 0.0), 1));
  };
  auto fast = compile(body);
  for (const int64_t hold : {1, 0, 1}) {
    const Tensor x = numbers(1, hold);
    const std::string want = error_of([&] { return body(x); });
    EXPECT_EQ(want.empty(), hold == 1) << want;
    EXPECT_EQ(error_of([&] { return fast(x); }), want);
  }
}

// ---- random programs

class Program {
 public:
  explicit Program(uint32_t seed) : random_(seed), seed_(seed) {}

  Tensor operator()(const Tensor& x) {
    random_.seed(seed_);
    Tensor all = x, some = masked_select(x, condition(x));
    if (pick(2) == 0) {
      const Tensor at = select(nonzero(condition(x)), 1, 0);
      some = index_select(x, 0, at);
    }
    for (int step = 0; step < 6; ++step) change(all, some);
    return cat({sum(some) + all, some});
  }

 private:
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  Tensor condition(const Tensor& x) { return pick(2) == 0 ? x > 0.0 : logical_not(x < 0.0); }

  void change(Tensor& all, Tensor& some) {
    switch (pick(10)) {
      case 0:
        some = some * 2.0 - 1.0;
        break;
      case 1:
        some = some + sum(all);
        break;
      case 2:
        all = all + sum(some);
        break;
      case 3:
        some = cat({some, all});
        break;
      case 4:
        some = masked_select(some, some > 0.5);
        break;
      case 5:
        some = reshape(expand(reshape(some, {1, some.size(0)}), {3, some.size(0)}), {-1});
        break;
      case 6:
        some = abs(some) + full({some.size(0)}, 0.25);
        break;
      case 7:
        all = all * mean(cat({some, all}));
        break;
      case 8:
        some = sum(reshape(cat({some, some}), {2, some.size(0)}), {0});
        break;
      case 9: {
        const Tensor table = reshape(all, {50, 100}), at = nonzero(table > 0.25);
        const Tensor rows = index_select(table, 0, select(at, 1, 0));
        some = sum(gather(rows, 1, slice(at, 1, 1)), {1}) + sum(some);
        break;
      }
    }
  }

  std::mt19937 random_;
  uint32_t seed_;
};

TEST(Compaction, random_programs_give_the_bits_of_eager) {
  const int before = num_threads();
  for (uint32_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    Program program(seed);
    const Body body = [&](const Tensor& x) { return program(x); };
    auto fast = compile(body, {.exact = true});
    for (const int threads : {1, 2, 3, 7}) {
      set_num_threads(threads);
      for (const int64_t hold : {300, 0, 5000, 1}) {
        const Tensor x = numbers(5000, hold, seed);
        EXPECT_EQ(bits_of(fast(x)), bits_of(body(x))) << hold << " on " << threads;
      }
    }
    const CompiledReport report = fast.report();
    for (const SegmentReport& segment : report.segments)
      EXPECT_TRUE(segment.compiled) << segment.why_not;
    EXPECT_TRUE(report.recompiles.empty()) << report.recompiles[0].reason;
    EXPECT_TRUE(report.fallbacks.empty()) << report.fallbacks[0].reason;
  }
  set_num_threads(before);
}

TEST(Compaction, results_do_not_depend_on_threads) {
  const int before = num_threads();
  const Tensor x = numbers(200000, 70000);
  std::string elements, places;
  for (const int threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    const std::string e = bits_of(masked_select(x, x > 0.0)),
                      p = bits_of(nonzero(reshape(x > 0.0, {100, 2000})));
    if (elements.empty()) elements = e, places = p;
    EXPECT_EQ(e, elements);
    EXPECT_EQ(p, places);
  }
  set_num_threads(before);
}

// One place has the strides of a column, although it is contiguous.
TEST(Compaction, what_is_searched_for_a_single_place_has_the_strides_of_a_row) {
  const auto found = [](const Tensor& x) {
    return searchsorted(Tensor::from({0.0, 1.0}, {2}), to(nonzero(x > 0.0), DType::f64));
  };
  auto fast = compile(found);
  for (const int64_t hold : {5, 3, 1}) {
    const Tensor x = reshape(numbers(6, hold), {3, 2});
    for (const Tensor& places : {found(x), fast(x)})
      EXPECT_EQ(cat(places.sizes(), places.strides()), cat(Sizes{hold, 2}, Sizes{2, 1}));
  }
}

// Places stand in columns: no row and one row are contiguous, several are not.
TEST(Compaction, a_window_of_places_is_refused_for_the_counts_that_eager_refuses) {
  const Body window = [](const Tensor& x) {
    const Tensor places = nonzero(reshape(x, {10, 10}) > 0.0);
    return as_strided(places, {places.size(0), 2}, {2, 1});
  };
  auto fast = compile(window);
  for (const int64_t hold : {0, 1, 40, 0, 2, 1}) {
    const Tensor x = numbers(100, hold, static_cast<uint32_t>(hold));
    const auto result = [&](const auto& f) {
      std::string bits;
      const std::string error = error_of([&] { bits = bits_of(f(x)); });
      return bits + error;
    };
    EXPECT_EQ(result(fast), result(window)) << hold;
    EXPECT_EQ(result(window).find("needs a contiguous tensor") == std::string::npos, hold < 2);
  }
}

}  // namespace
}  // namespace vitro
