// Another machine changes parameters, not code: each decision on a small machine and on a large
// one.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/programs.h"
#include "backend/schedule/elementwise.h"
#include "backend/schedule/fusion.h"
#include "backend/schedule/products.h"
#include "backend/schedule/reductions.h"
#include "runtime/cpu/machine.h"

namespace vitro::backend {
namespace {

constexpr MachineModel small{.l1_bytes = 16 << 10,
                             .l2_bytes = 256 << 10,
                             .l3_bytes = 8 << 20,
                             .threads = 16,
                             .overlapped_steps = 30,
                             .panel_columns = 32};
constexpr MachineModel large{.l1_bytes = 64 << 10,
                             .l2_bytes = 4 << 20,
                             .l3_bytes = 256 << 20,
                             .threads = 128,
                             .overlapped_steps = 120,
                             .panel_columns = 64};

TEST(Schedule, the_host_has_what_its_machine_tells) {
  const runtime::Machine& machine = runtime::machine();
  const MachineModel& host = host_machine_model();
  const auto told = [](size_t bytes, int64_t otherwise) {
    return bytes > 0 ? static_cast<int64_t>(bytes) : otherwise;
  };
  EXPECT_EQ(host.l1_bytes, told(machine.l1d_bytes, MachineModel{}.l1_bytes));
  EXPECT_EQ(host.l2_bytes, told(machine.l2_bytes, MachineModel{}.l2_bytes));
  EXPECT_EQ(host.l3_bytes, told(machine.l3_bytes, MachineModel{}.l3_bytes));
  EXPECT_EQ(host.threads, std::max(16, machine.available_threads));
}

TEST(Schedule, groups_grow_to_their_limits) {
  const FuseOptions options{.fuse = true, .max_compute_nodes = 4, .max_parts = 2};
  EXPECT_TRUE(should_grow(options, 4, 2));
  EXPECT_EQ(should_grow(options, 5, 2).why, "5 ops, the limit is 4");
  EXPECT_EQ(should_grow(options, 4, 3).why, "3 parts, the limit is 2");
}

TEST(Schedule, sweeps_leave_what_the_last_cache_holds) {
  EXPECT_FALSE(is_worth_leaving(small, 20, 4 << 20));
  EXPECT_TRUE(is_worth_leaving(large, 20, 4 << 20));
  EXPECT_FALSE(is_worth_leaving(large, 2, 4 << 20)) << "cheap to compute again";
  EXPECT_FALSE(is_worth_leaving(large, 20, std::nullopt)) << "of any size";
  MachineModel slow_memory = large;
  slow_memory.operations_of_fetch = 24;
  EXPECT_FALSE(is_worth_leaving(slow_memory, 20, 4 << 20)) << "computed again in the meantime";
  EXPECT_TRUE(hides_fetches(large, 20));
  EXPECT_FALSE(hides_fetches(slow_memory, 20));
  EXPECT_LT(most_bytes_of_row(small), most_bytes_of_row(large));
  EXPECT_LT(most_bytes_of_strip(small), most_bytes_of_strip(large));
}

TEST(Schedule, pieces_stay_in_the_cache_of_a_core_and_keep_all_threads_busy) {
  const Reductions reductions{
      .tasks = 100, .blocks = 1 << 20, .block_bytes = 1024, .takes_columns = false};
  // Blocks of 1 KiB in a quarter of the L2 cache.
  EXPECT_EQ(blocks_of_piece(small, reductions), 256 / 4);
  EXPECT_EQ(blocks_of_piece(large, reductions), 4096 / 4);
  EXPECT_EQ(should_share_reductions(small, reductions).why,
            "there are enough reductions for all threads");
  EXPECT_TRUE(should_share_reductions(large, reductions));
  Reductions brief = reductions;
  brief.blocks = 1000;
  EXPECT_EQ(should_share_reductions(large, brief).why, "its reductions are short");
}

TEST(Schedule, sweeps_are_apart_where_a_reduction_leaves_the_cache_or_threads_have_nothing_to_do) {
  Reductions reductions{.tasks = 16, .blocks = 2048, .block_bytes = 1024, .takes_columns = true};
  EXPECT_EQ(should_sweep_apart(small, reductions).why,
            "the next sweep would not find the columns in the cache");
  EXPECT_TRUE(should_sweep_apart(large, reductions));
  EXPECT_NE(should_sweep_apart(large, reductions).why, should_sweep_apart(small, reductions).why);
  reductions.tasks = 64;
  EXPECT_EQ(should_sweep_apart(large, reductions).why,
            "a task finds its reduction in the cache when it sweeps again");
}

TEST(Schedule, strips_of_columns_and_blocks_of_rows_fit_the_cache) {
  // 200 rows of f32 in a quarter of the L2 cache: 81 columns, in whole vectors of 16; at most 1024.
  EXPECT_EQ(columns_of_strip(small, 1000, 200, true), 80);
  EXPECT_EQ(columns_of_strip(large, 1000, 200, true), 1024);
  RowBlocks in_small{}, in_large{};
  ASSERT_TRUE(should_block_rows(small, 4096, 1000, 4, &in_small));
  EXPECT_EQ(should_block_rows(large, 8192, 1000, 4, &in_large).why,
            "rows are strided in memory: 64 at a time are transposed");
  // Rows of 1000 f32, 4 KiB with their pitch, in a quarter of the L2 cache; at most 64.
  EXPECT_EQ(in_small.rows, 64 / 4);
  EXPECT_EQ(in_large.rows, 64);
  EXPECT_EQ(should_block_rows(small, 4096, 10000, 4, &in_small).why,
            "a block would not stay in the cache");
  EXPECT_EQ(should_block_rows(large, 256, 20000, 4, &in_large).why,
            "there would be too few blocks for the threads");
}

TEST(Schedule, loops_are_cut_into_tiles_and_tasks_of_the_machine) {
  EXPECT_EQ(should_cut_loop(small, 100, 1 << 20).why, "the other loops have tasks for all threads");
  EXPECT_TRUE(should_cut_loop(large, 100, 1 << 20));
  EXPECT_EQ(should_cut_loop(large, 100, 1000).why, "the innermost loop is short");
  // The largest of 16, 32 and 64 of which 64 rows of 8 bytes leave a quarter of the L1 cache.
  EXPECT_EQ(width_of_tile(small, 8), 16);
  EXPECT_EQ(width_of_tile(large, 8), 64);
}

TEST(Schedule, chains_are_cut_where_a_core_no_longer_looks_ahead) {
  EXPECT_TRUE(is_deep(small, 50));
  EXPECT_FALSE(is_deep(large, 50));
  EXPECT_EQ(should_cut_into_stages(32, 50, 2).why, "the loop is short");
}

TEST(Schedule, products_pack_by_the_width_of_panels_and_cut_rows_for_the_threads) {
  EXPECT_TRUE(should_pack_left(small, 120, 4000, true));
  EXPECT_EQ(should_pack_left(large, 120, 4000, true).why,
            "packed, as few rows (120) are multiplied");
  EXPECT_TRUE(should_pack_left(large, 64, 1024, false));
  EXPECT_EQ(should_pack_left(large, 60, 4000, false).why,
            "packed, as few rows (60) are multiplied");
  // A task for each thread: 1024 / 16 rows, and 1024 / 128, which is less than the least, 16.
  EXPECT_TRUE(rows_of_chain(small, 1024, 1).is(64));
  EXPECT_TRUE(rows_of_chain(large, 1024, 1).is(16));
  EXPECT_EQ(should_read_weights(std::nullopt).why, "packed once for calls of every size");
  EXPECT_EQ(should_read_weights(8).why, "packed once, as few rows (8) are multiplied");
}

// Kernels for both machines, which differ, have the bits of eager.
void check(const std::vector<Sizes>& sizes, const Function& f) {
  eager::init();
  const graph::Graph g = graph_of(sizes, f);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < sizes.size(); ++i) {
    inputs.push_back(random_tensor(sizes[i], static_cast<uint32_t>(i + 1)));
  }
  const std::vector<Tensor> want = f(inputs);
  std::vector<std::string> texts;
  for (const MachineModel& machine : {small, large}) {
    BuildOptions options;
    options.machine = machine;
    Compiled c = compile_graph(g, options);
    const std::vector<Tensor> got = c.run(inputs);
    for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
    std::string& text = texts.emplace_back();
    for (const KernelReport& kernel : c.report.kernels) text += kernel.source;
  }
  EXPECT_NE(texts[0], texts[1]);
}

TEST(Schedule, a_long_sum_has_other_pieces_and_the_same_bits) {
  check({{3, 700000}}, [](std::vector<Tensor> in) { return std::vector<Tensor>{sum(in[0], {1})}; });
}

TEST(Schedule, softmax_down_columns_has_other_sweeps_and_the_same_bits) {
  check({{600, 1000}},
        [](std::vector<Tensor> in) { return std::vector<Tensor>{softmax(in[0], 0)}; });
}

TEST(Schedule, a_transposed_sum_has_other_tiles_and_the_same_bits) {
  check({{300, 500}, {500, 300}, {500, 300}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{exp(in[0]) + t(in[1]) * t(in[2])};
  });
}

TEST(Schedule, a_chain_of_functions_has_other_stages_and_the_same_bits) {
  check({{5000}}, [](std::vector<Tensor> in) { return std::vector<Tensor>{tanh(tanh(in[0]))}; });
}

}  // namespace
}  // namespace vitro::backend
