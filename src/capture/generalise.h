// From which node a new one is recorded: what differs between the two becomes symbols and
// arguments, so that the new node fits both and what comes after them.
// Threads: that of the call whose slots are given.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "capture/slots.h"
#include "capture/trace_node.h"

namespace vitro::capture {

// A node that a call is like, and which of its operands stands for each of the call's.
struct Likeness {
  const TraceNode* node = nullptr;  // null: there is none
  std::vector<int> operands;        // -1: none
  const NodeOperand* operand(size_t i) const {
    return !node || operands[i] < 0 ? nullptr : &node->operands[operands[i]];
  }
};

// What a number that differs from the recorded one may become.
enum class Variation : uint8_t {
  none,            // it is a part of the program
  argument,        // an input of the graph
  count,           // a symbol: sizes depend on it
  of_its_program,  // what becomes of it in the ops that the composite is written in
};
Variation variation_of(const OpDef* op, const Scalar& number);

// Of the nodes at `link`, the most general one from which the call differs only in sizes and
// numbers.
Likeness similar(const std::atomic<TraceNode*>& link, const OpCall& call, Modes modes,
                 const Slots& slots);
// `node`, the latest of the call's place that another path led to (or null), where the call differs
// from it only in sizes, numbers and slots.
Likeness like_at(const TraceNode* node, const OpCall& call, const Slots& slots);
// Whether the op is a composite to which numbers are given that differ from the recorded ones: it
// is taken as the ops that it is written in, whose numbers may vary.
bool numbers_differ(const TraceNode& like, const OpCall& call);

}  // namespace vitro::capture
