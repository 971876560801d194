// Records an op under its PyTorch name, `aten::add`, in place `aten::add_`, with the details that
// the session requests: inputs, module, stack.
//   OpEvent event(call, results);     // begins here; ends with the scope, when results are filled
// For code that executes ops (eager), not for capture.  Costs a branch while nothing records.
// Threads: any.
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

// Records the inputs of the slice that began last, if the session requests shapes: dtypes, sizes
// and strides of tensors, numbers, then attributes by name.
void record_inputs(std::span<const Operand> operands, AttrsView attrs = {});

// Records the outputs of the open slice, if the session requests tensors.
void record_outputs(std::span<const Tensor> results);

}  // namespace vitro
