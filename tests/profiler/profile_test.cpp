// Tests profiles made from recordings: details of slices, arrows, memory categories, reused thread
// numbers.
#include "vitro/profiler/profile.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <thread>

#include "profiler/checks.h"
#include "vitro/events/record.h"
#include "vitro/events/session.h"
#include "vitro/events/stack.h"

namespace vitro {
namespace {

using events::Detail;
using events::MemoryCategory;

std::span<const std::byte> bytes_of(const auto& values) {
  return std::as_bytes(std::span(values));
}

// The only slice of that name.
std::pair<const Track*, const Slice*> find(const Profile& profile, std::string_view name) {
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) {
      if (slice.name() == name) return {&track, &slice};
    }
  }
  return {};
}

}  // namespace

TEST(Profile, a_slice_has_what_was_recorded_while_it_was_innermost) {
  const std::array<uint64_t, 2> outer{1, 2}, inner{3, 2};
  events::start({.details = Detail::shapes | Detail::stacks | Detail::modules | Detail::flops});
  for (int i = 0; i < 2; ++i) {
    const events::OpScope op{{events::intern("op")}};
    events::ValueWriter values;
    values.integer(i);
    events::record_tail(events::Inputs{}, values.bytes());
    events::record_tail(events::Stack{}, bytes_of(outer));
    events::record(events::Module{5});
    events::record(events::Flops{1000});
    const events::KernelScope kernel{{events::intern("kernel")}};
    events::record_tail(events::Stack{}, bytes_of(inner));
  }
  const Profile profile = make_profile(events::stop());
  ASSERT_EQ(profile.tracks.size(), 1u);
  const Track& track = profile.tracks[0];
  ASSERT_EQ(track.slices.size(), 4u);
  for (size_t i = 0; i < 2; ++i) {
    const Slice& op = track.slices[2 * i];
    const SliceExtra& extra = track.extra(op);
    events::ValueReader reader(extra.inputs);
    EXPECT_EQ(reader.next()->integer, static_cast<int64_t>(i));
    EXPECT_EQ(extra.module, 5u);
    EXPECT_EQ(op.flops, 1000u);
    EXPECT_EQ(profile.stacks.at(extra.stack), (Stack{1, 2}));
    EXPECT_EQ(profile.stacks.at(track.extra(track.slices[2 * i + 1]).stack), (Stack{3, 2}));
  }
  EXPECT_EQ(profile.stacks.size(), 2u);
}

TEST(Profile, only_what_was_requested_is_recorded) {
  events::start();
  {
    const events::OpScope op{{events::intern("op")}};
    const std::array<uint64_t, 1> stack{1};
    EXPECT_FALSE(events::record_tail(events::Stack{}, bytes_of(stack)));
    EXPECT_FALSE(events::record(events::Module{5}));
    EXPECT_FALSE(events::record(events::Allocated{64, 64, 64}));
    EXPECT_FALSE(events::wants(Detail::shapes));
  }
  const Profile profile = make_profile(events::stop());
  EXPECT_TRUE(profile.tracks.at(0).extras.empty());
  EXPECT_TRUE(profile.tracks.at(0).memory.empty());
  EXPECT_FALSE(events::wants(Detail::shapes));
}

TEST(Profile, arrows_lead_from_a_launch_to_the_shares_of_other_threads) {
  events::start();
  {
    const events::KernelScope kernel{{events::intern("fused_add")}};
    events::record(events::FlowBegin{events::FlowKind::launch, 9});
    events::record(events::FlowBegin{events::FlowKind::launch, 10});  // without an end
    for (int t = 0; t < 2; ++t) {
      std::thread([] {
        events::record(events::WorkBegin{});
        events::record(events::FlowEnd{events::FlowKind::launch, 9});
        events::record(events::WorkEnd{.items = 42});
        const events::Scope<events::WorkBegin, events::WorkEnd> late{{}};
        events::record(events::FlowEnd{events::FlowKind::launch, 8});  // begun before the recording
      }).join();
    }
  }
  const Profile profile = make_profile(events::stop());
  ASSERT_EQ(profile.flows.size(), 2u);
  for (const Flow& flow : profile.flows) {
    const Slice& from = profile.tracks.at(flow.from.track).slices.at(flow.from.slice);
    const Track& worker = profile.tracks.at(flow.to.track);
    const Slice& to = worker.slices.at(flow.to.slice);
    EXPECT_EQ(from.kind, SliceKind::kernel);
    EXPECT_EQ(to.kind, SliceKind::work);
    EXPECT_EQ(to.name(), "fused_add");
    EXPECT_EQ(worker.extra(to).items, 42u);
    EXPECT_LE(from.begin, to.begin);
  }
  EXPECT_NE(profile.flows[0].id, profile.flows[1].id);
  EXPECT_NE(find(profile, "parallel_for").second, nullptr);
}

TEST(Profile, a_region_that_ran_eagerly_says_why) {
  events::start();
  {
    const events::EagerScope scope{{events::intern("Torch-Compiled Region: 0/1"),
                                    events::intern("V0601"), events::intern("no kernel for it")}};
  }
  const Profile profile = make_profile(events::stop());
  const auto [track, slice] = find(profile, "Torch-Compiled Region: 0/1");
  ASSERT_NE(slice, nullptr);
  EXPECT_EQ(slice->kind, SliceKind::eager);
  EXPECT_EQ(events::text(slice->detail), "no kernel for it");
  EXPECT_EQ(events::text(track->extra(*slice).code), "V0601");
}

TEST(Profile, memory_has_the_category_declared_or_inferred_from_its_lifetime) {
  events::start({.details = Detail::memory});
  const auto allocate = [](uint64_t address, MemoryCategory category = MemoryCategory::other) {
    events::record(events::Allocated{address, 64, 64, category});
  };
  allocate(1);
  {
    const events::OpScope op{{events::intern("op")}};
    allocate(2);
    allocate(3);
    events::record(events::Freed{3, 64, 0});
    allocate(4, MemoryCategory::gradient);
  }
  events::record(events::Freed{2, 64, 0});
  events::record(events::Categorised{1, 64, MemoryCategory::parameter});
  events::record(events::Freed{1, 64, 0});
  allocate(1);
  const Profile profile = make_profile(events::stop());
  std::vector<std::pair<uint64_t, std::string_view>> seen;
  for (const MemoryChange& change : profile.tracks.at(0).memory)
    seen.emplace_back(change.address, name_of(change.category));
  EXPECT_EQ(seen, (std::vector<std::pair<uint64_t, std::string_view>>{{1, "parameter"},
                                                                      {2, "activation"},
                                                                      {3, "temporary"},
                                                                      {3, "temporary"},
                                                                      {4, "gradient"},
                                                                      {2, "activation"},
                                                                      {1, "parameter"},
                                                                      {1, "other"}}));
}

TEST(Profile, memory_older_than_the_recording_is_known_by_its_marks) {
  events::start({.details = Detail::memory});
  const auto mark = [](uint64_t address, int64_t bytes, MemoryCategory category) {
    events::record(events::Categorised{address, bytes, category});
  };
  mark(1, 64, MemoryCategory::parameter);
  mark(2, 32, MemoryCategory::gradient);
  mark(3, 0, MemoryCategory::optimiser);  // of unknown size
  mark(1, 64, MemoryCategory::parameter);
  events::record(events::Allocated{4, 8, 200});
  mark(4, 8, MemoryCategory::gradient);  // not older
  events::record(events::Freed{2, 32, 168});
  mark(2, 32, MemoryCategory::gradient);  // freed
  const Profile profile = make_profile(events::stop());
  BytesByPurpose want{};
  want[static_cast<size_t>(MemoryCategory::parameter)] = 64;
  want[static_cast<size_t>(MemoryCategory::gradient)] = 32;
  EXPECT_EQ(profile.memory_before, want);
  EXPECT_EQ(profile.tracks.at(0).memory.at(1).category, MemoryCategory::gradient);
}

TEST(Profile, allocations_know_where_the_program_was) {
  const std::array<uint64_t, 1> op_stack{1}, allocation_stack{2};
  events::start({.details = Detail::stacks | Detail::memory});
  {
    const events::OpScope op{{events::intern("op")}};
    events::record_tail(events::Stack{}, bytes_of(op_stack));
    events::record(events::Allocated{64, 64, 64});
    events::record_tail(events::Stack{}, bytes_of(allocation_stack));
  }
  const Profile profile = make_profile(events::stop());
  const Track& track = profile.tracks.at(0);
  EXPECT_EQ(profile.stacks.at(track.extra(track.slices.at(0)).stack), (Stack{1}));
  EXPECT_EQ(profile.stacks.at(track.memory.at(0).stack), (Stack{2}));
}

TEST(Profile, threads_with_the_same_number_one_after_the_other_are_both_there) {
  events::start({.details = Detail::memory | Detail::modules});
  for (uint32_t i = 0; i < 3; ++i) {
    std::thread([i] {
      const events::OpScope outer{{events::intern(i == 1 ? "second" : "other")}};
      events::record(events::Module{1 + i});
      events::record(events::Allocated{.address = 8 * i, .bytes = 4});
      const events::OpScope inner{{events::intern("inner")}};
      events::record(events::Counter{events::intern("queue"), 1.0 * i});
    }).join();
  }
  events::Recording recording = events::stop();
  ASSERT_EQ(recording.threads.size(), 3u);
  std::swap(recording.threads[0], recording.threads[2]);  // not in order of time
  for (events::ThreadRecording& thread : recording.threads) thread.tid = 7;
  const Profile profile = make_profile(std::move(recording));
  expect_sound(profile);
  ASSERT_EQ(profile.tracks.size(), 1u);
  const Track& track = profile.tracks[0];
  EXPECT_EQ(track.slices.size(), 6u);
  EXPECT_EQ(track.counters.size(), 3u);
  ASSERT_EQ(track.memory.size(), 3u);
  EXPECT_EQ(track.slices[track.memory[1].slice].name(), "second");
  EXPECT_EQ(track.extra(*find(profile, "second").second).module, 2u);
}

TEST(Profile, memory_returns_to_where_it_was_after_a_thousand_sessions) {
  const auto session = [] {
    events::start({.details = Detail::shapes | Detail::stacks});
    for (int i = 0; i < 100; ++i) {
      const events::OpScope op{{events::intern("op")}};
      events::ValueWriter values;
      values.integer(i);
      events::record_tail(events::Inputs{}, values.bytes());
      events::record_stack();
    }
    std::thread([] { const events::OpScope op{{events::intern("other")}}; }).join();
    EXPECT_EQ(make_profile(events::stop()).tracks.size(), 2u);
  };
  for (int i = 0; i < 10; ++i) session();
  const size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 1000; ++i) session();
  EXPECT_LT(mallinfo2().uordblks, before + (64 << 10));
}

}  // namespace vitro
