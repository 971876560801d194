// What the profiler tells of compiled functions, from the first call on.
#include <gtest/gtest.h>

#include <algorithm>

#include "vitro/vitro.h"

namespace vitro {
namespace {

Tensor wave(const Tensor& x) {
  return sin(x) + cos(x);
}

Tensor input(float first) {
  return Tensor::from({first, 1.0f, 2.0f}, {3});
}

std::vector<Slice> of_kind(const Profile& profile, SliceKind kind) {
  std::vector<Slice> found;
  for (const Track& track : profile.tracks) {
    std::ranges::copy_if(track.slices, std::back_inserter(found),
                         [kind](const Slice& slice) { return slice.kind == kind; });
  }
  return found;
}

}  // namespace

TEST(ProfileOfCompiled, each_call_is_a_region_with_its_kernels) {
  auto fast = compile(wave);
  fast(input(0)).data<float>();
  Profiler profiler;
  for (int i = 0; i < 5; ++i) fast(input(0)).data<float>();
  profiler.stop();
  EXPECT_EQ(of_kind(profiler.profile(), SliceKind::region).size(), 5u);
  EXPECT_TRUE(of_kind(profiler.profile(), SliceKind::op).empty());
  EXPECT_TRUE(of_kind(profiler.profile(), SliceKind::phase).empty());
  const auto kernels = of_kind(profiler.profile(), SliceKind::kernel);
  ASSERT_EQ(kernels.size(), 5u);
  for (const Slice& kernel : kernels) {
    EXPECT_EQ(kernel.bytes, 2 * 3 * sizeof(float));
    const Slice& around = profiler.profile().tracks[0].slices.at(kernel.parent);
    EXPECT_EQ(around.kind, SliceKind::region);
    EXPECT_TRUE(around.name().starts_with("Torch-Compiled Region: ")) << around.name();
  }
  EXPECT_EQ(profiler.averages().table().find("Compiled meanwhile"), std::string::npos);
}

TEST(ProfileOfCompiled, the_first_call_shows_the_phases_of_the_compiler) {
  auto fast = compile([](const Tensor& x) { return exp(wave(x)); });
  Profiler profiler;
  fast(input(0)).data<float>();
  profiler.stop();
  const auto phases = of_kind(profiler.profile(), SliceKind::phase);
  EXPECT_GT(phases.size(), 3u);
  EXPECT_TRUE(std::ranges::any_of(phases, [](const Slice& s) { return s.parent != Slice::none; }));
  EXPECT_NE(profiler.averages().table().find("Compiled meanwhile"), std::string::npos);
}

TEST(ProfileOfCompiled, a_break_is_told_with_code_and_place) {
  auto fast = compile([](const Tensor& x) {
    const Tensor y = wave(x);
    return sum(y).item<float>() > 0 ? exp(y) : sin(y);
  });
  Profiler profiler;
  fast(input(0)).data<float>();
  profiler.stop();
  std::vector<Incident> breaks;
  for (const Track& track : profiler.profile().tracks) {
    std::ranges::copy_if(track.incidents, std::back_inserter(breaks),
                         [](const Incident& incident) { return incident.kind == "break"; });
  }
  ASSERT_FALSE(breaks.empty());
  EXPECT_TRUE(breaks[0].code.starts_with("V02")) << breaks[0].code;
  EXPECT_NE(breaks[0].place.find("profile_test.cpp:"), std::string::npos) << breaks[0].place;
}

}  // namespace vitro
