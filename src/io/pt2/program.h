// A program of torch.export as its file says it, `models/NAME.json`, checked: every value is
// defined once and before it is used, every name of an argument's kind is known, trees and lists of
// inputs and outputs fit.  Whether there are ops of these names is for others to find out.
//   Result<Program> program = parse_program(text, "model");
// Failures name the model, the node and the field.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/pt2/expression.h"
#include "vitro/base/result.h"
#include "vitro/core/dtype.h"
#include "vitro/core/scalar.h"

namespace vitro::io {

struct ProgramGraph;

// An argument or result of a node, an input or output of a graph.
struct ProgramArgument {
  enum class Kind : uint8_t { none, value, number, text, dtype, list, graph };
  Kind kind = Kind::none;
  bool of_tensors = false;  // a list of tensors, in which None is an undefined one
  DType dtype = DType::f32;
  uint32_t value = 0;  // its number in the graph's values
  Scalar number{0};
  std::string text;
  std::vector<ProgramArgument> list;
  std::shared_ptr<const ProgramGraph> graph;
};

struct ProgramInput {
  std::string name;  // of the schema's argument; empty: by position (higher-order ops)
  ProgramArgument argument;
};

struct ProgramNode {
  std::string name;    // "linear_1"; may be empty in old files
  std::string target;  // "torch.ops.aten.add.Tensor"
  std::vector<ProgramInput> inputs;
  std::vector<ProgramArgument> outputs;  // none, value, or a list of these
  std::source_location where;            // the line of Python; line 0: unknown
  uint32_t module = 0;                   // base/module_path.h
};

// A size: a number, or an expression over symbols.
struct ProgramSize {
  int64_t number = 0;  // of an expression: the size in the example, -1 if the file has none
  std::optional<Expression> expression;
};

// What the file says about a tensor.
struct ProgramMeta {
  DType dtype = DType::f32;
  bool is_known_dtype = true;  // false: a dtype that Vitro lacks
  std::vector<ProgramSize> sizes;
};

struct ProgramValue {
  std::string name;
  bool is_number = false;  // a SymInt, SymFloat or SymBool
};

struct ProgramGraph {
  std::vector<ProgramValue> values;
  std::vector<ProgramArgument> inputs, outputs;
  std::vector<ProgramNode> nodes;
  bool returns_one = false;  // a single tensor, not a tuple
};

struct InputSpec {
  enum class Kind : uint8_t { parameter, buffer, constant, user, frozen };
  Kind kind = Kind::user;
  std::string name;                      // the graph's: "p_encoder_weight", "x"
  std::string target;                    // of weights: "encoder.weight"
  bool persistent = true;                // of a buffer
  ProgramArgument literal;               // of a frozen input
  std::optional<ProgramMeta> meta;       // of tensors
  std::optional<Expression> expression;  // of a number given by the user: its symbol
  int64_t example = 1;                   // of that number in the export
};

struct OutputSpec {
  enum class Kind : uint8_t { user, buffer, parameter, user_input, loss, gradient };
  Kind kind = Kind::user;
  std::string target;               // of a mutation, what is written; of a gradient, of what
  std::optional<ProgramMeta> meta;  // of a tensor
};

// How arguments or results are arranged: `{"a": x, "b": [y, z]}`.
struct ProgramTree {
  enum class Kind : uint8_t { leaf, sequence, dict, fields };
  Kind kind = Kind::leaf;
  std::string type;               // "builtins.tuple"
  std::vector<std::string> keys;  // of a dict or of fields, one for each child
  std::vector<bool> integer_key;  // of a dict: the key is an integer
  std::vector<ProgramTree> children;
  size_t leaves() const;
};

struct ProgramRange {
  std::string text;
  Expression expression;
  std::optional<int64_t> low, high;
};

struct Guard {
  std::string text;
  Expression condition;
};

struct Program {
  std::string name, torch_version, dialect;  // dialect: "TRAINING" or "ATEN"
  ProgramGraph graph;
  std::vector<InputSpec> inputs;    // of graph.inputs
  std::vector<OutputSpec> outputs;  // of graph.outputs
  ProgramTree in, out;              // `in`: (positional arguments, dict of keyword arguments)
  std::vector<std::string> argument_names;  // of forward()
  std::vector<ProgramRange> ranges;
  std::vector<Guard> guards;
};

// `name` is what messages call the model.
Result<Program> parse_program(std::string_view json, std::string_view name);
// What the same text says about the tensors of the program's graph: one for each of graph.values,
// without numbers and values that it does not have.
Result<std::vector<std::optional<ProgramMeta>>> parse_metas(std::string_view json,
                                                            const Program& program);

// "x", "xs[0]", "d['a'][3]": one for each leaf of the tree, below `root`.
std::vector<std::string> leaf_paths(const ProgramTree& tree, const std::string& root);
// The same of the arguments of forward(), by their names.
std::vector<std::string> argument_paths(const Program& program);

}  // namespace vitro::io
