// Random programs on random threads under random schedules and options: whatever happens, the
// profile and all files contain exactly what was done.
#include <gtest/gtest.h>

#include <barrier>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>
#include <utility>

#include "eager/eager.h"
#include "profiler/checks.h"
#include "profiler/random_work.h"
#include "profiler/sound_files.h"
#include "runtime/cpu/allocator.h"
#include "vitro/base/cat.h"
#include "vitro/events/session.h"
#include "vitro/profiler/profiler.h"
#include "vitro/runtime/memory.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

constexpr uint64_t bytes_per_item = 8;

// Each arrow has a share, and the shares of a launch cover all of its items.
int64_t expect_shares(const Profile& profile) {
  int64_t shares = 0;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> items;  // by track and slice
  for (uint32_t t = 0; t < profile.tracks.size(); ++t) {
    const Track& track = profile.tracks[t];
    for (uint32_t i = 0; i < track.slices.size(); ++i) {
      const Slice& slice = track.slices[i];
      shares += slice.kind == SliceKind::work;
      if (slice.kind == SliceKind::kernel) items[{t, i}] = track.extra(slice).items;
    }
  }
  EXPECT_EQ(profile.flows.size(), static_cast<size_t>(shares));
  for (const Flow& flow : profile.flows) {
    const Track& track = profile.tracks[flow.to.track];
    EXPECT_EQ(track.slices[flow.to.slice].name(), "mine");
    items.at({flow.from.track, flow.from.slice}) += track.extra(track.slices[flow.to.slice]).items;
  }
  for (const auto& [place, done] : items) {
    const Slice& kernel = profile.tracks[place.first].slices[place.second];
    if (done != 0) {
      EXPECT_EQ(done * bytes_per_item, kernel.bytes);
    }
  }
  return shares;
}

// The threads of a program, including the calling one.  Every other crew keeps its threads between
// runs; the rest create new ones for each run.
class Crew {
 public:
  Crew(uint32_t count, uint32_t seed)
      : stays_(seed / 100 % 2 == 0), done_(count), gate_(static_cast<ptrdiff_t>(count)) {
    for (uint32_t t = 0; t < count; ++t) works_.emplace_back(seed + t, exchange_);
    if (stays_) begin([this](size_t t) { work_each_run(t); });
  }
  ~Crew() {
    over_ = true;
    if (stays_) gate_.arrive_and_wait();
    join();
  }
  Crew(const Crew&) = delete;

  // Each works once; returns everything done.
  Counts run() {
    if (stays_) {
      gate_.arrive_and_wait();
    } else {
      begin([this](size_t t) { done_[t] = works_[t].run(); });
    }
    done_[0] = works_[0].run();
    if (stays_) {
      gate_.arrive_and_wait();
    } else {
      join();
    }
    Counts sum;
    for (const Counts& each : done_) add_to(sum, each);
    return sum;
  }

 private:
  void begin(const auto& body) {
    for (size_t t = 1; t < works_.size(); ++t) threads_.emplace_back(body, t);
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  void work_each_run(size_t t) {
    for (gate_.arrive_and_wait(); !over_; gate_.arrive_and_wait()) {
      done_[t] = works_[t].run();
      gate_.arrive_and_wait();
    }
  }

  bool stays_, over_ = false;
  Exchange exchange_;
  std::vector<Work> works_;
  std::vector<Counts> done_;
  std::barrier<> gate_;  // opens when a run begins and when it ends
  std::vector<std::thread> threads_;
};

// A profiled program in steps; every cycle contains what its recorded steps did.
class Program {
 public:
  explicit Program(uint32_t seed) : seed_(seed), random_(seed), crew_(1 + seed % 3, 100 * seed) {}

  // What it did, recorded or not, and the shares of pool threads in what was recorded.
  const Counts& everything() const { return everything_; }

  void run(bool with_stack) {
    constexpr int64_t steps = 12;
    Schedule when = schedule(
        {.skip_first = below(3), .wait = below(2), .warmup = below(2), .active = 1 + below(3)});
    Profiler profiler({.record_shapes = coin(),
                       .with_stack = with_stack,
                       .with_modules = modules_ = coin(),
                       .with_flops = coin(),
                       .with_tensors = coin(),
                       .profile_memory = memory_ = below(4) != 0,
                       .schedule = when,
                       .on_trace_ready = [this](const Profiler& p) { check(p); },
                       .acc_events = acc_ = coin()});
    for (int64_t step = 0; step < steps; ++step) {
      enter(when(step));
      run_part(recorded_);
      if (below(4) == 0) {
        profiler.set_collecting(false);
        run_part(false);
        profiler.set_collecting(true);
        run_part(recorded_);
      }
      profiler.step();
    }
    enter(when(steps));
    profiler.stop();
    EXPECT_GT(checked_, 0);
  }

 private:
  int64_t below(uint32_t n) { return random_() % n; }
  bool coin() { return random_() % 2 == 0; }

  void enter(ProfilerAction action) {
    const bool records =
        action == ProfilerAction::record || action == ProfilerAction::record_and_save;
    if (records && begins_cycle_ && !acc_) {
      expected_.clear();
      expected_bytes_ = 0;
    }
    if (records) begins_cycle_ = action == ProfilerAction::record_and_save;
    recorded_ = records;
  }

  // Part of a step.
  void run_part(bool recorded) {
    const int64_t live = memory_stats().live_bytes;
    const Counts done = crew_.run();
    add_to(everything_, done);
    if (!recorded) return;
    add_to(expected_, done);
    expected_bytes_ += memory_stats().live_bytes - live;
  }

  // The part of it that the options let a profile contain.
  Counts expected() const {
    Counts counts = expected_;
    if (!memory_) counts.erase("allocation");
    if (!modules_) std::erase_if(counts, [](const auto& e) { return e.first.starts_with("in "); });
    return counts;
  }

  void check(const Profiler& profiler) {
    ++checked_;
    const Profile& profile = profiler.profile();
    expect_sound(profile);
    everything_["share"] += expect_shares(profile);
    EXPECT_EQ(counts_of(profile), expected());
    EXPECT_EQ(bytes_of(profile), memory_ ? expected_bytes_ : 0);
    expect_details(profile);
    expect_sound_files(profile);
    expect_sound_sums(profiler);
    // For inspection with other tools (bench/peers/load_with_hta.py).
    if (const char* folder = std::getenv("VITRO_TEST_TRACES"))
      profiler.write_trace(cat(folder, "/random_", seed_, "_", checked_, ".json"));
  }

  uint32_t seed_;
  std::mt19937 random_;
  Crew crew_;
  Counts expected_, everything_;
  int64_t expected_bytes_ = 0;
  bool acc_ = false, memory_ = false, modules_ = false;
  bool recorded_ = false, begins_cycle_ = true;
  int checked_ = 0;
};

}  // namespace

class RandomPrograms : public testing::Test {
 protected:
  RandomPrograms() : before_(num_threads()) {
    eager::init();
    set_allocator(cpu, &runtime::cpu_allocator());
    set_num_threads(2);
  }
  ~RandomPrograms() override { set_num_threads(before_); }

 private:
  int before_;
};

TEST_F(RandomPrograms, are_recorded_as_they_ran) {
  Counts done;
  for (uint32_t seed = 0; seed < 24 && !HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Program program(seed);
    program.run(seed % 8 == 0);  // resolving names is slow
    add_to(done, program.everything());
  }
  for (const char* kind :
       {"range", "op", "eager", "region", "phase", "kernel", "share", "counter", "break",
        "guard_failure", "recompile", "fallback", "allocation", "in encoder.layer"})
    EXPECT_GT(done[kind], 0) << kind;
}

// The recording of each thread then ends anywhere, in the middle of anything.
TEST_F(RandomPrograms, truncated_by_a_limit_are_still_consistent) {
  for (uint32_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Crew crew(3, 100 * seed);
    Profiler profiler({.record_shapes = seed % 2 == 0,
                       .with_tensors = seed % 3 == 0,
                       .profile_memory = true,
                       .max_bytes = (1 + seed % 3) * sizeof(events::Chunk)});
    for (int i = 0; i < 80; ++i) crew.run();
    profiler.stop();
    EXPECT_GT(profiler.profile().dropped, 0u);
    expect_sound(profiler.profile());
    expect_sound_files(profiler.profile());
    expect_sound_sums(profiler);
    EXPECT_NE(profiler.averages().table().find("did not fit into max_bytes"), std::string::npos);
  }
}

}  // namespace vitro
