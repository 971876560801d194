// Products of f32 by parts of bf16: for which operands and machines they are chosen.
#include <gtest/gtest.h>

#include "backend/programs.h"
#include "backend/schedule/products.h"
#include "kernels/machine.h"

namespace vitro::backend {
namespace {

MachineModel with_tiles(bool has = true) {
  MachineModel machine;
  machine.bf16_tiles = has;
  return machine;
}

// Executables ask the device for the blocks of their products, which need its tiles.
class PartsOnTiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!kernels::machine_has_bf16_tiles())
      GTEST_SKIP() << "this machine does not have AMX tiles for bf16";
  }
};

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

TEST_F(PartsOnTiles, are_for_parameters_of_f32_that_are_contiguous_along_k) {
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
  EXPECT_TRUE(should_keep_parts(machine, 196, 128, 256).ok);
  EXPECT_FALSE(should_keep_parts(machine, 49, 128, 256).ok) << "few rows for so many weights";
  EXPECT_FALSE(should_keep_parts(machine, 3136, 64, 32).ok) << "blocks of little depth";
}

kernels::Windows windows_3x3(int64_t size, int64_t stride, int64_t channels) {
  const int64_t out = (size - 1) / stride + 1;
  return {{1, size, size}, {1, out, out}, {1, 3, 3}, {1, stride, stride},
          {1, 1, 1},       {0, 1, 1},     {0, 0, 0}, 0,
          channels};
}

TEST(Parts, of_windows_need_enough_positions_for_their_weights) {
  const MachineModel machine = with_tiles();
  const auto chosen = [&](int64_t size, int64_t stride, int64_t channels, int64_t columns) {
    return static_cast<bool>(
        choose_split(machine, {windows_3x3(size, stride, channels), 1, columns}).verdict);
  };
  EXPECT_TRUE(chosen(56, 2, 128, 128));
  EXPECT_TRUE(chosen(28, 2, 256, 256));
  EXPECT_FALSE(chosen(14, 2, 512, 512)) << "49 positions for 2.4 million weights";
  EXPECT_FALSE(chosen(56, 2, 128, 32)) << "few columns";
  EXPECT_FALSE(chosen(56, 2, 4, 128)) << "few channels";
  EXPECT_FALSE(choose_split(with_tiles(false), {windows_3x3(56, 2, 128), 1, 128}).verdict);
}

TEST(Parts, of_windows_are_split_in_blocks_that_leave_room_in_the_cache) {
  const MachineModel machine = with_tiles();
  for (const int64_t size : {28, 56, 112, 200}) {
    const kernels::Windows windows = windows_3x3(size, 2, 128);
    const SplitChoice choice = choose_split(machine, {windows, 4, 128});
    ASSERT_TRUE(choice.verdict);
    EXPECT_TRUE(choice.most_rows % windows.out[2] == 0 || choice.most_rows < windows.out[2])
        << "lines are divided only if one is too long";
    const kernels::SplitScratch scratch(windows, choice.most_rows);
    EXPECT_LE(4 * (scratch.operand + scratch.sums), machine.l2_bytes / 16 * 9);
  }
}

struct Windowed {
  Sizes x{1, 64, 56, 56}, w{128, 64, 3, 3};
  int64_t groups = 1;
  bool exact = false;
  graph::InputKind kind = graph::InputKind::parameter;
  DType dtype = DType::f32;
};
bool splits(const Windowed& of) {
  eager::init();
  BuildOptions options;
  options.machine = with_tiles();
  options.exact = of.exact;
  // What follows reads the channels of a position together.
  const Sizes last = of.x.size() == 5 ? Sizes{8, 128, 1, 1, 1} : Sizes{8, 128, 1, 1};
  const auto convolve = [=](const std::vector<Tensor>& in) {
    const ops::ConvAttrs attrs{.stride = 2, .padding = 1, .groups = of.groups};
    return std::vector<Tensor>{of.x.size() == 5 ? conv3d(conv3d(in[0], in[1], {}, attrs), in[2])
                                                : conv2d(conv2d(in[0], in[1], {}, attrs), in[2])};
  };
  const Compiled c =
      compile_graph(graph_of({of.x, of.w, last}, convolve, true, of.dtype, of.kind), options);
  std::string all;
  for (const KernelReport& kernel : c.report.kernels) all += kernel.loops;
  return all.find(" in blocks of up to ") != std::string::npos;
}

TEST_F(PartsOnTiles, of_windows_are_for_parameters_of_f32_of_one_group_in_two_dimensions) {
  EXPECT_TRUE(splits({}));
  EXPECT_FALSE(splits({.exact = true}));
  EXPECT_FALSE(splits({.kind = graph::InputKind::argument}));
  EXPECT_FALSE(splits({.dtype = DType::f64}));
  EXPECT_FALSE(splits({.w = {128, 32, 3, 3}, .groups = 2}));
  EXPECT_FALSE(splits({.x = {1, 64, 3, 56, 56}, .w = {128, 64, 3, 3, 3}}));
}

}  // namespace
}  // namespace vitro::backend
