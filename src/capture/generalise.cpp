// Finds the recorded node that a call resembles, comparing operands and attributes except for what
// may become a symbol or an argument.  The recorder uses it before it makes a node.
#include "capture/generalise.h"

#include <algorithm>

#include "capture/external_inputs.h"

namespace vitro::capture {
namespace {

bool is_integer(const Scalar& number) {
  return number.kind() == Scalar::Kind::integer && !number.is_symbolic();
}

// Compares attributes, ignoring what may vary.
bool same_but_variable(const TraceNode& node, const OpCall& call) {
  return call.op && call.op->kind == OpKind::composite ? same_but_numbers(node.attrs, call.attrs)
                                                       : same_but_sizes(node.attrs, call.attrs);
}

}  // namespace

Variation variation_of(const OpDef* op, const Scalar& number) {
  if (!op || number.kind() == Scalar::Kind::boolean || number.is_symbolic()) return Variation::none;
  if (op->kind == OpKind::composite) return Variation::of_its_program;
  if (!op->pointwise) return Variation::none;
  if (!op->pointwise->uses_index) return Variation::argument;
  return is_integer(number) ? Variation::count : Variation::none;
}

namespace {

// Compares operands, ignoring sizes and numbers that may vary.
bool is_like(const TraceNode& node, const ExternalInput* input, const NodeOperand& want,
             const OpCall& call, const Operand& got, const Slots& slots) {
  switch (want.kind) {
    case NodeOperand::Kind::none:
      return got.kind() == Operand::Kind::none;
    case NodeOperand::Kind::slot:
      // A slot past the cursor's was first seen by this node itself.
      return got.is_tensor() && (want.slot >= node.first_slot - node.inputs.size() ||
                                 got.tensor().impl() == &slots[want.slot]);
    case NodeOperand::Kind::external:
      return got.is_tensor() && got.tensor().impl()->call == 0 &&
             slots.slot_of(*got.tensor().impl()) == no_slot &&
             fits_but_sizes(*input, *got.tensor().impl());
    case NodeOperand::Kind::number:
    case NodeOperand::Kind::counted:
    case NodeOperand::Kind::varying:
      return got.is_number() && got.number().kind() == want.number.kind() &&
             (got.number() == want.number ||
              variation_of(call.op, got.number()) != Variation::none);
  }
  __builtin_unreachable();
}

// Maps the arguments of this call to those of an earlier one: a tensor may have been undefined
// then, and a list may have grown in the middle.
Likeness like_arguments(const TraceNode& node, const OpCall& call, const Slots& slots) {
  const size_t before = node.operand_count, now = call.operands.size();
  std::vector<const ExternalInput*> inputs(before, nullptr);
  const ExternalInput* next = node.inputs.data();
  for (size_t i = 0; i < before; ++i) {
    if (node.operands[i].kind == NodeOperand::Kind::external) inputs[i] = next++;
  }
  const auto alike = [&](size_t was, size_t is) {
    const NodeOperand& want = node.operands[was];
    const Operand& got = call.operands[is];
    if (before == now &&
        (want.kind == NodeOperand::Kind::none || got.kind() == Operand::Kind::none))
      return true;
    return is_like(node, inputs[was], want, call, got, slots);
  };
  Likeness out{&node, std::vector<int>(now, -1)};
  size_t front = 0, back = 0;
  while (front < std::min(before, now) && alike(front, front)) {
    const bool is_new = node.operands[front].kind == NodeOperand::Kind::none;
    out.operands[front] = is_new ? -1 : static_cast<int>(front);
    ++front;
  }
  if (before == now) return front == now ? out : Likeness{};
  while (back < std::min(before, now) - front && alike(before - 1 - back, now - 1 - back)) {
    out.operands[now - 1 - back] = static_cast<int>(before - 1 - back);
    ++back;
  }
  return front + back == before ? out : Likeness{};
}

Likeness like_operands(const TraceNode& node, const OpCall& call, const Slots& slots) {
  Likeness out{&node, std::vector<int>(call.operands.size())};
  const ExternalInput* input = node.inputs.data();
  for (size_t i = 0; i < node.operand_count; ++i) {
    const bool is_external = node.operands[i].kind == NodeOperand::Kind::external;
    if (!is_like(node, input, node.operands[i], call, call.operands[i], slots)) return {};
    input += is_external;
    out.operands[i] = static_cast<int>(i);
  }
  return out;
}

}  // namespace

Likeness similar(const std::atomic<TraceNode*>& link, const OpCall& call, Modes modes,
                 const Slots& slots) {
  Likeness best;
  size_t most = 0;
  for (const TraceNode* s = link.load(std::memory_order_acquire); s;
       s = s->fork.load(std::memory_order_acquire)) {
    if (s->op != call.op || s->in_place != call.in_place || s->expands || !(s->modes == modes) ||
        (call.op && s->operand_count != call.operands.size()))
      continue;
    if (!same_but_variable(*s, call)) continue;
    const size_t here = generality(*s);
    if (best.node && here < most) continue;
    Likeness like = call.op ? like_operands(*s, call, slots) : like_arguments(*s, call, slots);
    if (!like.node) continue;
    best = std::move(like);
    most = here;
  }
  return best;
}

Likeness like_at(const TraceNode* node, const OpCall& call, const Slots& slots) {
  if (!node || node->op != call.op || node->in_place != call.in_place ||
      node->operand_count != call.operands.size() || !same_but_variable(*node, call))
    return {};
  Likeness like{node, std::vector<int>(call.operands.size(), 0)};
  const ExternalInput* input = node->inputs.data();
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const NodeOperand& want = node->operands[i];
    const Operand& got = call.operands[i];
    like.operands[i] = static_cast<int>(i);
    if (want.kind == NodeOperand::Kind::slot ? !got.is_tensor()
                                             : !is_like(*node, input, want, call, got, slots))
      return {};
    input += want.kind == NodeOperand::Kind::external;
  }
  return like;
}

bool numbers_differ(const TraceNode& like, const OpCall& call) {
  if (!call.op || call.op->kind != OpKind::composite || call.in_place) return false;
  if (!same_but_sizes(like.attrs, call.attrs)) return true;
  for (size_t i = 0; i < like.operand_count; ++i) {
    const bool number = like.operands[i].kind == NodeOperand::Kind::number;
    if (number && !(call.operands[i].number() == like.operands[i].number)) return true;
  }
  return false;
}

}  // namespace vitro::capture
