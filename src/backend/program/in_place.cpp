// Decides which scatters may write to their input in place: tracks the states of an input along a
// chain of scatters and checks all reads of each.
#include "backend/program/in_place.h"

#include <algorithm>
#include <limits>

#include "backend/program/operand.h"

namespace vitro::backend {
namespace {

graph::Value operand(const graph::Node& node, size_t i) {
  return std::get<graph::Value>(node.args[i]);
}

// The states of an input along a chain of scatters: state 0 is the original input, state n the
// result of the n-th scatter.
class States {
 public:
  States(const Program& p, graph::NodeId input, const std::vector<graph::NodeId>& scatters)
      : p_(p), g_(p.graph()), scatters_(scatters), state_(g_.size(), -1), seen_(g_.size(), -1) {
    state_[input.n] = 0;
    for (size_t i = 0; i < scatters.size(); ++i) state_[scatters[i].n] = static_cast<int>(i) + 1;
    for (uint32_t n = 0; n < g_.size(); ++n) {
      seen_[n] = state_[n];
      for (const graph::Arg& arg : g_[{n}].args) {
        const auto* value = std::get_if<graph::Value>(&arg);
        if (value) seen_[n] = std::max(seen_[n], seen_[value->node.n]);
      }
    }
  }

  // Whether all readers of each state can run before the next scatter.
  bool are_read_in_time() const {
    for (const graph::NodeId scatter : scatters_) {
      if (!source_is_read_in_time(scatter)) return false;
    }
    for (uint32_t n = 0; n < g_.size(); ++n) {
      if (g_[{n}].is_input() || p_.is_inlined({n}) || state_[n] >= 0) continue;
      for (const graph::Arg& arg : g_[{n}].args) {
        const auto* value = std::get_if<graph::Value>(&arg);
        if (value && !is_read_in_time(*value, seen_[n])) return false;
      }
    }
    return std::ranges::all_of(g_.outputs(), [&](const graph::Output& output) {
      return is_read_in_time(output.value, seen_[output.value.node.n]);
    });
  }

 private:
  static constexpr int any_state = std::numeric_limits<int>::max();

  std::vector<Read> reads_of(graph::Value value, const Index& index) const {
    std::vector<Read> out;
    p_.resolve({value, index}, out);
    return out;
  }

  // Whether a reader that depends on state `seen` reads no earlier state.
  bool is_read_in_time(graph::Value value, int seen) const {
    const Index any(static_cast<size_t>(g_.meta(value).rank()), Expr(0));
    return std::ranges::all_of(reads_of(value, any), [&](const Read& read) {
      const int state = state_[read.value.node.n];
      return state < 0 || state >= seen;
    });
  }

  // Whether the source of a scatter reads the previous state only at the element that is about to
  // be written. Which that is, is not known of a put.
  bool source_is_read_in_time(graph::NodeId scatter) const {
    if (g_[scatter].op->put) {
      const auto& args = g_[scatter].args;
      return std::all_of(args.begin() + 1, args.end(), [&](const graph::Arg& arg) {
        const auto* value = std::get_if<graph::Value>(&arg);
        return !value || is_read_in_time(*value, any_state);
      });
    }
    const graph::Value source = operand(g_[scatter], 1);
    Index at;
    for (const Expr size : sizes_of(g_.meta(source))) at.push_back(Expr::index("i", size));
    const Index written = inserted_at(g_, scatter, at);
    return std::ranges::all_of(reads_of(source, at), [&](const Read& read) {
      const int state = state_[read.value.node.n];
      return state < 0 || (state == state_[scatter.n] - 1 && read.index == written);
    });
  }

  const Program& p_;
  const graph::Graph& g_;
  const std::vector<graph::NodeId>& scatters_;
  std::vector<int> state_;  // by node: its state, or -1
  std::vector<int> seen_;   // by node: the latest state that it depends on, or -1
};

// Whether the indices of a put are elements of inputs that the program does not write, so that they
// can be checked before a call: one that fails leaves all inputs as they are.
bool has_given_indices(const graph::Graph& g, const graph::Node& put) {
  const PutSpec spec = put.op->put->spec(put.attrs.view(), ranks_of(g, put));
  return std::ranges::all_of(spec.indexed, [&](const IndexedAxis& one) {
    graph::NodeId at = operand(put, static_cast<size_t>(one.indices)).node;
    while (!g[at].is_input() && g[at].op->view) at = operand(g[at], 0).node;
    return g[at].is_input() && std::ranges::none_of(g.outputs(), [&](const graph::Output& output) {
             return output.writes >= 0 && g.inputs()[static_cast<size_t>(output.writes)] == at;
           });
  });
}

bool has_empty_operand(const Program& p, const graph::Node& node) {
  return std::ranges::any_of(node.args, [&](const graph::Arg& arg) {
    const auto* value = std::get_if<graph::Value>(&arg);
    return value && p.is_empty(*value);
  });
}

// The chain of scatters from the input to the value written to it; empty if other ops are in
// between.
std::vector<graph::NodeId> scatters_of(const Program& p, const graph::Output& output) {
  const graph::Graph& g = p.graph();
  std::vector<graph::NodeId> out;
  graph::NodeId at = output.value.node;
  while (!g[at].is_input()) {
    const bool can_write = g[at].op->scatter || (g[at].op->put && has_given_indices(g, g[at]));
    if (!can_write || p.is_output_value(at) || has_empty_operand(p, g[at])) return {};
    out.push_back(at);
    at = operand(g[at], 0).node;
  }
  std::ranges::reverse(out);
  return at == g.inputs()[static_cast<size_t>(output.writes)] ? out : std::vector<graph::NodeId>{};
}

// Whether exactly one output is a result of these scatters.
bool are_written_once(const graph::Graph& g, const std::vector<graph::NodeId>& scatters) {
  const auto written = std::ranges::count_if(g.outputs(), [&](const graph::Output& output) {
    return std::ranges::find(scatters, output.value.node) != scatters.end();
  });
  return written == 1;
}

}  // namespace

Index inserted_at(const graph::Graph& graph, graph::NodeId scatter, const Index& at) {
  const graph::Node& node = graph[scatter];
  const Attrs attrs = node.op->scatter->view_attrs(node.attrs.view());
  const auto map = node.op->scatter->view->map(graph.meta(operand(node, 0)),
                                               graph.meta(operand(node, 1)), attrs.view(), at);
  return Index(map.begin(), map.end());
}

std::vector<graph::NodeId> alias_targets_of(const Program& program) {
  const graph::Graph& g = program.graph();
  std::vector<graph::NodeId> targets;
  for (uint32_t n = 0; n < g.size(); ++n) targets.push_back({n});
  for (const graph::Output& output : g.outputs()) {
    if (output.writes < 0) continue;
    const std::vector<graph::NodeId> scatters = scatters_of(program, output);
    const graph::NodeId input = g.inputs()[static_cast<size_t>(output.writes)];
    if (scatters.empty() || !are_written_once(g, scatters) ||
        !States(program, input, scatters).are_read_in_time())
      continue;
    for (const graph::NodeId scatter : scatters) targets[scatter.n] = input;
  }
  return targets;
}

}  // namespace vitro::backend
