// The program as a value: nodes in core ATen names, in an order in which every operand comes first,
// with symbolic sizes, and the module path and source position of each node.  A graph is
// functional: nothing is written in place; what a program writes stands among the outputs, marked
// with the input that receives it.
//
//   graph[s0=32](x: f32[s0, 128], weight: parameter f32[128, 128]) {
//     permute: f32[128, 128]{strides=[1, 128]} = permute(weight, dims=[1, 0])  # mlp.cpp:12 fc1
//     mm: f32[s0, 128] = mm(x, permute)                                        # mlp.cpp:12 fc1
//     relu: f32[s0, 128] = relu(mm)                                            # mlp.cpp:13
//     return relu
//   }
//
// A node is one call, written as ATen's schema of the op names its arguments (core/schema.h); those
// that have their default are left out.  Sizes carry this run's numbers as hints: shape rules
// answer with them (and leave guards in the thread's GuardSink).  print writes this text and parse
// reads it back, and any other way to write a call that the schema allows; verify says what is
// wrong with a graph, interpret runs it, pass.h changes it. Threads: a graph is a value; concurrent
// reads are fine.
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

// An operand: left out, a value, or a number written into the program.
using Arg = std::variant<std::monostate, Value, Scalar>;

// Where a node comes from.  `file` lives as long as the program does (interned where it was read
// from text).
struct SourceLocation {
  std::string_view file;  // empty: not known
  uint32_t line = 0;
  uint32_t module = 0;  // base/module_path.h
  const OpDef* op = nullptr;  // what the program called, of a node that it was decomposed into
};

enum class InputKind : uint8_t {
  argument,   // a tensor that the caller passes, or that an earlier segment left
  parameter,  // the same, but marked as a parameter: packed and folded per version of its storage
  number,     // a plain number that may differ from call to call; its meta is 0-d, of the dtype
              // that such a number has (bool, i64, f64): to shape rules it is a number
};

struct Node {
  const OpDef* op = nullptr;  // null: an input of the graph
  std::vector<Arg> args;
  Attrs attrs;
  std::vector<TensorMeta> results;  // one for most ops; strides are those that eager would give
  std::string name;                 // unique in the graph: "mm", "mm_1"; given by Graph::add
  SourceLocation place;
  InputKind input = InputKind::argument;  // inputs only

  bool is_input() const { return op == nullptr; }
};

// Each output is a tensor of its own, also where two are one value, or one is an input or a view of
// one (passes may make them so): whoever runs a graph copies where it must.
struct Output {
  Value value;
  int writes = -1;  // the input (by place in inputs()) that receives the value when the graph has
                    // run, or -1: a new tensor
};

class Graph {
 public:
  // A name that is taken, or that print could not write, is changed a little.
  NodeId add_input(std::string name, TensorMeta meta, InputKind kind = InputKind::argument,
                   SourceLocation place = {});
  // Runs the op's shape rule; a free name is made from the op's.  Operands must be in the graph
  // already; those at the end that are left out or have their default are not kept.
  NodeId add(const OpDef& op, std::vector<Arg> args, Attrs attrs = {}, SourceLocation place = {});
  // The same with results that are known already.
  NodeId add(Node node);
  // The names that nodes of `g` have are for them, when they are added under these.
  void keep_names_of(const Graph& g);
  // Names that were made of an op's are made again, in that order of the nodes.
  void name_in(const std::vector<NodeId>& order);
  // Room for as many nodes.
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
  // Size symbols in the order in which a call passes their values.
  const std::vector<sym::Expr>& symbols() const { return symbols_; }
  // Their values in the run whose numbers the graph's sizes carry.
  const std::vector<int64_t>& hints() const { return hints_; }
  void set_symbols(std::vector<sym::Expr> symbols, std::vector<int64_t> hints);

  // By node number: the nodes that read one of its results (outputs not counted), in order.
  std::vector<std::vector<NodeId>> users() const;
  // Same program: names, places, the order of nodes and nodes that nobody reads do not count,
  // everything else does.
  Hash hash() const;
  // Same text: names, places, numbers of symbols and nodes that nobody reads count, too.
  friend bool operator==(const Graph& a, const Graph& b);

 private:
  struct Taken {
    uint32_t next = 1;     // the number to try next
    bool is_kept = false;  // for a node that is still to come
  };
  // `named`: the node comes with that name.
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
// Empty, or what is wrong: operands before use, arity, attributes of the right type, metas as the
// shape rule gives them, ...
std::string verify(const Graph& g);
// Runs the graph through the door, op by op: inputs are tensors or numbers in order of inputs(),
// symbols values in order of symbols() (none: read off the sizes of the inputs, else the hints).
// Outputs in order, each in memory of its own; written inputs are not written.  The oracle of every
// pass and of the compiler.
std::vector<Tensor> interpret(const Graph& g, std::span<const Operand> inputs,
                              std::span<const int64_t> symbols = {});

}  // namespace vitro::graph
