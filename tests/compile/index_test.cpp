// Reads and writes at indices of several tensors, compared with plain C++: eager, compiled and
// frozen, with varying sizes, on any number of threads.
#include <gtest/gtest.h>

#include <vector>

#include "compile/numbers.h"
#include "error_of.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"
#include "vitro/ops/overload.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

using test::numbers;

// Integers in [-size, size), some more than once.
Tensor indices(const Sizes& sizes, int64_t size, DType dtype = DType::i64) {
  return test::repeated_indices(sizes, -size, 2 * size, dtype);
}

int64_t wrapped(int64_t index, int64_t size) {
  return index < 0 ? index + size : index;
}

// x[i, j] of a matrix.
std::vector<float> picked(const Tensor& x, const Tensor& i, const Tensor& j) {
  const std::vector<float> from = contiguous(x).to_vector<float>();
  const std::vector<int64_t> a = to(i, DType::i64).to_vector<int64_t>(),
                             b = to(j, DType::i64).to_vector<int64_t>();
  const int64_t rows = x.size(0).value(), columns = x.size(1).value();
  std::vector<float> out;
  for (size_t k = 0; k < a.size(); ++k)
    out.push_back(
        from[static_cast<size_t>(wrapped(a[k], rows) * columns + wrapped(b[k], columns))]);
  return out;
}

// x[i, j] += values, in order.
std::vector<float> added(const Tensor& x, const Tensor& i, const Tensor& j, const Tensor& values) {
  std::vector<float> out = contiguous(x).to_vector<float>();
  const std::vector<int64_t> a = i.to_vector<int64_t>(), b = j.to_vector<int64_t>();
  const std::vector<float> from = values.to_vector<float>();
  const int64_t rows = x.size(0).value(), columns = x.size(1).value();
  for (size_t k = 0; k < a.size(); ++k)
    out[static_cast<size_t>(wrapped(a[k], rows) * columns + wrapped(b[k], columns))] += from[k];
  return out;
}

TEST(Pick, elements_of_a_matrix) {
  for (const int64_t count : {0, 1, 5, 1000}) {
    const Tensor x = numbers({9, 7});
    for (const DType dtype : {DType::i64, DType::i32}) {
      const Tensor i = indices({count}, 9, dtype), j = indices({count}, 7);
      EXPECT_EQ(index(x, {i, j}).to_vector<float>(), picked(x, i, j)) << count;
      EXPECT_EQ(index(t(x), {j, i}).to_vector<float>(), picked(x, i, j)) << count;
    }
  }
}

TEST(Pick, dimensions_of_the_indices_stand_where_they_pick_from) {
  const Tensor x = numbers({3, 4, 5, 6}), i = indices({2, 1}, 4), j = indices({7}, 5);
  const auto sizes = [](const Tensor& y) {
    std::vector<int64_t> out;
    for (const Size s : y.sizes()) out.push_back(s.value());
    return out;
  };
  EXPECT_EQ(sizes(index(x, {{}, i, j})), (std::vector<int64_t>{3, 2, 7, 6}));
  EXPECT_EQ(sizes(index(x, {indices({2, 1}, 3), {}, j})), (std::vector<int64_t>{2, 7, 4, 6}));
  EXPECT_EQ(sizes(index(x, {{}, {}, {}, indices({}, 6)})), (std::vector<int64_t>{3, 4, 5}));
  // The same as index_select along one dimension after the other.
  const Tensor a = remainder(indices({4}, 4), 4), b = remainder(indices({3}, 6), 6);
  EXPECT_EQ(index(x, {{}, a}).to_vector<float>(), index_select(x, 1, a).to_vector<float>());
  EXPECT_EQ(index(x, {{}, unsqueeze(a, 1), {}, b}).to_vector<float>(),
            contiguous(permute(index_select(index_select(x, 1, a), 3, b), {1, 3, 0, 2}))
                .to_vector<float>());
}

TEST(Pick, masks_among_indices) {
  const Tensor x = numbers({3, 4, 5}), mask = numbers({3, 4}) > 0, j = indices({}, 5);
  const Tensor at = nonzero(mask);
  const std::vector<float> want =
      index(x, {select(at, 1, 0), select(at, 1, 1), j}).to_vector<float>();
  EXPECT_EQ(index(x, {mask, j}).to_vector<float>(), want);
  EXPECT_EQ(index(x, mask).to_vector<float>(),
            index(x, {select(at, 1, 0), select(at, 1, 1)}).to_vector<float>());
  EXPECT_EQ(ops::call("index", {x, std::vector<Tensor>{mask}})[0].to_vector<float>(),
            index(x, mask).to_vector<float>());
  auto fast = compile(
      [](const Tensor& a, const Tensor& m, const Tensor& k) { return index(a * 2, {m, k}) + 1; });
  EXPECT_EQ(fast(x, mask, j).to_vector<float>(), (index(x * 2, {mask, j}) + 1).to_vector<float>());
}

TEST(Pick, puts_add_in_the_order_of_the_values) {
  for (const int64_t count : {0, 1, 5, 3000}) {
    const Tensor x = numbers({9, 7}), i = indices({count}, 9), j = indices({count}, 7);
    const Tensor values = numbers({count});
    EXPECT_EQ(index_put(x, {i, j}, values, true).to_vector<float>(), added(x, i, j, values));
    EXPECT_EQ(contiguous(t(index_put(t(x), {j, i}, values, true))).to_vector<float>(),
              added(x, i, j, values));
  }
}

TEST(Pick, puts_of_rows_do_not_depend_on_threads) {
  const Tensor x = zeros({50, 3, 70}), values = numbers({2000, 3, 70}), i = indices({2000}, 50);
  const int before = num_threads();
  std::vector<float> first;
  for (const int threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    const std::vector<float> got = index_put(x, {i}, values, true).to_vector<float>();
    const std::vector<float> back = index(index_put(x, {i}, values, true), {i}).to_vector<float>();
    if (first.empty()) first = got;
    EXPECT_EQ(got, first) << threads;
    EXPECT_EQ(back, index(index_add(x, 0, remainder(i, 50), values), {i}).to_vector<float>());
  }
  set_num_threads(before);
  EXPECT_EQ(first, index_add(x, 0, remainder(i, 50), values).to_vector<float>());
}

TEST(Pick, values_broadcast) {
  const Tensor x = numbers({4, 5, 6}), i = indices({3}, 4), j = indices({2}, 6);
  const Tensor row = numbers({6}), one = Tensor::from<float>({2.5F}, {});
  EXPECT_EQ(index_put(x, {i}, row).to_vector<float>(),
            index_put(x, {i}, contiguous(expand(row, {3, 5, 6}))).to_vector<float>());
  EXPECT_EQ(index_put(x, {{}, {}, j}, one).to_vector<float>(),
            index_put(x, {{}, {}, j}, full({4, 5, 2}, 2.5)).to_vector<float>());
  EXPECT_EQ(index_put(x, {indices({}, 4), indices({}, 5)}, row, true).to_vector<float>(),
            index_put(x, {indices({1}, 4), indices({1}, 5)}, row, true).to_vector<float>());
  const Tensor mask = x > 1;
  EXPECT_EQ(index_put(x, {mask}, one).to_vector<float>(),
            masked_fill(x, mask, 2.5).to_vector<float>());
  EXPECT_EQ(index_put(x, {mask}, index(x, mask) * 3).to_vector<float>(),
            where(mask, x * 3, x).to_vector<float>());
}

TEST(Pick, forms_in_place_write_into_the_tensor) {
  const Tensor x = numbers({5, 4}), i = indices({3}, 5), values = numbers({3, 4});
  const std::vector<float> want = index_put(x, {i}, values, true).to_vector<float>();
  const Tensor y = clone(x), z = clone(x);
  EXPECT_EQ(index_put_(y, {i}, values, true).storage().id(), y.storage().id());
  EXPECT_EQ(y.to_vector<float>(), want);
  (void)ops::call("index_put_", {z, std::vector<Tensor>{i}, values}, {{"accumulate", true}});
  EXPECT_EQ(z.to_vector<float>(), want);
  const Tensor at = remainder(indices({2, 4}, 5), 5), src = numbers({2, 4});
  for (const char* name : {"scatter_.src", "scatter_add_"}) {
    const Tensor w = clone(x);
    (void)ops::call(name, {w, Scalar(0), at, src});
    const bool adds = std::string_view(name) == "scatter_add_";
    EXPECT_EQ(w.to_vector<float>(),
              (adds ? scatter_add(x, 0, at, src) : scatter(x, 0, at, src)).to_vector<float>());
  }
  auto fast = compile([](const Tensor& a, const Tensor& k, const Tensor& v) {
    const Tensor b = a * 2;
    index_put_(b, {k}, v, true);
    return b + 1;
  });
  EXPECT_EQ(fast(x, i, values).to_vector<float>(),
            (index_put(x * 2, {i}, values, true) + 1).to_vector<float>());
}

TEST(Pick, scatters_reduce) {
  using ops::ScatterReduction;
  const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {4});
  const Tensor at = Tensor::from<int64_t>({0, 0, 2, 2, 2}, {5});
  const Tensor src = Tensor::from<float>({5, -6, 1, 2, 9}, {5});
  const auto reduced = [&](ScatterReduction how, bool include) {
    return scatter_reduce(x, 0, at, src, how, include).to_vector<float>();
  };
  using Floats = std::vector<float>;
  EXPECT_EQ(reduced(ScatterReduction::sum, true), (Floats{0, 2, 15, 4}));
  EXPECT_EQ(reduced(ScatterReduction::sum, false), (Floats{-1, 2, 12, 4}));
  EXPECT_EQ(reduced(ScatterReduction::prod, true), (Floats{-30, 2, 54, 4}));
  EXPECT_EQ(reduced(ScatterReduction::prod, false), (Floats{-30, 2, 18, 4}));
  EXPECT_EQ(reduced(ScatterReduction::mean, true), (Floats{0, 2, 15.0F / 4, 4}));
  EXPECT_EQ(reduced(ScatterReduction::mean, false), (Floats{-0.5F, 2, 4, 4}));
  EXPECT_EQ(reduced(ScatterReduction::amax, true), (Floats{5, 2, 9, 4}));
  EXPECT_EQ(reduced(ScatterReduction::amax, false), (Floats{5, 2, 9, 4}));
  EXPECT_EQ(reduced(ScatterReduction::amin, true), (Floats{-6, 2, 1, 4}));
  EXPECT_EQ(reduced(ScatterReduction::amin, false), (Floats{-6, 2, 1, 4}));
  EXPECT_EQ(scatter(x, 0, at, 7).to_vector<float>(), (Floats{7, 2, 7, 4}));
  EXPECT_EQ(scatter(x, 0, at, src, ops::ScatterWith::multiply).to_vector<float>(),
            (Floats{-30, 2, 54, 4}));
}

TEST(Pick, scatters_of_half_precision_are_rounded_once) {
  const Tensor x = zeros({2}, DType::bf16), src = ones({1000}, DType::bf16);
  const Tensor at = zeros({1000}, DType::i64);
  EXPECT_EQ(
      to(scatter_reduce(x, 0, at, src, ops::ScatterReduction::sum), DType::f32).to_vector<float>(),
      (std::vector<float>{1000, 0}));
  EXPECT_EQ(to(index_put(x, {at}, src, true), DType::f32).to_vector<float>(),
            (std::vector<float>{1000, 0}));
}

TEST(Pick, compiled_functions_give_the_same_bits_for_any_sizes) {
  const auto program = [](const Tensor& x, const Tensor& i, const Tensor& j, const Tensor& v) {
    const Tensor y = index(exp(x), {i, j}) * 2;
    const Tensor z = index_put(x * 3, {i, j}, v + y, true);
    return std::vector<Tensor>{y, z, index(z, {{}, j}) - 1,
                               scatter_reduce(z, 1, remainder(unsqueeze(j, 0), z.size(1)),
                                              unsqueeze(v, 0), ops::ScatterReduction::amax)};
  };
  const CompileOptions ways[] = {{}, {.dynamic = true}, {.fullgraph = true, .frozen = true}};
  for (const CompileOptions& way : ways) {
    auto fast = compile(program, way);
    for (const int64_t n : {3, 5, 30, 30, 30, 31}) {
      const Tensor x = numbers({n, n + 2}), i = indices({2 * n}, n), j = indices({2 * n}, n + 2);
      const Tensor v = numbers({2 * n});
      const std::vector<Tensor> want = program(x, i, j, v), got = fast(x, i, j, v);
      for (size_t k = 0; k < want.size(); ++k)
        EXPECT_EQ(got[k].to_vector<float>(), want[k].to_vector<float>()) << n << ' ' << k;
    }
  }
}

// Only the condition of a load depends on the index: its element is the same for all.
TEST(Pick, from_padded_values_compiles) {
  const auto f = [](const Tensor& x, const Tensor& i) {
    const Tensor padded = slice(constant_pad_nd(unsqueeze(x, -1), {1, 1, 1, 1}) * 2, -1, 1);
    return index_select(padded, -1, i) + 1;
  };
  const auto fast = compile(f);
  const Tensor x = numbers({16, 1}), i = Tensor::from<int64_t>({1, 0}, {2});
  EXPECT_EQ(fast(x, i).to_vector<float>(), f(x, i).to_vector<float>());
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

TEST(Pick, gather_of_no_indices_takes_any_rank_also_if_their_number_is_data) {
  const auto f = [](const Tensor& x, const Tensor& mask) { return gather(x, 0, nonzero(mask)); };
  const auto fast = compile(f);
  const Tensor x = numbers({1, 7, 9}), none = zeros({3, 2}, DType::boolean);
  EXPECT_EQ(f(x, none).sizes(), (Sizes{0, 2}));
  EXPECT_EQ(fast(x, none).sizes(), (Sizes{0, 2}));
  const Tensor some = ones({3, 2}, DType::boolean);
  EXPECT_EQ(error_of([&] { f(x, some); }), error_of([&] { fast(x, some); }));
  EXPECT_NE(error_of([&] { f(x, some); }), "");
}

TEST(Pick, errors_name_the_index_and_its_dimension) {
  const Tensor x = numbers({4, 3}), good = Tensor::from<int64_t>({0, 1}, {2});
  const Tensor bad = Tensor::from<int64_t>({0, -4}, {2});
  EXPECT_EQ(error_of([&] { index(x, {good, bad}); }),
            "index: index -4 is out of range along dimension 1, of size 3; needs -3 to 2");
  EXPECT_EQ(error_of([&] { index_put(x, {{}, Tensor::from<int64_t>({3}, {1})}, numbers({1})); }),
            "index_put: index 3 is out of range along dimension 1, of size 3; needs -3 to 2");
  EXPECT_EQ(error_of([&] { index(x, {good, good, good}); }),
            "index: 3 indices for a tensor of rank 2; leave some out");
  EXPECT_EQ(error_of([&] { index(x, {numbers({2})}); }),
            "index: indices must be i32, i64 or bool, got f32");
  EXPECT_EQ(error_of([&] { index(x, {Tensor(), Tensor()}); }), "index: needs at least one index");
  EXPECT_EQ(error_of([&] { index_put(x, {good}, numbers({4})); }),
            "index_put: values of sizes [4] do not broadcast to [2, 3], which the indices select");
  EXPECT_EQ(error_of([&] { index_put(x, {good}, numbers({3}, DType::f64)); }),
            "index_put: the values are of f64, x of f32; cast one of them");
  EXPECT_EQ(error_of([&] { index(x, {ones({3}, DType::boolean)}); }),
            "index: the sizes of the mask, [3], do not match the first sizes of [4, 3]");
  auto fast = compile([](const Tensor& a, const Tensor& i) { return index(a, {{}, i}) + 1; });
  const std::string compiled = error_of([&] { (void)fast(x, bad).to_vector<float>(); });
  EXPECT_NE(compiled.find("index -4 is out of range along dimension 1, of size 3"),
            std::string::npos);
}

// Of varying sizes, the index waits in a scratch row of the kernel that finds it.
TEST(Gather, takes_an_index_that_its_kernel_finds) {
  for (const bool dynamic : {false, true}) {
    for (const int64_t size : {5, 40}) {
      const auto f = [](const Tensor& x, const Tensor& y) {
        const auto [largest, at] = max(x, 1, true);
        return gather(y, 1, at);
      };
      const Tensor x = numbers({size, size, size}), y = flip(x, {0}) * 3;
      auto fast = compile(f, {.dynamic = dynamic});
      EXPECT_EQ(contiguous(fast(x, y)).to_vector<float>(), contiguous(f(x, y)).to_vector<float>());
    }
  }
}

}  // namespace
}  // namespace vitro
