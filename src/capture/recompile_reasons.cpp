// Finds the reason for a recompile: compares a call with the nearest recorded node, and a new
// segment end with earlier ones.  Call asks for it before recording, and reports it.
#include "capture/recompile_reasons.h"

#include <algorithm>

#include "capture/codes.h"
#include "capture/external_inputs.h"
#include "capture/generalise.h"
#include "capture/trace_tree.h"
#include "vitro/base/called_as.h"
#include "vitro/base/cat.h"
#include "vitro/base/module_path.h"

namespace vitro::capture {
namespace {

std::string_view name_of(const OpDef* op) {
  return op ? op->name : std::string_view("start");
}

// Why a number of this op must stay a constant.
std::string_view why_fixed(const OpDef* op, const Scalar& number) {
  if (number.kind() == Scalar::Kind::boolean) return " (a boolean is a constant of the program)";
  if (!op || op->kind == OpKind::composite) return "";
  if (!op->pointwise) return " (the op takes it as a constant of the program)";
  if (op->pointwise->uses_index && number.is_floating())
    return " (the size of the result depends on this fraction)";
  return "";
}

// Why a differing size of a tensor does not become a symbol.
std::string_view why_apart(const ExternalInput& input, const TensorImpl& impl) {
  for (size_t d = 0; d < impl.sizes.size(); ++d) {
    const Size want = input.meta.sizes[d];
    if (impl.sizes[d] == want.hint() && !want.is_symbolic()) continue;
    if (impl.sizes[d] == 0) return " (tensors without elements are recorded separately)";
  }
  return "";
}

std::string operand_text(const OpCall& call, size_t i) {
  std::string out = cat(call.op ? cat(call.op->name, ": operand ") : std::string("input "), i);
  const bool is_tensor = call.operands[i].is_tensor() && call.operands[i].tensor().defined();
  const uint32_t name = is_tensor ? call.operands[i].tensor().impl()->parameter_name : 0;
  if (name != 0) out += cat(" (", module_path(name), ")");
  return out;
}

bool differ_in_sizes_alone(AttrsView a, AttrsView b) {
  return same_but_sizes(a, b) && sizes_in(a).size() == sizes_in(b).size();
}

// Why a differing attribute does not become a symbol.
std::string_view why_fixed(AttrsView want, AttrsView got) {
  if (!differ_in_sizes_alone(want, got)) return "";
  const std::vector<Size> before = sizes_in(want), now = sizes_in(got);
  for (size_t i = 0; i < now.size(); ++i) {
    if (identical(before[i], now[i])) continue;
    if (now[i].hint() < 0 || before[i].hint() < 0) return " (negative values count from the end)";
  }
  return "";
}

bool same_attrs(const TraceNode& node, AttrsView attrs) {
  if (node.attr_symbols.empty()) return node.attrs == attrs;
  if (!differ_in_sizes_alone(node.attrs, attrs)) return false;
  const std::vector<Size> want = sizes_in(node.attrs), got = sizes_in(attrs);
  for (size_t i = 0; i < want.size(); ++i) {
    if (!is_given(node, want[i], got[i]) && !identical(want[i], got[i])) return false;
  }
  return true;
}

}  // namespace

std::string RecompileReasons::difference(const TraceNode& node, const OpCall& call,
                                         const Code** code) const {
  const std::string_view recorded = name_of(node.op), called = name_of(call.op);
  *code = &op_differs;
  if (node.op != call.op) return cat("expected ", recorded, ", got ", called);
  if (node.in_place != call.in_place)
    return cat(called, ": expected ", node.in_place ? "a write in place" : "a new tensor",
               ", got the other");
  if (node.operand_count != call.operands.size())
    return cat(called, ": expected ", node.operand_count, call.op ? " operands" : " tensors",
               ", got ", call.operands.size());
  if (!(node.modes == thread_->modes))
    return *code = &modes_differ, cat(called, ": the gradient or autocast mode differs");
  const ExternalInput* input = node.inputs.data();
  Symbols trial = values_.symbols;
  for (size_t i = 0; i < node.operand_count; ++i) {
    const bool is_external = node.operands[i].kind == NodeOperand::Kind::external;
    std::string found = is_external ? external_difference(*input++, call, i, trial, code)
                                    : operand_difference(node, i, call, code);
    if (!found.empty()) return found;
  }
  if (!same_attrs(node, call.attrs)) {
    *code = &attribute_differs;
    return cat(called, ": expected ", node.attrs_owned.text(), ", got ", Attrs(call.attrs).text(),
               why_fixed(node.attrs, call.attrs));
  }
  return cat(called, ": its operands are of different kinds than before");
}

std::string RecompileReasons::operand_difference(const TraceNode& node, size_t i,
                                                 const OpCall& call, const Code** code) const {
  const NodeOperand& want = node.operands[i];
  const Operand& got = call.operands[i];
  const std::string what = operand_text(call, i);
  if (want.kind == NodeOperand::Kind::slot &&
      (!got.is_tensor() || (want.slot < node.first_slot - node.inputs.size() &&
                            got.tensor().impl() != slots_.data()[want.slot])))
    return cat(what, ": expected a different tensor of the program");
  if (want.kind == NodeOperand::Kind::number && got.is_number() && !(got.number() == want.number)) {
    *code = &number_differs;
    return cat(what, ": expected ", want.number, ", got ", got.number(),
               why_fixed(call.op, got.number()));
  }
  if (want.kind == NodeOperand::Kind::none && got.is_tensor() && !call.op) {
    *code = &inputs_differ;
    return cat(what, ": expected no tensor, got ", describe(*got.tensor().impl()));
  }
  return {};
}

std::string RecompileReasons::external_difference(const ExternalInput& input, const OpCall& call,
                                                  size_t i, Symbols& trial,
                                                  const Code** code) const {
  const Operand& got = call.operands[i];
  const std::string what = operand_text(call, i);
  *code = &inputs_differ;
  if (!got.is_tensor()) return cat(what, ": expected ", describe(input), ", got no tensor");
  const TensorImpl& impl = *got.tensor().impl();
  *code = &aliases_differ;
  if (impl.call != 0 || slots_.slot_of(impl) != no_slot)
    return cat(what, ": expected a tensor not seen before");
  if (!fits(input, impl, trial)) {
    *code = &inputs_differ;
    return cat(what, ": ", capture::difference(input, impl), why_apart(input, impl));
  }
  const auto before = call.operands.first(i);
  const bool shares = slots_.first_sharing(impl) != no_slot ||
                      std::any_of(before.begin(), before.end(), [&](const Operand& o) {
                        return o.is_tensor() && o.tensor().impl()->storage == impl.storage;
                      });
  if (input.shares != no_slot || shares)
    return cat(what, ": shares its memory with different tensors than before");
  *code = &op_differs;
  return {};
}

// If the operands fit `node`: the guard of its shape rule that fails.
std::string RecompileReasons::guard_difference(const TraceNode& node, const OpCall& call,
                                               const Code** code) const {
  if (!matcher_.is_same_op(node, call) || node.guards.empty()) return {};
  const CallValues::Mark before = values_.mark();
  std::string found;
  if (matcher_.matches_but_guards(node, call)) {
    for (const sym::Guard& guard : node.guards) {
      if (values_.symbols.holds(guard)) continue;
      *code = &sizes_differ;
      found = cat(name_of(call.op), ": expected ", guard.text(), with_values(guard));
      break;
    }
  }
  values_.back_to(before);
  return found;
}

// ", got s0 = 9": this call's values.
std::string RecompileReasons::with_values(const sym::Guard& guard) const {
  std::string out;
  for (const sym::Expr side : {guard.a, guard.b}) {
    if (!values_.symbols.knows(side)) continue;
    for (const sym::Expr symbol : sym::symbols_of(side)) {
      const std::string value = cat(symbol, " = ", values_.symbols.value(symbol));
      if (out.find(value) == std::string::npos) append_to(out, out.empty() ? ", got " : ", ");
      if (out.find(value) == std::string::npos) append_to(out, value);
    }
  }
  return out;
}

// A question of the function's own code that is answered differently now, and so led to another
// path; empty if there is none.
std::string RecompileReasons::question_difference(const std::vector<sym::Guard>& asked) const {
  const auto other = std::find_if(asked.begin(), asked.end(), [this](const sym::Guard& guard) {
    return values_.symbols.knows(guard.a) && values_.symbols.knows(guard.b) &&
           !values_.symbols.holds(guard);
  });
  return other == asked.end()
             ? std::string()
             : cat("the function compares a size: expected ", other->text(), with_values(*other));
}

// The program's call, not the one within a function of the library.
std::string RecompileReasons::place_of(const OpCall& call) const {
  const std::source_location from = CalledAs::current().from;
  return location_text(from.line() != 0 ? from : expansion_.location_of(call));
}

RecompileReason RecompileReasons::of_another_node(std::atomic<TraceNode*>& link,
                                                  const OpCall& call) const {
  RecompileReason reason;
  const TraceNode* first = link.load(std::memory_order_acquire);
  if (!first) return of_going_on(call);
  const TraceNode* near = similar(link, call, thread_->modes, slots_).node;
  for (const TraceNode* s = first; s && !near; s = s->fork.load(std::memory_order_acquire)) {
    if (s->op == call.op && !s->expands) near = s;
  }
  if (!near) near = first;
  reason.text = guard_difference(*near, call, &reason.code);
  if (reason.text.empty()) reason.text = difference(*near, call, &reason.code);
  if (near->op != call.op) explain_by_question(near->asked, &reason);
  // Arguments have no location: the first op's location identifies the function.
  const TraceNode* next = near->next.load(std::memory_order_acquire);
  reason.location = call.op || !next ? place_of(call) : location_text(next->location);
  return reason;
}

void RecompileReasons::explain_by_question(const std::vector<sym::Guard>& asked,
                                           RecompileReason* reason) const {
  std::string question = question_difference(asked);
  if (question.empty()) return;
  reason->text = cat(question, " (", reason->text, ")");
  reason->code = &sizes_differ;
}

// An op at a point where an earlier call ended its segment.
RecompileReason RecompileReasons::of_going_on(const OpCall& call) const {
  const TraceNode* at = matcher_.cursor();
  const SegmentVariant* end = at ? at->variants.load(std::memory_order_acquire) : nullptr;
  if (!end || !call.op || end->made_by == slots_.call()) return {};
  RecompileReason reason{&op_differs, cat("expected the end of the segment, got ", call.op->name),
                         place_of(call)};
  explain_by_question(end->asked, &reason);
  return reason;
}

// A segment end at a point where earlier calls continued, or ended with other results.
RecompileReason RecompileReasons::of_another_end(const SegmentVariant& variant) const {
  if (const TraceNode* next = matcher_.cursor()->next.load(std::memory_order_acquire)) {
    RecompileReason reason{&op_differs,
                           cat("expected ", name_of(next->op), ", got the end of the segment"),
                           location_text(next->location)};
    explain_by_question(next->asked, &reason);
    return reason;
  }
  for (const SegmentVariant* e = variant.next; e; e = e->next) {
    if (e->live != variant.live || e->saved != variant.saved || e->suits(values_.symbols)) continue;
    if (const sym::Guard* broken = e->broken_guard(values_.symbols))
      return {&sizes_differ,
              cat(e->name, " was compiled for ", broken->text(), with_values(*broken)),
              location_text(matcher_.cursor()->location)};
    if (const Covering* broken = e->broken_covering(values_.symbols))
      return {&sizes_differ,
              cat(e->name, " was compiled for calls in which elements of the written tensor ",
                  broken->answer ? "overlap" : "do not overlap"),
              location_text(matcher_.cursor()->location)};
  }
  const SegmentVariant* before = variant.next;
  if (!before || before->made_by == slots_.call()) return {};
  return of_other_results(*before, variant);
}

RecompileReason RecompileReasons::of_other_results(const SegmentVariant& before,
                                                   const SegmentVariant& now) const {
  RecompileReason reason{&results_differ, {}, location_text(matcher_.cursor()->location)};
  for (const TraceNode* s = matcher_.cursor(); s->op; s = s->parent) {
    for (uint32_t k = 0; k < s->result_count; ++k) {
      const uint32_t slot = s->first_slot + k;
      const auto wanted = [slot](const SegmentVariant& e) { return has_slot(e.live, slot); };
      if (wanted(before) == wanted(now)) continue;
      append_to(reason.text, cat(reason.text.empty() ? "" : ", ", "the result of ", s->op->name,
                                 at_location(location_text(s->location)), " is ",
                                 wanted(now) ? "now kept" : "no longer kept"));
    }
  }
  if (reason.text.empty()) reason.text = "gradients hold other results than before";
  return reason;
}

}  // namespace vitro::capture
