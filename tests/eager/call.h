// Calls ops by name with the operands and attributes of samples in tests/data/op_samples.
#pragma once

#include <vector>

#include "op_samples.h"
#include "vitro/base/result.h"
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
// A failure says for each overload why it does not take the arguments.
Result<SampleCall> find_call(const OpSample& sample, Device device = cpu);
// Whether the sample's op, or another overload of it, exists.
bool is_callable(const OpSample& sample);

// The tensors among the arguments, in order.
std::vector<Tensor> tensors_of(const SampleCall& call);
// The same call with these tensors.
SampleCall with_tensors(SampleCall call, std::span<const Tensor> tensors);

}  // namespace vitro::test
