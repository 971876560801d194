// Ops whose kernel is a user function: eager, captured, and compiled between generated kernels.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>

#include "error_of.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"
#include "vitro/ops/definition.h"

namespace vitro {
namespace {

std::atomic<int> calls = 0;

// y[i] = x[i] + decay * y[i - 1] along the rows of a matrix; the library has no such op.
struct Decaying {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr std::string_view name = "decaying",
                                    doc = "Running sums along rows with exponential decay.";
  static constexpr std::string_view signatures = "(Tensor self, Scalar decay) -> Tensor";
  static constexpr int arity = 2;
  static void shape(ShapeCall& call) {
    const TensorMeta& x = *call.operands[0].meta;
    VITRO_CHECK(x.dtype == DType::f32 && x.rank() == 2, "decaying: takes a matrix of f32");
    call.results.push_back(ops::dense(x.dtype, x.device, x.sizes));
  }
  static void kernel(const OpaqueCall& call) {
    ++calls;
    const OpaqueTensor &x = call.operands[0].tensor, &y = call.results[0];
    const double decay = call.operands[1].number.as_double();
    VITRO_CHECK(decay < 1, "decaying: needs a decay below 1, got ", decay);
    for (int64_t row = 0; row < x.sizes[0]; ++row) {
      double sum = 0;
      for (int64_t i = 0; i < x.sizes[1]; ++i) {
        const int64_t from = row * x.strides[0] + i * x.strides[1];
        sum = static_cast<const float*>(x.data)[from] + decay * sum;
        static_cast<float*>(y.data)[row * y.strides[0] + i * y.strides[1]] =
            static_cast<float>(sum);
      }
    }
  }
};
constexpr ops::PointwiseFunction<Decaying> decaying;

// 1, 2, 3 ... as many as the shorter side of a matrix has.
struct AlongShorter {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr std::string_view name = "along_shorter",
                                    doc = "Numbers from 1 along the shorter side of a matrix.";
  static constexpr std::string_view signatures = "(Tensor self) -> Tensor";
  static constexpr int arity = 1;
  static void shape(ShapeCall& call) {
    const TensorMeta& x = *call.operands[0].meta;
    call.results.push_back(ops::dense(DType::f32, x.device, {min(x.sizes[0], x.sizes[1])}));
  }
  static void kernel(const OpaqueCall& call) {
    const OpaqueTensor& y = call.results[0];
    for (int64_t i = 0; i < y.sizes[0]; ++i)
      static_cast<float*>(y.data)[i] = static_cast<float>(i + 1);
  }
};
constexpr ops::PointwiseFunction<AlongShorter> along_shorter;

// The maximum of each row, its index, and the row divided by it: three results.
struct Peak {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr std::string_view
      name = "peak",
      doc = "The maximum of each row, its index, and the row divided by it.";
  static constexpr std::string_view signatures =
      "(Tensor self) -> (Tensor values, Tensor indices, Tensor scaled)";
  static constexpr int arity = 1;
  static void shape(ShapeCall& call) {
    const TensorMeta& x = *call.operands[0].meta;
    VITRO_CHECK(x.dtype == DType::f32 && x.rank() == 2, "peak: takes a matrix of f32");
    call.results.push_back(ops::dense(DType::f32, x.device, {x.sizes[0]}));
    call.results.push_back(ops::dense(DType::i64, x.device, {x.sizes[0]}));
    call.results.push_back(ops::dense(DType::f32, x.device, x.sizes));
  }
  static void kernel(const OpaqueCall& call) {
    ++calls;
    const OpaqueTensor &x = call.operands[0].tensor, &scaled = call.results[2];
    const auto* in = static_cast<const float*>(x.data);
    for (int64_t row = 0; row < x.sizes[0]; ++row) {
      const auto at = [&](const OpaqueTensor& t, int64_t i) {
        return row * t.strides[0] + i * t.strides[1];
      };
      int64_t best = 0;
      for (int64_t i = 1; i < x.sizes[1]; ++i) {
        if (in[at(x, i)] > in[at(x, best)]) best = i;
      }
      const float most = in[at(x, best)];
      static_cast<float*>(call.results[0].data)[row * call.results[0].strides[0]] = most;
      static_cast<int64_t*>(call.results[1].data)[row * call.results[1].strides[0]] = best;
      for (int64_t i = 0; i < x.sizes[1]; ++i)
        static_cast<float*>(scaled.data)[at(scaled, i)] = in[at(x, i)] / most;
    }
  }
};
std::array<Tensor, 3> peak(ops::At x) {
  std::array<Tensor, 3> results;
  vitro::call(OpCall{&ops::def<Peak>(), {&x.operand, 1}, {}, false, x.where}, results);
  return results;
}

// For each element of x, the number of elements of an ascending row that are less than it (`right`:
// not greater), by binary search. Has attributes and takes any dtype.
struct SearchedAttrs {
  bool right = false;
  static constexpr void each(auto&& f) { f("right", &SearchedAttrs::right); }
};
struct Searched {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr std::string_view
      name = "searched",
      doc = "Positions of numbers in an ascending row, by binary search.";
  static constexpr std::string_view signatures =
      "(Tensor row, Tensor self, *, bool right=False) -> Tensor";
  static constexpr int arity = 2;
  using Attrs = SearchedAttrs;
  static constexpr std::string_view not_differentiable = "its result is an integer";
  static void shape(ShapeCall& call) {
    const TensorMeta &row = *call.operands[0].meta, &x = *call.operands[1].meta;
    VITRO_CHECK(row.rank() == 1 && row.dtype == x.dtype, "searched: takes a row of ", x.dtype,
                ", got ", row.dtype, " of sizes ", row.sizes);
    call.results.push_back(ops::dense(DType::i64, x.device, x.sizes));
  }
  static void kernel(const OpaqueCall& call) {
    const OpaqueTensor &row = call.operands[0].tensor, &x = call.operands[1].tensor;
    dispatch(row.dtype, [&]<class T>() { search<T>(row, x, call); });
  }
  template <class T>
  static void search(const OpaqueTensor& row, const OpaqueTensor& x, const OpaqueCall& call) {
    const bool right = call.attrs.as<Attrs>().right;
    const OpaqueTensor& y = call.results[0];
    for (int64_t i = 0; i < x.sizes[0]; ++i) {
      using Number = std::conditional_t<std::is_arithmetic_v<T>, T, float>;  // f16, bf16: as f32
      const auto wanted = static_cast<Number>(static_cast<const T*>(x.data)[i * x.strides[0]]);
      int64_t begin = 0, end = row.sizes[0];
      while (begin < end) {
        const int64_t middle = (begin + end) / 2;
        const auto there =
            static_cast<Number>(static_cast<const T*>(row.data)[middle * row.strides[0]]);
        const bool before = right ? !(wanted < there) : there < wanted;
        (before ? begin : end) = before ? middle + 1 : middle;
      }
      static_cast<int64_t*>(y.data)[i * y.strides[0]] = begin;
    }
  }
};
Tensor searched(ops::At row, const Tensor& x, bool right = false) {
  return ops::call<Searched>(row.where, {row.operand, x}, {right});
}

Tensor matrix(int64_t rows, int64_t columns, double step = 0.37) {
  return reshape(to(arange(rows * columns), DType::f32) * step - 2.0, {rows, columns});
}

std::vector<float> expected(const std::vector<float>& x, size_t columns, double decay) {
  std::vector<float> out;
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    sum = x[i] + (i % columns == 0 ? 0 : decay * sum);
    out.push_back(static_cast<float>(sum));
  }
  return out;
}

TEST(Opaque, runs_eagerly_on_any_layout) {
  const Tensor x = matrix(3, 5);
  EXPECT_EQ(decaying(x, 0.5).to_vector<float>(), expected(x.to_vector<float>(), 5, 0.5));
  const Tensor turned = t(matrix(5, 3));
  EXPECT_EQ(decaying(turned, 0.5).to_vector<float>(), expected(turned.to_vector<float>(), 5, 0.5));
  EXPECT_EQ(error_of([&] { decaying(x, 2.0); }), "decaying: needs a decay below 1, got 2.0");
}

TEST(Opaque, has_attributes_and_any_dtype) {
  for (const DType dtype : {DType::f32, DType::f16, DType::i32, DType::u8}) {
    SCOPED_TRACE(cat(dtype));
    const Tensor row = to(Tensor::from<int64_t>({1, 3, 3, 7}, {4}), dtype);
    const Tensor x = to(Tensor::from<int64_t>({0, 1, 3, 5, 9}, {5}), dtype);
    for (const bool right : {false, true}) {
      const auto f = [right](const Tensor& a, const Tensor& b) {
        return searched(a, b + 0, right) * 2;
      };
      const auto fast = compile(f);
      const std::vector<int64_t> want =
          right ? std::vector<int64_t>{0, 2, 6, 6, 8} : std::vector<int64_t>{0, 0, 2, 6, 8};
      EXPECT_EQ(f(row, x).to_vector<int64_t>(), want);
      EXPECT_EQ(fast(row, x).to_vector<int64_t>(), want);
      EXPECT_TRUE(fast.report().segments[0].compiled) << fast.report().segments[0].why_not;
    }
  }
}

TEST(Opaque, is_compiled_between_generated_kernels) {
  const auto f = [](const Tensor& x) { return relu(decaying(exp(x * 0.1) - 1.0, 0.25)) + x; };
  const auto fast = compile(f);
  const Tensor x = matrix(4, 6);
  const int before = calls;
  const std::vector<float> want = f(x).to_vector<float>();
  EXPECT_EQ(calls, before + 1);
  EXPECT_EQ(fast(x).to_vector<float>(), want);
  EXPECT_EQ(calls, before + 2);
  EXPECT_EQ(fast(x).to_vector<float>(), want);
  EXPECT_EQ(calls, before + 3);
  const CompiledReport report = fast.report();
  ASSERT_EQ(report.segments.size(), 1U);
  EXPECT_TRUE(report.segments[0].compiled);
  EXPECT_EQ(report.segments[0].kernels, 3) << "one before it, itself, one after it";
}

TEST(Opaque, gets_views_as_memory_and_sizes_that_vary) {
  const auto f = [](const Tensor& x, const Tensor& w) {
    return mm(decaying(t(x), 0.5), w) + sum(decaying(slice(x, 0, 1, 3) + 0.0, 0.125));
  };
  const auto fast = compile(f);
  for (const int64_t n : {4, 9, 16, 33}) {
    const Tensor x = matrix(n, 7), w = matrix(n, 3, 0.01);
    EXPECT_EQ(fast(x, w).to_vector<float>(), f(x, w).to_vector<float>()) << n;
  }
}

// The graphs for a size that is min(rows, columns), once equal to the columns and once broadcast,
// have the same text, and so the same plan if conditions do not tell them apart.
TEST(Opaque, gives_a_size_that_is_broadcast_where_it_is_1) {
  const auto f = [](const Tensor& x) { return x + along_shorter(x); };
  auto fast = compile(f, {.dynamic = true});
  for (const int64_t rows : {128, 65, 1, 40}) {
    const Tensor x = slice(reshape(arange(rows * 66, DType::f32), {rows, 66}), 1, 0, 66, 2);
    EXPECT_EQ(reshape(fast(x), {-1}).to_vector<float>(), reshape(f(x), {-1}).to_vector<float>())
        << rows;
  }
}

TEST(Opaque, gives_several_results_between_generated_kernels) {
  const auto f = [](const Tensor& x) {
    const auto [values, indices, scaled] = peak(exp(sin(x)));
    return std::tuple(values * 2.0, indices, sum(scaled, 1) + to(indices, DType::f32));
  };
  const auto fast = compile(f);
  for (const int64_t n : {4, 4, 9, 30}) {
    const Tensor x = matrix(n, 7);
    const auto [a, b, c] = f(x);
    const int before = calls;
    const auto [d, e, g] = fast(x);
    EXPECT_EQ(d.to_vector<float>(), a.to_vector<float>()) << n;
    EXPECT_EQ(e.to_vector<int64_t>(), b.to_vector<int64_t>()) << n;
    EXPECT_EQ(g.to_vector<float>(), c.to_vector<float>()) << n;
    EXPECT_EQ(calls, before + 1) << "one call gives all of them";
  }
  EXPECT_TRUE(fast.report().segments[0].compiled) << fast.report().segments[0].why_not;
}

TEST(Opaque, writes_results_that_nobody_uses_into_memory_of_their_own) {
  for (const int used : {0, 1, 2}) {
    const auto f = [used](const Tensor& x) {
      return to(peak(relu(x) + 1.0)[static_cast<size_t>(used)], DType::f32) + 0.5;
    };
    const auto fast = compile(f);
    const Tensor x = matrix(5, 3);
    EXPECT_EQ(fast(x).to_vector<float>(), f(x).to_vector<float>()) << used;
    EXPECT_TRUE(fast.report().segments[0].compiled) << fast.report().segments[0].why_not;
  }
}

TEST(Opaque, takes_and_gives_tensors_without_elements) {
  // the first result is empty, the others are not
  const auto unused = [](const Tensor& x) { return linalg_svdvals(x * 2.0) + 1.0; };
  const auto empty = [](const Tensor& x) {
    const auto [q, r] = linalg_qr(x + 1.0, "r");
    return std::pair(q * 2.0, r * 2.0);
  };
  // so are the operand and all results but one
  const auto nothing = [](const Tensor& x) {
    const Tensor none = slice(x, 1, 0, 0) + 1.0;
    const auto [lu, pivots, info] = linalg_lu_factor_ex(none);
    return std::tuple(lu + 1.0, pivots, info + 1);
  };
  const auto searched_in_none = [](const Tensor& x) {
    return searched(slice(reshape(x, {-1}), 0, 0, 0) + 0.0, reshape(x, {-1})) + 1;
  };
  const Tensor x = matrix(4, 3);
  const auto fast_unused = compile(unused);
  EXPECT_EQ(fast_unused(x).to_vector<float>(), unused(x).to_vector<float>());
  EXPECT_TRUE(fast_unused.report().segments[0].compiled);
  const auto fast_empty = compile(empty);
  EXPECT_EQ(fast_empty(x).first.sizes(), empty(x).first.sizes());
  EXPECT_EQ(fast_empty(x).second.to_vector<float>(), empty(x).second.to_vector<float>());
  EXPECT_TRUE(fast_empty.report().segments[0].compiled);
  const auto fast_nothing = compile(nothing);
  EXPECT_EQ(std::get<0>(fast_nothing(x)).sizes(), std::get<0>(nothing(x)).sizes());
  EXPECT_EQ(std::get<1>(fast_nothing(x)).sizes(), std::get<1>(nothing(x)).sizes());
  EXPECT_EQ(std::get<2>(fast_nothing(x)).item<int32_t>(), 1);
  EXPECT_TRUE(fast_nothing.report().segments[0].compiled);
  const auto fast_searched = compile(searched_in_none);
  EXPECT_EQ(fast_searched(x).to_vector<int64_t>(), std::vector<int64_t>(12, 1));
  EXPECT_TRUE(fast_searched.report().segments[0].compiled);
}

TEST(Opaque, a_mistake_that_its_kernel_finds_reaches_the_caller_of_a_compiled_function) {
  const auto fast = compile([](const Tensor& x) { return decaying(x + 1.0, 3.0) * 2.0; });
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(error_of([&] { (void)fast(matrix(2, 2)).to_vector<float>(); }),
              "decaying: needs a decay below 1, got 3.0");
  }
}

}  // namespace
}  // namespace vitro
