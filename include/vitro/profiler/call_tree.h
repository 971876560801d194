// Where time went, by call path: the slices of all threads merged into one tree, in which slices of
// the same name and path are one node.  Collapsed stacks and flame graphs are made from it.  If
// stacks were recorded, the program's functions appear around what they called.
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
  allocated,      // bytes; frees are not subtracted
  calls
};
std::string_view name_of(Metric metric);

// "self_cpu_time_total" and "self_cpu_memory_usage" as in PyTorch, and "calls".  Throws Error for
// others.
Metric metric_named(std::string_view name);

class CallTree {
 public:
  using Node = report::FlameNode;

  // Threads of the same name are one node below the root.  Does not keep a reference to the
  // profile. `functions`: include the program's functions.
  explicit CallTree(const Profile& profile, Metric metric = Metric::self_cpu_time,
                    bool functions = true);

  // In depth-first order, siblings by name: the first is the root.
  const std::vector<Node>& nodes() const& { return nodes_; }
  Metric metric() const { return metric_; }

 private:
  Metric metric_;
  std::vector<Node> nodes_;
};

// See report/flame.h.
void write_stacks(const CallTree& tree, report::Output& out);
void write_flame_graph(const CallTree& tree, std::string_view title, report::Output& out);

}  // namespace vitro
