// Scatters by indices, compared with plain C++: elements are combined in the order of the source.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "compile/numbers.h"
#include "error_of.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

using test::numbers;

// Integers in [0, below), some more than once.
Tensor indices(const Sizes& sizes, int64_t below, DType dtype = DType::i64) {
  return test::repeated_indices(sizes, 0, below, dtype);
}

// index_add along dimension 0 of matrices, in order.
std::vector<float> added_rows(const Tensor& x, const Tensor& index, const Tensor& source) {
  std::vector<float> out = x.to_vector<float>();
  const std::vector<float> from = contiguous(source).to_vector<float>();
  const std::vector<int64_t> at = to(index, DType::i64).to_vector<int64_t>();
  const auto columns = static_cast<size_t>(x.size(1).value());
  for (size_t k = 0; k < at.size(); ++k) {
    for (size_t c = 0; c < columns; ++c)
      out[static_cast<size_t>(at[k]) * columns + c] += from[k * columns + c];
  }
  return out;
}

TEST(Put, rows_are_added_in_order) {
  for (const int64_t columns : {1, 3, 16, 33, 200}) {
    for (const int64_t count : {0, 1, 5, 700}) {
      SCOPED_TRACE(cat(count, " rows of ", columns));
      const Tensor x = numbers({9, columns}), source = numbers({count, columns});
      for (const DType dtype : {DType::i64, DType::i32}) {
        const Tensor at = indices({count}, 9, dtype);
        EXPECT_EQ(index_add(x, 0, at, source).to_vector<float>(), added_rows(x, at, source));
      }
      // Along the other dimension, with a transposed source.
      const Tensor at = indices({count}, 9);
      EXPECT_EQ(t(index_add(t(x), 1, at, t(source))).to_vector<float>(), added_rows(x, at, source));
    }
  }
}

TEST(Put, results_do_not_depend_on_threads) {
  const Tensor x = zeros({50, 70}), source = numbers({3000, 70}), at = indices({3000}, 50);
  const int before = num_threads();
  std::vector<float> first;
  for (const int threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    const std::vector<float> got = index_add(x, 0, at, source).to_vector<float>();
    if (first.empty()) first = got;
    EXPECT_EQ(got, first) << threads;
  }
  set_num_threads(before);
  EXPECT_EQ(first, added_rows(x, at, source));
}

TEST(Put, alpha_scales_what_is_added) {
  const Tensor x = numbers({4, 6}), source = numbers({5, 6}), at = indices({5}, 4);
  EXPECT_EQ(index_add(x, 0, at, source, 3).to_vector<float>(),
            index_add(x, 0, at, source * 3).to_vector<float>());
}

TEST(Put, the_last_of_equal_indices_counts) {
  const Tensor x = zeros({3}), at = Tensor::from<int64_t>({1, 2, 1, 1}, {4});
  const Tensor source = Tensor::from<float>({1, 2, 3, 4}, {4});
  EXPECT_EQ(index_copy(x, 0, at, source).to_vector<float>(), (std::vector<float>{0, 4, 2}));
  EXPECT_EQ(scatter(x, 0, at, source).to_vector<float>(), (std::vector<float>{0, 4, 2}));
  EXPECT_EQ(scatter_add(x, 0, at, source).to_vector<float>(), (std::vector<float>{0, 8, 2}));
}

TEST(Put, scatter_takes_as_much_of_the_source_as_there_are_indices) {
  const Tensor x = numbers({5, 4, 6}), source = numbers({9, 5, 7});
  for (const int64_t dim : {0, 1, 2}) {
    SCOPED_TRACE(dim);
    Sizes sizes{4, 3, 5};
    const Tensor at = indices(sizes, x.size(dim).value());
    std::vector<float> want = x.to_vector<float>();
    const std::vector<int64_t> picks = at.to_vector<int64_t>();
    const std::vector<float> from = source.to_vector<float>();
    for (int64_t i = 0, k = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 3; ++j) {
        for (int64_t l = 0; l < 5; ++l, ++k) {
          int64_t to[] = {i, j, l};
          to[dim] = picks[static_cast<size_t>(k)];
          want[static_cast<size_t>((to[0] * 4 + to[1]) * 6 + to[2])] +=
              from[static_cast<size_t>((i * 5 + j) * 7 + l)];
        }
      }
    }
    EXPECT_EQ(scatter_add(x, dim, at, source).to_vector<float>(), want);
    EXPECT_EQ(contiguous(scatter_add(contiguous(x), dim - 3, at, source)).to_vector<float>(), want);
  }
}

TEST(Put, sums_of_half_precision_are_rounded_once) {
  const Tensor x = zeros({2}, DType::bf16), ones_of = ones({1000}, DType::bf16);
  const Tensor got = index_add(x, 0, zeros({1000}, DType::i64), ones_of);
  EXPECT_EQ(to(got, DType::f32).to_vector<float>(), (std::vector<float>{1000, 0}));
}

TEST(Put, integers_and_bool) {
  const Tensor at = indices({20}, 3);
  for (const DType dtype : {DType::i8, DType::u8, DType::i32, DType::i64}) {
    const Tensor got = index_add(zeros({3}, dtype), 0, at, full({20}, 50, dtype));
    const Tensor want = index_add(zeros({3}, DType::i64), 0, at, full({20}, 50, DType::i64));
    EXPECT_EQ(to(got, DType::i64).to_vector<int64_t>(),
              to(to(want, dtype), DType::i64).to_vector<int64_t>());
  }
  const Tensor truth = scatter_add(zeros({3}, DType::boolean), 0, at, at > 5);
  EXPECT_FALSE(any(truth).item<bool>());
}

TEST(Put, embeddings_have_a_gradient) {
  const Tensor grad = numbers({3, 40, 8}), at = indices({3, 40}, 7);
  const Tensor got = embedding_dense_backward(grad, at, 7, 2);
  Tensor want = zeros({7, 8});
  const Tensor rows = reshape(grad, {120, 8}), flat = reshape(at, {120});
  std::vector<float> sums = added_rows(want, flat, rows);
  for (size_t c = 0; c < 8; ++c) sums[2 * 8 + c] = 0;
  EXPECT_EQ(got.to_vector<float>(), sums);
}

// Row k is divided by the number of times that its index occurs, and added in order, as in ATen.
TEST(Put, gradients_of_embeddings_are_scaled_by_frequency) {
  const Tensor grad = numbers({1000, 8});
  auto fast = compile([](const Tensor& g, const Tensor& index) {
    return embedding_dense_backward(g, index, 7, 2, true);
  });
  const int before = num_threads();
  for (const DType dtype : {DType::i64, DType::i32}) {
    const Tensor at = indices({1000}, 7, dtype);
    const std::vector<int64_t> picked = to(at, DType::i64).to_vector<int64_t>();
    std::vector<float> rows = grad.to_vector<float>();
    for (size_t k = 0; k < picked.size(); ++k) {
      const auto count = static_cast<float>(std::ranges::count(picked, picked[k]));
      for (size_t c = 0; c < 8; ++c) rows[k * 8 + c] *= picked[k] == 2 ? 0 : 1 / count;
    }
    const std::vector<float> want = added_rows(zeros({7, 8}), at, Tensor::from(rows, {1000, 8}));
    for (const int threads : {1, 2, 7}) {
      set_num_threads(threads);
      EXPECT_EQ(embedding_dense_backward(grad, at, 7, 2, true).to_vector<float>(), want);
      EXPECT_EQ(fast(grad, at).to_vector<float>(), want);
    }
  }
  set_num_threads(before);
}

TEST(Put, compiled_functions_give_the_same_bits) {
  auto fast = compile([](const Tensor& x, const Tensor& at, const Tensor& source) {
    const Tensor y = index_add(exp(x), 0, at, source * 2);
    return std::vector<Tensor>{y * 3,
                               scatter_add(y, 1, remainder(to(abs(x) * 100, DType::i64), 5), x)};
  });
  for (const int64_t n : {6, 7, 30}) {
    const Tensor x = numbers({n, 5}), at = indices({11}, n), source = numbers({11, 5});
    const Tensor y = index_add(exp(x), 0, at, source * 2);
    const std::vector<Tensor> got = fast(x, at, source);
    EXPECT_EQ(got[0].to_vector<float>(), (y * 3).to_vector<float>());
    EXPECT_EQ(got[1].to_vector<float>(),
              scatter_add(y, 1, remainder(to(abs(x) * 100, DType::i64), 5), x).to_vector<float>());
  }
}

// All rows are added to the same row, because the index is expanded.
TEST(Put, an_index_that_is_the_same_for_all_adds_all) {
  const Tensor one = Tensor::from<int64_t>({2}, {1});
  const Tensor at = expand(one, {50}), x = zeros({4, 20}), source = numbers({50, 20});
  EXPECT_EQ(index_add(x, 0, at, source).to_vector<float>(), added_rows(x, contiguous(at), source));
  auto fast = compile([](const Tensor& a, const Tensor& b, const Tensor& c) {
    return index_add(a, 0, expand(b, {50}), c);
  });
  EXPECT_EQ(fast(x, one, source).to_vector<float>(), added_rows(x, contiguous(at), source));
}

TEST(Put, slices_are_reduced_as_their_elements_are) {
  using ops::ScatterReduction;
  for (const ScatterReduction how : {ScatterReduction::prod, ScatterReduction::mean,
                                     ScatterReduction::amax, ScatterReduction::amin}) {
    for (const bool include : {true, false}) {
      auto fast = compile([=](const Tensor& x, const Tensor& at, const Tensor& source) {
        return index_reduce(x, 0, at, source * 0.5, how, include) + 1;
      });
      for (const int64_t count : {5, 9, 700}) {
        const Tensor x = numbers({9, 7}), source = numbers({count, 7}), at = indices({count}, 9);
        const Tensor each = expand(unsqueeze(at, 1), {count, 7});
        EXPECT_EQ(fast(x, at, source).to_vector<float>(),
                  (scatter_reduce(x, 0, each, source * 0.5, how, include) + 1).to_vector<float>());
      }
    }
  }
}

TEST(Put, errors_name_the_index) {
  const Tensor x = zeros({4, 2}), source = ones({3, 2});
  const auto text_of = [&](const Tensor& at) {
    try {
      index_add(x, 0, at, source);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(text_of(Tensor::from<int64_t>({0, 4, 1}, {3}))
                .find("index_add: index 4 is out of range; needs 0 to 3"),
            std::string::npos);
  EXPECT_NE(text_of(Tensor::from<int64_t>({0, -1, 1}, {3})).find("index -1"), std::string::npos);
  EXPECT_NE(text_of(Tensor::from<float>({0, 1, 1}, {3})).find("must be i32 or i64"),
            std::string::npos);
  EXPECT_THROW(index_add(x, 0, Tensor::from<int64_t>({0, 1}, {2}), source), Error);
  EXPECT_THROW(scatter_add(x, 0, Tensor::from<int64_t>({0, 1}, {2}), source), Error);
  EXPECT_THROW(index_add(x, 0, Tensor::from<int64_t>({0, 1, 1}, {3}), to(source, DType::f64)),
               Error);
}

TEST(Put, errors_give_numbers_where_sizes_are_symbols) {
  auto fill =
      compile([](const Tensor& x, const Tensor& index) { return index_fill(x, 0, index, 1.0); },
              {.dynamic = true});
  const Tensor index = zeros({2, 5}, DType::i64);
  EXPECT_EQ(error_of([&] { (void)fill(ones({4, 3}), index); }),
            "index_fill: indices must have rank 1, got sizes [2, 5]; flatten them");
}

TEST(Put, tensors_without_dimensions) {
  const Tensor x = Tensor::from<float>({1.5F}, {}), one = Tensor::from<float>({2}, {});
  EXPECT_EQ(scatter_add(x, 0, Tensor::from<int64_t>({0}, {}), one).item<float>(), 3.5F);
  EXPECT_EQ(index_add(x, 0, Tensor::from<int64_t>({0}, {1}), one).item<float>(), 3.5F);
  EXPECT_THROW(scatter_add(x, 0, Tensor::from<int64_t>({1}, {}), one).item<float>(), Error);
}

}  // namespace
}  // namespace vitro
