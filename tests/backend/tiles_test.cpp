// Operands and results that are not contiguous along the loops: what is transposed, and what is
// not.
#include "backend/lower/tiles.h"

#include "backend/programs.h"
#include "eager/eager.h"

namespace vitro::backend {
namespace {

// The text of all kernels; compares their results with eager, bit by bit.
std::string check(const std::vector<Tensor>& inputs, const Function& f) {
  std::string text;
  const CompileReport report = check_bits(inputs, f);
  for (const KernelReport& k : report.kernels) text += k.source;
  return text;
}

bool holds(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

TEST(Tiles, a_transpose_beside_the_matrix_is_read_in_tiles) {
  for (const int64_t n : {16, 64, 100, 250, 256}) {
    const std::string text = check({random_tensor({n, n})}, [](std::vector<Tensor> in) {
      return std::vector<Tensor>{in[0] + t(in[0])};
    });
    EXPECT_TRUE(holds(text, "transpose_block(x")) << text;
    EXPECT_TRUE(
        holds(text, "loops: x is strided along the result's rows: read in tiles of 64 by 64"))
        << text;
    EXPECT_FALSE(holds(text, "load_strided")) << text;
  }
}

TEST(Tiles, a_copy_is_turned_over_to_where_it_goes) {
  for (const Sizes& sizes : {Sizes{64, 64}, Sizes{1000, 40}, Sizes{17, 333}}) {
    const std::string text = check({random_tensor(sizes)}, [](std::vector<Tensor> in) {
      return std::vector<Tensor>{contiguous(t(in[0]))};
    });
    EXPECT_TRUE(holds(text, "transpose_block(x")) << text;
    EXPECT_FALSE(holds(text, "_tile[")) << text;
    EXPECT_FALSE(holds(text, "load")) << text;
  }
}

TEST(Tiles, elements_of_every_width_are_turned_over) {
  eager::init();
  for (const DType dtype :
       {DType::f64, DType::bf16, DType::f16, DType::i64, DType::i8, DType::boolean}) {
    const Tensor x = to(random_tensor({70, 90}) * 10, dtype);
    const std::string text = check({x}, [](std::vector<Tensor> in) {
      return std::vector<Tensor>{contiguous(t(in[0])), where(t(in[0]) > 0, 1.0, 2.0)};
    });
    EXPECT_TRUE(holds(text, "transpose_block(x")) << text;
  }
}

TEST(Tiles, dimensions_between_the_two_are_swept_by_tasks) {
  const std::string text = check({random_tensor({3, 20, 5, 33})}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{contiguous(permute(in[0], {0, 2, 3, 1})) * 2,
                               exp(contiguous(permute(in[0], {3, 2, 0, 1})))};
  });
  EXPECT_TRUE(holds(text, "transpose_block(x")) << text;
}

TEST(Tiles, several_operands_share_the_first_cache) {
  const Tensor x = random_tensor({128, 192}), y = random_tensor({192, 128}, 2),
               z = random_tensor({192, 128}, 3);
  const std::string text = check({x, y, z}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{in[0] + t(in[1]) * t(in[2])};
  });
  EXPECT_TRUE(
      holds(text, "loops: y, z are strided along the result's rows: read in tiles of 32 by 64"))
      << text;
}

TEST(Tiles, sizes_that_are_not_known_are_turned_over_too) {
  eager::init();
  const Size n(70, sym::Expr::symbol("s0"));
  graph::Builder b;
  const Tensor x = b.input("x", f32({n, n}));
  {
    const Using use(&b);
    b.set_expand(true);
    b.output(x + t(x));
  }
  Compiled c = compile_graph(b.take());
  EXPECT_TRUE(holds(c.report.kernels[0].source, "transpose_block(x"));
  for (const int64_t size : {1, 15, 70, 130}) {
    const Tensor value = random_tensor({size, size});
    expect_same_bits(c.run({value}, {size})[0], value + t(value));
  }
}

// Pixels of few channels: lanes go across the rows of the result, which are transposed.
TEST(Tiles, short_rows_of_a_result_are_computed_across_them) {
  const auto to_pixels = [](const Tensor& x) { return permute(x, {0, 2, 3, 1}); };
  for (const int64_t channels : {2, 3, 7}) {
    for (const Sizes& sizes : {Sizes{2, channels, 16, 16}, Sizes{3, channels, 17, 61}}) {
      const Tensor x = random_tensor(sizes), mean = random_tensor({channels}, 2);
      const std::string copied = check({x}, [&](std::vector<Tensor> in) {
        return std::vector<Tensor>{contiguous(to_pixels(in[0]))};
      });
      EXPECT_TRUE(holds(copied, "transpose_block(x")) << copied;
      EXPECT_FALSE(holds(copied, "load")) << copied;
      const std::string text = check({x, mean}, [&](std::vector<Tensor> in) {
        return std::vector<Tensor>{contiguous(exp(to_pixels(in[0]) - in[1])),
                                   contiguous(to_pixels(in[0]) > in[1])};
      });
      EXPECT_TRUE(holds(text, "x is strided along the result's rows, which are short")) << text;
      EXPECT_TRUE(holds(text, "transpose_block(clone_tile")) << text;
      EXPECT_TRUE(holds(text, "transpose_block(clone_1_tile")) << text;
      EXPECT_FALSE(holds(text, "load_strided")) << text;
    }
  }
}

TEST(Tiles, short_rows_beside_an_operand_along_them) {
  const Tensor x = random_tensor({3, 500}), y = random_tensor({500, 3}, 2);
  const std::string text = check({x, y}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{in[1] * t(in[0]), in[1] + 1};
  });
  EXPECT_TRUE(holds(text, "transpose_block(")) << text;
}

TEST(Tiles, what_lies_along_the_result_or_is_short_is_read_as_it_lies) {
  const Tensor x = random_tensor({128, 6}), y = random_tensor({128, 128});
  const auto none = [&](const Tensor& in, const Function& f) {
    EXPECT_FALSE(holds(check({in}, f), "transpose_block"));
  };
  none(x, [](std::vector<Tensor> in) { return std::vector<Tensor>{contiguous(t(in[0])) + 1}; });
  none(random_tensor({6, 7}),
       [](std::vector<Tensor> in) { return std::vector<Tensor>{contiguous(t(in[0])) + 1}; });
  none(y, [](std::vector<Tensor> in) { return std::vector<Tensor>{exp(t(in[0]))}; });
  none(y, [](std::vector<Tensor> in) { return std::vector<Tensor>{in[0] + in[0] * 2}; });
  none(y, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{slice(in[0], 1, 0, INT64_MAX, 2) + 1};
  });
}

}  // namespace
}  // namespace vitro::backend
