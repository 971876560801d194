// Parameters that take a list of dimensions or sizes also take a single one, as in PyTorch.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "vitro/vitro.h"

using namespace vitro;

namespace {

static_assert(!std::is_convertible_v<bool, DimsArg> && !std::is_convertible_v<bool, SizesArg>,
              "sum(x, true) is a mistake: keepdim stands after dim");
static_assert(!std::is_convertible_v<double, DimsArg> && !std::is_convertible_v<Sizes, DimsArg>);

bool same(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && a.to_vector<float>() == b.to_vector<float>();
}

TEST(OneOrMore, a_number_is_a_list_of_one) {
  const Tensor x = reshape(to(arange(24), DType::f32), {4, 6});
  EXPECT_TRUE(same(sum(x, 0), sum(x, {0})));
  EXPECT_TRUE(same(sum(x, -1, true), sum(x, {-1}, true)));
  EXPECT_TRUE(same(mean(x, 1), mean(x, {1})));
  EXPECT_TRUE(same(amax(x, 1, true), amax(x, {1}, true)));
  EXPECT_TRUE(same(var(x, 1), var(x, {1})));
  EXPECT_TRUE(same(squeeze(unsqueeze(x, 0), 0), x));
  EXPECT_TRUE(same(view(x, -1), view(x, {-1})));
  EXPECT_TRUE(same(reshape(x, x.numel()), view(x, {24})));
  EXPECT_TRUE(same(layer_norm(x, 6), layer_norm(x, {6})));
  EXPECT_TRUE(same(zeros(3), zeros({3})));
}

TEST(OneOrMore, so_are_vectors_and_the_sizes_of_tensors) {
  const Tensor x = reshape(to(arange(24), DType::f32), {4, 6});
  const std::vector<int64_t> dims{0, 1};
  const std::vector<int> wanted{6, 4};
  EXPECT_TRUE(same(sum(x, dims), sum(x)));
  EXPECT_TRUE(same(view(x, wanted), view(x, {6, 4})));
  EXPECT_TRUE(same(full(x.sizes(), 2.0), full({4, 6}, 2.0)));
}

TEST(OneOrMore, one_number_of_a_convolution_stands_for_height_and_width) {
  const Tensor x = reshape(to(arange(2 * 3 * 7 * 8), DType::f32), {2, 3, 7, 8});
  const Tensor w = reshape(to(arange(4 * 3 * 3 * 3), DType::f32), {4, 3, 3, 3});
  EXPECT_TRUE(same(conv2d(x, w, {}, {.stride = 2, .padding = 1}),
                   conv2d(x, w, {}, {.stride = {2, 2}, .padding = {1, 1}})));
  nn::Module root;
  const nn::Conv2d layer(root, "conv", 3, 4, 3, {.padding = 1});
  EXPECT_EQ(layer(x).sizes(), Sizes({2, 4, 7, 8}));
}

// The line of this file that is named in the text, or 0.
int line_of(std::string_view text) {
  const size_t at = text.rfind("one_or_more_test.cpp:");
  return at == text.npos ? 0 : std::atoi(text.substr(at + 21).data());
}

TEST(Places, errors_name_the_line_of_the_program) {
  nn::Module root;
  const nn::Linear layer(root, "fc1", 5, 3);
  const Tensor x = zeros({2, 4});
  const int line_of_layer = __LINE__ + 1;
  auto compiled = compile([&](const Tensor& y) { return layer(y) + 1.0; });
  int line = 0;
  const std::vector<std::function<void()>> mistakes = {
      [&] { line = __LINE__, (void)(x + zeros(5)); },
      [&] { line = __LINE__, (void)layer(x); },
      [&] { line = __LINE__, (void)conv2d(x, x); },
      [&] { line = line_of_layer, (void)compiled(x); },
  };
  for (const auto& make : mistakes) {
    try {
      make();
      ADD_FAILURE() << "accepted, line " << line;
    } catch (const Error& e) {
      EXPECT_EQ(line_of(e.what()), line) << e.what();
    }
  }
}

TEST(Places, a_break_at_a_print_is_where_it_is_printed) {
  int line = 0;
  auto f = compile([&](const Tensor& x) {
    std::ostringstream out;
    line = __LINE__ + 1;
    out << x + 1.0;
    return x * 2.0;
  });
  (void)f(ones(3)).to_vector<float>();
  const CompiledReport report = f.report();
  ASSERT_FALSE(report.breaks.empty());
  EXPECT_EQ(line_of(report.breaks[0].place), line) << report.breaks[0].place;
}

}  // namespace
