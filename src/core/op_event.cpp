#include "vitro/core/op_event.h"

#include <array>
#include <atomic>

#include "vitro/core/module_path.h"
#include "vitro/events/stack.h"
#include "vitro/events/values.h"

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

constexpr uint32_t described = static_cast<uint32_t>(events::Detail::shapes) |
                               static_cast<uint32_t>(events::Detail::modules) |
                               static_cast<uint32_t>(events::Detail::stacks);
constexpr uint8_t any_number = 255;  // of operands: one list, as torch has it

void write(events::ValueWriter& out, const Operand& operand) {
  if (operand.is_number()) return attribute::record(out, operand.number());
  if (!operand.is_tensor()) return static_cast<void>(out.none());
  const TensorImpl& t = *operand.tensor().impl();
  out.tensor(static_cast<uint8_t>(t.dtype), {t.sizes.data(), t.sizes.size()},
             {t.strides.data(), t.strides.size()});
}

void write(events::ValueWriter& out, AttrsView attrs) {
  if (attrs) attrs.type->record(out, attrs.data);
}

void record_list(const OpCall& call) {
  events::ValueWriter out;
  out.tensors(call.operands.size());
  for (const Operand& operand : call.operands) write(out, operand);
  write(out, call.attrs);
  events::record_tail(events::Inputs{}, out.bytes());
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
  if (!events::record(events::OpBegin{name(*call.op, call.in_place)})) return false;
  if (!events::wants(described)) return true;
  if (events::wants(events::Detail::shapes)) {
    if (call.op->max_operands == any_number) {
      record_list(call);
    } else {
      record_inputs(call.operands, call.attrs);
    }
  }
  if (const uint32_t module = current_module()) events::record(events::Module{module});
  events::record_stack();
  return true;
}

void record_inputs(std::span<const Operand> operands, AttrsView attrs) {
  if (!events::wants(events::Detail::shapes)) return;
  events::ValueWriter out;
  for (const Operand& operand : operands) write(out, operand);
  write(out, attrs);
  events::record_tail(events::Inputs{}, out.bytes());
}

}  // namespace vitro
