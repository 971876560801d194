// Panels and results that executables keep, and when they end.
#include "backend/run/kept.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "eager/eager.h"
#include "programs.h"
#include "vitro/runtime/memory.h"

namespace vitro::backend {
namespace {

PanelsKey key_of(const Tensor& t, uint64_t layout = 0) {
  PanelsKey key;
  EXPECT_TRUE(panels_key(t, Hash{layout, 0}, &key));
  return key;
}

// Requests the panels of a tensor; returns whether they had to be packed.
bool packs(KeptPanels& kept, const Tensor& t, uint64_t layout = 0) {
  bool packed = false;
  kept.find_or_pack(key_of(t, layout), t, 64, [&](void*) { packed = true; });
  return packed;
}

class Kept : public testing::Test {
 protected:
  Kept() { eager::init(); }
  KeptPanels kept_;
};

TEST_F(Kept, has_the_panels_of_every_parameter) {
  const Tensor a = zeros({4}), b = zeros({4});
  EXPECT_TRUE(packs(kept_, a));
  EXPECT_TRUE(packs(kept_, b));
  for (int call = 0; call < 3; ++call) {
    EXPECT_FALSE(packs(kept_, a));
    EXPECT_FALSE(packs(kept_, b));
  }
  EXPECT_EQ(kept_.size(), 2U);
}

// Packing leaves out lanes of the last panel, and files have whole panels.
TEST_F(Kept, panels_have_no_bytes_of_other_data) {
  const Tensor t = zeros({4});
  {
    const KeptMemory other(4096, cpu);
    std::memset(other.data(), 0x7f, 4096);
  }
  std::vector<std::byte> before(4096, std::byte{1});
  kept_.find_or_pack(key_of(t), t, 4096,
                     [&](void* panels) { std::memcpy(before.data(), panels, 4096); });
  EXPECT_EQ(before, std::vector<std::byte>(4096));
}

TEST_F(Kept, panels_end_with_the_parameter) {
  const int64_t before = memory_stats().live_bytes;
  Tensor a = zeros({4});
  packs(kept_, a);
  EXPECT_GE(memory_stats().live_bytes, before + 64);
  a = Tensor();
  EXPECT_EQ(kept_.size(), 0U);
  EXPECT_EQ(memory_stats().live_bytes, before);
}

TEST_F(Kept, panels_of_what_a_write_has_changed_make_room_for_the_new_ones_everywhere) {
  KeptPanels other;
  const Tensor a = zeros({4});
  packs(kept_, a);
  EXPECT_FALSE(packs(other, a)) << "two that use one parameter hold one copy";
  const int64_t before = memory_stats().live_bytes;
  add_(a, 1);
  EXPECT_TRUE(packs(kept_, a));
  EXPECT_EQ(kept_.size(), 1U);
  EXPECT_EQ(other.size(), 0U);
  EXPECT_EQ(memory_stats().live_bytes, before);
}

TEST_F(Kept, layouts_of_a_parameter_are_bounded) {
  const Tensor a = zeros({4});
  for (uint64_t layout = 0; layout < 100; ++layout) packs(kept_, a, layout);
  EXPECT_EQ(kept_.size(), KeptPanels::most_layouts);
  EXPECT_FALSE(packs(kept_, a, 99));
  EXPECT_TRUE(packs(kept_, a, 0));
}

TEST_F(Kept, panels_may_be_asked_for_and_end_on_any_thread) {
  const Tensor shared = zeros({4});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        const Tensor own = Tensor::empty({4});
        const auto held = kept_.find_or_pack(key_of(own), own, 64, [](void*) {});
        packs(kept_, shared);
        if (i % 50 == 0) KeptPanels().find_or_pack(key_of(own), own, 64, [](void*) {});
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(kept_.size(), 1U);
}

}  // namespace
}  // namespace vitro::backend
