// Kernels that read parameters alone run once, until one of these is written.
#include <gtest/gtest.h>

#include <thread>

#include "kernels_of.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/memory.h"

namespace vitro {
namespace {

using test::kernels_of;

Tensor parameter() {
  Tensor out = nn::normal({32}, 0, 1);
  out.set_parameter(true);
  return out;
}

// Two kernels of parameters, sums along a row of 32 numbers and what follows from them, and one
// that depends on x.
struct Scaled {
  Tensor scale = parameter(), shift = parameter();
  Tensor operator()(const Tensor& x) const { return x * softmax(scale, 0) + cumsum(shift, 0); }
};

class KeptResults : public testing::Test {
 protected:
  KeptResults() { init(); }

  // Calls both; they must agree. Returns how many kernels the compiled one launched.
  template <class F>
  uint64_t call(F& fast, const Scaled& program) {
    const auto want = program(x_).to_vector<float>();
    std::vector<float> got;
    const uint64_t kernels = kernels_of([&] { got = fast(x_).template to_vector<float>(); });
    EXPECT_EQ(got, want);
    return kernels;
  }

  const Tensor x_ = nn::normal({5, 32}, 0, 1);
  static constexpr uint64_t all = 3, others = 1;
};

TEST_F(KeptResults, are_computed_again_after_a_parameter_was_written) {
  const Scaled program;
  auto fast = compile([&](const Tensor& x) { return program(x); });
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(call(fast, program), all);
    EXPECT_EQ(call(fast, program), others);
    EXPECT_EQ(call(fast, program), others);
    mul_(step % 2 == 0 ? program.scale : program.shift, 0.5);
  }
}

TEST_F(KeptResults, are_those_of_the_parameters_of_the_call) {
  Scaled program;
  auto fast = compile([&](const Tensor& x) { return program(x); });
  EXPECT_EQ(call(fast, program), all);
  Scaled other;
  std::swap(program, other);
  EXPECT_EQ(call(fast, program), all);
  std::swap(program, other);
  EXPECT_EQ(call(fast, program), others) << "those of the first parameters are still there";
  program.shift = other.shift;
  EXPECT_EQ(call(fast, program), all) << "one of each";
}

TEST_F(KeptResults, of_a_parameter_whose_pointer_was_handed_out_are_computed_in_each_call) {
  const Scaled program;
  Tensor shift = program.shift;
  auto* elements = shift.data<float>();
  auto fast = compile([&](const Tensor& x) { return program(x); });
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(call(fast, program), all);
    elements[step] += 1;
  }
}

TEST_F(KeptResults, serve_layers_that_share_a_segment_and_calls_of_every_size) {
  const std::vector<Scaled> layers(4);
  const auto model = [&](Tensor x) {
    for (const Scaled& layer : layers) {
      x = layer(x);
      (void)x.const_data();  // a break
    }
    return x;
  };
  auto fast = compile(model);
  for (const int64_t rows : {5, 6, 7}) (void)fast(nn::normal({rows, 32}, 0, 1));
  const Tensor x = nn::normal({9, 32}, 0, 1);
  std::vector<float> got;
  const uint64_t kernels = kernels_of([&] { got = fast(x).to_vector<float>(); });
  EXPECT_EQ(got, model(x).to_vector<float>());
  EXPECT_EQ(kernels, 4 * others);
}

TEST_F(KeptResults, of_a_parameter_that_the_program_writes_are_not_kept) {
  const Scaled program, other{clone(program.scale), clone(program.shift)};
  const auto count = [](const Scaled& of, const Tensor& x) {
    const Tensor out = of(x);
    add_(of.scale, 1);
    return out;
  };
  auto fast = compile([&](const Tensor& x) { return count(program, x); });
  for (int step = 0; step < 3; ++step)
    EXPECT_EQ(fast(x_).to_vector<float>(), count(other, x_).to_vector<float>()) << step;
}

TEST_F(KeptResults, are_not_much_larger_than_the_parameters) {
  const Tensor w = parameter();
  for (const int64_t rows : {2, 100}) {
    auto fast = compile([&](const Tensor& x) { return mm(x, cumsum(expand(w, {rows, 32}), 0)); });
    const Tensor x = nn::normal({5, rows}, 0, 1);
    const uint64_t first = kernels_of([&] { (void)fast(x); }),
                   second = kernels_of([&] { (void)fast(x); });
    EXPECT_EQ(second < first, rows == 2);
    EXPECT_EQ(fast(x).to_vector<float>(),
              mm(x, cumsum(expand(w, {rows, 32}), 0)).to_vector<float>());
  }
}

// Three columns are padded to as many as a panel has.
TEST_F(KeptResults, are_packed_once_however_few_columns_they_have) {
  Tensor w = nn::normal({3, 32}, 0, 1);
  w.set_parameter(true);
  const auto program = [&](const Tensor& x) { return mm(x, t(cumsum(w, 1))); };
  auto fast = compile(program);
  (void)fast(x_);
  EXPECT_EQ(kernels_of([&] { (void)fast(x_); }), others);
  EXPECT_EQ(fast(x_).to_vector<float>(), program(x_).to_vector<float>());
}

TEST_F(KeptResults, of_parameters_of_any_length) {
  for (const int64_t length : {0, 1, 17}) {
    Scaled program{nn::normal({length}, 0, 1), nn::normal({length}, 0, 1)};
    program.scale.set_parameter(true);
    program.shift.set_parameter(true);
    auto fast = compile([&](const Tensor& x) { return program(x); });
    for (const int64_t rows : {3, 0, 5}) {
      const Tensor x = nn::normal({rows, length}, 0, 1);
      EXPECT_EQ(fast(x).to_vector<float>(), program(x).to_vector<float>()) << length;
    }
  }
}

TEST_F(KeptResults, without_elements_are_factors_of_a_result_that_has_some) {
  Tensor w = nn::normal({0, 32}, 0, 1);
  w.set_parameter(true);
  const auto program = [&](const Tensor& x) { return mm(x, cumsum(w, 1)); };
  auto fast = compile(program);
  const Tensor x = Tensor::empty({5, 0});
  for (int call = 0; call < 2; ++call)
    EXPECT_EQ(fast(x).to_vector<float>(), program(x).to_vector<float>());
}

TEST_F(KeptResults, are_asked_for_on_any_thread) {
  const Scaled program;
  auto fast = compile([&](const Tensor& x) { return program(x); });
  const auto want = program(x_).to_vector<float>();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) EXPECT_EQ(fast(x_).to_vector<float>(), want);
    });
  }
  for (std::thread& t : threads) t.join();
}

TEST_F(KeptResults, are_not_used_once_a_pointer_was_handed_out) {
  const Scaled program;
  auto fast = compile([&](const Tensor& x) { return program(x); });
  EXPECT_EQ(call(fast, program), all);
  EXPECT_EQ(call(fast, program), others);
  Tensor shift = program.shift;
  shift.data<float>()[0] += 1;
  for (int step = 0; step < 2; ++step) EXPECT_EQ(call(fast, program), all);
}

TEST_F(KeptResults, end_with_a_parameter) {
  auto program = std::make_unique<Scaled>();
  auto fast = compile([&](const Tensor& x) { return (*program)(x); });
  (void)fast(x_);
  const int64_t before = memory_stats().live_bytes;
  program.reset();
  EXPECT_LE(memory_stats().live_bytes, before - int64_t{4 * 32 * sizeof(float)})
      << "two parameters, and what was computed from each";
}

}  // namespace
}  // namespace vitro
