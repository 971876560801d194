// Tests the profiler's session: what is recorded between start and stop, nesting under random
// work, and errors of use.
#include "vitro/profiler/profiler.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "profiler/checks.h"
#include "vitro/base/error.h"

namespace vitro {
namespace {

using events::intern;

const Slice* find(const Profile& profile, std::string_view name) {
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) {
      if (slice.name() == name) return &slice;
    }
  }
  return nullptr;
}

// Random nested ranges, ops and kernels; returns their number.
int random_nest(std::mt19937& random, int depth) {
  int made = 0;
  for (uint32_t i = random() % 4; i > 0 && depth > 0; --i, ++made) {
    const events::NameId name = intern(cat("n", random() % 5));
    switch (random() % 4) {
      case 0: {
        events::OpScope scope{{name}};
        made += random_nest(random, depth - 1);
        break;
      }
      case 1: {
        events::KernelScope scope{{name, {}, 10, 20}};
        made += random_nest(random, depth - 1);
        break;
      }
      case 2: {
        events::PhaseScope scope(events::text(name), "f");
        made += random_nest(random, depth - 1);
        break;
      }
      default: {
        RecordFunction scope(events::text(name));
        made += random_nest(random, depth - 1);
      }
    }
  }
  return made;
}

}  // namespace

TEST(Profiler, records_what_happens_between_start_and_stop) {
  {
    RecordFunction before("before");
  }
  Profiler profiler;
  {
    RecordFunction range("mine");
    events::RegionScope region{{3, 1}};
    events::KernelScope kernel{{intern("fused_add_mul"), intern("add, mul"), 4096, 1024}};
  }
  profiler.stop();
  {
    RecordFunction after("after");
  }
  const Profile& profile = profiler.profile();
  EXPECT_EQ(find(profile, "before"), nullptr);
  EXPECT_EQ(find(profile, "after"), nullptr);
  ASSERT_EQ(profile.tracks.size(), 1u);
  const auto& slices = profile.tracks[0].slices;
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].name(), "mine");
  EXPECT_EQ(slices[1].name(), "Torch-Compiled Region: 3/1");
  EXPECT_EQ(slices[2].name(), "fused_add_mul");
  EXPECT_EQ(slices[2].parent, 1u);
  EXPECT_EQ(slices[2].bytes, 4096u);
  EXPECT_EQ(events::text(slices[2].detail), "add, mul");
  EXPECT_GE(slices[0].begin, profile.begin);
  EXPECT_LE(slices[0].end, profile.end);
}

TEST(Profiler, slices_nest_on_every_thread_whatever_happens) {
  const uint32_t seed = 20;
  Profiler profiler;
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 3; ++t) {
    threads.emplace_back([&made, t] {
      std::mt19937 random(seed + t);
      for (int i = 0; i < 200; ++i) made += random_nest(random, 6);
    });
  }
  for (auto& thread : threads) thread.join();
  profiler.stop();
  size_t slices = 0;
  for (const Track& track : profiler.profile().tracks) {
    expect_nested(track);
    slices += track.slices.size();
  }
  EXPECT_EQ(slices, static_cast<size_t>(made));
}

TEST(Profiler, a_slice_that_is_still_open_ends_with_the_recording) {
  Profiler profiler;
  RecordFunction open("open");
  profiler.stop();
  const Slice* slice = find(profiler.profile(), "open");
  ASSERT_NE(slice, nullptr);
  EXPECT_FALSE(slice->finished);
  EXPECT_EQ(slice->end, profiler.profile().end);
}

TEST(Profiler, an_end_whose_begin_was_before_the_recording_is_left_out) {
  Profiler profiler;
  auto early = std::make_unique<RecordFunction>("early");
  profiler.stop();
  profiler.start();
  early.reset();
  {
    RecordFunction late("late");
  }
  profiler.stop();
  EXPECT_EQ(find(profiler.profile(), "early"), nullptr);
  EXPECT_NE(find(profiler.profile(), "late"), nullptr);
}

TEST(Profiler, keeps_breaks_with_code_reason_and_place) {
  Profiler profiler;
  events::keep(events::Break{"V0201", "item() needs a value", "model.cpp:31"});
  profiler.stop();
  const auto& incidents = profiler.profile().tracks.at(0).incidents;
  ASSERT_EQ(incidents.size(), 1u);
  EXPECT_EQ(incidents[0].kind, "break");
  EXPECT_EQ(incidents[0].code, "V0201");
  EXPECT_EQ(incidents[0].location, "model.cpp:31");
}

TEST(Profiler, refuses_a_second_one_and_says_so) {
  Profiler profiler;
  try {
    Profiler second;
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "Profiler: another one is recording in this process; stop it first");
  }
  EXPECT_THROW(profiler.profile(), Error);
}

TEST(Profiler, records_again_after_a_stop) {
  Profiler profiler;
  {
    RecordFunction range("first");
  }
  profiler.stop();
  profiler.stop();
  profiler.start();
  {
    RecordFunction range("second");
  }
  profiler.stop();
  EXPECT_EQ(find(profiler.profile(), "first"), nullptr);
  EXPECT_NE(find(profiler.profile(), "second"), nullptr);
}

}  // namespace vitro
