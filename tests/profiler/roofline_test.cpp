#include "vitro/profiler/roofline.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "vitro/base/cat.h"

namespace vitro {
namespace {

Peaks machine() {
  Peaks peaks;
  peaks.processor = "A <processor>";
  peaks.threads = 2;
  peaks.levels = {{"L1", 1 << 16, 200, 400}, {"memory", 1 << 30, 20, 25}};
  peaks.rates = {{"f32", "avx512f", 118, 236}};
  return peaks;
}

void add(Profile& profile, std::string_view name, int64_t ns, uint64_t bytes, uint64_t flops) {
  if (profile.tracks.empty()) profile.tracks.emplace_back();
  profile.tracks[0].slices.push_back({.kind = SliceKind::kernel,
                                      .name_id = events::intern(name),
                                      .begin = 0,
                                      .end = ns,
                                      .bytes = bytes,
                                      .flops = flops});
}

std::string picture(const Profile& profile) {
  const std::string path =
      std::filesystem::temp_directory_path() / cat("vitro_roofline_", getpid(), ".svg");
  write_roofline(path, profile, machine());
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove(path);
  return text;
}

size_t count(const std::string& text, std::string_view what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST(Roofline, has_a_point_for_each_kernel_and_a_line_for_each_ceiling) {
  Profile profile;
  add(profile, "mm_add", 1000, 1000, 100000);
  add(profile, "mm_add", 1000, 1000, 100000);
  add(profile, "erf<tanh>", 500, 40000, 20000);
  add(profile, "copy", 100, 4000, 0);
  const std::string text = picture(profile);
  EXPECT_EQ(count(text, "<circle"), 2u);
  EXPECT_NE(text.find("mm_add"), text.npos);
  EXPECT_NE(text.find("2 calls"), text.npos);
  EXPECT_NE(text.find("100 GFLOP/s"), text.npos);
  EXPECT_NE(text.find("erf&lt;tanh&gt;"), text.npos);
  EXPECT_NE(text.find("L1 400 GB/s"), text.npos);
  EXPECT_NE(text.find("memory 25 GB/s"), text.npos);
  EXPECT_NE(text.find("f32 236 GFLOP/s"), text.npos);
  EXPECT_NE(text.find("A &lt;processor&gt;"), text.npos);
  EXPECT_NE(text.find("3 kernels, 1 of them without operations"), text.npos);
}

TEST(Roofline, says_what_share_of_the_peak_a_kernel_reached) {
  Profile profile;
  add(profile, "half", 100, 20000, 100);  // 20 kB at 400 GB/s take 50 ns
  EXPECT_NE(picture(profile).find("50.00% of the peak"), std::string::npos);
}

TEST(Roofline, of_nothing_and_of_odd_figures_is_a_picture_too) {
  EXPECT_NE(picture({}).find("0 kernels"), std::string::npos);
  Profile profile;
  add(profile, "timeless", 0, 10, 10);
  add(profile, "huge", 1, 1, UINT64_MAX);
  add(profile, "tiny", INT64_MAX / 2, UINT64_MAX, 1);
  const std::string text = picture(profile);
  EXPECT_EQ(text.find("nan"), text.npos);
  EXPECT_EQ(text.find("inf"), text.npos);
  EXPECT_EQ(count(text, "<circle"), 2u);
}

}  // namespace vitro
