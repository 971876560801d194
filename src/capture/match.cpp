// Does a call fit a recorded step that has more to compare than slots and numbers?
#include <algorithm>

#include "capture/call.h"

namespace vitro::capture {
namespace {

int64_t byte_offset(const TensorImpl& t) {
  return t.offset * bytes_of(t.dtype);
}

// A plain whole number.
bool is_count(const Operand& o) {
  return o.is_number() && o.number().kind() == Scalar::Kind::integer && !o.number().is_symbolic();
}

}  // namespace

// Nothing that the trial leaves behind counts until accept(): tensors lie in slots behind the
// cursor's, symbols and numbers are taken back.
bool Call::matches(const Step& step, const OpCall& call) {
  if (step.plain) return matches_plain(step, call);
  if (step.expands) return step.op == call.op && !call.in_place && step.modes == thread_->modes;
  if (step.op != call.op || step.operand_count != call.operands.size() ||
      step.in_place != call.in_place || !(step.modes == thread_->modes))
    return false;
  m_.reserve_slots(step.slots_after);
  const size_t symbols = m_.symbols.mark(), numbers = m_.numbers.size();
  const bool all = match_operands(step, call) && match_attrs(step, call.attrs) &&
                   std::all_of(step.guards.begin(), step.guards.end(),
                               [&](const sym::Guard& guard) { return m_.symbols.holds(guard); });
  if (!all) {
    m_.symbols.back_to(symbols);
    m_.numbers.resize(numbers);
  }
  return all;
}

bool Call::match_operands(const Step& step, const OpCall& call) {
  const Bind* bind = step.binds.data();
  if (!step.binds.empty()) m_.tried.clear();
  for (size_t i = 0; i < step.operand_count; ++i) {
    const StepOperand& want = step.operands[i];
    const Operand& got = call.operands[i];
    switch (want.kind) {
      case StepOperand::Kind::none:
        if (got.kind() != Operand::Kind::none) return false;
        break;
      case StepOperand::Kind::slot:
        if (!got.is_tensor() || got.tensor().impl() != m_.slots[want.slot]) return false;
        break;
      case StepOperand::Kind::bind:
        if (!got.is_tensor() || !match_bind(*bind++, *got.tensor().impl())) return false;
        break;
      case StepOperand::Kind::number:
        if (!got.is_number() || !(got.number() == want.number)) return false;
        break;
      case StepOperand::Kind::counted:
        if (!is_count(got) || !m_.symbols.bind(want.number.expr(), got.number().size().hint()))
          return false;
        break;
      case StepOperand::Kind::varying:
        if (!got.is_number() || got.number().kind() != want.number.kind() ||
            got.number().is_symbolic())
          return false;
        m_.numbers.push_back(got.number());
        break;
    }
  }
  return true;
}

bool Call::match_bind(const Bind& bind, const TensorImpl& impl) {
  if (impl.call != 0 || slot_of(impl) != no_slot) return false;
  const uint32_t before = first_sharing(impl), here = first_tried(impl);
  for (uint32_t s = here; s != no_slot; s = m_.next_shared[s]) {
    if (m_.slots[s] == &impl) return false;
  }
  const uint32_t sharing = before != no_slot ? before : here;
  if (sharing != bind.shares) return false;
  if (sharing != no_slot &&
      byte_offset(impl) - byte_offset(*m_.slots[sharing]) != bind.shared_distance)
    return false;
  if (!fits(bind, impl, m_.symbols)) return false;
  m_.slots[bind.slot] = const_cast<TensorImpl*>(&impl);
  link_shared(m_.tried, bind.slot);
  return true;
}

uint32_t Call::first_tried(const TensorImpl& impl) const {
  return first_slot(m_.tried, impl);
}

bool Call::match_attrs(const Step& step, AttrsView attrs) {
  if (step.attr_symbols.empty()) return step.attrs == attrs;
  if (!same_but_sizes(step.attrs, attrs)) return false;
  const std::vector<Size> want = sizes_in(step.attrs), got = sizes_in(attrs);
  if (want.size() != got.size()) return false;
  for (size_t i = 0; i < want.size(); ++i) {
    const bool given = want[i].is_symbolic() && !got[i].is_symbolic() &&
                       std::find(step.attr_symbols.begin(), step.attr_symbols.end(),
                                 want[i].expr()) != step.attr_symbols.end();
    if (given ? !m_.symbols.bind(want[i].expr(), got[i].hint()) : !identical(want[i], got[i]))
      return false;
  }
  return true;
}

void Call::accept(const Step& step) {
  for (const Bind& bind : step.binds) bind_slot(bind, m_.slots[bind.slot]);
}

}  // namespace vitro::capture
