#include "vitro/graph/pass.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>

#include "graph/hash.h"
#include "graph/verify.h"
#include "vitro/base/error.h"
#include "vitro/events/rare.h"

namespace vitro::graph {

std::span<const Pass> standard_passes() {
  static constexpr Pass passes[] = {
      {"order_by_use", order_by_use, "first: later passes see the same order on every machine"},
      {"decompose", decompose, "after order_by_use: dead nodes are not expanded"},
      {"fold_constants", fold_constants, "after decompose: expansions contain constants"},
      {"algebra", algebra,
       "after fold_constants: rules match numbers, not tensors filled with one"},
      {"merge_same", merge_same, "after algebra: equivalent nodes are equal now"},
      {"drop_dead", drop_dead, "last: removes the nodes that rewrites replaced"},
  };
  return passes;
}

std::vector<Pass> exact_passes(std::span<const Pass> passes) {
  std::vector<Pass> out;
  std::copy_if(passes.begin(), passes.end(), std::back_inserter(out),
               [](const Pass& pass) { return pass.exact; });
  return out;
}

namespace {

struct Listeners {
  std::vector<PassReport>* reports;
  const std::function<void(std::string_view, const Graph&)>& after;
  std::string_view subject;
};

Graph run_all(const Graph& start, std::span<const Pass> passes, const Listeners& out) {
  Graph g = start;
  Hash hash = hash_of_calls(g);
  for (const Pass& pass : passes) {
    PassReport report{pass.name, false, 0, g.size(), 0};
    const auto begin = std::chrono::steady_clock::now();
    {
      const events::PhaseScope phase(pass.name, out.subject);
      g = pass.run(std::move(g));
    }
    report.ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
    const std::string wrong = verify_values(g);
    VITRO_ASSERT(wrong.empty(), "the pass ", pass.name, " leaves an invalid graph: ", wrong);
    report.nodes_after = g.size();
    const Hash now = hash_of_calls(g);
    report.changed = now != hash || report.nodes_after != report.nodes_before;
    hash = now;
    if (out.after) out.after(pass.name, g);
    if (out.reports) out.reports->push_back(report);
  }
  return g;
}

// Runs the passes again with full verification after each; throws a Bug that names the first pass
// that breaks the graph, if any.
void blame(Graph g, std::span<const Pass> passes) {
  for (const Pass& pass : passes) {
    g = pass.run(std::move(g));
    const std::string wrong = verify(g);
    VITRO_ASSERT(wrong.empty(), "the pass ", pass.name, " leaves an invalid graph: ", wrong);
  }
}

}  // namespace

Graph run_passes(const Graph& start, std::span<const Pass> passes, std::vector<PassReport>* reports,
                 const std::function<void(std::string_view, const Graph&)>& after,
                 std::string_view subject) {
  Graph g;
  try {
    g = run_all(start, passes, {reports, after, subject});
  } catch (...) {  // an earlier pass may have caused it
    blame(start, passes);
    throw;
  }
  const std::string wrong = verify(g);
  if (!wrong.empty()) blame(start, passes);
  VITRO_ASSERT(wrong.empty(), "the passes leave an invalid graph: ", wrong);
  return g;
}

}  // namespace vitro::graph
