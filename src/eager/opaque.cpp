// Opaque ops: calls of users' kernels.
#include "runtime/opaque.h"

#include <vector>

#include "eager/run.h"
#include "vitro/runtime/copy.h"

namespace vitro::eager {
namespace {

OpaqueTensor given(const Tensor& t) {
  const TensorImpl& impl = *t.impl();
  return {static_cast<std::byte*>(impl.storage.data()) + impl.offset * bytes_of(impl.dtype),
          impl.dtype, impl.sizes, impl.strides};
}

}  // namespace

void run_opaque(const OpCall& call, std::span<const Tensor> outs) {
  const Device device = outs[0].device();
  std::vector<Tensor> moved;  // keeps copies of host tensors (scalars) alive during the launch
  std::vector<OpaqueOperand> operands;
  for (const Operand& operand : call.operands) {
    OpaqueOperand& made = operands.emplace_back();
    made.kind = operand.kind();
    if (operand.is_number()) made.number = operand.number().hint();
    if (operand.is_tensor()) made.tensor = given(moved.emplace_back(to(operand.tensor(), device)));
  }
  std::vector<OpaqueTensor> results;
  for (const Tensor& out : outs) results.push_back(given(out));
  runtime::launch_opaque(*call.op, {device, operands, call.attrs, results},
                         runtime::device_runtime(device));
}

}  // namespace vitro::eager
