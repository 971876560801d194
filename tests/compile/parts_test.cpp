// Compiled functions on machines whose AMX tiles multiply parts of bf16: the option that forbids
// it, threads, weights that change, rows that vary, elements that are not finite. On other machines
// the results have the bits of eager.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/machine.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

struct Layers {
  Tensor w = nn::normal({300, 200}, 0, 0.07), bias = nn::normal({300}, 0, 1),
         last = nn::normal({150, 300, 1, 1}, 0, 0.06);
  Layers() {
    for (Tensor* t : {&w, &bias, &last}) t->set_parameter(true);
  }
  Tensor operator()(const Tensor& x) const { return gelu(linear(x, w, bias)) + 0.5; }
};

std::vector<float> values(const Tensor& t) {
  return contiguous(t).to_vector<float>();
}

void expect_near(const Tensor& got, const Tensor& want) {
  EXPECT_EQ(cat(got.sizes(), got.strides()), cat(want.sizes(), want.strides()));
  if (!kernels::machine_has_bf16_tiles()) EXPECT_EQ(values(got), values(want));
  const double root = std::sqrt(mean(mul(want, want)).item<double>());
  EXPECT_LE(amax(abs(sub(got, want))).item<double>(), 1e-5 * root);
}

TEST(PartsCall, has_other_bits_only_without_the_option_exact_and_on_machines_with_tiles) {
  init();
  const Layers layers;
  const auto model = [&](const Tensor& x) { return layers(x); };
  const Tensor x = nn::normal({100, 200}, 0, 1), want = model(x), got = compile(model)(x);
  expect_near(got, want);
  EXPECT_EQ(values(got) != values(want), kernels::machine_has_bf16_tiles());
  EXPECT_EQ(values(compile(model, {.exact = true})(x)), values(want));
}

TEST(PartsCall, has_the_same_bits_on_any_number_of_threads) {
  init();
  const Layers layers;
  const auto model = [&](const Tensor& x) { return layers(x); };
  auto fast = compile(model);
  Tensor x = nn::normal({333, 200}, 0, 1);
  const int before = num_threads();
  for (const float special : {1.0F, std::numeric_limits<float>::infinity()}) {
    x.data<float>()[100 * 200 + 7] = special;
    set_num_threads(1);
    const Tensor one = fast(x);
    for (const int threads : {2, 3, 8}) {
      set_num_threads(threads);
      const Tensor same =
          logical_or(eq(fast(x), one), logical_and(ne(fast(x), fast(x)), ne(one, one)));
      EXPECT_TRUE(all(same).item<bool>()) << threads;
    }
  }
  set_num_threads(before);
}

TEST(PartsCall, takes_any_number_of_rows) {
  init();
  const Layers layers;
  const auto model = [&](const Tensor& x) { return layers(x); };
  auto fast = compile(model);
  for (const int64_t rows : {100, 100, 3, 64, 257, 1, 0}) {
    const Tensor x = nn::normal({rows, 200}, 0, 1);
    if (rows == 0) {
      EXPECT_EQ(cat(fast(x).sizes()), "[0, 300]");
    } else {
      expect_near(fast(x), model(x));
    }
  }
}

TEST(PartsCall, sees_weights_that_change) {
  init();
  Layers layers;
  const auto model = [&](const Tensor& x) { return layers(x); };
  auto fast = compile(model);
  const Tensor x = nn::normal({100, 200}, 0, 1);
  expect_near(fast(x), model(x));
  mul_(layers.w, 2);
  expect_near(fast(x), model(x));
  layers.w = nn::normal({300, 200}, 0, 0.07);
  layers.w.set_parameter(true);
  expect_near(fast(x), model(x));
}

TEST(PartsCall, computes_convolutions_of_single_positions) {
  init();
  Layers layers;
  const auto model = [&](const Tensor& x) { return relu(conv2d(x, layers.last)); };
  auto fast = compile(model);
  Tensor x = nn::normal({2, 300, 24, 25}, 0, 1);
  expect_near(fast(x), model(x));
  mul_(layers.last, -1);
  expect_near(fast(x), model(x));
  EXPECT_EQ(values(compile(model, {.exact = true})(x)), values(model(x)));
}

TEST(PartsCall, computes_convolutions_of_windows) {
  init();
  Tensor w = nn::normal({96, 64, 3, 3}, 0, 0.04), first = nn::normal({64, 3, 7, 7}, 0, 0.1),
         scale = nn::normal({96}, 1, 0.1), shift = nn::normal({96}, 0, 1);
  for (Tensor* t : {&w, &first, &scale, &shift}) t->set_parameter(true);
  const auto model = [&](const Tensor& x) {
    const Tensor stem = relu(conv2d(x, first, {}, {.stride = 2, .padding = 3}));
    const Tensor down = conv2d(stem, w, {}, {.stride = 2, .padding = 1});
    return stack({relu(down * view(scale, {96, 1, 1}) + view(shift, {96, 1, 1})),
                  sigmoid(conv2d(stem, w, shift, {.stride = 2, .padding = 2, .dilation = 2}))});
  };
  auto fast = compile(model);
  const Tensor x = nn::normal({2, 3, 90, 70}, 0, 1);
  expect_near(fast(x), model(x));
  mul_(w, -0.5);
  expect_near(fast(x), model(x));
  EXPECT_EQ(values(compile(model, {.exact = true})(x)), values(model(x)));
  const int before = num_threads();
  set_num_threads(1);
  const std::vector<float> one = values(fast(x));
  for (const int threads : {2, 3, 8}) {
    set_num_threads(threads);
    EXPECT_EQ(values(fast(x)), one) << threads;
  }
  set_num_threads(before);
}

TEST(PartsCall, passes_on_what_is_not_finite) {
  init();
  Layers layers;
  const auto model = [&](const Tensor& x) { return linear(x, layers.w); };
  auto fast = compile(model);
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float special : {infinity, -infinity, std::nanf("")}) {
    Tensor x = nn::normal({100, 200}, 0, 1);
    x.data<float>()[7 * 200 + 100] = special;
    const std::vector<float> got = values(fast(x)), want = values(model(x));
    for (size_t i = 0; i < got.size(); ++i) {
      if (std::isfinite(want[i])) {
        EXPECT_NEAR(got[i], want[i], 1e-4);
      } else {
        EXPECT_TRUE(got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) << i;
      }
    }
  }
}

}  // namespace
}  // namespace vitro
