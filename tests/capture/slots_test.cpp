// Slots of deferred tensors: which of them the program holds, and when they are reused.
#include "capture/slots.h"

#include <gtest/gtest.h>

#include <utility>

#include "eager/eager.h"
#include "vitro/ops/create.h"

namespace vitro::capture {
namespace {

constexpr uint64_t number = 7;  // call number

TensorMeta f32_of(int64_t size) {
  TensorMeta meta;
  meta.sizes = {size};
  meta.strides = {1};
  return meta;
}

ExternalInput input_in(uint32_t slot) {
  ExternalInput input;
  input.slot = slot;
  return input;
}

// Slots of a call, with room for a few tensors.
struct Case {
  Case() {
    eager::init();
    slots.begin_call(number);
    slots.reserve(8);
  }
  uint32_t count(uint32_t slot) const { return slots[slot].refs.load(); }
  TensorMeta meta = f32_of(3);
  Slots slots;
};

TEST(Slots, knows_which_deferred_tensors_the_program_holds) {
  Case c;
  Tensor kept(c.slots.defer(0, c.meta));
  {
    const Tensor dropped(c.slots.defer(1, c.meta));
  }
  EXPECT_TRUE(c.slots.is_deferred(*kept.impl()));
  EXPECT_TRUE(c.slots.is_held(0));
  EXPECT_FALSE(c.slots.is_held(1));
  EXPECT_EQ(c.slots.find_live(2), (std::vector<uint64_t>{1}));
  Slots::mark_materialized(*kept.impl());
  c.slots.release(2);
}

TEST(Slots, uses_what_nobody_held_again) {
  Case c;
  const TensorImpl* first = nullptr;
  {
    const Tensor dropped(c.slots.defer(0, c.meta));
    first = dropped.impl();
  }
  c.slots.release(1);
  const Tensor next(c.slots.defer(0, c.meta));
  EXPECT_EQ(next.impl(), first);
  Slots::mark_materialized(*next.impl());
  c.slots.release(1);
}

TEST(Slots, hold_a_count_on_external_tensors_until_they_are_released) {
  Case c;
  const Tensor x = ones({3});
  const ExternalInput input = input_in(0);
  c.slots.bind(input, x.impl());
  EXPECT_EQ(c.count(0), 2U);
  EXPECT_EQ(c.slots.slot_of(*x.impl()), 0U);
  EXPECT_EQ(c.slots.external_meta(0), &input.meta);
  c.slots.release(1);
  EXPECT_EQ(x.impl()->refs.load(), 1U);
  EXPECT_EQ(c.slots.slot_of(*x.impl()), no_slot);
}

TEST(Slots, find_tensors_that_share_a_storage) {
  Case c;
  const Tensor x = ones({4});
  const Tensor view = Tensor::over(x.storage(), DType::f32, Ints{2}, Ints{1}, 2);
  const Tensor other = ones({4});
  const ExternalInput inputs[] = {input_in(0), input_in(1)};
  c.slots.bind(inputs[0], x.impl());
  EXPECT_EQ(c.slots.first_sharing(*view.impl()), 0U);
  EXPECT_EQ(c.slots.bytes_after(0, *view.impl()), 8);
  EXPECT_EQ(c.slots.slot_of(*view.impl()), no_slot);
  EXPECT_EQ(c.slots.first_sharing(*other.impl()), no_slot);
  c.slots.bind(inputs[1], view.impl());
  EXPECT_EQ(c.slots.slot_of(*view.impl()), 1U);
  c.slots.unbind(1, 2);
  EXPECT_EQ(c.slots.slot_of(*view.impl()), no_slot);
  EXPECT_EQ(c.slots.slot_of(*x.impl()), 0U);
  EXPECT_EQ(view.impl()->refs.load(), 1U);
  c.slots.release(1);
}

TEST(Slots, forget_what_was_tried) {
  Case c;
  const Tensor x = ones({4});
  uint32_t sharing = 0;
  c.slots.begin_trial();
  EXPECT_TRUE(c.slots.is_new(*x.impl(), &sharing));
  EXPECT_EQ(sharing, no_slot);
  c.slots.try_external(2, *x.impl());
  EXPECT_FALSE(c.slots.is_new(*x.impl(), &sharing));
  EXPECT_EQ(sharing, 2U);
  EXPECT_EQ(x.impl()->refs.load(), 1U);
  c.slots.begin_trial();
  EXPECT_TRUE(c.slots.is_new(*x.impl(), &sharing));
}

TEST(Slots, mark_what_fails_as_never_computed) {
  Case c;
  const Tensor kept(c.slots.defer(0, c.meta));
  c.slots.fail_deferred(1, [](Size s) { return s; });
  c.slots.release(1);
  EXPECT_EQ(kept.impl()->call, failed_call);
  EXPECT_EQ(kept.impl()->sizes[0], 3);
  EXPECT_EQ(kept.impl()->refs.load(), 1U);
}

}  // namespace
}  // namespace vitro::capture
