// What several files of graph/ ask about the metas and symbols of a graph.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::graph {

// Everything the same, symbols compared as expressions.
bool same(const TensorMeta& a, const TensorMeta& b);
// Where only the offset may differ: a value with meta `a` can stand for one with meta `b`.
bool fits(const TensorMeta& a, const TensorMeta& b);
void add_to(Hasher& h, const TensorMeta& meta);

// The shape rule on operands of `g`: results' metas.  Error as the op words it.
std::vector<TensorMeta> infer(const Graph& g, const OpDef& op, std::span<const Arg> args,
                              AttrsView attrs);

// What ops::common_dtype and ops::operand_dtype say of a pointwise node.
DType common_dtype(const Graph& g, const Node& node);
DType operand_dtype(const Graph& g, const Node& node, size_t i);

using OpProgram = void (*)(std::span<const Operand>, AttrsView, std::span<Tensor>);
// What the op is written in where it gives `result`; null where it is one of its own: no composite,
// nor a product of whole numbers.
OpProgram program_of(const OpDef& op, DType result);

// Values of symbols, few enough for a list.
class SymbolValues {
 public:
  SymbolValues() = default;
  explicit SymbolValues(const Graph& g);  // its hints
  // The first value given stays.
  void note(sym::Expr symbol, int64_t value);
  // A size with its number: binds the symbol in `expr` if it is the only one not known.
  void note_size(sym::Expr expr, int64_t value);
  void note_hints(const TensorMeta& meta);
  const int64_t* find(sym::Expr symbol) const;
  // Error where a symbol is not known.
  int64_t operator()(sym::Expr expr) const;
  bool empty() const { return values_.empty(); }
  // The same size with this run's number.
  Size now(Size size) const {
    return size.is_symbolic() ? Size((*this)(size.expr()), size.expr()) : size;
  }
  // Just the number.
  Size plain(Size size) const { return size.is_symbolic() ? Size((*this)(size.expr())) : size; }

 private:
  std::vector<std::pair<sym::Expr, int64_t>> values_;
};

// The size that data decide and that the node gives its value: its symbol, and what it is at most.
struct DataSize {
  sym::Expr symbol, bound;
};
std::optional<DataSize> data_size(const Graph& g, const Node& node);  // none: it gives none
// Those of all nodes.
void add_bounds(const Graph& g, sym::DataBounds& to);

// Which nodes have to run before a node beside those that make its operands: they give sizes that
// it names their values.
class DataGivers {
 public:
  explicit DataGivers(const Graph& g);
  std::vector<NodeId> needed_by(const Node& node) const;

 private:
  std::vector<std::pair<sym::Expr, NodeId>> givers_;
};

// Symbols whose values the sizes of the graph's inputs do not show.
std::vector<sym::Expr> symbols_not_in_sizes(const Graph& g);

// Applies f to every size and symbolic number of the node (args, attributes, results).
void map_sizes(Node& node, const SizeMap& f);

// Calls f with each size and symbolic number of the node.
void each_size(const Node& node, const std::function<void(Size)>& f);

}  // namespace vitro::graph
