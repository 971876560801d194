// Tests averages and their table: self and total values, grouping, sorting, the notes at its end,
// and the CSV and JSON forms.
#include "vitro/profiler/averages.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "vitro/base/error.h"
#include "vitro/profiler/profiler.h"

namespace vitro {
namespace {

using events::intern;

// add [0, 100) contains mm [10, 60), which contains a kernel [20, 50); a second add [200, 230)
// contains an add [210, 220).
Profile sample() {
  const auto add = intern("aten::add"), mm = intern("aten::mm"), tile = intern("mm_tile");
  Track track;
  track.slices = {
      {.kind = SliceKind::op, .name_id = add, .begin = 0, .end = 100},
      {.kind = SliceKind::op, .parent = 0, .name_id = mm, .begin = 10, .end = 60},
      {.kind = SliceKind::kernel,
       .parent = 1,
       .name_id = tile,
       .begin = 20,
       .end = 50,
       .bytes = 300,
       .flops = 6000},
      {.kind = SliceKind::op, .name_id = add, .begin = 200, .end = 230},
      {.kind = SliceKind::op, .parent = 3, .name_id = add, .begin = 210, .end = 220},
  };
  track.memory = {{15, 1, 1024, 1024, 1}, {90, 1, -1000, 24, 0}};
  Profile profile;
  profile.tracks.push_back(track);
  return profile;
}

}  // namespace

TEST(Averages, self_time_excludes_nested_slices) {
  const Averages averages(sample());
  ASSERT_EQ(averages.entries().size(), 3u);
  const Average& add = *averages.find("aten::add");
  EXPECT_EQ(add.count, 3u);
  EXPECT_EQ(add.self_ns, 50 + 20 + 10);
  EXPECT_EQ(averages.find("aten::mm")->self_ns, 20);
  EXPECT_EQ(averages.find("mm_tile")->self_ns, 30);
}

TEST(Averages, a_call_inside_a_call_of_its_name_counts_once) {
  const Averages averages(sample());
  EXPECT_EQ(averages.find("aten::add")->total_ns, 100 + 30);
}

TEST(Averages, memory_belongs_to_the_innermost_slice_and_those_around_it) {
  const Averages averages(sample(), {.memory = true});
  EXPECT_EQ(averages.find("aten::mm")->self_bytes, 1024);
  EXPECT_EQ(averages.find("aten::add")->self_bytes, -1000);
  EXPECT_EQ(averages.find("aten::add")->total_bytes, 24);
}

TEST(Averages, table_has_the_columns_of_pytorch_and_rates_of_kernels) {
  EXPECT_EQ(Averages(sample()).table(),
            "---------  ----------  --------  -----------  ---------  ------------  ----------  "
            "------------  -----  -----  -------\n"
            "Name       Self CPU %  Self CPU  CPU total %  CPU total  CPU time avg  # of Calls  "
            "Total KFLOPs  Bytes   GB/s  GFLOP/s\n"
            "---------  ----------  --------  -----------  ---------  ------------  ----------  "
            "------------  -----  -----  -------\n"
            "aten::add      61.54%      80ns      100.00%      130ns          43ns           3  "
            "          --      -      -        -\n"
            "mm_tile        23.08%      30ns       23.08%       30ns          30ns           1  "
            "       6.000  300 B  10.00   200.00\n"
            "aten::mm       15.38%      20ns       38.46%       50ns          50ns           1  "
            "          --      -      -        -\n"
            "---------  ----------  --------  -----------  ---------  ------------  ----------  "
            "------------  -----  -----  -------\n"
            "Self CPU time total: 130ns\n");
}

TEST(Averages, table_sorts_limits_and_shortens_as_asked) {
  const Averages averages(sample());
  const std::string table = averages.table(
      {.sort_by = "name", .header = "Mine", .row_limit = 1, .max_name_column_width = 6});
  EXPECT_TRUE(table.starts_with("Mine\n")) << table;
  EXPECT_NE(table.find("aten:…"), std::string::npos);
  EXPECT_EQ(table.find("mm_ti"), std::string::npos);
  EXPECT_NE(table.find("(2 more rows: row_limit)\n"), std::string::npos);
  const auto first = [&](const char* key) {
    const std::string rows = averages.table({.sort_by = key, .row_limit = 1});
    return averages
        .entries()[rows.find("aten::add") != std::string::npos  ? 0
                   : rows.find("aten::mm") != std::string::npos ? 1
                                                                : 2]
        .name;
  };
  EXPECT_EQ(first("flops"), "mm_tile");
  EXPECT_EQ(first("bytes"), "mm_tile");
  EXPECT_EQ(first("cpu_time"), "aten::mm");
  EXPECT_EQ(first("cpu_time_total"), "aten::add");
  EXPECT_EQ(first("count"), "aten::add");
  EXPECT_EQ(first(""), "aten::add");
}

TEST(Averages, a_wrong_sort_key_is_reported_with_the_valid_ones) {
  try {
    (void)Averages(sample()).table({.sort_by = "cuda_time"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "table: sort_by: there is no \"cuda_time\"; valid keys are self_cpu_time_total, "
                 "cpu_time_total, cpu_time, self_cpu_memory_usage, cpu_memory_usage, count, flops, "
                 "bytes, name");
  }
}

TEST(Averages, memory_columns_stand_where_pytorch_has_them) {
  const std::string table = Averages(sample(), {.memory = true}).table();
  EXPECT_NE(table.find(" CPU Mem  Self CPU Mem  # of Calls"), std::string::npos) << table;
  EXPECT_NE(table.find("1.00 KiB"), std::string::npos) << table;
}

TEST(Averages, a_kernel_is_measured_by_the_peak_of_the_machine) {
  Peaks peaks;
  peaks.levels = {{"memory", 1 << 30, 20, 20}};  // GB/s: 300 bytes take 15 ns of the 30 ns
  peaks.rates = {{"f32", "", 1000, 1000}};
  const std::string table = Averages(sample(), {.peaks = peaks}).table();
  EXPECT_NE(table.find("of peak"), std::string::npos);
  EXPECT_NE(table.find("50.00%\n"), std::string::npos) << table;
}

TEST(Averages, are_grouped_by_input_shapes) {
  using Sizes = std::vector<int64_t>;
  const auto inputs = [](const Sizes& sizes) {
    events::ValueWriter values;
    values.tensor(0, sizes, Sizes(sizes.size(), 1)).floating(2.5);
    values.tensors(2).tensor(0, sizes, sizes).tensor(0, Sizes{}, Sizes{});
    const auto bytes = values.bytes();
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  const std::vector<std::byte> small = inputs({2, 3}), large = inputs({4, 5});
  Profile profile = sample();
  Track& track = profile.tracks[0];
  track.extras.resize(2);
  track.extras[0].inputs = small;
  track.extras[1].inputs = large;
  track.slices[0].extra = 0;
  track.slices[3].extra = 1;
  track.slices[4].extra = 1;
  EXPECT_EQ(Averages(profile).entries().size(), 3u);
  const Averages grouped(profile, {.group = {.group_by_input_shape = true}});
  ASSERT_EQ(grouped.entries().size(), 4u);
  EXPECT_EQ(grouped.entries()[0].input_shapes, "[[2, 3], [], [[2, 3], []]]");
  EXPECT_EQ(grouped.entries()[0].count, 1u);
  EXPECT_EQ(grouped.entries()[3].input_shapes, "[[4, 5], [], [[4, 5], []]]");
  EXPECT_EQ(grouped.entries()[3].count, 2u);
  EXPECT_EQ(grouped.entries()[3].total_ns, 30);
  EXPECT_NE(grouped.table().find("Input Shapes"), std::string::npos);
  EXPECT_EQ(grouped.table({.max_shapes_column_width = 12}).find("[[4, 5], [], "),
            std::string::npos);
}

TEST(Averages, are_grouped_by_call_sites) {
  Profile profile = sample();
  profile.stacks = {{16, 48}, {32, 48}};  // unknown addresses are shown as they are
  Track& track = profile.tracks[0];
  track.extras.resize(2);
  track.extras[0].stack = 0;
  track.extras[1].stack = 1;
  track.slices[0].extra = 0;
  track.slices[3].extra = 1;
  track.slices[4].extra = 1;
  EXPECT_EQ(Averages(profile).entries().size(), 3u);
  const Averages grouped(profile, {.group = {.group_by_stack_n = 5}});
  ASSERT_EQ(grouped.entries().size(), 4u);
  EXPECT_EQ(grouped.entries()[3].count, 2u);
  ASSERT_EQ(grouped.entries()[0].stack.size(), 2u);
  EXPECT_NE(grouped.entries()[0].stack, grouped.entries()[3].stack);
  const std::string table = grouped.table();
  EXPECT_NE(table.find("Source Location"), std::string::npos);
  EXPECT_NE(table.find(grouped.entries()[3].stack[1]), std::string::npos) << table;
}

TEST(Averages, are_grouped_by_threads) {
  Profile profile = sample();
  profile.tracks.push_back(profile.tracks[0]);
  profile.tracks[0].tid = 70;
  profile.tracks[1].tid = 71;
  profile.tracks[1].name = "worker";
  EXPECT_EQ(Averages(profile).entries().size(), 3u);
  const Averages grouped(profile, {.group = {.group_by_thread = true}});
  ASSERT_EQ(grouped.entries().size(), 6u);
  EXPECT_EQ(grouped.entries()[5].thread, "71 (worker)");
  EXPECT_NE(grouped.table().find("71 (worker)"), std::string::npos);
}

TEST(Averages, say_that_ops_and_kernels_count_operations_differently) {
  Profile profile = sample();
  const std::string_view note = "(FLOPs: an elementary function counts as one in ops";
  EXPECT_EQ(Averages(profile).table().find(note), std::string::npos);
  profile.tracks[0].slices[0].flops = 10;
  EXPECT_NE(Averages(profile).table().find(note), std::string::npos);
}

// PyTorch's analysis tools look for the region's name, people for the one used by explain.
TEST(Averages, of_regions_name_the_compiled_function) {
  Profiler profiler;
  {
    events::RegionScope region{{4, 1, intern("mlp/1")}};
    events::EagerScope eager{
        {intern("Torch-Compiled Region: 4"), intern("V0205"), intern("on request"), intern("mlp")}};
  }
  profiler.stop();
  const Averages averages = profiler.averages();
  const Average* region = averages.find("Torch-Compiled Region: 4/1");
  ASSERT_TRUE(region);
  EXPECT_EQ(region->compiled_function, "mlp/1");
  const std::string table = averages.table();
  EXPECT_NE(table.find("Torch-Compiled Region: 4/1 (mlp/1) "), std::string::npos) << table;
  EXPECT_NE(table.find("Torch-Compiled Region: 4 (mlp) "), std::string::npos) << table;
  EXPECT_NE(averages.csv().find(",mlp/1,\n"), std::string::npos) << averages.csv();
  const auto json = nlohmann::json::parse(averages.json());
  EXPECT_EQ(json["averages"][0]["compiled_function"], "mlp/1");
  EXPECT_EQ(json["averages"][0]["name"], "Torch-Compiled Region: 4/1");
}

TEST(Averages, list_kernels_of_one_name_by_the_product_that_they_compute) {
  Profile profile = sample();
  Slice& kernel = profile.tracks[0].slices[2];
  kernel.product = intern("conv3x3 64→128 /2");
  Slice other = kernel;
  other.begin = 50, other.end = 58;
  other.product = intern("conv1x1 64→256");
  std::vector<Slice>& slices = profile.tracks[0].slices;
  slices.insert(slices.begin() + 3, {other, kernel});
  slices.back().parent = 5;  // as before, the second add
  const Averages averages(profile);
  ASSERT_EQ(averages.entries().size(), 4u);
  EXPECT_EQ(averages.entries()[2].product, "conv3x3 64→128 /2");
  EXPECT_EQ(averages.entries()[2].count, 2u);
  EXPECT_EQ(averages.entries()[3].product, "conv1x1 64→256");
  EXPECT_EQ(averages.entries()[3].self_ns, 8);
  EXPECT_EQ(averages.entries()[3].name, "mm_tile");
  const std::string table = averages.table();
  EXPECT_NE(table.find("mm_tile (conv3x3 64→128 /2) "), std::string::npos) << table;
  EXPECT_NE(averages.csv().find(",conv1x1 64→256\n"), std::string::npos) << averages.csv();
  const auto json = nlohmann::json::parse(averages.json());
  EXPECT_EQ(json["averages"][3]["product"], "conv1x1 64→256");
}

TEST(Averages, read_as_csv_and_json_with_numbers_that_are_not_rounded) {
  Profile profile = sample();
  profile.tracks[0].slices[2].name_id = intern("tile, \"mm\"");
  const Averages averages(profile, {.memory = true});
  EXPECT_EQ(averages.csv(),
            "name,kind,input_shapes,stack,thread,count,self_cpu_time_total_ns,cpu_time_total_ns,"
            "self_cpu_memory_usage,cpu_memory_usage,flops,bytes,peak_ns,compiled_function,"
            "product\n"
            "aten::add,op,,,,3,80,130,-1000,24,0,0,0,,\n"
            "aten::mm,op,,,,1,20,50,1024,1024,0,0,0,,\n"
            "\"tile, \"\"mm\"\"\",kernel,,,,1,30,30,0,0,6000,300,0,,\n");
  const auto json = nlohmann::json::parse(averages.json());
  EXPECT_EQ(json["self_cpu_time_total_ns"], 130);
  ASSERT_EQ(json["averages"].size(), 3u);
  EXPECT_EQ(json["averages"][2]["name"], "tile, \"mm\"");
  EXPECT_EQ(json["averages"][2]["flops"], 6000);
}

TEST(Averages, top_level_events_are_those_inside_no_other) {
  const std::string table = Averages(sample()).table({.top_level_events_only = true});
  EXPECT_NE(table.find("aten::add"), std::string::npos);
  EXPECT_EQ(table.find("aten::mm"), std::string::npos);
}

TEST(Averages, the_last_lines_report_what_was_compiled_and_dropped) {
  Profile profile = sample();
  profile.dropped = 7;
  const auto phase = [&](const char* name, const char* subject, int64_t begin, int64_t end) {
    profile.tracks[0].slices.push_back({.kind = SliceKind::phase,
                                        .name_id = intern(name),
                                        .detail = intern(subject),
                                        .begin = begin,
                                        .end = end});
  };
  phase("lower", "f (graph 0)", 300, 350);
  phase("fuse_loops", "f (graph 0)", 310, 340);  // inside the previous one
  phase("codegen", "f (graph 0)", 350, 360);
  phase("lower", "g (graph 0)", 400, 405);
  const std::string table = Averages(profile).table();
  EXPECT_NE(table.find("(7 events did not fit into max_bytes and are missing)\n"),
            std::string::npos);
  EXPECT_TRUE(
      table.ends_with("Compiled meanwhile: 2 compilations took 65ns inside the measured "
                      "window; later calls do not spend it\n"))
      << table;
}

// The elapsed time never exceeds the window, however many threads helped; a graph counts once, and
// again if it is recompiled.
TEST(Averages, compilations_are_graphs_and_their_time_is_what_passed) {
  Profile profile;
  profile.tracks.resize(2);
  const auto phase = [&](size_t track, const char* name, const char* what, int64_t begin,
                         int64_t end) {
    profile.tracks[track].slices.push_back({.kind = SliceKind::phase,
                                            .name_id = intern(name),
                                            .detail = intern(what),
                                            .begin = begin,
                                            .end = end});
  };
  phase(0, "compile_kernels", "mlp/0", 20, 45);
  phase(0, "load_kernels", "mlp/0", 45, 48);
  phase(1, "passes", "mlp/0", 0, 10);
  phase(1, "backend", "mlp/0", 10, 50);
  phase(1, "passes", "mlp/1", 60, 70);
  phase(1, "passes", "mlp/1", 80, 81);
  const Averages averages(profile);
  EXPECT_NE(averages.table().find("Compiled meanwhile: 3 compilations took 61ns inside the "
                                  "measured window (89ns summed over threads); later"),
            std::string::npos)
      << averages.table();
  const auto json = nlohmann::json::parse(averages.json());
  EXPECT_EQ(json["compilations"], 3);
  EXPECT_EQ(json["compiling_ns"], 61);
  EXPECT_EQ(json["compiling_threads_ns"], 89);
}

TEST(FunctionEvents, are_the_slices_one_by_one) {
  Profile profile = sample();
  profile.tracks[0].tid = 12;
  const std::vector<FunctionEvent> events = function_events(profile);
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0].id, 1u);
  EXPECT_EQ(events[0].parent, 0u);
  EXPECT_EQ(events[0].self_ns, 50);
  EXPECT_EQ(events[0].memory, -1000);
  EXPECT_EQ(events[1].name, "aten::mm");
  EXPECT_EQ(events[1].parent, events[0].id);
  EXPECT_EQ(events[1].thread, 12);
  EXPECT_EQ(events[2].kind, SliceKind::kernel);
  EXPECT_EQ(events[2].flops, 6000u);
  EXPECT_EQ(events[4].parent, events[3].id);
  EXPECT_EQ(events[4].end, 220);
}

}  // namespace vitro
