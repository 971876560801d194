// Calls ops by name with operands and attributes as tests/data/op_samples has them.
#pragma once

#include <vector>

#include "op_samples.h"
#include "vitro/core/tensor.h"
#include "vitro/ops/overload.h"

namespace vitro::test {

Tensor tensor_of(const SampleTensor& sample, Device device = cpu);
// The results, in torch's order.  Error where the op refuses.
std::vector<Tensor> call_sample(const OpSample& sample, Device device = cpu);
// The same call before it is made; its tensors are in the order of the operands.
struct SampleCall {
  const ops::Overload* overload;
  std::vector<NamedArg> arguments;
};
SampleCall call_of(const OpSample& sample, Device device = cpu);
// Whether there is a way to call it.
bool is_callable(const OpSample& sample);

}  // namespace vitro::test
