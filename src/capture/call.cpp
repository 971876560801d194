#include "capture/call.h"

#include <atomic>

#include "capture/codes.h"
#include "vitro/base/error.h"
#include "vitro/events/record.h"

namespace vitro::capture {
namespace {

// Threads take many at a time, so that they do not wait for each other.
uint64_t next_number() {
  static std::atomic<uint64_t> taken{1};
  constexpr uint64_t many = 1024;
  thread_local constinit uint64_t next __attribute__((tls_model("initial-exec"))) = 0;
  if (next % many == 0) next = taken.fetch_add(many, std::memory_order_relaxed);
  return next++;
}

const Code& code_of(Need need) {
  switch (need) {
    case Need::item:
      return item_break;
    case Need::pointer:
    case Need::writable_pointer:
      return pointer_break;
    case Need::other_thread_or_library:
      return other_break;
  }
  __builtin_unreachable();
}

}  // namespace

Call::Call(CallPool& pool, const InterpreterFrame* below)
    : thread_(&thread_state),
      number_(next_number()),
      pool_(pool),
      memory_(pool.take()),
      m_(*memory_),
      tree_(m_.tree.get()),
      below_(below),
      names_(tree_->last_symbol()) {
  m_.symbols.clear();
  m_.data.clear();
  m_.numbers.clear();
  m_.remembered.clear();
}

Call::~Call() {
  if (eager_begun_) events::record(events::EagerEnd{});
  for (; open_regions_ > 0; --open_regions_) events::record(events::RegionEnd{});
  pool_.give_back(std::move(memory_));
}

inline void Call::hand_out(const TraceNode& node, const OpCall& call, std::span<Tensor> results) {
  if (node.slots_after > m_.slots.size()) m_.reserve_slots(node.slots_after);
  for (uint32_t k = 0; k < node.result_count; ++k) {
    TensorImpl* impl = m_.fresh_impl();
    const TensorMeta& meta = node.results[k];
    impl->refs.store(2, std::memory_order_relaxed);  // the caller's and ours: no atomic addition
    impl->dtype = meta.dtype;
    impl->device = meta.device;
    impl->slot = node.first_slot + k;
    impl->call = number_;
    impl->deferred = &meta;
    m_.slots[node.first_slot + k] = impl;
    results[k] = Tensor(impl);
  }
  if (node.in_place) results[0] = call.operands[0].tensor();
  cursor_ = const_cast<TraceNode*>(&node);
}

// The path that a compiled function spends its time on: compare, hand out, go on.
void Call::call(const OpCall& call, std::span<Tensor> results) {
  if (!cursor_) [[unlikely]]
    return run_now(call, results);
  if (tree_->has_cuts() && cut_before(call)) [[unlikely]]
    return this->call(call, results);
  if (data_is_known_ && names_known_data(call)) [[unlikely]]
    return call_with_numbers(call, results);
  TraceNode* node = cursor_->next.load(std::memory_order_acquire);
  if (!node || !node->plain || !matches_plain(*node, call)) [[unlikely]] {
    bool again = false;
    node = next_node(call, &again);
    if (again) return this->call(call, results);
    if (!node) return run_now(call, results);
    if (node->expands) return expand(call, results);
    if (node->data_size.defined()) hand_out_data(*node);
  }
  hand_out(*node, call, results);
  if (questions_ && !questions_->guards().empty()) [[unlikely]]
    (void)questions_->take();
}

void Call::materialize(TensorImpl&, Need need, std::source_location where) {
  break_here(code_of(need), {}, where);
}

void Call::before_access(const TensorImpl& impl, Need need, std::source_location where) {
  const CompileOptions& options = tree_->options();
  VITRO_CHECK(
      !options.frozen, options.name, ": frozen: ", place_text(where),
      " looks at elements of a tensor, which a frozen call would not do again; compute with "
      "the tensor instead (",
      not_repeatable, ")");
  if (!cursor_ || first_sharing(impl) == no_slot) return;
  if (need == Need::writable_pointer || written_in_segment(impl))
    break_here(code_of(need), "ops on the tensor's memory have been put off", where);
}

const TensorMeta* Call::meta_of(const TensorImpl& impl) const {
  if (!cursor_) return nullptr;
  const uint32_t slot = slot_of(impl);
  return slot == no_slot ? remembered(impl) : m_.bound_metas[slot];
}

// A tensor that is gone may have left its address to another one.
const TensorMeta* Call::remembered(const TensorImpl& impl) const {
  for (const Remembered& r : m_.remembered) {
    const bool same = r.impl == &impl && impl.storage && r.storage == impl.storage.id();
    if (same && describes(*r.meta, impl, m_.symbols)) return r.meta;
  }
  return nullptr;
}

// What looks at the memory of a tensor from outside begins where that one does, or after it.
std::optional<Size> Call::offset_of(const TensorImpl& impl) const {
  if (impl.call == 0) return offset_outside(impl);
  if (impl.call != number_) return std::nullopt;
  const Size recorded = impl.deferred->offset;
  const Size within(value_of(recorded.expr()).value(), recorded.expr());
  uint32_t slot = impl.slot;
  for (const TraceNode* node = cursor_; node->op; node = node->parent) {
    if (slot < node->first_slot || slot >= node->first_slot + node->result_count) continue;
    if (node->op->kind != OpKind::view) return within;
    slot = node->operands[0].slot;
  }
  return offset_outside(*m_.slots[slot]) + within;
}

// A number of this call, which the function's code asks for again in the next one.  A frozen call
// does not: there it is a symbol, so that what is asked of it is a guard.
Size Call::offset_outside(const TensorImpl& impl) const {
  const uint32_t slot = cursor_ && tree_->options().frozen ? slot_of(impl) : no_slot;
  if (slot == no_slot || slot >= start_of(*cursor_).slots_after) return impl.offset;
  const sym::Expr symbol = offset_symbol(slot);
  const bool is_this_call = m_.symbols.bind(symbol, impl.offset);
  VITRO_ASSERT(is_this_call, "a tensor has moved in its storage");
  return {impl.offset, symbol};
}

uint32_t Call::first_sharing(const TensorImpl& impl) const {
  return first_slot(m_.outside, impl);
}

uint32_t Call::slot_of(const TensorImpl& impl) const {
  for (uint32_t s = first_sharing(impl); s != no_slot; s = m_.next_shared[s]) {
    if (m_.slots[s] == &impl) return s;
  }
  return no_slot;
}

void Call::bind_slot(const ExternalInput& input, TensorImpl* impl) {
  impl->refs.fetch_add(1, std::memory_order_relaxed);
  m_.slots[input.slot] = impl;
  m_.bound_metas[input.slot] = &input.meta;
  link_outside(input.slot);
}

void Call::link_outside(uint32_t slot) {
  link_shared(m_.outside, slot);
}

void Call::link_shared(StorageTable& known, uint32_t slot) {
  m_.next_shared[slot] = no_slot;
  const TensorImpl& impl = *m_.slots[slot];
  if (!impl.storage) return;
  uint32_t at = first_slot(known, impl);
  if (at == no_slot) return known.add(impl.storage.id(), slot);
  while (m_.next_shared[at] != no_slot) at = m_.next_shared[at];
  m_.next_shared[at] = slot;
}

}  // namespace vitro::capture
