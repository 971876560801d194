// Recording events in sessions: order, threads, limits, and taps.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "vitro/base/error.h"
#include "vitro/events/record.h"
#include "vitro/events/session.h"

namespace vitro::events {
namespace {

// Number of events of each kind in a recording, by the kind's name.
std::map<std::string, int> counts(const Recording& recording) {
  std::map<std::string, int> found;
  for (const auto& thread : recording.threads) {
    thread.read([&]<class E>(const E&) { ++found[std::string(E::name)]; });
  }
  return found;
}

std::string sequence(const ThreadRecording& thread) {
  std::string kinds;
  thread.read([&]<class E>(const E&) { kinds += std::string(E::name) + " "; });
  return kinds;
}

}  // namespace

TEST(Recorder, records_nothing_while_no_session_runs) {
  EXPECT_FALSE(record(OpBegin{intern("op")}));
  start();
  const Recording r = stop();
  EXPECT_TRUE(r.threads.empty());
}

TEST(Recorder, keeps_the_order_and_the_contents_of_events) {
  start();
  {
    OpScope op{{intern("aten::mm"), 7}};
    KernelScope kernel{{intern("mm_tile"), {}, 1000, 2000}};
    record(Counter{intern("queue"), 0.25});
  }
  const Recording r = stop();
  ASSERT_EQ(r.threads.size(), 1u);
  EXPECT_EQ(sequence(r.threads[0]), "op_begin kernel_begin counter kernel_end op_end ");
  r.threads[0].read([&]<class E>(const E& event) {
    if constexpr (requires { event.ts; }) {
      EXPECT_GE(event.ts, r.begin);
      EXPECT_LE(event.ts, r.end);
    }
    if constexpr (std::is_same_v<E, OpBegin>) {
      EXPECT_EQ(text(event.op), "aten::mm");
      EXPECT_EQ(event.sequence, 7);
    } else if constexpr (std::is_same_v<E, KernelBegin>) {
      EXPECT_EQ(event.bytes, 1000u);
      EXPECT_EQ(event.flops, 2000u);
    } else if constexpr (std::is_same_v<E, Counter>) {
      EXPECT_EQ(event.value, 0.25);
    }
  });
}

TEST(Recorder, forgets_the_last_session_when_a_new_one_starts) {
  start();
  record(OpEnd{});
  stop();
  start();
  record(RangeEnd{});
  EXPECT_EQ(counts(stop()), (std::map<std::string, int>{{"range_end", 1}}));
}

TEST(Recorder, refuses_two_sessions_at_once) {
  start();
  EXPECT_THROW(start(), Error);
  stop();
  EXPECT_THROW(stop(), Error);
}

TEST(Recorder, keeps_what_ended_threads_recorded_with_their_names) {
  start({.details = Detail::memory});
  std::thread([] {
    name_this_thread("worker 1");
    for (int i = 0; i < 100'000; ++i) record(Allocated{1, 64, 64});
  }).join();
  const Recording r = stop();
  ASSERT_EQ(r.threads.size(), 1u);
  EXPECT_EQ(r.threads[0].name, "worker 1");
  EXPECT_NE(r.threads[0].tid, 0);
  EXPECT_EQ(counts(r), (std::map<std::string, int>{{"allocated", 100'000}}));
}

TEST(Recorder, counts_what_the_limit_keeps_out) {
  start({.details = Detail::memory, .max_bytes = 2 * sizeof(Chunk)});
  const int n = 100'000;
  for (int i = 0; i < n; ++i) record(Freed{1, 64, 0});
  const Recording r = stop();
  const int kept = counts(r)["freed"];
  EXPECT_GT(kept, 1000);
  EXPECT_LT(kept, n);
  EXPECT_EQ(r.dropped, static_cast<uint64_t>(n - kept));
}

TEST(Recorder, takes_a_stretch_of_every_thread_while_all_go_on) {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&done] {
      while (!done) {
        RangeScope outer{{intern("outer")}};
        OpScope inner{{intern("inner")}};
      }
    });
  }
  for (int session = 0; session < 50; ++session) {
    start();
    std::this_thread::yield();
    const Recording r = stop();
    for (const auto& thread : r.threads) {
      // The first round may have begun before the session, and then lacks its begin events.
      const std::string kinds = sequence(thread), round = "range_begin op_begin op_end range_end ";
      const size_t first = std::min(kinds.find("range_begin"), kinds.size());
      EXPECT_LT(first, round.size()) << kinds.substr(0, 100);
      for (size_t i = first; i < kinds.size(); i += round.size()) {
        EXPECT_TRUE(round.starts_with(kinds.substr(i, round.size()))) << kinds.substr(i, 100);
      }
    }
  }
  done = true;
  for (auto& thread : threads) thread.join();
}

namespace {

std::vector<std::string>& heard() {
  static thread_local std::vector<std::string> kinds;
  return kinds;
}

void hear(uint8_t kind, const std::byte* event) {
  const auto visit = []<class E>(const E&) { heard().emplace_back(E::name); };
  Events::read(kind, event, visit);
}

}  // namespace

TEST(Tap, hears_every_event_whether_or_not_a_session_runs) {
  heard().clear();
  EXPECT_FALSE(recording());
  set_tap(hear);
  EXPECT_TRUE(recording());
  EXPECT_FALSE(in_session());
  {
    OpScope op{{intern("aten::add")}};
  }
  EXPECT_EQ(heard(), (std::vector<std::string>{"op_begin", "op_end"}));
  start();
  EXPECT_TRUE(in_session());
  {
    RangeScope range{{intern("r")}};
  }
  EXPECT_EQ(heard().size(), 4u);
  const Recording r = stop();
  EXPECT_EQ(counts(r), (std::map<std::string, int>{{"range_begin", 1}, {"range_end", 1}}));
  {
    OpScope op{{intern("aten::add")}};
  }
  EXPECT_EQ(heard().size(), 6u);
  set_tap(nullptr);
  EXPECT_FALSE(recording());
  {
    OpScope op{{intern("aten::add")}};
  }
  EXPECT_EQ(heard().size(), 6u);
}

TEST(Tap, may_come_and_go_while_a_session_runs) {
  heard().clear();
  start();
  {
    OpScope before{{intern("aten::add")}};
  }
  set_tap(hear);
  {
    OpScope with{{intern("aten::mul")}};
  }
  EXPECT_EQ(heard().size(), 2u);
  set_tap(nullptr);
  {
    OpScope after{{intern("aten::sub")}};
  }
  const Recording r = stop();
  EXPECT_EQ(heard().size(), 2u);
  ASSERT_EQ(r.threads.size(), 1u);
  EXPECT_EQ(sequence(r.threads[0]), "op_begin op_end op_begin op_end op_begin op_end ");
  EXPECT_EQ(r.dropped, 0u);
}

}  // namespace vitro::events
