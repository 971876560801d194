#include "vitro/core/op_event.h"

#include <gtest/gtest.h>

#include <string>

#include "vitro/events/session.h"

namespace vitro {
namespace {

OpDef op_called(std::string_view name, int index) {
  OpDef op{};
  op.name = name;
  op.index = index;
  return op;
}

}  // namespace

TEST(OpEvent, names_ops_as_pytorch_does) {
  const OpDef add = op_called("add", 2040), far = op_called("far_away", 1 << 20);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(events::text(OpEvent::name(add, false)), "aten::add");
    EXPECT_EQ(events::text(OpEvent::name(add, true)), "aten::add_");
    EXPECT_EQ(events::text(OpEvent::name(far, false)), "aten::far_away");
  }
}

TEST(OpEvent, lasts_as_long_as_its_scope) {
  const OpDef add = op_called("add", 2040);
  std::string seen;
  events::start();
  {
    const OpCall call{&add, {}, {}, true, {}};
    OpEvent event(call);
    events::record(events::Counter{});
  }
  const events::Recording recording = events::stop();
  ASSERT_EQ(recording.threads.size(), 1u);
  recording.threads[0].read([&]<class E>(const E& e) {
    seen += std::string(E::name) + " ";
    if constexpr (std::is_same_v<E, events::OpBegin>) {
      EXPECT_EQ(events::text(e.op), "aten::add_");
    }
  });
  EXPECT_EQ(seen, "op_begin counter op_end ");
}

}  // namespace vitro
