#include "vitro/profiler/averages.h"

#include <gtest/gtest.h>

namespace vitro {
namespace {

using events::intern;

// add [0, 100) holds mm [10, 60), which holds a kernel [20, 50); then a second add [200, 230) holds
// an add [210, 220).
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

TEST(Averages, own_time_leaves_out_what_is_inside) {
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
  const Averages averages(sample(), true);
  EXPECT_EQ(averages.find("aten::mm")->self_bytes, 1024);
  EXPECT_EQ(averages.find("aten::add")->self_bytes, -1000);
  EXPECT_EQ(averages.find("aten::add")->total_bytes, 24);
}

TEST(Averages, table_has_the_columns_of_pytorch_and_rates_of_kernels) {
  EXPECT_EQ(Averages(sample()).table(),
            "---------  ----------  --------  -----------  ---------  ------------  ----------  "
            "-----  ------  -----  -------\n"
            "Name       Self CPU %  Self CPU  CPU total %  CPU total  CPU time avg  # of Calls  "
            "Bytes   FLOPs   GB/s  GFLOP/s\n"
            "---------  ----------  --------  -----------  ---------  ------------  ----------  "
            "-----  ------  -----  -------\n"
            "aten::add      61.54%      80ns      100.00%      130ns          43ns           3     "
            " -       -      -        -\n"
            "mm_tile        23.08%      30ns       23.08%       30ns          30ns           1  "
            "300 B  6.00 k  10.00   200.00\n"
            "aten::mm       15.38%      20ns       38.46%       50ns          50ns           1     "
            " -       -      -        -\n"
            "---------  ----------  --------  -----------  ---------  ------------  ----------  "
            "-----  ------  -----  -------\n"
            "Self CPU time total: 130ns\n");
}

TEST(Averages, table_sorts_limits_and_shortens_as_asked) {
  const Averages averages(sample());
  const std::string table =
      averages.table({.sort_by = SortBy::name, .row_limit = 1, .max_name_column_width = 6});
  EXPECT_NE(table.find("aten:…"), std::string::npos);
  EXPECT_EQ(table.find("mm_ti"), std::string::npos);
  EXPECT_NE(table.find("(2 more rows: row_limit)\n"), std::string::npos);
  EXPECT_LT(averages.table({.sort_by = SortBy::flops}).find("mm_tile"),
            averages.table({.sort_by = SortBy::flops}).find("aten::add"));
}

TEST(Averages, top_level_events_are_those_inside_no_other) {
  const std::string table = Averages(sample()).table({.top_level_events_only = true});
  EXPECT_NE(table.find("aten::add"), std::string::npos);
  EXPECT_EQ(table.find("aten::mm"), std::string::npos);
}

TEST(Averages, the_last_line_tells_what_was_compiled_and_what_was_dropped) {
  Profile profile = sample();
  profile.dropped = 7;
  profile.tracks[0].slices.push_back(
      {.kind = SliceKind::phase, .name_id = intern("fuse_loops"), .begin = 300, .end = 350});
  const std::string table = Averages(profile).table();
  EXPECT_NE(table.find("(7 events did not fit into max_bytes and are missing)\n"),
            std::string::npos);
  EXPECT_TRUE(
      table.ends_with("Compiled meanwhile: 1 phases, 50ns that a later call will not take\n"))
      << table;
}

}  // namespace vitro
