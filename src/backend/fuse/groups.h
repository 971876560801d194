// Which compute nodes become one kernel.
//
// Every compute node starts as its own group. In program order each one joins the groups of its
// producers if it can: one loop nest over one iteration space, in which every element is read by
// the iteration that computes it. Then groups over the same space that read the same values, or
// write parts of one tensor, are merged. Every decision, yes or no, is recorded with its reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/program/iteration_space.h"
#include "backend/schedule/fusion.h"
#include "vitro/base/verdict.h"
#include "vitro/graph/build_report.h"

namespace vitro::backend {

// The loops of a group and, for each compute node, the map from their indices to the element that
// one iteration computes; the map is empty if the element is computed where its only reader needs
// it.
struct GroupIteration {
  IterationSpace space;
  std::vector<IndexMap> index_maps;  // by compute node
};

struct Group {
  std::vector<ComputeNodeId> compute_nodes;  // in program order
  GroupIteration iteration;
  // Those whose elements another group reads, or that are outputs.
  std::vector<ComputeNodeId> stored;
  std::optional<ComputeNodeId> product = {};  // the compute node that is a product
  // A product, the reduction of its rows, and a product with those rows: they run one after another
  // on a block of rows in scratch memory. Empty if the group is one loop nest.
  std::vector<Group> stages = {};
  bool has(ComputeNodeId id) const;
  const IndexMap& index_map(ComputeNodeId id) const;
};

struct Groups {
  std::vector<Group> groups;            // in an order in which they can run
  std::vector<FusionReport> decisions;  // by the names of compute nodes
};

Groups fuse(const Program& program, const FuseOptions& options = {});

// Why two groups stay apart if a third one must run between them.
extern const Code cycle;

// Makes one group of each product whose rows are reduced into the left operand of another product.
void chain_products(const Program& program, Groups& groups);

// Whether the compute nodes can be one group; fills in `iteration` if they can.
Verdict can_group(const Program& program, const std::vector<ComputeNodeId>& compute_nodes,
                  GroupIteration* iteration);

}  // namespace vitro::backend
