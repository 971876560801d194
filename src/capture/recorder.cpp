// Records an op call as a node of the trace tree: operands, numbers and attributes are recorded as
// they are or as symbols, and the shape rule gives the results.  Call uses it if no node fits.
#include "capture/recorder.h"

#include <algorithm>
#include <utility>

#include "base/program_place.h"
#include "capture/inference.h"
#include "vitro/base/module_path.h"
#include "vitro/core/varying_numbers.h"
#include "vitro/ops/compaction.h"

namespace vitro::capture {

Recorder::Recorded Recorder::record(std::atomic<TraceNode*>& link, std::atomic<TraceNode*>& end,
                                    const OpCall& call, std::span<const sym::Guard> asked) {
  TraceNode* node = tree_.new_node();
  if (!node) return {nullptr, Outcome::tree_is_full};
  const CallValues::Mark values = values_.mark();
  TraceNode* const cursor = matcher_.cursor();
  const uint32_t before = cursor ? cursor->slots_after : 0;
  const auto take_back = [&] {
    slots_.unbind(before, before + static_cast<uint32_t>(node->inputs.size()));
    values_.back_to(values);
    tree_.take_back(node);
  };
  try {
    node->op = call.op;
    node->in_place = call.in_place;
    node->modes = thread_->modes;
    node->parent = call.op ? cursor : nullptr;
    node->depth = call.op ? cursor->depth + 1 : 0;
    node->where = expansion_.location_of(call);
    node->called = CalledAs::current();
    const std::source_location from = program_place(location_of(*node));
    node->location = {from.file_name(), from.line(), current_module, node->called.name};
    node->asked.assign(asked.begin(), asked.end());
    fill(*node, link, call);
    node->finish();
  } catch (...) {
    take_back();
    throw;
  }
  if (TraceTree::link(end, node)) {
    take_back();
    return {nullptr, Outcome::another_was_first};
  }
  if (call.op && !node->expands) tree_.note_latest(occurrence_of(call), *node);
  return {node, Outcome::linked};
}

void Recorder::fill(TraceNode& node, std::atomic<TraceNode*>& link, const OpCall& call) {
  Likeness like = similar(link, call, thread_->modes, slots_);
  if (!like.node && call.op) like = like_at(tree_.latest(occurrence_of(call)), call, slots_);
  // Composites on data sizes are expanded too: their code may ask for these sizes, and must do so
  // here, where the segment can end.
  node.expands =
      (like.node && may_be_dynamic() && numbers_differ(*like.node, call)) ||
      (call.op && call.op->composite && !call.in_place && data_.are_taken_by(call, slots_.call()));
  if (node.expands) return;
  record_operands(node, call, like);
  record_attrs(node, call, like);
  if (call.op) record_results(node, call);
}

void Recorder::record_operands(TraceNode& node, const OpCall& call, const Likeness& like) {
  const TraceNode* parent = matcher_.cursor() && call.op ? matcher_.cursor() : nullptr;
  node.slots_after = parent ? parent->slots_after : 0;
  node.numbers_after = parent ? parent->numbers_after : 0;
  node.inputs.reserve(call.operands.size());  // slots point to them
  slots_.reserve(node.slots_after + call.operands.size());
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Operand& got = call.operands[i];
    NodeOperand operand;
    if (got.is_tensor()) operand = record_tensor(node, i, like, call);
    if (got.is_number()) operand = record_number(node, got.number(), like.operand(i), call);
    node.operands_owned.push_back(operand);
  }
  node.first_slot = node.slots_after;
}

NodeOperand Recorder::record_tensor(TraceNode& node, size_t i, const Likeness& like,
                                    const OpCall& call) {
  const TensorImpl& impl = *call.operands[i].tensor().impl();
  NodeOperand operand;
  operand.kind = NodeOperand::Kind::slot;
  if (impl.call != 0 && impl.call != slots_.call())
    refuse_deferred(impl, call.op ? call.op->name : std::string_view("call"));
  operand.slot = slots_.is_deferred(impl) ? impl.slot : slots_.slot_of(impl);
  if (operand.slot != no_slot) return operand;
  operand.kind = NodeOperand::Kind::external;
  operand.slot = node.slots_after;
  const TensorMeta* known = remembered_.find(impl, values_.symbols);
  ExternalInput input = known ? make_external_input(impl, *known) : new_input(impl, i, like);
  input.slot = node.slots_after++;
  input.shares = slots_.first_sharing(impl);
  if (input.shares != no_slot) input.shared_distance = slots_.bytes_after(input.shares, impl);
  node.inputs.push_back(std::move(input));
  slots_.bind(node.inputs.back(), const_cast<TensorImpl*>(&impl));
  return operand;
}

// An argument that was undefined before may be a cache that grows: each of its sizes becomes a
// separate symbol.  Those that the program fixes to numbers are constants in its graph.
ExternalInput Recorder::new_input(const TensorImpl& impl, size_t i, const Likeness& like) {
  const std::optional<bool>& dynamic = tree_.options().dynamic;
  const bool may = dynamic.value_or(true);
  const NodeOperand* before = like.operand(i);
  if (may && like.node && !before) {
    NewSymbols apart(tree_.last_symbol(), NewSymbols::Equal::stays_apart);
    return make_external_input(impl, nullptr, true, apart, values_.symbols);
  }
  const ExternalInput* old = nullptr;
  if (may && before && before->kind == NodeOperand::Kind::external) {
    old = &*std::find_if(like.node->inputs.begin(), like.node->inputs.end(),
                         [&](const ExternalInput& b) { return b.slot == before->slot; });
  }
  return make_external_input(impl, old, dynamic.value_or(false), names_, values_.symbols);
}

NodeOperand Recorder::record_number(TraceNode& node, const Scalar& number,
                                    const NodeOperand* before, const OpCall& call) {
  NodeOperand operand;
  operand.number = number;
  operand.kind = NodeOperand::Kind::number;
  const bool varies =
      expansion_.was_given(number) || VaryingNumbers::active() ||
      (before && (before->kind != NodeOperand::Kind::number || !(before->number == number)));
  const Variation may = varies ? variation_of(call.op, number) : Variation::none;
  if (may == Variation::argument) {
    operand.kind = NodeOperand::Kind::varying;
    operand.slot = node.numbers_after++;
    values_.numbers.push_back(number);
  }
  if (may != Variation::count || !may_be_dynamic()) return operand;
  const Scalar was = before ? before->number : Scalar(0);
  const auto symbol = names_.number(was.size(), number.hint().size());
  if (!symbol) return operand;
  operand.kind = NodeOperand::Kind::counted;
  operand.number = Scalar(Size(number.size().hint(), *symbol));
  node.attr_symbols.push_back(*symbol);
  values_.symbols.bind(*symbol, number.size().hint());
  return operand;
}

void Recorder::record_attrs(TraceNode& node, const OpCall& call, const Likeness& like) {
  if (!call.attrs) return;
  node.attrs_owned = Attrs(call.attrs);
  if (!like.node || !may_be_dynamic()) return;
  const std::vector<Size> before = sizes_in(like.node->attrs), now = sizes_in(call.attrs);
  if (before.size() != now.size()) return;
  size_t at = 0;
  node.attrs_owned = node.attrs_owned.map_sizes([&](Size s) {
    const auto symbol = names_.number(before[at++], s);
    if (!symbol) return s;
    values_.symbols.bind(*symbol, s.hint());
    node.attr_symbols.push_back(*symbol);
    return Size(s.hint(), *symbol);
  });
}

void Recorder::record_results(TraceNode& node, const OpCall& call) {
  std::vector<Operand> operands(call.operands.begin(), call.operands.end());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (node.operands_owned[i].kind == NodeOperand::Kind::counted)
      operands[i] = Operand(node.operands_owned[i].number);
  }
  sym::DataBounds bounds;
  data_.add_bounds(bounds);
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

// Drops guards that the path already has.
void Recorder::keep_new_guards(TraceNode& node, std::vector<sym::Guard> guards) {
  for (sym::Guard& guard : guards) {
    bool known = false;
    for (const TraceNode* s = &node; s && !known; s = s->parent)
      known = std::find(s->guards.begin(), s->guards.end(), guard) != s->guards.end();
    if (!known) node.guards.push_back(std::move(guard));
  }
}

// Replaces the upper bound, which the shape rule gives, by a new symbol.
void Recorder::name_data(TraceNode& node, TensorMeta& result) {
  const Size most = result.sizes[0];
  node.data_bound = most.expr();
  node.data_size = sym::Expr::data(tree_.last_symbol().fetch_add(1));
  ops::set_count(result, {most.hint(), node.data_size});
}

// The location of the call, and how often the segment has passed it.
Occurrence Recorder::occurrence_of(const OpCall& call) {
  const TraceNode* cursor = matcher_.cursor();
  if (counted_to_ && cursor->parent == counted_to_) {
    ++came_by_[{cursor->where, 0}];
  } else if (counted_to_ != cursor) {
    came_by_.clear();
    for (const TraceNode* s = cursor; s->op; s = s->parent) ++came_by_[{s->where, 0}];
  }
  counted_to_ = cursor;
  const std::source_location where = expansion_.location_of(call);
  const auto found = came_by_.find({where, 0});
  return {where, found == came_by_.end() ? 0 : found->second};
}

}  // namespace vitro::capture
