// Tests Chrome traces written by the profiler: slices, arguments, categories, exact times and
// arrows, by parsing the JSON again.
#include "profiler/chrome_trace.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "vitro/base/cat.h"
#include "vitro/events/session.h"
#include "vitro/profiler/profiler.h"

namespace vitro {
namespace {

using nlohmann::json;

json written(const Profile& profile, bool memory = false) {
  report::TextOutput out;
  write_chrome_trace(profile, {.name = "trace.json", .profile_memory = memory}, out);
  out.finish();
  return json::parse(out.text());
}

std::vector<json> of_category(const json& trace, std::string_view category) {
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event.value("cat", "") == category) found.push_back(event);
  }
  return found;
}

Profile recorded() {
  Profiler profiler({.profile_memory = true});
  for (int i = 0; i < 3; ++i) {
    RecordFunction range("a \"range\" \\ of é\n\x01\xff");
    events::OpScope op{{events::intern("aten::mm"), 12}};
    events::record(events::Allocated{4096, 64, 64});
    events::KernelScope kernel{
        {events::intern("mm_tile"), events::intern("mm, add, relu"), 1000, 4000}};
  }
  events::record(events::Freed{4096, 64, 0});
  {
    events::PhaseScope phase("fuse_loops", "f (graph 0)");
  }
  events::keep(events::GuardFailure{"V0301", "x.size(0): expected 4, got 5", "model.cpp:3"});
  events::record(events::Counter{events::intern("queue"), 2.5});
  profiler.stop();
  return profiler.profile();
}

}  // namespace

TEST(ChromeTrace, has_the_shape_of_a_real_one) {
  const json ours = written(recorded(), true);
  for (const char* key :
       {"schemaVersion", "producer", "deviceProperties", "trace_id", "profile_memory", "host_name",
        "displayTimeUnit", "baseTimeNanoseconds", "traceEvents", "traceName"}) {
    EXPECT_TRUE(ours.contains(key)) << key;
  }
  // Kineto's base is a multiple of an eighth of a year, see the files in tests/data/traces.
  EXPECT_EQ(ours["baseTimeNanoseconds"].get<int64_t>() % 3'944'619'000'000'000, 0);
  std::set<std::string> names;
  for (const json& event : ours["traceEvents"]) {
    if (event["ph"] == "M") names.insert(event["name"].get<std::string>());
    EXPECT_TRUE(event.contains("ts") && event.contains("pid") && event.contains("tid") &&
                event.contains("name"));
  }
  EXPECT_EQ(names, (std::set<std::string>{"process_labels", "process_name", "process_sort_index",
                                          "thread_name", "thread_sort_index"}));
}

TEST(ChromeTrace, has_every_slice_with_its_arguments) {
  const json trace = written(recorded());
  std::map<std::string, int> counts;
  for (const json& event : of_category(trace, "cpu_op")) ++counts[event["name"].get<std::string>()];
  EXPECT_EQ(counts, (std::map<std::string, int>{{"aten::mm", 3}, {"mm_tile", 3}}));
  const auto phases = of_category(trace, "compile_phase");
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_EQ(phases[0]["name"], "fuse_loops");
  EXPECT_EQ(phases[0]["args"]["Compile phase of"], "f (graph 0)");
  for (const json& event : of_category(trace, "cpu_op")) {
    const json& args = event["args"];
    if (event["name"] == "mm_tile") {
      EXPECT_EQ(args["bytes"], 1000);
      EXPECT_EQ(args["kernel_flop"], 4000);
      EXPECT_EQ(args["fused"], "mm, add, relu");
      const double ns = event["dur"].get<double>() * 1000;
      if (ns == 0) continue;  // shorter than the clock's resolution: no rates
      EXPECT_NEAR(args["GB/s"].get<double>() * ns, 1000, 1e-6);
      EXPECT_NEAR(args["GFLOP/s"].get<double>() * ns, 4000, 1e-6);
    } else {
      EXPECT_EQ(args["Sequence number"], 12);
    }
  }
}

TEST(ChromeTrace, says_what_was_recorded) {
  Profile profile;
  profile.options.details = events::Detail::shapes | events::Detail::flops;
  const json trace = written(profile);
  EXPECT_EQ(trace["record_shapes"], 1);
  EXPECT_EQ(trace["with_flops"], 1);
  EXPECT_FALSE(trace.contains("with_stack"));
  EXPECT_FALSE(trace.contains("with_modules"));
}

TEST(ChromeTrace, says_how_many_events_were_dropped) {
  Profiler profiler({.max_bytes = 1});
  {
    RecordFunction range("kept out");
  }
  profiler.stop();
  EXPECT_EQ(written(profiler.profile())["dropped_events"], 2);
}

TEST(ChromeTrace, holds_times_of_any_length) {
  constexpr int64_t begin = 1'800'000'000'000'000'000, year = int64_t{365} * 86'400 * 1'000'000'000;
  Profile profile{.begin = begin, .end = begin + year};
  profile.tracks.resize(1);
  Slice slice{.kind = SliceKind::range, .name_id = events::intern("a year")};
  slice.begin = begin;
  slice.end = begin + year;
  profile.tracks[0].slices = {slice};
  const json trace = written(profile);
  const json range = of_category(trace, "user_annotation").at(0);
  EXPECT_EQ(range["dur"].get<double>(), static_cast<double>(year) / 1000);
  EXPECT_EQ(
      std::llround(range["ts"].get<double>() * 1000) + trace["baseTimeNanoseconds"].get<int64_t>(),
      begin);
}

// Tools sum events of category cpu_op.
TEST(ChromeTrace, slices_other_than_ops_have_their_own_categories) {
  Profiler profiler;
  {
    events::KernelScope kernel{{events::intern("tile")}};
    events::record(events::WorkBegin{});
    events::record(events::WorkEnd{.items = 3});
  }
  {
    events::EagerScope eager{{events::intern("Torch-Compiled Region: 0/0"), events::intern("V0205"),
                              events::intern("on request")}};
    events::OpScope op{{events::intern("aten::mm")}};
  }
  profiler.stop();
  const json trace = written(profiler.profile());
  std::set<std::string> ops;
  for (const json& event : of_category(trace, "cpu_op")) ops.insert(event["name"]);
  EXPECT_EQ(ops, (std::set<std::string>{"tile", "aten::mm"}));
  ASSERT_EQ(of_category(trace, "cpu_work").size(), 1u);
  EXPECT_EQ(of_category(trace, "cpu_work")[0]["args"]["items of this thread"], 3);
  ASSERT_EQ(of_category(trace, "eager_region").size(), 1u);
  EXPECT_EQ(of_category(trace, "eager_region")[0]["args"]["reason"], "on request");
}

TEST(ChromeTrace, numbers_that_doubles_do_not_hold_are_text) {
  constexpr int64_t most = INT64_C(1) << 53;
  Profiler profiler;
  {
    RecordFunction range("range", {{"held", most}, {"not_held", most + 1}, {"below", -most - 1}});
  }
  profiler.stop();
  const json trace = written(profiler.profile()),
             args = of_category(trace, "user_annotation")[0]["args"];
  EXPECT_EQ(args["held"], most);
  EXPECT_EQ(args["not_held"], "9007199254740993");
  EXPECT_EQ(args["below"], "-9007199254740993");
}

TEST(ChromeTrace, escapes_names) {
  const auto ranges = of_category(written(recorded()), "user_annotation");
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0]["name"], "a \"range\" \\ of é\n\x01\xef\xbf\xbd");
}

TEST(ChromeTrace, numbers_events_once_each) {
  const json trace = written(recorded(), true);
  std::set<int64_t> ids, indices;
  size_t slices = 0, events = 0;
  for (const json& event : trace["traceEvents"]) {
    if (!event.contains("args") || !event["args"].contains("Ev Idx")) continue;
    ++events;
    indices.insert(event["args"]["Ev Idx"].get<int64_t>());
    if (event["ph"] != "X") continue;
    ++slices;
    ids.insert(event["args"]["External id"].get<int64_t>());
  }
  EXPECT_EQ(slices, 10u);
  EXPECT_EQ(ids.size(), slices);
  EXPECT_EQ(events, slices + 4 + 1);
  EXPECT_EQ(indices.size(), events);
}

// As read by Perfetto: doubles, multiplied by 1000, rounded.
TEST(ChromeTrace, slices_nest_in_the_written_microseconds) {
  const auto nanoseconds = [](const json& us) { return std::llround(us.get<double>() * 1000); };
  std::map<int64_t, std::vector<int64_t>> open;
  size_t slices = 0;
  const Profile profile = recorded();
  const json trace = written(profile);
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X" || !event["pid"].is_number()) continue;
    ++slices;
    auto& ends = open[event["tid"].get<int64_t>()];
    const int64_t begin = nanoseconds(event["ts"]), end = begin + nanoseconds(event["dur"]);
    while (!ends.empty() && ends.back() <= begin) ends.pop_back();
    if (!ends.empty()) {
      EXPECT_LE(end, ends.back());
    }
    ends.push_back(end);
  }
  EXPECT_EQ(slices, 10u);
}

TEST(ChromeTrace, readers_of_doubles_see_the_nanosecond_that_was_meant) {
  constexpr int64_t base = 1'795'000'000 / 3'944'619 * 3'944'619 * int64_t{1'000'000'000};
  constexpr int64_t last = 3'944'619 * int64_t{1'000'000'000} - 1;
  Profile profile{.begin = base, .end = base + last};
  for (int64_t at = 0; at <= last; at += last / 4999 + 1) {
    profile.tracks.push_back({.tid = at, .name = {}});
    Slice slice{.kind = SliceKind::range};
    slice.begin = base + at;
    slice.end = base + at + (last - at) / 3;
    profile.tracks.back().slices.push_back(slice);
  }
  const json trace = written(profile);
  EXPECT_EQ(trace["baseTimeNanoseconds"], base);
  size_t slices = 0;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X" || !event["pid"].is_number()) continue;
    const auto at = event["tid"].get<int64_t>();
    ASSERT_EQ(std::llround(event["ts"].get<double>() * 1000), at);
    ASSERT_EQ(std::llround(event["dur"].get<double>() * 1000), (last - at) / 3);
    ++slices;
  }
  EXPECT_EQ(slices, profile.tracks.size());
}

TEST(ChromeTrace, memory_is_included_on_request) {
  const Profile profile = recorded();
  size_t memory = 0;
  int64_t live = 0;
  for (const json& event : of_category(written(profile, true), "cpu_instant_event")) {
    if (event["name"] != "[memory]") continue;
    ++memory;
    live += event["args"]["Bytes"].get<int64_t>();
  }
  EXPECT_EQ(memory, 4u);
  EXPECT_EQ(live, 3 * 64 - 64);
  const auto without = of_category(written(profile), "cpu_instant_event");
  ASSERT_EQ(without.size(), 1u);
  EXPECT_EQ(without[0]["name"], "guard_failure");
  EXPECT_EQ(without[0]["args"]["code"], "V0301");
}

TEST(ChromeTrace, is_written_compressed_where_the_name_says_so) {
  Profiler profiler;
  {
    RecordFunction range("mine");
  }
  profiler.stop();
  const auto path =
      std::filesystem::temp_directory_path() / cat("vitro_trace_", getpid(), ".json.gz");
  profiler.write_trace(path);
  std::string text(1 << 20, '\0');
  gzFile file = gzopen(path.c_str(), "rb");
  text.resize(static_cast<size_t>(gzread(file, text.data(), static_cast<unsigned>(text.size()))));
  EXPECT_EQ(gzclose(file), Z_OK);
  std::filesystem::remove(path);
  EXPECT_EQ(json::parse(text)["traceName"], path.string());
}

TEST(ChromeTrace, has_inputs_of_ops_in_the_format_of_pytorch) {
  constexpr int64_t sizes[] = {2, 3}, strides[] = {3, 1}, dims[] = {1, 2};
  Profiler profiler({.record_shapes = true});
  {
    const events::OpScope op{{events::intern("aten::op")}};
    events::ValueWriter values;
    values.tensor(0, sizes, strides).none().integer(2).floating(0.5);
    values.tensors(2).tensor(7, sizes, strides).tensor(9, {}, {});
    values.name("dim").integers(dims).name("keepdim").boolean(false).name("mode").text("a\"b");
    events::record_tail(events::Inputs{}, values.bytes());
  }
  profiler.stop();
  const json trace = written(profiler.profile());
  const json args = of_category(trace, "cpu_op").at(0)["args"];
  EXPECT_EQ(args["Input type"], json::parse(R"(["float", "", "Scalar", "Scalar", "TensorList",
                                                "ScalarList", "Scalar", ""])"));
  EXPECT_EQ(args["Input Dims"], json::parse("[[2, 3], [], [], [], [[2, 3], []], [], [], []]"));
  EXPECT_EQ(args["Input Strides"], json::parse("[[3, 1], [], [], [], [[3, 1], []], [], [], []]"));
  EXPECT_EQ(args["Concrete Inputs"],
            json::parse(R"(["", "", "2", "0.5", "", "[1, 2]", "False", "a\"b"])"));
}

TEST(ChromeTrace, has_the_arguments_of_ranges) {
  Profiler profiler;
  {
    RecordFunction step("step", {{"batch", 32}, {"rate", 0.5}, {"phase", "train"}, {"last", true}});
    RecordFunction load("load", "part 3");
  }
  profiler.stop();
  const auto ranges = of_category(written(profiler.profile()), "user_annotation");
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0]["args"]["batch"], 32);
  EXPECT_EQ(ranges[0]["args"]["rate"], 0.5);
  EXPECT_EQ(ranges[0]["args"]["phase"], "train");
  EXPECT_EQ(ranges[0]["args"]["last"], true);
  EXPECT_FALSE(ranges[0]["args"].contains("Concrete Inputs"));
  EXPECT_EQ(ranges[1]["args"]["Concrete Inputs"], json::parse(R"(["part 3"])"));
}

TEST(ChromeTrace, every_arrow_has_both_ends_at_slices) {
  Profiler profiler;
  {
    const events::KernelScope kernel{{.kernel = events::intern("fused")}};
    events::record(events::FlowBegin{events::FlowKind::launch, 1});
    events::record(events::FlowBegin{events::FlowKind::launch, 2});
    for (int i = 0; i < 2; ++i) {
      events::record(events::WorkBegin{});
      events::record(events::FlowEnd{events::FlowKind::launch, 1});
      events::record(events::WorkEnd{7});
    }
  }
  profiler.stop();
  const json trace = written(profiler.profile());
  std::map<int64_t, std::string> phases;
  for (const json& event : of_category(trace, "launch")) {
    phases[event["id"].get<int64_t>()] += event["ph"].get<std::string>();
    const auto at_slice = [&](const json& e) {
      return e["ph"] == "X" && e["ts"] == event["ts"] && e["tid"] == event["tid"];
    };
    EXPECT_TRUE(std::ranges::any_of(trace["traceEvents"], at_slice));
  }
  EXPECT_EQ(phases, (std::map<int64_t, std::string>{{1, "sf"}, {2, "sf"}}));
}

TEST(ChromeTrace, a_region_that_ran_eagerly_says_why) {
  Profiler profiler;
  {
    const events::EagerScope scope{{events::intern("Torch-Compiled Region: 0/1"),
                                    events::intern("V0601"), events::intern("no kernel for it"),
                                    events::intern("mlp/1")}};
  }
  profiler.stop();
  const json args = of_category(written(profiler.profile()), "eager_region").at(0)["args"];
  EXPECT_EQ(args["code"], "V0601");
  EXPECT_EQ(args["reason"], "no kernel for it");
  EXPECT_EQ(args["compiled function"], "mlp/1");
}

}  // namespace vitro
