// One call of a compiled function: the interpreter on top of the thread's stack while the user's
// code runs.  Belongs to its thread.
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/call_pool.h"
#include "capture/external_inputs.h"
#include "capture/memory.h"
#include "capture/trace_node.h"
#include "capture/trace_tree.h"
#include "vitro/capture/function.h"
#include "vitro/core/interpreter.h"
#include "vitro/events/kinds.h"

namespace vitro::capture {

struct FrozenProgram;

// What the code of every compiled function runs in, inside of another one too; for tests, which put
// interpreters there.
extern void (*around_body)(const Body& body);

class Call final : public Interpreter {
 public:
  // `below`: what answered the thread's calls before this one.
  Call(CallPool& pool, const InterpreterFrame* below);
  ~Call() override;

  void call(const OpCall& call, std::span<Tensor> results) override;
  void materialize(TensorImpl& impl, Need need, std::source_location where) override;
  void before_access(const TensorImpl& impl, Need need, std::source_location where) override;
  const TensorMeta* meta_of(const TensorImpl& impl) const override;
  std::optional<Size> offset_of(const TensorImpl& impl) const override;
  std::optional<int64_t> value_of(sym::Expr expr) const override;
  uint64_t call_number() const override { return number_; }

  // The user's arguments; then the user's code runs, then either of the last two.
  void enter(std::span<const Tensor* const> inputs);
  void finish();
  void unwind() noexcept;

  // Frozen mode, instead of these: the inputs, the program of one segment, its results.
  bool run_frozen(const FrozenProgram& program, std::span<const Tensor* const> inputs,
                  std::vector<Tensor>* results);
  // After the user's code, before finish(): the program, tied to the tensors of the result.
  std::unique_ptr<FrozenProgram> freeze(FrozenKey key, const std::vector<Tensor>& results,
                                        uint64_t newest_storage);

  // Ends the segment because of `code`; an Error under fullgraph.
  void break_here(const Code& code, std::string_view reason, std::source_location where);
  TraceTree& tree() const { return *tree_; }
  // What the recorder shows of ops that run one by one, and why: null where there is no variant,
  // where it has no code.
  events::EagerBegin eager_slice(const SegmentVariant* variant, const Code* code,
                                 std::string_view reason) const;

 private:
  // Why a call fits none of the ways that are recorded.
  struct Why {
    const Code* code = nullptr;  // null: there is no other way yet
    std::string text, place;
  };
  // A node that a call is like, and which of its operands stands for each of the call's.
  struct Likeness {
    const TraceNode* node = nullptr;
    std::vector<int> operands;  // -1: none
    const NodeOperand* operand(size_t i) const {
      return !node || operands[i] < 0 ? nullptr : &node->operands[operands[i]];
    }
  };
  // What a number that differs from the recorded one may become.
  enum class Variation : uint8_t {
    none,            // it is a part of the program
    argument,        // an input of the graph
    count,           // a symbol: sizes depend on it
    of_its_program,  // what becomes of it in the ops that the composite is written in
  };
  // matching (match.cpp)
  bool matches_plain(const TraceNode& node, const OpCall& call) const;
  bool matches(const TraceNode& node, const OpCall& call);
  bool match_operands(const TraceNode& node, const OpCall& call);
  bool match_external(const ExternalInput& input, const TensorImpl& impl);
  bool match_attrs(const TraceNode& node, AttrsView attrs);
  void accept(const TraceNode& node);
  // reasons (why.cpp)
  Why why_another_way(std::atomic<TraceNode*>& link, const OpCall& call);
  Why why_it_goes_on(const OpCall& call) const;
  Why why_it_ends(const SegmentVariant& variant) const;
  // The first thing that keeps `call` from being `node`.
  std::string difference(const TraceNode& node, const OpCall& call, const Code** code) const;
  std::string operand_difference(const TraceNode& node, size_t i, const OpCall& call,
                                 const Code** code) const;
  std::string external_difference(const ExternalInput& input, const OpCall& call, size_t i,
                                  Symbols& trial, const Code** code) const;
  std::string guard_difference(const TraceNode& node, const OpCall& call, const Code** code);
  std::string question_difference(const std::vector<sym::Guard>& asked) const;
  void explain_by_question(const std::vector<sym::Guard>& asked, Why* why) const;
  std::string with_values(const sym::Guard& guard) const;
  bool same_attrs(const TraceNode& node, AttrsView attrs) const;
  void note_recompile(const Why& why);
  // What the function's own code asked since the last node.
  std::vector<sym::Guard> asked() const {
    return questions_ ? questions_->guards() : std::vector<sym::Guard>();
  }
  // what a node is recorded from (generalise.cpp)
  static Variation variation_of(const OpDef* op, const Scalar& number);
  bool is_like(const TraceNode& node, const ExternalInput* input, const NodeOperand& want,
               const OpCall& call, const Operand& got) const;
  Likeness like_arguments(const TraceNode& node, const OpCall& call) const;
  Likeness like_operands(const TraceNode& node, const OpCall& call) const;
  Likeness similar(std::atomic<TraceNode*>& link, const OpCall& call) const;
  Occurrence occurrence_of(const OpCall& call);
  Likeness like_at(const Occurrence& at, const OpCall& call) const;
  bool numbers_differ(const TraceNode& like, const OpCall& call) const;
  // composites as the ops that they are written in (expand.cpp)
  void expand(const OpCall& call, std::span<Tensor> results);
  std::source_location place_of(const OpCall& call) const;
  bool is_given_to_composite(const Scalar& number) const;
  // loops that go round a varying number of times (loops.cpp)
  void note_parting(std::source_location recorded, std::source_location called);
  bool went_by(std::source_location where) const;
  bool cut_before(const OpCall& call);
  bool has_lists_of_any_length();
  // sizes that data decide (data.cpp)
  class DataAnswers final : public sym::DataSizes {
   public:
    explicit DataAnswers(Call& call) : call_(call) {}
    bool answer(sym::Guard::Question question, sym::Expr a, sym::Expr b) override;
    int64_t number(sym::Expr e) override;

   private:
    Call& call_;
  };
  void hand_out_data(const TraceNode& node);
  void name_data(TraceNode& node, TensorMeta& result);
  void add_bounds(sym::DataBounds& to) const;
  // Whether the node's size has a value already: it was taken in an earlier segment of this call.
  bool has_value(const TraceNode& node) const;
  void bind_data(const TraceNode& node, const Tensor& result);
  std::string_view asking() const { return expanding_ ? expanding_->op->name : "the function"; }
  int64_t number_of(sym::Expr e, std::string_view who, const std::string& question);
  TraceNode* next_node(const OpCall& call, bool* again);
  bool takes_data(const OpCall& call) const;
  bool names_known_data(const OpCall& call) const;
  Size without_known_data(Size size) const;
  void call_with_numbers(const OpCall& call, std::span<Tensor> results);
  // recording (extend.cpp)
  TraceNode* find_or_record(std::atomic<TraceNode*>& link, const OpCall& call);
  // `end`: the empty link after the ways that were looked at.  `*late` where another thread has
  // filled it meanwhile; then nothing is recorded.
  TraceNode* record(std::atomic<TraceNode*>& link, std::atomic<TraceNode*>& end, const OpCall& call,
                    bool* late);
  void fill(TraceNode& node, std::atomic<TraceNode*>& link, const OpCall& call);
  void record_operands(TraceNode& node, const OpCall& call, const Likeness& like);
  NodeOperand record_tensor(TraceNode& node, size_t i, const Likeness& like, const OpCall& call);
  ExternalInput new_input(const TensorImpl& impl, size_t i, const Likeness& like);
  NodeOperand record_number(TraceNode& node, const Scalar& number, const NodeOperand* before,
                            const OpCall& call);
  void record_attrs(TraceNode& node, const OpCall& call, const Likeness& like);
  void record_results(TraceNode& node, const OpCall& call);
  void keep_new_guards(TraceNode& node, std::vector<sym::Guard> guards) const;
  bool shares_inputs_as(const ExternalInput& recorded, const TensorImpl& impl,
                        const TraceNode& start) const;
  // slots
  void hand_out(const TraceNode& node, const OpCall& call, std::span<Tensor> results);
  void bind_slot(const ExternalInput& input, TensorImpl* impl);
  uint32_t slot_of(const TensorImpl& impl) const;  // no_slot: not seen in this segment
  // The first slot with the storage of `impl`, or no_slot: of the segment; of the node that is
  // being compared.
  uint32_t first_sharing(const TensorImpl& impl) const;
  uint32_t first_tried(const TensorImpl& impl) const;
  void link_outside(uint32_t slot);
  static uint32_t first_slot(const StorageTable& known, const TensorImpl& impl) {
    const uint32_t* slot = impl.storage ? known.find(impl.storage.id()) : nullptr;
    return slot ? *slot : no_slot;
  }
  void link_shared(StorageTable& known, uint32_t slot);
  void unbind_from(uint32_t first, uint32_t end);
  const TensorMeta* remembered(const TensorImpl& impl) const;
  Size offset_outside(const TensorImpl& impl) const;
  // the end of a segment (flush.cpp)
  void flush(bool by_interpretation = false);
  void note_end(const SegmentVariant& variant);
  void find_live();
  void run_variant(SegmentVariant& variant);
  bool run_ready(SegmentVariant& variant);
  void run_compiled(const SegmentVariant& variant);
  bool is_shared(const TensorImpl& output);
  bool has_strides(const TensorImpl& impl, const Sizes& strides) const;
  void materialize_results(const SegmentVariant& variant);
  void interpret(const SegmentVariant* variant, bool unwinding);
  void interpret_path(const SegmentVariant* variant, const Code* code, std::string_view reason);
  void call_late(const TraceNode& node, std::span<const Operand> operands,
                 std::span<Tensor> results);
  void adopt(TensorImpl& deferred, TensorImpl& real);
  void fail_deferred();
  void release_slots();
  void run_now(const OpCall& call, std::span<Tensor> results);
  void stop_capturing(const Code& code, std::string reason, std::source_location where);
  bool written_in_segment(const TensorImpl& impl) const;

  TraceNode* cursor_ = nullptr;  // null: nothing is put off, ops run as they come
  ThreadState* thread_;
  uint64_t number_;
  CallPool& pool_;
  std::unique_ptr<Memory> memory_;
  Memory& m_;
  TraceTree* tree_;  // kept by the memory
  const InterpreterFrame* below_;
  NewSymbols names_;
  size_t remembered_inputs_ = 0;
  // Regions go on to the end of the call, so that what follows a break lies inside of what was
  // before it, as in PyTorch.
  int open_regions_ = 0;
  bool eager_begun_ = false;           // the recorder knows that what follows runs eagerly
  const OpCall* expanding_ = nullptr;  // the composite that is taken as its ops
  bool stopping_ = false;              // the rest of the call runs eagerly
  bool expansion_begins_ = false;      // and why it is was noted just now
  // How often the segment came by places, up to the node that was recorded last.
  std::unordered_map<Occurrence, uint32_t, OccurrenceHash> came_by_;
  const TraceNode* counted_to_ = nullptr;
  std::optional<DataAnswers> data_;          // since data decide a size
  bool data_is_known_ = false;               // some of them have values
  std::optional<sym::GuardSink> questions_;  // of the function's own code, since the last node
};

inline bool Call::matches_plain(const TraceNode& node, const OpCall& call) const {
  if (node.op != call.op || node.operand_count != call.operands.size() ||
      node.in_place != call.in_place || !(node.modes == thread_->modes))
    return false;
  TensorImpl* const* slots = m_.slots.data();
  const NodeOperand* want = node.operands;
  for (const Operand& got : call.operands) {
    if (want->kind == NodeOperand::Kind::slot) {
      if (!got.is_tensor() || got.tensor().impl() != slots[want->slot]) return false;
    } else if (want->kind == NodeOperand::Kind::number) {
      if (!got.is_number() || !(got.number() == want->number)) return false;
    } else if (want->kind != NodeOperand::Kind::none || got.kind() != Operand::Kind::none) {
      return false;
    }
    ++want;
  }
  return node.attrs == call.attrs;
}

}  // namespace vitro::capture
