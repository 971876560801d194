// Checks the files and tables of a profile against the profile itself; used by the random tests.
#include "profiler/sound_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "profiler/chrome_trace.h"
#include "profiler/execution_trace.h"
#include "profiler/memory_timeline.h"
#include "profiler/perfetto_reader.h"
#include "profiler/perfetto_trace.h"
#include "vitro/profiler/call_tree.h"

namespace vitro {
namespace {

using nlohmann::json;
using Counts = std::map<std::string, int64_t>;

// The number of events of each phase in a Chrome trace, and its instants.
Counts counts_in(const json& trace) {
  Counts found;
  for (const json& event : trace["traceEvents"]) {
    const std::string phase = event["ph"], category = event.value("cat", "");
    if (phase == "X" && event["tid"].is_number()) ++found["slice"];
    if (category == "cpu_instant_event") ++found["instant"];
    if (phase == "s" || phase == "f") ++found["arrow"];
    if (phase == "C") ++found["counter"];
  }
  return found;
}

// The expected values of the same.
Counts events_of(const Profile& profile) {
  Counts found;
  for (const Track& track : profile.tracks) {
    found["slice"] += static_cast<int64_t>(track.slices.size());
    found["instant"] += static_cast<int64_t>(track.memory.size() + track.incidents.size());
    found["counter"] += static_cast<int64_t>(track.counters.size());
  }
  found["arrow"] = static_cast<int64_t>(2 * profile.flows.size());
  std::erase_if(found, [](const auto& entry) { return entry.second == 0; });
  return found;
}

Counts counts_in(const perfetto_reader::Trace& trace) {
  Counts found{{"slice", trace.slices.size()}};
  for (const auto& slice : trace.slices) found["arrow"] += static_cast<int64_t>(slice.flows.size());
  for (const auto& instant : trace.instants) found["instant"] += instant.tid != 0;
  for (const auto& value : trace.counters) found["counter"] += value.counter != "memory";
  std::erase_if(found, [](const auto& entry) { return entry.second == 0; });
  return found;
}

template <class Write>
std::string text_of(Write write) {
  report::TextOutput out;
  write(out);
  out.finish();
  return out.text();
}

// Times of a trace in integer nanoseconds.
int64_t ns(const json& microseconds) {
  return static_cast<int64_t>(std::llround(microseconds.get<double>() * 1000));
}

// Checks that slices nest on every row and that arrows have both ends.
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

// Every node has a unique number and an existing parent.
void expect_sound_execution(const json& trace) {
  std::map<int64_t, int64_t> around;
  for (const json& node : trace["nodes"])
    EXPECT_TRUE(around.emplace(node["id"], node["ctrl_deps"]).second) << node["id"];
  for (const auto& [id, in] : around) EXPECT_TRUE(around.contains(in)) << id << " in " << in;
}

// The sum of recorded changes.
int64_t bytes_in(const json& raw_timeline) {
  int64_t bytes = 0;
  for (const json& change : raw_timeline) bytes += change[1] == 1 ? 0 : change[2].get<int64_t>();
  return bytes;
}

}  // namespace

int64_t bytes_of(const Profile& profile) {
  int64_t bytes = 0;
  for (const Track& track : profile.tracks) {
    for (const MemoryChange& change : track.memory) bytes += change.bytes;
  }
  return bytes;
}

void expect_sound_files(const Profile& profile) {
  const bool memory = profile.options.details.have(events::Detail::memory);
  const TraceOptions options{.name = "trace", .profile_memory = memory};
  const Counts expected = events_of(profile);
  const json trace =
      json::parse(text_of([&](report::Output& out) { write_chrome_trace(profile, options, out); }));
  expect_sound_json(trace);
  EXPECT_EQ(counts_in(trace), expected);
  const auto perfetto = perfetto_reader::read(
      text_of([&](report::Output& out) { write_perfetto_trace(profile, options, out); }));
  EXPECT_EQ(counts_in(perfetto), expected);
  expect_sound_execution(
      json::parse(text_of([&](report::Output& out) { write_execution_trace(profile, out); })));
  EXPECT_EQ(
      bytes_in(json::parse(text_of([&](report::Output& out) { write_memory_raw(profile, out); }))),
      bytes_of(profile));
}

void expect_sound_sums(const Profiler& profiler) {
  const Profile& profile = profiler.profile();
  int64_t slices = 0, outermost_ns = 0, counted = 0, self_ns = 0;
  for (const Track& track : profile.tracks) {
    slices += static_cast<int64_t>(track.slices.size());
    for (const Slice& slice : track.slices)
      outermost_ns += slice.parent == Slice::none ? slice.duration() : 0;
  }
  const GroupBy all{.group_by_input_shape = true, .group_by_stack_n = 2, .group_by_thread = true};
  for (const GroupBy& group : {GroupBy{}, all}) {
    const Averages averages = profiler.key_averages(group);
    counted = self_ns = 0;
    for (const Average& entry : averages.entries()) {
      counted += static_cast<int64_t>(entry.count);
      self_ns += entry.self_ns;
    }
    EXPECT_EQ(counted, slices);
    EXPECT_EQ(self_ns, outermost_ns);
  }
  EXPECT_EQ(CallTree(profile).nodes().at(0).total, static_cast<uint64_t>(outermost_ns));
}

}  // namespace vitro
