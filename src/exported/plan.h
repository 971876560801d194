// A program made ready to run: each node with the op, operator or sub-graphs that it calls, its
// arguments prepared, and the values that nobody needs after it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/pt2/number_operators.h"
#include "io/pt2/program.h"
#include "vitro/core/arg_value.h"
#include "vitro/ops/overload.h"

namespace vitro::exported {

// Programs of higher-order ops, by what they do with their sub-graphs.
enum class Control : uint8_t { none, cond, while_loop, scan, map, associative_scan, region };

struct Plan;

struct Step {
  const io::ProgramNode* node = nullptr;
  // Exactly one of these.
  const ops::Overload* overload = nullptr;
  const io::NumberOperator* number = nullptr;
  Control control = Control::none;
  bool asserts = false;

  bool needs_memory = false;  // a copy instead of a view would give other results
  // Of a view as another dtype that need not be one: what makes a copy of a tensor that has no
  // memory yet.
  const ops::Overload* copy = nullptr;
  // The result is a view, and the operand becomes the same tensor: unsqueeze_(x, 0).
  bool changes_operand = false;

  // The arguments of an op, with the places of those that hold values of the program.
  std::vector<ArgValue> positional;
  std::vector<NamedArg> named;
  struct Hole {
    bool is_named;
    size_t index;
    const io::ProgramArgument* argument;
    bool needs_tensor;  // a number becomes a tensor without dimensions
  };
  std::vector<Hole> holes;
  std::vector<Plan> graphs;       // of a higher-order op, in the order of its arguments
  std::vector<uint32_t> tensors;  // values that it defines, without numbers
  std::vector<uint32_t> release;  // values that are not used after this step
};

struct Plan {
  const io::ProgramGraph* graph = nullptr;
  std::vector<Step> steps;
  std::vector<uint32_t> unused;  // inputs that no step uses
};

// Points into `graph`.  Error: ops that Vitro lacks, all in one message, or arguments that do not
// fit their schemas.
Plan make_plan(const io::ProgramGraph& graph, std::string_view model);

// "aten.add.Tensor" of "torch.ops.aten.add.Tensor".
std::string_view short_target(std::string_view target);

// The schema's argument that a program calls by this name; null if there is none.
const SchemaArgument* argument_of(const Schema& schema, std::string_view name);

// The value of an argument, given those of the graph.
ArgValue value_of(const io::ProgramArgument& argument, std::span<const ArgValue> values);

}  // namespace vitro::exported
