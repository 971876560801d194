// Checks which ops eager really runs, using the profiler.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "eager/eager.h"
#include "runtime/cpu/allocator.h"
#include "vitro/ops/all.h"
#include "vitro/profiler/profiler.h"

namespace vitro {
namespace {

std::map<std::string, uint64_t> counts(const Profiler& profiler, SliceKind kind) {
  std::map<std::string, uint64_t> found;
  for (const Average& entry : profiler.averages().entries()) {
    if (entry.kind == kind) found[entry.name] = entry.count;
  }
  return found;
}

}  // namespace

TEST(ProfiledOps, are_counted_as_often_as_they_ran) {
  eager::init();
  const Tensor x = Tensor::empty({4, 4}, DType::f32);
  Profiler profiler;
  for (int i = 0; i < 3; ++i) {
    const Tensor y = exp(add(x, 1.0));
    add_(y, x);
  }
  profiler.stop();
  EXPECT_EQ(
      counts(profiler, SliceKind::op),
      (std::map<std::string, uint64_t>{{"aten::add", 3}, {"aten::exp", 3}, {"aten::add_", 3}}));
}

TEST(ProfiledOps, a_composite_holds_the_ops_it_is_written_in) {
  eager::init();
  const Tensor x = Tensor::empty({4, 4}, DType::f32);
  Profiler profiler;
  addmm(x, x, x);
  profiler.stop();
  const Track& track = profiler.profile().tracks.at(0);
  ASSERT_GT(track.slices.size(), 1u);
  const std::string_view outer = track.slices[0].name();
  EXPECT_EQ(outer, "aten::addmm");
  for (size_t i = 1; i < track.slices.size(); ++i) EXPECT_NE(track.slices[i].parent, Slice::none);
}

TEST(ProfiledOps, memory_that_is_allocated_is_freed) {
  eager::init();
  set_allocator(cpu, &runtime::cpu_allocator());
  Profiler profiler({.profile_memory = true});
  {
    const Tensor x = Tensor::empty({256, 256}, DType::f32);
    const Tensor y = exp(x);
  }
  profiler.stop();
  int64_t live = 0, changes = 0;
  for (const Track& track : profiler.profile().tracks) {
    for (const MemoryChange& change : track.memory) {
      live += change.bytes;
      ++changes;
    }
  }
  EXPECT_GE(changes, 4);
  EXPECT_EQ(live, 0);
}

}  // namespace vitro
