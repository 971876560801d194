// A program that stands for a whole call: guards, kernels, results.
#pragma once

#include <any>
#include <utility>
#include <vector>

#include "capture/exit.h"
#include "vitro/core/tensor.h"

namespace vitro::capture {

struct FrozenProgram {
  const void* types = nullptr;
  std::vector<Scalar> numbers;
  Step* start = nullptr;  // what the inputs must be
  Step* last = nullptr;
  Exit* exit = nullptr;
  std::vector<sym::Guard> guards;  // all of the path, and what the function's own code asked
  // Tensors that the function reached by itself (parameters), with their slots.
  std::vector<std::pair<const Bind*, Tensor>> reached;
  // Each tensor of the result: a slot, or (no_slot) undefined.
  std::vector<uint32_t> results;
  std::any prototype;
  FrozenProgram* next = nullptr;
};

}  // namespace vitro::capture
