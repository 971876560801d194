#include "vitro/profiler/compile_times.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "vitro/events/rare.h"

namespace vitro {

TEST(CompileTimes, sums_phases_by_what_was_compiled) {
  const uint64_t mark = events::rare_mark();
  for (int i = 0; i < 2; ++i) {
    events::PhaseScope outer("compile", "f");
    usleep(1000);
    events::PhaseScope inner("fuse", "f");
    usleep(2000);
  }
  {
    events::PhaseScope other("compile", "g");
  }
  const CompileTimes times = compile_times(mark);
  ASSERT_EQ(times.entries().size(), 3u);
  const CompileTime &compile = times.entries()[0], &fuse = times.entries()[1];
  EXPECT_EQ(compile.phase, "compile");
  EXPECT_EQ(compile.count, 2u);
  EXPECT_EQ(fuse.phase, "fuse");
  EXPECT_EQ(fuse.self_ns, fuse.total_ns);
  EXPECT_EQ(compile.total_ns, compile.self_ns + fuse.total_ns);
  EXPECT_GE(fuse.total_ns, 4'000'000);
  EXPECT_EQ(times.entries()[2].subject, "g");
}

TEST(CompileTimes, reads_as_a_table_and_as_csv) {
  const CompileTimes times({{"f, \"graph\" 0", "fuse_loops", 2, 1'500'000, 2'000'000}});
  EXPECT_EQ(times.csv(),
            "subject,phase,count,self_s,total_s\n"
            "\"f, \"\"graph\"\" 0\",fuse_loops,2,0.0015,0.002\n");
  EXPECT_NE(times.table().find("f, \"graph\" 0  fuse_loops      2  1.500ms  2.000ms\n"),
            std::string::npos)
      << times.table();
}

}  // namespace vitro
