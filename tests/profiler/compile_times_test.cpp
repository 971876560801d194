// Tests compile times: sums by subject and phase, several threads, and exact totals for the whole
// process.
#include "vitro/profiler/compile_times.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "vitro/base/cat.h"
#include "vitro/events/rare.h"
#include "vitro/profiler/profiler.h"

namespace vitro {

// Not 0, which stands for the whole process.
static uint64_t mark_now() {
  {
    events::PhaseScope before("before", "the mark");
  }
  return events::rare_mark();
}

TEST(CompileTimes, sums_phases_by_what_was_compiled) {
  const uint64_t mark = mark_now();
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

TEST(CompileTimes, say_where_they_add_up_threads_and_show_no_empty_column) {
  const uint64_t mark = mark_now();
  {
    events::PhaseScope jit("jit", "threaded");
    events::PhaseScope mine("compile_kernels", "threaded");
    std::thread([] { events::PhaseScope helper("compile_kernels", "threaded"); }).join();
  }
  constexpr std::string_view note = "(times of several threads are summed in compile_kernels)\n";
  EXPECT_TRUE(compile_times(mark).table().ends_with(note)) << compile_times(mark).table();
  EXPECT_TRUE(compile_times().by_phase().table().ends_with(note));
  const std::string phases = compile_times(mark).by_phase().table();
  EXPECT_EQ(phases.find("Compiled"), std::string::npos) << phases;
  EXPECT_NE(phases.find("Phase"), std::string::npos) << phases;
  const std::string subjects = compile_times(mark).by_subject().table();
  EXPECT_EQ(subjects.find("Phase"), std::string::npos) << subjects;
  EXPECT_TRUE(subjects.ends_with("(times of several threads are summed)\n")) << subjects;
}

TEST(CompileTimes, add_up_by_phase_and_by_what_was_compiled) {
  const CompileTimes times(
      {{"f", "lower", 1, 10, 30}, {"f", "fuse", 2, 20, 20}, {"g", "lower", 1, 5, 5}});
  const CompileTimes phases = times.by_phase(), subjects = times.by_subject();
  ASSERT_EQ(phases.entries().size(), 2u);
  EXPECT_EQ(phases.entries()[0].phase, "lower");
  EXPECT_EQ(phases.entries()[0].count, 2u);
  EXPECT_EQ(phases.entries()[0].self_ns, 15);
  EXPECT_EQ(phases.entries()[0].total_ns, 35);
  ASSERT_EQ(subjects.entries().size(), 2u);
  EXPECT_EQ(subjects.entries()[0].self_ns, 30);
  EXPECT_EQ(subjects.entries()[0].total_ns, 30);  // "fuse" is nested in "lower" and counts once
}

TEST(CompileTimes, are_the_same_whether_or_not_a_profiler_runs) {
  const auto seen = [] {
    const uint64_t mark = mark_now();
    {
      events::PhaseScope outer("compile", "h");
      events::PhaseScope inner("lower", "h");
    }
    std::string text;
    const CompileTimes times = compile_times(mark);
    for (const CompileTime& entry : times.entries())
      text += cat(entry.subject, " ", entry.phase, " ", entry.count, "\n");
    return text;
  };
  const std::string without = seen();
  Profiler profiler;
  EXPECT_EQ(seen(), without);
}

TEST(CompileTimes, of_the_process_are_exact_however_many_phases_there_were) {
  const auto seen = [](std::string_view phase) {
    const CompileTimes times = compile_times();
    EXPECT_TRUE(times.whole());
    for (const CompileTime& entry : times.entries()) {
      if (entry.subject == "exact" && entry.phase == phase) return entry;
    }
    return CompileTime{};
  };
  {
    events::PhaseScope outer("compile", "exact");
    usleep(1000);
    events::PhaseScope inner("lower", "exact");
    usleep(1000);
  }
  const CompileTime outer = seen("compile"), inner = seen("lower");
  EXPECT_NEAR(outer.total_ns - outer.self_ns, inner.total_ns, 2);  // rounded from ticks
  EXPECT_GE(inner.self_ns, 1'000'000);
  for (int i = 0; i < 20'000; ++i) events::PhaseScope later("lower", "exact");
  EXPECT_EQ(seen("compile").total_ns, outer.total_ns);
  EXPECT_EQ(seen("lower").count, 20'001u);
  EXPECT_GE(seen("lower").total_ns, inner.total_ns);
}

TEST(CompileTimes, say_when_the_earliest_phases_since_a_mark_are_no_longer_known) {
  const uint64_t mark = mark_now();
  {
    events::PhaseScope first("lower", "early");
  }
  EXPECT_TRUE(compile_times(mark).whole());
  for (int i = 0; i < 8192; ++i) events::PhaseScope later("lower", "late");
  EXPECT_FALSE(compile_times(mark).whole());
  EXPECT_NE(compile_times(mark).table().find("(earlier phases are no longer kept"),
            std::string::npos);
}

}  // namespace vitro
