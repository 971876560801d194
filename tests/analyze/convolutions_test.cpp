// Tests operations of convolutions against torch.utils.flop_counter of PyTorch 2.13: the arguments
// are what its profiler wrote for these calls.  Of groups it counted one and multiplied: by itself
// it counts their weights' gradients as those of dense ones.
#include "analyze/questions/ops/convolutions.h"

#include <gtest/gtest.h>

namespace vitro::analyze {
namespace {

struct Case {
  std::string_view forward_dims, forward, backward_dims, backward;
  double operations, backward_operations, elements, backward_elements;
};

constexpr Case cases[] = {
    // conv2d(stride=2, padding=(1, 0))
    {"[[2, 8, 12, 10], [16, 8, 3, 3], [], [], [], [], [], [], []]",
     R"(["", "", "", "[2, 2]", "[1, 0]", "[1, 1]", "False", "[0, 0]", "1"])",
     "[[2, 16, 6, 4], [2, 8, 12, 10], [16, 8, 3, 3], [], [], [], [], [], [], [], []]",
     R"(["", "", "", "[0]", "[2, 2]", "[1, 0]", "[1, 1]", "False", "[0, 0]", "1", "[True, True, False]"])",
     110592, 221184, 3840, 6912},
    // conv2d(dilation=2, padding=1)
    {"[[1, 3, 20, 20], [4, 3, 5, 5], [], [], [], [], [], [], []]",
     R"(["", "", "", "[1, 1]", "[1, 1]", "[2, 2]", "False", "[0, 0]", "1"])",
     "[[1, 4, 14, 14], [1, 3, 20, 20], [4, 3, 5, 5], [], [], [], [], [], [], [], []]",
     R"(["", "", "", "[0]", "[1, 1]", "[1, 1]", "[2, 2]", "False", "[0, 0]", "1", "[True, True, False]"])",
     117600, 235200, 2284, 3784},
    // conv1d(stride=3)
    {"[[3, 6, 50], [9, 6, 7], [], [], [], [], [], [], []]",
     R"(["", "", "", "[3]", "[0]", "[1]", "False", "[0]", "1"])",
     "[[3, 9, 15], [3, 6, 50], [9, 6, 7], [], [], [], [], [], [], [], []]",
     R"(["", "", "", "[0]", "[3]", "[0]", "[1]", "False", "[0]", "1", "[True, True, False]"])",
     34020, 68040, 1683, 2961},
    // conv3d(padding=1)
    {"[[2, 4, 8, 9, 10], [5, 4, 3, 2, 1], [], [], [], [], [], [], []]",
     R"(["", "", "", "[1, 1, 1]", "[1, 1, 1]", "[1, 1, 1]", "False", "[0, 0, 0]", "1"])",
     "[[2, 5, 8, 10, 12], [2, 4, 8, 9, 10], [5, 4, 3, 2, 1], [], [], [], [], [], [], [], []]",
     R"(["", "", "", "[0]", "[1, 1, 1]", "[1, 1, 1]", "[1, 1, 1]", "False", "[0, 0, 0]", "1", "[True, True, False]"])",
     460800, 921600, 15480, 21360},
    // conv_transpose2d(stride=2, output_padding=1)
    {"[[2, 8, 12, 10], [8, 5, 3, 3], [], [], [], [], [], [], []]",
     R"(["", "", "", "[2, 2]", "[0, 0]", "[1, 1]", "True", "[1, 1]", "1"])",
     "[[2, 5, 26, 22], [2, 8, 12, 10], [8, 5, 3, 3], [], [], [], [], [], [], [], []]",
     R"(["", "", "", "[0]", "[2, 2]", "[0, 0]", "[1, 1]", "True", "[1, 1]", "1", "[True, True, False]"])",
     172800, 345600, 8000, 10280},
    // conv2d(groups=2)
    {"[[2, 8, 12, 10], [16, 4, 3, 3], [], [], [], [], [], [], []]",
     R"(["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "2"])",
     "[[2, 16, 10, 8], [2, 8, 12, 10], [16, 4, 3, 3], [], [], [], [], [], [], [], []]",
     R"(["", "", "", "[0]", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "2", "[True, True, False]"])",
     184320, 368640, 5056, 7552},
    // conv_transpose2d(stride=2, groups=4)
    {"[[2, 8, 12, 10], [8, 5, 3, 3], [], [], [], [], [], [], []]",
     R"(["", "", "", "[2, 2]", "[0, 0]", "[1, 1]", "True", "[0, 0]", "4"])",
     "[[2, 20, 25, 21], [2, 8, 12, 10], [8, 5, 3, 3], [], [], [], [], [], [], [], []]",
     R"(["", "", "", "[0]", "[2, 2]", "[0, 0]", "[1, 1]", "True", "[0, 0]", "4", "[True, True, False]"])",
     172800, 345600, 23280, 25560},
};

TEST(Convolution, has_the_operations_that_pytorch_counts) {
  for (const Case& each : cases) {
    const auto forward = convolution_of("aten::convolution", each.forward_dims, each.forward);
    const auto backward =
        convolution_of("aten::convolution_backward", each.backward_dims, each.backward);
    ASSERT_TRUE(forward && backward) << each.forward;
    EXPECT_EQ(forward->operations, each.operations) << each.forward;
    EXPECT_EQ(backward->operations, each.backward_operations) << each.backward;
    EXPECT_EQ(forward->elements, each.elements) << each.forward;
    EXPECT_EQ(backward->elements, each.backward_elements) << each.backward;
  }
}

TEST(Convolution, that_computes_one_gradient_has_half_the_operations_of_two) {
  const Case& both = cases[0];
  std::string one(both.backward);
  one.replace(one.find("True, True"), 10, "True, False");
  const auto of_x = convolution_of("aten::convolution_backward", both.backward_dims, one);
  EXPECT_EQ(of_x->operations, both.backward_operations / 2);
  // The gradient of the result, x or its gradient, and the weights or theirs.
  EXPECT_EQ(of_x->elements, both.elements);
  one.replace(one.find("True, False, False"), 18, "False, True, True");
  EXPECT_EQ(convolution_of("aten::convolution_backward", both.backward_dims, one)->operations,
            both.backward_operations / 2);
  one.replace(one.find("False, True, True"), 17, "False, False, True");
  EXPECT_EQ(convolution_of("aten::convolution_backward", both.backward_dims, one)->operations, 0);
}

TEST(Convolution, of_a_library_has_its_arguments_in_another_order) {
  // The second case, as cudnn_convolution(x, weight, padding, stride, dilation, groups, …) and as
  // miopen_convolution(x, weight, bias, padding, stride, dilation, groups, …).
  EXPECT_EQ(convolution_of("aten::cudnn_convolution", "[[2, 8, 12, 10], [16, 8, 3, 3], [], []]",
                           R"(["", "", "[1, 0]", "[2, 2]", "[1, 1]", "1", "False"])")
                ->operations,
            110592);
  EXPECT_EQ(convolution_of("aten::miopen_convolution", "[[2, 8, 12, 10], [16, 8, 3, 3], [], []]",
                           R"(["", "", "", "[1, 0]", "[2, 2]", "[1, 1]", "1", "False"])")
                ->operations,
            110592);
}

TEST(Convolution, is_written_with_the_settings_that_tell_it_from_others) {
  const auto shapes = [](const Case& each) {
    return convolution_of("aten::convolution", each.forward_dims, each.forward)->shapes;
  };
  EXPECT_EQ(shapes(cases[1]),
            "[1, 3, 20, 20] * [4, 3, 5, 5] stride [1, 1] padding [1, 1] dilation [2, 2]");
  EXPECT_EQ(shapes(cases[6]),
            "[2, 8, 12, 10] * [8, 5, 3, 3] stride [2, 2] padding [0, 0] groups 4 transposed, "
            "output_padding [0, 0]");
  EXPECT_EQ(convolution_of("aten::convolution_backward", cases[2].backward_dims, cases[2].backward)
                ->shapes,
            "[3, 6, 50] * [9, 6, 7] stride [3] padding [0] output_mask [True, True, False]");
}

TEST(Convolution, without_its_settings_or_shapes_is_not_known) {
  const auto known = [](std::string_view op, std::string_view dims, std::string_view concrete) {
    return convolution_of(op, dims, concrete).has_value();
  };
  const Case& good = cases[0];
  EXPECT_TRUE(known("aten::_convolution", good.forward_dims, good.forward));
  EXPECT_FALSE(known("aten::conv2d", good.forward_dims, good.forward));
  EXPECT_FALSE(known("aten::convolution", good.forward_dims, ""));
  EXPECT_FALSE(known("aten::convolution", good.forward_dims, "["));
  EXPECT_FALSE(known("aten::convolution", good.forward_dims, R"(["", "", "", "[2, 2]"])"));
  EXPECT_FALSE(known("aten::convolution", "", good.forward));
  EXPECT_FALSE(known("aten::convolution", "[[2, 8, 12, 10]]", good.forward));
  EXPECT_FALSE(known("aten::convolution", "[[2, 8, 12, 10], [16, 8, 3]]", good.forward));
  EXPECT_FALSE(
      known("aten::convolution", "[[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]]", good.forward));
  EXPECT_FALSE(known("aten::convolution", "[[8, 12], [16, 8]]", good.forward));
}

}  // namespace
}  // namespace vitro::analyze
