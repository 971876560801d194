// Sorts, eager (compiled on demand) and compiled, compared with std::stable_sort.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

Tensor numbers(const Sizes& sizes, DType dtype = DType::f32) {
  Size count = 1;
  for (const Size size : sizes) count = count * size;
  return reshape(to(sin(to(arange(count.value()), DType::f64) * 1.7) * 9, dtype), sizes);
}

std::vector<double> values_of(const Tensor& x) {
  return to(contiguous(x), DType::f64).to_vector<double>();
}
std::vector<int64_t> places_of(const Tensor& x) {
  return contiguous(x).to_vector<int64_t>();
}

bool comes_before(double a, double b) {
  return std::isnan(b) ? !std::isnan(a) : a < b;
}

struct Sorted {
  std::vector<double> values;
  std::vector<int64_t> places;
};

// The first `count` elements of each sorted row along the last dimension, and their indices.
Sorted expected(const Tensor& x, bool descending, int64_t count) {
  const std::vector<double> all = values_of(x);
  const auto n = x.rank() == 0 ? size_t{1} : static_cast<size_t>(x.size(-1).value());
  Sorted out;
  for (size_t row = 0; n > 0 && row < all.size(); row += n) {
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](int64_t i) { return all[row + static_cast<size_t>(i)]; };
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return descending ? comes_before(at(b), at(a)) : comes_before(at(a), at(b));
    });
    for (int64_t i = 0; i < count; ++i) {
      out.values.push_back(at(order[static_cast<size_t>(i)]));
      out.places.push_back(order[static_cast<size_t>(i)]);
    }
  }
  return out;
}

// NaN compares equal to NaN.
void expect_sorted(const std::pair<Tensor, Tensor>& got, const Sorted& want) {
  EXPECT_EQ(places_of(got.second), want.places);
  const std::vector<double> values = values_of(got.first);
  ASSERT_EQ(values.size(), want.values.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_TRUE(values[i] == want.values[i] ||
                (std::isnan(values[i]) && std::isnan(want.values[i])))
        << i << ": " << values[i] << ", not " << want.values[i];
}

std::pair<Tensor, Tensor> turned(const std::pair<Tensor, Tensor>& both, int64_t dim) {
  if (both.first.rank() == 0) return both;
  return {transpose(both.first, dim, -1), transpose(both.second, dim, -1)};
}

TEST(Sort, orders_rows_along_every_dimension_and_layout) {
  for (const Sizes& sizes : {Sizes{7}, Sizes{3, 50}, Sizes{50, 3}, Sizes{4, 33, 5}, Sizes{1, 1},
                             Sizes{300, 40}, Sizes{1, 2000}, Sizes{2, 1, 20000}}) {
    const Tensor x = round(numbers(sizes) * 3);  // some elements are equal
    for (int64_t d = 0; d < x.rank(); ++d) {
      for (const bool descending : {false, true}) {
        SCOPED_TRACE(cat(sizes, " dim ", d, descending ? " descending" : ""));
        const Tensor rows = transpose(x, d, -1);
        const int64_t n = x.size(d).value();
        expect_sorted(turned(sort(x, d, descending), d), expected(rows, descending, n));
        const Tensor other = transpose(contiguous(transpose(x, 0, -1)), 0, -1);
        expect_sorted(turned(sort(other, d, descending), d), expected(rows, descending, n));
        for (const int64_t k : {int64_t{0}, int64_t{1}, n / 2, n}) {
          const Sorted want = expected(rows, descending, k);
          expect_sorted(turned(topk(x, k, d, descending), d), want);
        }
      }
    }
  }
}

TEST(Sort, of_every_dtype) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i8, DType::u8,
                            DType::i16, DType::i32, DType::i64, DType::boolean}) {
    const Tensor x = numbers({3, 500}, DType::f64) * (dtype == DType::i32 ? 1e8 : 13);
    const Tensor row =
        to(dtype == DType::u8 ? abs(x) : round(x) / (is_floating(dtype) ? 4 : 1), dtype);
    for (const bool descending : {false, true}) {
      SCOPED_TRACE(cat(dtype, descending ? " descending" : ""));
      expect_sorted(sort(row, 1, descending), expected(row, descending, 500));
      expect_sorted(topk(row, 9, 1, descending), expected(row, descending, 9));
      EXPECT_EQ(sort(row, 1, descending).first.dtype(), dtype);
    }
  }
}

TEST(Sort, nan_is_the_largest_and_zeros_are_equal) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    const Tensor x =
        to(Tensor::from<float>({0, nan, -0.0F, inf, -inf, -nan, 0, 1, -1}, {9}), dtype);
    EXPECT_EQ(places_of(argsort(x)), (std::vector<int64_t>{4, 8, 0, 2, 6, 7, 3, 1, 5}));
    EXPECT_EQ(places_of(argsort(x, -1, true)), (std::vector<int64_t>{1, 5, 3, 7, 0, 2, 6, 8, 4}));
    EXPECT_TRUE(std::signbit(values_of(sort(x).first)[3]));
    EXPECT_EQ(places_of(topk(x, 4).second), (std::vector<int64_t>{1, 5, 3, 7}));
    const Tensor many = reshape(expand(unsqueeze(x, 0), {100, 9}), {-1});
    expect_sorted(topk(many, 3), expected(many, true, 3));
    expect_sorted(topk(many, 250), expected(many, true, 250));
    expect_sorted(topk(many, 3, 0, false), expected(many, false, 3));
  }
}

TEST(Sort, of_rows_that_are_hard_to_order) {
  constexpr int64_t n = 3000;
  const Tensor up = to(arange(n), DType::f32);
  const std::vector<Tensor> rows = {up,
                                    -up,
                                    minimum(up, -up + n),
                                    maximum(up, -up + n),
                                    remainder(up, 3),
                                    full({n}, 2),
                                    up * 1e30,
                                    where(eq(remainder(up, 7), 0), std::nan(""), -up)};
  for (const Tensor& row : rows) {
    for (const bool descending : {false, true}) {
      expect_sorted(sort(row, 0, descending), expected(row, descending, n));
      for (const int64_t k : {1, 5, 100, 1500})
        expect_sorted(topk(row, k, 0, descending), expected(row, descending, k));
    }
  }
}

TEST(Sort, of_one_element_and_of_none) {
  const Tensor one = Tensor::from<float>({2.5F}, {});
  EXPECT_EQ(sort(one).first.item<float>(), 2.5F);
  EXPECT_EQ(sort(one, 0).second.item<int64_t>(), 0);
  EXPECT_EQ(topk(one, 1).first.rank(), 0);
  EXPECT_EQ(cat(sort(zeros({0, 3}), 0).first.sizes()), "[0, 3]");
  EXPECT_EQ(cat(sort(zeros({3, 0}), 1).second.sizes()), "[3, 0]");
  EXPECT_EQ(cat(topk(zeros({3, 0}), 0).second.sizes()), "[3, 0]");
}

TEST(Sort, errors_say_what_is_needed) {
  const auto why = [](auto call) -> std::string {
    try {
      call();
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  const Tensor x = numbers({3, 5});
  EXPECT_NE(why([&] { (void)sort(x, 2); }).find("dimension 2 is out of range"), std::string::npos);
  EXPECT_NE(why([&] { (void)topk(x, 6); }).find("topk: k is 6; needs 0 to 5"), std::string::npos);
  EXPECT_NE(why([&] { (void)topk(x, -1); }).find("topk: k is -1; needs 0 to 5"), std::string::npos);
  EXPECT_NE(why([&] { (void)kthvalue(x, 0); }).find("k is 0; needs 1 to 5"), std::string::npos);
  EXPECT_NE(why([&] { (void)median(zeros({3, 0}), 1); }).find("no elements"), std::string::npos);
}

TEST(Sort, functions_written_with_it) {
  const float nan = std::nanf("");
  const Tensor x = Tensor::from<float>({3, 1, 2, 4, 5, nan, 7, nan, nan, nan, nan, nan}, {3, 4});
  const auto [values, places] = median(x, 1);
  EXPECT_EQ(values.to_vector<float>()[0], 2);
  EXPECT_TRUE(std::isnan(values.to_vector<float>()[1]) && std::isnan(values.to_vector<float>()[2]));
  EXPECT_EQ(places_of(places), (std::vector<int64_t>{2, 1, 0}));
  const auto [numbers_alone, where_they_are] = nanmedian(x, 1, true);
  EXPECT_EQ(cat(numbers_alone.sizes()), "[3, 1]");
  EXPECT_EQ(values_of(numbers_alone)[1], 5);
  EXPECT_EQ(places_of(where_they_are), (std::vector<int64_t>{2, 0, 0}));
  EXPECT_TRUE(std::isnan(median(x).item<float>()));
  EXPECT_EQ(nanmedian(x).item<float>(), 3);
  EXPECT_EQ(median(Tensor::from<int64_t>({4, 1, 3, 2}, {4})).item<int64_t>(), 2);
  const auto [second, at] = kthvalue(x, 2, 1, true);
  EXPECT_EQ(values_of(second)[0], 2);
  EXPECT_EQ(places_of(at), (std::vector<int64_t>{2, 2, 1}));
  const auto [often, last] =
      mode(Tensor::from<float>({2, 1, 2, 1, 3, nan, 3, nan, nan}, {3, 3}), 1);
  EXPECT_EQ(values_of(often)[0], 2);
  EXPECT_EQ(values_of(often)[1],
            1);  // NaN != NaN, so every element occurs once, and the smallest is the mode
  EXPECT_EQ(places_of(last), (std::vector<int64_t>{2, 0, 0}));
  EXPECT_EQ(values_of(msort(transpose(x, 0, 1)))[3], values_of(sort(x, 1).first)[1]);
}

TEST(Sort, results_of_one_call_come_from_one_kernel) {
  auto fast = compile([](const Tensor& x) {
    const auto [values, places] = sort(x * 2, 1, true);
    return std::vector<Tensor>{values, places};
  });
  const Tensor x = numbers({6, 90});
  const std::vector<Tensor> got = fast(x);
  expect_sorted({got[0], got[1]}, expected(x * 2, true, 90));
  EXPECT_EQ(fast.report().segments[0].kernels, 1);
}

TEST(Sort, is_joined_to_what_comes_before_and_after) {
  auto fast = compile([](const Tensor& x, const Tensor& y) {
    const Tensor made = exp(x * 0.1) + y;
    const auto [values, places] = sort(made, 0);
    const auto [best, where_best] = topk(values * values, 3, 1);
    return std::vector<Tensor>{made, values + 1, places, best, where_best, cumsum(made, 0)};
  });
  const Tensor x = numbers({40, 12}), y = numbers({12});
  const Tensor made = exp(x * 0.1) + y;
  const auto [values, places] = sort(made, 0);
  const auto [best, where_best] = topk(values * values, 3, 1);
  for (int call = 0; call < 3; ++call) {
    const std::vector<Tensor> got = fast(x, y);
    EXPECT_EQ(got[0].to_vector<float>(), made.to_vector<float>());
    EXPECT_EQ(got[1].to_vector<float>(), (values + 1).to_vector<float>());
    EXPECT_EQ(places_of(got[2]), places_of(places));
    EXPECT_EQ(got[3].to_vector<float>(), best.to_vector<float>());
    EXPECT_EQ(places_of(got[4]), places_of(where_best));
    EXPECT_EQ(got[5].to_vector<float>(), cumsum(made, 0).to_vector<float>());
  }
}

TEST(Sort, what_nobody_keeps_is_not_written) {
  auto fast = compile([](const Tensor& x) { return topk(x, 4, 0).second; });
  const Tensor x = numbers({50, 3});
  for (int call = 0; call < 2; ++call)
    EXPECT_EQ(places_of(fast(x)), places_of(topk(x, 4, 0).second));
}

TEST(Sort, of_a_tensor_that_it_is_written_into) {
  auto fast = compile([](const Tensor& x) {
    copy_(x, sort(x, 1).first);
    return x + 0;
  });
  const Tensor x = numbers({9, 70}), y = clone(x);
  const std::vector<float> want = sort(x, 1).first.to_vector<float>();
  EXPECT_EQ(fast(x).to_vector<float>(), want);
  EXPECT_EQ(fast(y).to_vector<float>(), want);
  EXPECT_EQ(x.to_vector<float>(), want);
  EXPECT_EQ(y.to_vector<float>(), want);
}

TEST(Sort, sizes_that_vary_are_symbols) {
  auto fast = compile([](const Tensor& x, const Tensor& like) {
    const auto [values, places] = sort(x * 2, 0);
    const auto [best, where_best] = topk(x, like.size(0), 1);
    return std::vector<Tensor>{values, places, best, where_best};
  });
  for (const int64_t n : {3, 4, 5, 17, 70, 1, 0, 300}) {
    const Tensor x = numbers({n, 60}), like = numbers({n % 50});
    const std::vector<Tensor> got = fast(x, like);
    expect_sorted(turned({got[0], got[1]}, 0), expected(transpose(x * 2, 0, 1), false, n));
    expect_sorted({got[2], got[3]}, expected(x, true, n % 50));
  }
}

// Sizes that are quotients of symbols, in the sorted dimension and in others.
TEST(Sort, sizes_may_be_computed_from_symbols) {
  const auto sorted_pool = [](const Tensor& x) {
    const Tensor pool = max_pool2d(x, {2, 2}), windows = unfold(x, 2, 3, 2);
    std::vector<Tensor> out;
    for (int64_t d = 0; d < 4; ++d) {
      const auto [best, at] = topk(pool, 1, d);
      out.insert(out.end(), {best, at, sort(pool, d).first, cumsum(pool, d)});
    }
    out.push_back(kthvalue(pool, 2, 2).first);
    out.push_back(topk(windows, 3, 2).second);
    out.push_back(sort(exp(windows), 2).first);
    out.push_back(topk(upsample_nearest2d(x, {x.size(2) * 3 / 2, x.size(3) * 2}), 3, 2).first);
    return out;
  };
  auto fast = compile(sorted_pool, {.dynamic = true});
  for (const int64_t n : {12, 15, 8}) {
    const Tensor x = numbers({2, 3, n, n + 6});
    const std::vector<Tensor> got = fast(x), want = sorted_pool(x);
    for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(values_of(got[i]), values_of(want[i])) << i;
  }
  const CompiledReport report = fast.report();
  EXPECT_TRUE(report.fallbacks.empty()) << report.fallbacks[0].reason;
  EXPECT_EQ(report.segments.size(), 1U);
}

TEST(Sort, bits_do_not_depend_on_threads) {
  const int before = num_threads();
  const Tensor x = round(numbers({70, 900})), row = numbers({200000});
  std::vector<int64_t> rows, long_row;
  for (const int threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    const std::vector<int64_t> places = places_of(argsort(x, 1)), one = places_of(argsort(row));
    if (rows.empty()) rows = places, long_row = one;
    EXPECT_EQ(places, rows);
    EXPECT_EQ(one, long_row);
  }
  set_num_threads(before);
}

// A function of several ops names itself where it asks for a size that data decide.
TEST(Sort, a_break_of_kthvalue_names_it) {
  const Tensor x = Tensor::from<float>({3, -1, 2}, {3});
  auto f = compile([](const Tensor& t) { return kthvalue(masked_select(t, t > 0.0), 2).first; });
  EXPECT_EQ(f(x).item<float>(), 3);
  const CompiledReport report = f.report();
  ASSERT_EQ(report.breaks.size(), 1U);
  EXPECT_NE(report.breaks[0].reason.find("kthvalue asks"), std::string::npos)
      << report.breaks[0].reason;
}

}  // namespace
}  // namespace vitro
