// Calls with complex operands. A complex tensor is a handle to pairs of real numbers, so the door
// never passes such a call on: it is replaced by calls on the pairs (src/ops/complex_calls.cpp),
// which is all that interpreters, graphs and kernels see.
//   Tensor z = Tensor::of_pairs(x);                       // x: f32[n, 2], z: c64[n]
//   Tensor y = mul(z, z);                                 // real products and sums
// Threads: any.
#pragma once

#include <span>

#include "vitro/core/op.h"

namespace vitro {

// Whether an operand of the call, or the dtype among its attributes, is complex.
inline bool is_complex_call(const OpCall& call) {
  for (const Operand& operand : call.operands) {
    if (operand.is_tensor() ? is_complex(operand.tensor().impl()->dtype)
                            : operand.is_number() && operand.number().is_complex()) [[unlikely]]
      return true;
  }
  const AttrsType* attrs = call.attrs.type;
  return attrs && attrs->dtype && is_complex(attrs->dtype(call.attrs.data).value_or(DType::f32));
}

// Runs such a call; registered once, by the folder that has the ops. Without one they are Errors.
using ComplexCaller = void (*)(const OpCall& call, std::span<Tensor> results);
void set_complex_caller(ComplexCaller caller);
void run_complex_call(const OpCall& call, std::span<Tensor> results);

}  // namespace vitro
