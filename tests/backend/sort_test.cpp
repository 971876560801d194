// Kernels with sorts: their operands and results, and which nodes share them.
#include "backend/programs.h"

namespace vitro::backend {
namespace {

CompileReport check(const std::vector<Sizes>& sizes, const Function& f) {
  std::vector<Tensor> inputs;
  for (const Sizes& one : sizes) inputs.push_back(random_tensor(one));
  return check_bits(inputs, f);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Sort, both_results_come_from_one_kernel) {
  const CompileReport report = check({{6, 90}}, [](std::vector<Tensor> in) {
    const auto [values, indices] = sort(in[0], 1, true);
    return std::vector<Tensor>{values, indices};
  });
  ASSERT_EQ(report.kernels.size(), 1U);
  EXPECT_TRUE(has(report.kernels[0].loops, "the first 90 of 90 elements x["))
      << report.kernels[0].loops;
}

TEST(Sort, a_result_that_nobody_reads_is_not_written) {
  const CompileReport places = check(
      {{6, 90}}, [](std::vector<Tensor> in) { return std::vector<Tensor>{topk(in[0], 4).second}; });
  ASSERT_EQ(places.kernels.size(), 1U);
  EXPECT_TRUE(has(places.kernels[0].loops, "nothing, ")) << places.kernels[0].loops;
  const CompileReport values = check(
      {{6, 90}}, [](std::vector<Tensor> in) { return std::vector<Tensor>{topk(in[0], 4).first}; });
  ASSERT_EQ(values.kernels.size(), 1U);
  EXPECT_TRUE(has(values.kernels[0].loops, ", nothing = ")) << values.kernels[0].loops;
}

TEST(Sort, a_row_that_is_computed_or_lies_apart_goes_through_scratch) {
  const CompileReport computed = check({{6, 90}, {90}}, [](std::vector<Tensor> in) {
    const Tensor made = exp(in[0]) * in[1];
    const auto [values, indices] = sort(made, 1);
    return std::vector<Tensor>{values, indices, made};
  });
  ASSERT_EQ(computed.kernels.size(), 1U);
  EXPECT_TRUE(has(computed.kernels[0].loops, "elements row[")) << computed.kernels[0].loops;
  const CompileReport apart = check(
      {{90, 6}}, [](std::vector<Tensor> in) { return std::vector<Tensor>{sort(in[0], 0).first}; });
  ASSERT_EQ(apart.kernels.size(), 1U);
  EXPECT_TRUE(has(apart.kernels[0].loops, "elements row[")) << apart.kernels[0].loops;
}

TEST(Sort, what_reads_a_row_in_order_comes_after_it) {
  const CompileReport report = check({{6, 90}}, [](std::vector<Tensor> in) {
    const auto [values, indices] = sort(in[0], 1);
    return std::vector<Tensor>{values * 2 + to(indices, DType::f32), sort(values, 0).second};
  });
  EXPECT_EQ(report.kernels.size(), 3U);
  const CompileReport two = check({{6, 90}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{sort(in[0], 1).first, sort(in[0], 1, true).first, cumsum(in[0], 1)};
  });
  EXPECT_EQ(two.kernels.size(), 3U);
}

}  // namespace
}  // namespace vitro::backend
