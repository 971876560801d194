#include "backend/program/single_results.h"

#include <algorithm>
#include <map>

namespace vitro::backend {
namespace {

std::vector<std::vector<bool>> used_results(const graph::Graph& g) {
  std::vector<std::vector<bool>> used;
  for (const graph::Node& node : g.nodes()) used.emplace_back(node.results.size(), false);
  const auto use = [&](graph::Value v) { used[v.node.n][v.output] = true; };
  for (const graph::Node& node : g.nodes()) {
    for (const graph::Arg& arg : node.args) {
      if (const auto* value = std::get_if<graph::Value>(&arg)) use(*value);
    }
  }
  for (const graph::Output& output : g.outputs()) use(output.value);
  return used;
}

}  // namespace

std::optional<SingleResults> single_results(const graph::Graph& g) {
  const auto is_single = [](const graph::Node& node) { return node.results.size() == 1; };
  if (std::all_of(g.nodes().begin(), g.nodes().end(), is_single)) return std::nullopt;
  SingleResults out;
  out.graph.keep_names_of(g);
  out.graph.set_symbols(g.symbols(), g.hints());
  const auto used = used_results(g);
  std::map<graph::Value, graph::Value> now;
  for (uint32_t n = 0; n < g.size(); ++n) {
    const graph::Node& node = g[graph::NodeId{n}];
    for (uint32_t r = 0; r < node.results.size(); ++r) {
      const graph::Value before{graph::NodeId{n}, r};
      if (node.is_input()) {
        const graph::NodeId id =
            out.graph.add_input(node.name, node.results[0], node.input, node.location);
        now[before] = {id, 0};
        out.result.push_back(0);
        continue;
      }
      if (!used[n][r] && node.results.size() > 1 && node.op->kind != OpKind::opaque) continue;
      graph::Node one = node;
      one.results = {node.results[r]};
      for (graph::Arg& arg : one.args) {
        if (auto* value = std::get_if<graph::Value>(&arg)) *value = now.at(*value);
      }
      now[before] = {out.graph.add(std::move(one)), 0};
      out.result.push_back(r);
    }
  }
  for (const graph::Output& output : g.outputs())
    out.graph.add_output(now.at(output.value), output.writes);
  return out;
}

}  // namespace vitro::backend
