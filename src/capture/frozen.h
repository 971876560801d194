// A program that replaces a whole call: guards, kernels, results.
//
// Invariant: immutable once linked (TraceTree::add).  It owns the tensors that the function used
// without receiving them as arguments; the trace tree owns nodes and variant.
// Threads: any.
#pragma once

#include <any>
#include <utility>
#include <vector>

#include "capture/segment_variant.h"
#include "vitro/capture/function.h"
#include "vitro/core/autocast.h"
#include "vitro/core/tensor.h"

namespace vitro::capture {

struct FrozenProgram {
  explicit FrozenProgram(FrozenKey of) : key(std::move(of)) {}
  FrozenKey key;
  AutocastState autocast = autocast_state();
  const TraceNode* start = nullptr;  // has the conditions on the inputs
  TraceNode* last = nullptr;
  SegmentVariant* variant = nullptr;
  // Guards of the whole path, and on questions that the function's own code asked.
  std::vector<sym::Guard> guards;
  // Inputs that only the function's own code would supply: numbers that vary, and the values of
  // symbols that came from plain numbers in attributes.
  std::vector<Scalar> numbers;
  std::vector<std::pair<sym::Expr, int64_t>> symbols;
  // Slots of inputs whose offset the function's own code asked for, with the symbol for it.
  std::vector<std::pair<uint32_t, sym::Expr>> offsets;
  // Tensors that the function used without receiving them as arguments (parameters), with their
  // external inputs.
  std::vector<std::pair<const ExternalInput*, Tensor>> reached;
  // For each tensor of the result its slot; no_slot if undefined.
  std::vector<uint32_t> results;
  std::any prototype;
  FrozenProgram* next = nullptr;

  // True for programs that two threads recorded concurrently.
  bool same_as(const FrozenProgram& o) const {
    return key == o.key && autocast == o.autocast && last == o.last && variant == o.variant &&
           guards == o.guards && numbers == o.numbers && symbols == o.symbols;
  }
};

}  // namespace vitro::capture
