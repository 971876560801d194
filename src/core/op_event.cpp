// Records the begin of an op, with inputs, module path and stack, and its end, with outputs.  Used
// through an OpEvent per op, or through record_inputs and record_outputs for other slices.
#include "vitro/core/op_event.h"

#include <array>
#include <atomic>

#include "vitro/base/module_path.h"
#include "vitro/events/stack.h"
#include "vitro/events/values.h"

namespace vitro {
namespace {

constexpr size_t max_ops = 2048;

// Cache of interned names, by index in the list of all ops; 0: not interned yet.
struct Names {
  std::array<std::array<std::atomic<uint32_t>, 2>, max_ops> numbers{};
};

Names& names() {
  static auto* all = new Names;
  return *all;
}

constexpr events::Details described =
    events::Detail::shapes | events::Detail::modules | events::Detail::stacks;
constexpr uint8_t any_number = 255;  // of operands: recorded as one list, as in torch

void write(events::ValueWriter& out, const Tensor& tensor) {
  if (!tensor.defined()) return static_cast<void>(out.none());
  const TensorImpl& t = *tensor.impl();
  out.tensor(static_cast<uint8_t>(t.dtype), {t.sizes.data(), t.sizes.size()},
             {t.strides.data(), t.strides.size()});
}

void write(events::ValueWriter& out, const Operand& operand) {
  if (operand.is_number()) return attribute::record(out, operand.number());
  if (!operand.is_tensor()) return static_cast<void>(out.none());
  write(out, operand.tensor());
}

void write(events::ValueWriter& out, AttrsView attrs) {
  if (attrs) attrs.type->record(out, attrs.data);
}

const Tensor* tensor_in(const Operand& operand) {
  return operand.is_tensor() ? &operand.tensor() : nullptr;
}
const Tensor* tensor_in(const Tensor& tensor) {
  return tensor.defined() ? &tensor : nullptr;
}

// Records the storage and offset of each tensor, if the session requests tensors.
template <class Each>
void record_tensors(std::span<const Each> list, bool outputs) {
  if (!events::wants(events::Detail::tensors)) return;
  SmallVector<uint64_t, 16> places;
  for (const Each& each : list) {
    const Tensor* const tensor = tensor_in(each);
    if (!tensor) continue;
    const TensorImpl& t = *tensor->impl();
    places.push_back(t.storage ? t.storage.id() : 0);
    places.push_back(static_cast<uint64_t>(t.offset));
  }
  events::record_tail(events::Tensors{outputs},
                      std::as_bytes(std::span(places.data(), places.size())));
}

void record_list(const OpCall& call) {
  events::ValueWriter out;
  out.tensors(call.operands.size());
  for (const Operand& operand : call.operands) write(out, operand);
  write(out, call.attrs);
  events::record_tail(events::Inputs{}, out.bytes());
  record_tensors(call.operands, false);
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
  if (current_module != 0) events::record(events::Module{current_module});
  events::record_stack();
  return true;
}

void OpEvent::end(std::span<const Tensor> results) {
  record_outputs(results);
  events::record(events::OpEnd{});
}

void record_inputs(std::span<const Operand> operands, AttrsView attrs) {
  if (!events::wants(events::Detail::shapes)) return;
  events::ValueWriter out;
  for (const Operand& operand : operands) write(out, operand);
  write(out, attrs);
  events::record_tail(events::Inputs{}, out.bytes());
  record_tensors(operands, false);
}

void record_outputs(std::span<const Tensor> results) {
  if (!events::wants(events::Detail::tensors)) return;
  events::ValueWriter out;
  for (const Tensor& result : results) write(out, result);
  events::record_tail(events::Outputs{}, out.bytes());
  record_tensors(results, true);
}

}  // namespace vitro
