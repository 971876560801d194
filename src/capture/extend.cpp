// Recording: a call that fits no step becomes one, with symbols and varying numbers where it
// differs from a step only in these.
#include <algorithm>

#include "capture/call.h"
#include "capture/codes.h"
#include "vitro/base/error.h"
#include "vitro/core/module_path.h"

namespace vitro::capture {
namespace {

bool number_may_vary(const OpDef* op, const Scalar& number) {
  return op && op->pointwise && !op->pointwise->uses_index &&
         number.kind() != Scalar::Kind::boolean && !number.is_symbolic();
}

bool size_may_vary(Size s) {
  return s.value() >= 2 && s.value() < int64_t{1} << 40;
}

// A shape rule may ask about symbols that it cannot know from the step alone; what it asked.
struct Inferred {
  std::vector<TensorMeta> results;
  std::vector<sym::Guard> guards;
};

Inferred infer_with_guards(const OpDef& op, std::span<const Operand> operands, AttrsView attrs) {
  Inferred out;
  sym::GuardSink sink;
  out.results = infer(op, operands, attrs);
  out.guards = sink.take();
  return out;
}

// Arguments have no place: that of the first op after them says which function it is.
std::string place_of(const OpCall& call, const Step& step) {
  const Step* next = step.next.load(std::memory_order_acquire);
  return call.op || !next ? place_text(call.where) : place_text(next->place);
}

}  // namespace

Step* Call::find_or_record(std::atomic<Step*>& link, const OpCall& call) {
  int64_t ways = 0;
  const Step* first = nullptr;
  std::atomic<Step*>* end = &link;
  for (Step* s = nullptr; (s = end->load(std::memory_order_acquire)); end = &s->fork, ++ways) {
    if (!first) first = s;
    if (!matches(*s, call)) continue;
    accept(*s);
    return s;
  }
  std::string why;
  const Code* code = nullptr;
  if (first) why = difference(*first, call, &code);
  if (ways >= recompile_limit.get() && ways > 0) {
    stop_capturing(too_many_ways,
                   cat("the record has ", ways, " ways to go on here (", recompile_limit.variable(),
                       "); ", why),
                   call.where);
    return nullptr;
  }
  if (cursor_ && cursor_->depth >= segment_limit.get()) {
    break_here(long_break, cat("after ", cursor_->depth, " ops"), call.where);
    return cursor_ ? find_or_record(cursor_->next, call) : nullptr;
  }
  bool late = false;
  Step* made = record(link, *end, call, &late);
  if (late) return find_or_record(link, call);  // what came first may be this very step
  if (first && made)
    record_->note(Record::What::recompiled, *code, std::move(why), place_of(call, *first));
  return made;
}

Step* Call::record(std::atomic<Step*>& link, std::atomic<Step*>& end, const OpCall& call,
                   bool* late) {
  Step* step = record_->new_step();
  if (!step) {
    stop_capturing(too_much_recorded, cat("more than ", record_limit.get(), " ops are recorded"),
                   call.where);
    return nullptr;
  }
  const size_t symbols = m_.symbols.mark(), numbers = m_.numbers.size();
  const uint32_t before = cursor_ ? cursor_->slots_after : 0;
  const auto take_back = [&] {
    unbind_from(before, before + static_cast<uint32_t>(step->binds.size()));
    m_.symbols.back_to(symbols);
    m_.numbers.resize(numbers);
    record_->take_back(step);
  };
  try {
    step->op = call.op;
    step->in_place = call.in_place;
    step->modes = thread_->modes;
    step->parent = call.op ? cursor_ : nullptr;
    step->depth = call.op ? cursor_->depth + 1 : 0;
    step->place = {call.where.file_name(), call.where.line(), thread_->module};
    const Step* like = similar(link, call);
    record_operands(*step, call, like);
    record_attrs(*step, call.attrs, like);
    if (call.op) record_results(*step, call);
    step->finish();
  } catch (...) {
    take_back();
    throw;
  }
  *late = Record::link(end, step) != nullptr;
  if (!*late) return step;
  take_back();
  return nullptr;
}

// A recorded step from which the call differs only in sizes and numbers, or null.
const Step* Call::similar(std::atomic<Step*>& link, const OpCall& call) const {
  for (const Step* s = link.load(std::memory_order_acquire); s;
       s = s->fork.load(std::memory_order_acquire)) {
    if (s->op != call.op || s->in_place != call.in_place ||
        s->operand_count != call.operands.size() || !(s->modes == thread_->modes) ||
        !same_but_sizes(s->attrs, call.attrs))
      continue;
    const Bind* bind = s->binds.data();
    bool like = true;
    for (size_t i = 0; i < s->operand_count && like; ++i) {
      const StepOperand& want = s->operands[i];
      const Operand& got = call.operands[i];
      switch (want.kind) {
        case StepOperand::Kind::none:
          like = got.kind() == Operand::Kind::none;
          break;
        case StepOperand::Kind::slot:
          // A slot behind the cursor's is a tensor that this very step saw first.
          like = got.is_tensor() && (want.slot >= s->first_slot - s->binds.size() ||
                                     got.tensor().impl() == m_.slots[want.slot]);
          break;
        case StepOperand::Kind::bind:
          like = got.is_tensor() && got.tensor().impl()->call == 0 &&
                 slot_of(*got.tensor().impl()) == no_slot &&
                 fits_but_sizes(*bind, *got.tensor().impl());
          ++bind;
          break;
        case StepOperand::Kind::number:
        case StepOperand::Kind::varying:
          like = got.is_number() && got.number().kind() == want.number.kind() &&
                 (got.number() == want.number || number_may_vary(call.op, got.number()));
          break;
      }
    }
    if (like) return s;
  }
  return nullptr;
}

void Call::record_operands(Step& step, const OpCall& call, const Step* like) {
  step.slots_after = cursor_ && call.op ? cursor_->slots_after : 0;
  step.numbers_after = cursor_ && call.op ? cursor_->numbers_after : 0;
  step.binds.reserve(call.operands.size());  // bound metas are pointed to
  m_.reserve_slots(step.slots_after + call.operands.size());
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Operand& got = call.operands[i];
    const StepOperand* before = like ? &like->operands[i] : nullptr;
    StepOperand operand;
    if (got.is_tensor()) operand = record_tensor(step, *got.tensor().impl(), before, like, call);
    if (got.is_number()) operand = record_number(step, got.number(), before, call);
    step.operands_owned.push_back(operand);
  }
  step.first_slot = step.slots_after;
}

StepOperand Call::record_tensor(Step& step, const TensorImpl& impl, const StepOperand* before,
                                const Step* like, const OpCall& call) {
  StepOperand operand;
  operand.kind = StepOperand::Kind::slot;
  if (impl.call != 0 && impl.call != number_)
    refuse_promise(impl, call.op ? call.op->name : std::string_view("call"));
  operand.slot = impl.call == number_ ? impl.slot : slot_of(impl);
  if (operand.slot != no_slot) return operand;
  operand.kind = StepOperand::Kind::bind;
  operand.slot = step.slots_after;
  const Bind* old = nullptr;
  if (like && before->kind == StepOperand::Kind::bind &&
      record_->options().dynamic.value_or(true)) {
    old = &*std::find_if(like->binds.begin(), like->binds.end(),
                         [&](const Bind& b) { return b.slot == before->slot; });
  }
  const TensorMeta* known = remembered(impl);
  Bind bind =
      known ? make_bind(impl, *known)
            : make_bind(impl, old, record_->options().dynamic.value_or(false), names_, m_.symbols);
  bind.slot = step.slots_after++;
  bind.shares = first_sharing(impl);
  if (bind.shares != no_slot) {
    const TensorImpl& first = *m_.slots[bind.shares];
    bind.shared_distance =
        impl.offset * bytes_of(impl.dtype) - first.offset * bytes_of(first.dtype);
  }
  step.binds.push_back(std::move(bind));
  bind_slot(step.binds.back(), const_cast<TensorImpl*>(&impl));
  return operand;
}

StepOperand Call::record_number(Step& step, const Scalar& number, const StepOperand* before,
                                const OpCall& call) {
  StepOperand operand;
  operand.number = number;
  operand.kind = StepOperand::Kind::number;
  const bool varies =
      before && (before->kind == StepOperand::Kind::varying || !(before->number == number));
  if (!varies || !number_may_vary(call.op, number)) return operand;
  operand.kind = StepOperand::Kind::varying;
  operand.slot = step.numbers_after++;
  m_.numbers.push_back(number);
  return operand;
}

void Call::record_attrs(Step& step, AttrsView attrs, const Step* like) {
  if (!attrs) return;
  step.attrs_owned = Attrs(attrs);
  if (!like || like->attrs == attrs || !record_->options().dynamic.value_or(true)) return;
  const std::vector<Size> before = sizes_in(like->attrs), now = sizes_in(attrs);
  if (before.size() != now.size()) return;
  size_t at = 0;
  step.attrs_owned = step.attrs_owned.map_sizes([&](Size s) {
    const Size was = before[at++];
    if (s.is_symbolic() || identical(was, s) || !size_may_vary(s) || !size_may_vary(was)) return s;
    const sym::Expr symbol = names_.symbol(was.value(), s.value());
    m_.symbols.bind(symbol, s.value());
    step.attr_symbols.push_back(symbol);
    return Size(s.value(), symbol);
  });
}

void Call::record_results(Step& step, const OpCall& call) {
  Inferred inferred = infer_with_guards(*call.op, call.operands, step.attrs_owned.view());
  if (call.in_place) {
    sym::GuardSink sink;
    check_in_place(*call.op, call.operands[0].tensor().meta(), inferred.results.at(0));
    for (const sym::Guard& guard : sink.take()) inferred.guards.push_back(guard);
  } else {
    step.slots_after += static_cast<uint32_t>(inferred.results.size());
  }
  step.results_owned = std::move(inferred.results);
  keep_new_guards(step, std::move(inferred.guards));
}

// Guards that the path has already are not asked again.
void Call::keep_new_guards(Step& step, std::vector<sym::Guard> guards) const {
  for (sym::Guard& guard : guards) {
    bool known = false;
    for (const Step* s = &step; s && !known; s = s->parent)
      known = std::find(s->guards.begin(), s->guards.end(), guard) != s->guards.end();
    if (!known) step.guards.push_back(std::move(guard));
  }
}

// Lets go of tensors bound on the way to a step that did not come to be.
void Call::unbind_from(uint32_t first, uint32_t end) {
  if (first == end) return;
  m_.outside.clear();
  for (uint32_t slot = 0; slot < first; ++slot) {
    if (m_.slots[slot]->call == 0) link_outside(slot);
  }
  for (uint32_t slot = first; slot < end; ++slot) {
    const Tensor let_go(m_.slots[slot]);
  }
}

}  // namespace vitro::capture
