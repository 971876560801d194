#include "capture/frozen.h"

#include <algorithm>

#include "capture/call.h"
#include "capture/codes.h"
#include "vitro/base/error.h"

namespace vitro::capture {
namespace {

int64_t byte_offset(const TensorImpl& t) {
  return t.offset * bytes_of(t.dtype);
}

}  // namespace

FrozenKey::Kept::Kept(const Other& other)
    : text(other.text),
      value(other.value ? other.keep(other.value) : nullptr),
      equal(other.equal) {}

bool FrozenKey::Kept::operator==(const Other& o) const {
  return o.value ? equal(value.get(), o.value) : text == o.text;
}

bool FrozenKey::Kept::operator==(const Kept& o) const {
  return o.value ? equal(value.get(), o.value.get()) : text == o.text;
}

FrozenKey::FrozenKey(const FrozenCall& call)
    : types_(call.types),
      numbers_(call.numbers.begin(), call.numbers.end()),
      others_(call.others.begin(), call.others.end()) {}

// Of the same types, what stands at one place is of one type.
bool FrozenKey::fits(const FrozenCall& call) const {
  return types_ == call.types && std::ranges::equal(numbers_, call.numbers) &&
         std::equal(others_.begin(), others_.end(), call.others.begin(), call.others.end());
}

FrozenArguments::FrozenArguments(const FrozenCall& call) : key_(call) {
  for (const Tensor* t : call.inputs) tensors_.push_back(*t);
}

bool FrozenArguments::unchanged(const FrozenCall& call) const {
  return key_.fits(call) &&
         std::equal(tensors_.begin(), tensors_.end(), call.inputs.begin(), call.inputs.end(),
                    [](const Tensor& a, const Tensor* b) { return a.same_as(*b); });
}

// Whether a tensor that the function reached by itself shares the memory of the inputs, which lie
// in their slots, as it did when it was recorded.
bool Call::shares_inputs_as(const ExternalInput& recorded, const TensorImpl& impl,
                            const TraceNode& start) const {
  const auto first = std::find_if(
      start.inputs.begin(), start.inputs.end(),
      [&](const ExternalInput& input) { return m_.slots[input.slot]->storage == impl.storage; });
  if (first == start.inputs.end())
    return recorded.shares == no_slot || recorded.shares >= start.slots_after;
  return recorded.shares == first->slot &&
         recorded.shared_distance == byte_offset(impl) - byte_offset(*m_.slots[first->slot]);
}

bool Call::run_frozen(const FrozenProgram& program, std::span<const Tensor* const> inputs,
                      std::vector<Tensor>* results) {
  m_.inputs.clear();
  for (const Tensor* t : inputs) m_.inputs.emplace_back(*t);
  if (!matches(*program.start, OpCall{nullptr, m_.inputs, {}, false, {}})) return false;
  const bool fit =
      std::ranges::all_of(program.symbols,
                          [&](const auto& s) { return m_.symbols.bind(s.first, s.second); }) &&
      std::ranges::all_of(
          program.offsets,
          [&](const auto& o) { return m_.symbols.bind(o.second, m_.slots[o.first]->offset); }) &&
      std::ranges::all_of(program.reached,
                          [&](const auto& r) {
                            return shares_inputs_as(*r.first, *r.second.impl(), *program.start) &&
                                   fits(*r.first, *r.second.impl(), m_.symbols);
                          }) &&
      std::ranges::all_of(program.guards,
                          [&](const sym::Guard& g) { return m_.symbols.holds(g); }) &&
      program.variant->suits(m_.symbols);
  if (!fit) return m_.symbols.clear(), false;
  m_.numbers = program.numbers;
  accept(*program.start);
  m_.reserve_slots(program.last->slots_after);
  std::fill(m_.slots.begin() + program.start->slots_after,
            m_.slots.begin() + program.last->slots_after, nullptr);
  cursor_ = program.last;
  for (const auto& [input, tensor] : program.reached) bind_slot(*input, tensor.impl());
  for (const ResultBinding& binding : program.variant->plan.results) {
    TensorImpl* impl = m_.fresh_impl();
    impl->refs.store(2, std::memory_order_relaxed);
    impl->dtype = binding.meta->dtype;
    impl->device = binding.meta->device;
    impl->call = number_;
    impl->deferred = binding.meta;
    impl->slot = binding.slot;
    m_.slots[binding.slot] = impl;
    m_.borrowed.emplace_back(impl);  // the count of the results
  }
  std::vector<Tensor> held;
  held.swap(m_.borrowed);
  try {
    run_variant(*program.variant);
  } catch (...) {
    fail_deferred();
    release_slots();
    cursor_ = nullptr;
    throw;
  }
  for (const uint32_t slot : program.results) {
    if (slot == no_slot) {
      results->emplace_back();
      continue;
    }
    m_.slots[slot]->refs.fetch_add(1, std::memory_order_relaxed);
    results->emplace_back(m_.slots[slot]);
  }
  release_slots();
  cursor_ = nullptr;
  return true;
}

std::unique_ptr<FrozenProgram> Call::freeze(FrozenKey key, const std::vector<Tensor>& results,
                                            uint64_t newest_storage) {
  if (!cursor_ || !cursor_->op) return nullptr;
  auto program = std::make_unique<FrozenProgram>(std::move(key));
  program->start = const_cast<TraceNode*>(&start_of(*cursor_));
  program->last = cursor_;
  std::vector<uint32_t> held(cursor_->slots_after,
                             1);  // counts of each slot that are accounted for
  for (const Tensor& t : results) {
    uint32_t slot = no_slot;
    if (t.defined()) {
      slot = t.is_deferred() ? t.impl()->slot : slot_of(*t.impl());
      VITRO_CHECK(slot != no_slot, tree_->options().name,
                  ": frozen: the result holds a tensor that no op of the function takes or makes; "
                  "return what was computed from the arguments (",
                  not_repeatable, ")");
      held[slot] += 2;  // the result's and the list's
    }
    program->results.push_back(slot);
  }
  program->numbers = m_.numbers;
  program->guards = program->start->guards;
  for (const ExternalInput& input : program->start->inputs) {
    const sym::Expr offset = offset_symbol(input.slot);
    if (m_.symbols.find(offset)) program->offsets.emplace_back(input.slot, offset);
  }
  for (const TraceNode* node : path_to(*cursor_)) {
    program->guards.insert(program->guards.end(), node->guards.begin(), node->guards.end());
    VITRO_CHECK(node->op->kind != OpKind::random, tree_->options().name,
                ": frozen: ", node->op->name, " at ", place_text(node->place),
                " draws random numbers, which a frozen call would repeat (", not_repeatable, ")");
    for (const sym::Expr symbol : node->attr_symbols)
      program->symbols.emplace_back(symbol, m_.symbols.value(symbol));
    for (const ExternalInput& input : node->inputs) {
      const Tensor outside(m_.slots[input.slot]);
      m_.slots[input.slot]->refs.fetch_add(1, std::memory_order_relaxed);
      VITRO_CHECK(outside.storage().id() <= newest_storage, tree_->options().name,
                  ": frozen: ", node->op->name, " at ", place_text(node->place),
                  " takes a tensor that the function made from host data, which a frozen call "
                  "would not make again; pass it as an argument (",
                  not_repeatable, ")");
      program->reached.emplace_back(&input, outside);
    }
    for (uint32_t k = 0; k < node->result_count; ++k) {
      const uint32_t slot = node->first_slot + k;
      VITRO_CHECK(m_.slots[slot]->refs.load(std::memory_order_acquire) <= held[slot],
                  tree_->options().name, ": frozen: the result of ", node->op->name, " at ",
                  place_text(node->place),
                  " is kept somewhere outside, where a frozen call would not put it again; "
                  "return it (",
                  not_repeatable, ")");
    }
  }
  find_live();
  bool made = false;
  program->variant = tree_->variant(*cursor_, m_.live, m_.symbols, &made);
  if (program->variant && made) tree_->build(*program->variant);
  const bool ready = program->variant && program->variant->can_run(m_.symbols);
  return ready ? std::move(program) : nullptr;
}

}  // namespace vitro::capture
