// The interpreter for one call of a compiled function: compares each op with the trace tree,
// records it if no node fits, and returns deferred tensors; ends the segment when a value is
// needed. Function::run makes one per call (function.cpp).
#include "capture/call.h"

#include <algorithm>
#include <atomic>

#include "capture/codes.h"
#include "capture/loops.h"
#include "capture/slot_table.h"
#include "core/numbers.h"
#include "vitro/base/counted.h"
#include "vitro/base/error.h"
#include "vitro/core/autocast.h"

namespace vitro::capture {
namespace {

// Threads reserve numbers in blocks, to avoid contention.
uint64_t next_number() {
  static std::atomic<uint64_t> taken{1};
  constexpr uint64_t many = 1024;
  thread_local constinit uint64_t next __attribute__((tls_model("initial-exec"))) = 0;
  if (next % many == 0) next = taken.fetch_add(many, std::memory_order_relaxed);
  return next++;
}

const Code& code_of(Need need) {
  switch (need) {
    case Need::item:
      return item_break;
    case Need::pointer:
    case Need::writable_pointer:
      return pointer_break;
    case Need::other_thread_or_library:
      return other_break;
  }
  __builtin_unreachable();
}

std::string text_of(sym::Guard::Question question, sym::Expr a, sym::Expr b) {
  return sym::Guard{question, a, b, true}.text();
}

// Gradients hold leaves that require one, too: they are summed there.
bool is_variable(const TensorImpl& impl) {
  return impl.requires_grad && (!impl.gradient || impl.gradient->is_leaf());
}

}  // namespace

Call::Call(CallPool& pool, const InterpreterFrame* below)
    : number_(next_number()),
      is_alone_(below == nullptr),
      pool_(pool),
      memory_(pool.take()),
      tree_(memory_->tree.get()),
      slots_(memory_->slots),
      values_(memory_->values),
      data_(memory_->data),
      matcher_(slots_, values_, data_),
      runner_(*tree_, slots_, values_, data_, memory_->remembered, memory_->arguments, saved_,
              below) {
  memory_->begin_call(number_);
}

Call::~Call() {
  pool_.give_back(std::move(memory_));
}

// ---- an op

inline void Call::hand_out(TraceNode& node, const OpCall& call, std::span<Tensor> results) {
  slots_.reserve(node.slots_after);
  for (uint32_t k = 0; k < node.result_count; ++k)
    results[k] = Tensor(slots_.defer(node.first_slot + k, node.results[k]));
  for (uint32_t k = 0; node.is_view && k < node.result_count; ++k)
    slots_.share_memory(node.first_slot + k, node.operands[0].slot);
  if (node.in_place) results[0] = call.operands[0].tensor();
  matcher_.move_to(&node);
}

// The hot path: compare, return deferred tensors, advance.
void Call::call(const OpCall& call, std::span<Tensor> results) {
  if (!matcher_.cursor()) [[unlikely]]
    return runner_.run_now(call, results);
  if (tree_->has_cuts() && cut_before(call)) [[unlikely]]
    return this->call(call, results);
  if (data_.some_known() && data_.known_ones_are_named_by(call)) [[unlikely]]
    return call_with_numbers(call, results);
  TraceNode* node = matcher_.plain_next(call);
  if (!node) [[unlikely]] {
    bool again = false;
    node = next_node(call, &again);
    if (again) return this->call(call, results);
    if (!node) return runner_.run_now(call, results);
    if (node->expands) return expansion_.run(call, results);
    if (node->data_size.defined()) {
      data_.add(*node);
      if (!data_answers_) data_answers_.emplace(*this);
    }
  }
  hand_out(*node, call, results);
  if (questions_ && !questions_->guards().empty()) [[unlikely]]
    (void)questions_->take();
}

TraceNode* Call::next_node(const OpCall& call, bool* again) {
  try {
    return find_or_record(matcher_.cursor()->next, call);
  } catch (const sym::Undecided& undecided) {
    const TraceNode* cursor = matcher_.cursor();
    if (!cursor || !cursor->op || !data_.some_unknown()) throw;
    // The size may contain symbols of this op, which have no values until it is called again.
    const sym::Guard& asked = undecided.asked;
    const sym::Expr size = sym::is_data(asked.a) ? asked.a : asked.b;
    const std::string text = text_of(asked.question, asked.a, asked.b);
    if (!settle(size, call.op->name, text)) (void)number_of(size, call.op->name, text);
    *again = true;
    return nullptr;
  }
}

TraceNode* Call::find_or_record(std::atomic<TraceNode*>& link, const OpCall& call) {
  const Matcher::Found found = matcher_.find(link, call);
  if (found.node) return found.node;
  if (!call.op) {
    if (const size_t counts = argument_counts(*tree_, memory_->inputs.size())) {
      note_recompile({&op_differs,
                      cat("start: calls passed lists of ", counts,
                          " different lengths; tensors are now guarded where they are used"),
                      {}});
      return &tree_->start_after({});
    }
  }
  return record(found, link, call);
}

[[gnu::cold]] TraceNode* Call::record(const Matcher::Found& found, std::atomic<TraceNode*>& link,
                                      const OpCall& call) {
  const TraceNode* first = link.load(std::memory_order_acquire);
  const RecompileReason reason =
      found.has_been_taken ? RecompileReason{} : reasons().of_another_node(link, call);
  const std::source_location location = expansion_.location_of(call);
  if (found.compared >= recompile_limit.get() && found.compared > 0) {
    stop_capturing(
        too_many_ways,
        cat("this location already has ", counted(static_cast<uint64_t>(found.compared), "path"),
            " (", recompile_limit.variable(), "); ", reason.text),
        location);
    return nullptr;
  }
  if (const TraceNode* cursor = matcher_.cursor(); cursor && cursor->depth >= segment_limit.get()) {
    break_here(long_break, cat("after ", counted(static_cast<uint64_t>(cursor->depth), "op")),
               location);
    return matcher_.cursor() ? find_or_record(matcher_.cursor()->next, call) : nullptr;
  }
  if (!recorder_)
    recorder_.emplace(*tree_, slots_, values_, data_, memory_->remembered, matcher_, expansion_);
  const Recorder::Recorded made = recorder_->record(link, *found.end, call, asked());
  switch (made.outcome) {
    case Recorder::Outcome::tree_is_full:
      stop_capturing(too_much_recorded, cat("more ops are recorded than ", record_limit.get()),
                     location);
      return nullptr;
    case Recorder::Outcome::another_was_first:  // its node may fit this call
      return find_or_record(link, call);
    case Recorder::Outcome::linked:
      break;
  }
  if (!reason.code) {
    expansion_.note_reported(made.node->expands);
    return made.node;
  }
  if (!expansion_.exchange_reported(made.node->expands)) note_recompile(reason);
  if (call.op && (!first || first->op != call.op))
    note_parting(first ? first->where : call.where, call.where);
  return made.node;
}

void Call::note_recompile(const RecompileReason& reason) {
  tree_->note(TraceTree::What::recompiled, *reason.code, reason.text, reason.location);
}

void Call::note_parting(std::source_location recorded, std::source_location called) {
  if (!expansion_.is_running() && matcher_.cursor())
    capture::note_parting(*tree_, *matcher_.cursor(), recorded, called);
}

// A loop with a varying number of iterations: its body starts a segment.
bool Call::cut_before(const OpCall& call) {
  if (!matcher_.cursor()->op || expansion_.is_running() || !tree_->is_cut(call.where)) return false;
  break_here(loop_break, {}, call.where);
  return true;
}

// ---- queries about tensors and symbols

void Call::materialize(TensorImpl&, Need need, std::source_location where) {
  break_here(code_of(need), {}, where);
}

void Call::before_access(const TensorImpl& impl, Need need, std::source_location where) {
  const std::source_location from = CalledAs::current().from;
  if (from.line() != 0) where = from;  // of a function that is written with ops, its call
  const CalledAs nobody{Called()};
  const CompileOptions& options = tree_->options();
  const std::string place = location_text(where);
  VITRO_CHECK(!options.frozen, options.name, ": frozen: ", place.empty() ? "the function" : place,
              " reads elements of a tensor, which a frozen call would not repeat; compute with the "
              "tensor instead (",
              not_repeatable, ")");
  if (!matcher_.cursor() || slots_.first_sharing(impl) == no_slot) return;
  if (need == Need::writable_pointer || is_written_in_segment(impl))
    break_here(code_of(need), "ops on the tensor's memory are deferred", where);
}

bool Call::is_written_in_segment(const TensorImpl& impl) const {
  const std::vector<const TraceNode*> path = path_to(*matcher_.cursor());
  const SlotTable table(*matcher_.cursor(), path);
  return std::any_of(path.begin(), path.end(), [&](const TraceNode* node) {
    if (!node->in_place) return false;
    const TensorImpl& written = slots_[table.root(node->operands[0].slot)];
    return written.call == 0 && written.storage == impl.storage;
  });
}

const TensorMeta* Call::meta_of(const TensorImpl& impl) const {
  if (!matcher_.cursor()) return nullptr;
  const uint32_t slot = slots_.slot_of(impl);
  return slot == no_slot ? memory_->remembered.find(impl, values_.symbols)
                         : slots_.external_meta(slot);
}

const TensorImpl* Call::memory_of(const TensorImpl& impl) const {
  return impl.call == number_ ? &slots_[slots_.memory_of(impl.slot)] : nullptr;
}

// A view of an external tensor begins at that tensor's offset plus its own.
std::optional<Size> Call::offset_of(const TensorImpl& impl) const {
  if (impl.call == 0) return offset_outside(impl);
  if (impl.call != number_) return std::nullopt;
  const Size recorded = impl.deferred->offset;
  const Size within(value_of(recorded.expr()).value(), recorded.expr());
  const TensorImpl& memory = *memory_of(impl);
  return memory.call == 0 ? offset_outside(memory) + within : within;
}

// A plain number: the function's code asks again in the next call.  A frozen call does not run that
// code, so there it is a symbol, and what is asked about it becomes a guard.
Size Call::offset_outside(const TensorImpl& impl) const {
  const TraceNode* cursor = matcher_.cursor();
  const uint32_t slot = cursor && tree_->options().frozen ? slots_.slot_of(impl) : no_slot;
  if (slot == no_slot || slot >= start_of(*cursor).slots_after) return impl.offset;
  const sym::Expr symbol = offset_symbol(slot);
  const bool is_this_call = values_.symbols.bind(symbol, impl.offset);
  VITRO_ASSERT(is_this_call, "a tensor has moved in its storage");
  return {impl.offset, symbol};
}

std::optional<int64_t> Call::value_of(sym::Expr expr) const {
  return data_.value_of(expr);
}

// ---- sizes that data decide

bool Call::DataAnswers::answer(sym::Guard::Question question, sym::Expr a, sym::Expr b) {
  {
    sym::DataBounds bounds;
    call_.data_.add_bounds(bounds);
    if (const auto known = bounds.decide(question, a, b)) return *known;
  }
  const std::string text = text_of(question, a, b);
  const std::string_view who = call_.expansion_.asker();
  const int64_t x = call_.number_of(a, who, text);
  const int64_t y = call_.number_of(b, who, text);
  return question == sym::Guard::Question::equal ? x == y : x < y;
}

int64_t Call::DataAnswers::number(sym::Expr e) {
  return call_.number_of(e, call_.expansion_.asker(), cat("the number ", e));
}

std::optional<int64_t> Call::DataAnswers::find(sym::Expr e) const {
  return call_.values_.symbols.find_value(e);
}

bool Call::settle(sym::Expr e, std::string_view who, const std::string& question) {
  const TraceNode* decider = data_.decider_of(e);
  if (!decider || !matcher_.cursor()) return false;
  break_here(size_break,
             cat(decider->data_size, ", a size of ", decider->op->name,
                 at_location(location_text(decider->location)), ": ", who, " asks ", question),
             matcher_.cursor()->where);
  return true;
}

int64_t Call::number_of(sym::Expr e, std::string_view who, const std::string& question) {
  if (const auto known = values_.symbols.find_value(e)) return *known;
  (void)settle(e, who, question);
  const auto number = values_.symbols.find_value(e);
  if (!number) {
    throw NoNumber(cat("the data-dependent size ", e,
                       " is unknown: its op failed, or belongs to another call"));
  }
  return *number;
}

// Makes the call with numbers instead of data sizes that are known by now.
void Call::call_with_numbers(const OpCall& call, std::span<Tensor> results) {
  map_sizes(
      call, [this](Size s) { return data_.without_known(s); },
      [&](const OpCall& known) { this->call(known, results); });
}

// ---- start and end of the call and its segments

void Call::enter(std::span<const Tensor* const> inputs) {
  std::vector<Operand>& arguments = memory_->inputs;
  arguments.clear();
  for (const Tensor* t : inputs) arguments.emplace_back(*t);
  TraceNode* start = find_or_record(tree_->entry(), OpCall{nullptr, arguments, {}, false, {}});
  matcher_.move_to(start);
  questions_.emplace();
  if (!start) return;
  for (const ExternalInput& input : start->inputs) {
    if (input.symbolic) memory_->remembered.add_input(slots_[input.slot], input.meta);
  }
}

void Call::finish() {
  saved_.forget_computed();
  flush();
  leave();
}

void Call::unwind() noexcept {
  try {
    saved_.forget_computed();
    flush(true);
  } catch (...) {  // the active exception already says why the function ended
  }
  leave();
}

void Call::leave() {
  data_answers_.reset();
  questions_.reset();
  matcher_.move_to(nullptr);
}

void Call::break_here(const Code& code, std::string_view reason, std::source_location where) {
  if (!matcher_.cursor()) return;
  // Of a function that is written with ops, its call.
  const Called called = CalledAs::current();
  const std::string place = location_text(called.from.line() != 0 ? called.from : where);
  const CalledAs nobody{Called()};  // runs ops that were called before
  if (tree_->options().fullgraph) {
    throw_error(cat(tree_->options().name, ": fullgraph: ", code.title, reason.empty() ? "" : ": ",
                    reason, at_location(place), " (", code.id, ")"));
  }
  tree_->note(TraceTree::What::broke, code, std::string(reason.empty() ? code.title : reason),
              place);
  flush();
  matcher_.move_to(&tree_->start_after(where));
}

void Call::stop_capturing(const Code& code, std::string reason, std::source_location where) {
  const CalledAs nobody{Called()};
  tree_->note(TraceTree::What::fell_back, code, reason, location_text(where));
  stopping_ = true;
  flush();
  matcher_.move_to(nullptr);
  runner_.begin_eager(code, reason);
}

// See SegmentVariant::saved.
std::vector<uint64_t> Call::find_saved(uint32_t end) const {
  std::vector<uint64_t> out;
  if (saved_.empty()) return out;
  bool any = false;
  out.assign((end + 63) / 64, 0);
  for (uint32_t slot = 0; slot < end; ++slot) {
    const TensorImpl& impl = slots_[slot];
    bool is_saved = false;
    if (slots_.is_deferred(impl)) {
      const std::shared_ptr<SavedTensor> saved = saved_.in_slot(slot);
      // The references of the slot and of `saved`.
      is_saved = saved && saved->holds(impl) && impl.refs.load(std::memory_order_acquire) == 2;
      any |= is_saved;
    } else {
      is_saved = saved_.has_outside(impl) || is_variable(impl);
    }
    if (is_saved) out[slot / 64] |= uint64_t{1} << (slot % 64);
  }
  if (!any) out.clear();
  return out;
}

inline void Call::run_segment(bool unwinding) {
  TraceNode& last = *matcher_.cursor();
  bool is_new = false;
  SegmentVariant* variant = nullptr;  // for the held results and this call's sizes
  if (!unwinding)
    variant = tree_->variant(last, slots_.find_live(last.slots_after), find_saved(last.slots_after),
                             values_.symbols, &is_new, number_, asked());
  if (questions_) (void)questions_->take();
  if (is_new) build_new(*variant);
  // Checked again: a variant found while building had no guards yet.
  if (variant && variant->can_run(values_.symbols)) return runner_.run(*variant);
  runner_.interpret(last, variant, unwinding);
}

void Call::flush(bool unwinding) {
  if (!matcher_.cursor()) return;
  const WithoutAutocast inside;  // casts are among the ops
  if (matcher_.cursor()->op) {
    try {
      run_segment(unwinding);
    } catch (...) {
      abandon();
      throw;
    }
  }
  saved_.clear();
  release_slots();
}

void Call::build_new(SegmentVariant& variant) {
  if (!stopping_) {  // already reported
    const RecompileReason reason = reasons().of_another_end(variant);
    if (reason.code) note_recompile(reason);
    if (const TraceNode* next = matcher_.cursor()->next.load(std::memory_order_acquire))
      note_parting(next->where, next->where);
  }
  build(variant);
}

// Passes and shape rules get the values of this call's symbols, as the program does now.
void Call::build(SegmentVariant& variant) const {
  const InterpreterFrame* const now = thread_state.top;
  const auto value_of = [now](sym::Expr e) {
    const UsingStack as_now(now);
    return vitro::value_of(e);
  };
  if (tree_->options().asynchronous && can_build_later())
    return TraceTree::build_later(memory_->tree, variant, value_of);
  tree_->build(variant, value_of);
}

void Call::abandon() {
  const SizeMap in_numbers = [this](Size s) -> Size {
    try {
      return s.is_symbolic() ? Size(value_of(s.expr()).value_or(sym::unbounded)) : s;
    } catch (const sym::Overflow&) {  // may be why the op failed
      return sym::unbounded;
    }
  };
  slots_.fail_deferred(matcher_.cursor()->slots_after, in_numbers);
  release_slots();
  matcher_.move_to(nullptr);
}

}  // namespace vitro::capture
