// Chains of products in bands of lines: the same bits as kernel by kernel, and when a chain is one.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/programs.h"
#include "backend/schedule/bands.h"
#include "kernels/bands.h"
#include "vitro/runtime/parallel.h"

namespace vitro::backend {
namespace {

// Convolutions with a relu after each, over an image whose channels are last.
struct Chain {
  struct Conv {
    int64_t columns;
    std::vector<int64_t> taps;
    Dims stride = {}, padding = {}, padding_after = {}, dilation = {};
    bool depthwise = false;
  };
  Sizes x;  // channels last
  std::vector<Conv> convs;
  bool adds_x = false;  // to the last result

  std::vector<Sizes> sizes() const {
    std::vector<Sizes> out{x};
    Size channels = x.back();
    for (const Conv& conv : convs) {
      Sizes& weight = out.emplace_back(Sizes{conv.columns, conv.depthwise ? Size(1) : channels});
      for (const int64_t taps : conv.taps) weight.push_back(taps);
      channels = conv.columns;
    }
    return out;
  }
  std::vector<Tensor> inputs() const {
    std::vector<Tensor> out;
    for (const Sizes& s : sizes())
      out.push_back(random_tensor(s, static_cast<uint32_t>(out.size() + 1)));
    return out;
  }
  Function function() const {
    return [chain = *this](const std::vector<Tensor>& in) {
      const auto rank = static_cast<int64_t>(chain.x.size());
      Dims first{0, rank - 1}, last{0};
      for (int64_t d = 1; d + 1 < rank; ++d) first.push_back(d);
      for (int64_t d = 2; d < rank; ++d) last.push_back(d);
      last.push_back(1);
      const Tensor image = permute(in[0], first);
      Tensor y = image;
      for (size_t i = 0; i < chain.convs.size(); ++i) {
        const Conv& c = chain.convs[i];
        const size_t spatial = c.taps.size();
        const auto given = [&](const Dims& dims, int64_t otherwise) {
          return dims.empty() ? Dims(spatial, otherwise) : dims;
        };
        ops::ConvolveAttrs a{
            given(c.stride, 1), {}, {}, given(c.dilation, 1), c.depthwise ? c.columns : 1};
        for (const int64_t p : given(c.padding, 0)) a.padding.push_back(p);
        for (const int64_t p : given(c.padding_after.empty() ? c.padding : c.padding_after, 0))
          a.padding_after.push_back(p);
        y = relu(convolve(y, in[i + 1], a));
      }
      if (chain.adds_x) y = y + image;
      return std::vector<Tensor>{clone(permute(y, last), {ops::MemoryFormat::contiguous})};
    };
  }
};

Chain::Conv expand(int64_t columns) {
  return {columns, {1, 1}};
}
Chain::Conv depthwise(int64_t columns, int64_t stride = 1) {
  return {columns, {3, 3}, {stride, stride}, {1, 1}, {}, {}, true};
}

// For a machine that computes so fast that only its cache decides.
BuildOptions with_l2(int64_t bytes) {
  BuildOptions options = for_any_host();
  options.machine->l2_bytes = bytes;
  options.machine->operations_of_fetch = 1000;
  options.machine->threads = 4;
  return options;
}

// The number of launches that compute several products.
size_t joined(const Compiled& c) {
  return static_cast<size_t>(std::ranges::count_if(c.report.launches, [&](const LaunchReport& l) {
    return c.report.kernel_of(l).reason.starts_with("bands of ");
  }));
}

// Every way in which a band needs lines of what is passed on.
const std::vector<std::pair<std::string, Chain>> chains{
    {"two products", {{1, 40, 30, 8}, {expand(32), depthwise(32)}}},
    {"three products", {{1, 37, 30, 8}, {expand(33), depthwise(33), expand(7)}}},
    {"a stride", {{1, 41, 31, 8}, {expand(32), depthwise(32, 2), expand(24)}}},
    {"several images", {{3, 29, 30, 8}, {expand(32), depthwise(32, 2), expand(24)}}},
    {"a residual", {{2, 40, 31, 8}, {expand(40), depthwise(40), expand(8)}, true}},
    {"two blocks",
     {{1, 40, 31, 20},
      {expand(40), depthwise(40), expand(20), expand(40), depthwise(40, 2), expand(12)}}},
    {"windows of all channels",
     {{1, 40, 20, 6}, {{20, {3, 3}, {}, {1, 1}}, {18, {3, 2}, {2, 1}, {1, 0}, {2, 1}}}}},
    {"dilated windows that leave the image",
     {{1, 60, 20, 6}, {expand(40), {40, {3, 3}, {}, {4, 4}, {6, 3}, {2, 3}, true}}}},
    {"windows that begin inside the image",
     {{1, 60, 20, 6}, {expand(40), {40, {3, 3}, {}, {-3, 0}, {-2, 1}, {}, true}}}},
    {"lines that no window reads",
     {{1, 90, 20, 6}, {expand(40), {40, {2, 2}, {5, 3}, {1, 0}, {}, {}, true}}}},
    {"one dimension", {{2, 900, 8}, {{24, {1}}, {24, {3}, {1}, {1}, {}, {}, true}}}},
    {"three dimensions",
     {{1, 20, 8, 9, 8}, {{24, {1, 1, 1}}, {24, {3, 3, 3}, {}, {1, 1, 1}, {}, {}, true}}}},
};

TEST(Bands, have_the_bits_of_single_kernels_and_of_eager) {
  eager::init();
  for (const auto& [name, chain] : chains) {
    SCOPED_TRACE(name);
    const std::vector<Tensor> in = chain.inputs();
    for (const DType dtype : {DType::f32, DType::f64}) {
      std::vector<Tensor> given;
      for (const Tensor& t : in) given.push_back(to(t, dtype));
      const Tensor want = chain.function()(given)[0];
      const graph::Graph g = graph_of(chain.sizes(), chain.function(), true, dtype);
      Compiled single = compile_graph(g, with_l2(64 << 20));
      EXPECT_EQ(joined(single), 0U);
      expect_same_bits(single.run(given)[0], want);
      size_t most_joined = 0;
      for (const int64_t kib : {24, 40, 64, 96, 160, 256}) {
        Compiled c = compile_graph(g, with_l2(kib * 256 * bytes_of(dtype)));
        most_joined = std::max(most_joined, joined(c));
        if (joined(c) > 0) {
          EXPECT_LT(c.report.launches.size(), single.report.launches.size());
          EXPECT_LT(c.report.arena_bytes, single.report.arena_bytes);
        }
        expect_same_bits(c.run(given)[0], want);
      }
      EXPECT_GE(most_joined, 1U);
    }
  }
}

TEST(Bands, have_the_same_bits_on_any_number_of_threads) {
  eager::init();
  const int before = num_threads();
  const Chain chain{{2, 120, 60, 16}, {expand(64), depthwise(64), expand(16)}, true};
  const std::vector<Tensor> in = chain.inputs();
  const Tensor want = chain.function()(in)[0];
  for (const int threads : {1, 2, 3, 7, 16}) {
    set_num_threads(threads);
    Compiled c = compile_graph(graph_of(chain.sizes(), chain.function()), with_l2(256 << 10));
    EXPECT_EQ(joined(c), 1U);
    for (int i = 0; i < 5; ++i) expect_same_bits(c.run(in)[0], want);
  }
  set_num_threads(before);
}

TEST(Bands, take_any_number_of_images) {
  eager::init();
  Chain chain{
      {Size(5, Expr::symbol("s0")), 40, 31, 8}, {expand(40), depthwise(40), expand(8)}, true};
  Compiled c = compile_graph(graph_of(chain.sizes(), chain.function()), with_l2(128 << 10));
  EXPECT_EQ(joined(c), 1U);
  for (const int64_t images : {1, 4, 3}) {
    chain.x[0] = images;
    const std::vector<Tensor> in = chain.inputs();
    expect_same_bits(c.run(in, {images})[0], chain.function()(in)[0]);
  }
}

// What a kernel of bands moves is what single kernels move without what they pass on.
TEST(Bands, pass_on_what_single_kernels_write_and_read) {
  const Chain chain{{1, 40, 30, 8}, {expand(32), depthwise(32), expand(24)}};
  const graph::Graph g = graph_of(chain.sizes(), chain.function());
  const auto bytes_of = [](const Compiled& c) {
    int64_t sum = 0;
    for (const LaunchReport& l : c.report.launches) sum += std::stol(c.report.kernel_of(l).bytes);
    return sum;
  };
  const Compiled single = compile_graph(g, with_l2(64 << 20)),
                 c = compile_graph(g, with_l2(96 << 10));
  ASSERT_EQ(joined(c), 1U);
  EXPECT_EQ(bytes_of(c), bytes_of(single) - 2 * 2 * (40 * 30 * 32 * 4));
  EXPECT_EQ(c.report.launches.size(), single.report.launches.size() - 2);
}

TEST(Bands, are_named_where_kernels_are_explained) {
  const Chain chain{{1, 40, 30, 8}, {expand(32), depthwise(32), expand(24)}};
  const Compiled c = compile_graph(graph_of(chain.sizes(), chain.function()), with_l2(96 << 10));
  const std::string& text = c.report.kernels.back().source;
  EXPECT_NE(text.find("conv1x1 8→32, depthwise conv3x3 32, conv1x1 32→24"), std::string::npos)
      << text;
  EXPECT_NE(text.find("one kernel: bands of up to "), std::string::npos) << text;
  const auto said = [&](bool ok, std::string_view why) {
    return std::ranges::any_of(c.report.fusion, [&](const FusionReport& d) {
      return d.verdict.ok == ok && d.verdict.why.find(why) != std::string::npos;
    });
  };
  EXPECT_TRUE(said(true, " lines stay in the L2 cache"));
}

// A chain of which another kernel reads something, or that fits the cache, stays apart.
TEST(Bands, say_that_a_product_in_them_is_not_exact) {
  const Chain chain{{1, 40, 30, 128}, {expand(128), depthwise(128), expand(64)}};
  BuildOptions options = with_l2(512 << 10);
  options.exact = false;
  for (const bool tiles : {true, false}) {
    options.machine->bf16_tiles = tiles;
    const Compiled c = compile_graph(
        graph_of(chain.sizes(), chain.function(), true, DType::f32, graph::InputKind::parameter),
        options);
    ASSERT_EQ(joined(c), 1U);
    const KernelReport& kernel = c.report.kernels.back();
    EXPECT_EQ(kernel.schedule.find("not exact") != std::string::npos, tiles) << kernel.source;
    EXPECT_NE(kernel.source.find(kernel.schedule), std::string::npos) << kernel.source;
  }
}

TEST(Bands, end_where_what_is_passed_on_is_needed_elsewhere) {
  eager::init();
  const Chain chain{{1, 40, 30, 8}, {expand(32), depthwise(32)}};
  const std::vector<Tensor> in = chain.inputs();
  const Function also_returned = [](const std::vector<Tensor>& given) {
    const Tensor x = relu(conv2d(permute(given[0], {0, 3, 1, 2}), given[1]));
    const Tensor y = relu(conv2d(x, given[2], {}, {.padding = {1, 1}, .groups = 32}));
    return std::vector<Tensor>{permute(y, {0, 2, 3, 1}) + 1, permute(x, {0, 2, 3, 1}) + 1};
  };
  const Function read_twice = [](const std::vector<Tensor>& given) {
    const Tensor x = relu(conv2d(permute(given[0], {0, 3, 1, 2}), given[1]));
    const Tensor y = relu(conv2d(x, given[2], {}, {.padding = {1, 1}, .groups = 32}));
    return std::vector<Tensor>{permute(x + y, {0, 2, 3, 1}) + 1};
  };
  for (const Function& f : {also_returned, read_twice}) {
    Compiled c = compile_graph(graph_of(chain.sizes(), f), with_l2(96 << 10));
    EXPECT_EQ(joined(c), 0U);
    const std::vector<Tensor> want = f(in), got = c.run(in);
    for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  }
  BuildOptions unfused = with_l2(96 << 10);
  unfused.fuse.fuse = false;
  EXPECT_EQ(joined(compile_graph(graph_of(chain.sizes(), chain.function()), unfused)), 0U);
}

constexpr MachineModel small{.l2_bytes = 256 << 10}, large{.l2_bytes = 4 << 20};

TEST(Bands, are_made_of_what_leaves_the_cache) {
  EXPECT_EQ(should_pass_in_bands(small, 128 << 10).why,
            "its 131072 bytes stay in the L2 cache until they are read");
  EXPECT_TRUE(should_pass_in_bands(small, (128 << 10) + 1));
  EXPECT_FALSE(should_pass_in_bands(large, (128 << 10) + 1));
}

TEST(Bands, are_as_high_as_fits_the_cache) {
  // Lines of 10 KiB; the second product reads 3 for one of its lines, the third one.
  BandChain chain{{{1 << 20, 100, 10 << 10, 1, 3}, {1 << 20, 100, 10 << 10, 1, 1}}, 100, 8 << 10};
  BandHeight height;
  ASSERT_TRUE(can_band(small, chain, &height));
  // (n + 2 + n) * 10 + 8 KiB of 128; 4 of 6 lines are new.
  EXPECT_EQ(height.most, 5);
  EXPECT_EQ(height.least, 4);
  EXPECT_EQ(lines_of_band(chain, 5), (std::vector<int64_t>{7, 5}));
  ASSERT_TRUE(can_band(large, chain, &height));
  EXPECT_EQ(height.most, 100) << "(100 + 100) * 10 + 8 of 2048 KiB";
  chain.weight_bytes = 100 << 10;
  EXPECT_EQ(can_band(small, chain, &height).why,
            "a band of 4 lines needs 204800 bytes, more than half of the L2 cache");
  chain.weight_bytes = 8 << 10;
  chain.passed[1].piece_bytes = 30 << 10;  // after every few rows: (n + 2) * 10 + 30 + 8 KiB of 128
  ASSERT_TRUE(can_band(small, chain, &height));
  EXPECT_EQ(height.most, 7);
  chain.weight_bytes = chain.passed[1].piece_bytes = 0;
  chain.passed[0].stride = 2;  // for 2 lines 5, of which 4 are new
  ASSERT_TRUE(can_band(small, chain, &height));
  EXPECT_EQ(height.least, 1);
  EXPECT_EQ(lines_of_band(chain, 3), (std::vector<int64_t>{7, 3}));
}

TEST(Bands, leave_no_thread_of_a_large_machine_idle) {
  // Of 4 lines at least, as each needs 2 more of what is passed on.
  BandChain chain{{{1 << 20, 56, 1 << 10, 1, 3}}, 56};
  BandHeight height;
  MachineModel machine{.threads = 28};
  EXPECT_TRUE(can_band(machine, chain, &height));
  machine.threads = 64;
  EXPECT_EQ(can_band(machine, chain, &height).why,
            "its 14 bands of 4 lines are too few for 64 threads");
  chain.images = 3;
  EXPECT_TRUE(can_band(machine, chain, &height));
}

TEST(Bands, cost_the_lines_that_threads_compute_again) {
  // For 2 lines 4 of what is passed on: each of 5 bands begins with 2 lines of another one.
  BandChain chain{{{1 << 20, 10, 1 << 10, 1, 3, 0, 8000}}, 10};
  MachineModel machine{.threads = 16, .operations_of_fetch = 8};
  EXPECT_EQ(recomputed_bytes(machine, chain, 2), 5 * 2 * 8000 / 16 * 4);
  EXPECT_EQ(recomputed_bytes(machine, chain, 10), 0);
  chain.images = 3;
  EXPECT_EQ(recomputed_bytes(machine, chain, 2), 3 * 5 * 2 * 8000 / 16 * 4);
  machine.threads = 3;  // which keep what their next bands need
  EXPECT_EQ(recomputed_bytes(machine, chain, 2), 3 * 2 * 8000 / 16 * 4);
  chain.passed.push_back({1 << 20, 10, 1 << 10, 2, 3, 0, 1000});  // 2 lines need 5, and these 7
  chain.lines = 5;
  EXPECT_EQ(recomputed_bytes(machine, chain, 2), 3 * (3 * 8000 + 1000) / 16 * 4);
  chain.passed = {{1 << 20, 10, 1 << 10, 1, 1, 0, 8000}};
  EXPECT_EQ(recomputed_bytes(machine, chain, 2), 0);
}

TEST(Bands, are_cut_where_that_costs_least) {
  using Firsts = std::vector<size_t>;
  const auto up_to = [](size_t most, int64_t cost = 0) {
    return [=](size_t first, size_t last) -> std::optional<int64_t> {
      return last - first < most ? std::optional(cost) : std::nullopt;
    };
  };
  EXPECT_EQ(cut_into_chains({}, up_to(1)), (Firsts{0}));
  EXPECT_EQ(cut_into_chains(std::vector<int64_t>{5, 5}, up_to(3)), (Firsts{0, 0, 0}));
  EXPECT_EQ(cut_into_chains(std::vector<int64_t>{5, 5}, up_to(1)), (Firsts{0, 1, 2}));
  // The longest chain from the first product would have a cut where most is passed on.
  EXPECT_EQ(cut_into_chains(std::vector<int64_t>{5, 1, 9, 5}, up_to(3)), (Firsts{0, 0, 2, 2, 2}));
  // Chains that cost more than what they save.
  EXPECT_EQ(cut_into_chains(std::vector<int64_t>{5, 5}, up_to(3, 11)), (Firsts{0, 1, 2}));
  // Of equal costs the fewest cuts.
  EXPECT_EQ(cut_into_chains(std::vector<int64_t>{5, 0, 5}, up_to(4)), (Firsts{0, 0, 0, 0}));
}

TEST(Bands, pass_on_the_smaller_images) {
  eager::init();
  // After a stride many channels follow few ones: a band of all products would not fit.
  const Chain chain{{1, 80, 60, 16},
                    {depthwise(16), expand(8), expand(48), depthwise(48, 2), expand(12)}};
  const std::vector<Tensor> in = chain.inputs();
  Compiled c = compile_graph(graph_of(chain.sizes(), chain.function()), with_l2(112 << 10));
  EXPECT_EQ(joined(c), 2U);
  expect_same_bits(c.run(in)[0], chain.function()(in)[0]);
  std::vector<std::string> names;
  for (const LaunchReport& l : c.report.launches) {
    if (c.report.kernel_of(l).reason.starts_with("bands of "))
      names.push_back(c.report.kernel_of(l).source);
  }
  ASSERT_EQ(names.size(), 2U);
  EXPECT_NE(names[1].find("conv1x1 8→48, depthwise conv3x3 48 /2, conv1x1 48→12"),
            std::string::npos)
      << names[1];
}

TEST(Bands, cover_every_line_once_and_have_tasks_for_threads) {
  for (const long lines : {1, 7, 56, 113}) {
    for (const long images : {0, 1, 5}) {
      for (const long most : {1, 4, 200}) {
        for (const long threads : {1, 2, 16}) {
          const kernels::BandCut cut = kernels::cut_bands(images, lines, most, 1, threads);
          long next = 0;
          for (long task = 0; task < cut.count; ++task) {
            const kernels::Band band = cut.band(task);
            EXPECT_EQ(band.image * lines + band.lines.first, next);
            EXPECT_GT(band.lines.end, band.lines.first);
            EXPECT_LE(band.lines.end - band.lines.first, most);
            next = band.image * lines + band.lines.end;
          }
          EXPECT_EQ(next, images * lines);
        }
      }
    }
  }
  EXPECT_EQ(kernels::cut_bands(1, 56, 14, 4, 1).count, 4);
  EXPECT_EQ(kernels::cut_bands(1, 56, 14, 4, 4).count, 8) << "two for each thread";
  EXPECT_EQ(kernels::cut_bands(1, 56, 14, 4, 64).count, 14) << "of at least 4 lines";
  EXPECT_EQ(kernels::cut_bands(4, 56, 56, 4, 4).count, 8) << "two of each image";
}

TEST(Bands, need_the_lines_that_windows_read) {
  const auto below = [](long first, long end, long padding, long reach) {
    const kernels::Lines lines = kernels::lines_below({first, end}, 20, 2, padding, reach);
    return std::pair(lines.first, lines.end);
  };
  EXPECT_EQ(below(0, 3, 1, 3), std::pair(0L, 6L));
  EXPECT_EQ(below(3, 6, 1, 3), std::pair(5L, 12L));
  EXPECT_EQ(below(9, 10, 1, 5), std::pair(17L, 20L));
  EXPECT_EQ(below(0, 2, 9, 3), std::pair(0L, 0L)) << "before the image";
  EXPECT_EQ(below(20, 22, 0, 3), std::pair(20L, 20L)) << "after the image";
}

}  // namespace
}  // namespace vitro::backend
