// What a graph is compiled to: an executable, or with data sizes one for each part, and the ops
// between them that decide the sizes.
//   CompiledGraph compiled(graph);  for (g : compiled.graphs()) compiled.add(executable_of(g));
//   compiled.run(inputs, symbols, outputs);
// Threads: run() may be called concurrently.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/run/executable.h"
#include "compile/partition.h"

namespace vitro::pipeline {

class CompiledGraph {
 public:
  // A graph without data sizes is not needed later, and may be empty.
  explicit CompiledGraph(graph::Graph graph);
  // The graph if it has data sizes, otherwise null.
  const graph::Graph* graph() const { return partition_ ? &graph_ : nullptr; }
  // The graphs to compile, in order; each may use the symbols that earlier ones decide.
  std::span<const graph::Graph* const> graphs() const { return graphs_; }
  // Pass null for a graph without outputs; only a graph that has parts can have one.
  void add(std::unique_ptr<backend::Executable> made) { made_.push_back(std::move(made)); }

  std::span<const std::unique_ptr<backend::Executable>> made() const { return made_; }

  void run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
           std::span<Tensor> outputs);
  // As Executable::may_fail_late().  Only the last part of several writes inputs; an index that it
  // checks may be a result of an earlier part, so that it counts as one that may be out of range.
  bool may_fail_late(std::span<const Operand> inputs, std::span<const int64_t> symbols) const {
    const backend::Executable* last = made_.back().get();
    if (!partition_) return last->may_fail_late(inputs, symbols);
    return last && (last->plan().may_fail_late || !last->plan().late_indices.empty());
  }
  int compactions() const { return compactions_; }

 private:
  struct Run;
  graph::Graph graph_;
  std::unique_ptr<const Partition> partition_;  // null: a single part
  std::vector<const graph::Graph*> graphs_;
  std::vector<std::unique_ptr<backend::Executable>> made_;
  int compactions_ = 0;
};

}  // namespace vitro::pipeline
