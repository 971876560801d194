// Calls ops by name with the operands and attributes of samples in tests/data/op_samples.
#pragma once

#include <vector>

#include "op_samples.h"
#include "vitro/core/tensor.h"
#include "vitro/ops/overload.h"

namespace vitro::test {

Tensor tensor_of(const SampleTensor& sample, Device device = cpu);
// The results, in torch's order. Throws Error if the op refuses the call.
std::vector<Tensor> call_sample(const OpSample& sample, Device device = cpu);
// A call that has not been made yet; its tensors are in the order of the operands.
struct SampleCall {
  const ops::Overload* overload;
  std::vector<NamedArg> arguments;
};
SampleCall call_of(const OpSample& sample, Device device = cpu);
// Whether the sample's op has an overload.
bool is_callable(const OpSample& sample);

}  // namespace vitro::test
