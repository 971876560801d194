// Tests the schedules, steps and cycles of a Profiler through its public interface.
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "error_of.h"
#include "profiler/checks.h"
#include "vitro/base/error.h"
#include "vitro/profiler/profiler.h"

namespace vitro {
namespace {

std::vector<std::string> names(const Profile& profile) {
  std::vector<std::string> found;
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) found.emplace_back(slice.name());
  }
  return found;
}

void work(int i) {
  RecordFunction range(cat("work ", i));
}

using Names = std::vector<std::string>;

}  // namespace

TEST(Cycles, each_hands_over_its_recorded_steps) {
  std::vector<Names> traces;
  std::vector<int64_t> at;
  Profiler profiler({.schedule = schedule({.wait = 1, .warmup = 1, .active = 2, .repeat = 2}),
                     .on_trace_ready = [&](const Profiler& p) {
                       traces.push_back(names(p.profile()));
                       at.push_back(p.step_number());
                     }});
  for (int i = 0; i < 10; ++i) {
    work(i);
    profiler.step();
  }
  profiler.stop();
  const std::vector<Names> expected = {{"ProfilerStep#2", "work 2", "ProfilerStep#3", "work 3"},
                                       {"ProfilerStep#6", "work 6", "ProfilerStep#7", "work 7"}};
  EXPECT_EQ(traces, expected);
  EXPECT_EQ(at, (std::vector<int64_t>{4, 8}));  // like torch.profiler's step_num
  EXPECT_EQ(profiler.step_number(), 10);
  EXPECT_EQ(names(profiler.profile()), expected[1]);
}

TEST(Cycles, are_kept_where_events_accumulate) {
  Profiler profiler(
      {.schedule = schedule({.wait = 1, .warmup = 1, .active = 1}), .acc_events = true});
  for (int i = 0; i < 9; ++i) {
    work(i);
    profiler.step();
  }
  profiler.stop();
  EXPECT_EQ(names(profiler.profile()), (Names{"ProfilerStep#2", "work 2", "ProfilerStep#5",
                                              "work 5", "ProfilerStep#8", "work 8"}));
  expect_nested(profiler.profile());
  EXPECT_EQ(profiler.averages().table().find("forgotten"), std::string::npos);
}

TEST(Cycles, that_are_kept_are_there_whenever_they_are_asked_for) {
  Names seen;
  Profiler profiler({.schedule = schedule({.warmup = 1, .active = 1, .repeat = 3}),
                     .on_trace_ready =
                         [&](const Profiler& p) {
                           if (p.step_number() != 4) return;
                           seen = names(p.profile());
                           p.averages();
                         },
                     .acc_events = true});
  for (int i = 0; i < 5; ++i) {
    work(i);
    profiler.step();
  }
  EXPECT_EQ(seen, (Names{"ProfilerStep#1", "work 1", "ProfilerStep#3", "work 3"}));
  work(5);
  profiler.set_collecting(false);
  seen.insert(seen.end(), {"work 5"});
  EXPECT_EQ(names(profiler.profile()), seen);
  profiler.set_collecting(true);
  work(6);
  profiler.stop();
  seen.insert(seen.end() - 1, "ProfilerStep#5");
  seen.insert(seen.end(), {"work 6"});
  EXPECT_EQ(names(profiler.profile()), seen);
  profiler.start();
  work(0);
  profiler.step();
  work(1);
  profiler.stop();
  seen.insert(seen.end(), {"ProfilerStep#1", "work 1"});
  EXPECT_EQ(names(profiler.profile()), seen);
  expect_sound(profiler.profile());
}

TEST(Cycles, that_are_discarded_are_reported) {
  const Schedule every_third = schedule({.wait = 1, .warmup = 1, .active = 1});
  const uint64_t mark = events::rare_mark();
  Profiler profiler({.schedule = every_third});
  for (int i = 0; i < 9; ++i) {
    work(i);
    profiler.step();
  }
  profiler.stop();
  EXPECT_EQ(names(profiler.profile()), (Names{"ProfilerStep#8", "work 8"}));
  EXPECT_NE(
      profiler.averages().table().find("Cycle 3: the 2 before it are discarded (acc_events)\n"),
      std::string::npos);
  EXPECT_EQ(warnings_since(mark), 1u);
}

TEST(Cycles, one_that_stop_cuts_off_is_ready_too) {
  int ready = 0;
  Profiler profiler({.schedule = schedule({.warmup = 1, .active = 3}),
                     .on_trace_ready = [&](const Profiler&) { ++ready; }});
  profiler.step();
  work(1);
  profiler.step();
  work(2);
  profiler.stop();
  EXPECT_EQ(ready, 1);
  EXPECT_EQ(names(profiler.profile()),
            (Names{"ProfilerStep#1", "work 1", "ProfilerStep#2", "work 2"}));
}

TEST(Cycles, the_end_of_a_scope_hands_over_as_stop_does) {
  int ready = 0;
  {
    Profiler profiler({.on_trace_ready = [&](const Profiler& p) {
      ready += static_cast<int>(names(p.profile()).size());
      throw Error("the disk is full");
    }});
    work(0);
  }
  EXPECT_EQ(ready, 1);
}

TEST(Cycles, steps_are_marked_without_a_schedule_too) {
  Profiler profiler;
  for (int i = 0; i < 2; ++i) {
    work(i);
    profiler.step();
  }
  profiler.stop();
  EXPECT_EQ(names(profiler.profile()),
            (Names{"ProfilerStep#0", "work 0", "ProfilerStep#1", "work 1"}));
}

TEST(Cycles, a_step_that_ends_inside_of_a_range_begins_with_it) {
  Profiler profiler;
  for (int i = 0; i < 3; ++i) {
    RecordFunction iteration("iteration");
    work(i);
    profiler.step();
  }
  profiler.stop();
  expect_nested(profiler.profile());
  EXPECT_EQ(names(profiler.profile()),
            (Names{"iteration", "ProfilerStep#0", "work 0", "iteration", "ProfilerStep#1", "work 1",
                   "iteration", "ProfilerStep#2", "work 2"}));
  for (const Slice& slice : profiler.profile().tracks.at(0).slices)
    EXPECT_TRUE(slice.finished) << slice.name();
}

TEST(Cycles, steps_nest_wherever_they_are_called) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    Profiler profiler(
        {.schedule = schedule({.wait = 1, .warmup = 1, .active = 4}), .acc_events = true});
    std::vector<std::unique_ptr<RecordFunction>> open;
    for (int i = 0; i < 300; ++i) {
      switch (random() % 3) {
        case 0:
          open.push_back(std::make_unique<RecordFunction>("range"));
          break;
        case 1:
          if (!open.empty()) open.pop_back();
          break;
        default:
          if (random() % 3 == 0) {
            profiler.step();
          } else if (random() % 8 == 0) {
            std::thread([&] { profiler.step(); }).join();
          }
      }
    }
    while (!open.empty()) open.pop_back();
    profiler.stop();
    expect_nested(profiler.profile());
  }
}

TEST(Cycles, threads_may_run_while_cycles_begin_and_end) {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&done, t] {
      std::mt19937 random(static_cast<uint32_t>(t));
      while (!done) {
        std::thread late([&] { work(100); });
        for (auto n = random() % 50; n > 0; --n) {
          RecordFunction outer("outer");
          work(t);
        }
        late.join();
      }
    });
  }
  std::mt19937 random(7);
  for (int round = 0; round < 5; ++round) {
    int64_t slices = 0;
    Profiler profiler({.schedule = schedule({.skip_first = static_cast<int64_t>(random() % 3),
                                             .wait = static_cast<int64_t>(random() % 2),
                                             .warmup = 1,
                                             .active = 1 + static_cast<int64_t>(random() % 3)}),
                       .on_trace_ready =
                           [&](const Profiler& p) {
                             expect_nested(p.profile());
                             slices += static_cast<int64_t>(names(p.profile()).size());
                           },
                       .acc_events = random() % 2 == 0});
    for (int i = 0; i < 20; ++i) {
      work(i);
      usleep(200);
      profiler.set_collecting(random() % 4 != 0);
      profiler.step();
    }
    profiler.stop();
    EXPECT_GT(slices, 0);
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(Cycles, collecting_can_be_put_off_and_taken_up) {
  Profiler profiler;
  work(0);
  profiler.set_collecting(false);
  work(1);
  profiler.set_collecting(true);
  work(2);
  profiler.stop();
  EXPECT_EQ(names(profiler.profile()), (Names{"work 0", "work 2"}));
}

TEST(Cycles, what_comes_right_after_a_start_is_recorded) {
  for (const useconds_t pause : {0, 50'000, 200'000}) {
    usleep(pause);
    Profiler profiler;
    work(0);
    std::thread([] { work(1); }).join();
    profiler.stop();
    expect_sound(profiler.profile());
    EXPECT_EQ(names(profiler.profile()).size(), 2u);
  }
}

TEST(Cycles, nothing_is_recorded_before_start_on_request) {
  Profiler profiler({.start_at_once = false});
  work(0);
  EXPECT_FALSE(events::recording());
  EXPECT_EQ(error_of([&] { profiler.profile(); }),
            "Profiler: not started, so nothing is recorded; call start()");
  profiler.start();
  work(1);
  profiler.stop();
  EXPECT_EQ(names(profiler.profile()), Names{"work 1"});
}

TEST(Cycles, one_profiler_waits_and_still_a_second_is_refused) {
  Profiler waits({.schedule = schedule({.wait = 5, .warmup = 1})});
  EXPECT_FALSE(events::recording());
  EXPECT_EQ(error_of([] { Profiler second; }),
            "Profiler: another one is recording in this process; stop it first");
  waits.stop();
  EXPECT_NO_THROW(Profiler());
  EXPECT_EQ(
      error_of([&] { waits.profile(); }),
      "Profiler: nothing was recorded: among 1 steps the schedule records none that has ended");
}

TEST(Cycles, say_which_activities_there_are) {
  EXPECT_EQ(error_of([] { Profiler p({.activities = {Device::Kind::cpu, Device::Kind::cuda}}); }),
            "Profiler: activities: this process does not support cuda:0; it supports cpu");
  EXPECT_EQ(
      error_of([] { Profiler p({.activities = {}}); }),
      "Profiler: activities is empty, so there is nothing to record; this process supports cpu");
}

TEST(Cycles, profiling_nothing_does_no_harm) {
  init_for_device_graphs();
  Profiler profiler;
  work(0);
  init_for_device_graphs();
  work(1);
  profiler.stop();
  EXPECT_EQ(names(profiler.profile()), (Names{"work 0", "work 1"}));
}

TEST(Cycles, traces_contain_their_metadata) {
  Profiler profiler;
  work(0);
  profiler.stop();
  profiler.add_metadata("model", "a \"small\" one");
  profiler.add_metadata_json("sizes", "[1, {\"k\": 2}]");
  profiler.add_metadata_json("sizes", "[3]");
  EXPECT_EQ(error_of([&] { profiler.add_metadata_json("sizes", "[1,"); }),
            "add_metadata_json: sizes: the value is not valid JSON: it ends too early (use "
            "add_metadata for "
            "text)");
  EXPECT_EQ(error_of([&] { profiler.add_metadata("traceEvents", "none"); }),
            "add_metadata: a trace has its own \"traceEvents\"; use another key");
  const std::string path =
      std::filesystem::temp_directory_path() / cat("vitro_metadata_{pid}.json");
  setenv("RANK", "1", 1);
  setenv("WORLD_SIZE", "2", 1);
  profiler.write_trace(path);
  unsetenv("RANK");
  unsetenv("WORLD_SIZE");
  const auto file =
      std::filesystem::temp_directory_path() / cat("vitro_metadata_", getpid(), ".json");
  const auto trace = nlohmann::json::parse(std::ifstream(file));
  std::filesystem::remove(file);
  EXPECT_EQ(trace["model"], "a \"small\" one");
  EXPECT_EQ(trace["sizes"], nlohmann::json({3}));
  EXPECT_EQ(trace["distributedInfo"]["rank"], 1);
}

TEST(Cycles, the_handler_writes_a_file_for_each) {
  const auto folder = std::filesystem::temp_directory_path() / cat("vitro_handler_", getpid());
  for (const bool gzip : {false, true}) {
    Profiler profiler({.schedule = schedule({.warmup = 1, .active = 1}),
                       .on_trace_ready = trace_handler(folder / "deep",
                                                       {.worker_name = "me", .use_gzip = gzip})});
    for (int i = 0; i < 4; ++i) profiler.step();
  }
  int plain = 0, packed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "deep")) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name.starts_with("me.")) << name;
    packed += name.ends_with(".pt.trace.json.gz");
    if (!name.ends_with(".pt.trace.json")) continue;
    ++plain;
    EXPECT_TRUE(nlohmann::json::parse(std::ifstream(entry.path())).contains("traceEvents"));
  }
  std::filesystem::remove_all(folder);
  EXPECT_EQ(plain, 2);
  EXPECT_EQ(packed, 2);
}

TEST(Cycles, a_thousand_sessions_leave_no_memory_behind) {
  const auto session = [] {
    Profiler profiler({.record_shapes = true, .profile_memory = true});
    for (int i = 0; i < 500; ++i) RecordFunction range("range");
    profiler.stop();
    EXPECT_EQ(profiler.key_averages().entries().size(), 1u);
  };
  session();
  const size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 1000; ++i) session();
  EXPECT_LE(mallinfo2().uordblks, before + (64 << 10));
}

}  // namespace vitro
