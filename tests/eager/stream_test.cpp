// Results written with streaming stores, past the caches, equal those written with ordinary stores.
#include "eager/stream.h"

#include <gtest/gtest.h>

#include <functional>

#include "eager/eager.h"
#include "runtime/options.h"
#include "vitro/ops/all.h"

namespace vitro::eager {
namespace {

class Stream : public ::testing::Test {
 protected:
  void SetUp() override { init(); }
  void TearDown() override { runtime::stream_mb.set(-1); }

  // Compares f with streaming of all results that may be streamed (of at least 1 MiB), and of none.
  static void expect_same(const std::function<Tensor()>& f) {
    runtime::stream_mb.set(0);
    const Tensor streamed = f();
    runtime::stream_mb.set(int64_t{1} << 40);
    const Tensor stored = f();
    ASSERT_EQ(streamed.dtype(), stored.dtype());
    EXPECT_EQ(to(streamed, DType::f64).to_vector<double>(),
              to(stored, DType::f64).to_vector<double>());
  }
};

Tensor counted(std::initializer_list<int64_t> sizes, DType dtype = DType::f32) {
  Tensor t = Tensor::empty(sizes);
  float* data = t.data<float>();
  for (int64_t i = 0; i < t.numel().value(); ++i) data[i] = static_cast<float>(i % 251) / 4;
  return to(t, dtype);
}

TEST_F(Stream, is_for_large_results_of_other_tensors) {
  const Tensor large = counted({600, 600}), small = counted({30, 30});
  const Tensor from[] = {large};
  runtime::stream_mb.set(2);
  EXPECT_TRUE(should_stream(counted({600, 600}), from, 360000));
  EXPECT_FALSE(should_stream(large, from, 360000)) << "in place";
  EXPECT_FALSE(should_stream(narrow(large, 0, 0, 500), from, 360000)) << "a part of an operand";
  EXPECT_FALSE(should_stream(small, {&small, 0}, 900));
  EXPECT_FALSE(should_stream(counted({600, 600}, DType::f64), from, 360000))
      << "more written than read";
  EXPECT_FALSE(should_stream(counted({600, 600}), from, 511))
      << "runs shorter than a streaming store";
  runtime::stream_mb.set(3);
  EXPECT_FALSE(should_stream(counted({600, 600}), from, 360000)) << "2.75 MiB are moved";
}

TEST_F(Stream, pointwise_of_every_dtype_and_offset) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64, DType::i32,
                            DType::i16, DType::u8}) {
    const Tensor x = counted({1031, 1033}, dtype), y = counted({1031, 1033}, dtype);
    expect_same([&] { return x + y; });
    for (const int64_t first : {1, 7, 16}) {
      expect_same([&] {
        Tensor out = counted({1031, 1100}, dtype);
        Tensor window = narrow(out, 1, first, 1033);
        copy_(window, x);
        return out;
      });
    }
  }
}

TEST_F(Stream, what_is_cast_broadcast_or_turned_on_the_way) {
  const Tensor x = counted({1029, 1027}), row = counted({1027}), column = counted({1029, 1});
  expect_same([&] { return to(to(x, DType::f64) * 2, DType::f32); });
  expect_same([&] { return to(x, DType::bf16) + to(x, DType::bf16); });
  expect_same([&] { return x + row * column; });
  expect_same([&] { return x + transpose(counted({1027, 1029}), 0, 1); });
  expect_same([&] { return transpose(x, 0, 1) * 3; });
  expect_same([&] { return tril(x); });
  expect_same([&] { return where(x > 100, x, row); });
  expect_same([&] { return clone(x); });
  expect_same([&] { return cat({x, x}, 1); });
}

TEST_F(Stream, rows_that_are_made_in_one_visit) {
  const Tensor x = counted({701, 1027}), weight = counted({1027}), bias = counted({1027});
  expect_same([&] { return softmax(x, 1); });
  expect_same([&] { return log_softmax(x, -1); });
  expect_same([&] { return layer_norm(x, {1027}, weight, bias); });
}

}  // namespace
}  // namespace vitro::eager
