// A pass takes a graph and returns a graph; a pipeline is a table of them.  The loop around it is
// written once: it times, dumps, detects change, and verifies: after each pass that values are
// there where they are read, all the rest after the last.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::graph {

struct Pass {
  std::string_view name;  // stable: logs, dumps and tests refer to it
  Graph (*run)(Graph);
  std::string_view why = {};  // why it stands here in the order
  bool exact = true;          // keeps every bit of every result
};

struct PassReport {
  std::string_view name;
  bool changed = false;
  int64_t ns = 0;
  size_t nodes_before = 0, nodes_after = 0;
};

// What is done with the graph on every backend: order_by_use, decompose, fold_constants, algebra,
// merge_same, drop_dead.  Shape rules that run in expansions and rewrites ask questions about
// symbols: keep a sym::GuardSink to hear them.
std::span<const Pass> standard_passes();
// Those of them that keep every bit (CompileOptions::exact).
std::vector<Pass> exact_passes(std::span<const Pass> passes);

// A Bug that names the pass where it leaves a graph that does not verify.  `after` sees the graph
// after each pass (may be null); `subject` is whose graph it is, in the phases that are kept.
Graph run_passes(const Graph& start, std::span<const Pass> passes,
                 std::vector<PassReport>* reports = nullptr,
                 const std::function<void(std::string_view, const Graph&)>& after = nullptr,
                 std::string_view subject = {});

// Puts nodes in the order of their first use from the outputs, without those nobody reads, and
// numbers their names anew: the same program is the same text, whatever order the compiler it was
// built with evaluates arguments in.
Graph order_by_use(Graph g);
// Removes nodes nobody reads.
Graph drop_dead(Graph g);
// Computes what consists of numbers of the program alone, as one element, and hands numbers instead
// of tensors full of one number to elementwise ops.  Needs eager; without, nothing is computed.
Graph fold_constants(Graph g);
// Equal nodes become one (common subexpression elimination).
Graph merge_same(Graph g);
// Rewrites by the rules of passes/rules.cpp, bit-exact ones only, and shortens chains of views.
Graph algebra(Graph g);
// Expands composite ops into what they are written in.
Graph decompose(Graph g);

}  // namespace vitro::graph
