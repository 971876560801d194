// Recording: a call that fits no node becomes one, with symbols and varying numbers where it
// differs from a node only in these.
#include <algorithm>
#include <limits>
#include <utility>

#include "capture/call.h"
#include "capture/codes.h"
#include "capture/held.h"
#include "vitro/base/counted.h"
#include "vitro/base/error.h"
#include "vitro/core/module_path.h"
#include "vitro/ops/shapes.h"

namespace vitro::capture {
namespace {

// A shape rule may ask about symbols that it cannot know from the node alone; what it asked.
struct Inferred {
  std::vector<TensorMeta> results;
  std::vector<sym::Guard> guards;
};

// Where 0 cannot be put in for an expression that is 0 in this call, its symbols are held.
void hold_at_zero(sym::Expr e) {
  const sym::Guard is_zero[] = {{sym::Guard::Question::equal, e, 0, true}};
  if (Held(is_zero)(e).is(0)) return;
  for (const sym::Expr symbol : sym::symbols_of(e)) (void)int64_t(ops::this_run(symbol));
}

// Whether `guard` says a < b, and `size` is b - a.
bool is_distance(const sym::Guard& guard, sym::Expr size) {
  if (guard.question != sym::Guard::Question::less || !guard.answer) return false;
  try {
    return guard.b - guard.a == size;
  } catch (const sym::Overflow&) {  // no size is as large
    return false;
  }
}

// Where a size of a result could be 0 in another call, that is asked too: tensors without elements
// have strides and reductions of their own.
void ask_for_elements(std::vector<TensorMeta>& results, const sym::GuardSink& asked) {
  const auto follows = [&](sym::Expr size) {
    return std::ranges::any_of(asked.guards(),
                               [&](const sym::Guard& g) { return is_distance(g, size); });
  };
  for (TensorMeta& meta : results) {
    const bool dense = attribute::same(meta.strides, contiguous_strides(meta.sizes));
    for (Size& s : meta.sizes) {
      // Programs with sizes that data decide are for tensors without elements too.
      if (!s.is_symbolic() || sym::is_data(s.expr())) continue;
      if (follows(s.expr()) || less(0, s) || !equal(s, 0)) continue;
      hold_at_zero(s.expr());
      s = 0;
      if (dense) meta.strides = contiguous_strides(meta.sizes);
    }
  }
}

// The number of elements as far as it differs from call to call, and bytes for each of those.
struct Varying {
  Size count = 1;
  int64_t bytes = 1;
};
Varying varying_part(const TensorMeta& meta) {
  if (std::ranges::any_of(meta.sizes, [](Size s) { return s.hint() == 0; })) return {1, 0};
  Varying out{1, bytes_of(meta.dtype)};
  for (const Size s : meta.sizes) {
    if (s.is_symbolic()) {
      out.count = out.count * s;
    } else {
      out.bytes *= s.hint();
    }
  }
  return out;
}

// The bytes of a result can be counted in this call; where they could not be in another one, that
// is asked too.  Nothing is asked of one symbol, and of what takes no more than an operand.
void ask_whether_countable(const TensorMeta& meta, std::span<const Operand> operands) {
  try {
    const Varying result = varying_part(meta);
    if (!result.count.is_symbolic() || result.bytes == 0) return;
    const int64_t most = std::numeric_limits<int64_t>::max() / result.bytes;
    const sym::Expr count = result.count.expr();
    if (sym::is_data(count)) return;  // counted when it is known
    if (sym::range_of(count).high <= most) return;
    const auto takes_as_much = [&](const Operand& operand) {
      if (!operand.is_tensor()) return false;
      const Varying own = varying_part(operand.tensor().rule_meta());
      return own.bytes >= result.bytes && !sym::prove_less(own.count.expr(), count).value_or(true);
    };
    if (std::ranges::any_of(operands, takes_as_much)) return;
    // One bound for all dtypes and factors, where it is low enough for this one.
    const bool usual = sym::largest_size <= most && result.count.hint() <= sym::largest_size;
    (void)less(usual ? sym::largest_size : most, result.count);
  } catch (const sym::Overflow&) {  // the question cannot be asked of all sizes at once
    for (const Size s : meta.sizes) (void)s.value();
  }
}

Inferred infer_with_guards(const OpDef& op, std::span<const Operand> operands, AttrsView attrs) {
  Inferred out;
  sym::GuardSink sink;
  out.results = infer(op, operands, attrs);
  ask_for_elements(out.results, sink);
  for (const TensorMeta& meta : out.results) ask_whether_countable(meta, operands);
  out.guards = sink.take();
  return out;
}

}  // namespace

TraceNode* Call::find_or_record(std::atomic<TraceNode*>& link, const OpCall& call) {
  int64_t ways = 0;
  std::atomic<TraceNode*>* end = &link;
  bool taken = false;
  for (TraceNode* s = nullptr; (s = end->load(std::memory_order_acquire)); end = &s->fork) {
    if (has_value(*s)) {  // a loop comes by again: sizes of this round have symbols of their own
      taken = true;
      continue;
    }
    ++ways;
    if (!matches(*s, call)) continue;
    accept(*s);
    return s;
  }
  if (!call.op && has_lists_of_any_length()) return &tree_->start_after({});
  const TraceNode* first = link.load(std::memory_order_acquire);
  const Why why = taken ? Why{} : why_another_way(link, call);
  if (ways >= recompile_limit.get() && ways > 0) {
    stop_capturing(too_many_ways,
                   cat("the trace tree has ", counted(static_cast<uint64_t>(ways), "way"),
                       " to go on here (", recompile_limit.variable(), "); ", why.text),
                   place_of(call));
    return nullptr;
  }
  if (cursor_ && cursor_->depth >= segment_limit.get()) {
    break_here(long_break, cat("after ", counted(static_cast<uint64_t>(cursor_->depth), "op")),
               place_of(call));
    return cursor_ ? find_or_record(cursor_->next, call) : nullptr;
  }
  bool late = false;
  TraceNode* made = record(link, *end, call, &late);
  if (late) return find_or_record(link, call);  // what came first may be this very node
  if (!made || !why.code) {
    expansion_begins_ = expansion_begins_ || (made && made->expands);
    return made;
  }
  if (!std::exchange(expansion_begins_, made->expands)) note_recompile(why);
  if (call.op && (!first || first->op != call.op))
    note_parting(first ? first->where : call.where, call.where);
  return made;
}

void Call::note_recompile(const Why& why) {
  tree_->note(TraceTree::What::recompiled, *why.code, why.text, why.place);
}

TraceNode* Call::record(std::atomic<TraceNode*>& link, std::atomic<TraceNode*>& end,
                        const OpCall& call, bool* late) {
  TraceNode* node = tree_->new_node();
  if (!node) {
    stop_capturing(too_much_recorded, cat("more ops are recorded than ", record_limit.get()),
                   place_of(call));
    return nullptr;
  }
  const size_t symbols = m_.symbols.mark(), numbers = m_.numbers.size();
  const uint32_t before = cursor_ ? cursor_->slots_after : 0;
  const auto take_back = [&] {
    unbind_from(before, before + static_cast<uint32_t>(node->inputs.size()));
    m_.symbols.back_to(symbols);
    m_.numbers.resize(numbers);
    tree_->take_back(node);
  };
  try {
    node->op = call.op;
    node->in_place = call.in_place;
    node->modes = thread_->modes;
    node->parent = call.op ? cursor_ : nullptr;
    node->depth = call.op ? cursor_->depth + 1 : 0;
    node->where = place_of(call);
    node->place = {node->where.file_name(), node->where.line(), thread_->module};
    node->asked = asked();
    fill(*node, link, call);
    node->finish();
  } catch (...) {
    take_back();
    throw;
  }
  *late = TraceTree::link(end, node) != nullptr;
  if (!*late) {
    if (call.op && !node->expands) tree_->note_latest(occurrence_of(call), *node);
    return node;
  }
  take_back();
  return nullptr;
}

void Call::fill(TraceNode& node, std::atomic<TraceNode*>& link, const OpCall& call) {
  Likeness like = similar(link, call);
  if (!like.node && call.op) like = like_at(occurrence_of(call), call);
  // What a composite's own code asks of sizes that data decide, it asks here, where the segment can
  // end.
  node.expands = (like.node && numbers_differ(*like.node, call)) ||
                 (call.op && call.op->composite && !call.in_place && takes_data(call));
  if (node.expands) return;
  record_operands(node, call, like);
  record_attrs(node, call, like);
  if (call.op) record_results(node, call);
}

void Call::record_operands(TraceNode& node, const OpCall& call, const Likeness& like) {
  node.slots_after = cursor_ && call.op ? cursor_->slots_after : 0;
  node.numbers_after = cursor_ && call.op ? cursor_->numbers_after : 0;
  node.inputs.reserve(call.operands.size());  // bound metas are pointed to
  m_.reserve_slots(node.slots_after + call.operands.size());
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Operand& got = call.operands[i];
    NodeOperand operand;
    if (got.is_tensor()) operand = record_tensor(node, i, like, call);
    if (got.is_number()) operand = record_number(node, got.number(), like.operand(i), call);
    node.operands_owned.push_back(operand);
  }
  node.first_slot = node.slots_after;
}

NodeOperand Call::record_tensor(TraceNode& node, size_t i, const Likeness& like,
                                const OpCall& call) {
  const TensorImpl& impl = *call.operands[i].tensor().impl();
  NodeOperand operand;
  operand.kind = NodeOperand::Kind::slot;
  if (impl.call != 0 && impl.call != number_)
    refuse_deferred(impl, call.op ? call.op->name : std::string_view("call"));
  operand.slot = impl.call == number_ ? impl.slot : slot_of(impl);
  if (operand.slot != no_slot) return operand;
  operand.kind = NodeOperand::Kind::external;
  operand.slot = node.slots_after;
  const TensorMeta* known = remembered(impl);
  ExternalInput input = known ? make_external_input(impl, *known) : new_input(impl, i, like);
  input.slot = node.slots_after++;
  input.shares = first_sharing(impl);
  if (input.shares != no_slot) {
    const TensorImpl& first = *m_.slots[input.shares];
    input.shared_distance =
        impl.offset * bytes_of(impl.dtype) - first.offset * bytes_of(first.dtype);
  }
  node.inputs.push_back(std::move(input));
  bind_slot(node.inputs.back(), const_cast<TensorImpl*>(&impl));
  return operand;
}

// An argument that was not there before may be a cache, which grows: all its sizes become symbols,
// each its own, and those that the program holds to numbers are numbers in its graph.
ExternalInput Call::new_input(const TensorImpl& impl, size_t i, const Likeness& like) {
  const std::optional<bool>& dynamic = tree_->options().dynamic;
  const bool may = dynamic.value_or(true);
  const NodeOperand* before = like.operand(i);
  if (may && like.node && !before) {
    NewSymbols apart(tree_->last_symbol(), NewSymbols::Equal::stays_apart);
    return make_external_input(impl, nullptr, true, apart, m_.symbols);
  }
  const ExternalInput* old = nullptr;
  if (may && before && before->kind == NodeOperand::Kind::external) {
    old = &*std::find_if(like.node->inputs.begin(), like.node->inputs.end(),
                         [&](const ExternalInput& b) { return b.slot == before->slot; });
  }
  return make_external_input(impl, old, dynamic.value_or(false), names_, m_.symbols);
}

NodeOperand Call::record_number(TraceNode& node, const Scalar& number, const NodeOperand* before,
                                const OpCall& call) {
  NodeOperand operand;
  operand.number = number;
  operand.kind = NodeOperand::Kind::number;
  const bool varies =
      is_given_to_composite(number) ||
      (before && (before->kind != NodeOperand::Kind::number || !(before->number == number)));
  const Variation may = varies ? variation_of(call.op, number) : Variation::none;
  if (may == Variation::argument) {
    operand.kind = NodeOperand::Kind::varying;
    operand.slot = node.numbers_after++;
    m_.numbers.push_back(number);
  }
  if (may != Variation::count || !tree_->options().dynamic.value_or(true)) return operand;
  const Scalar was = before ? before->number : Scalar(0);
  const auto symbol = names_.number(was.size(), number.hint().size());
  if (!symbol) return operand;
  operand.kind = NodeOperand::Kind::counted;
  operand.number = Scalar(Size(number.size().hint(), *symbol));
  node.attr_symbols.push_back(*symbol);
  m_.symbols.bind(*symbol, number.size().hint());
  return operand;
}

void Call::record_attrs(TraceNode& node, const OpCall& call, const Likeness& like) {
  if (!call.attrs) return;
  node.attrs_owned = Attrs(call.attrs);
  if (!like.node || !tree_->options().dynamic.value_or(true)) return;
  const std::vector<Size> before = sizes_in(like.node->attrs), now = sizes_in(call.attrs);
  if (before.size() != now.size()) return;
  size_t at = 0;
  node.attrs_owned = node.attrs_owned.map_sizes([&](Size s) {
    const auto symbol = names_.number(before[at++], s);
    if (!symbol) return s;
    m_.symbols.bind(*symbol, s.hint());
    node.attr_symbols.push_back(*symbol);
    return Size(s.hint(), *symbol);
  });
}

void Call::record_results(TraceNode& node, const OpCall& call) {
  std::vector<Operand> operands(call.operands.begin(), call.operands.end());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (node.operands_owned[i].kind == NodeOperand::Kind::counted)
      operands[i] = Operand(node.operands_owned[i].number);
  }
  sym::DataBounds bounds;
  add_bounds(bounds);
  Inferred inferred = infer_with_guards(*call.op, operands, node.attrs_owned.view());
  if (call.op->compaction) name_data(node, inferred.results[0]);
  if (call.in_place) {
    sym::GuardSink sink;
    check_in_place(*call.op, call.operands[0].tensor().rule_meta(), inferred.results.at(0));
    for (const sym::Guard& guard : sink.take()) inferred.guards.push_back(guard);
  } else {
    node.slots_after += static_cast<uint32_t>(inferred.results.size());
  }
  node.results_owned = std::move(inferred.results);
  keep_new_guards(node, std::move(inferred.guards));
}

// Guards that the path has already are not asked again.
void Call::keep_new_guards(TraceNode& node, std::vector<sym::Guard> guards) const {
  for (sym::Guard& guard : guards) {
    bool known = false;
    for (const TraceNode* s = &node; s && !known; s = s->parent)
      known = std::find(s->guards.begin(), s->guards.end(), guard) != s->guards.end();
    if (!known) node.guards.push_back(std::move(guard));
  }
}

// Lets go of tensors bound on the way to a node that did not come to be.
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
