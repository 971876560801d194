#include "vitro/profiler/stacks.h"

#include <gtest/gtest.h>

#include <string>

#include "vitro/profiler/profiler.h"
#include "vitro/runtime/parallel.h"

// Outside the library's namespace, like a user's program.
namespace stacks_test {

constexpr int line_of_work = __LINE__ + 2;
[[gnu::noinline]] void work() {
  const vitro::RecordFunction range("work");
  asm volatile("" ::: "memory");
}

[[gnu::noinline]] void outer_of_work() {
  work();
  asm volatile("" ::: "memory");
}

// Code inlined from a header of the library lies between it and the library.
[[gnu::noinline]] void launches() {
  vitro::launch("kernel", 10, {}, [](int64_t, int64_t) {});
  asm volatile("" ::: "memory");
}

}  // namespace stacks_test

namespace vitro {
namespace {

// The stack of the slice of that name while `body` runs.
std::vector<Frame> recorded_frames(void (*body)() = stacks_test::outer_of_work,
                                   std::string_view name = "work") {
  Profiler profiler({.with_stack = true});
  body();
  profiler.stop();
  const Profile& profile = profiler.profile();
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) {
      if (slice.name() != name) continue;
      const uint32_t stack = track.extra(slice).stack;
      if (stack < profile.stacks.size()) return Symbols().of(profile.stacks[stack]);
    }
  }
  return {};
}

}  // namespace

TEST(Stacks, begin_with_the_function_of_the_program_and_go_to_main) {
  const std::vector<Frame> frames = recorded_frames();
  ASSERT_GT(frames.size(), 3u);
  EXPECT_EQ(frames[0].function, "stacks_test::work()");
  EXPECT_EQ(frames[1].function, "stacks_test::outer_of_work()");
  EXPECT_EQ(frames.back().function, "main");
}

TEST(Stacks, have_files_and_lines_where_the_program_was_built_with_them) {
  const std::vector<Frame> frames = recorded_frames();
  ASSERT_FALSE(frames.empty());
  if (frames[0].file.empty()) GTEST_SKIP() << "built without -g";
  EXPECT_TRUE(frames[0].file.ends_with("tests/profiler/stacks_test.cpp")) << frames[0].file;
  EXPECT_EQ(frames[0].line, stacks_test::line_of_work);
}

TEST(Stacks, leave_out_what_was_inlined_from_the_headers_of_the_library) {
  const std::vector<Frame> frames = recorded_frames(stacks_test::launches, "kernel");
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames[0].function, "stacks_test::launches()");
}

TEST(Stacks, are_written_as_pytorch_writes_frames) {
  Frame frame;
  frame.function = "forward";
  EXPECT_EQ(text_of(frame), "forward");
  frame.file = "model.cpp";
  frame.line = 31;
  EXPECT_EQ(text_of(frame), "model.cpp(31): forward");
}

TEST(Stacks, an_unknown_address_is_shown_as_it_is) {
  Symbols symbols;
  const std::vector<Frame>& frames = symbols.at(0x10);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "0x10");
}

TEST(Stacks, one_stack_is_kept_once) {
  Profiler profiler({.with_stack = true});
  for (int i = 0; i < 100; ++i) stacks_test::outer_of_work();
  profiler.stop();
  EXPECT_LE(profiler.profile().stacks.size(), 2u);
}

}  // namespace vitro
