// Functions that are written with ops, before and after eager compiles them.
#include "compile/regions.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "vitro/compile/compile.h"
#include "vitro/runtime/memory.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

// While it lives, a region is compiled when it has moved this much.
class After {
 public:
  explicit After(int64_t kb) : before_(pipeline::region_kb.get()) { pipeline::region_kb.set(kb); }
  ~After() { pipeline::region_kb.set(before_); }

 private:
  int64_t before_;
};
constexpr int64_t never = -1, at_once = 0;

using Run = std::function<Tensor()>;

Tensor numbers(Sizes sizes, DType dtype = DType::f32) {
  Size count = 1;
  for (const Size size : sizes) count = count * size;
  return reshape(to(sin(to(arange(count), DType::f64) * 0.7) * 3, dtype), sizes);
}

// Expects the bits, the dtype and the layout of the ops one by one; also of other sizes.
void expect_same(const Run& run) {
  Tensor wanted, got;
  {
    const After kb(never);
    wanted = run();
  }
  {
    const After kb(at_once);
    for (int i = 0; i < 2; ++i) got = run();
  }
  ASSERT_EQ(got.dtype(), wanted.dtype());
  ASSERT_EQ(got.sizes(), wanted.sizes());
  EXPECT_EQ(got.strides(), wanted.strides());
  const Tensor a = contiguous(got), b = contiguous(wanted);
  const auto bytes = static_cast<size_t>(a.numel().value() * bytes_of(a.dtype()));
  EXPECT_EQ(std::memcmp(a.const_data(), b.const_data(), bytes), 0);
}

int64_t allocations(const Run& run) {
  const int64_t before = memory_stats().allocations;
  (void)run();
  return memory_stats().allocations - before;
}

TEST(Region, has_the_bits_of_its_ops_in_every_dtype) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    for (const int64_t n : {3, 7, 70}) {
      const Tensor x = numbers({2, n}, dtype), y = numbers({n}, dtype);
      expect_same([&] { return hardswish(x); });
      expect_same([&] { return lerp(x, x * 2, y); });
      expect_same([&] { return prelu(x, to(numbers({1}), dtype)); });
      expect_same([&] { return linalg_vector_norm(x, 2, {1}); });
      expect_same([&] { return huber_loss(x, x * 3); });
      expect_same([&] { return addcmul(x, y, x, 0.25); });
    }
  }
}

TEST(Region, keeps_the_layout_of_images) {
  const Tensor x = numbers({2, 8, 6, 10}), weight = numbers({8});
  for (const Tensor& image : {x, contiguous(permute(x, {0, 2, 3, 1})), slice(x, 3, 0, 10, 2)}) {
    const Tensor i = image.size(1).value() == 8 ? image : permute(image, {0, 3, 1, 2});
    expect_same([&] { return interpolate(i, {.scale_factor = {2, 2}, .mode = "bilinear"}); });
    expect_same([&] { return interpolate(i, {.size = {3, 5}, .mode = "bicubic"}); });
    expect_same([&] { return group_norm(i, 4, weight, weight); });
    expect_same([&] { return avg_pool2d(i, 5, 1); });
    expect_same([&] { return adaptive_avg_pool2d(i, {3, 2}); });
    expect_same([&] { return batch_norm(i, weight, {}, weight, abs(weight), false, 0.1, 1e-5); });
  }
}

TEST(Region, of_complex_numbers_has_the_bits_of_its_ops) {
  const Tensor z = complex(numbers({5, 7}), numbers({5, 7}) * 0.5);
  expect_same([&] { return view_as_real(exp(z)); });
  expect_same([&] { return abs(z); });
  expect_same([&] { return view_as_real(z * z / (z + 1)); });
}

TEST(Region, writes_what_its_ops_write) {
  const Tensor x = numbers({4, 3, 5}), mean = zeros({3}), variance = ones({3});
  const auto train = [&] { return batch_norm(x, {}, {}, mean, variance, true, 0.5, 1e-5); };
  {
    const After kb(never);
    (void)train();
  }
  const std::vector<float> once = mean.to_vector<float>();
  copy_(mean, zeros({3}));
  const After kb(at_once);
  (void)train();
  EXPECT_EQ(mean.to_vector<float>(), once);
}

TEST(Region, is_one_kernel_once_its_calls_have_moved_enough) {
  const Tensor x = numbers({64, 11, 3});  // no other test uses this form
  const After kb(4 << 10);
  const auto run = [&] { return hardswish(x); };
  EXPECT_EQ(allocations(run), 4);  // x + 3, its bounds, the product, the quotient
  EXPECT_EQ(allocations(run), 4);
  EXPECT_EQ(allocations(run), 4);
  (void)run();                                           // 4 MiB: a call counts as one at least
  const bool interpreted = thread_state.top != nullptr;  // sees every op
  EXPECT_EQ(allocations(run), interpreted ? 4 : 1);
}

TEST(Region, in_a_compiled_function_belongs_to_it) {
  const After kb(at_once);
  auto fast = compile([](const Tensor& x) { return mish(hardswish(x)) + 1; });
  const Tensor x = numbers({40});
  const Tensor y = fast(x);
  EXPECT_EQ(y.to_vector<float>(), (mish(hardswish(x)) + 1).to_vector<float>());
  ASSERT_EQ(fast.report().segments.size(), 1U);
  EXPECT_EQ(fast.report().segments[0].kernels, 1);
}

TEST(Region, that_fails_reports_the_function) {
  const After kb(at_once);
  const Tensor x = numbers({2, 3});
  for (int i = 0; i < 2; ++i) {
    try {
      (void)cross_entropy_loss(x, Tensor::from({int64_t{1}, int64_t{7}}, {2}));
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("cross_entropy_loss"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Region, that_fails_after_a_write_does_not_repeat_it) {
  const Tensor x = numbers({4, 3, 5}), variance = expand(ones({1}), {3});  // cannot be written
  const auto mean_after = [&](int64_t kb, std::string* error) {
    const After these(kb);
    const Tensor mean = zeros({3});
    try {
      (void)batch_norm(x, {}, {}, mean, variance, true, 0.5, 1e-5);
    } catch (const Error& refused) {
      *error = cat(refused.what(), refused.location());
    }
    return mean.to_vector<float>();
  };
  std::string wanted, got;
  const std::vector<float> mean = mean_after(never, &wanted);
  EXPECT_NE(mean[0], 0) << "the test needs an error after the mean was written";
  EXPECT_NE(wanted, "");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(mean_after(at_once, &got), mean);
    EXPECT_EQ(got, wanted);
  }
}

TEST(Region, refuses_a_tensor_that_was_never_computed) {
  Tensor lost;
  auto fast = compile([&](const Tensor& x) {
    lost = exp(index_select(x, 0, Tensor::from({int64_t{3}}, {1})));  // there are three
    return x + 1;
  });
  const auto error = [&](int64_t kb) -> std::string {
    const After these(kb);
    try {
      (void)hardswish(lost);
    } catch (const Error& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_THROW((void)fast(numbers({3})), Error);
  EXPECT_NE(error(never), "");
  EXPECT_EQ(error(at_once), error(never));
}

TEST(Region, runs_on_several_threads_at_once) {
  const After kb(at_once);
  const Tensor x = numbers({3, 5, 7, 2});
  const std::vector<float> wanted = [&] {
    const After later(never);
    return mish(x).to_vector<float>();
  }();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) EXPECT_EQ(mish(x).to_vector<float>(), wanted);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace vitro
