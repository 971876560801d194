// A program that stands for a whole call: guards, kernels, results.
//
// Invariant: once it is linked (TraceTree::add) nothing of it changes.  It holds the tensors that
// the function reached by itself; nodes and variant belong to the trace tree.
// Threads: any.
#pragma once

#include <any>
#include <utility>
#include <vector>

#include "capture/segment_variant.h"
#include "vitro/capture/function.h"
#include "vitro/core/tensor.h"

namespace vitro::capture {

struct FrozenProgram {
  explicit FrozenProgram(FrozenKey of) : key(std::move(of)) {}
  FrozenKey key;
  const TraceNode* start = nullptr;  // what the inputs must be
  TraceNode* last = nullptr;
  SegmentVariant* variant = nullptr;
  std::vector<sym::Guard> guards;  // all of the path, and what the function's own code asked
  // What the path takes from the function's own code: numbers that vary, and symbols that have
  // their values from plain numbers in attributes.
  std::vector<Scalar> numbers;
  std::vector<std::pair<sym::Expr, int64_t>> symbols;
  // Inputs whose offset the function's own code asked for, and the symbols for it.
  std::vector<std::pair<uint32_t, sym::Expr>> offsets;
  // Tensors that the function reached by itself (parameters), with their slots.
  std::vector<std::pair<const ExternalInput*, Tensor>> reached;
  // Each tensor of the result: a slot, or (no_slot) undefined.
  std::vector<uint32_t> results;
  std::any prototype;
  FrozenProgram* next = nullptr;

  // Programs that two threads recorded at once.
  bool same_as(const FrozenProgram& o) const {
    return key == o.key && last == o.last && variant == o.variant && guards == o.guards &&
           numbers == o.numbers && symbols == o.symbols;
  }
};

}  // namespace vitro::capture
