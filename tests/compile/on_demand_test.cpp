// Ops without an eager kernel in the library, compiled when they are first called.
#include "compile/on_demand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "backend/jit/options.h"
#include "eager/places.h"
#include "error_of.h"
#include "vitro/compile/compile.h"
#include "vitro/events/rare.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

// Number of times that the backend generated code for graphs of that name.
size_t compiled_programs(std::string_view name) {
  size_t count = 0;
  for (const events::Rare& rare : events::rare_since(0)) {
    const auto* phase = std::get_if<events::Phase>(&rare.what);
    count += phase && phase->phase == "codegen" && phase->subject == name;
  }
  return count;
}

Tensor numbers(std::initializer_list<int64_t> sizes, DType dtype = DType::f32) {
  int64_t count = 1;
  Sizes list;
  for (const int64_t size : sizes) count *= size, list.push_back(size);
  return reshape(to(to(arange(count), dtype) * 0.37 - 2.0, dtype), list);
}

void expect_near(const Tensor& got, const Tensor& x, double (*f)(double), double bound = 1e-6) {
  const std::vector<double> a = to(got, DType::f64).to_vector<double>(),
                            b = to(x, DType::f64).to_vector<double>();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], f(b[i]), bound * std::max(1.0, std::abs(f(b[i])))) << "element " << i;
}

TEST(OnDemand, what_is_tested_here_has_no_kernel_compiled_ahead) {
  EXPECT_LT(eager::place_of(*ops::named("sinh")), 0);
  EXPECT_LT(eager::place_of(*ops::named("atan2")), 0);
  EXPECT_GE(eager::place_of(*ops::named("tanh")), 0);
}

// Few indices of adjacent axes become indices of one axis.
TEST(OnDemand, gathers_by_few_indices_of_adjacent_axes_need_no_kernel) {
  const size_t before = compiled_programs("index");
  const Tensor x = numbers({4, 5, 6});
  const Tensor i = Tensor::from<int64_t>({3, 0, -1, 1}, {2, 2}),
               j = Tensor::from<int64_t>({-5, 2}, {2});
  const Tensor rows = index(x, {i, j}), columns = index(x, {Tensor(), i, j});
  for (int64_t a = 0; a < 2; ++a) {
    for (int64_t b = 0; b < 2; ++b) {
      const int64_t at = std::vector<int64_t>{3, 0, 3, 1}[static_cast<size_t>(2 * a + b)],
                    second = b == 0 ? 0 : 2;
      EXPECT_EQ(select(select(rows, 0, a), 0, b).to_vector<float>(),
                select(select(x, 0, at), 0, second).to_vector<float>());
      const int64_t middle = at == 3 && a == 1 ? 4 : at,  // negative ones of longer axes
          last = b == 0 ? 1 : 2;
      EXPECT_EQ(select(select(columns, 1, a), 1, b).to_vector<float>(),
                select(select(x, 1, middle), 1, last).to_vector<float>());
    }
  }
  EXPECT_EQ(compiled_programs("index"), before);
  EXPECT_EQ(index(x, {i, Tensor(), j}).sizes(), (Sizes{2, 2, 5}));  // apart
  EXPECT_GT(compiled_programs("index"), before);
  EXPECT_NE(error_of([&] { (void)index(x, {i, i + 5}); }).find("index 8 is out of range along"),
            std::string::npos);
}

TEST(OnDemand, other_sizes_of_the_same_layout_compile_nothing) {
  expect_near(sinh(numbers({3, 4})), numbers({3, 4}), std::sinh);
  const size_t before = compiled_programs("sinh");
  EXPECT_GE(before, 1U);
  for (const int64_t n : {2, 3, 17, 4096, 100000}) {
    const Tensor x = numbers({n}) / static_cast<double>(n);
    expect_near(sinh(x), x, std::sinh);
    const Tensor y = reshape(x, {1, n});
    expect_near(sinh(y), y, std::sinh);
    expect_near(sinh(reshape(y, {n, 1, 1})), y, std::sinh);
  }
  EXPECT_EQ(compiled_programs("sinh"), before);
}

TEST(OnDemand, numbers_that_vary_compile_nothing) {
  const Tensor x = numbers({20});
  (void)atan2(x, 1.5);
  const size_t before = compiled_programs("atan2");
  for (const double n : {0.25, -3.0, 0.0, std::numeric_limits<double>::infinity()}) {
    const std::vector<float> got = atan2(x, n).to_vector<float>(), from = x.to_vector<float>();
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], std::atan2(from[i], n), 1e-6);
  }
  EXPECT_EQ(compiled_programs("atan2"), before);
}

TEST(OnDemand, every_layout_gives_the_elements_of_a_dense_copy) {
  const Tensor x = numbers({4, 6, 5});
  const std::vector<Tensor> layouts = {x,
                                       permute(x, {2, 0, 1}),
                                       slice(x, 1, 1, 6, 2),
                                       slice(x, 2, 0, 5, 3),
                                       select(x, 1, 2),
                                       expand(select(x, 0, 1), {3, 6, 5}),
                                       expand(slice(x, 1, 2, 3), {4, 7, 5}),
                                       t(select(x, 2, 0)),
                                       as_strided(view(x, {-1}), {4, 4}, {3, 2}),
                                       slice(x, 0, 0, 0),
                                       select(select(select(x, 0, 0), 0, 0), 0, 3)};
  for (const Tensor& layout : layouts) {
    SCOPED_TRACE(cat(layout.sizes(), layout.strides()));
    const Tensor got = tan(layout), want = tan(contiguous(layout) + 0.0);
    EXPECT_EQ(cat(got.sizes()), cat(want.sizes()));
    EXPECT_EQ(got.to_vector<float>(), want.to_vector<float>());
    expect_near(got, layout, std::tan, 1e-5);
    // The result has the strides that an op compiled ahead gives.
    EXPECT_EQ(cat(got.strides()), cat(tanh(layout).strides()));
  }
}

TEST(OnDemand, beside_a_tensor_without_dimensions_elements_may_repeat) {
  const Tensor y = numbers({}) + 3.0;
  for (const Tensor& x : {expand(numbers({6, 1, 5}), {6, 4, 5}), expand(numbers({1, 5}), {3, 5}),
                          expand(numbers({}), {3})}) {
    const Tensor dense = contiguous(x) + 0.0;
    EXPECT_EQ(atan2(y, x).to_vector<float>(), atan2(y, dense).to_vector<float>());
    EXPECT_EQ(atan2(x, y).to_vector<float>(), atan2(dense, y).to_vector<float>());
  }
}

TEST(OnDemand, operands_are_broadcast_and_promoted) {
  const Tensor x = numbers({4, 1, 5}), y = numbers({3, 1}, DType::f64), n = arange(5);
  const Tensor a = atan2(x, y);
  EXPECT_EQ(a.dtype(), DType::f64);
  EXPECT_EQ(cat(a.sizes()), "[4, 3, 5]");
  EXPECT_EQ(a.to_vector<double>(),
            atan2(to(expand(x, {4, 3, 5}), DType::f64) + 0.0, contiguous(expand(y, {4, 3, 5})))
                .to_vector<double>());
  EXPECT_EQ(atan2(x, n).dtype(), DType::f32);
  EXPECT_EQ(atan2(n, n).dtype(), DType::f32);
  EXPECT_EQ(atan2(x, select(y, 0, 0)).dtype(), DType::f64);                // rank 1
  EXPECT_EQ(atan2(x, select(select(y, 0, 0), 0, 0)).dtype(), DType::f32);  // rank 0
  EXPECT_EQ(atan2(to(x, DType::bf16), 2.0).dtype(), DType::bf16);
}

TEST(OnDemand, results_are_those_of_a_compiled_function) {
  for (const DType dtype :
       {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::u8}) {
    const Tensor x = to(abs(numbers({7, 9})) * 4, dtype);
    const auto f = compile([](const Tensor& a) {
      return std::vector<Tensor>{expm1(a), log2(a), asinh(a), erfc(a),
                                 atan2(a, t(reshape(a, {9, 7})))};
    });
    const std::vector<Tensor> want = f(x);
    const std::vector<Tensor> got = {expm1(x), log2(x), asinh(x), erfc(x),
                                     atan2(x, t(reshape(x, {9, 7})))};
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].dtype(), want[i].dtype());
      const Tensor differs = logical_and(ne(got[i], want[i]), logical_not(isnan(want[i])));
      EXPECT_FALSE(any(differs).item<bool>()) << i << ' ' << cat(dtype);
    }
  }
}

TEST(OnDemand, writes_in_place) {
  const Tensor x = numbers({4, 6}), copy = clone(x);
  const Tensor odd = slice(x, 1, 1, 6, 2);
  sinh_(odd);
  EXPECT_EQ(contiguous(odd).to_vector<float>(), sinh(slice(copy, 1, 1, 6, 2)).to_vector<float>());
  EXPECT_EQ(contiguous(slice(x, 1, 0, 6, 2)).to_vector<float>(),
            contiguous(slice(copy, 1, 0, 6, 2)).to_vector<float>());
  // With its own transpose as operand; and rounded to a narrower dtype.
  const Tensor square = numbers({5, 5}), before = clone(square);
  atan2_(square, t(square));
  EXPECT_EQ(square.to_vector<float>(), atan2(before, t(before)).to_vector<float>());
  const Tensor half = to(before, DType::f16);
  atan2_(half, before);
  EXPECT_EQ(half.dtype(), DType::f16);
  expect_near(half, to(atan2(to(before, DType::f16), before), DType::f16),
              [](double d) { return d; });
}

// A source has the sizes of the target but along one dimension, where it may have the same by
// chance.
TEST(OnDemand, puts_add_sources_that_fit_into_the_target_by_chance_or_not) {
  constexpr int64_t rows = 4, columns = 5;
  for (const int64_t n : {2, 4, 5, 4, 9}) {
    std::vector<int64_t> places;
    for (int64_t k = 0; k < n; ++k) places.push_back((3 * k + 1) % columns);
    const Tensor index = Tensor::from(places, {n}), source = numbers({rows, n, 3});
    const Tensor got = index_add(numbers({rows, columns, 3}), 1, index, source);
    std::vector<float> want = numbers({rows, columns, 3}).to_vector<float>();
    const std::vector<float> added = source.to_vector<float>();
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t k = 0; k < n; ++k) {
        for (int64_t c = 0; c < 3; ++c)
          want[(r * columns + places[k]) * 3 + c] += added[(r * n + k) * 3 + c];
      }
    }
    EXPECT_EQ(got.to_vector<float>(), want) << n;
  }
  // An index and a source of scatter_add may have fewer elements than the target.
  const Tensor index = Tensor::from<int64_t>({1, 0, 3, 3}, {2, 2});
  const Tensor source = Tensor::from({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F, 7.0F, 8.0F}, {2, 4});
  EXPECT_EQ(scatter_add(zeros({2, 4}), 1, index, source).to_vector<float>(),
            (std::vector<float>{2, 1, 0, 0, 0, 0, 0, 11}));
}

TEST(OnDemand, threads_may_ask_for_one_program_at_once) {
  const Tensor x = numbers({5000});
  const std::vector<float> want = tan(x).to_vector<float>();
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> got(8);
  for (size_t i = 0; i < got.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int64_t n = 1; n < 20; ++n) (void)log10(abs(numbers({n, static_cast<int64_t>(i) + 1})));
      got[i] = tan(x).to_vector<float>();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<float>& one : got) EXPECT_EQ(one, want);
}

class OnDemandDeathTest : public testing::Test {
 protected:
  OnDemandDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(OnDemandDeathTest, without_a_compiler_ops_are_interpreted_and_it_is_said_once) {
  const auto interpreted = [] {
    jit::cc_library.set("/nowhere/libvitro-cc.so");
    jit::cc_helper.set("/nowhere/vitro-cc");
    jit::force_disable_caches.set(true);
    const Tensor x = numbers({50, 3});
    expect_near(sinh(x), x, std::sinh);
    expect_near(sinh(t(x)), contiguous(t(x)), std::sinh);
    expect_near(tan(to(x, DType::f64)), to(x, DType::f64), std::tan, 1e-12);
    size_t messages = 0, fallbacks = 0;
    for (const events::Rare& rare : events::rare_since(0)) {
      if (const auto* m = std::get_if<events::Message>(&rare.what))
        messages += m->text.find("V0608") != std::string::npos;
      if (const auto* f = std::get_if<events::Fallback>(&rare.what))
        fallbacks += f->code == "V0608" && f->location.find("on_demand_test") != std::string::npos;
    }
    return messages == 2 && fallbacks == 2 && !testing::Test::HasFailure();
  };
  EXPECT_EXIT(_exit(interpreted() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vitro
