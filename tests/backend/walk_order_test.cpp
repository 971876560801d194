// Reductions of tensors that memory holds in another order: what their lanes go along.
#include "backend/lower/walk_order.h"

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
bool walk_across(const std::vector<std::string>& kernels) {
  return hold(kernels, "load_strided") || hold(kernels, "store_strided") ||
         hold(kernels, "gather(") || hold(kernels, "scatter(");
}

using Fold = Tensor (*)(const Tensor& x, int64_t dim);
constexpr Fold folds[] = {
    [](const Tensor& x, int64_t dim) { return sum(x, {dim}); },
    [](const Tensor& x, int64_t dim) { return amax(x, {dim}); },
    [](const Tensor& x, int64_t dim) { return argmax(x, dim); },
    [](const Tensor& x, int64_t dim) { return var(x, {dim}); },
};

TEST(WalkOrder, kept_dimensions_are_walked_as_memory_holds_them) {
  for (const Fold fold : folds) {
    for (const Ints& order : {Ints{1, 0, 2}, Ints{0, 2, 1}}) {
      const auto kernels = check({random_tensor({40, 33, 50})}, [&](std::vector<Tensor> in) {
        return std::vector<Tensor>{fold(permute(in[0], order), 0)};
      });
      EXPECT_EQ(kernels.size(), 1u);
      EXPECT_FALSE(hold(kernels, "gather(")) << kernels[0];
      EXPECT_FALSE(hold(kernels, "load_strided")) << kernels[0];
    }
  }
}

TEST(WalkOrder, folds_along_memory_are_turned_over_where_lanes_go_across) {
  for (const Fold fold : folds) {
    for (const Sizes& sizes :
         {Sizes{100, 333}, Sizes{64, 64}, Sizes{17, 5000}, Sizes{5, 4, 9, 40}}) {
      const auto kernels = check({random_tensor(sizes)}, [&](std::vector<Tensor> in) {
        const Tensor rows = flatten(in[0], 0, -2);
        return std::vector<Tensor>{fold(t(rows), 0)};
      });
      EXPECT_TRUE(hold(kernels, "transpose_block(x")) << kernels[0];
      EXPECT_FALSE(walk_across(kernels)) << kernels[0];
    }
  }
}

TEST(WalkOrder, each_walk_across_memory_is_a_kernel_of_its_own) {
  for (const int64_t dim : {0, 1}) {
    const auto kernels = check({random_tensor({100, 200})}, [&](std::vector<Tensor> in) {
      return std::vector<Tensor>{softmax(t(in[0]), dim)};
    });
    EXPECT_EQ(kernels.size(), 3u);
    EXPECT_FALSE(walk_across(kernels)) << kernels[0] << kernels[1] << kernels[2];
  }
  // Along memory they stay one.
  for (const int64_t dim : {0, 1}) {
    const auto kernels = check({random_tensor({100, 200})}, [&](std::vector<Tensor> in) {
      return std::vector<Tensor>{softmax(in[0], dim)};
    });
    EXPECT_EQ(kernels.size(), 1u);
  }
}

TEST(WalkOrder, few_columns_are_not_walked_one_by_one) {
  const auto kernels = check({random_tensor({100, 40, 3})}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{sum(permute(in[0], {1, 0, 2}), {0})};
  });
  EXPECT_TRUE(hold(kernels, "gather(")) << kernels[0];  // of 300 columns
}

TEST(WalkOrder, sizes_that_are_symbols) {
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
