// Tests Perfetto traces by reading them with perfetto_reader.h and comparing with the Chrome trace
// of the same profile.
#include "profiler/perfetto_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "profiler/perfetto_reader.h"
#include "vitro/base/cat.h"
#include "vitro/events/session.h"
#include "vitro/profiler/profiler.h"

namespace vitro {
namespace {

using nlohmann::json;

void work(int depth) {
  RecordFunction range(cat("a \"range\" \\ of é\n\x01\xff ", depth));
  events::OpScope op{{events::intern("aten::mm"), 12}};
  events::record(events::Allocated{4096, 64, 64});
  {
    events::KernelScope kernel{{events::intern("mm_tile"), events::intern("mm, add"), 1000, 4000}};
  }
  if (depth > 0) work(depth - 1);
  events::record(events::Freed{4096, 64, 0});
}

Profile recorded() {
  Profiler profiler({.profile_memory = true});
  for (int i = 0; i < 20; ++i) work(i % 4);
  std::thread([] { work(2); }).join();
  {
    events::PhaseScope phase("fuse_loops", "f (graph 0)");
  }
  events::keep(events::GuardFailure{"V0301", "x.size(0): expected 4, got 5", "model.cpp:3"});
  events::record(events::Counter{events::intern("queue"), 2.5});
  profiler.stop();
  return profiler.profile();
}

// Two arrows, and one that would have to go back in time.
Profile with_arrows() {
  Profile profile{.begin = 0, .end = 9000};
  profile.tracks.resize(2);
  const auto add = [&](size_t track, const char* name, int64_t begin) {
    Slice slice{.kind = SliceKind::op};
    slice.name_id = events::intern(name);
    slice.begin = begin;
    slice.end = begin + 500;
    profile.tracks[track].slices.push_back(slice);
  };
  profile.tracks[1].tid = 1;
  add(0, "forward", 1000);
  add(0, "kernel", 2000);
  add(0, "backward", 3000);
  add(1, "share", 2100);
  profile.flows = {{events::FlowKind::forward_backward, 1, {0, 0}, {0, 2}},
                   {events::FlowKind::launch, 2, {0, 1}, {1, 0}},
                   {events::FlowKind::launch, 3, {0, 2}, {1, 0}}};
  return profile;
}

std::string written(const Profile& profile, auto write, bool memory = true) {
  report::TextOutput out;
  write(profile, TraceOptions{.name = "trace", .profile_memory = memory}, out);
  out.finish();
  return out.text();
}

int64_t nanoseconds(const json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000);
}

// Slices of a Chrome trace by (tid, begin), with their arguments.
using Said = std::map<std::pair<int64_t, int64_t>, std::vector<json>>;

Said said_in_json(const json& trace) {
  Said said;
  const auto base = trace["baseTimeNanoseconds"].get<int64_t>();
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X" || !event["pid"].is_number()) continue;
    said[{event["tid"], base + nanoseconds(event["ts"])}].push_back(
        {event["name"], event["cat"], nanoseconds(event["dur"]), event["args"]});
  }
  for (auto& [key, slices] : said) std::ranges::sort(slices);
  return said;
}

Said said_in_perfetto(const perfetto_reader::Trace& trace) {
  Said said;
  for (const auto& slice : trace.slices) {
    said[{slice.tid, slice.begin}].push_back(
        {slice.name, slice.category, slice.end - slice.begin, slice.args});
  }
  for (auto& [key, slices] : said) std::ranges::sort(slices);
  return said;
}

}  // namespace

TEST(PerfettoTrace, has_the_slices_of_the_chrome_trace_with_their_arguments) {
  const Profile profile = recorded();
  const auto perfetto = perfetto_reader::read(written(profile, write_perfetto_trace));
  const json chrome = json::parse(written(profile, write_chrome_trace));
  EXPECT_EQ(perfetto.slices.size(), 20 * 3 + 30 * 3 + 9 + 1u);
  EXPECT_EQ(said_in_perfetto(perfetto), said_in_json(chrome));
}

TEST(PerfettoTrace, has_the_arrows_of_the_chrome_trace) {
  const Profile profile = with_arrows();
  const auto perfetto = perfetto_reader::read(written(profile, write_perfetto_trace));
  std::map<uint64_t, std::vector<std::pair<int64_t, std::string>>> by_id;
  for (const auto& slice : perfetto.slices) {
    for (const uint64_t id : slice.flows) by_id[id].emplace_back(slice.begin, slice.name);
  }
  std::vector<std::vector<std::pair<int64_t, std::string>>> arrows;
  for (auto& [id, ends] : by_id) {
    std::ranges::sort(ends);
    arrows.push_back(ends);
  }
  std::ranges::sort(arrows);
  const decltype(arrows) expected{{{1000, "forward"}, {3000, "backward"}},
                                  {{2000, "kernel"}, {2100, "share"}}};
  EXPECT_EQ(arrows, expected);

  const json chrome = json::parse(written(profile, write_chrome_trace));
  std::map<int64_t, std::string> phases;
  for (const json& event : chrome["traceEvents"]) {
    if (event["ph"] != "s" && event["ph"] != "f") continue;
    phases[event["id"]] += event["ph"].get<std::string>();
    EXPECT_EQ(event["cat"], event["name"]);
    EXPECT_EQ(event.contains("bp"), event["ph"] == "f");
  }
  EXPECT_EQ(phases, (std::map<int64_t, std::string>{{1, "sf"}, {2, "sf"}}));
}

TEST(PerfettoTrace, nests_slices_as_the_profile_does) {
  const Profile profile = recorded();
  const auto perfetto = perfetto_reader::read(written(profile, write_perfetto_trace));
  std::map<std::pair<int64_t, std::string>, std::vector<int64_t>> expected, got;
  for (const Track& track : profile.tracks) {
    std::vector<int64_t> depths;
    for (const Slice& slice : track.slices) {
      depths.push_back(slice.parent == Slice::none ? 0 : depths[slice.parent] + 1);
      expected[{track.tid, std::string(slice.name())}].push_back(depths.back());
    }
  }
  for (const auto& slice : perfetto.slices) got[{slice.tid, slice.name}].push_back(slice.depth);
  for (auto* depths : {&expected, &got}) {
    for (auto& [name, list] : *depths) std::ranges::sort(list);
  }
  EXPECT_EQ(got[std::pair(profile.tracks[0].tid, "aten::mm")],
            expected[std::pair(profile.tracks[0].tid, "aten::mm")]);
  EXPECT_EQ(got.size(), expected.size());
}

TEST(PerfettoTrace, has_the_instants_and_counters) {
  const Profile profile = recorded();
  const auto perfetto = perfetto_reader::read(written(profile, write_perfetto_trace));
  std::map<std::string, size_t> instants;
  for (const auto& instant : perfetto.instants) {
    ++instants[instant.name];
    if (instant.name == "guard_failure") {
      EXPECT_EQ(instant.args["reason"], "x.size(0): expected 4, got 5");
    }
  }
  // Levels of work(), each with a block allocated and freed: 5 * (1 + 2 + 3 + 4) + 3 = 53.
  EXPECT_EQ(instants, (std::map<std::string, size_t>{
                          {"Profile", 1}, {"[memory]", 2 * 53}, {"guard_failure", 1}}));
  std::map<std::string, double> counters;
  for (const auto& value : perfetto.counters) counters[value.counter] += value.value;
  EXPECT_EQ(counters, (std::map<std::string, double>{{"memory", 53 * 64}, {"queue", 2.5}}));
  const auto without = perfetto_reader::read(written(profile, write_perfetto_trace, false));
  EXPECT_EQ(without.instants.size(), 2u);
  EXPECT_EQ(without.counters.size(), 1u);
}

TEST(PerfettoTrace, names_the_process_its_threads_and_its_clocks) {
  const Profile profile = recorded();
  const auto perfetto = perfetto_reader::read(written(profile, write_perfetto_trace));
  EXPECT_EQ(perfetto.pid, getpid());
  EXPECT_EQ(perfetto.process, "profiler_test");
  EXPECT_EQ(perfetto.threads.size(), 2u);
  EXPECT_EQ(perfetto.clocks.size(), 3u);
  EXPECT_GE(perfetto.clocks.at(1), profile.end);  // real time, read when it was written
  EXPECT_LT(perfetto.clocks.at(1) - profile.end, int64_t{600} * 1'000'000'000);
}

TEST(PerfettoTrace, is_what_the_name_of_the_file_asks_for) {
  Profiler profiler;
  {
    RecordFunction range("mine");
  }
  profiler.stop();
  const auto folder = std::filesystem::temp_directory_path();
  for (const char* suffix : {".pftrace", ".perfetto-trace"}) {
    const auto path = folder / cat("vitro_trace_", getpid(), suffix);
    profiler.write_trace(path);
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    std::filesystem::remove(path);
    const auto trace = perfetto_reader::read(bytes.str());
    ASSERT_EQ(trace.slices.size(), 1u);
    EXPECT_EQ(trace.slices[0].name, "mine");
  }
}

}  // namespace vitro
