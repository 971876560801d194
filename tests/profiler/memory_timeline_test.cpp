// Tests the three forms of the memory timeline (sums, changes, page) on a small profile with known
// changes.
#include "profiler/memory_timeline.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/profiler/profiler.h"

namespace vitro {
namespace {

using events::MemoryCategory;
using nlohmann::json;

MemoryChange change(int64_t at, uint64_t address, int64_t bytes, int64_t live,
                    MemoryCategory category) {
  MemoryChange made;
  made.at = at;
  made.address = address;
  made.bytes = bytes;
  made.live_bytes = live;
  made.category = category;
  return made;
}

// Two threads, 100 bytes live before; changes are numbered 1 to 5 in order of time.
Profile sample() {
  Profile profile{.begin = 10'000, .end = 20'000};
  profile.tracks.resize(2);
  profile.tracks[0].memory = {change(11'000, 1, 64, 164, MemoryCategory::parameter),      // 1
                              change(12'000, 3, 1000, 1172, MemoryCategory::temporary),   // 3
                              change(12'900, 3, -1000, 172, MemoryCategory::temporary)};  // 4
  profile.tracks[1].memory = {change(11'500, 2, 8, 172, MemoryCategory::activation),      // 2
                              change(15'000, 2, -8, 164, MemoryCategory::activation)};    // 5
  Slice op{.kind = SliceKind::op};
  op.name_id = events::intern("aten::mm");
  op.begin = 11'900;
  op.end = 13'000;
  profile.tracks[0].slices = {op};
  profile.tracks[0].memory[1].slice = 0;
  return profile;
}

std::string written(auto write) {
  report::TextOutput out;
  write(out);
  out.finish();
  return out.text();
}

}  // namespace

TEST(MemoryTimeline, gives_sums_by_category_per_microsecond) {
  const Profile profile = sample();
  const json timeline =
      json::parse(written([&](report::Output& out) { write_memory_json(profile, out); }));
  EXPECT_EQ(timeline, json::parse(R"([[11, 11, 12, 15],
      [[0,  0, 0, 0, 0, 0, 0, 0, 100],
       [0, 64, 0, 0, 0, 8, 0, 0, 100],
       [0, 64, 0, 0, 0, 8, 0, 0, 100],
       [0, 64, 0, 0, 0, 0, 0, 0, 100]]])"));
}

TEST(MemoryTimeline, gives_every_change_in_the_raw_form) {
  const Profile profile = sample();
  const json raw =
      json::parse(written([&](report::Output& out) { write_memory_raw(profile, out); }));
  EXPECT_EQ(raw, json::parse(R"([[-1, 1, 100, 7], [11000, 2, 64, 0], [11500, 2, 8, 4],
      [12000, 2, 1000, 3], [12900, 4, -1000, 3], [15000, 4, -8, 4]])"));
}

TEST(MemoryTimeline, begins_with_what_is_known_of_older_memory) {
  Profile profile = sample();
  const auto first_rows = [&] {
    const json raw =
        json::parse(written([&](report::Output& out) { write_memory_raw(profile, out); }));
    return json(raw.begin(), raw.begin() + 2);
  };
  profile.memory_before[static_cast<size_t>(MemoryCategory::parameter)] = 60;
  EXPECT_EQ(first_rows(), json::parse("[[-1, 1, 60, 0], [-1, 1, 40, 7]]"));
  // More than there is: a part is not of the allocator.
  profile.memory_before[static_cast<size_t>(MemoryCategory::optimiser)] = 70;
  EXPECT_EQ(first_rows(), json::parse("[[-1, 1, 60, 0], [-1, 1, 40, 1]]"));
  const json sums =
      json::parse(written([&](report::Output& out) { write_memory_json(profile, out); }));
  EXPECT_EQ(sums[1][0], json::parse("[0, 60, 40, 0, 0, 0, 0, 0, 0]"));
}

TEST(MemoryTimeline, shows_the_peak_on_its_page) {
  const Profile profile = sample();
  const std::string page =
      written([&](report::Output& out) { write_memory_page(profile, "a < b", out); });
  for (const char* part : {"<h1>a &lt; b</h1>", "Peak: 1.14 KiB at 2.000us of 10.000us.",
                           ">temporary</td>", ">1000 B</td>", ">85.32%</td>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find(">gradient</td>"), std::string::npos);  // there are none
}

TEST(MemoryTimeline, of_nothing_is_whole_too) {
  const Profile profile{.begin = 5, .end = 5};
  EXPECT_EQ(json::parse(written([&](auto& out) { write_memory_json(profile, out); })),
            json::parse("[[], []]"));
  EXPECT_EQ(json::parse(written([&](auto& out) { write_memory_raw(profile, out); })),
            json::array());
  EXPECT_NE(written([&](auto& out) { write_memory_page(profile, "", out); }).find("Peak: 0 B"),
            std::string::npos);
}

TEST(MemoryTimeline, is_written_in_the_form_that_the_name_asks_for) {
  Profiler profiler({.profile_memory = true});
  events::record(events::Allocated{.address = 1, .bytes = 64, .live_bytes = 64});
  events::record(events::Freed{.address = 1, .bytes = 64, .live_bytes = 0});
  profiler.stop();
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const auto contents = [&](const char* name) {
    const auto path = folder / cat("vitro_memory_", getpid(), name);
    profiler.export_memory_timeline(path);
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    std::filesystem::remove(path);
    return text.str();
  };
  EXPECT_EQ(json::parse(contents(".json")).size(), 2u);
  EXPECT_EQ(json::parse(contents(".raw.json"))[0][2], 64);
  EXPECT_TRUE(contents(".html").starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(contents(".raw.json.gz").starts_with("\x1f\x8b"));
}

TEST(MemoryTimeline, needs_a_profile_of_memory) {
  Profiler profiler;
  profiler.stop();
  try {
    profiler.export_memory_timeline("m.json");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "m.json: the profiler did not record memory; start it with profile_memory = true");
  }
}

}  // namespace vitro
