// Compiles captured graphs to kernels: the passes, then the backend.  This is the segment compiler
// of the backend "vitro".
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/machine.h"
#include "vitro/base/result.h"
#include "vitro/capture/segment.h"

namespace vitro::pipeline {

// Threads: any.  `exact`: only passes that preserve every bit of the results.
std::shared_ptr<capture::SegmentCompiler> make_compiler(bool exact = false);

// Notes the graphs that this thread compiles while it lives.
class CompiledHere {
 public:
  struct Captured {
    graph::Graph graph;
    std::string name;
    bool exact = false;
  };
  CompiledHere();
  ~CompiledHere();
  CompiledHere(const CompiledHere&) = delete;
  static CompiledHere* current();

  std::vector<Captured> graphs;

 private:
  CompiledHere* before_;
};

// Plans and modules as bytes, by key.
struct TargetCode {
  std::map<std::string, std::string> plans, modules;
};
// Adds what the graph is compiled to for an instruction set, on a machine like this one otherwise.
// Failure if it cannot be compiled, or kept in a file.
Result<Done> compile_for(const CompiledHere::Captured& captured, kernels::Isa isa, TargetCode& to);

}  // namespace vitro::pipeline
