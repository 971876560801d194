// What a graph is compiled to: an executable, or where data decide sizes one for each part, with
// the ops between them that decide.
//   Program program(graph);  for (g : program.graphs()) program.add(compiled(g));
//   program.run(inputs, symbols, outputs);
// Threads: run() may be called by many threads at once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/run/executable.h"
#include "compile/parts.h"

namespace vitro::pipeline {

class Program {
 public:
  explicit Program(graph::Graph graph);
  // That are to be compiled, in order; each may name the symbols that those before it decide.
  std::span<const graph::Graph* const> graphs() const { return graphs_; }
  // Null for a graph without outputs, of which there is one only beside others.
  void add(std::unique_ptr<backend::Executable> made) { made_.push_back(std::move(made)); }

  void run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
           std::span<Tensor> outputs);
  // Inputs are written by the last one alone.
  bool may_fail_late() const { return made_.back() && made_.back()->may_fail_late(); }
  int compactions() const { return compactions_; }

 private:
  struct Run;
  graph::Graph graph_;
  std::unique_ptr<const Parts> parts_;  // null: there is one
  std::vector<const graph::Graph*> graphs_;
  std::vector<std::unique_ptr<backend::Executable>> made_;
  int compactions_ = 0;
};

}  // namespace vitro::pipeline
