#include "vitro/events/rare.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

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
  EXPECT_EQ(std::get<Break>(events[0].what).place, "model.cpp:31");
  EXPECT_EQ(events[0].number, mark);
}

TEST(Rare, forgets_the_oldest_first) {
  const uint64_t mark = rare_mark();
  for (int i = 0; i < 10'000; ++i) keep(Message{"test", Level::debug, std::to_string(i)});
  const auto events = rare_since(mark);
  EXPECT_EQ(events.size(), 8192u);
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
