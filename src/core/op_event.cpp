#include "vitro/core/op_event.h"

#include <array>
#include <atomic>

namespace vitro {
namespace {

constexpr size_t max_ops = 2048;

// Names that were asked for before, by place in the list of all ops; 0: not yet.
struct Names {
  std::array<std::array<std::atomic<uint32_t>, 2>, max_ops> numbers{};
};

Names& names() {
  static auto* all = new Names;
  return *all;
}

events::NameId intern_name(const OpDef& op, bool in_place) {
  return events::intern(cat("aten::", op.name, in_place ? "_" : ""));
}

}  // namespace

events::NameId OpEvent::name(const OpDef& op, bool in_place) {
  if (op.index < 0 || static_cast<size_t>(op.index) >= max_ops) return intern_name(op, in_place);
  std::atomic<uint32_t>& known = names().numbers[static_cast<size_t>(op.index)][in_place];
  const uint32_t number = known.load(std::memory_order_acquire);
  if (number != 0) return {number};
  const events::NameId name = intern_name(op, in_place);
  known.store(name.n, std::memory_order_release);
  return name;
}

bool OpEvent::begin(const OpCall& call) {
  return events::record(events::OpBegin{name(*call.op, call.in_place)});
}

}  // namespace vitro
