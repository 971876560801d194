// The end of a segment: what was put off runs, promises are kept.
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
// record; failures are rare, and their shapes small.
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
  Step* start = find_or_record(record_->entry(), OpCall{nullptr, m_.inputs, {}, false, {}});
  cursor_ = start;
  questions_.emplace();
  if (!start) return;
  for (const Bind& bind : start->binds) {
    const TensorImpl* impl = m_.slots[bind.slot];
    if (bind.symbolic) m_.remembered.push_back({impl, impl->storage.id(), &bind.meta});
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
  if (record_->options().fullgraph) {
    throw_error(cat(record_->options().name, ": fullgraph: ", code.title,
                    reason.empty() ? "" : ": ", reason, " at ", place_text(where), " (", code.id,
                    ")"));
  }
  record_->note(Record::What::broke, code, std::string(reason.empty() ? code.title : reason),
                place_text(where));
  flush();
  cursor_ = &record_->start_behind(where);
}

void Call::stop_capturing(const Code& code, std::string reason, std::source_location where) {
  record_->note(Record::What::fell_back, code, reason, place_text(where));
  stopping_ = true;
  flush();
  cursor_ = nullptr;
  if (events::recording() && !eager_begun_)
    eager_begun_ = events::record(eager_slice(nullptr, &code, reason));
}

events::EagerBegin Call::eager_slice(const Exit* exit, const Code* code,
                                     std::string_view reason) const {
  return {.region = events::intern(record_->region_name(exit)),
          .code = code ? events::intern(code->id) : events::NameId{},
          .reason = events::intern(reason),
          .label = exit ? exit->label : events::intern(record_->options().name)};
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
    Exit* exit = nullptr;
    if (!by_interpretation)
      exit = record_->exit(*cursor_, m_.live, m_.symbols, &made, number_, asked());
    if (questions_) (void)questions_->take();
    if (exit && made) {
      note_end(*exit);
      record_->build(*exit);
    }
    // Asked again: one that was building when it was found had no guards yet.
    if (exit && exit->can_run(m_.symbols)) {
      run_exit(*exit);
    } else {
      interpret(exit, by_interpretation);
    }
  } catch (...) {
    fail_promises();
    release_slots();
    cursor_ = nullptr;
    throw;
  }
  release_slots();
}

// A graph more, where the function ended otherwise before.
void Call::note_end(const Exit& exit) {
  if (stopping_) return;  // which was reported
  const Why why = why_it_ends(exit);
  if (why.code) note_recompile(why);
  if (const Step* next = cursor_->next.load(std::memory_order_acquire))
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

void Call::run_exit(Exit& exit) {
  exit.runs.fetch_add(1, std::memory_order_relaxed);
  if (!exit.plan.empty() && !run_ready(exit)) return;
  keep_promises(exit);
}

// False where the ops ran one by one instead: a mistake in the data is then thrown as eager words
// it, after what was done before it; anything else was our failure, and the call goes on.
bool Call::run_ready(Exit& exit) {
  std::string of_data;
  const Code* code = &run_failed;
  const bool seen = events::record(events::RegionBegin{record_->number(), exit.number, exit.label});
  if (seen) events::record_stack();
  try {
    const uint64_t begin = ticks();
    run_compiled(exit);
    exit.run_ticks.fetch_add(ticks() - begin, std::memory_order_relaxed);
    open_regions_ += seen ? 1 : 0;
    return true;
  } catch (const Error& e) {
    of_data = e.what();
  } catch (const Unusable& e) {
    record_->give_up(exit, *e.code, e.what());
    code = e.code;
  } catch (...) {
    record_->run_failed_of(exit, what_was_thrown());
  }
  if (seen) events::record(events::RegionEnd{});
  m_.outputs.clear();
  interpret_path(&exit, code, of_data.empty() ? "the compiled segment failed" : of_data);
  if (!of_data.empty())
    record_->run_failed_of(exit, cat("eager finds no mistake in the data, but it said: ", of_data));
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

void Call::run_compiled(const Exit& exit) {
  const Plan& plan = exit.plan;
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
  exit.segment->run(m_.operands, m_.symbol_values, m_.outputs);
  for (const auto& [step, output] : plan.data) bind_data(*step, m_.outputs[output]);
  m_.shared.clear();
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    if (is_shared(*m_.outputs[i].impl()) ||
        !has_strides(*m_.outputs[i].impl(), plan.outputs[i]->strides))
      m_.outputs[i] = copy_with_strides(m_.outputs[i], m_.symbols.values(plan.outputs[i]->strides));
  }
  for (const uint32_t slot : plan.written) m_.slots[slot]->storage.bump_version();
  record_outputs(m_.outputs);
}

void Call::keep_promises(const Exit& exit) {
  for (const Keep& keep : exit.plan.keeps) {
    TensorImpl& promise = *m_.slots[keep.slot];
    const TensorImpl& source = keep.output >= 0
                                   ? *m_.outputs[static_cast<size_t>(keep.output)].impl()
                                   : *m_.slots[keep.outside];
    promise.storage = source.storage;
    promise.sizes = keep.symbolic ? m_.symbols.values(keep.meta->sizes) : keep.sizes;
    promise.strides = keep.symbolic ? m_.symbols.values(keep.meta->strides) : keep.strides;
    const int64_t within = keep.symbolic ? m_.symbols.value(keep.meta->offset) : keep.offset;
    promise.offset = source.offset + within;
    if (keep.symbolic && !keep.sized_by_data)
      m_.remembered.push_back({&promise, promise.storage.id(), keep.meta});
    promise.promised = nullptr;
    promise.call = 0;
  }
  m_.outputs.clear();
  constexpr size_t room = 64;
  const auto results = m_.remembered.begin() + static_cast<std::ptrdiff_t>(remembered_inputs_);
  if (m_.remembered.end() - results > static_cast<std::ptrdiff_t>(room))
    m_.remembered.erase(results, m_.remembered.end() - room);
}

void Call::adopt(TensorImpl& promise, TensorImpl& real) {
  promise.storage = real.storage;
  promise.sizes = real.sizes;
  promise.strides = real.strides;
  promise.offset = real.offset;
  promise.promised = nullptr;
  promise.call = 0;
}

// A mistake in the data comes to light later than its op was called: that place is told.
void Call::call_late(const Step& step, std::span<const Operand> operands,
                     std::span<Tensor> results) {
  const SizeMap this_run = [this](Size s) { return Size(m_.symbols.value(s)); };
  const Attrs attrs = step.attrs_owned.map_sizes(this_run);
  try {
    vitro::call(OpCall{step.op, operands, attrs.view(), step.in_place, {}}, results);
  } catch (const Error& e) {
    const std::string place = place_text(step.place);
    const size_t name = place.rfind('/') + 1;  // npos + 1 == 0
    if (place.empty()) throw;
    throw Error(e, place.substr(name));
  }
}

void Call::interpret(const Exit* exit, bool unwinding) {
  if (unwinding) return interpret_path(nullptr, nullptr, "the function threw an exception");
  if (!exit) return interpret_path(nullptr, &too_many_ways, too_many_ways.title);
  if (exit->state.load(std::memory_order_acquire) == Exit::State::interpreted)
    return interpret_path(exit, exit->why_code, exit->why_not);
  interpret_path(exit, nullptr, "another thread compiles it");
}

// Runs the ops of the path as they were called; promises are kept as soon as their op has run, so
// that a failure leaves what was done before it.
void Call::interpret_path(const Exit* exit, const Code* code, std::string_view reason) {
  std::optional<events::EagerScope> seen;
  if (events::recording()) {
    seen.emplace(eager_slice(exit, code, reason));
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
  for (const Step* step : path_to(*cursor_)) {
    operands.clear();
    for (const StepOperand& o : step->operands_owned) {
      Scalar number = o.kind == StepOperand::Kind::varying ? m_.numbers[o.slot] : o.number;
      if (number.is_symbolic()) number = Scalar(m_.symbols.value(number.expr()));
      if (o.kind == StepOperand::Kind::none) {
        operands.emplace_back();
      } else if (o.slot != no_slot && o.kind != StepOperand::Kind::varying) {
        operands.emplace_back(values[o.slot]);
      } else {
        operands.emplace_back(number);
      }
    }
    results.assign(step->in_place ? 1 : step->result_count, Tensor());
    thread_->modes = step->modes;
    thread_->module = step->place.module;
    call_late(*step, operands, results);
    if (step->data_size.defined()) bind_data(*step, results[0]);
    for (uint32_t k = 0; k < step->result_count; ++k) {
      TensorImpl* promise = m_.slots[step->first_slot + k];
      if (promise && promise->refs.load(std::memory_order_acquire) > 1)
        adopt(*promise, *results[k].impl());
      values[step->first_slot + k] = std::move(results[k]);
    }
  }
}

// Promises that an error left open: shapes stay, elements never come.
void Call::fail_promises() {
  m_.outputs.clear();
  for (uint32_t slot = 0; slot < cursor_->slots_after; ++slot) {
    if (!m_.slots[slot]) continue;
    TensorImpl& impl = *m_.slots[slot];
    if (impl.call != number_ || impl.refs.load(std::memory_order_acquire) == 1) continue;
    TensorMeta now = *impl.promised;
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
    impl.promised = keep_for_ever(now);
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
  const std::vector<const Step*> path = path_to(*cursor_);
  const SlotTable table(*cursor_, path);
  return std::any_of(path.begin(), path.end(), [&](const Step* step) {
    if (!step->in_place) return false;
    const uint32_t root = table.root(step->operands[0].slot);
    const TensorImpl& written = *m_.slots[root];
    return written.call == 0 && written.storage == impl.storage;
  });
}

}  // namespace vitro::capture
