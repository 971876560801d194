// Reductions of tensors that memory holds in another order: what their lanes go along.
#include "backend/lower/sweep_order.h"

#include <algorithm>

#include "backend/programs.h"
#include "eager/eager.h"

namespace vitro::backend {
namespace {

// The text of each kernel; they give the same bits as eager.
std::vector<std::string> check(const std::vector<Tensor>& inputs, const Function& f) {
  std::vector<std::string> text;
  const CompileReport report = check_bits(inputs, f);
  for (const KernelReport& k : report.kernels) text.push_back(k.source);
  return text;
}

bool hold(const std::vector<std::string>& kernels, std::string_view word) {
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](const std::string& text) { return text.find(word) != std::string::npos; });
}

// What lanes that go across memory need.
bool strides_across(const std::vector<std::string>& kernels) {
  return hold(kernels, "load_strided") || hold(kernels, "store_strided") ||
         hold(kernels, "gather(") || hold(kernels, "scatter(");
}

using Reduce = Tensor (*)(const Tensor& x, int64_t dim);
constexpr Reduce reductions[] = {
    [](const Tensor& x, int64_t dim) { return sum(x, {dim}); },
    [](const Tensor& x, int64_t dim) { return amax(x, {dim}); },
    [](const Tensor& x, int64_t dim) { return argmax(x, dim); },
    [](const Tensor& x, int64_t dim) { return var(x, {dim}); },
};

TEST(SweepOrder, kept_dimensions_are_swept_as_memory_holds_them) {
  for (const Reduce reduce : reductions) {
    for (const Ints& order : {Ints{1, 0, 2}, Ints{0, 2, 1}}) {
      const auto kernels = check({random_tensor({40, 33, 50})}, [&](std::vector<Tensor> in) {
        return std::vector<Tensor>{reduce(permute(in[0], order), 0)};
      });
      EXPECT_EQ(kernels.size(), 1u);
      EXPECT_FALSE(hold(kernels, "gather(")) << kernels[0];
      EXPECT_FALSE(hold(kernels, "load_strided")) << kernels[0];
    }
  }
}

TEST(SweepOrder, reductions_along_memory_are_turned_over_where_lanes_go_across) {
  for (const Reduce reduce : reductions) {
    for (const Sizes& sizes :
         {Sizes{100, 333}, Sizes{64, 64}, Sizes{17, 5000}, Sizes{5, 4, 9, 40}}) {
      const auto kernels = check({random_tensor(sizes)}, [&](std::vector<Tensor> in) {
        const Tensor rows = flatten(in[0], 0, -2);
        return std::vector<Tensor>{reduce(t(rows), 0)};
      });
      EXPECT_TRUE(hold(kernels, "transpose_block(x")) << kernels[0];
      EXPECT_FALSE(strides_across(kernels)) << kernels[0];
    }
  }
}

TEST(SweepOrder, each_sweep_across_memory_is_a_kernel_of_its_own) {
  for (const int64_t dim : {0, 1}) {
    const auto kernels = check({random_tensor({100, 200})}, [&](std::vector<Tensor> in) {
      return std::vector<Tensor>{softmax(t(in[0]), dim)};
    });
    EXPECT_EQ(kernels.size(), 3u);
    EXPECT_FALSE(strides_across(kernels)) << kernels[0] << kernels[1] << kernels[2];
  }
  // Along memory they stay one.
  for (const int64_t dim : {0, 1}) {
    const auto kernels = check({random_tensor({100, 200})}, [&](std::vector<Tensor> in) {
      return std::vector<Tensor>{softmax(in[0], dim)};
    });
    EXPECT_EQ(kernels.size(), 1u);
  }
}

// The softmax of a transposed matrix as its users get it: its rows lie along memory.
Tensor softmax_of_rows(const Tensor& x) {
  return contiguous(softmax(x, -1));
}

// As the gradient of an activation beside the sums that a batch norm needs of it.
TEST(SweepOrder, lanes_go_across_rows_that_are_stored_where_memory_does) {
  for (const Sizes& sizes : {Sizes{300, 90}, Sizes{12544, 32}, Sizes{49, 960}, Sizes{5000, 17}}) {
    const auto kernels =
        check({random_tensor(sizes), random_tensor(sizes, 2)}, [](std::vector<Tensor> in) {
          const Tensor y = exp(t(in[0]));
          return std::vector<Tensor>{y, sum(y, {1}), sum(y * t(in[1]), {1})};
        });
    EXPECT_FALSE(strides_across(kernels)) << kernels[0];
    EXPECT_FALSE(hold(kernels, "transpose_block(")) << kernels[0];
  }
  // Not of what reads their results.
  (void)check({random_tensor({40, 90})}, [](std::vector<Tensor> in) {
    const Tensor total = sum(exp(t(in[0])), {1});
    return std::vector<Tensor>{stack({total, total, total}, 1)};
  });
  // Nor if one of two results lies along the rows.
  const auto both = check({random_tensor({300, 90})}, [](std::vector<Tensor> in) {
    const Tensor y = exp(t(in[0]));
    return std::vector<Tensor>{y, contiguous(y * 2), sum(y, {1})};
  });
  EXPECT_TRUE(strides_across(both)) << both[0];
}

TEST(SweepOrder, rows_across_memory_are_turned_over_by_blocks_where_they_are_swept_again) {
  const auto one_kernel = [](const std::vector<Tensor>& inputs, const Function& f, size_t turns) {
    const auto kernels = check(inputs, f);
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_FALSE(strides_across(kernels)) << kernels[0];
    size_t found = 0;
    for (size_t at = 0; (at = kernels[0].find("transpose_block(", at)) != std::string::npos; ++at) {
      ++found;
    }
    EXPECT_EQ(found, turns) << kernels[0];
  };
  for (const Sizes& sizes : {Sizes{100, 200}, Sizes{8, 8}, Sizes{9, 1000}, Sizes{2048, 70},
                             Sizes{512, 512}, Sizes{333, 131}}) {
    one_kernel(
        {random_tensor(sizes)},
        [](std::vector<Tensor> in) { return std::vector<Tensor>{softmax_of_rows(t(in[0]))}; }, 1);
  }
  // Swept once, but written along the rows.
  one_kernel(
      {random_tensor({90, 300})},
      [](std::vector<Tensor> in) {
        const Tensor y = contiguous(exp(t(in[0])));
        return std::vector<Tensor>{y, sum(y, {1})};
      },
      1);
  // Beside what lies along memory; two that lie across it; not the innermost of three.
  const std::vector<Tensor> two = {random_tensor({300, 90}, 2), random_tensor({90, 300}, 3)};
  one_kernel(
      two,
      [](std::vector<Tensor> in) { return std::vector<Tensor>{softmax_of_rows(in[0] + t(in[1]))}; },
      1);
  one_kernel(
      {two[1], random_tensor({90, 300}, 4)},
      [](std::vector<Tensor> in) {
        return std::vector<Tensor>{softmax_of_rows(t(in[0]) * t(in[1]))};
      },
      2);
  one_kernel(
      {random_tensor({5, 64, 100})},
      [](std::vector<Tensor> in) {
        return std::vector<Tensor>{softmax_of_rows(permute(in[0], {0, 2, 1}))};
      },
      1);
}

TEST(SweepOrder, rows_across_memory_are_not_turned_over_where_a_block_is_too_large) {
  for (const Sizes& sizes : {Sizes{20000, 100}, Sizes{4000, 20}}) {
    const auto kernels = check({random_tensor(sizes)}, [](std::vector<Tensor> in) {
      return std::vector<Tensor>{softmax_of_rows(t(in[0]))};
    });
    EXPECT_GT(kernels.size(), 1u);
  }
}

TEST(SweepOrder, rows_of_an_unknown_number_are_turned_over_by_blocks) {
  eager::init();
  const graph::Graph g = graph_of(
      {{Size(64), Size(300, sym::Expr::symbol("s0"))}},
      [](std::vector<Tensor> in) { return std::vector<Tensor>{softmax_of_rows(t(in[0]))}; });
  Compiled c = compile_graph(g);
  ASSERT_EQ(c.report.kernels.size(), 1u);
  EXPECT_TRUE(hold({c.report.kernels[0].source}, "transpose_block("));
  for (const int64_t n : {1, 2, 63, 64, 65, 1000}) {
    const Tensor x = random_tensor({64, n});
    const std::vector<Tensor> want =
        graph::interpret(g, std::vector<Operand>{x}, std::vector<int64_t>{n});
    expect_same_bits(c.run({x}, {n})[0], want[0]);
  }
}

TEST(SweepOrder, few_columns_are_not_swept_one_by_one) {
  const auto kernels = check({random_tensor({100, 40, 3})}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{sum(permute(in[0], {1, 0, 2}), {0})};
  });
  EXPECT_TRUE(hold(kernels, "gather(")) << kernels[0];  // of 300 columns
}

TEST(SweepOrder, sizes_that_are_symbols) {
  eager::init();
  const auto size = [](int64_t hint, const char* name) {
    return Size(hint, sym::Expr::symbol(name));
  };
  const graph::Graph g =
      graph_of({{size(20, "s0"), size(30, "s1"), size(40, "s2")}}, [](std::vector<Tensor> in) {
        const Tensor x = permute(in[0], {1, 0, 2}), turned = permute(in[0], {2, 0, 1});
        return std::vector<Tensor>{sum(x, {0}), amax(turned, {0}), softmax(turned, 0),
                                   x - mean(x, {0})};
      });
  Compiled c = compile_graph(g);
  for (const std::vector<int64_t>& n :
       {std::vector<int64_t>{1, 2, 3}, {20, 30, 40}, {3, 100, 17}, {70, 1, 5}}) {
    const Tensor x = random_tensor({n[0], n[1], n[2]});
    const std::vector<Tensor> want = graph::interpret(g, std::vector<Operand>{x}, n);
    const std::vector<Tensor> got = c.run({x}, n);
    for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  }
}

}  // namespace
}  // namespace vitro::backend
