// The backward pass: goes through the graph from the outputs, nodes made later first, sums the
// gradients that reach a node by several edges, and runs it once all of them are there: alone, or
// with the others of the same compiled call as a compiled program (core/backward_region.h).
#include <algorithm>
#include <memory>
#include <optional>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "autograd/node.h"
#include "autograd/parts.h"
#include "core/numbers.h"
#include "vitro/autograd/autograd.h"
#include "vitro/base/called_as.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/core/autocast.h"
#include "vitro/ops/all.h"
#include "vitro/ops/shapes.h"

namespace vitro::autograd {
namespace {

constinit thread_local bool detects_anomaly = false;

// Names the place of the call.
[[noreturn]] void throw_at(const Node& node, std::string mistake) {
  const ModuleScope scope(node.module);
  throw Error(Error(mistake), call_location(node.where));
}

// "mul", or "mul in mse_loss".
std::string name_of(const Node& node) {
  return node.op == node.function ? std::string(node.op) : cat(node.op, " in ", node.function);
}

void check_for_nan(const Node& node, std::span<const Tensor> gradients) {
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined() || !any(isnan(gradients[i])).item<bool>()) continue;
    throw_at(node, cat("backward: the gradient of operand ", i, " of ", name_of(node),
                       " has NaN elements"));
  }
}

struct LaterFirst {
  bool operator()(const std::shared_ptr<Node>& a, const std::shared_ptr<Node>& b) const {
    return a->number < b->number;
  }
};

// Where the gradients of the inputs of grad() are put.
using Captures = std::unordered_map<const Node*, std::vector<std::pair<uint32_t, Tensor*>>>;

class Pass {
 public:
  Pass(bool keep, bool only_captures) : keep_(keep), only_captures_(only_captures) {}

  void capture(const Edge& edge, Tensor* to) {
    captures_[edge.node.get()].emplace_back(edge.result, to);
  }

  void run(std::span<const Edge> outputs, std::span<const Tensor> gradients) {
    const WithoutAutocast as_they_were_called;
    count_edges(outputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (is_needed(*outputs[i].node)) add(outputs[i], gradients[i]);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::shared_ptr<Node>& node = outputs[i].node;
      if (is_needed(*node) && waits_[node.get()] == 0 && begun_.insert(node.get()).second)
        ready_.push(node);
    }
    while (!ready_.empty() || !ends_.empty()) {
      if (!ends_.empty()) {
        visit(taken(ends_));
      } else if (runs_as_program(*ready_.top())) {
        run_as_program(*ready_.top());
      } else {
        visit(taken(ready_));
      }
    }
  }

 private:
  using Ready =
      std::priority_queue<std::shared_ptr<Node>, std::vector<std::shared_ptr<Node>>, LaterFirst>;

  static std::shared_ptr<Node> taken(Ready& from) {
    std::shared_ptr<Node> node = from.top();
    from.pop();
    return node;
  }

  // Not inside of a compiled function, of which the calls become a part anyway, nor if each
  // gradient is read as soon as it is computed.
  static bool runs_as_program(const Node& node) {
    return node.region && call_of_this_thread == 0 && !detects_anomaly;
  }

  // Visits the nodes that follow and were made in the same compiled call.  The order is that of a
  // pass without programs, so that sums have the same bits.  Gradients are added to those of leaves
  // afterwards, as another thread may be adding, too.
  void run_as_program(const Node& first) {
    const std::shared_ptr<BackwardRegion> region = first.region;
    const uint64_t within = first.within;
    region->run(within, [&] {
      while (!ready_.empty() && ready_.top()->region == region && ready_.top()->within == within)
        visit(taken(ready_));
    });
  }

  // Counts, for each node, the edges by which gradients will reach it, and finds which nodes lead
  // to a captured one.
  void count_edges(std::span<const Edge> outputs) {
    std::vector<std::pair<Node*, size_t>> path;
    const auto enter = [&](Node* node) {
      if (waits_.try_emplace(node, 0).second) path.emplace_back(node, 0);
    };
    for (const Edge& output : outputs) {
      enter(output.node.get());
      while (!path.empty()) {
        auto& [node, next] = path.back();
        if (next == node->edges.size()) {
          leave(*node);
          path.pop_back();
          continue;
        }
        const Edge& edge = node->edges[next++];
        if (!edge) continue;
        enter(edge.node.get());
      }
    }
    for (const auto& [node, count] : waits_) {
      if (!is_needed(*node)) continue;
      for (const Edge& edge : node->edges) {
        if (edge && is_needed(*edge.node)) ++waits_.at(edge.node.get());
      }
    }
  }

  void leave(Node& node) {
    if (!only_captures_) return;
    const bool needed =
        captures_.contains(&node) || std::ranges::any_of(node.edges, [&](const Edge& edge) {
          return edge && needed_.contains(edge.node.get());
        });
    if (needed) needed_.insert(&node);
  }
  bool is_needed(const Node& node) const { return !only_captures_ || needed_.contains(&node); }

  // What has reached a result of a node: the parts come after the total.
  struct Gradient {
    Tensor total;
    Parts parts;
  };
  Gradient& gradient_of(const Edge& edge) {
    std::vector<Gradient>& all = gradients_[edge.node.get()];
    all.resize(edge.node->results);
    return all[edge.result];
  }

  void add(const Edge& edge, const Tensor& gradient) {
    auto& [total, parts] = gradient_of(edge);
    if (!gradient.defined()) return;
    const CalledAs here(edge.node->function, edge.node->where);
    parts.add_to(total);
    total = total.defined() ? vitro::add(total, gradient) : gradient;
  }

  // Whether the gradient of a part was taken instead of one of the whole, as others follow.
  bool adds_part(const std::shared_ptr<Node>& node, std::span<const Tensor> given) {
    if (detects_anomaly || node->edges.size() != 1 || !node->edges[0] || !given[0].defined())
      return false;
    const Edge& edge = node->edges[0];
    const std::optional<Part> part = is_needed(*edge.node) ? node->part() : std::nullopt;
    if (!part) return false;
    auto& [total, parts] = gradient_of(edge);
    if (parts.empty() && waits_.at(edge.node.get()) == 1) return false;
    const CalledAs here(edge.node->function, edge.node->where);
    parts.add(*part, given[0], node, total);
    return true;
  }

  // All gradients have reached the node.
  void complete(const Edge& edge) {
    const CalledAs here(edge.node->function, edge.node->where);
    for (auto& [total, parts] : gradients_[edge.node.get()]) parts.add_to(total);
    (edge.node->is_end() ? ends_ : ready_).push(edge.node);
  }

  static void run_hooks(Node& node, std::vector<Tensor>& gradients) {
    const std::shared_ptr<const Hooks> hooks = node.known_hooks();
    if (!hooks) return;
    for (uint32_t k = 0; k < gradients.size(); ++k) {
      for (const Hook& hook : hooks->of(k)) {
        if (!gradients[k].defined()) continue;
        Tensor other = hook(gradients[k]);
        if (!other.defined()) continue;
        VITRO_CHECK(other.dtype() == gradients[k].dtype() &&
                        ops::equal_sizes(other.sizes(), gradients[k].sizes()),
                    "backward: a hook gave ", other.dtype(), numbers_of(other.sizes()),
                    " for a gradient of ", gradients[k].dtype(), numbers_of(gradients[k].sizes()));
        gradients[k] = std::move(other);
      }
    }
  }

  void visit(const std::shared_ptr<Node>& visited) {
    Node& node = *visited;
    std::vector<Tensor> given;
    for (Gradient& one : gradients_[&node]) given.push_back(std::move(one.total));
    gradients_.erase(&node);
    given.resize(node.results);
    run_hooks(node, given);
    if (const auto found = captures_.find(&node); found != captures_.end()) {
      for (const auto& [result, to] : found->second) *to = given[result];
    }
    const bool leads_on = !only_captures_ || std::ranges::any_of(node.edges, [&](const Edge& edge) {
      return edge && is_needed(*edge.node);
    });
    std::vector<Tensor> gradients;
    const bool any = std::ranges::any_of(given, [](const Tensor& g) { return g.defined(); });
    const bool is_part = leads_on && any && adds_part(visited, given);
    if (leads_on && any && !is_part) gradients = node.back(given);
    if (detects_anomaly) check_for_nan(node, gradients);
    given.clear();
    if (leads_on && !keep_ && !is_part) node.release();  // a part saves nothing
    gradients.resize(node.edges.size());
    for (size_t i = 0; i < node.edges.size(); ++i) {
      const Edge& edge = node.edges[i];
      if (!edge || !is_needed(*edge.node)) continue;
      add(edge, std::exchange(gradients[i], Tensor()));
      if (--waits_.at(edge.node.get()) == 0) complete(edge);
    }
  }

  const bool keep_, only_captures_;
  Captures captures_;
  std::unordered_map<const Node*, size_t> waits_;
  std::unordered_set<const Node*> needed_, begun_;
  std::unordered_map<const Node*, std::vector<Gradient>> gradients_;
  Ready ready_, ends_;
};

// What a tensor refers to as far as gradients go: of a complex one, its pairs.
const Tensor& recorded(const Tensor& tensor) {
  return tensor.is_complex() ? tensor.pairs() : tensor;
}

// The gradient of an output: what is given, or 1.
Tensor seed(std::string_view who, const Tensor& output, const Tensor& given) {
  VITRO_CHECK(output.defined() && output.requires_grad(), who,
              ": the output does not require a gradient: nothing that it was computed from does "
              "(the parameters of a module do after its requires_grad_()), or gradients were not "
              "recorded (NoGrad)");
  if (!given.defined()) {
    if (!equal(output.numel(), 1)) {
      const std::shared_ptr<Node> node = edge_of(recorded(output)).node;
      throw_at(*node, cat(who, ": the output", node->is_end() ? "" : cat(" of ", node->function),
                          " has sizes ", numbers_of(output.sizes()),
                          "; pass its gradient, or reduce it to one number (sum, mean)"));
    }
    VITRO_CHECK(
        !output.is_complex(), who,
        ": the output is complex; pass its gradient, or take a real number of it (abs, real)");
    return ones_like(output);
  }
  VITRO_CHECK(ops::equal_sizes(given.sizes(), output.sizes()), who, ": the output has sizes ",
              numbers_of(output.sizes()), ", its gradient has ", numbers_of(given.sizes()));
  VITRO_CHECK(output.is_complex() || !given.is_complex(), who, ": the output is ", output.dtype(),
              ", its gradient is complex, ", given.dtype());
  return given.dtype() == output.dtype() ? given : to(given, output.dtype());
}

struct Seeds {
  std::vector<Edge> edges;
  std::vector<Tensor> gradients;
};

Seeds seeds(std::string_view who, std::span<const Tensor> outputs,
            std::span<const Tensor> gradients) {
  VITRO_CHECK(gradients.empty() || gradients.size() == outputs.size(), who, ": got ",
              outputs.size(), " outputs and ", gradients.size(), " gradients of them");
  Seeds out;
  for (size_t i = 0; i < outputs.size(); ++i) {
    out.gradients.push_back(
        recorded(seed(who, outputs[i], gradients.empty() ? Tensor() : gradients[i])));
    out.edges.push_back(edge_of(recorded(outputs[i])));
  }
  return out;
}

}  // namespace
}  // namespace vitro::autograd

namespace vitro {

using namespace autograd;

DetectAnomaly::DetectAnomaly(bool on) : before_(std::exchange(detects_anomaly, on)) {}
DetectAnomaly::~DetectAnomaly() {
  detects_anomaly = before_;
}

void backward(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
              const BackwardOptions& options) {
  const Seeds from = seeds("backward", outputs, gradients);
  const SetGradEnabled recorded_in_turn(options.create_graph);
  if (options.inputs.empty()) {
    Pass(options.retain_graph || options.create_graph, false).run(from.edges, from.gradients);
    return;
  }
  const std::vector<Tensor> made = grad(outputs, options.inputs, gradients,
                                        {.retain_graph = options.retain_graph,
                                         .create_graph = options.create_graph,
                                         .allow_unused = true});
  for (size_t i = 0; i < made.size(); ++i) {
    const auto before = std::span(options.inputs).first(i);
    const bool is_again = std::ranges::any_of(
        before, [&](const Tensor& other) { return other.same_as(options.inputs[i]); });
    if (made[i].defined() && !is_again)
      add_to_gradient(recorded(options.inputs[i]), recorded(made[i]));
  }
}

void backward(const Tensor& output, const Tensor& gradient, const BackwardOptions& options) {
  backward({&output, 1}, {&gradient, 1}, options);
}

std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                         std::span<const Tensor> grad_outputs, const GradOptions& options) {
  const Seeds from = seeds("grad", outputs, grad_outputs);
  std::vector<Tensor> out(inputs.size());
  Pass pass(options.retain_graph || options.create_graph, true);
  std::vector<Edge> ends;  // keeps the nodes of leaves
  for (size_t i = 0; i < inputs.size(); ++i) {
    VITRO_CHECK(inputs[i].defined() && inputs[i].requires_grad(), "grad: input ", i,
                " does not require a gradient");
    pass.capture(ends.emplace_back(edge_of(recorded(inputs[i]))), &out[i]);
  }
  {
    const SetGradEnabled recorded_in_turn(options.create_graph);
    pass.run(from.edges, from.gradients);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i].defined()) {
      if (inputs[i].is_complex()) out[i] = Tensor::as_complex(contiguous(out[i]));
      continue;
    }
    VITRO_CHECK(options.allow_unused || options.materialize_grads,
                "grad: the outputs do not depend on input ", i,
                "; pass {.allow_unused = true} if that is intended");
    if (options.materialize_grads) out[i] = zeros_like(inputs[i]);
  }
  return out;
}

std::vector<Tensor> grad(const Tensor& output, const std::vector<Tensor>& inputs,
                         const GradOptions& options) {
  return grad({&output, 1}, inputs, {}, options);
}

std::vector<Tensor> grad(const Tensor& output, std::span<Tensor* const> parameters,
                         const GradOptions& options) {
  std::vector<Tensor> inputs;
  for (const Tensor* one : parameters) inputs.push_back(*one);
  return grad(output, inputs, options);
}

}  // namespace vitro
