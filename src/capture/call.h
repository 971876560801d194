// One call of a compiled function: the interpreter on top of the thread's stack while the user's
// code runs.  It decides how each op is handled and where segments end; its parts do the rest:
//
//   slots      the tensors of the call, by number: external ones, and deferred ones it returned
//   matcher    compares an op with the trace tree, and holds the cursor
//   recorder   extends the trace tree if no node fits
//   reasons    explain why no node fits
//   runner     runs the segment, and materializes what the program holds
//
// Invariant: while the cursor is not null, exactly the ops of the path to it are deferred; anything
// that needs an element flushes first.  After an error in flush() the cursor is null.
// Threads: the thread that makes the call.
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "capture/call_memory.h"
#include "capture/call_pool.h"
#include "capture/expansion.h"
#include "capture/matcher.h"
#include "capture/recompile_reasons.h"
#include "capture/recorder.h"
#include "capture/runner.h"
#include "capture/slots.h"
#include "core/saved_tensors.h"
#include "vitro/capture/function.h"
#include "vitro/core/interpreter.h"

namespace vitro::capture {

struct FrozenProgram;

// Runs around the code of every compiled function, nested ones too; a hook with which tests add
// interpreters.
extern void (*around_body)(const Body& body);

class Call final : public Interpreter {
 public:
  // `below`: the thread's interpreters before this call.
  Call(CallPool& pool, const InterpreterFrame* below);
  ~Call() override;

  void call(const OpCall& call, std::span<Tensor> results) override;
  void materialize(TensorImpl& impl, Need need, std::source_location where) override;
  void before_access(const TensorImpl& impl, Need need, std::source_location where) override;
  const TensorMeta* meta_of(const TensorImpl& impl) const override;
  std::optional<Size> offset_of(const TensorImpl& impl) const override;
  const TensorImpl* memory_of(const TensorImpl& impl) const override;
  std::optional<int64_t> value_of(sym::Expr expr) const override;
  uint64_t call_number() const override { return number_; }

  // enter() takes the user's arguments; then the user's code runs, then finish() or, after an
  // exception, unwind().
  void enter(std::span<const Tensor* const> inputs);
  void finish();
  void unwind() noexcept;

  // What gradients keep of the call.
  SavedTensors* saved() { return &saved_; }

  // Frozen mode (frozen.cpp), instead of enter() and finish(): checks the inputs and runs the
  // program.
  bool run_frozen(const FrozenProgram& program, std::span<const Tensor* const> inputs,
                  std::vector<Tensor>* results);
  // After the user's code, before finish(): the program, bound to the tensors of the result.
  std::unique_ptr<FrozenProgram> freeze(FrozenKey key, const std::vector<Tensor>& results,
                                        uint64_t newest_storage);

  // Ends the segment because of `code`; an Error under fullgraph.
  void break_here(const Code& code, std::string_view reason, std::source_location where);
  TraceTree& tree() const { return *tree_; }
  // What the profiler shows for a part that runs op by op.
  events::EagerBegin eager_slice(const Code& code) const {
    return runner_.eager_slice(nullptr, &code, code.title);
  }

 private:
  // Answers questions about data sizes, from their bounds or by ending the segment.
  class DataAnswers final : public sym::DataSizes {
   public:
    explicit DataAnswers(Call& call) : call_(call) {}
    bool answer(sym::Guard::Question question, sym::Expr a, sym::Expr b) override;
    int64_t number(sym::Expr e) override;
    std::optional<int64_t> find(sym::Expr e) const override;

   private:
    Call& call_;
  };

  // ---- an op
  // The node for the call; null: it is not deferred.
  TraceNode* find_or_record(std::atomic<TraceNode*>& link, const OpCall& call);
  TraceNode* record(const Matcher::Found& found, std::atomic<TraceNode*>& link, const OpCall& call);
  // The same, after the cursor.  `*again`: a shape rule asked for a data size, so the segment has
  // ended and the call must be repeated.
  TraceNode* next_node(const OpCall& call, bool* again);
  void hand_out(TraceNode& node, const OpCall& call, std::span<Tensor> results);
  bool cut_before(const OpCall& call);
  void call_with_numbers(const OpCall& call, std::span<Tensor> results);
  void note_recompile(const RecompileReason& reason);
  void note_parting(std::source_location recorded, std::source_location called);
  // What the function's own code asked since the last node.
  std::span<const sym::Guard> asked() const {
    return questions_ ? std::span(questions_->guards()) : std::span<const sym::Guard>();
  }
  RecompileReasons reasons() { return {matcher_, slots_, values_, expansion_}; }
  // Ends the segment if it decides a data size in `e`, which `who` needs for `question`; returns
  // whether it did.
  bool settle(sym::Expr e, std::string_view who, const std::string& question);
  // The value of `e`; ends the segment if it is unknown.
  int64_t number_of(sym::Expr e, std::string_view who, const std::string& question);
  Size offset_outside(const TensorImpl& impl) const;
  bool is_written_in_segment(const TensorImpl& impl) const;

  // ---- the end of a segment
  void flush(bool unwinding = false);
  void run_segment(bool unwinding);
  std::vector<uint64_t> find_saved(uint32_t end) const;
  void build_new(SegmentVariant& variant);
  void build(SegmentVariant& variant) const;
  // Whether compiling needs nothing of the call.
  bool can_build_later() const { return data_.is_empty() && is_alone_; }
  void release_slots() {
    slots_.release(matcher_.cursor()->slots_after);
    values_.numbers.clear();
  }
  // After an error: deferred tensors are never computed.
  void abandon();
  void leave();
  void stop_capturing(const Code& code, std::string reason, std::source_location where);

  const uint64_t number_;
  const bool is_alone_;  // no interpreters below
  CallPool& pool_;
  std::unique_ptr<CallMemory> memory_;
  TraceTree* tree_;  // kept alive by memory_
  Slots& slots_;
  CallValues& values_;
  DataSymbols& data_;
  SavedTensors saved_;
  Expansion expansion_;
  Matcher matcher_;
  Runner runner_;
  std::optional<Recorder> recorder_;         // once something is recorded
  bool stopping_ = false;                    // the rest of the call runs eagerly
  std::optional<DataAnswers> data_answers_;  // once there is a data size
  std::optional<sym::GuardSink> questions_;  // of the function's own code, since the last node
};

}  // namespace vitro::capture
