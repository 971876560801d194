// The program as a value: nodes in core ATen names, in topological order, with symbolic sizes, and
// the module path and source location of each node.  A graph is functional: nothing is written in
// place; a value that the program writes is an output, marked with the input that receives it.
//
//   graph[s0=32](x: f32[s0, 128], weight: parameter f32[128, 128]) {
//     permute: f32[128, 128]{strides=[1, 128]} = permute(weight, dims=[1, 0])  # mlp.cpp:12 fc1
//     mm: f32[s0, 128] = mm(x, permute)                                        # mlp.cpp:12 fc1
//     relu: f32[s0, 128] = relu(mm)                                            # mlp.cpp:13
//     return relu
//   }
//
// A node is one call, printed with the argument names of ATen's schema of the op (core/schema.h);
// arguments that equal their defaults are omitted.  Sizes carry the numbers of this run as hints:
// shape rules decide by them (and leave guards in the thread's GuardSink).  print writes this text;
// parse reads it back, and accepts any form of a call that the schema allows.  verify checks a
// graph, interpret runs it, pass.h transforms it.  Threads: a graph is a value; concurrent reads
// are safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "vitro/base/hash.h"
#include "vitro/base/id.h"
#include "vitro/base/result.h"
#include "vitro/core/op.h"

namespace vitro::graph {

using NodeId = Id<struct NodeTag>;

// Result number `output` of a node.
struct Value {
  NodeId node;
  uint32_t output = 0;
  auto operator<=>(const Value&) const = default;
};

// An operand: omitted, a value, or a constant number.
using Arg = std::variant<std::monostate, Value, Scalar>;

// Where a node comes from.  `file` lives until the process ends (interned if it was parsed).
struct SourceLocation {
  std::string_view file;  // empty: unknown
  uint32_t line = 0;
  uint32_t module = 0;  // base/module_path.h
  // What the program called, of a node that is a part of it; empty: the node's op. Lives as long as
  // the program.
  std::string_view call = {};
};

enum class InputKind : uint8_t {
  argument,   // a tensor passed by the caller, or left by an earlier segment
  parameter,  // the same, but marked as a parameter: packed and folded once per version of its
              // storage
  number,     // a plain number that may differ from call to call; its meta is 0-d, with the dtype
              // of its kind (bool, i64, f64); shape rules treat it as a number
};

struct Node {
  const OpDef* op = nullptr;  // null: an input of the graph
  std::vector<Arg> args;
  Attrs attrs;
  std::vector<TensorMeta> results;  // one for most ops; strides are those of eager's results
  std::string name;                 // unique in the graph: "mm", "mm_1"; given by Graph::add
  SourceLocation location;
  InputKind input = InputKind::argument;  // inputs only

  bool is_input() const { return op == nullptr; }
};

// Each output is a separate tensor, even if two outputs are the same value, or one is an input or a
// view of an input (passes may cause this): code that runs a graph copies if necessary.
struct Output {
  Value value;
  int writes = -1;  // index in inputs() of the input that receives the value after the graph has
                    // run; -1: a new tensor
};

class Graph {
 public:
  // A name that is taken, or that graph text cannot hold, is adjusted.
  NodeId add_input(std::string name, TensorMeta meta, InputKind kind = InputKind::argument,
                   SourceLocation location = {});
  // Runs the op's shape rule and makes a unique name from the op's.  Operands must already be in
  // the graph; trailing ones that are omitted or equal their defaults are dropped.
  NodeId add(const OpDef& op, std::vector<Arg> args, Attrs attrs = {},
             SourceLocation location = {});
  // The same with known results.
  NodeId add(Node node);
  // Reserves the names of the nodes of `g` for them, until they are added here.
  void keep_names_of(const Graph& g);
  // Renumbers the names made from op names, in this order of the nodes.
  void name_in(const std::vector<NodeId>& order);
  // Reserves memory for this number of nodes.
  void reserve(size_t nodes);
  void add_output(Value value, int writes = -1) { outputs_.push_back({value, writes}); }
  // Replaces the outputs.
  void set_outputs(std::vector<Output> outputs) { outputs_ = std::move(outputs); }

  const Node& operator[](NodeId id) const { return nodes_.at(id.n); }
  Node& operator[](NodeId id) { return nodes_.at(id.n); }
  const TensorMeta& meta(Value v) const { return nodes_.at(v.node.n).results.at(v.output); }
  std::span<const Node> nodes() const { return nodes_; }  // inputs among them, all in order of use
  const std::vector<NodeId>& inputs() const { return inputs_; }
  const std::vector<Output>& outputs() const { return outputs_; }
  size_t size() const { return nodes_.size(); }
  // Size symbols, in the order in which a call passes their values.
  const std::vector<sym::Expr>& symbols() const { return symbols_; }
  // Their values in the run that the hints of the graph's sizes come from.
  const std::vector<int64_t>& hints() const { return hints_; }
  void set_symbols(std::vector<sym::Expr> symbols, std::vector<int64_t> hints);

  // For each node, the nodes that read one of its results (not the outputs), in order.
  std::vector<std::vector<NodeId>> users() const;
  // Equal for the same program: ignores names, source locations, the order of nodes and dead nodes.
  Hash hash() const;
  // True if the texts are equal: compares names, source locations, hints and dead nodes, too.
  friend bool operator==(const Graph& a, const Graph& b);

 private:
  struct Taken {
    uint32_t next = 1;     // the next suffix to try
    bool is_kept = false;  // reserved for a node that has not been added yet
  };
  // `named`: `wanted` is the node's own name, and may be a reserved one.
  std::string free_name(std::string_view wanted, bool named);
  std::vector<Node> nodes_;
  std::unordered_map<std::string, Taken> names_;
  std::vector<NodeId> inputs_;
  std::vector<Output> outputs_;
  std::vector<sym::Expr> symbols_;
  std::vector<int64_t> hints_;
};

std::string print(const Graph& g);
Result<Graph> parse(std::string_view text);  // parse(print(g)) == g
// Empty, or the first error.  Checks that operands come before their uses, arity, types of
// attributes, metas against the shape rules, ...
std::string verify(const Graph& g);
// Runs the graph through the door, op by op.  `inputs` are tensors or numbers in the order of
// inputs(); `symbols` are values in the order of symbols() (if empty: taken from the sizes of the
// inputs, else the hints).  Returns the outputs in order, each in its own memory; inputs are never
// written.  The oracle for passes and the compiler.
std::vector<Tensor> interpret(const Graph& g, std::span<const Operand> inputs,
                              std::span<const int64_t> symbols = {});

}  // namespace vitro::graph
