// Scans and ops with several results, which eager compiles on demand, compared with plain C++.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

Tensor numbers(const Sizes& sizes, DType dtype = DType::f32) {
  Size count = 1;
  for (const Size size : sizes) count = count * size;
  return reshape(to(sin(to(arange(count.value()), DType::f64) * 1.7) * 9, dtype), sizes);
}

// Calls `step` for each element of each row along the last dimension.
template <class T, class F>
std::vector<T> along_rows(const Tensor& x, F step) {
  const std::vector<T> from = contiguous(x).to_vector<T>();
  const auto n = static_cast<size_t>(x.size(-1).value());
  std::vector<T> out(from.size());
  for (size_t row = 0; row < from.size(); row += n) {
    for (size_t i = 0; i < n; ++i) out[row + i] = step(&from[row], i);
  }
  return out;
}

std::vector<float> sums(const Tensor& x) {
  return along_rows<float>(x, [](const float* row, size_t i) {
    double sum = 0;
    for (size_t j = 0; j <= i; ++j) sum += double{row[j]};
    return static_cast<float>(sum);
  });
}

TEST(Scan, sums_in_order_along_every_dimension_and_layout) {
  for (const Sizes& sizes : {Sizes{7}, Sizes{3, 50}, Sizes{50, 3}, Sizes{4, 33, 5},
                             Sizes{2, 3, 4, 5}, Sizes{1, 1}, Sizes{300, 40}, Sizes{1, 2000}}) {
    const Tensor x = numbers(sizes);
    for (int64_t d = 0; d < x.rank(); ++d) {
      SCOPED_TRACE(cat(sizes, " dim ", d));
      EXPECT_EQ(contiguous(transpose(cumsum(x, d), d, -1)).to_vector<float>(),
                sums(transpose(x, d, -1)));
      const Tensor turned = contiguous(transpose(x, 0, -1));
      EXPECT_EQ(cumsum(transpose(turned, 0, -1), d).to_vector<float>(),
                cumsum(x, d).to_vector<float>());
    }
  }
  const Tensor one = Tensor::from<float>({2.5F}, {});
  EXPECT_EQ(cumsum(one, 0).item<float>(), 2.5F);
  EXPECT_EQ(cumsum(one, -1).rank(), 0);
  EXPECT_EQ(cat(cumsum(zeros({0, 3}), 0).sizes()), "[0, 3]");
  EXPECT_EQ(cat(cumsum(zeros({3, 0}), 1).sizes()), "[3, 0]");
}

TEST(Scan, integers_are_summed_in_i64_and_wrap) {
  const Tensor x = to(numbers({40}) * 10, DType::u8);
  EXPECT_EQ(cumsum(x, 0).dtype(), DType::i64);
  EXPECT_EQ(cumsum(x > 100, 0).dtype(), DType::i64);
  EXPECT_EQ(select(cumsum(x, 0), 0, -1).item<int64_t>(), sum(x).item<int64_t>());
  EXPECT_EQ(select(cumsum(x, 0, DType::i8), 0, -1).item<int8_t>(),
            static_cast<int8_t>(sum(x).item<int64_t>()));
  EXPECT_EQ(cumprod(x, 0, DType::f64).dtype(), DType::f64);
}

TEST(Scan, bf16_is_rounded_once_for_each_element) {
  const Tensor x = numbers({3, 100}, DType::bf16);
  EXPECT_EQ(to(cumsum(x, 1), DType::f32).to_vector<float>(),
            to(to(cumsum(to(x, DType::f32), 1), DType::bf16), DType::f32).to_vector<float>());
}

TEST(Scan, products_and_logarithms) {
  const Tensor x = numbers({5, 60}, DType::f64) / 9;
  const std::vector<double> products = along_rows<double>(x, [](const double* row, size_t i) {
    double all = 1;
    for (size_t j = 0; j <= i; ++j) all *= row[j];
    return all;
  });
  EXPECT_EQ(cumprod(x, 1).to_vector<double>(), products);
  const std::vector<double> got = logcumsumexp(x * 200, 1).to_vector<double>();
  const std::vector<double> want = along_rows<double>(x * 200, [](const double* row, size_t i) {
    const double most = *std::max_element(row, row + i + 1);
    double all = 0;
    for (size_t j = 0; j <= i; ++j) all += std::exp(row[j] - most);
    return most + std::log(all);
  });
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-11 * std::abs(want[i]));
}

TEST(Scan, logcumsumexp_of_infinities_and_nan) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const std::vector<double> none =
      logcumsumexp(Tensor::from<double>({-inf, -inf, 0.0}, {3}), 0).to_vector<double>();
  EXPECT_EQ(none, (std::vector<double>{-inf, -inf, 0.0}));
  const std::vector<double> all =
      logcumsumexp(Tensor::from<double>({inf, 1.0, inf}, {3}), 0).to_vector<double>();
  EXPECT_EQ(all, (std::vector<double>{inf, inf, inf}));
  EXPECT_TRUE(std::isnan(
      logcumsumexp(Tensor::from<double>({1.0, nan, 2.0}, {3}), 0).to_vector<double>()[2]));
}

TEST(Scan, the_last_of_equal_extremes_and_nan) {
  const float nan = std::nanf("");
  const Tensor x = Tensor::from<float>({1, 3, 3, 2, nan, 5, nan, 7}, {8});
  const auto [values, indices] = cummax(x, 0);
  EXPECT_EQ(indices.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 2, 4, 4, 6, 6}));
  EXPECT_EQ(slice(values, 0, 0, 4).to_vector<float>(), (std::vector<float>{1, 3, 3, 3}));
  EXPECT_TRUE(all(isnan(slice(values, 0, 4, 8))).item<bool>());
  const auto [least, places] = cummin(Tensor::from<int64_t>({4, 4, 5, 1, 1}, {5}), 0);
  EXPECT_EQ(least.to_vector<int64_t>(), (std::vector<int64_t>{4, 4, 4, 1, 1}));
  EXPECT_EQ(places.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 1, 3, 4}));
}

TEST(Scan, errors_say_what_is_needed) {
  EXPECT_THROW(cumsum(numbers({3}), 1), Error);
  EXPECT_THROW(cumsum(numbers({3}), 0, DType::boolean), Error);
  EXPECT_THROW(logcumsumexp(arange(3), 0), Error);
}

TEST(Results, of_max_and_min_are_a_value_and_the_first_place_of_it) {
  for (const Sizes& sizes : {Sizes{9}, Sizes{5, 700}, Sizes{700, 5}, Sizes{3, 40, 6}}) {
    const Tensor x = round(numbers(sizes));
    for (int64_t d = 0; d < x.rank(); ++d) {
      SCOPED_TRACE(cat(sizes, " dim ", d));
      const auto [largest, at] = max(x, d);
      EXPECT_EQ(largest.to_vector<float>(), amax(x, d).to_vector<float>());
      EXPECT_EQ(at.to_vector<int64_t>(), argmax(x, d).to_vector<int64_t>());
      const auto [smallest, place] = min(x, d, true);
      EXPECT_EQ(cat(smallest.sizes()), cat(amin(x, d, true).sizes()));
      EXPECT_EQ(smallest.to_vector<float>(), amin(x, d, true).to_vector<float>());
      EXPECT_EQ(place.to_vector<int64_t>(), argmin(x, d, true).to_vector<int64_t>());
      const auto [low, high] = aminmax(x, d);
      EXPECT_EQ(low.to_vector<float>(), amin(x, d).to_vector<float>());
      EXPECT_EQ(high.to_vector<float>(), largest.to_vector<float>());
    }
  }
  const auto [low, high] = aminmax(numbers({4, 4}));
  EXPECT_EQ(low.rank(), 0);
  EXPECT_LT(low.item<float>(), high.item<float>());
  EXPECT_THROW(max(zeros({0, 2}), 0), Error);
}

TEST(Results, of_one_call_come_from_one_kernel) {
  auto fast = compile([](const Tensor& x) {
    const auto [values, indices] = max(x * 2, 1);
    const auto [most, places] = cummax(x, 1);
    return std::vector<Tensor>{values + 1, indices, most * 2, places};
  });
  const Tensor x = numbers({6, 90});
  const std::vector<Tensor> got = fast(x);
  EXPECT_EQ(got[0].to_vector<float>(), (amax(x * 2, 1) + 1).to_vector<float>());
  EXPECT_EQ(got[1].to_vector<int64_t>(), argmax(x, 1).to_vector<int64_t>());
  EXPECT_EQ(got[2].to_vector<float>(), (cummax(x, 1).first * 2).to_vector<float>());
  EXPECT_EQ(got[3].to_vector<int64_t>(), cummax(x, 1).second.to_vector<int64_t>());
  const std::vector<LaunchReport>& launches = fast.report().segments[0].build->launches;
  EXPECT_EQ(launches.size(), 2U);  // of each call one, which run as one
  EXPECT_TRUE(launches[1].joins);
}

TEST(Results, that_nobody_keeps_are_not_computed) {
  auto fast = compile([](const Tensor& x) { return max(exp(x), 0).second; });
  const Tensor x = numbers({50, 3});
  EXPECT_EQ(fast(x).to_vector<int64_t>(), argmax(x, 0).to_vector<int64_t>());
  EXPECT_EQ(fast(x).to_vector<int64_t>(), argmax(x, 0).to_vector<int64_t>());
}

// Numbers of rows and steps that are whole tiles, and ones that leave a remainder.
TEST(Scan, of_many_rows_gives_the_bits_of_each_row_alone) {
  const auto scans = [](const Tensor& x) {
    const auto [most, place] = cummax(x, -1);
    return std::vector<Tensor>{cumsum(x, -1), most, place, logcumsumexp(to(x, DType::f32), -1)};
  };
  auto dynamic = compile(scans, {.dynamic = true});
  for (const auto& [rows, steps] : std::vector<std::pair<int64_t, int64_t>>{
           {16, 16}, {16, 64}, {17, 65}, {33, 63}, {47, 130}, {15, 200}, {200, 15}, {2, 100}}) {
    for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::i32, DType::u8}) {
      SCOPED_TRACE(cat(rows, " by ", steps, " of ", dtype));
      const Tensor x = to(round(abs(numbers({2, rows, steps}, DType::f64))), dtype);
      const std::vector<Tensor> all = scans(x);
      if (dtype == DType::f32) {
        const std::vector<Tensor> fixed = compile(scans)(x), free = dynamic(x);
        for (size_t i = 0; i < all.size(); ++i) {
          const std::vector<double> want = to(all[i], DType::f64).to_vector<double>();
          EXPECT_EQ(to(fixed[i], DType::f64).to_vector<double>(), want) << i;
          EXPECT_EQ(to(free[i], DType::f64).to_vector<double>(), want) << i;
        }
      }
      for (const int64_t row : {int64_t{0}, rows / 2, rows - 1}) {
        const std::vector<Tensor> one = scans(select(select(x, 0, 1), 0, row));
        for (size_t i = 0; i < all.size(); ++i)
          EXPECT_EQ(to(select(select(all[i], 0, 1), 0, row), DType::f64).to_vector<double>(),
                    to(one[i], DType::f64).to_vector<double>());
      }
    }
  }
}

TEST(Scan, of_many_rows_reads_and_writes_any_layout) {
  const auto program = [](const Tensor& x, const Tensor& y, const Tensor& into) {
    const Tensor turned = transpose(x, 0, 1), sum = cumsum(turned * y, 1);
    const auto [most, place] = cummax(sum + turned, 1);
    copy_(into, transpose(most, 0, 1));
    copy_(x, transpose(logcumsumexp(turned, 1), 0, 1));
    return std::vector<Tensor>{sum, exp(-abs(most)), place,
                               cumsum(select(transpose(x, 0, 1) * y, 0, 3), 0)};
  };
  auto fast = compile(program);
  for (int call = 0; call < 2; ++call) {
    const Tensor x = numbers({70, 40}), y = numbers({70}), into = zeros({70, 40});
    const Tensor x_too = clone(x), into_too = zeros({70, 40});
    const auto flat = [&](const Tensor& at) { return reshape(at, {-1}); };
    const std::vector<Tensor> got = fast(x, y, into), want = program(x_too, y, into_too);
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_EQ(to(flat(got[i]), DType::f64).to_vector<double>(),
                to(flat(want[i]), DType::f64).to_vector<double>());
    EXPECT_EQ(x.to_vector<float>(), x_too.to_vector<float>());
    EXPECT_EQ(into.to_vector<float>(), into_too.to_vector<float>());
  }
}

TEST(Scan, sizes_that_vary_are_symbols) {
  auto fast = compile([](const Tensor& x) { return cumsum(x * 2, 0) + cumsum(x, -1); });
  for (const int64_t n : {3, 4, 5, 17, 40, 1}) {
    const Tensor x = numbers({n, 6});
    EXPECT_EQ(fast(x).to_vector<float>(), (cumsum(x * 2, 0) + cumsum(x, -1)).to_vector<float>());
  }
}

}  // namespace
}  // namespace vitro
