// A pass takes a graph and returns a graph; a pipeline is a table of passes.  run_passes times each
// pass, reports its result and whether it changed the graph, and verifies: after each pass that
// values are defined before their uses, everything else after the last pass.
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
  std::string_view why = {};  // why it runs at this point of the pipeline
  bool exact = true;          // results are bit-identical
};

struct PassReport {
  std::string_view name;
  bool changed = false;
  int64_t ns = 0;
  size_t nodes_before = 0, nodes_after = 0;
};

// The pipeline for every backend, in order (pass.cpp).  Shape rules that run in expansions and
// rewrites decide questions about symbols; install a sym::GuardSink to collect the guards.
std::span<const Pass> standard_passes();
// The bit-exact ones among `passes` (CompileOptions::exact).
std::vector<Pass> exact_passes(std::span<const Pass> passes);

// Throws a Bug that names the pass if one leaves an invalid graph.  `after`, unless null, is called
// with the graph after each pass; `subject` names the graph's owner in the recorded phases.
Graph run_passes(const Graph& start, std::span<const Pass> passes,
                 std::vector<PassReport>* reports = nullptr,
                 const std::function<void(std::string_view, const Graph&)>& after = nullptr,
                 std::string_view subject = {});

// Sorts nodes by their first use from the outputs, drops dead nodes and renumbers names: the same
// program gives the same text, whatever order the C++ compiler evaluates arguments in.
Graph order_by_use(Graph g);
// Removes dead nodes.
Graph drop_dead(Graph g);
// Computes values that depend only on constants, as one element, and replaces constant-filled
// operands of elementwise ops by numbers.  Needs eager; without it, nothing is computed.
Graph fold_constants(Graph g);
// Equal nodes become one (common subexpression elimination).
Graph merge_same(Graph g);
// Applies the rules of passes/rules.cpp, all of them bit-exact, and shortens chains of views.
Graph algebra(Graph g);
// Expands composite ops into the ops that they are written in.
Graph decompose(Graph g);

}  // namespace vitro::graph
