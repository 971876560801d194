// An op in the recorder, named as PyTorch names it: `aten::add`, in place `aten::add_`, with what
// the session asks for: inputs, module, stack.
//   OpEvent event(call, results);     // begins here, ends with the scope, and has results then
// For who executes ops (eager), not for who captures them.  A branch while nobody records.  Any
// thread.
#pragma once

#include <span>

#include "vitro/core/op.h"
#include "vitro/events/record.h"

namespace vitro {

class OpEvent {
 public:
  explicit OpEvent(const OpCall& call, std::span<const Tensor> results = {})
      : begun_(events::recording() && begin(call)), results_(results) {}
  OpEvent(const OpEvent&) = delete;
  ~OpEvent() {
    if (begun_) [[unlikely]]
      end(results_);
  }

  // The interned name of an op.
  static events::NameId name(const OpDef& op, bool in_place);

 private:
  static bool begin(const OpCall& call);
  static void end(std::span<const Tensor> results);

  bool begun_;
  std::span<const Tensor> results_;
};

// Says what the slice that was begun last is given, for sessions that ask for shapes: dtypes, sizes
// and strides of tensors, numbers, then attributes by name.
void record_inputs(std::span<const Operand> operands, AttrsView attrs = {});

// Says what the slice that is open gave, for sessions that ask for tensors.
void record_outputs(std::span<const Tensor> results);

}  // namespace vitro
