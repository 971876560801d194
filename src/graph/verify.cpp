// Checks the invariants of a graph (vitro/graph/graph.h); run_passes calls it after passes.
#include "graph/verify.h"

#include <unordered_set>

#include "graph/metas.h"
#include "graph/names.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/core/reach.h"
#include "vitro/graph/graph.h"

namespace vitro::graph {
namespace {

// Each check returns its first error, or an empty string.
class Check {
 public:
  explicit Check(const Graph& g) : g_(g) {}

  std::string run() {
    for (const sym::Expr symbol : g_.symbols()) {
      if (!symbol.is_symbol())
        return cat("graph: ", symbol, " in the list of symbols is not a symbol");
      if (!symbols_.insert(symbol.text()).second)
        return cat("graph: the symbol ", symbol, " is listed twice");
    }
    for (at_ = 0; at_ < g_.size(); ++at_) {
      const Node& node = g_.nodes()[at_];
      std::string wrong = name(node);
      if (wrong.empty()) wrong = node.is_input() ? input(node) : operands(node);
      if (wrong.empty()) wrong = given_size(node);
      if (wrong.empty()) wrong = known_symbols(node);
      if (wrong.empty() && !node.is_input()) wrong = results(node);
      if (!wrong.empty()) return cat("node ", node.name, ": ", wrong);
    }
    return outputs();
  }

  std::string run_values() {
    for (at_ = 0; at_ < g_.size(); ++at_) {
      const std::string wrong = operands(g_.nodes()[at_]);
      if (!wrong.empty()) return cat("node ", g_.nodes()[at_].name, ": ", wrong);
    }
    for (const Output& output : g_.outputs()) {
      const std::string wrong = exists(output);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  std::string name(const Node& node) {
    if (!is_writable_name(node.name)) return "its name cannot be written in graph text";
    if (!names_.insert(node.name).second) return "another node has the same name";
    if (symbols_.count(node.name) != 0) return "a size symbol has the same name";
    return {};
  }

  static std::string input(const Node& node) {
    if (node.results.size() != 1) return cat("an input has one result, not ", node.results.size());
    if (!node.args.empty()) return "an input has no operands";
    if (node.input == InputKind::number && node.results[0].rank() != 0)
      return "an input that is a number has no dimensions";
    try {
      check_sizes("input", node.results[0]);
    } catch (const Error& error) {
      return std::string(error.message());
    }
    return {};
  }

  std::string operands(const Node& node) const {
    for (const Arg& arg : node.args) {
      const auto* value = std::get_if<Value>(&arg);
      if (!value) continue;
      if (value->node.n >= at_)
        return cat("operand number ", value->node.n, " comes after its use");
      if (value->output >= g_[value->node].results.size())
        return cat("its operand ", g_[value->node].name, " has no result ", value->output);
    }
    return {};
  }

  std::string given_size(const Node& node) {
    if (node.is_input() || !node.op->compaction) return {};
    if (node.results.size() != 1 || node.results[0].sizes.empty()) return "it has one result";
    const sym::Expr symbol = node.results[0].sizes[0].expr();
    if (!symbol.is_symbol() || !sym::is_data(symbol))
      return cat("its first size is ", symbol, ", needs a data-dependent size: u0, u1, ...");
    if (!symbols_.insert(symbol.text()).second)
      return cat("the symbol ", symbol, " has a value already");
    try {
      if (const auto size = data_size(g_, node)) bounds_.add(size->symbol, size->bound);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  std::string known_symbols(const Node& node) {
    std::string wrong;
    each_size(node, [&](Size size) {
      if (!size.is_symbolic() || !checked_.insert(size.expr()).second) return;
      for (const sym::Expr symbol : sym::symbols_of(size.expr())) {
        if (symbols_.count(symbol.text()) == 0)
          wrong = cat("the symbol ", symbol, " is not among the graph's symbols");
      }
    });
    return wrong;
  }

  // Strides are not compared: a pass may replace an operand by one with another layout, and the
  // recorded strides remain those of eager's results.
  std::string results(const Node& node) const {
    const sym::GuardSink answers_are_not_kept;
    std::vector<TensorMeta> expected;
    try {
      expected = infer(g_, *node.op, node.args, node.attrs.view());
    } catch (const Error& error) {
      return error.what();
    }
    if (node.op->compaction) expected[0].sizes[0] = node.results[0].sizes[0];
    if (expected.size() != node.results.size())
      return cat(node.op->name, " returns ", expected.size(), " results, but the graph has ",
                 node.results.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const TensorMeta &want = expected[i], &got = node.results[i];
      if (want.dtype != got.dtype || !same_sizes(want.sizes, got.sizes))
        return cat("result ", i, " is recorded as ", got.dtype, got.sizes, ", but ", node.op->name,
                   " returns ", want.dtype, want.sizes);
      if (got.strides.size() != got.sizes.size())
        return cat("result ", i, " has ", got.strides.size(), " strides for ", got.sizes.size(),
                   " sizes");
    }
    return {};
  }

  static bool same_sizes(const Sizes& a, const Sizes& b) {
    if (a.size() != b.size()) return false;
    for (size_t d = 0; d < a.size(); ++d) {
      if (!identical(a[d], b[d]) && sym::prove_equal(a[d].expr(), b[d].expr()) != true)
        return false;
    }
    return true;
  }

  std::string exists(const Output& output) const {
    const Value value = output.value;
    if (value.node.n >= g_.size() || value.output >= g_[value.node].results.size())
      return cat("graph: returns result ", value.output, " of node number ", value.node.n,
                 ", which it does not have");
    if (output.writes >= static_cast<int>(g_.inputs().size()))
      return cat("graph: writes to input ", output.writes, " of ", g_.inputs().size());
    return {};
  }

  std::string outputs() const {
    for (const Output& output : g_.outputs()) {
      const Value value = output.value;
      if (std::string wrong = exists(output); !wrong.empty()) return wrong;
      if (output.writes < 0) continue;
      const NodeId written = g_.inputs()[static_cast<size_t>(output.writes)];
      const TensorMeta &from = g_.meta(value), &to = g_.meta({written, 0});
      if (from.dtype != to.dtype || !same_sizes(from.sizes, to.sizes))
        return cat("graph: writes ", from.dtype, from.sizes, " to the input ", g_[written].name,
                   ", which is ", to.dtype, to.sizes);
    }
    return {};
  }

  const Graph& g_;
  size_t at_ = 0;
  std::unordered_set<std::string_view> names_;
  std::unordered_set<std::string> symbols_;
  sym::DataBounds bounds_;                 // in effect while the graph is checked
  std::unordered_set<sym::Expr> checked_;  // sizes whose symbols were already checked
};

}  // namespace

std::string verify_values(const Graph& g) {
  return Check(g).run_values();
}

std::string verify(const Graph& g) {
  return Check(g).run();
}

}  // namespace vitro::graph
