// Queries about the metas and symbols of a graph, shared by the files of graph/.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::graph {

// Whether all members are equal, symbolic sizes compared as expressions.
bool same(const TensorMeta& a, const TensorMeta& b);
// The same but for the offset: a value with meta `a` can replace one with meta `b`.
bool fits(const TensorMeta& a, const TensorMeta& b);
void add_to(Hasher& h, const TensorMeta& meta);

// The metas of the results, by the shape rule of the op.  Throws the op's Error.
std::vector<TensorMeta> infer(const Graph& g, const OpDef& op, std::span<const Arg> args,
                              AttrsView attrs);

// ops::common_dtype and ops::operand_dtype of a pointwise node.
DType common_dtype(const Graph& g, const Node& node);
DType operand_dtype(const Graph& g, const Node& node, size_t i);

using OpProgram = void (*)(std::span<const Operand>, AttrsView, std::span<Tensor>);
// The expansion of the op when its result has dtype `result`; null unless the op is a composite or
// a product of integers.
OpProgram program_of(const OpDef& op, DType result);

// Values of symbols; a list, as there are few.
class SymbolValues {
 public:
  SymbolValues() = default;
  explicit SymbolValues(const Graph& g);  // the hints of its symbols
  // The first value noted for a symbol is kept.
  void note(sym::Expr symbol, int64_t value);
  // Solves expr == value for the only unknown symbol of `expr`, if there is exactly one.
  void note_size(sym::Expr expr, int64_t value);
  void note_hints(const TensorMeta& meta);
  const int64_t* find(sym::Expr symbol) const;
  // Error if a symbol has no value.
  int64_t operator()(sym::Expr expr) const;
  bool empty() const { return values_.empty(); }
  // The same size with its current value as hint.
  Size now(Size size) const {
    return size.is_symbolic() ? Size((*this)(size.expr()), size.expr()) : size;
  }
  // Only the number.
  Size plain(Size size) const { return size.is_symbolic() ? Size((*this)(size.expr())) : size; }

 private:
  std::vector<std::pair<sym::Expr, int64_t>> values_;
};

// The data size that a node defines: its symbol and its upper bound.
struct DataSize {
  sym::Expr symbol, bound;
};
std::optional<DataSize> data_size(const Graph& g, const Node& node);  // nothing if it defines none
// Adds the bounds of all data sizes of the graph.
void add_bounds(const Graph& g, sym::DataBounds& to);

// Nodes that must run before a node besides its operands, because they define data sizes that the
// node mentions.
class DataGivers {
 public:
  explicit DataGivers(const Graph& g);
  std::vector<NodeId> needed_by(const Node& node) const;

 private:
  std::vector<std::pair<sym::Expr, NodeId>> givers_;
};

// Symbols whose values cannot be derived from the sizes of the graph's inputs.
std::vector<sym::Expr> symbols_not_in_sizes(const Graph& g);

// Applies f to every size and symbolic number of the node (operands, attributes, results).
void map_sizes(Node& node, const SizeMap& f);

// Calls f with each size and symbolic number of the node.
void each_size(const Node& node, const std::function<void(Size)>& f);

}  // namespace vitro::graph
