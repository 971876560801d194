#include "made_up.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "vitro/ops/all.h"
#include "vitro/vitro.h"

namespace vitro::models {
namespace {

constexpr uint64_t seed_of_inputs = 1000;

// Numbers in [0, 1) that look random.
std::vector<double> numbers(int64_t count, uint64_t seed) {
  std::vector<double> out;
  for (int64_t i = 1; i <= count; ++i) {
    const auto whole =
        static_cast<uint32_t>(static_cast<uint64_t>(i) * 2654435761 + seed * 2246822519);
    out.push_back(std::ldexp(static_cast<double>(whole), -32));
  }
  return out;
}

bool is_shift(std::string_view name) {
  return name.ends_with("bias") || name.ends_with("running_mean") ||
         name.ends_with("class_token") || name.ends_with("pos_embedding");
}

}  // namespace

void fill(nn::Module& model) {
  auto all = model.named_parameters();
  for (auto& buffer : model.named_buffers()) all.push_back(buffer);
  uint64_t seed = 0;
  for (auto& [name, slot] : all) {
    const int64_t count = slot->numel().value();
    const double fan_in = static_cast<double>(count / slot->size(0).value());
    const bool shifts = is_shift(name), is_vector = slot->rank() == 1;
    float* to = slot->data<float>();
    for (const double x : numbers(count, seed++)) {
      *to++ = static_cast<float>(shifts      ? x - 0.5
                                 : is_vector ? x + 0.5
                                             : (2 * x - 1) * std::sqrt(6 / fan_in));
    }
  }
}

Tensor made_up_images(std::initializer_list<int64_t> sizes) {
  Tensor images = Tensor::empty(sizes);
  float* to = images.data<float>();
  for (const double x : numbers(images.numel().value(), seed_of_inputs))
    *to++ = static_cast<float>(2 * x - 1);
  return images;
}

Tensor made_up_tokens(int64_t batch, int64_t length, int64_t vocabulary) {
  std::vector<int64_t> ids;
  for (const double x : numbers(batch * length, seed_of_inputs))
    ids.push_back(static_cast<int64_t>(x * static_cast<double>(vocabulary)));
  return Tensor::from(ids, {batch, length});
}

void check(std::string_view name, const std::function<Tensor(const Tensor&)>& model,
           const Tensor& input, const Expected& expected) {
  const auto compiled = compile([&](const Tensor& x) { return model(x); });
  for (const Tensor& result : {model(input), compiled(input)}) {
    const std::vector<float> got = result.to_vector<float>();
    ASSERT_EQ((got.size() + expected.every - 1) / expected.every, expected.numbers.size()) << name;
    for (size_t i = 0; i < expected.numbers.size(); ++i) {
      EXPECT_NEAR(got[expected.every * i], expected.numbers[i], 1e-4F * expected.largest)
          << name << ' ' << i;
    }
  }
  const CompiledReport report = compiled.report();
  EXPECT_TRUE(report.fallbacks.empty()) << name;
  EXPECT_TRUE(report.breaks.empty()) << name;
}

void check_names(nn::Module& model, std::initializer_list<std::string_view> names) {
  auto all = model.named_parameters();
  for (auto& buffer : model.named_buffers()) all.push_back(buffer);
  for (const std::string_view name : names) {
    EXPECT_TRUE(std::ranges::any_of(all, [&](const auto& one) { return one.first == name; }))
        << name;
  }
}

}  // namespace vitro::models
