// Operands that are constant along a row, or everywhere, compared with materialized ones.
#include <gtest/gtest.h>

#include "eager/eager.h"
#include "vitro/ops/all.h"

namespace vitro::eager {
namespace {

Tensor counted(std::initializer_list<int64_t> sizes, DType dtype) {
  Tensor t = Tensor::empty(sizes);
  float* data = t.data<float>();
  for (int64_t i = 0; i < t.numel().value(); ++i) data[i] = static_cast<float>(i % 23) / 4 - 2;
  return to(t, dtype);
}

void expect_same(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(got.dtype(), want.dtype());
  EXPECT_EQ(to(got, DType::f64).to_vector<double>(), to(want, DType::f64).to_vector<double>());
}

class Broadcast : public ::testing::TestWithParam<DType> {
 protected:
  void SetUp() override { init(); }
};

TEST_P(Broadcast, a_column_a_row_and_a_number_stand_beside_a_matrix) {
  for (const int64_t n : {1, 15, 16, 17, 700, 1200}) {
    const Tensor x = counted({5, n}, GetParam()), column = counted({5, 1}, DType::f32),
                 row = counted({n}, DType::f64), one = counted({}, DType::f32);
    const auto whole = [&](const Tensor& t) { return contiguous(expand(t, {5, n})); };
    expect_same(x * column, x * whole(column));
    expect_same(column - row, whole(column) - whole(row));
    expect_same(x + row, x + whole(row));
    expect_same(x * one, mul(x, one));
    expect_same(where(x > column, column, row),
                where(x > whole(column), whole(column), whole(row)));
    expect_same(clamp(x, column, 1), clamp(x, whole(column), whole(full({}, 1))));
  }
}

TEST_P(Broadcast, operands_of_one_dtype_stand_beside_each_other_in_many_rows) {
  for (const int64_t n : {1, 15, 16, 17, 40, 600}) {
    const DType dtype = GetParam();
    const Tensor x = counted({3, 5, n}, dtype), plane = counted({3, 1, 1}, dtype),
                 column = counted({5, 1}, dtype), row = counted({n}, dtype),
                 pairs = narrow(counted({3, 5, 2 * n}, dtype), 2, 0, n);
    const auto whole = [&](const Tensor& t) { return contiguous(expand(t, {3, 5, n})); };
    for (const Tensor& other : {plane, column, row, pairs}) {
      expect_same(x * other, x * whole(other));
      expect_same(other * x, whole(other) * x);
      expect_same(x < other, x < whole(other));
      expect_same(where(x > column, other, plane),
                  where(x > whole(column), whole(other), whole(plane)));
    }
    expect_same(column * row, select(whole(column), 0, 0) * select(whole(row), 0, 0));
  }
}

TEST_P(Broadcast, what_is_expanded_is_written_out) {
  for (const int64_t n : {1, 3, 64, 65, 1000, 5000}) {
    const Tensor column = counted({3, 1}, GetParam());
    const std::vector<double> got =
        to(contiguous(expand(column, {3, n})), DType::f64).to_vector<double>();
    const std::vector<double> values = to(column, DType::f64).to_vector<double>();
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], values[i / static_cast<size_t>(n)]) << i;
    }
  }
}

// The layout is PyTorch's: the first dimension is innermost, as in x, the only operand with the
// first and the last dimension; no operand orders these against the middle one.
TEST_P(Broadcast, dimensions_of_one_operand_keep_their_order_around_one_of_another) {
  const Tensor x = permute(counted({4, 1, 3}, GetParam()), {2, 1, 0});
  const Tensor y = counted({1, 5, 1}, GetParam());
  EXPECT_EQ(cat((x + y).strides()), "[1, 3, 15]");
  EXPECT_EQ(cat((y + x).strides()), "[1, 3, 15]");
}

// Transposes of matrices with one short side, such as channels by pixels.
TEST_P(Broadcast, a_narrow_matrix_is_turned_over) {
  for (const int64_t channels : {1, 2, 3, 7, 15, 16, 17, 65}) {
    for (const int64_t pixels : {8, 33, 2047, 2049, 5000}) {
      const Tensor x = counted({2, channels, pixels}, GetParam());
      const std::vector<double> values = to(x, DType::f64).to_vector<double>();
      const std::vector<double> got =
          to(contiguous(transpose(x, 1, 2)), DType::f64).to_vector<double>();
      for (size_t i = 0; i < got.size(); ++i) {
        const auto c = static_cast<size_t>(channels), p = static_cast<size_t>(pixels);
        const size_t image = i / (c * p), pixel = i / c % p, channel = i % c;
        ASSERT_EQ(got[i], values[(image * c + channel) * p + pixel]) << channels << " " << pixels;
      }
      expect_same(contiguous(transpose(contiguous(transpose(x, 1, 2)), 1, 2)), x);
    }
  }
}

TEST_P(Broadcast, elements_are_picked_along_any_dimension) {
  const Tensor x = counted({40, 30, 1}, GetParam());
  const Tensor at = Tensor::from<int64_t>({7, 0, 29, 29, 3}, {5});
  for (const Tensor& table : {x, transpose(counted({30, 40, 1}, GetParam()), 0, 1)}) {
    const Tensor got = index_select(table, 1, at);
    for (int64_t i = 0; i < 5; ++i) {
      const int64_t column = at.to_vector<int64_t>()[static_cast<size_t>(i)];
      expect_same(select(got, 1, i), select(table, 1, column));
    }
  }
}

TEST_P(Broadcast, an_index_for_each_element_picks_along_its_dimension) {
  for (const int64_t n : {5, 1030, 5000}) {
    const Tensor x = counted({7, n}, GetParam()), wide = counted({n, 7}, GetParam());
    Tensor at = Tensor::empty({7, n}, DType::i64);
    for (int64_t i = 0; i < 7 * n; ++i) at.data<int64_t>()[i] = i * 31 % n;
    const Tensor want = select(index_select(x, 1, select(at, 0, 3)), 0, 3);
    expect_same(select(gather(x, 1, at), 0, 3), want);
    expect_same(select(gather(t(wide), 1, at), 0, 3),
                select(index_select(t(wide), 1, select(at, 0, 3)), 0, 3));
    expect_same(select(gather(wide, 0, t(at)), 1, 3), select(gather(t(wide), 1, at), 0, 3));
  }
}

TEST_P(Broadcast, an_index_out_of_range_is_found_at_every_place) {
  for (const int64_t n : {1, 15, 16, 17, 40}) {
    const Tensor x = counted({1, n}, GetParam());
    for (const int64_t wrong : {int64_t{-1}, n, INT64_MIN, INT64_MAX}) {
      for (int64_t place = 0; place < n; ++place) {
        const Tensor at = zeros({1, n}, DType::i64);
        at.data<int64_t>()[place] = wrong;
        EXPECT_THROW((void)gather(x, 1, at), Error);
        EXPECT_THROW((void)index_select(x, 1, select(at, 0, 0)), Error);
      }
    }
  }
}

TEST_P(Broadcast, parts_of_any_width_are_joined_in_their_order) {
  for (const int64_t rows : {1, 3, 4000}) {
    std::vector<Tensor> parts;
    for (const int64_t width : {40, 0, 1, 33, 8, 100})
      parts.push_back(counted({rows, width, 2}, GetParam()));
    const Tensor whole = cat(parts, 1);
    int64_t at = 0;
    for (const Tensor& part : parts) {
      const int64_t width = part.size(1).value();
      expect_same(contiguous(slice(whole, 1, at, at + width)), part);
      at += width;
    }
    parts[3] = transpose(contiguous(transpose(parts[3], 0, 2)), 0, 2);
    expect_same(cat(parts, 1), whole);
  }
}

TEST_P(Broadcast, what_is_reduced_across_memory_is_reduced_in_the_order_of_its_rows) {
  for (const int64_t n : {7, 64, 5000}) {
    const Tensor x = t(counted({n, 70}, GetParam())), dense = contiguous(x);
    expect_same(sum(x, {1}), sum(dense, {1}));
    expect_same(argmax(x, 1), argmax(dense, 1));
    expect_same(amax(x, {1}), amax(dense, {1}));
  }
}

TEST_P(Broadcast, composites_with_a_body_give_the_bits_of_their_programs) {
  const DType dtype = GetParam();
  const Tensor x = counted({90, 100}, dtype), y = counted({100}, DType::f32),
               z = to(y * 1.37, dtype);
  for (const Tensor& other : {y, z, t(contiguous(t(expand(z, {90, 100}))))}) {
    const Scalar alpha = is_floating(dtype) ? Scalar(-0.7) : Scalar(3);
    const DType common = (x + other).dtype();
    const Tensor scaled = to(other, common) * full({}, alpha, common);  // alpha is rounded too
    expect_same(add(x, other, alpha), x + scaled);
    expect_same(sub(other, x, 3), other - to(x, common) * 3);
  }
  if (dtype != DType::f32 && dtype != DType::f64) return;
  const Tensor odd = x * 1.37;
  for (const Scalar& three : {Scalar(3), Scalar(3.0)})
    expect_same(pow(odd, three), odd * odd * odd);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, Broadcast,
                         ::testing::Values(DType::f32, DType::f64, DType::f16, DType::bf16,
                                           DType::i64, DType::i32));

}  // namespace
}  // namespace vitro::eager
