// Does a call fit a recorded node that has more to compare than slots and numbers?
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

// Nothing that the trial leaves behind counts until accept(): tensors lie in slots after the
// cursor's, symbols and numbers are taken back.
bool Call::matches(const TraceNode& node, const OpCall& call) {
  if (node.plain) return matches_plain(node, call);
  if (node.expands) return node.op == call.op && !call.in_place && node.modes == thread_->modes;
  if (node.op != call.op || node.operand_count != call.operands.size() ||
      node.in_place != call.in_place || !(node.modes == thread_->modes))
    return false;
  m_.reserve_slots(node.slots_after);
  const size_t symbols = m_.symbols.mark(), numbers = m_.numbers.size();
  const bool all = match_operands(node, call) && match_attrs(node, call.attrs) &&
                   std::all_of(node.guards.begin(), node.guards.end(),
                               [&](const sym::Guard& guard) { return m_.symbols.holds(guard); });
  if (!all) {
    m_.symbols.back_to(symbols);
    m_.numbers.resize(numbers);
  }
  return all;
}

bool Call::match_operands(const TraceNode& node, const OpCall& call) {
  const ExternalInput* input = node.inputs.data();
  if (!node.inputs.empty()) m_.tried.clear();
  for (size_t i = 0; i < node.operand_count; ++i) {
    const NodeOperand& want = node.operands[i];
    const Operand& got = call.operands[i];
    switch (want.kind) {
      case NodeOperand::Kind::none:
        if (got.kind() != Operand::Kind::none) return false;
        break;
      case NodeOperand::Kind::slot:
        if (!got.is_tensor() || got.tensor().impl() != m_.slots[want.slot]) return false;
        break;
      case NodeOperand::Kind::external:
        if (!got.is_tensor() || !match_external(*input++, *got.tensor().impl())) return false;
        break;
      case NodeOperand::Kind::number:
        if (!got.is_number() || !(got.number() == want.number)) return false;
        break;
      case NodeOperand::Kind::counted:
        if (!is_count(got) || !m_.symbols.bind(want.number.expr(), got.number().size().hint()))
          return false;
        break;
      case NodeOperand::Kind::varying:
        if (!got.is_number() || got.number().kind() != want.number.kind() ||
            got.number().is_symbolic())
          return false;
        m_.numbers.push_back(got.number());
        break;
    }
  }
  return true;
}

bool Call::match_external(const ExternalInput& input, const TensorImpl& impl) {
  if (impl.call != 0 || slot_of(impl) != no_slot) return false;
  const uint32_t before = first_sharing(impl), here = first_tried(impl);
  for (uint32_t s = here; s != no_slot; s = m_.next_shared[s]) {
    if (m_.slots[s] == &impl) return false;
  }
  const uint32_t sharing = before != no_slot ? before : here;
  if (sharing != input.shares) return false;
  if (sharing != no_slot &&
      byte_offset(impl) - byte_offset(*m_.slots[sharing]) != input.shared_distance)
    return false;
  if (!fits(input, impl, m_.symbols)) return false;
  m_.slots[input.slot] = const_cast<TensorImpl*>(&impl);
  link_shared(m_.tried, input.slot);
  return true;
}

uint32_t Call::first_tried(const TensorImpl& impl) const {
  return first_slot(m_.tried, impl);
}

bool Call::match_attrs(const TraceNode& node, AttrsView attrs) {
  if (node.attr_symbols.empty()) return node.attrs == attrs;
  if (!same_but_sizes(node.attrs, attrs)) return false;
  const std::vector<Size> want = sizes_in(node.attrs), got = sizes_in(attrs);
  if (want.size() != got.size()) return false;
  for (size_t i = 0; i < want.size(); ++i) {
    const bool given = want[i].is_symbolic() && !got[i].is_symbolic() &&
                       std::find(node.attr_symbols.begin(), node.attr_symbols.end(),
                                 want[i].expr()) != node.attr_symbols.end();
    if (given ? !m_.symbols.bind(want[i].expr(), got[i].hint()) : !identical(want[i], got[i]))
      return false;
  }
  return true;
}

void Call::accept(const TraceNode& node) {
  for (const ExternalInput& input : node.inputs) bind_slot(input, m_.slots[input.slot]);
}

}  // namespace vitro::capture
