// Rare events: the ring that keeps them, phases and their sums, and listeners.
#include "vitro/events/rare.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "vitro/events/session.h"

namespace vitro::events {
namespace {

std::atomic<int> heard{0};

void count_breaks(const Rare& event) {
  if (std::holds_alternative<Break>(event.what)) ++heard;
}

}  // namespace

TEST(Rare, is_kept_without_a_session) {
  const uint64_t mark = rare_mark();
  keep(Break{"V0201", "item() needs a value", "model.cpp:31"});
  const auto events = rare_since(mark);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<Break>(events[0].what).location, "model.cpp:31");
  EXPECT_EQ(events[0].number, mark);
}

TEST(Rare, forgets_the_oldest_first) {
  const uint64_t mark = rare_mark();
  for (int i = 0; i < 10'000; ++i) keep(Message{"test", Level::debug, std::to_string(i)});
  const auto events = rare_since(mark);
  EXPECT_EQ(events.size(), 8192u);  // the limit of rare.cpp
  EXPECT_EQ(std::get<Message>(events.back().what).text, "9999");
}

TEST(Rare, cuts_long_text_and_says_so) {
  const uint64_t mark = rare_mark();
  keep(Message{"test", Level::info, std::string(5000, 'x')});
  EXPECT_TRUE(std::get<Message>(rare_since(mark)[0].what).text.ends_with("xx… (904 more bytes)"));
}

TEST(Rare, phases_nest_by_time) {
  start();
  {
    PhaseScope outer("compile", "f");
    PhaseScope inner("fuse", "f");
  }
  const Recording r = stop();
  ASSERT_EQ(r.rare.size(), 2u);
  const auto& inner = std::get<Phase>(r.rare[0].what);
  const auto& outer = std::get<Phase>(r.rare[1].what);
  EXPECT_EQ(inner.phase, "fuse");
  EXPECT_LE(outer.begin, inner.begin);
  EXPECT_LE(r.rare[0].ts, r.rare[1].ts);
  EXPECT_EQ(r.rare[0].tid, r.rare[1].tid);
}

TEST(Rare, phases_are_summed_however_long_ago_they_ended) {
  const auto sum_of = [](std::string_view phase) {
    PhaseSum found;
    for (PhaseSum& sum : phase_sums()) {
      if (sum.phase == phase && sum.subject == "summed") found = sum;
    }
    return found;
  };
  for (int i = 0; i < 3; ++i) {
    PhaseScope outer("outer", "summed");
    for (int k = 0; k < 4; ++k) {
      PhaseScope inner("inner", "summed");
      std::thread([] { PhaseScope apart("apart", "summed"); }).join();
    }
  }
  for (int i = 0; i < 10'000; ++i) PhaseScope later("later", "summed");
  const PhaseSum outer = sum_of("outer"), inner = sum_of("inner");
  EXPECT_EQ(outer.count, 3u);
  EXPECT_EQ(inner.count, 12u);
  EXPECT_EQ(inner.self_ticks, inner.total_ticks);
  EXPECT_EQ(outer.total_ticks, outer.self_ticks + inner.total_ticks);
  EXPECT_GE(inner.total_ticks, sum_of("apart").total_ticks);
  EXPECT_LE(outer.begin, inner.begin);
  EXPECT_EQ(sum_of("later").count, 10'000u);
}

TEST(Rare, sums_are_bounded_and_lose_no_time_of_a_phase) {
  constexpr uint64_t subjects = 20'000;
  const auto all = [] {
    std::pair<uint64_t, uint64_t> found{0, 0};  // number of sums, and of the phases in them
    for (const PhaseSum& sum : phase_sums()) {
      if (sum.phase != "many") continue;
      ++found.first;
      found.second += sum.count;
    }
    return found;
  };
  for (uint64_t i = 0; i < subjects; ++i) PhaseScope phase("many", std::to_string(i));
  EXPECT_LE(all().first, 16'385u);  // the limit of rare.cpp, and one sum of the rest
  EXPECT_EQ(all().second, subjects);
}

TEST(Rare, a_session_keeps_more_than_the_ring) {
  start();
  for (int i = 0; i < 9000; ++i) keep(Message{"test", Level::debug, "x"});
  EXPECT_EQ(stop().rare.size(), 9000u);
}

TEST(Rare, tells_the_listener_at_once) {
  heard = 0;
  listen(count_breaks);
  keep(Break{"V1", "a", "b"});
  keep(Recompile{"V2", "a", "b"});
  listen(nullptr);
  keep(Break{"V1", "a", "b"});
  EXPECT_EQ(heard, 1);
}

}  // namespace vitro::events
