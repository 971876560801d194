// Fusion: which compute nodes become one kernel, the reasons for refusals, and the number of tries
// in large programs.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/programs.h"
#include "eager/eager.h"

namespace vitro::backend {
namespace {

// The sentence of the refusal between two compute nodes, or "" where there is none.
std::string refusal(const Compiled& c, std::string_view producer, std::string_view consumer) {
  for (const FusionReport& d : c.report.fusion) {
    if (d.producer == producer && d.consumer == consumer && !d.verdict) {
      EXPECT_TRUE(d.verdict.code) << "a refusal without a code";
      return d.verdict.why;
    }
  }
  return {};
}

size_t occurrences(const std::string& text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(Fuse, cos_and_sin_of_one_tensor_are_one_read_and_one_write) {
  const Compiled c = compile_graph(graph_of({{10000}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{cos(in[0]) + sin(in[0])};
  }));
  ASSERT_EQ(c.report.kernels.size(), 1u);
  const std::string& source = c.report.kernels[0].source;
  EXPECT_EQ(occurrences(source, "load("), 1u) << source;
  EXPECT_EQ(occurrences(source, "store("), 1u) << source;
}

// Counted work: ops that all read one tensor were tried with each other, every two of them.
TEST(Fuse, tries_as_often_per_op_in_large_programs) {
  const auto tries = [](int ops) {
    const graph::Graph g = graph_of({{64}}, [=](std::vector<Tensor> in) {
      std::vector<Tensor> out;
      for (int i = 0; i < ops; ++i) out.push_back(in[0] * (i + 0.5));
      return out;
    });
    const Program program(g);
    const Groups groups = fuse(program);
    EXPECT_LE(groups.groups.size(), static_cast<size_t>(ops / 90 + 1));
    return groups.decisions.size();
  };
  EXPECT_LE(tries(2000), 9 * tries(500) / 2);
}

TEST(Fuse, the_kernel_reads_like_the_program) {
  const Compiled c = compile_graph(graph_of({{32, 8}, {8}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{exp(in[0]) * in[1]};
  }));
  const std::string& source = c.report.kernels.at(0).source;
  EXPECT_EQ(source.substr(source.find("extern")),
            R"(extern "C" void exp_mul(const KernelArgs* args, i64 begin, i64 end) {
  const f32* x = (const f32*)args->buffers[0];
  const f32* y = (const f32*)args->buffers[1];
  f32* mul_out = (f32*)args->buffers[2];
  for (i64 i0 = begin; i0 < end; ++i0) {
    for (i64 i1 = 0; i1 < 8; i1 += 16) {
      const i64 count = 8 - i1;
      const Vec<f32> exp_1 = exp(load(x + 8 * i0 + i1, count));
      const Vec<f32> mul = exp_1 * load(y + i1, count);
      store(mul_out + 8 * i0 + i1, mul, count);
    }
  }
}
)");
}

// A program that joins `count` inputs.
Compiled joined(size_t count, int64_t size) {
  return compile_graph(graph_of(std::vector<Sizes>(count, {size}), [](std::vector<Tensor> in) {
    return std::vector<Tensor>{cat(in, 0)};
  }));
}

TEST(Fuse, parts_of_one_tensor_are_written_by_one_kernel_in_loops_of_their_own) {
  eager::init();
  Compiled c = joined(12, 640);
  ASSERT_EQ(c.report.launches.size(), 1u);
  EXPECT_EQ(occurrences(c.report.kernels[0].source, "+= 16"), 12u) << c.report.kernels[0].source;
  std::vector<Tensor> inputs;
  for (uint32_t i = 0; i < 12; ++i) inputs.push_back(random_tensor({640}, i));
  expect_same_bits(c.run(inputs)[0], cat(inputs, 0));
}

// A cat of cats, along one dimension or two: each part is copied once, if nothing else reads the
// inner ones.
TEST(Fuse, parts_of_parts_are_written_where_they_end) {
  eager::init();
  const auto program = [](bool reads_inner, int64_t inner, int64_t outer) {
    return [=](const std::vector<Tensor>& in) {
      const Tensor a = cat({in[0], in[1]}, inner), b = cat({in[2], in[3]}, inner);
      std::vector<Tensor> out{cat({a, b}, outer)};
      if (reads_inner) out.push_back(mm(a, in[4]));
      return out;
    };
  };
  std::vector<Sizes> sizes(4, {6, 40});
  sizes.push_back({40, 8});
  std::vector<Tensor> in;
  for (const Sizes& s : sizes) in.push_back(random_tensor(s, static_cast<uint32_t>(in.size())));
  const auto copies = [&](const Function& f) {
    Compiled c = compile_graph(passed_graph_of(sizes, f));
    const std::vector<Tensor> got = c.run(in), want = f(in);
    for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
    return c.report.launches.size();
  };
  for (const int64_t inner : {0, 1})
    for (const int64_t outer : {0, 1}) EXPECT_EQ(copies(program(false, inner, outer)), 1U);
  EXPECT_GT(copies(program(true, 0, 1)), 2U) << "the product reads a cat that is in memory";
}

TEST(Fuse, five_hundred_parts_are_a_few_kernels) {
  const Compiled c = joined(500, 64);
  EXPECT_LE(c.report.launches.size(), 16u);
  EXPECT_EQ(c.report.kernels.size(), 2u) << "those of as many parts as a kernel may have, the rest";
}

TEST(Fuse, stores_that_share_what_they_read_stay_in_one_loop) {
  const Compiled c = compile_graph(graph_of({{4096}}, [](std::vector<Tensor> in) {
    const Tensor x = in[0];
    return std::vector<Tensor>{x + 1, x + 2, x + 3, x + 4, x + 5, x + 6};
  }));
  ASSERT_EQ(c.report.launches.size(), 1u);
  EXPECT_EQ(occurrences(c.report.kernels[0].source, "+= 16"), 1u) << c.report.kernels[0].source;
}

TEST(Fuse, reductions_over_other_dimensions_are_other_kernels) {
  const Compiled c = compile_graph(graph_of({{8, 9}}, [](std::vector<Tensor> in) {
    const Tensor e = exp(in[0]);
    return std::vector<Tensor>{sum(e, {0}), sum(e, {1})};
  }));
  EXPECT_EQ(c.report.kernels.size(), 2u);
  EXPECT_NE(refusal(c, "sum", "sum_1").find("reduces"), std::string::npos);
}

TEST(Fuse, a_row_of_a_product_is_reduced_by_another_kernel) {
  const Compiled c = compile_graph(graph_of({{8, 9}, {9, 7}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{sum(mm(in[0], in[1]), {1})};
  }));
  EXPECT_EQ(c.report.launches.size(), 2u);  // product, sum
  EXPECT_FALSE(refusal(c, "mm", "sum").empty());
}

TEST(Fuse, what_takes_many_operations_is_computed_before_elements_are_put_one_at_a_time) {
  const auto kernels = [](const std::function<Tensor(const Tensor&)>& put, int64_t dim) {
    const graph::Graph g = graph_of({{40, 30}}, [&](std::vector<Tensor> in) {
      const Tensor indices = remainder(to(arange(40 * 30), DType::i64), 30);
      return std::vector<Tensor>{
          scatter_add(zeros({40, 30}), dim, view(indices, {40, 30}), put(in[0]))};
    });
    return compile_graph(g).report.kernels.size();
  };
  const auto cheap = [](const Tensor& x) { return x * 2; };
  const auto dear = [](const Tensor& x) { return exp(sin(x)); };
  EXPECT_EQ(kernels(dear, 1), kernels(cheap, 1) + 1);  // along the rows: one after the other
  EXPECT_EQ(kernels(dear, 0), kernels(cheap, 0));      // sixteen columns together
}

TEST(Fuse, parts_of_a_cat_are_put_at_parts_of_the_indices) {
  const Function f = [](const std::vector<Tensor>& in) {
    const Tensor indices = remainder(to(arange(50) * 7, DType::i64), 100);
    return std::vector<Tensor>{scatter_add(zeros({100}), 0,
                                           cat({slice(indices, 0, 0, 25), slice(indices, 0, 25)}),
                                           cat({slice(in[0], 0, 0, 25), slice(in[0], 0, 25) * 2}))};
  };
  eager::init();
  Compiled c = compile_graph(graph_of({{50}}, f));
  const Tensor x = random_tensor({50});
  expect_same_bits(c.run({x})[0], f({x})[0]);
}

TEST(Fuse, siblings_that_read_the_same_are_one_kernel) {
  const Compiled c = compile_graph(graph_of({{1000}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{exp(in[0]), tanh(in[0])};
  }));
  EXPECT_EQ(c.report.kernels.size(), 1u);
}

TEST(Fuse, a_group_does_not_wait_for_itself) {
  const Compiled c = compile_graph(graph_of({{8, 9}}, [](std::vector<Tensor> in) {
    const Tensor e = exp(in[0]);
    const Tensor total = sum(sum(e, {1}), {0});
    return std::vector<Tensor>{e * total};
  }));
  EXPECT_GE(c.report.kernels.size(), 2u);
}

// The sum waits for the row, which is one kernel with what waits for the second exp.
TEST(Fuse, siblings_do_not_wait_for_each_other_by_way_of_a_third_group) {
  const Compiled c = compile_graph(graph_of({{33, 3}, {3}}, [](std::vector<Tensor> in) {
    const Tensor row = exp(in[1]), sum = in[0] + row, second = exp(in[0]);
    return std::vector<Tensor>{row, sum, second, sin(row) + select(second, 0, 0)};
  }));
  EXPECT_EQ(c.report.launches.size(), 3u);
  EXPECT_EQ(refusal(c, "add", "exp_1"), "another kernel runs between them");
}

TEST(Fuse, without_fusion_every_item_is_a_kernel) {
  BuildOptions options;
  options.fuse.fuse = false;
  const Compiled c = compile_graph(
      graph_of({{1000}},
               [](std::vector<Tensor> in) { return std::vector<Tensor>{exp(tanh(in[0])) + 1}; }),
      options);
  EXPECT_EQ(c.report.launches.size(), 3u);
}

TEST(Fuse, kernels_that_do_the_same_are_compiled_once) {
  BuildOptions options;
  options.fuse.fuse = false;
  const Compiled c = compile_graph(
      graph_of({{1000}},
               [](std::vector<Tensor> in) { return std::vector<Tensor>{tanh(tanh(tanh(in[0])))}; }),
      options);
  EXPECT_EQ(c.report.launches.size(), 3u);
  EXPECT_EQ(c.report.kernels.size(), 1u);
}

}  // namespace
}  // namespace vitro::backend
