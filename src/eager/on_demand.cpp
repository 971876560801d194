#include "eager/on_demand.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "eager/copy.h"
#include "vitro/base/error.h"

namespace vitro::eager {
namespace {

std::atomic<OnDemand*> on_demand{nullptr};

// A put may write to its first operand.
bool shares_memory(const OpCall& call, const Tensor& out) {
  if (call.op->put && call.operands[0].tensor().impl() == out.impl()) return false;
  return std::any_of(call.operands.begin(), call.operands.end(), [&](const Operand& operand) {
    return operand.is_tensor() && operand.tensor().storage().id() == out.storage().id();
  });
}

}  // namespace

void set_on_demand(OnDemand* who) {
  on_demand.store(who, std::memory_order_release);
}

void run_on_demand(const OpCall& call, std::span<const Tensor> outs) {
  OnDemand* who = on_demand.load(std::memory_order_acquire);
  VITRO_CHECK(who, call.op->name,
              ": has no precompiled kernel, and no compiler is loaded; link libvitro, or call "
              "vitro::init()");
  std::vector<Tensor> apart(outs.begin(), outs.end());
  for (Tensor& out : apart) {
    if (!shares_memory(call, out)) continue;
    out = Tensor::empty(out.impl()->sizes, out.dtype(), out.device());
  }
  who->run(call, apart);
  for (size_t i = 0; i < outs.size(); ++i) {
    if (apart[i].impl() != outs[i].impl()) copy_elements(apart[i], outs[i]);
  }
}

}  // namespace vitro::eager
