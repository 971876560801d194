// The full comparison of an op call with a recorded node, beyond slots and numbers.  Call looks for
// a node that fits; if there is none, the recorder adds one.
#include "capture/matcher.h"

#include <algorithm>

#include "capture/external_inputs.h"

namespace vitro::capture {
namespace {

// A plain integer.
bool is_count(const Operand& o) {
  return o.is_number() && o.number().kind() == Scalar::Kind::integer && !o.number().is_symbolic();
}

}  // namespace

bool is_given(const TraceNode& node, Size want, Size got) {
  return want.is_symbolic() && !got.is_symbolic() &&
         std::ranges::find(node.attr_symbols, want.expr()) != node.attr_symbols.end();
}

Matcher::Found Matcher::find(std::atomic<TraceNode*>& link, const OpCall& call) {
  Found out;
  out.end = &link;
  while (TraceNode* node = out.end->load(std::memory_order_acquire)) {
    out.end = &node->fork;
    if (data_.has_value(*node)) {  // a loop repeats: data sizes of this iteration need new symbols
      out.has_been_taken = true;
      continue;
    }
    ++out.compared;
    if (!matches(*node, call)) continue;
    accept(*node);
    out.node = node;
    return out;
  }
  return out;
}

bool Matcher::matches(const TraceNode& node, const OpCall& call) {
  if (node.plain) return matches_plain(node, call);
  if (node.expands) return node.op == call.op && !call.in_place && node.modes == thread_->modes;
  if (!is_same_op(node, call)) return false;
  const CallValues::Mark before = values_.mark();
  const bool all =
      matches_but_guards(node, call) &&
      std::all_of(node.guards.begin(), node.guards.end(),
                  [&](const sym::Guard& guard) { return values_.symbols.holds(guard); });
  if (!all) values_.back_to(before);
  return all;
}

void Matcher::accept(const TraceNode& node) {
  for (const ExternalInput& input : node.inputs) slots_.bind(input, &slots_[input.slot]);
}

bool Matcher::matches_but_guards(const TraceNode& node, const OpCall& call) {
  slots_.reserve(node.slots_after);
  return match_operands(node, call) && match_attrs(node, call.attrs);
}

bool Matcher::match_operands(const TraceNode& node, const OpCall& call) {
  const ExternalInput* input = node.inputs.data();
  if (!node.inputs.empty()) slots_.begin_trial();
  for (size_t i = 0; i < node.operand_count; ++i) {
    const NodeOperand& want = node.operands[i];
    const Operand& got = call.operands[i];
    switch (want.kind) {
      case NodeOperand::Kind::none:
        if (got.kind() != Operand::Kind::none) return false;
        break;
      case NodeOperand::Kind::slot:
        if (!got.is_tensor() || got.tensor().impl() != slots_.data()[want.slot]) return false;
        break;
      case NodeOperand::Kind::external:
        if (!got.is_tensor() || !match_external(*input++, *got.tensor().impl())) return false;
        break;
      case NodeOperand::Kind::number:
        if (!got.is_number() || !(got.number() == want.number)) return false;
        break;
      case NodeOperand::Kind::counted:
        if (!is_count(got) || !values_.symbols.bind(want.number.expr(), got.number().size().hint()))
          return false;
        break;
      case NodeOperand::Kind::varying:
        if (!got.is_number() || got.number().kind() != want.number.kind() ||
            got.number().is_symbolic())
          return false;
        values_.numbers.push_back(got.number());
        break;
    }
  }
  return true;
}

bool Matcher::match_external(const ExternalInput& input, const TensorImpl& impl) {
  uint32_t sharing = no_slot;
  if (!slots_.is_new(impl, &sharing) || sharing != input.shares) return false;
  if (sharing != no_slot && slots_.bytes_after(sharing, impl) != input.shared_distance)
    return false;
  if (!fits(input, impl, values_.symbols)) return false;
  slots_.try_external(input.slot, impl);
  return true;
}

bool Matcher::match_attrs(const TraceNode& node, AttrsView attrs) {
  if (node.attr_symbols.empty()) return node.attrs == attrs;
  if (!same_but_sizes(node.attrs, attrs)) return false;
  const std::vector<Size> want = sizes_in(node.attrs), got = sizes_in(attrs);
  if (want.size() != got.size()) return false;
  for (size_t i = 0; i < want.size(); ++i) {
    const bool fits = is_given(node, want[i], got[i])
                          ? values_.symbols.bind(want[i].expr(), got[i].hint())
                          : identical(want[i], got[i]);
    if (!fits) return false;
  }
  return true;
}

}  // namespace vitro::capture
