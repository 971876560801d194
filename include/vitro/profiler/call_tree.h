// Where time went, by what lay around it: the slices of all threads as one tree, in which slices of
// one name in one place are one node.  What collapsed stacks and flame graphs are made of.  Where
// stacks were recorded the functions of the program stand around what they called.
//   const CallTree tree(profile);
//   for (const CallTree::Node& node : tree.nodes()) use(node.name, node.total);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/profiler/profile.h"
#include "vitro/report/flame.h"

namespace vitro {

enum class Metric : uint8_t {
  self_cpu_time,  // nanoseconds
  allocated,      // bytes; what is freed is not taken off
  calls
};
std::string_view name_of(Metric metric);

// "self_cpu_time_total", "self_cpu_memory_usage" as PyTorch calls them, "calls".  Error for others.
Metric metric_named(std::string_view name);

class CallTree {
 public:
  using Node = report::FlameNode;

  // Threads of one name are one node below the root.  Keeps no reference to the profile.
  // `functions`: with those of the program.
  explicit CallTree(const Profile& profile, Metric metric = Metric::self_cpu_time,
                    bool functions = true);

  // Depth first, siblings by name: the first is the root.
  const std::vector<Node>& nodes() const& { return nodes_; }
  Metric metric() const { return metric_; }

 private:
  Metric metric_;
  std::vector<Node> nodes_;
};

// As report/flame.h says.
void write_stacks(const CallTree& tree, report::Output& out);
void write_flame_graph(const CallTree& tree, std::string_view title, report::Output& out);

}  // namespace vitro
