// Writes a graph as a program of torch.export, `models/NAME.json`: nodes in ATen's ops, sizes as
// expressions and the nodes that compute them, written inputs as mutations.
//   std::string json = program_text({graph, weights});
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::io {

// An input of the graph that is not an argument of the program.
struct SavedWeight {
  enum class Kind : uint8_t { parameter, buffer, constant };
  size_t input = 0;  // its number among the graph's inputs
  std::string name;  // "encoder.weight"
  Kind kind = Kind::parameter;
};

struct SavedProgram {
  const graph::Graph& graph;
  std::span<const SavedWeight> weights;  // ascending
  // Names of the outputs that write nothing: the program then returns a dict; none: a tensor, or a
  // tuple of them.
  std::span<const std::string> outputs;
  std::span<const sym::Guard> guards;  // in the graph's symbols
};

// The names of the arguments in the program: those of the graph's inputs that are not weights, as
// Python can have them.
std::vector<std::string> argument_names(const SavedProgram& program);

// Error that lists all ops that ATen does not have, with their places, or says what else cannot be
// written: an input that is a number, a symbol that is no size of an input.
std::string program_text(const SavedProgram& program);

}  // namespace vitro::io
