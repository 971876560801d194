// Requested sizes that are too large or negative: eager and compiled refuse them with the same
// message, and no allocation is smaller than what is written to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/ops/activation_functions.h"
#include "vitro/ops/all.h"
#include "vitro/ops/resample.h"

namespace vitro {
namespace {

using Body = std::function<Tensor(const Tensor& x, Size n)>;
constexpr int64_t huge = int64_t{1} << 46;  // more elements than the address space has room for
constexpr int64_t largest = INT64_MAX;

std::string error_of(const std::function<Tensor()>& f) {
  try {
    (void)f().to_vector<float>();
  } catch (const Error& e) {
    return std::string(e.message());
  }
  return "no error";
}

// The message without the memory in use and the source location.
std::string plain(const std::string& error) {
  return error.substr(0, std::min(error.find("; "), error.find(" (")));
}

std::string eager_error(const Body& body) {
  init();
  const Tensor x = Tensor::from({1.0F}, {1});
  const std::string eager = error_of([&] { return body(x, 3); });
  auto fast = compile([&](const Tensor& t) { return body(t, 3); });
  for (int call = 0; call < 3; ++call)
    EXPECT_EQ(plain(error_of([&] { return fast(x); })), plain(eager));
  return eager;
}

TEST(Sizes, what_64_bits_cannot_count_is_refused_with_the_sizes_that_were_asked_for) {
  EXPECT_EQ(eager_error([](const Tensor& x, Size) { return expand(x, {int64_t{1} << 61, 1}) + x; }),
            "expand: a tensor of sizes [2305843009213693952, 1] has more bytes than 64 bits can "
            "count");
  EXPECT_EQ(eager_error(
                [](const Tensor& x, Size) { return expand(x, {huge, 1}) + expand(x, {1, huge}); }),
            "add: size: 70368744177664 * 70368744177664 does not fit into 64 bits");
  EXPECT_EQ(eager_error([](const Tensor& x, Size) {
              const Tensor much = expand(x, {int64_t{1} << 60});
              return cat({much, much});
            }),
            "cat: a tensor of sizes [2305843009213693952] has more bytes than 64 bits can count");
}

TEST(Sizes, messages_have_the_numbers_of_the_call_where_sizes_are_symbols) {
  init();
  CompileOptions options;
  options.dynamic = true;
  const auto body = [](const Tensor& x, const Tensor& y) { return narrow(x, 0, 1, y.size(0)); };
  auto fast = compile(body, options);
  for (const int64_t length : {2, 3, 5}) {
    const Tensor x = zeros({length + 1}), y = zeros({length}), z = zeros({length + 3});
    EXPECT_EQ(error_of([&] { return fast(x, y); }), "no error");
    EXPECT_EQ(plain(error_of([&] { return fast(x, z); })),
              plain(error_of([&] { return body(x, z); })));
  }
}

TEST(Sizes, messages_of_functions_of_several_ops_have_these_numbers_too) {
  init();
  CompileOptions options;
  options.dynamic = true;
  const auto integers = [](const Tensor& x) { return to(x, DType::i64); };
  for (const Body& body : std::vector<Body>{
           [=](const Tensor& x, Size) {  // too long a kernel, and too few channels
             return conv1d(view(integers(x), {1, 1, -1}),
                           reshape(integers(cat({x, x})), {1, 1, -1}));
           },
           [=](const Tensor& x, Size) {
             return conv1d(view(integers(x), {1, -1, 1}),
                           reshape(integers(cat({x, x})), {1, -1, 1}));
           },
           [](const Tensor& x, Size n) {
             return col2im(view(x, {1, -1}), {n, n}, {2, 2}, 1, 0, 1);
           },
           [](const Tensor& x, Size n) {
             return col2im(view(x, {1, -1}), {n, n}, {1, 9}, 1, 0, 1);
           },
           [](const Tensor& x, Size n) { return rms_norm(x, {n}, cat({x, x})); },
           [](const Tensor& x, Size n) {
             return grid_sampler_2d(view(x, {-1, 1, 1, 1}), zeros({n + 1, 1, 1, 2}), 0, 0, false);
           },
           [](const Tensor& x, Size n) {
             return max_unpool2d(view(x, {1, 1, -1}), zeros({1, n, 1}, DType::i64), {1, n});
           },
           [](const Tensor& x, Size) { return pixel_shuffle(view(x, {-1, 1, 1}), 3); },
           [](const Tensor& x, Size n) {
             return adaptive_avg_pool2d(view(x, {1, 1, -1}), {n / 2 - 5, 1});
           },
           [](const Tensor& x, Size n) {
             return std::get<0>(adaptive_max_pool2d(view(x, {1, 1, -1}), {n, n, n}));
           },
           [](const Tensor& x, Size n) { return index(x, ones({n + 1}, DType::boolean)); },
           [](const Tensor& x, Size n) { return pad(x, {n}, "reflect"); },
           [](const Tensor& x, Size n) { return softshrink(x, Scalar(1 - n)); },
           [](const Tensor& x, Size n) {
             return affine_grid_generator(expand(x, {1, 2, -1}), {n + 1, 1, n, n}, false);
           },
       }) {
    const auto call = [&](const Tensor& x) { return body(x, x.size(0)); };
    auto fast = compile(call, options);
    for (const int64_t length : {3, 4, 6}) {
      const Tensor x = ones({length});
      const std::string eager = error_of([&] { return call(x); });
      EXPECT_NE(eager, "no error");
      EXPECT_EQ(error_of([&] { return fast(x); }), eager);
    }
  }
}

TEST(Sizes, what_no_machine_has_is_a_lack_of_memory) {
  const std::string lack = "cpu: cannot allocate ";
  for (const Body& body : std::vector<Body>{
           [](const Tensor& x, Size) { return clone(expand(x, {int64_t{1} << 60})); },
           [](const Tensor& x, Size) { return expand(x, {int64_t{1} << 60}) + x; },
           [](const Tensor&, Size) { return full({huge, 2}, 1.5); },
           [](const Tensor&, Size) { return to(arange(int64_t{1} << 59), DType::f32); },
       }) {
    EXPECT_TRUE(eager_error(body).starts_with(lack)) << eager_error(body);
  }
}

TEST(Sizes, every_op_that_takes_sizes_refuses_those_that_cannot_be) {
  for (const Body& body : std::vector<Body>{
           [](const Tensor&, Size) { return full({largest}, 1.0); },
           [](const Tensor&, Size) { return full({2, huge, huge}, 1.0); },
           [](const Tensor&, Size) { return full({huge, huge, 2}, 1.0); },
           [](const Tensor&, Size n) { return full({n - 5}, 1.0); },
           [](const Tensor&, Size) { return zeros({-1}); },
           [](const Tensor&, Size) { return to(arange(largest), DType::f32); },
           [](const Tensor&, Size) { return arange(-1e300, 1e300, 1e-300); },
           [](const Tensor& x, Size) { return expand(x, {largest}); },
           [](const Tensor& x, Size) { return expand(x, {-2}); },
           [](const Tensor& x, Size) { return as_strided(x, {largest}, {0}) + x; },
           [](const Tensor& x, Size) { return as_strided(x, {2, 2}, {largest, largest}); },
           [](const Tensor& x, Size) { return as_strided(x, {0}, {1}, largest); },
           [](const Tensor& x, Size) { return view(x, {-1, huge, huge, huge}); },
           [](const Tensor& x, Size) { return reshape(x, {largest, largest}); },
           [](const Tensor& x, Size) {
             return split_with_sizes(x, {largest, largest, 3}, 0).back();
           },
           [](const Tensor& x, Size) {
             const Tensor image = view(x, {1, 1, 1, 1});
             return conv2d(image, image, {}, {.padding = {largest, 1}});
           },
       }) {
    EXPECT_NE(eager_error(body), "no error");
  }
}

TEST(Sizes, empty_tensors_may_have_huge_dimensions_beside_the_empty_one) {
  EXPECT_EQ(eager_error([](const Tensor&, Size) { return full({0, huge, 4}, 1.0) + 1; }),
            "no error");
  EXPECT_EQ(eager_error([](const Tensor&, Size) { return sum(full({huge, 0}, 1.0)); }), "no error");
  EXPECT_NE(eager_error([](const Tensor&, Size) { return full({0, huge, huge}, 1.0); }),
            "no error");
}

TEST(Sizes, as_many_chunks_as_a_number_can_say_are_as_many_as_there_are_elements) {
  EXPECT_EQ(eager_error([](const Tensor& x, Size) { return chunk(x, largest, 0)[0]; }), "no error");
}

// Later calls have other sizes, which checks made while recording do not cover.
TEST(Sizes, symbolic_sizes_that_become_too_large_or_negative_are_refused_at_run_time) {
  init();
  const Tensor one = Tensor::from({1.0F}, {1});
  const auto input = [&](int64_t size) { return expand(one, {size}); };
  const std::pair<const char*, std::function<Tensor(const Tensor&, const Tensor&)>> bodies[] = {
      {"outer sum", [](const Tensor& a, const Tensor& b) { return unsqueeze(a, 1) + b; }},
      {"outer, summed", [](const Tensor& a, const Tensor& b) { return sum(unsqueeze(a, 1) + b); }},
      {"cat", [](const Tensor& a, const Tensor& b) { return cat({a, b, b, b, b}) * 2; }},
      {"full", [](const Tensor& a,
                  const Tensor& b) { return full({a.size(0), b.size(0), b.size(0)}, 1.5); }},
      {"as_strided",
       [](const Tensor& a, const Tensor& b) {
         return as_strided(contiguous(b), {a.size(0) - 2}, {1}) + 1;
       }},
  };
  for (const auto& [name, body] : bodies) {
    auto fast = compile([&](const Tensor& a, const Tensor& b) { return body(a, b); });
    const std::pair<int64_t, int64_t> sizes[] = {
        {6, 7}, {8, 9}, {7, 5}, {huge, huge}, {huge / 2, huge}, {3, 2}, {6, int64_t{1} << 60},
        {9, 11}};
    for (const auto& [m, n] : sizes) {
      const std::string eager = error_of([&] { return body(input(m), input(n)); });
      const std::string got = error_of([&] { return fast(input(m), input(n)); });
      if (eager.starts_with("cpu: cannot allocate ") && got == "no error") continue;  // fused away
      EXPECT_EQ(plain(got), plain(eager)) << name << " " << m << " " << n;
    }
  }
}

TEST(Sizes, a_size_that_becomes_negative_is_refused_though_no_memory_is_taken_for_it) {
  init();
  const auto body = [](const Tensor& x) { return sum(full({x.size(0) - 5}, 1.0)); };
  auto fast = compile(body);
  for (const int64_t n : {6, 8, 9, 3, 7, 4}) {
    const Tensor x = full({n}, 1.0);
    EXPECT_EQ(plain(error_of([&] { return fast(x); })), plain(error_of([&] { return body(x); })));
  }
}

TEST(Sizes, lengths_given_to_arange_share_a_kernel) {
  init();
  const auto body = [](int64_t n) { return mul(arange(n, DType::f32), 2); };
  auto fast = compile(body);
  for (int64_t n = 4; n < 16; ++n)
    EXPECT_EQ(fast(n).to_vector<float>(), body(n).to_vector<float>());
  EXPECT_EQ(fast.report().segments.size(), 2U);
}

}  // namespace
}  // namespace vitro
