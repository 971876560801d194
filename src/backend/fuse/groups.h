// Which items become one kernel.
//
// Every item starts alone.  In the order of the program each one joins the groups of what it reads
// where that is possible: one loop over one iteration space in which every element is read where it
// is made.  Then groups over the same space that read the same things, or write parts of one
// tensor, become one.  Every decision, yes or no, is kept with its sentence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/program/iteration_space.h"
#include "backend/schedule/fusion.h"
#include "vitro/base/verdict.h"
#include "vitro/graph/build_report.h"

namespace vitro::backend {

// The loops of a group, and for each item the map from their indices to the element of it that one
// iteration computes; an empty map if the item is computed where its one reader needs it.
struct GroupIteration {
  IterationSpace space;
  std::vector<IndexMap> index_maps;  // by item
};

struct Group {
  std::vector<ItemId> items;  // in order of the program
  GroupIteration iteration;
  std::vector<ItemId> stored;  // those whose elements somebody else reads, or the caller gets
  std::optional<ItemId> product = {};  // the item that is one
  // A product, what folds its rows, a product with those rows: they run one after the other for
  // some rows at a time, which stay in scratch memory.  Empty where the group is one loop nest.
  std::vector<Group> stages = {};
  bool has(ItemId id) const;
  const IndexMap& index_map(ItemId id) const;
};

struct Groups {
  std::vector<Group> groups;            // in an order in which they can run
  std::vector<FusionReport> decisions;  // by the names of items
};

Groups fuse(const Program& program, const FuseOptions& options = {});

// Why two groups stay apart where a third one has to run between them.
extern const Code cycle;

// Makes one group of each product whose rows are folded for another product's left operand.
void chain_products(const Program& program, Groups& groups);

// Whether the items can be one group; `iteration` is filled in if they can.
Verdict can_group(const Program& program, const std::vector<ItemId>& items,
                  GroupIteration* iteration);

}  // namespace vitro::backend
