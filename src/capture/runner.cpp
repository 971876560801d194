// Runs a segment when it ends: calls its compiled program with the tensors of its slots, or its ops
// one by one, and materializes deferred tensors.  Used by Call and by frozen calls.
#include "capture/runner.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <optional>

#include "capture/call_metas.h"
#include "capture/codes.h"
#include "capture/gradient_slices.h"
#include "capture/layout.h"
#include "capture/recomputed.h"
#include "vitro/base/called_as.h"
#include "vitro/base/clock.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/core/op_event.h"
#include "vitro/events/record.h"
#include "vitro/events/stack.h"

namespace vitro::capture {
namespace {

// Within the scope, ops see only the interpreters below the call.
class RunsBelow {
 public:
  explicit RunsBelow(const InterpreterFrame* below)
      : use_(below), modes_(thread_state.modes), module_(current_module) {}
  ~RunsBelow() { thread_state.modes = modes_; }
  RunsBelow(const RunsBelow&) = delete;

 private:
  UsingStack use_;
  BelowTape unrecorded_;  // the tape has seen the calls
  Modes modes_;
  ModuleScope module_;
};

void gather_inputs(const Plan& plan, const Slots& slots, const CallValues& values,
                   SegmentArguments& to, std::vector<Tensor>& bases) {
  to.inputs.reserve(plan.inputs.size());
  if (plan.base_count > 0) bases.reserve(plan.base_count);
  to.operands.clear();
  for (const Plan::Input& input : plan.inputs) {
    if (input.slot == no_slot) {
      to.operands.emplace_back(values.numbers[input.number]);
      continue;
    }
    to.inputs.emplace_back(&slots[input.slot]);
    const Tensor& tensor = to.inputs.back();
    if (!input.base) {
      to.operands.emplace_back(tensor);
      continue;
    }
    const TensorImpl& first = *tensor.impl();
    const int64_t elements[] = {values.symbols.value(*input.base)}, side_by_side[] = {1};
    bases.push_back(Tensor::over(first.storage, first.dtype, elements, side_by_side, first.offset));
    to.operands.emplace_back(bases.back());
  }
  to.symbols.clear();
  for (const sym::Expr symbol : plan.symbols) to.symbols.push_back(values.symbols.value(symbol));
}

bool has_strides(const TensorImpl& impl, const Sizes& strides, const Symbols& symbols) {
  for (size_t d = 0; d < strides.size(); ++d) {
    if (symbols.value(strides[d]) != impl.strides[d]) return false;
  }
  return true;
}

bool is_tensor(const NodeOperand& operand) {
  return operand.kind == NodeOperand::Kind::slot || operand.kind == NodeOperand::Kind::external;
}

// By slot: the last node of the path that reads the tensor, or null.
std::vector<const TraceNode*> last_readers_of(std::span<const TraceNode* const> path,
                                              uint32_t slots) {
  std::vector<const TraceNode*> out(slots);
  for (const TraceNode* node : path) {
    for (const NodeOperand& o : node->operands_owned) {
      if (is_tensor(o)) out[o.slot] = node;
    }
  }
  return out;
}

// Whether an input or earlier output has the same storage.
bool is_shared(const TensorImpl& output, SegmentArguments& arguments) {
  if (output.refs.load(std::memory_order_acquire) == 1 && output.storage.use_count() == 1)
    return false;
  if (arguments.storages.is_empty()) {
    for (const Tensor& given : arguments.inputs) (void)arguments.storages.seen(given.storage());
  }
  return arguments.storages.seen(output.storage);
}

// By slot: the one whose memory its tensor is a window of.
std::vector<uint32_t> memories_of(std::span<const TraceNode* const> path, uint32_t slots) {
  std::vector<uint32_t> out(slots);
  std::iota(out.begin(), out.end(), 0U);
  for (const TraceNode* node : path) {
    if (node->op->kind == OpKind::view && node->result_count == 1)
      out[node->first_slot] = out[node->operands_owned[0].slot];
  }
  return out;
}

// Gives outputs the strides that they have in eager, and separate memory.  The backend may have
// merged equal values into one tensor; to the program they are two.
void separate_outputs(const Plan& plan, const Symbols& symbols, SegmentArguments& arguments) {
  arguments.storages.clear();
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    Tensor& output = arguments.outputs[i];
    const Sizes& strides = plan.outputs[i]->strides;
    if (is_shared(*output.impl(), arguments) || !has_strides(*output.impl(), strides, symbols))
      output = copy_with_strides(output, symbols.values(strides));
  }
}

}  // namespace

Runner::~Runner() {
  if (eager_begun_) events::record(events::EagerEnd{});
  for (; open_regions_ > 0; --open_regions_) events::record(events::RegionEnd{});
}

events::EagerBegin Runner::eager_slice(const SegmentVariant* variant, const Code* code,
                                       std::string_view reason) const {
  return {.region = events::intern(tree_.region_name(variant)),
          .code = code ? events::intern(code->id) : events::NameId{},
          .reason = events::intern(reason),
          .label = variant ? variant->label : events::intern(tree_.options().name)};
}

void Runner::begin_eager(const Code& code, std::string_view reason) {
  if (events::recording() && !eager_begun_)
    eager_begun_ = events::record(eager_slice(nullptr, &code, reason));
}

void Runner::run_now(const OpCall& call, std::span<Tensor> results) const {
  const UsingStack use(below_);
  if (symbolic_sizes_in(call).empty()) return vitro::call(call, results);
  // No interpreter below knows the symbols.
  map_sizes(
      call, [](Size s) { return Size(s.hint()); },
      [&](const OpCall& numbers) { vitro::call(numbers, results); });
}

// ---- compiled

// Results that turn out to have no elements get the strides that eager gives such tensors.
void Runner::lay_out_empty(const SegmentVariant& variant) {
  const auto is_empty = [](const TensorImpl& impl) {
    return std::ranges::find(impl.sizes, 0) != impl.sizes.end();
  };
  std::vector<uint32_t> empty;
  for (const ResultBinding& binding : variant.plan.results) {
    if (binding.sized_by_data && is_empty(slots_[binding.slot])) empty.push_back(binding.slot);
  }
  if (empty.empty()) return;
  try {
    const std::vector<TensorMeta> metas = metas_in_call(*variant.last, slots_, values_);
    for (const uint32_t slot : empty)
      slots_[slot].strides = values_.symbols.values(metas[slot].strides);
  } catch (const Error&) {
    // A shape rule refuses a data size: keep the strides that the expressions give.
  }
}

inline void Runner::materialize_results(const Plan& plan) {
  const Symbols& symbols = values_.symbols;
  for (const ResultBinding& binding : plan.results) {
    TensorImpl& deferred = slots_[binding.slot];
    const TensorImpl& source = binding.output >= 0
                                   ? *arguments_.outputs[static_cast<size_t>(binding.output)].impl()
                                   : slots_[binding.outside];
    deferred.storage = source.storage;
    deferred.sizes = binding.symbolic ? symbols.values(binding.meta->sizes) : binding.sizes;
    deferred.strides = binding.symbolic ? symbols.values(binding.meta->strides) : binding.strides;
    const int64_t within = binding.symbolic ? symbols.value(binding.meta->offset) : binding.offset;
    deferred.offset = source.offset + within;
    if (binding.output >= 0) keep_writes(binding.memory, deferred);
    if (binding.symbolic && !binding.sized_by_data) remembered_.add_result(deferred, *binding.meta);
    Slots::mark_materialized(deferred);
  }
  remembered_.trim();
}

// Gradients get what computes the results that the segment left out.
void Runner::leave_to_gradients(const std::shared_ptr<const Recompute>& again) {
  std::vector<Recomputed::Source> sources;
  for (const Recompute::Source& source : again->sources) {
    Recomputed::Source& to = sources.emplace_back();
    if (source.output < 0 && source.input.slot == no_slot) {
      to.number = values_.numbers[source.input.number];
      continue;
    }
    if (source.output >= 0) {
      to.tensor = arguments_.outputs[static_cast<size_t>(source.output)];
    } else {
      slots_[source.input.slot].refs.fetch_add(1, std::memory_order_relaxed);
      to.tensor = Tensor(&slots_[source.input.slot]);
    }
    to.writes = to.tensor.storage().writes();
  }
  const Symbols& symbols = values_.symbols;
  std::vector<int64_t> numbers;
  for (const sym::Expr symbol : again->symbols) numbers.push_back(symbols.value(symbol));
  std::vector<Ints> sizes;
  for (const Recompute::Result& result : again->results)
    sizes.push_back(symbols.values(result.tensor.meta->sizes));
  const auto values =
      std::make_shared<Recomputed>(again, std::move(sources), std::move(numbers), std::move(sizes));
  // All are found first: with a handle may end a node that holds others.
  std::vector<std::shared_ptr<SavedTensor>> left;
  for (const Recompute::Result& result : again->results)
    left.push_back(saved_.in_slot(result.tensor.slot));
  for (size_t i = 0; i < left.size(); ++i) left[i]->compute_again(values, i);
}

void Runner::run(SegmentVariant& variant) {
  const CalledAs nobody{Called()};  // ops called now may be part of another function
  struct ClearOutputs {
    std::vector<Tensor>& outputs;
    ~ClearOutputs() { outputs.clear(); }
  } at_the_end{arguments_.outputs};
  variant.runs.fetch_add(1, std::memory_order_relaxed);
  if (!variant.plan.empty() && !run_ready(variant)) return;
  materialize_results(variant.plan);
  if (variant.plan.again) leave_to_gradients(variant.plan.again);
  if (!variant.plan.data.empty()) lay_out_empty(variant);
}

// Returns false if the ops ran one by one instead.  If that finds an error in the data, it is
// thrown with eager's message, after the ops before it took effect; any other failure was ours, and
// the call goes on.
bool Runner::run_ready(SegmentVariant& variant) {
  std::string of_data;
  const Code* code = &run_failed;
  const bool seen =
      events::record(events::RegionBegin{tree_.number(), variant.number, variant.label});
  if (seen) events::record_stack();
  try {
    const ForwardSlice of_gradients(slots_.call(), seen && saved_.is_any_recorded());
    const uint64_t begin = ticks();
    run_compiled(variant);
    variant.run_ticks.fetch_add(ticks() - begin, std::memory_order_relaxed);
    open_regions_ += seen ? 1 : 0;
    return true;
  } catch (const Error& e) {
    of_data = e.what();
  } catch (const Unusable& e) {
    tree_.give_up(variant, *e.code, e.what());
    code = e.code;
  } catch (...) {
    tree_.run_failed_of(variant, what_was_thrown());
  }
  if (seen) events::record(events::RegionEnd{});
  arguments_.outputs.clear();
  interpret_path(*variant.last, &variant, code,
                 of_data.empty() ? "the compiled segment failed" : of_data);
  if (!of_data.empty())
    tree_.run_failed_of(
        variant, cat("eager ran without an error, but the compiled segment failed: ", of_data));
  return false;
}

void Runner::run_compiled(const SegmentVariant& variant) {
  const Plan& plan = variant.plan;
  // Tensors that borrow the slots' references: released without decrementing.
  struct Borrowed {
    std::vector<Tensor>& list;
    ~Borrowed() {
      for (Tensor& t : list) t.release();
      list.clear();
    }
  } borrowed{arguments_.inputs};
  std::vector<Tensor> bases;  // over the memory of overlapping inputs
  gather_inputs(plan, slots_, values_, arguments_, bases);
  std::vector<Tensor>& outputs = arguments_.outputs;
  outputs.clear();
  outputs.resize(plan.outputs.size());
  const RunsBelow below(below_);
  record_inputs(arguments_.operands);
  variant.segment->run(arguments_.operands, arguments_.symbols, outputs);
  for (const auto& [node, output] : plan.data) data_.bind(*node, outputs[output]);
  separate_outputs(plan, values_.symbols, arguments_);
  for (const uint32_t slot : plan.written) slots_[slot].storage.bump_version();
  record_outputs(outputs);
}

// ---- one by one

void Runner::interpret(const TraceNode& last, const SegmentVariant* variant, bool unwinding) {
  if (unwinding) return interpret_path(last, nullptr, nullptr, "the function threw an exception");
  if (!variant) return interpret_path(last, nullptr, &too_many_ways, too_many_ways.title);
  if (variant->state.load(std::memory_order_acquire) == SegmentVariant::State::interpreted)
    return interpret_path(last, variant, variant->why_code, variant->why_not);
  interpret_path(last, variant, nullptr, "another thread is compiling it");
}

// An error in the data surfaces after its op was called, so the Error names that location.
void Runner::call_node(const TraceNode& node, std::span<const Operand> operands,
                       std::span<Tensor> results) const {
  const SizeMap this_run = [this](Size s) { return Size(values_.symbols.value(s)); };
  const Attrs attrs = node.attrs_owned.map_sizes(this_run);
  const CalledAs called(node.called);
  try {
    vitro::call(OpCall{node.op, operands, attrs.view(), node.in_place, {}}, results);
  } catch (const Error& e) {
    const std::source_location from = location_of(node);
    if (from.line() == 0) throw;
    throw Error(e, call_location(from));
  }
}

Operand Runner::operand_of(const NodeOperand& recorded, std::span<const Tensor> tensors) const {
  if (recorded.kind == NodeOperand::Kind::none) return {};
  if (recorded.kind == NodeOperand::Kind::varying) return Operand(values_.numbers[recorded.slot]);
  if (recorded.slot != no_slot) return Operand(tensors[recorded.slot]);
  if (!recorded.number.is_symbolic()) return Operand(recorded.number);
  return Operand(Scalar(values_.symbols.value(recorded.number.expr())));
}

// A frozen call defers only its results: the slot of their memory may never have been used.
void Runner::keep_writes(uint32_t memory, const TensorImpl& made) const {
  if (!slots_.is_used(memory)) return;
  const uint32_t counted = slots_[memory].writes, known = made.storage.writes();
  if (counted > known) made.storage.add_writes(counted - known);
}

// Materializes deferred tensors right after their op, so that a failure keeps the earlier results.
// Releases values after their last use, as a program that runs eagerly does.
void Runner::interpret_path(const TraceNode& last, const SegmentVariant* variant, const Code* code,
                            std::string_view reason) {
  std::optional<events::EagerScope> seen;
  if (events::recording()) {
    seen.emplace(eager_slice(variant, code, reason));
    events::record_stack();
  }
  const RunsBelow below(below_);
  std::vector<Tensor> tensors(last.slots_after);  // by slot
  for (uint32_t slot = 0; slot < last.slots_after; ++slot) {
    if (!slots_.is_used(slot) || slots_.is_deferred(slots_[slot])) continue;
    slots_[slot].refs.fetch_add(1, std::memory_order_relaxed);
    tensors[slot] = Tensor(&slots_[slot]);
  }
  const std::vector<const TraceNode*> path = path_to(last);
  const std::vector<const TraceNode*> last_readers = last_readers_of(path, last.slots_after);
  const std::vector<uint32_t> memories = memories_of(path, last.slots_after);
  std::vector<Operand> operands;
  std::vector<Tensor> results;
  for (const TraceNode* node : path) {
    operands.clear();
    for (const NodeOperand& o : node->operands_owned) operands.push_back(operand_of(o, tensors));
    results.assign(node->in_place ? 1 : node->result_count, Tensor());
    thread_state.modes = node->modes;
    current_module = node->location.module;
    call_node(*node, operands, results);
    if (node->data_size.defined()) data_.bind(*node, results[0]);
    for (uint32_t k = 0; k < node->result_count; ++k) {
      const uint32_t slot = node->first_slot + k;
      if (slots_.is_used(slot) && slots_.is_held(slot)) {
        TensorImpl& deferred = slots_[slot];
        const TensorImpl& computed = *results[k].impl();
        deferred.storage = computed.storage;
        deferred.sizes = computed.sizes;
        deferred.strides = computed.strides;
        deferred.offset = computed.offset;
        keep_writes(memories[slot], deferred);
        Slots::mark_materialized(deferred);
      }
      if (last_readers[slot]) tensors[slot] = std::move(results[k]);
    }
    for (const NodeOperand& o : node->operands_owned) {
      if (is_tensor(o) && last_readers[o.slot] == node) tensors[o.slot] = {};
    }
  }
}

}  // namespace vitro::capture
