// The end of a segment: what was put off runs, deferred tensors are kept.
#include <algorithm>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>

#include "capture/call.h"
#include "capture/codes.h"
#include "capture/layout.h"
#include "capture/slot_table.h"
#include "vitro/base/clock.h"
#include "vitro/base/error.h"
#include "vitro/core/op_event.h"
#include "vitro/events/record.h"
#include "vitro/events/stack.h"

namespace vitro::capture {
namespace {

// A tensor whose ops failed: any look at its elements is an Error.  Their shapes outlive the
// tree; failures are rare, and their shapes small.
const TensorMeta* keep_for_ever(const TensorMeta& meta) {
  static auto* lock = new std::mutex;
  static auto* kept = new std::deque<TensorMeta>;
  std::lock_guard hold(*lock);
  return &kept->emplace_back(meta);
}

Ints plain(const Sizes& sizes) {
  Ints out;
  for (const Size s : sizes) out.push_back(s.hint());
  return out;
}

// Ops that run inside of the scope see the interpreter below the call.
class RunsBelow {
 public:
  explicit RunsBelow(const InterpreterFrame* below)
      : use_(below), modes_(thread_state.modes), module_(thread_state.module) {}
  ~RunsBelow() {
    thread_state.modes = modes_;
    thread_state.module = module_;
  }
  RunsBelow(const RunsBelow&) = delete;

 private:
  UsingStack use_;
  Modes modes_;
  uint32_t module_;
};

}  // namespace

void Call::enter(std::span<const Tensor* const> inputs) {
  m_.inputs.clear();
  for (const Tensor* t : inputs) m_.inputs.emplace_back(*t);
  TraceNode* start = find_or_record(tree_->entry(), OpCall{nullptr, m_.inputs, {}, false, {}});
  cursor_ = start;
  questions_.emplace();
  if (!start) return;
  for (const ExternalInput& input : start->inputs) {
    const TensorImpl* impl = m_.slots[input.slot];
    if (input.symbolic) m_.remembered.push_back({impl, impl->storage.id(), &input.meta});
  }
  remembered_inputs_ = m_.remembered.size();
}

void Call::finish() {
  flush();
  data_.reset();
  questions_.reset();
  cursor_ = nullptr;
}

void Call::unwind() noexcept {
  try {
    flush(true);
  } catch (...) {  // the exception that is under way already says why the function ended
  }
  data_.reset();
  questions_.reset();
  cursor_ = nullptr;
}

void Call::break_here(const Code& code, std::string_view reason, std::source_location where) {
  if (!cursor_) return;
  if (tree_->options().fullgraph) {
    throw_error(cat(tree_->options().name, ": fullgraph: ", code.title, reason.empty() ? "" : ": ",
                    reason, " at ", place_text(where), " (", code.id, ")"));
  }
  tree_->note(TraceTree::What::broke, code, std::string(reason.empty() ? code.title : reason),
              place_text(where));
  flush();
  cursor_ = &tree_->start_after(where);
}

void Call::stop_capturing(const Code& code, std::string reason, std::source_location where) {
  tree_->note(TraceTree::What::fell_back, code, reason, place_text(where));
  stopping_ = true;
  flush();
  cursor_ = nullptr;
  if (events::recording() && !eager_begun_)
    eager_begun_ = events::record(eager_slice(nullptr, &code, reason));
}

events::EagerBegin Call::eager_slice(const SegmentVariant* variant, const Code* code,
                                     std::string_view reason) const {
  return {.region = events::intern(tree_->region_name(variant)),
          .code = code ? events::intern(code->id) : events::NameId{},
          .reason = events::intern(reason),
          .label = variant ? variant->label : events::intern(tree_->options().name)};
}

void Call::run_now(const OpCall& call, std::span<Tensor> results) {
  const UsingStack use(below_);
  vitro::call(call, results);
}

void Call::flush(bool by_interpretation) {
  if (!cursor_) return;
  if (!cursor_->op) return release_slots();
  try {
    find_live();
    bool made = false;
    SegmentVariant* variant = nullptr;
    if (!by_interpretation)
      variant = tree_->variant(*cursor_, m_.live, m_.symbols, &made, number_, asked());
    if (questions_) (void)questions_->take();
    if (variant && made) {
      note_end(*variant);
      tree_->build(*variant);
    }
    // Asked again: one that was building when it was found had no guards yet.
    if (variant && variant->can_run(m_.symbols)) {
      run_variant(*variant);
    } else {
      interpret(variant, by_interpretation);
    }
  } catch (...) {
    fail_deferred();
    release_slots();
    cursor_ = nullptr;
    throw;
  }
  release_slots();
}

// A graph more, where the function ended otherwise before.
void Call::note_end(const SegmentVariant& variant) {
  if (stopping_) return;  // which was reported
  const Why why = why_it_ends(variant);
  if (why.code) note_recompile(why);
  if (const TraceNode* next = cursor_->next.load(std::memory_order_acquire))
    note_parting(next->where, next->where);
}

void Call::find_live() {
  m_.live.assign((cursor_->slots_after + 63) / 64, 0);
  for (uint32_t slot = 0; slot < cursor_->slots_after; ++slot) {
    const TensorImpl& impl = *m_.slots[slot];
    if (impl.call == number_ && impl.refs.load(std::memory_order_acquire) > 1)
      m_.live[slot / 64] |= uint64_t{1} << (slot % 64);
  }
}

void Call::run_variant(SegmentVariant& variant) {
  variant.runs.fetch_add(1, std::memory_order_relaxed);
  if (!variant.plan.empty() && !run_ready(variant)) return;
  materialize_results(variant);
}

// False where the ops ran one by one instead: a mistake in the data is then thrown as eager words
// it, after what was done before it; anything else was our failure, and the call goes on.
bool Call::run_ready(SegmentVariant& variant) {
  std::string of_data;
  const Code* code = &run_failed;
  const bool seen =
      events::record(events::RegionBegin{tree_->number(), variant.number, variant.label});
  if (seen) events::record_stack();
  try {
    const uint64_t begin = ticks();
    run_compiled(variant);
    variant.run_ticks.fetch_add(ticks() - begin, std::memory_order_relaxed);
    open_regions_ += seen ? 1 : 0;
    return true;
  } catch (const Error& e) {
    of_data = e.what();
  } catch (const Unusable& e) {
    tree_->give_up(variant, *e.code, e.what());
    code = e.code;
  } catch (...) {
    tree_->run_failed_of(variant, what_was_thrown());
  }
  if (seen) events::record(events::RegionEnd{});
  m_.outputs.clear();
  interpret_path(&variant, code, of_data.empty() ? "the compiled segment failed" : of_data);
  if (!of_data.empty())
    tree_->run_failed_of(variant,
                         cat("eager finds no mistake in the data, but it said: ", of_data));
  return false;
}

bool Call::has_strides(const TensorImpl& impl, const Sizes& strides) const {
  for (size_t d = 0; d < strides.size(); ++d) {
    if (m_.symbols.value(strides[d]) != impl.strides[d]) return false;
  }
  return true;
}

// Whether an earlier output has the memory, or an input.  Equal values may have become one tensor
// in the backend; to the program they are two.
bool Call::is_shared(const TensorImpl& output) {
  if (output.refs.load(std::memory_order_acquire) == 1 && output.storage.use_count() == 1)
    return false;
  if (m_.shared.is_empty()) {
    for (const Tensor& given : m_.borrowed) (void)m_.shared.seen(given.storage());
  }
  return m_.shared.seen(output.storage);
}

void Call::run_compiled(const SegmentVariant& variant) {
  const Plan& plan = variant.plan;
  // Handles over the slots' counts, given back without a subtraction.
  struct Borrowed {
    std::vector<Tensor>& list;
    ~Borrowed() {
      for (Tensor& t : list) t.release();
      list.clear();
    }
  } borrowed{m_.borrowed};
  m_.borrowed.reserve(plan.inputs.size());
  std::vector<Tensor> bases;  // over the memory of inputs that overlap
  if (plan.base_count > 0) bases.reserve(plan.base_count);
  m_.operands.clear();
  for (const Plan::Input& input : plan.inputs) {
    if (input.slot == no_slot) {
      m_.operands.emplace_back(m_.numbers[input.number]);
      continue;
    }
    m_.borrowed.emplace_back(m_.slots[input.slot]);
    const Tensor& tensor = m_.borrowed.back();
    if (!input.base) {
      m_.operands.emplace_back(tensor);
      continue;
    }
    const TensorImpl& first = *tensor.impl();
    const int64_t elements[] = {m_.symbols.value(*input.base)}, side_by_side[] = {1};
    bases.push_back(Tensor::over(first.storage, first.dtype, elements, side_by_side, first.offset));
    m_.operands.emplace_back(bases.back());
  }
  m_.symbol_values.clear();
  for (const sym::Expr symbol : plan.symbols) m_.symbol_values.push_back(m_.symbols.value(symbol));
  m_.outputs.clear();
  m_.outputs.resize(plan.outputs.size());
  const RunsBelow below(below_);
  record_inputs(m_.operands);
  variant.segment->run(m_.operands, m_.symbol_values, m_.outputs);
  for (const auto& [node, output] : plan.data) bind_data(*node, m_.outputs[output]);
  m_.shared.clear();
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    if (is_shared(*m_.outputs[i].impl()) ||
        !has_strides(*m_.outputs[i].impl(), plan.outputs[i]->strides))
      m_.outputs[i] = copy_with_strides(m_.outputs[i], m_.symbols.values(plan.outputs[i]->strides));
  }
  for (const uint32_t slot : plan.written) m_.slots[slot]->storage.bump_version();
  record_outputs(m_.outputs);
}

void Call::materialize_results(const SegmentVariant& variant) {
  for (const ResultBinding& binding : variant.plan.results) {
    TensorImpl& deferred = *m_.slots[binding.slot];
    const TensorImpl& source = binding.output >= 0
                                   ? *m_.outputs[static_cast<size_t>(binding.output)].impl()
                                   : *m_.slots[binding.outside];
    deferred.storage = source.storage;
    deferred.sizes = binding.symbolic ? m_.symbols.values(binding.meta->sizes) : binding.sizes;
    deferred.strides =
        binding.symbolic ? m_.symbols.values(binding.meta->strides) : binding.strides;
    const int64_t within =
        binding.symbolic ? m_.symbols.value(binding.meta->offset) : binding.offset;
    deferred.offset = source.offset + within;
    if (binding.symbolic && !binding.sized_by_data)
      m_.remembered.push_back({&deferred, deferred.storage.id(), binding.meta});
    deferred.deferred = nullptr;
    deferred.call = 0;
  }
  m_.outputs.clear();
  constexpr size_t room = 64;
  const auto results = m_.remembered.begin() + static_cast<std::ptrdiff_t>(remembered_inputs_);
  if (m_.remembered.end() - results > static_cast<std::ptrdiff_t>(room))
    m_.remembered.erase(results, m_.remembered.end() - room);
}

void Call::adopt(TensorImpl& deferred, TensorImpl& real) {
  deferred.storage = real.storage;
  deferred.sizes = real.sizes;
  deferred.strides = real.strides;
  deferred.offset = real.offset;
  deferred.deferred = nullptr;
  deferred.call = 0;
}

// A mistake in the data comes to light later than its op was called: that place is named.
void Call::call_late(const TraceNode& node, std::span<const Operand> operands,
                     std::span<Tensor> results) {
  const SizeMap this_run = [this](Size s) { return Size(m_.symbols.value(s)); };
  const Attrs attrs = node.attrs_owned.map_sizes(this_run);
  try {
    vitro::call(OpCall{node.op, operands, attrs.view(), node.in_place, {}}, results);
  } catch (const Error& e) {
    const std::string place = place_text(node.place);
    const size_t name = place.rfind('/') + 1;  // npos + 1 == 0
    if (place.empty()) throw;
    throw Error(e, place.substr(name));
  }
}

void Call::interpret(const SegmentVariant* variant, bool unwinding) {
  if (unwinding) return interpret_path(nullptr, nullptr, "the function threw an exception");
  if (!variant) return interpret_path(nullptr, &too_many_ways, too_many_ways.title);
  if (variant->state.load(std::memory_order_acquire) == SegmentVariant::State::interpreted)
    return interpret_path(variant, variant->why_code, variant->why_not);
  interpret_path(variant, nullptr, "another thread compiles it");
}

// Runs the ops of the path as they were called; deferred tensors are kept as soon as their op has
// run, so that a failure leaves what was done before it.
void Call::interpret_path(const SegmentVariant* variant, const Code* code,
                          std::string_view reason) {
  std::optional<events::EagerScope> seen;
  if (events::recording()) {
    seen.emplace(eager_slice(variant, code, reason));
    events::record_stack();
  }
  const RunsBelow below(below_);
  std::vector<Tensor> values(cursor_->slots_after);
  for (uint32_t slot = 0; slot < cursor_->slots_after; ++slot) {
    TensorImpl* impl = m_.slots[slot];
    if (!impl || impl->call == number_) continue;  // null: a frozen call hands out results alone
    impl->refs.fetch_add(1, std::memory_order_relaxed);
    values[slot] = Tensor(impl);
  }
  std::vector<Operand> operands;
  std::vector<Tensor> results;
  for (const TraceNode* node : path_to(*cursor_)) {
    operands.clear();
    for (const NodeOperand& o : node->operands_owned) {
      Scalar number = o.kind == NodeOperand::Kind::varying ? m_.numbers[o.slot] : o.number;
      if (number.is_symbolic()) number = Scalar(m_.symbols.value(number.expr()));
      if (o.kind == NodeOperand::Kind::none) {
        operands.emplace_back();
      } else if (o.slot != no_slot && o.kind != NodeOperand::Kind::varying) {
        operands.emplace_back(values[o.slot]);
      } else {
        operands.emplace_back(number);
      }
    }
    results.assign(node->in_place ? 1 : node->result_count, Tensor());
    thread_->modes = node->modes;
    thread_->module = node->place.module;
    call_late(*node, operands, results);
    if (node->data_size.defined()) bind_data(*node, results[0]);
    for (uint32_t k = 0; k < node->result_count; ++k) {
      TensorImpl* deferred = m_.slots[node->first_slot + k];
      if (deferred && deferred->refs.load(std::memory_order_acquire) > 1)
        adopt(*deferred, *results[k].impl());
      values[node->first_slot + k] = std::move(results[k]);
    }
  }
}

// Deferred tensors that an error left open: shapes stay, elements never come.
void Call::fail_deferred() {
  m_.outputs.clear();
  for (uint32_t slot = 0; slot < cursor_->slots_after; ++slot) {
    if (!m_.slots[slot]) continue;
    TensorImpl& impl = *m_.slots[slot];
    if (impl.call != number_ || impl.refs.load(std::memory_order_acquire) == 1) continue;
    TensorMeta now = *impl.deferred;
    const auto number = [this](Size s) -> Size {
      try {
        return s.is_symbolic() ? Size(value_of(s.expr()).value_or(sym::unbounded)) : s;
      } catch (const sym::Overflow&) {  // this may be why its op failed
        return sym::unbounded;
      }
    };
    for (Size& s : now.sizes) s = number(s);
    for (Size& s : now.strides) s = number(s);
    now.offset = number(now.offset);
    impl.sizes = plain(now.sizes);
    impl.strides = plain(now.strides);
    impl.deferred = keep_for_ever(now);
    impl.call = failed_call;
  }
}

void Call::release_slots() {
  for (uint32_t slot = 0; slot < cursor_->slots_after; ++slot) {
    TensorImpl* impl = m_.slots[slot];
    if (!impl) continue;
    if (impl->call == number_) {
      m_.free.push_back(impl);  // nobody else held it
    } else {
      const Tensor let_go(impl);
    }
  }
  m_.outside.clear();
  m_.numbers.clear();
}

bool Call::written_in_segment(const TensorImpl& impl) const {
  const std::vector<const TraceNode*> path = path_to(*cursor_);
  const SlotTable table(*cursor_, path);
  return std::any_of(path.begin(), path.end(), [&](const TraceNode* node) {
    if (!node->in_place) return false;
    const uint32_t root = table.root(node->operands[0].slot);
    const TensorImpl& written = *m_.slots[root];
    return written.call == 0 && written.storage == impl.storage;
  });
}

}  // namespace vitro::capture
