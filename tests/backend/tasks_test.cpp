// Indices of a kernel's tasks: computed at the beginning of a range, then incremented.
#include <gtest/gtest.h>

#include "programs.h"
#include "vitro/ops/pool.h"
#include "vitro/runtime/parallel.h"

namespace vitro::backend {
namespace {

constexpr std::string_view loop_over_tasks = "for (i64 task = begin; task < end; ++task) {";

Function padded_planes() {
  return [](std::vector<Tensor> in) {
    return std::vector<Tensor>{constant_pad_nd(in[0], {1, 2, 2, 1}, 0.5)};
  };
}

TEST(Tasks, none_of_several_dimensions_divides_to_find_its_indices) {
  const Compiled c = compile_graph(graph_of({{3, 5, 9, 7}}, padded_planes()));
  ASSERT_EQ(c.report.kernels.size(), 1U);
  const std::string& text = c.report.kernels[0].source;
  const size_t begin = text.find(loop_over_tasks);
  ASSERT_NE(begin, std::string::npos) << text;
  const size_t end = text.find("for (", begin + loop_over_tasks.size());
  ASSERT_NE(end, std::string::npos) << text;
  EXPECT_EQ(text.substr(begin, end - begin).find_first_of("/%"), std::string::npos) << text;
}

// The expected padded planes of f32, element by element.
std::vector<float> padded_by_hand(const Tensor& x) {
  const std::vector<float> from = x.to_vector<float>();
  const int64_t h = x.size(2).value(), w = x.size(3).value();
  const int64_t planes = x.numel().value() / (h * w);
  std::vector<float> out;
  for (int64_t p = 0; p < planes; ++p) {
    for (int64_t i = -2; i < h + 1; ++i) {
      for (int64_t j = -1; j < w + 2; ++j) {
        const bool inside = i >= 0 && i < h && j >= 0 && j < w;
        out.push_back(inside ? from[size_t((p * h + i) * w + j)] : 0.5F);
      }
    }
  }
  return out;
}

// Threads begin at any task, also in the middle of a plane.
TEST(Tasks, ranges_of_several_threads_give_the_same) {
  const int before = num_threads();
  for (const Sizes& sizes : {Sizes{11, 13, 40, 33}, {1, 1, 1, 1}, {7, 7, 3, 1030}}) {
    const Tensor x = random_tensor(sizes);
    Compiled c = compile_graph(graph_of({sizes}, padded_planes()));
    const std::vector<float> want = padded_by_hand(x);
    for (const int threads : {1, 2, 3, 7}) {
      set_num_threads(threads);
      EXPECT_EQ(c.run({x})[0].to_vector<float>(), want) << threads << " threads";
    }
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace vitro::backend
