// Runs a segment, as its compiled program or op by op, and materializes the deferred tensors that
// the program holds.
//
// Invariants:
//   - After run() and interpret(), every held deferred tensor of the segment is materialized,
//   except
//     for those that gradients compute again; if
//     they throw, those whose ops had already run.
//   - A compiled segment that fails leaves its inputs unchanged, so interpreting the path
//   afterwards
//     has the same effect as interpreting it right away.
//   - What runs sees the interpreters below the call, never the call itself.
// Threads: that of its call.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "capture/data_symbols.h"
#include "capture/remembered_metas.h"
#include "capture/slots.h"
#include "capture/symbols.h"
#include "capture/trace_tree.h"
#include "core/saved_tensors.h"
#include "core/storage_table.h"
#include "vitro/events/kinds.h"

namespace vitro::capture {

// The arguments of a compiled segment, kept between calls.
struct SegmentArguments {
  std::vector<Operand> operands;
  std::vector<Tensor> inputs, outputs;
  StorageTable storages;  // of these, if two may share one
  std::vector<int64_t> symbols;
};

class Runner {
 public:
  // `below`: the thread's interpreters before this call.
  Runner(TraceTree& tree, Slots& slots, CallValues& values, DataSymbols& data,
         RememberedMetas& remembered, SegmentArguments& arguments, const SavedTensors& saved,
         const InterpreterFrame* below)
      : tree_(tree),
        slots_(slots),
        values_(values),
        data_(data),
        remembered_(remembered),
        arguments_(arguments),
        saved_(saved),
        below_(below) {}
  ~Runner();
  Runner(const Runner&) = delete;

  // Runs the segment; if the compiled program fails, op by op.  Error: an error in the data, with
  // eager's message.
  void run(SegmentVariant& variant);
  // Runs the ops of the path to `last` one by one.  `variant`: the variant they belong to, or null.
  // `unwinding`: the function is exiting with an exception.
  void interpret(const TraceNode& last, const SegmentVariant* variant, bool unwinding);
  // Runs an op that is not deferred.
  void run_now(const OpCall& call, std::span<Tensor> results) const;

  // The profiler's slice for ops that run one by one, with the reason; `variant` and `code` may be
  // null.
  events::EagerBegin eager_slice(const SegmentVariant* variant, const Code* code,
                                 std::string_view reason) const;
  // Records that the rest of the call runs eagerly, for the profiler.
  void begin_eager(const Code& code, std::string_view reason);

 private:
  bool run_ready(SegmentVariant& variant);
  void run_compiled(const SegmentVariant& variant);
  void materialize_results(const Plan& plan);
  void leave_to_gradients(const std::shared_ptr<const Recompute>& again);
  void lay_out_empty(const SegmentVariant& variant);
  // Counts in the storage of `made` what the program has written to the memory in that slot.
  void keep_writes(uint32_t memory, const TensorImpl& made) const;
  void interpret_path(const TraceNode& last, const SegmentVariant* variant, const Code* code,
                      std::string_view reason);
  void call_node(const TraceNode& node, std::span<const Operand> operands,
                 std::span<Tensor> results) const;
  Operand operand_of(const NodeOperand& recorded, std::span<const Tensor> values) const;

  TraceTree& tree_;
  Slots& slots_;
  CallValues& values_;
  DataSymbols& data_;
  RememberedMetas& remembered_;
  SegmentArguments& arguments_;
  const SavedTensors& saved_;
  const InterpreterFrame* below_;
  // Regions stay open until the call ends, so that what follows a break is nested in what precedes
  // it, as in PyTorch.
  int open_regions_ = 0;
  bool eager_begun_ = false;
};

}  // namespace vitro::capture
