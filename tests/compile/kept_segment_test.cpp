// Programs compiled twice: the second time from the plan that the first one kept on disk, with the
// same bits, report and guards.
#include "compile/kept_segment.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <regex>

#include "../backend/jit_folder.h"
#include "backend/compile.h"
#include "damaged.h"
#include "error_of.h"
#include "vitro/compile/artifacts.h"
#include "vitro/compile/compile.h"
#include "vitro/debug/explain.h"
#include "vitro/init.h"
#include "vitro/models/bert.h"
#include "vitro/models/gpt2.h"
#include "vitro/models/mlp.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"
#include "vitro/ops/definition.h"

namespace vitro {
namespace {

using Tensors = std::vector<Tensor>;
using Program = std::function<Tensors(const Tensors&)>;

// Adds a number that is no attribute of the graph: the kernel is called as it is now.
int64_t added = 0;
struct AddedLater {
  static constexpr OpKind kind = OpKind::opaque;
  static constexpr std::string_view name = "added_later", doc = "Adds a number.";
  static constexpr std::string_view signatures = "(Tensor self, Scalar scale) -> Tensor";
  static constexpr int arity = 2;
  static void shape(ShapeCall& call) {
    const TensorMeta& x = *call.operands[0].meta;
    call.results.push_back(ops::dense(x.dtype, x.device, x.sizes));
  }
  static void kernel(const OpaqueCall& call) {
    const OpaqueTensor &x = call.operands[0].tensor, &y = call.results[0];
    int64_t count = 1;
    for (const int64_t size : x.sizes) count *= size;
    const double scale = call.operands[1].number.as_double();
    for (int64_t i = 0; i < count; ++i)
      static_cast<float*>(y.data)[i] = static_cast<float>(
          scale * static_cast<const float*>(x.data)[i] + static_cast<double>(added));
  }
};
constexpr ops::PointwiseFunction<AddedLater> added_later;

class KeptSegment : public testing::Test {
 protected:
  KeptSegment() { init(); }
  ~KeptSegment() override { backend::fuse_option.set(true); }

  struct Outcome {
    std::vector<std::vector<float>> bits;
    std::string explained;
    CompiledReport report;
    std::string refused() const {
      for (const SegmentReport& segment : report.segments)
        if (segment.build && !segment.build->plan_refused.empty())
          return segment.build->plan_refused;
      return {};
    }
    bool is_from_plan() const {
      for (const SegmentReport& segment : report.segments)
        if (!segment.build || !segment.build->from_plan) return false;
      return !report.segments.empty();
    }
  };

  // What another process would do: nothing is in memory.
  static Outcome call(const Program& f, const std::vector<Tensors>& inputs,
                      CompileOptions options = {}) {
    jit::forget_modules();
    auto fast = compile(f, options);
    Outcome out;
    for (const Tensors& given : inputs)
      for (const Tensor& one : fast(given))
        out.bits.push_back(to(one, DType::f32).to_vector<float>());
    out.report = fast.report();
    out.explained = without_times(Explanation{out.report, CompileTimes({})}.text(true));
    return out;
  }
  static std::string without_times(const std::string& text) {
    static const std::regex time_line("\n  time: [^\n]*|Region: [0-9]+"),
        time(R"((, )?[0-9.]+(ns|us|ms|s)\b)");
    return std::regex_replace(std::regex_replace(text, time_line, ""), time, "");
  }

  void expect_same_from_plan(const Program& f, const std::vector<Tensors>& inputs,
                             const CompileOptions& options = {}) {
    const Outcome first = call(f, inputs, options), second = call(f, inputs, options);
    EXPECT_FALSE(first.is_from_plan());
    EXPECT_TRUE(second.is_from_plan()) << second.explained;
    ASSERT_EQ(first.bits.size(), second.bits.size());
    for (size_t i = 0; i < first.bits.size(); ++i) EXPECT_EQ(first.bits[i], second.bits[i]) << i;
    EXPECT_EQ(first.explained, second.explained);
    EXPECT_EQ(first.report.guards, second.report.guards);
  }

  const jit::CacheFolder folder_;
};

Tensor normal(std::initializer_list<int64_t> sizes) {
  return nn::normal(Dims(sizes), 0, 1);
}

TEST_F(KeptSegment, elementwise_ops_reductions_and_products) {
  expect_same_from_plan(
      [](const Tensors& x) {
        return Tensors{softmax(mm(x[0], x[1]) + 1, -1), sum(x[0]), argmax(x[1], 0),
                       std::get<0>(topk(x[0], 3)), cumsum(x[1], 1)};
      },
      {{normal({33, 20}), normal({20, 47})}});
}

// The first call of an asynchronous function runs what is kept, and does not wait for the rest.
TEST_F(KeptSegment, asynchronous_functions_use_it_at_once) {
  const Program f = [](const Tensors& x) { return Tensors{softmax(mm(x[0], x[1]) + 1, -1)}; };
  const std::vector<Tensors> inputs{{normal({33, 20}), normal({20, 47})}};
  (void)call(f, inputs);
  const Outcome second = call(f, inputs, {.asynchronous = true});
  EXPECT_TRUE(second.is_from_plan()) << second.explained;
  ASSERT_EQ(second.report.segments.size(), 1U);
  EXPECT_EQ(second.report.segments[0].runs, 1U);
  const Program other = [&](const Tensors& x) { return Tensors{exp(f(x)[0])}; };
  EXPECT_FALSE(call(other, inputs, {.asynchronous = true}).is_from_plan());
  EXPECT_TRUE(call(other, inputs, {.asynchronous = true}).is_from_plan()) << "kept by the thread";
}

TEST_F(KeptSegment, sizes_that_vary) {
  std::vector<Tensors> calls;
  for (const int64_t n : {4, 7, 12, 33}) calls.push_back({normal({n, 16}), normal({16, 8})});
  expect_same_from_plan(
      [](const Tensors& x) {
        const Tensor y = relu(mm(x[0], x[1]));
        return Tensors{
            reshape(y, {-1}), cat({y, y}, 0), slice(y, 0, 1),
            bmm(unsqueeze(y, 0), expand(unsqueeze(transpose(y, 0, 1), 0), {1, 8, y.size(0)}))};
      },
      calls);
}

TEST_F(KeptSegment, other_sizes_than_those_it_was_kept_with) {
  const Program f = [](const Tensors& x) {
    // Decided by the size of the first call, which is a guard.
    return Tensors{relu(x[0]), x[0].size(0) < 10 ? sum(x[0], {0}) : exp(x[0])};
  };
  const CompileOptions options{.dynamic = true};
  const auto inputs = [](int64_t n) { return std::vector<Tensors>{{normal({n, 16})}}; };
  EXPECT_FALSE(call(f, inputs(4), options).is_from_plan());
  for (const int64_t n : {7, 4, 3}) {
    const std::vector<Tensors> given = inputs(n);
    const Outcome outcome = call(f, given, options);
    EXPECT_TRUE(outcome.is_from_plan()) << n;
    EXPECT_EQ(outcome.bits[0], f(given[0])[0].to_vector<float>());
  }
  const Outcome other = call(f, inputs(12), options);
  EXPECT_FALSE(other.is_from_plan());
  EXPECT_TRUE(other.refused().empty()) << "another graph: " << other.refused();
}

TEST_F(KeptSegment, sizes_that_data_decide) {
  std::vector<Tensors> calls;
  for (int i = 0; i < 3; ++i) calls.push_back({normal({9, 5})});
  expect_same_from_plan(
      [](const Tensors& x) {
        const Tensor chosen = masked_select(x[0], x[0] > 0), places = nonzero(chosen > 1);
        return Tensors{exp(chosen) * 2, sum(chosen), places + 1};
      },
      calls);
}

TEST_F(KeptSegment, parameters_whose_panels_and_results_are_kept) {
  struct Weights {
    Tensor matrix = normal({64, 32}), scale = normal({32});
  } weights;
  weights.matrix.set_parameter(true), weights.scale.set_parameter(true);
  const Tensor x = normal({50, 64});
  expect_same_from_plan(
      [&](const Tensors& given) {
        return Tensors{mm(given[0], weights.matrix) * softmax(weights.scale, 0)};
      },
      {{x}, {x}});
}

TEST_F(KeptSegment, convolutions_and_norms) {
  Tensor w = normal({16, 8, 3, 3}), gain = normal({16}), bias = normal({16});
  for (Tensor* one : {&w, &gain, &bias}) one->set_parameter(true);
  expect_same_from_plan(
      [&](const Tensors& x) {
        const Tensor y = conv2d(x[0], w, {}, {.padding = 1});
        return Tensors{
            max_pool2d(relu(layer_norm(permute(y, {0, 2, 3, 1}), {16}, gain, bias)), {2})};
      },
      {{normal({2, 8, 12, 12})}});
}

TEST_F(KeptSegment, models) {
  models::Mlp mlp{40, 24, 10};
  expect_same_from_plan([&](const Tensors& x) { return Tensors{mlp(x[0])}; }, {{normal({6, 40})}});
  models::Bert bert(models::BertConfig::mini_lm_l6());
  const Tensor ids = Tensor::from(std::vector<int64_t>{101, 2054, 2003, 102}, {1, 4});
  expect_same_from_plan([&](const Tensors& x) { return Tensors{bert(x[0])}; }, {{ids}});
}

TEST_F(KeptSegment, inputs_that_are_written) {
  const auto f = [](const Tensors& x) {
    add_(x[0], 1);
    return Tensors{index_select(x[0], 0, x[1])};
  };
  const Tensor at = Tensor::from(std::vector<int64_t>{2, 0}, {2});
  std::vector<std::vector<float>> written;
  for (int time = 0; time < 2; ++time) {
    const Tensor x = Tensor::from({1.0F, 2.0F, 3.0F}, {3});
    const Outcome outcome = call(f, {{x, at}});
    EXPECT_EQ(outcome.is_from_plan(), time == 1);
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 3, 4}));
    EXPECT_EQ(outcome.bits[0], (std::vector<float>{4, 2}));
  }
}

TEST_F(KeptSegment, an_index_out_of_range_is_the_same_error) {
  const auto f = [](const Tensors& x) { return Tensors{index_select(x[0], 0, x[1]) * 2}; };
  const Tensor x = normal({4}), good = Tensor::from(std::vector<int64_t>{3}, {1}),
               bad = Tensor::from(std::vector<int64_t>{9}, {1});
  std::vector<std::string> errors;
  for (int time = 0; time < 2; ++time) {
    jit::forget_modules();
    auto fast = compile(Program(f));
    (void)fast(Tensors{x, good});
    errors.push_back(error_of([&] { (void)fast(Tensors{x, bad}); }));
  }
  EXPECT_NE(errors[0].find("index 9 at position 0 is out of range"), std::string::npos)
      << errors[0];
  EXPECT_EQ(errors[0], errors[1]);
}

TEST_F(KeptSegment, a_users_kernel_is_called_as_it_is_now) {
  const auto f = [](const Tensors& x) { return Tensors{exp(added_later(x[0] * 2, 3.0)) + 1}; };
  const Tensor x = Tensor::from({0.5F}, {1});
  added = 0;
  EXPECT_EQ(call(f, {{x}}).bits[0], (exp(Tensor::from({3.0F}, {1})) + 1).to_vector<float>());
  added = 1;
  const Outcome second = call(f, {{x}});
  EXPECT_TRUE(second.is_from_plan());
  EXPECT_EQ(second.bits[0], (exp(Tensor::from({4.0F}, {1})) + 1).to_vector<float>());
}

TEST_F(KeptSegment, is_not_found_with_other_options_names_or_numbers) {
  float number = 1;
  const Program f = [&](const Tensors& x) { return Tensors{sin(x[0]) * number + cos(x[0])}; };
  const std::vector<Tensors> inputs{{normal({40})}};
  (void)call(f, inputs);
  EXPECT_TRUE(call(f, inputs).is_from_plan());
  EXPECT_FALSE(call(f, inputs, {.exact = true}).is_from_plan());
  number = 2;
  EXPECT_FALSE(call(f, inputs).is_from_plan());
  number = 1;
  backend::fuse_option.set(false);
  EXPECT_FALSE(call(f, inputs).is_from_plan());
  backend::fuse_option.set(true);
  EXPECT_TRUE(call(f, inputs).is_from_plan());
  EXPECT_FALSE(call(f, {{normal({41})}}).is_from_plan());
  artifacts::take([](std::string_view, std::string_view, std::string_view) {});
  EXPECT_FALSE(call(f, inputs).is_from_plan());
  artifacts::take(nullptr);
}

TEST_F(KeptSegment, whose_module_is_gone_is_compiled_again) {
  const Program f = [](const Tensors& x) { return Tensors{tanh(x[0]) * 3}; };
  const std::vector<Tensors> inputs{{normal({40})}};
  const Outcome first = call(f, inputs);
  for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
    if (file.path().extension() == ".so") std::filesystem::remove(file.path());
  const Outcome second = call(f, inputs);
  EXPECT_FALSE(second.is_from_plan());
  EXPECT_FALSE(second.refused().empty());
  EXPECT_NE(second.explained.find("could not be used: " + second.refused()), std::string::npos);
  EXPECT_EQ(first.bits, second.bits);
  EXPECT_TRUE(call(f, inputs).is_from_plan());
}

TEST_F(KeptSegment, whose_file_is_damaged_is_compiled_again) {
  const Program f = [](const Tensors& x) { return Tensors{tanh(x[0]) * 3}; };
  const std::vector<Tensors> inputs{{normal({40})}};
  const Outcome first = call(f, inputs);
  for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
    if (file.path().extension() != ".plan") continue;
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(20);
    bytes.put('?');
  }
  const Outcome second = call(f, inputs);
  EXPECT_FALSE(second.is_from_plan());
  EXPECT_EQ(first.bits, second.bits);
  EXPECT_EQ(first.explained, second.explained);
}

}  // namespace
}  // namespace vitro
