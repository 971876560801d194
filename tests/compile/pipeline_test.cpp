// Compiled functions against eager: models, in-place writes, varying sizes, packed parameters.
#include "compile/pipeline.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/models/bert.h"
#include "vitro/models/gpt2.h"
#include "vitro/models/mlp.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

void expect_equal(const Tensor& got, const Tensor& want, float most = 0) {
  const std::vector<float> a = got.to_vector<float>(), b = want.to_vector<float>();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], most) << "element " << i;
}

TEST(Pipeline, a_compiled_function_gives_the_numbers_of_eager) {
  init();
  const auto f = [](const Tensor& x, const Tensor& y) { return softmax(x * y + sin(x), -1); };
  auto fast = compile(f);
  const Tensor x = nn::normal({37, 100}, 0, 1), y = nn::normal({37, 100}, 0, 1);
  for (int call = 0; call < 3; ++call) expect_equal(fast(x, y), f(x, y));
}

TEST(Pipeline, a_multi_layer_perceptron) {
  init();
  models::Mlp model{784, 128, 10};
  auto fast = compile(std::ref(model), {.exact = true});
  const Tensor x = nn::normal({64, 784}, 0, 1);
  for (int call = 0; call < 3; ++call) expect_equal(fast(x), model(x));
}

TEST(Pipeline, a_bert) {
  init();
  models::BertConfig config = models::BertConfig::mini_lm_l6();
  models::Bert model(config);
  auto fast = compile([&](const Tensor& ids) { return model(ids); });
  std::vector<int64_t> ids(24);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int64_t>(i * 7919 + 101) % 30522;
  const Tensor input = Tensor::from(ids, {1, 24});
  for (int call = 0; call < 2; ++call) expect_equal(fast(input), model(input), 1e-5F);
}

TEST(Pipeline, what_is_written_in_place_is_seen_outside) {
  init();
  auto fast = compile([](const Tensor& x) {
    add_(x, 1);
    mul_(x, x);
    return sum(x);
  });
  const Tensor x = Tensor::from({1.0F, 2.0F, 3.0F}, {3});
  EXPECT_EQ(fast(x).item<float>(), 4 + 9 + 16);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{4, 9, 16}));
}

TEST(Pipeline, sizes_that_vary_need_no_third_compilation) {
  init();
  const auto f = [](const Tensor& x) { return gelu(x - mean(x, {-1}, true)); };
  auto fast = compile(f);
  for (const int64_t rows : {4, 9, 13, 30}) {
    const Tensor x = nn::normal({rows, 33}, 0, 1);
    expect_equal(fast(x), f(x));
  }
}

TEST(Pipeline, a_parameter_that_changes_is_packed_again) {
  init();
  Tensor weight = nn::normal({48, 32}, 0, 1);
  weight.set_parameter(true);
  auto fast = compile([&](const Tensor& x) { return linear(x, weight); });
  const Tensor x = nn::normal({5, 32}, 0, 1);
  for (int step = 0; step < 3; ++step) {
    expect_equal(fast(x), linear(x, weight));
    mul_(weight, 0.5);
  }
}

TEST(Pipeline, a_parameter_whose_pointer_was_handed_out_is_packed_for_each_call) {
  init();
  Tensor weight = nn::normal({48, 32}, 0, 1);
  weight.set_parameter(true);
  auto fast = compile([&](const Tensor& x) { return linear(x, weight); });
  const Tensor x = nn::normal({5, 32}, 0, 1);
  auto* elements = weight.data<float>();
  for (int step = 0; step < 3; ++step) {
    expect_equal(fast(x), linear(x, weight));
    elements[step] += 1;
  }
}

TEST(Pipeline, a_product_may_overwrite_an_operand_that_it_reads_where_it_lies) {
  init();
  const auto f = [](const Tensor& x, Tensor w) {
    copy_(w, mm(x, w));
    return w + 1;
  };
  auto fast = compile(f);
  const Tensor x = nn::normal({200, 200}, 0, 1), w = nn::normal({200, 200}, 0, 1), again = clone(w);
  for (int step = 0; step < 2; ++step) {
    expect_equal(fast(x, w), f(x, again));
    expect_equal(w, again);
  }
}

TEST(Pipeline, a_transpose_may_overwrite_what_another_result_reads) {
  init();
  const auto f = [](Tensor x, const Tensor& y) {
    const Tensor before = x * 2;
    copy_(x, t(y));
    return before;
  };
  auto fast = compile(f);
  using Shape = std::pair<int64_t, int64_t>;
  for (const auto& [rows, columns] : {Shape(64, 64), Shape(100, 70), Shape(77, 5), Shape(500, 3)}) {
    const Tensor x = nn::normal({rows, columns}, 0, 1), again = clone(x),
                 y = nn::normal({columns, rows}, 0, 1);
    expect_equal(fast(x, y), f(again, y));
    expect_equal(x, again);
  }
}

TEST(Pipeline, nothing_falls_back_to_eager) {
  init();
  auto fast = compile([](const Tensor& x) { return layer_norm(gelu(x), {64}, {}, {}, 1e-5); });
  (void)fast(nn::normal({8, 64}, 0, 1)).to_vector<float>();
  EXPECT_TRUE(fast.report().fallbacks.empty());
  EXPECT_TRUE(fast.report().breaks.empty());
}

}  // namespace
}  // namespace vitro
