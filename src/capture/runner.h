// Runs a segment: the program that was compiled for it, or its ops one by one, and materializes the
// deferred tensors that the program holds.
//
// Invariants:
//   - After run() and interpret(), every deferred tensor of the segment that is held has been
//     materialized.  Where they throw, those whose ops had run before have.
//   - A compiled segment that fails has left its inputs as they were, so that interpreting the path
//     after that is the same as having done so at once.
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
#include "core/storage_table.h"
#include "vitro/events/kinds.h"

namespace vitro::capture {

// What is passed to a compiled segment, kept between calls.
struct SegmentArguments {
  std::vector<Operand> operands;
  std::vector<Tensor> inputs, outputs;
  StorageTable storages;  // of these, where two may have the same
  std::vector<int64_t> symbols;
};

class Runner {
 public:
  // `below`: the interpreters that answered the thread's calls before this one.
  Runner(TraceTree& tree, Slots& slots, CallValues& values, DataSymbols& data,
         RememberedMetas& remembered, SegmentArguments& arguments, const InterpreterFrame* below)
      : tree_(tree),
        slots_(slots),
        values_(values),
        data_(data),
        remembered_(remembered),
        arguments_(arguments),
        below_(below) {}
  ~Runner();
  Runner(const Runner&) = delete;

  // Runs the segment; where what was compiled fails, its ops one by one.  Error: a mistake in the
  // data, as eager words it.
  void run(SegmentVariant& variant);
  // Runs the ops of the path to `last` one by one.  `variant`: what they would have been; null:
  // nothing.  `unwinding`: an exception leaves the function.
  void interpret(const TraceNode& last, const SegmentVariant* variant, bool unwinding);
  // Runs an op that is not put off.
  void run_now(const OpCall& call, std::span<Tensor> results) const;

  // What the profiler shows of ops that run one by one, and why; `variant` and `code` may be null.
  events::EagerBegin eager_slice(const SegmentVariant* variant, const Code* code,
                                 std::string_view reason) const;
  // The rest of the call runs eagerly, which the profiler shows.
  void begin_eager(const Code& code, std::string_view reason);

 private:
  bool run_ready(SegmentVariant& variant);
  void run_compiled(const SegmentVariant& variant);
  void materialize_results(const Plan& plan);
  void lay_out_empty(const SegmentVariant& variant);
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
  const InterpreterFrame* below_;
  // Regions go on to the end of the call, so that what follows a break lies inside of what was
  // before it, as in PyTorch.
  int open_regions_ = 0;
  bool eager_begun_ = false;
};

}  // namespace vitro::capture
