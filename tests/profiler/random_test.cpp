// Random programs on random threads under random schedules and options: whatever happens, the
// profile and every file say what was done, and nothing else.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "eager/eager.h"
#include "profiler/checks.h"
#include "profiler/chrome_trace.h"
#include "profiler/execution_trace.h"
#include "profiler/perfetto_reader.h"
#include "profiler/perfetto_trace.h"
#include "runtime/cpu/allocator.h"
#include "vitro/base/cat.h"
#include "vitro/events/memory.h"
#include "vitro/ops/all.h"
#include "vitro/profiler/profiler.h"
#include "vitro/runtime/memory.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

using Counts = std::map<std::string, int64_t>;
using nlohmann::json;

void add_to(Counts& sums, const Counts& more) {
  for (const auto& [what, count] : more) sums[what] += count;
}

// One thread of the program: does things of every kind inside of each other, and counts them.
class Work {
 public:
  explicit Work(uint32_t seed) : random_(seed) {}

  Counts run() {
    const Counts before = std::exchange(done_, {});
    for (int i = 0; i < 25; ++i) something(5);
    return done_;
  }

 private:
  uint32_t below(uint32_t n) { return random_() % n; }
  void inside(int depth) {  // what is open
    for (uint32_t i = below(3); i > 0 && depth > 0; --i) something(depth - 1);
  }
  void something(int depth);
  void slice(int depth);
  void moment();
  void memory();
  void user_launch();

  std::mt19937 random_;
  Counts done_;
  std::vector<Tensor> kept_;
};

void Work::something(int depth) {
  switch (below(4)) {
    case 0:
      return moment();
    case 1:
      return memory();
    default:
      return slice(depth);
  }
}

void Work::slice(int depth) {
  switch (below(6)) {
    case 0: {
      ++done_["range"];
      const RecordFunction range(
          "range", {{"depth", depth}, {"text", "a \"b\"\n"}, {"big", INT64_MAX}, {"half", 0.5}});
      return inside(depth);
    }
    case 1: {
      ++done_["op"];
      const Tensor x = Tensor::empty({2, 3}, DType::f32);
      ++done_["allocation"];
      exp(x);
      ++done_["allocation"];
      return;
    }
    case 2: {
      ++done_["eager"];
      const events::EagerScope eager{{events::intern("Torch-Compiled Region: 7/1"),
                                      events::intern("V0205"), events::intern("it was told to")}};
      return inside(depth);
    }
    case 3: {
      ++done_["region"];
      const events::RegionScope region{{7, 0, events::intern("f")}};
      return inside(depth);
    }
    case 4: {
      ++done_["phase"];
      const events::PhaseScope phase("fuse", "f");
      return inside(depth);
    }
    default:
      return user_launch();
  }
}

void Work::moment() {
  switch (below(3)) {
    case 0:
      ++done_["counter"];
      record_counter("queue", below(9) * 0.5);
      return;
    case 1:
      ++done_["break"];
      events::keep(events::Break{"V0201", "item() needs a \"value\"", "model.cpp:3"});
      return;
    default:
      ++done_["recompile"];
      events::keep(events::Recompile{"V0301", "sizes", "model.cpp:4"});
  }
}

void Work::memory() {
  if (!kept_.empty() && below(2) == 0) {
    kept_.pop_back();
    return;
  }
  const events::CategoryScope scope(static_cast<events::MemoryCategory>(below(7)));
  kept_.push_back(Tensor::empty({1 + below(100)}, DType::f32));
  ++done_["allocation"];
  if (below(3) == 0) kept_.back().set_parameter(true);
}

void Work::user_launch() {
  ++done_["kernel"];
  const int64_t items = 1 + below(5000);
  done_["items"] += items;
  std::atomic<int64_t> seen{0};
  launch("mine", items, {.bytes = 8, .flops = 1 + below(4) * 200.0},
         [&](int64_t begin, int64_t end) { seen += end - begin; });
  EXPECT_EQ(seen, items);
}

// What a profile has of what Work counts.
Counts counts_of(const Profile& profile) {
  Counts found;
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) {
      if (slice.name().starts_with("ProfilerStep#")) continue;
      if (slice.kind != SliceKind::work) ++found[std::string(name_of(slice.kind))];
    }
    for (const Incident& incident : track.incidents) ++found[incident.kind];
    for (const MemoryChange& change : track.memory) found["allocation"] += change.bytes > 0;
    found["counter"] += static_cast<int64_t>(track.counters.size());
  }
  std::erase_if(found, [](const auto& entry) { return entry.second == 0; });
  return found;
}

int64_t bytes_of(const Profile& profile) {
  int64_t bytes = 0;
  for (const Track& track : profile.tracks) {
    for (const MemoryChange& change : track.memory) bytes += change.bytes;
  }
  return bytes;
}

// A share for each arrow; no thread did more than was launched.
int64_t expect_shares(const Profile& profile) {
  int64_t shares = 0;
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) {
      shares += slice.kind == SliceKind::work;
      if (slice.kind != SliceKind::work) continue;
      EXPECT_EQ(slice.name(), "mine");
      EXPECT_LE(track.extra(slice).items, 5000u);
    }
  }
  EXPECT_EQ(profile.flows.size(), static_cast<size_t>(shares));
  return shares;
}

template <class Write>
std::string text_of(Write write) {
  report::TextOutput out;
  write(out);
  out.finish();
  return out.text();
}

// Times of a trace in whole nanoseconds.
int64_t ns(const json& microseconds) {
  return static_cast<int64_t>(std::llround(microseconds.get<double>() * 1000));
}

// Slices nest on every row, and arrows have both ends.
void expect_sound_json(const json& trace) {
  std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> rows;
  std::map<int64_t, int> ends;
  for (const json& event : trace["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "s") ++ends[event["id"]];
    if (phase == "f") --ends[event["id"]];
    if (phase == "X" && event["tid"].is_number()) {
      EXPECT_GE(ns(event["dur"]), 0);
      const int64_t begin = ns(event["ts"]);
      rows[event["tid"]].emplace_back(begin, -(begin + ns(event["dur"])));
    }
  }
  for (const auto& [id, sum] : ends) EXPECT_EQ(sum, 0) << "arrow " << id;
  for (auto& [tid, slices] : rows) {
    std::ranges::stable_sort(slices);
    std::vector<int64_t> open;
    for (const auto& [begin, end] : slices) {
      while (!open.empty() && open.back() <= begin) open.pop_back();
      if (!open.empty()) {
        EXPECT_LE(-end, open.back());
      }
      open.push_back(-end);
    }
  }
}

void expect_sound_files(const Profiler& profiler) {
  const Profile& profile = profiler.profile();
  const bool memory = profile.options.details.have(events::Detail::memory);
  const TraceOptions options{.name = "trace", .profile_memory = memory};
  const json trace =
      json::parse(text_of([&](report::Output& out) { write_chrome_trace(profile, options, out); }));
  expect_sound_json(trace);
  size_t slices = 0, in_profile = 0;
  for (const json& event : trace["traceEvents"])
    slices += event["ph"] == "X" && event["tid"].is_number();
  for (const Track& track : profile.tracks) in_profile += track.slices.size();
  EXPECT_EQ(slices, in_profile);
  const auto perfetto = perfetto_reader::read(
      text_of([&](report::Output& out) { write_perfetto_trace(profile, options, out); }));
  EXPECT_EQ(perfetto.slices.size(), in_profile);
  const json execution =
      json::parse(text_of([&](report::Output& out) { write_execution_trace(profile, out); }));
  EXPECT_GT(execution["nodes"].size(), 0u);
  uint64_t counted = 0;
  const Averages averages = profiler.averages();
  for (const Average& entry : averages.entries()) counted += entry.count;
  EXPECT_EQ(counted, in_profile);
}

// A program in steps, profiled; every cycle has what its recorded steps did.
class Program {
 public:
  explicit Program(uint32_t seed) : seed_(seed), random_(seed) {
    for (uint32_t t = 0; t < 1 + seed % 3; ++t) threads_.emplace_back(100 * seed + t);
  }

  // What it did, recorded or not, and of what was recorded the shares of pool threads.
  const Counts& everything() const { return everything_; }

  void run(bool with_stack) {
    constexpr int64_t steps = 12;
    Schedule when = schedule(
        {.skip_first = below(3), .wait = below(2), .warmup = below(2), .active = 1 + below(3)});
    Profiler profiler({.record_shapes = coin(),
                       .with_stack = with_stack,
                       .with_modules = coin(),
                       .with_flops = coin(),
                       .with_tensors = coin(),
                       .profile_memory = true,
                       .schedule = when,
                       .on_trace_ready = [this](const Profiler& p) { check(p); },
                       .acc_events = acc_ = coin()});
    for (int64_t step = 0; step < steps; ++step) {
      enter(when(step));
      const int64_t live = memory_stats().live_bytes;
      Counts done;
      run_step(done);
      if (recorded_) {
        add_to(expected_, done);
        expected_bytes_ += memory_stats().live_bytes - live;
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

  // Threads of the step's own, and the profiler's.
  void run_step(Counts& done) {
    std::vector<Counts> of_thread(threads_.size());
    std::vector<std::thread> running;
    for (size_t t = 1; t < threads_.size(); ++t)
      running.emplace_back([&, t] { of_thread[t] = threads_[t].run(); });
    of_thread[0] = threads_[0].run();
    for (std::thread& thread : running) thread.join();
    for (const Counts& each : of_thread) add_to(done, each);
    add_to(everything_, done);
  }

  void check(const Profiler& profiler) {
    ++checked_;
    const Profile& profile = profiler.profile();
    expect_sound(profile);
    everything_["share"] += expect_shares(profile);
    Counts expected = expected_;
    expected.erase("items");
    EXPECT_EQ(counts_of(profile), expected);
    EXPECT_EQ(bytes_of(profile), expected_bytes_);
    expect_sound_files(profiler);
    // For a look with other tools (bench/peers/load_with_hta.py).
    if (const char* folder = std::getenv("VITRO_TEST_TRACES"))
      profiler.write_trace(cat(folder, "/random_", seed_, "_", checked_, ".json"));
  }

  uint32_t seed_;
  std::mt19937 random_;
  std::vector<Work> threads_;
  Counts expected_, everything_;
  int64_t expected_bytes_ = 0;
  bool acc_ = false, recorded_ = false, begins_cycle_ = true;
  int checked_ = 0;
};

}  // namespace

TEST(RandomPrograms, are_told_as_they_ran) {
  eager::init();
  set_allocator(Device::Kind::cpu, &runtime::cpu_allocator());
  const int before = num_threads();
  set_num_threads(2);
  Counts done;
  for (uint32_t seed = 0; seed < 24 && !HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    Program program(seed);
    program.run(seed % 8 == 0);  // names take long to read
    add_to(done, program.everything());
  }
  for (const char* kind : {"range", "op", "eager", "region", "phase", "kernel", "share", "counter",
                           "break", "recompile", "allocation"})
    EXPECT_GT(done[kind], 0) << kind;
  set_num_threads(before);
}

}  // namespace vitro
