// Kernels that differ only in the offsets into their buffers have one text.
#include "backend/lower/share_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backend/fuse/groups.h"
#include "programs.h"

namespace vitro::backend {
namespace {

BuildOptions groups_of_8() {
  return {.fuse = {.fuse = true, .max_compute_nodes = 8}};
}

std::vector<Tensor> counted(size_t count, const Sizes& sizes, DType dtype = DType::f32) {
  eager::init();
  std::vector<Tensor> out;
  for (size_t i = 0; i < count; ++i) {
    const Tensor x = random_tensor(sizes, static_cast<uint32_t>(i)) * 40.0;
    out.push_back(is_bool(dtype) ? x > 0.0 : to(x, dtype));
  }
  return out;
}

// Compiles with groups of at most eight compute nodes and compares with eager.
CompileReport report_of(const std::vector<Tensor>& inputs, const Function& f) {
  std::vector<Sizes> sizes;
  for (const Tensor& t : inputs) sizes.push_back(t.sizes());
  Compiled c = compile_graph(graph_of(sizes, f, true, inputs[0].dtype()), groups_of_8());
  if (std::getenv("VITRO_SHOW")) show(c);
  const std::vector<Tensor> want = f(inputs), got = c.run(inputs);
  for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  return std::move(c.report);
}

Function stacked(int dim) {
  return [=](std::vector<Tensor> in) { return std::vector<Tensor>{stack(in, dim)}; };
}
Function joined(int dim) {
  return [=](std::vector<Tensor> in) { return std::vector<Tensor>{cat(in, dim)}; };
}

size_t launches_of(const CompileReport& r, size_t kernel) {
  return static_cast<size_t>(std::ranges::count(r.launches, kernel, &LaunchReport::kernel));
}

TEST(ShareKernels, of_a_long_cat_are_as_many_as_those_of_a_longer_one) {
  for (const Function& f : {stacked(0), stacked(1), stacked(2), joined(0), joined(1)}) {
    for (const size_t count : {19U, 35U, 83U}) {
      const CompileReport r = report_of(counted(count, {5, 7}), f);
      EXPECT_EQ(r.launches.size(), count / 8 + 1);
      EXPECT_EQ(r.kernels.size(), 2U) << "those of eight, and the rest";
      EXPECT_EQ(launches_of(r, 0), count / 8);
      EXPECT_NE(r.kernels[0].source.find("with different buffer offsets"), std::string::npos);
    }
  }
}

TEST(ShareKernels, of_every_dtype_write_where_no_vector_is_aligned) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64, DType::i32,
                            DType::i16, DType::i8, DType::u8, DType::boolean}) {
    const CompileReport rows = report_of(counted(27, {3, 37}, dtype), joined(0));
    const CompileReport columns = report_of(counted(27, {3, 37}, dtype), joined(1));
    EXPECT_EQ(rows.kernels.size(), 2U) << vitro::name_of(dtype);
    EXPECT_EQ(columns.kernels.size(), 2U) << vitro::name_of(dtype);
  }
}

TEST(ShareKernels, that_compute_what_they_write_and_read_at_offsets) {
  const CompileReport r = report_of(counted(2, {40, 6}), [](std::vector<Tensor> in) {
    std::vector<Tensor> parts;
    for (int64_t i = 0; i < 36; ++i)
      parts.push_back(tanh(slice(in[0], 0, i, i + 5)) * select(in[1], 0, 3));
    return std::vector<Tensor>{cat(parts, 0), stack(parts, 2)};
  });
  EXPECT_LE(r.kernels.size(), 4U);
  EXPECT_GE(r.launches.size(), 5U);
}

TEST(ShareKernels, that_read_what_is_turned_over_or_lies_apart) {
  const auto f = [](std::vector<Tensor> in) {
    std::vector<Tensor> turned, apart;
    for (int64_t i = 0; i < 24; ++i) {
      turned.push_back(transpose(slice(in[0], 1, i, i + 4), 0, 1));
      apart.push_back(slice(select(in[1], 0, i % 9), 0, i % 4, 26 + i % 4, 2));
    }
    return std::vector<Tensor>{cat(turned, 1), cat(turned, 0), stack(apart, 1), stack(apart, 0)};
  };
  const CompileReport r = report_of(counted(2, {9, 30}), f);
  EXPECT_LE(r.kernels.size(), 8U);
  EXPECT_GE(r.launches.size(), 12U);
}

TEST(ShareKernels, of_sizes_that_a_call_decides_get_offsets_of_that_call) {
  constexpr size_t count = 35;
  for (const int dim : {0, 1}) {
    const Size n(12, sym::Expr::symbol("s0"));
    const auto f = joined(dim);
    Compiled c = compile_graph(graph_of(std::vector<Sizes>(count, {n, n}), f), groups_of_8());
    EXPECT_EQ(c.report.launches.size(), count / 8 + 1);
    EXPECT_EQ(c.report.kernels.size(), 2U);
    for (const int64_t size : {1, 3, 12, 33}) {
      const std::vector<Tensor> in = counted(count, {size, size});
      expect_same_bits(c.run(in, {size})[0], f(in)[0]);
    }
  }
}

TEST(ShareKernels, of_empty_parts_and_of_launches_cut_for_threads) {
  std::vector<Tensor> inputs = counted(40, {700, 33});
  inputs[3] = inputs[20] = Tensor::empty({700, 0});
  const CompileReport r = report_of(inputs, joined(1));
  EXPECT_EQ(r.launches.size(), 5U);
  EXPECT_EQ(r.kernels.size(), 2U);
}

// Writes exp of each row over three rows of `x`, `step` rows apart.
Tensor overwritten(Tensor x, std::span<const Tensor> rows, int64_t step) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t at = step * static_cast<int64_t>(i);
    x = slice_scatter(x, exp(rows[i]), 0, at, at + 3);
  }
  return x;
}

TEST(ShareKernels, that_overwrite_an_input) {
  for (const int64_t step : {4, 3, 1}) {
    std::vector<Tensor> inputs = counted(20, {3, 5});
    inputs.insert(inputs.begin(), random_tensor({80, 5}, 77));
    const Tensor want = overwritten(inputs[0], std::span(inputs).subspan(1), step);
    graph::Builder b;
    std::vector<Tensor> in;
    for (const Tensor& t : inputs) in.push_back(b.input(cat("x", in.size()), f32(t.sizes())));
    {
      const Using use(&b);
      b.output(overwritten(in[0], std::span(in).subspan(1), step), 0);
    }
    Compiled c = compile_graph(b.take(), groups_of_8());
    EXPECT_LE(c.report.kernels.size(), 2U);
    EXPECT_GE(c.report.launches.size(), 3U);
    (void)c.run(inputs);
    expect_same_bits(inputs[0], want);
  }
}

// Rows of inputs are not adjacent and not aligned to vectors.
TEST(ShareKernels, that_read_inputs_that_are_not_contiguous) {
  for (const bool turned : {false, true}) {
    std::vector<Tensor> inputs;
    for (const Tensor& t : counted(27, {9, 41})) {
      const Tensor part = slice(slice(t, 1, 3, 40), 0, 1, 8);
      inputs.push_back(turned ? transpose(part, 0, 1) : part);
    }
    graph::Builder b;
    std::vector<Tensor> in;
    for (const Tensor& t : inputs) {
      TensorMeta meta = f32(t.sizes());
      meta.strides = t.strides();
      in.push_back(b.input(cat("x", in.size()), meta));
    }
    {
      const Using use(&b);
      b.set_expand(true);
      b.output(cat(in, 1));
      b.output(stack(in, 0));
    }
    Compiled c = compile_graph(b.take(), groups_of_8());
    if (std::getenv("VITRO_SHOW")) show(c);
    EXPECT_LE(c.report.kernels.size(), 4U);
    EXPECT_GE(c.report.launches.size(), 7U);
    const std::vector<Tensor> got = c.run(inputs);
    expect_same_bits(got[0], cat(inputs, 1));
    expect_same_bits(got[1], stack(inputs, 0));
  }
}

std::vector<LoweredKernel> lowered(const graph::Graph& g) {
  const Program program(g);
  const Groups groups = fuse(program, {.fuse = true, .max_compute_nodes = 8});
  BufferAssignment assignment(program, groups);
  std::vector<LoweredKernel> out;
  for (const Group& group : groups.groups) {
    for (LoweredKernel& kernel : lower(program, assignment, group))
      out.push_back(std::move(kernel));
  }
  return out;
}

// Offsets of a kernel that is not shared are constants in its text.
TEST(ShareKernels, leave_kernels_alone_that_no_other_is_like) {
  const graph::Graph programs[] = {
      graph_of({{64, 30}},
               [](std::vector<Tensor> in) {
                 return std::vector<Tensor>{exp(in[0]) * 2.0, sum(in[0], {1}),
                                            softmax(slice(in[0], 1, 3, 20), 1)};
               }),
      graph_of({{4, 5}, {4, 7}, {4, 9}}, joined(1)),
      graph_of({{40}, {40}},
               [](std::vector<Tensor> in) {
                 return std::vector<Tensor>{in[0] + in[1], tanh(slice(in[0], 0, 3, 9))};
               }),
  };
  for (const graph::Graph& g : programs) {
    std::vector<LoweredKernel> kernels = lowered(g);
    const std::string before = readable_text(write_sources(kernels, g.symbols()));
    share_kernels(kernels);
    for (const LoweredKernel& kernel : kernels) EXPECT_TRUE(kernel.offsets.empty());
    EXPECT_EQ(readable_text(write_sources(kernels, g.symbols())), before);
  }
}

TEST(ShareKernels, leave_no_offset_in_the_text_and_one_in_each_launch) {
  std::vector<LoweredKernel> kernels = lowered(graph_of(std::vector<Sizes>(24, {4, 5}), joined(1)));
  ASSERT_EQ(kernels.size(), 3U);
  share_kernels(kernels);
  EXPECT_TRUE(kernels[0].offsets.empty());
  for (const int64_t which : {1, 2}) {
    Expr sum = 0;
    for (const Expr offset : kernels[static_cast<size_t>(which)].offsets) sum = sum + offset;
    EXPECT_EQ(sum, Expr(which * 40)) << "of the result alone";
  }
}

}  // namespace
}  // namespace vitro::backend
