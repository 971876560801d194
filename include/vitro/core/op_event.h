// An op in the recorder, named as PyTorch names it: `aten::add`, in place `aten::add_`, with what
// the session asks for: inputs, module, stack.
//   OpEvent event(call);     // begins here, ends with the scope
// For who executes ops (eager), not for who captures them.  A branch while nobody records.  Any
// thread.
#pragma once

#include <span>

#include "vitro/core/op.h"
#include "vitro/events/record.h"

namespace vitro {

class OpEvent {
 public:
  explicit OpEvent(const OpCall& call) : begun_(events::recording() && begin(call)) {}
  OpEvent(const OpEvent&) = delete;
  ~OpEvent() {
    if (begun_) [[unlikely]]
      events::record(events::OpEnd{});
  }

  // The interned name of an op.
  static events::NameId name(const OpDef& op, bool in_place);

 private:
  static bool begin(const OpCall& call);

  bool begun_;
};

// Says what the slice that was begun last is given, for sessions that ask for shapes: dtypes, sizes
// and strides of tensors, numbers, then attributes by name.
void record_inputs(std::span<const Operand> operands, AttrsView attrs = {});

}  // namespace vitro
