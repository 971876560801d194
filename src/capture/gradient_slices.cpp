#include "capture/gradient_slices.h"

namespace vitro::capture {
namespace {

events::OpBegin named(std::string_view name, uint64_t call) {
  return {.op = events::intern(name), .sequence = static_cast<int64_t>(call)};
}

uint32_t arrow_of(uint64_t call) {
  return static_cast<uint32_t>(call);
}

}  // namespace

ForwardSlice::ForwardSlice(uint64_t call, bool is_seen) {
  if (!is_seen) return;
  slice_.emplace(named("CompiledFunction", call));
  events::record(events::FlowBegin{events::FlowKind::forward_backward, arrow_of(call)});
}

BackwardSlice::BackwardSlice(uint64_t call) {
  if (!events::recording()) return;
  node_.emplace(named("autograd::engine::evaluate_function: CompiledFunctionBackward", call));
  slice_.emplace(named("CompiledFunctionBackward", call));
  events::record(events::FlowEnd{events::FlowKind::forward_backward, arrow_of(call)});
}

}  // namespace vitro::capture
