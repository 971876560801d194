// Frozen calls: one recorded segment replaces the whole call.  freeze() makes the program after the
// function's code has run once; run_frozen() runs it for a call that fits (function.cpp).
#include "capture/frozen.h"

#include <algorithm>

#include "capture/call.h"
#include "capture/codes.h"
#include "capture/external_inputs.h"
#include "vitro/base/error.h"

namespace vitro::capture {
namespace {

// Whether a tensor that is not an argument shares memory with the inputs, which are in their slots,
// as it did when recorded.
bool shares_inputs_as(const ExternalInput& recorded, const TensorImpl& impl, const TraceNode& start,
                      const Slots& slots) {
  const auto first = std::ranges::find_if(start.inputs, [&](const ExternalInput& input) {
    return slots[input.slot].storage == impl.storage;
  });
  if (first == start.inputs.end())
    return recorded.shares == no_slot || recorded.shares >= start.slots_after;
  return recorded.shares == first->slot &&
         recorded.shared_distance == slots.bytes_after(first->slot, impl);
}

// Whether the program is valid for the call, whose inputs fit.
bool fits_program(const FrozenProgram& program, const Slots& slots, Symbols& symbols) {
  return std::ranges::all_of(program.symbols,
                             [&](const auto& s) { return symbols.bind(s.first, s.second); }) &&
         std::ranges::all_of(
             program.offsets,
             [&](const auto& o) { return symbols.bind(o.second, slots[o.first].offset); }) &&
         std::ranges::all_of(program.reached,
                             [&](const auto& r) {
                               const TensorImpl& impl = *r.second.impl();
                               return shares_inputs_as(*r.first, impl, *program.start, slots) &&
                                      fits(*r.first, impl, symbols);
                             }) &&
         std::ranges::all_of(program.guards,
                             [&](const sym::Guard& g) { return symbols.holds(g); }) &&
         program.variant->suits(symbols);
}

// Adds what the program has to check and keep alive for a node.
[[gnu::cold]] void add_node(FrozenProgram& program, const TraceNode& node, const Slots& slots,
                            const Symbols& symbols, const std::string& name,
                            uint64_t newest_storage) {
  program.guards.insert(program.guards.end(), node.guards.begin(), node.guards.end());
  for (const sym::Expr symbol : node.attr_symbols)
    program.symbols.emplace_back(symbol, symbols.value(symbol));
  for (const ExternalInput& input : node.inputs) {
    slots[input.slot].refs.fetch_add(1, std::memory_order_relaxed);
    const Tensor outside(&slots[input.slot]);
    VITRO_CHECK(outside.storage().id() <= newest_storage, name, ": frozen: ", node.op->name,
                at_location(location_text(node.location)),
                " takes a tensor that the function made from host data, or the key of random "
                "numbers, which a frozen call would not make again; pass it as an argument (",
                not_repeatable, ")");
    program.reached.emplace_back(&input, outside);
  }
}

// A frozen call records nothing: it is an error if this one did, and what is known of views ends.
[[gnu::cold]] void forget_gradients(const TraceNode& node, const Slots& slots,
                                    const std::string& name) {
  for (uint32_t k = 0; k < node.result_count; ++k) {
    TensorImpl& impl = slots[node.first_slot + k];
    if (!impl.gradient) continue;
    VITRO_CHECK(!impl.requires_grad, name, ": frozen: the result of ", node.op->name,
                at_location(location_text(node.location)),
                " requires a gradient, which a frozen call would not record; call the function in "
                "the scope of a NoGrad, or return detach(x) (",
                not_repeatable, ")");
    Tensor::forget_gradient(&impl);
  }
}

// `held`: by slot, the references that are accounted for.
[[gnu::cold]] void check_returned(const TraceNode& node, const Slots& slots,
                                  const std::vector<uint32_t>& held, const std::string& name) {
  for (uint32_t k = 0; k < node.result_count; ++k) {
    const uint32_t slot = node.first_slot + k;
    VITRO_CHECK(slots[slot].refs.load(std::memory_order_acquire) <= held[slot], name,
                ": frozen: the result of ", node.op->name,
                at_location(location_text(node.location)),
                " is stored outside the function, where a frozen call would not store it again; "
                "return it (",
                not_repeatable, ")");
  }
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

// Equal types imply that corresponding arguments have the same type.
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

bool Call::run_frozen(const FrozenProgram& program, std::span<const Tensor* const> inputs,
                      std::vector<Tensor>* results) {
  std::vector<Operand>& arguments = memory_->inputs;
  arguments.clear();
  for (const Tensor* t : inputs) arguments.emplace_back(*t);
  const TraceNode &start = *program.start, &last = *program.last;
  if (!matcher_.matches(start, OpCall{nullptr, arguments, {}, false, {}})) return false;
  if (!fits_program(program, slots_, values_.symbols)) return values_.symbols.clear(), false;
  values_.numbers = program.numbers;
  matcher_.accept(start);
  slots_.reserve(last.slots_after);
  slots_.clear(start.slots_after, last.slots_after);
  matcher_.move_to(program.last);
  for (const auto& [input, tensor] : program.reached) slots_.bind(*input, tensor.impl());
  try {
    std::vector<Tensor> held;  // keeps them alive until computed, as the program would
    held.reserve(program.variant->plan.results.size());
    for (const ResultBinding& binding : program.variant->plan.results)
      held.emplace_back(slots_.defer(binding.slot, *binding.meta));
    runner_.run(*program.variant);
  } catch (...) {
    abandon();
    throw;
  }
  for (const uint32_t slot : program.variant->plan.written) slots_[slot].storage.add_writes(1);
  for (const uint32_t slot : program.results) {
    if (slot == no_slot) {
      results->emplace_back();
      continue;
    }
    slots_[slot].refs.fetch_add(1, std::memory_order_relaxed);
    results->emplace_back(&slots_[slot]);
  }
  release_slots();
  matcher_.move_to(nullptr);
  return true;
}

[[gnu::cold]] std::unique_ptr<FrozenProgram> Call::freeze(FrozenKey key,
                                                          const std::vector<Tensor>& results,
                                                          uint64_t newest_storage) {
  TraceNode* const last = matcher_.cursor();
  if (!last || !last->op) return nullptr;
  const std::string& name = tree_->options().name;
  auto program = std::make_unique<FrozenProgram>(std::move(key));
  program->start = &start_of(*last);
  program->last = last;
  // References accounted for, by slot: initially the slot's own.
  std::vector<uint32_t> held(last->slots_after, 1);
  for (const Tensor& t : results) {
    uint32_t slot = no_slot;
    if (t.defined()) {
      slot = t.is_deferred() ? t.impl()->slot : slots_.slot_of(*t.impl());
      VITRO_CHECK(slot != no_slot, name,
                  ": frozen: the result contains a tensor that no op of the function takes or "
                  "computes; return tensors computed from the arguments (",
                  not_repeatable, ")");
      held[slot] += 2;  // one in the result, one in the list
    }
    program->results.push_back(slot);
  }
  program->numbers = values_.numbers;
  program->guards = program->start->guards;
  for (const ExternalInput& input : program->start->inputs) {
    const sym::Expr offset = offset_symbol(input.slot);
    if (values_.symbols.find(offset)) program->offsets.emplace_back(input.slot, offset);
  }
  for (const TraceNode* node : path_to(*last)) forget_gradients(*node, slots_, name);
  for (const TraceNode* node : path_to(*last)) {
    add_node(*program, *node, slots_, values_.symbols, name, newest_storage);
    check_returned(*node, slots_, held, name);
  }
  bool made = false;
  program->variant =
      tree_->variant(*last, slots_.find_live(last->slots_after), {}, values_.symbols, &made);
  if (program->variant && made) build(*program->variant);
  const bool ready = program->variant && program->variant->can_run(values_.symbols);
  return ready ? std::move(program) : nullptr;
}

}  // namespace vitro::capture
