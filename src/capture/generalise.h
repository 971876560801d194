// Finds the node that a new one is generalized from: what differs between the two becomes symbols
// and arguments, so that the new node, and what follows it, fits both calls.
// Threads: that of the call that owns the slots.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "capture/slots.h"
#include "capture/trace_node.h"

namespace vitro::capture {

// A node that a call resembles, and for each operand of the call the node's corresponding one.
struct Likeness {
  const TraceNode* node = nullptr;  // null: no such node
  std::vector<int> operands;        // -1: none
  const NodeOperand* operand(size_t i) const {
    return !node || operands[i] < 0 ? nullptr : &node->operands[operands[i]];
  }
};

// What a number that differs from the recorded one can become.
enum class Variation : uint8_t {
  none,            // stays a constant
  argument,        // an input of the graph
  count,           // a symbol: sizes depend on it
  of_its_program,  // decided by the ops that the composite is written with
};
Variation variation_of(const OpDef* op, const Scalar& number);

// The most general node at `link` that differs from the call only in sizes and numbers.
Likeness similar(const std::atomic<TraceNode*>& link, const OpCall& call, Modes modes,
                 const Slots& slots);
// `node` (may be null; the latest node for the call's place, reached on another path), if it
// differs from the call only in sizes, numbers and slots.
Likeness like_at(const TraceNode* node, const OpCall& call, const Slots& slots);
// Whether the op is a composite whose numbers differ from the recorded ones: it is then captured as
// the ops that it is written with, whose numbers may vary.
bool numbers_differ(const TraceNode& like, const OpCall& call);

}  // namespace vitro::capture
