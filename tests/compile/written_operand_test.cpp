// Kernels that read a tensor which the program overwrites afterwards.
#include <gtest/gtest.h>

#include <functional>

#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

using Body = std::function<std::vector<Tensor>(const Tensor& x, const Tensor& written)>;

Tensor numbers(const Sizes& sizes, double scale) {
  return sin(view(to(arange(0, product(sizes)), DType::f32), sizes) * scale);
}

// Compiled gives eager's results and writes the same values.
void expect_same(const Sizes& sizes, const Body& body) {
  init();
  auto fast = compile([&](const Tensor& x, const Tensor& written) { return body(x, written); });
  const Tensor x = numbers({16, 3, 17}, 0.37);
  for (int call = 0; call < 3; ++call) {
    const Tensor want = numbers(sizes, 0.9), got = numbers(sizes, 0.9);
    const std::vector<Tensor> wanted = body(x, want), made = fast(x, got);
    ASSERT_EQ(made.size(), wanted.size());
    for (size_t i = 0; i < made.size(); ++i)
      EXPECT_EQ(made[i].to_vector<float>(), wanted[i].to_vector<float>()) << "result " << i;
    EXPECT_EQ(got.to_vector<float>(), want.to_vector<float>());
  }
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

TEST(WrittenOperand, a_mask_is_written_after_attention_has_read_it) {
  expect_same({1, 3}, [](const Tensor& x, const Tensor& mask) {
    const Tensor mixed = scaled_dot_product_attention(x, x, x, mask);
    const Tensor before = cosh(mask);
    sinh_(mask);
    return std::vector<Tensor>{mixed - x, before};
  });
}

TEST(WrittenOperand, a_mask_is_written_in_part_and_read_again) {
  expect_same({3, 17}, [](const Tensor& x, const Tensor& mask) {
    const Tensor weights = softmax(bmm(x, transpose(x, 1, 2)) + slice(mask, 1, 0, 3), -1);
    mul_(select(mask, 0, 1), 3.0);
    const Tensor mixed = bmm(weights, expand(mask, {16, 3, 17}));
    return std::vector<Tensor>{mixed, exp(mask)};
  });
}

// Attention multiplies blocks of rows one after another: all of them read keys, values and mask.
TEST(WrittenOperand, what_attention_reads_is_overwritten_with_its_result) {
  for (const Sizes& sizes : {Sizes{17, 16}, Sizes{70, 70}, Sizes{2, 3, 40, 40}}) {
    expect_same(sizes, [](const Tensor&, const Tensor& key) {
      const Tensor query = cos(key), value = exp(key);
      return std::vector<Tensor>{mul_(key, scaled_dot_product_attention(query, key, value))};
    });
    expect_same(sizes, [](const Tensor&, const Tensor& query) {
      const Tensor key = cos(query), value = exp(query);
      return std::vector<Tensor>{mul_(query, scaled_dot_product_attention(query, key, value))};
    });
    expect_same(sizes, [](const Tensor&, const Tensor& value) {
      const Tensor key = cos(value), query = exp(value);
      return std::vector<Tensor>{mul_(value, scaled_dot_product_attention(query, key, value))};
    });
    expect_same(sizes, [](const Tensor&, const Tensor& all) {
      return std::vector<Tensor>{mul_(all, scaled_dot_product_attention(all, all, all))};
    });
  }
  for (const Sizes& sizes : {Sizes{70, 70}, Sizes{2, 3, 40, 40}}) {
    expect_same(sizes, [](const Tensor&, const Tensor& mask) {
      const Tensor turned = cos(transpose(mask, -1, -2)), value = exp(mask);
      return std::vector<Tensor>{copy_(
          mask, scaled_dot_product_attention(turned, turned, value, transpose(mask, -1, -2)))};
    });
  }
}

// The indices of a gather are read from the tensor that is written, once for each sweep.
TEST(WrittenOperand, indices_are_read_in_every_sweep_before_they_are_written) {
  for (const Sizes& sizes : {Sizes{16}, Sizes{100}, Sizes{5, 40}}) {
    expect_same(sizes, [](const Tensor&, const Tensor& written) {
      const Tensor whole = to(written * 5.0, DType::i64);
      cos_(written);
      const Tensor at = remainder(whole, written.size(-1));
      const Tensor taken = gather(written, -1, at);
      const auto [normed, mean, rstd] = native_layer_norm(taken, {taken.size(-1)}, {}, {}, 1e-5);
      return std::vector<Tensor>{normed, mean, rstd, gather(written, -1, at) - written};
    });
  }
}

}  // namespace
}  // namespace vitro
