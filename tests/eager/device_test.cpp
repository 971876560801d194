// Tensors on a device other than the CPU: every op of the table runs through runtime/device.h.
#include "runtime/device.h"

#include <gtest/gtest.h>

#include <set>

#include "eager/call.h"
#include "eager/compare.h"
#include "eager/far_device.h"
#include "error_of.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/core/generator.h"
#include "vitro/core/print.h"
#include "vitro/ops/all.h"
#include "vitro/ops/overload.h"
#include "vitro/runtime/copy.h"
#include "vitro/runtime/parallel.h"

namespace vitro::test {
namespace {

const Device far = {Device::Kind::plugin, 0};

// The error without the parts in which ahead-of-time and on-demand kernels differ.
std::string_view mistake(std::string_view refusal) {
  for (const std::string_view word : {" at position", " is out of range", "; replace", " ("})
    refusal = refusal.substr(0, refusal.find(word));
  return refusal;
}

struct Answer {
  std::vector<Tensor> results;
  std::string refusal;
};

Answer answer(const OpSample& sample, Device device) {
  try {
    return {call_sample(sample, device), ""};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

// Functions that read elements of operands, which the host has to be able to access.
bool reads_elements(const OpSample& sample) {
  static const std::set<std::string_view> functions{
      "bincount", "ctc_loss",          "histogram",      "histogramdd", "linalg_lstsq",
      "narrow",   "repeat_interleave", "segment_reduce", "tensor_split"};
  return functions.contains(std::string_view(sample.op).substr(0, sample.op.find('.')));
}

std::string answers_differ(const Answer& got, const Answer& want) {
  if (mistake(got.refusal) != mistake(want.refusal))
    return cat("refusal '", got.refusal, "', cpu '", want.refusal, "'");
  if (got.results.size() != want.results.size()) return "number of results";
  for (size_t i = 0; i < got.results.size(); ++i) {
    const std::string problem = differs(got.results[i], want.results[i]);
    if (!problem.empty()) return cat("result ", i, ": ", problem);
  }
  return "";
}

bool has_tensor(const OpSample& sample) {
  for (const SampleOperand& operand : sample.operands) {
    if (!std::holds_alternative<SampleNumber>(operand) &&
        !std::holds_alternative<std::monostate>(operand))
      return true;
  }
  return false;
}

class DeviceSamples : public testing::TestWithParam<std::string> {};

TEST_P(DeviceSamples, have_the_bits_of_the_cpu) {
  FarDevice& device = far_device();
  const int64_t before = device.launches;
  const OpSamples samples = OpSamples::read(GetParam());
  for (const OpSample& sample : samples.samples()) {
    if (!is_callable(sample) || !has_tensor(sample) || sample.manual_seed) continue;
    const Answer far_away = answer(sample, far);
    const bool unreadable = far_away.refusal.find("the host cannot access") != std::string::npos;
    if (unreadable && reads_elements(sample)) continue;
    EXPECT_EQ(answers_differ(far_away, answer(sample, cpu)), "") << sample.where;
  }
  // Views, compactions and PyTorch's random numbers are made by the host.
  const bool launches =
      GetParam() != "view" && GetParam() != "compacting" && GetParam() != "seeded";
  EXPECT_EQ(device.launches > before, launches);
}

INSTANTIATE_TEST_SUITE_P(families, DeviceSamples, testing::ValuesIn(OpSamples::families()),
                         [](const auto& family) { return family.param; });

TEST(Device, does_not_draw_the_numbers_of_torch) {
  (void)far_device();
  const Tensor x = to(zeros({2}), far);
  manual_seed(0, Generator::mt19937);
  EXPECT_EQ(error_of([&] { (void)rand_like(x); }),
            "rand_like: numbers of mt19937 are drawn on the CPU only, got plugin:0");
  manual_seed(0);
}

TEST(Device, its_memory_is_not_the_hosts) {
  (void)far_device();
  const Tensor x = to(Tensor::from({1.0F, 2.0F}, {2}), far);
  const std::string why =
      "data: the elements are on plugin:0, which the host cannot access; copy them with to(x, cpu)";
  EXPECT_EQ(error_of([&] { x.data<float>(); }), why);
  EXPECT_EQ(error_of([&] { x.to_vector<float>(); }), why);
  EXPECT_EQ(error_of([&] { select(x, 0, 0).item(); }), why);
  EXPECT_EQ(error_of([&] { text_of(x); }), why);
  EXPECT_DEATH((void)*static_cast<volatile char*>(x.storage().data()), "");
}

TEST(Device, tensors_go_there_and_back_with_their_layout) {
  (void)far_device();
  const Tensor x = to(arange(24), DType::f32);
  const std::vector<Tensor> layouts = {x, permute(reshape(x, {2, 3, 4}), {2, 0, 1}),
                                       slice(x, 0, 5, 20, 3), expand(slice(x, 0, 3, 4), {5}),
                                       slice(x, 0, 2, 2)};
  for (const Tensor& t : layouts) {
    const int64_t copies = far_device().copies;
    const Tensor there = to(t, far), back = to(there, cpu);
    EXPECT_EQ(there.device(), far);
    EXPECT_EQ(cat(there.sizes(), there.strides()), cat(t.sizes(), t.strides()));
    EXPECT_EQ(back.to_vector<float>(), t.to_vector<float>());
    EXPECT_FALSE(back.storage() == t.storage());
    EXPECT_EQ(far_device().copies, copies + (t.numel().value() > 0 ? 2 : 0));
  }
  EXPECT_TRUE(to(x, cpu).same_as(x));
}

TEST(Device, writes_in_place_stay_there) {
  (void)far_device();
  const Tensor x = to(arange(12), DType::f32), there = to(x, far);
  const auto write = [](const Tensor& t) {
    add_(slice(t, 0, 2, 8), 10);
    exp_(slice(t, 0, 8, 12, 2));
    copy_(slice(t, 0, 1, 6), slice(t, 0, 0, 5));  // source and destination overlap
    add_(as_strided(t, {3, 2}, {1, 1}), reshape(slice(t, 0, 6, 12), {3, 2}));  // overlaps itself
  };
  write(x), write(there);
  EXPECT_EQ(to(there, cpu).to_vector<float>(), x.to_vector<float>());
}

TEST(Device, operands_of_two_devices_are_refused_and_numbers_go_along) {
  (void)far_device();
  const Tensor x = Tensor::from({1.0F, 2.0F}, {2}), there = to(x, far);
  EXPECT_EQ(error_of([&] { x + there; }),
            "add: operands are on cpu and plugin:0; move them to one device");
  const Tensor two = scalar_tensor(2.0);
  EXPECT_EQ(to(there * two, cpu).to_vector<float>(), (x * two).to_vector<float>());
  EXPECT_EQ(to(atan2(there, two), cpu).to_vector<float>(), atan2(x, two).to_vector<float>());
}

TEST(Device, new_tensors_are_made_where_the_call_says) {
  (void)far_device();
  const Tensor made = full({2, 3}, 1.5, DType::f32, far), counted = arange(1, 9, 2, {}, far);
  EXPECT_EQ(made.device(), far);
  EXPECT_EQ(to(made, cpu).to_vector<float>(), std::vector<float>(6, 1.5F));
  EXPECT_EQ(to(counted, cpu).to_vector<int64_t>(), (std::vector<int64_t>{1, 3, 5, 7}));
  EXPECT_EQ(ones({2}, DType::f32, far).device(), far);
  EXPECT_EQ(scalar_tensor(2.0).device(), cpu);
  const auto named = [](std::string device) {
    return ops::call("zeros", {std::vector<Scalar>{2}}, {{"device", std::move(device)}})[0];
  };
  EXPECT_EQ(named("plugin:0").device(), far);
  EXPECT_EQ(named("cpu").device(), cpu);
  EXPECT_EQ(error_of([&] { named("mars"); }),
            "zeros(): no overload takes these arguments\n"
            "  zeros(): argument 'device' must be Device?, got \"mars\"");
}

TEST(Device, compiled_functions_make_tensors_there) {
  (void)far_device();
  const auto f = [](const Tensor& x) {
    const Tensor mask = tril(full(x.sizes(), true, {}, x.device()));
    return add(where(mask, x, -1.0), arange(x.size(1), DType::f32, x.device()), 0.5);
  };
  const auto fast = compile(f);
  for (const int64_t n : {3, 3, 8, 17}) {
    const Tensor x = reshape(sin(to(arange(n * 5), DType::f32)), {n, 5});
    const Tensor got = fast(to(x, far));
    EXPECT_EQ(got.device(), far);
    EXPECT_EQ(to(got, cpu).to_vector<float>(), f(x).to_vector<float>()) << n;
  }
  ASSERT_FALSE(fast.report().segments.empty());
  EXPECT_TRUE(fast.report().segments[0].compiled) << fast.report().segments[0].why_not;
}

TEST(Device, compiled_functions_run_there) {
  FarDevice& device = far_device();
  const auto f = [](const Tensor& x, const Tensor& w) {
    const Tensor h = relu(mm(x, w));
    return std::pair(softmax(h, 1), h + sum(x));
  };
  const auto fast = compile(f);
  for (const int64_t n : {4, 4, 7, 40}) {
    const Tensor x = reshape(sin(to(arange(n * 16), DType::f32)), {n, 16});
    const Tensor w = reshape(cos(to(arange(16 * 80), DType::f32)), {16, 80});
    const int64_t before = device.launches;
    const auto [a, b] = fast(to(x, far), to(w, far));
    EXPECT_EQ(a.device(), far);
    EXPECT_GT(device.launches, before);
    const auto [c, d] = compile(f)(x, w);
    EXPECT_EQ(to(a, cpu).to_vector<float>(), c.to_vector<float>());
    EXPECT_EQ(to(b, cpu).to_vector<float>(), d.to_vector<float>());
  }
  ASSERT_FALSE(fast.report().segments.empty());
  EXPECT_TRUE(fast.report().segments[0].compiled) << fast.report().segments[0].why_not;
}

TEST(Device, compiled_functions_are_cut_for_the_threads_of_each_call) {
  FarDevice& device = far_device();
  const int before = num_threads();
  for (const bool dynamic : {false, true}) {
    const auto fast = compile([](const Tensor& x) { return mm(x, x); }, {.dynamic = dynamic});
    const Tensor x = to(ones({20, 20}), far);
    for (const int threads : {1, 3, 1, 2}) {
      set_num_threads(threads);
      (void)fast(x);
      EXPECT_EQ(device.cut_for, threads) << dynamic;
    }
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace vitro::test
