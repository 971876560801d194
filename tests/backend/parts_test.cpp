// Products of f32 by parts of bf16: for which operands and machines they are chosen.
#include <gtest/gtest.h>

#include "backend/programs.h"
#include "backend/schedule/products.h"

namespace vitro::backend {
namespace {

MachineModel with_tiles(bool has = true) {
  MachineModel machine;
  machine.bf16_tiles = has;
  return machine;
}

// The kernels of relu(x * w^T), or of x * w, on a machine with tiles.
std::string loops_of(const Sizes& x, const Sizes& w, bool exact = false,
                     graph::InputKind kind = graph::InputKind::parameter, bool transposed = true,
                     DType dtype = DType::f32, bool tiles = true) {
  eager::init();
  BuildOptions options;
  options.machine = with_tiles(tiles);
  options.exact = exact;
  const Compiled c = compile_graph(graph_of(
                                       {x, w},
                                       [=](const std::vector<Tensor>& in) {
                                         return std::vector<Tensor>{relu(mm(
                                             in[0], transposed ? permute(in[1], {1, 0}) : in[1]))};
                                       },
                                       true, dtype, kind),
                                   options);
  std::string all;
  for (const KernelReport& kernel : c.report.kernels) all += kernel.loops;
  return all;
}
bool has_parts(const std::string& loops) {
  const bool packs = loops.find("as parts of bf16") != std::string::npos,
             multiplies = loops.find("by six products of bf16") != std::string::npos;
  EXPECT_EQ(packs, multiplies) << loops;
  return multiplies;
}

TEST(Parts, are_for_parameters_of_f32_that_are_contiguous_along_k) {
  using graph::InputKind;
  EXPECT_TRUE(has_parts(loops_of({128, 256}, {512, 256})));
  EXPECT_FALSE(has_parts(loops_of({128, 256}, {512, 256}, true))) << "exact";
  EXPECT_FALSE(has_parts(loops_of({128, 256}, {512, 256}, false, InputKind::argument)));
  EXPECT_FALSE(has_parts(loops_of({128, 256}, {256, 512}, false, InputKind::parameter, false)));
  EXPECT_FALSE(
      has_parts(loops_of({128, 256}, {512, 256}, false, InputKind::parameter, true, DType::f64)));
  EXPECT_FALSE(
      has_parts(loops_of({128, 256}, {512, 256}, false, InputKind::parameter, true, DType::bf16)));
  EXPECT_FALSE(has_parts(
      loops_of({128, 256}, {512, 256}, false, InputKind::parameter, true, DType::f32, false)))
      << "a machine without tiles";
}

TEST(Parts, need_sizes_that_fill_tiles) {
  const MachineModel machine = with_tiles();
  const auto chosen = [&](int64_t m, int64_t n, int64_t k) {
    return should_multiply_parts(machine, m, n, k).ok;
  };
  EXPECT_TRUE(chosen(512, 128, 256));
  EXPECT_TRUE(chosen(1000, 64, 784));
  EXPECT_FALSE(chosen(512, 32, 256)) << "few columns: splitting costs more than multiplying";
  EXPECT_FALSE(chosen(512, 1, 256));
  EXPECT_FALSE(chosen(8, 128, 256)) << "few rows";
  EXPECT_FALSE(chosen(512, 128, 10)) << "most of a tile is empty";
  EXPECT_FALSE(should_multiply_parts(machine, std::nullopt, 128, 256).ok);
  EXPECT_FALSE(should_multiply_parts(machine, 512, std::nullopt, 256).ok);
  EXPECT_FALSE(should_multiply_parts(with_tiles(false), 512, 128, 256).ok);
  EXPECT_TRUE(should_keep_parts(machine, 512, 128, 256).ok);
  EXPECT_FALSE(should_keep_parts(machine, 196, 128, 256).ok) << "few rows for so many weights";
  EXPECT_FALSE(should_keep_parts(machine, 3136, 64, 64).ok) << "blocks of little depth";
}

}  // namespace
}  // namespace vitro::backend
