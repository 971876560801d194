// What a compiled function keeps of a program whose gradients are computed later, and what is
// computed again then.
//
// A gradient needs some values of the program.  Keeping them costs memory; some follow from others
// by cheap ops.  The values that are kept are a minimum cut, by bytes, between what cannot be
// computed again (sums and products, inputs that may be gone) and what is needed: T. Chen et al.,
// "Training Deep Nets with Sublinear Memory Cost", 2016, and PyTorch's
// min_cut_rematerialization_partition.
#pragma once

#include <cstdint>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::aot {

struct Needs {
  std::vector<graph::Value> values;  // that gradients need, and nothing else
  std::vector<graph::Value> kept;    // that are there afterwards in any case
  std::vector<bool> inputs;          // by input of the graph: whether it is still there
  // The share of the bytes at 1 that may be kept, from 0 to 1: below 1, sums and products are
  // computed again, too, those first that give the most bytes for their work.
  double memory_budget = 1;
  // Whose memory the program may write before gradients are computed: nothing is computed from it.
  std::vector<graph::Value> changing = {};
};

struct Partition {
  std::vector<graph::Value> keep;   // in addition to Needs::kept
  std::vector<graph::Value> again;  // of the needed values, to be computed again from kept ones
  int64_t needed_bytes = 0, kept_bytes = 0;
};

// `graph` has no composites.  Sizes that vary count with the values of this run.
Partition partition(const graph::Graph& graph, const Needs& needs);

// The program that computes `values` from some of `given` and the inputs of `graph`.
struct Rematerialization {
  graph::Graph graph;                 // its outputs are the values
  std::vector<graph::Value> sources;  // of its inputs, in order
};
Rematerialization rematerialization(const graph::Graph& graph,
                                    const std::vector<graph::Value>& values,
                                    const std::vector<graph::Value>& given);

}  // namespace vitro::aot
