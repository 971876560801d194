// Captures a function as a graph of its arguments and weights, and saves graphs.
//   The function runs compiled, with a backend that keeps the graph it is given and remembers which
//   memory the outputs are in: by that the results are found.  What the function writes is not
//   written, as the backend returns the values before.
#include "vitro/exported/export.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "io/pt2/package_writer.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/capture/function.h"
#include "vitro/ops/create.h"

namespace vitro {
namespace exported {
namespace {

using graph::NodeId;
using graph::Value;

constexpr const char* backend_name = "export";

// What the backend saw of a run.
struct Seen {
  std::optional<graph::Graph> graph;
  std::vector<Tensor> inputs;
  std::vector<uint64_t> outputs;  // storages
};
thread_local Seen* current = nullptr;

GraphFunction keep_graph(const graph::Graph& graph, std::span<const Operand> inputs) {
  Seen* seen = current;
  if (!seen || seen->graph) return {};
  seen->graph = graph;
  for (const Operand& one : inputs) {
    VITRO_CHECK(one.is_tensor(), "export_graph: a number varies");
    seen->inputs.push_back(one.tensor());
  }
  return [seen, graph](std::span<const Operand> now, std::span<const int64_t> symbols) {
    std::vector<Tensor> out = graph::interpret(graph, now, symbols);
    for (size_t i = 0; i < out.size(); ++i) {
      const int writes = graph.outputs()[i].writes;
      if (writes >= 0) out[i] = clone(now[static_cast<size_t>(writes)].tensor());
      if (current == seen) seen->outputs.push_back(out[i].storage().id());
    }
    return out;
  };
}

bool is_same(const Tensor& a, const Tensor& b) {
  return a.storage().id() == b.storage().id() && a.dtype() == b.dtype() &&
         a.impl()->offset == b.impl()->offset && a.impl()->sizes == b.impl()->sizes &&
         a.impl()->strides == b.impl()->strides;
}

// While it lives, all sizes of the tensors are marked; weights have theirs.
class AllMarked {
 public:
  explicit AllMarked(std::span<const Tensor* const> tensors) {
    for (const Tensor* one : tensors) {
      before_.emplace_back(one->impl(), one->impl()->dynamic_dims);
      one->impl()->dynamic_dims = ~uint32_t{0};
    }
  }
  ~AllMarked() {
    for (const auto& [impl, dims] : before_) impl->dynamic_dims = dims;
  }
  AllMarked(const AllMarked&) = delete;

 private:
  std::vector<std::pair<TensorImpl*, uint32_t>> before_;
};

// Runs the function and makes the graph of what it did.
class Exporter {
 public:
  Exporter(std::span<const Tensor* const> arguments, Run run, const KnownWeights& known,
           const ExportOptions& options)
      : arguments_(arguments), run_(run), known_(known), options_(options) {
    static const bool registered = (register_backend(backend_name, &keep_graph), true);
    (void)registered;
    for (const Tensor* one : arguments)
      VITRO_CHECK(one->defined(), "export_graph: an argument is an undefined tensor");
    VITRO_CHECK(options.inputs.empty() || options.inputs.size() == arguments.size(),
                "export_graph: got ", options.inputs.size(), " names for ", arguments.size(),
                " tensors in the arguments");
    check_apart();
  }

  ExportedGraph made() {
    capture();
    // Results that are views are copied, which makes them outputs of their own.
    if (find_results()) {
      capture();
      find_results();
    }
    add_inputs();
    add_nodes();
    add_outputs();
    add_guards();
    out_.outputs = options_.outputs;
    return std::move(out_);
  }

 private:
  // What is one tensor in this run would be one input of the program, or none.
  void check_apart() const {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const auto is_this = [&](const Tensor* one) { return is_same(*one, *arguments_[i]); };
      const auto is_weight = [&](const auto& one) { return is_this(one.second); };
      VITRO_CHECK(std::ranges::none_of(arguments_.first(i), is_this), "export_graph: tensor ", i,
                  " in the arguments is given twice; pass a copy (clone)");
      VITRO_CHECK(std::ranges::none_of(known_.parameters, is_weight) &&
                      std::ranges::none_of(known_.buffers, is_weight),
                  "export_graph: tensor ", i,
                  " in the arguments is a weight of the module; pass a copy (clone)");
    }
    std::vector<std::string> names = options_.outputs;
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    VITRO_CHECK(twice == names.end(), "export_graph: two outputs are called ", *twice);
  }

  void capture() {
    seen_ = {};
    results_.clear();
    CompileOptions options;
    options.name = options.backend = backend_name;
    options.fullgraph = true;
    const AllMarked marked(options_.dynamic ? arguments_ : std::span<const Tensor* const>());
    const capture::Function function(options);
    struct Current {
      explicit Current(Seen& seen) { current = &seen; }
      ~Current() { current = nullptr; }
    } const set(seen_);
    const auto body = [&] {
      results_ = run_();
      copied_.resize(results_.size(), false);
      for (size_t i = 0; i < results_.size(); ++i)
        if (copied_[i]) results_[i] = clone(results_[i]);
    };
    function.run(arguments_, body, true);
    const CompiledReport report = function.report();
    if (!report.fallbacks.empty())
      throw_error(cat("export_graph: ", report.fallbacks[0].reason,
                      report.fallbacks[0].location.empty() ? "" : " at ",
                      report.fallbacks[0].location));
    VITRO_CHECK(report.segments.size() <= 1, "export_graph: the function is ",
                report.segments.size(), " graphs");
    if (!report.segments.empty()) guards_ = report.segments[0].guards;
    if (!seen_.graph) seen_.graph.emplace();
    VITRO_CHECK(seen_.outputs.size() == seen_.graph->outputs().size() &&
                    seen_.inputs.size() == seen_.graph->inputs().size(),
                "export_graph: the function does not run as one graph");
  }

  // Finds where each result is; whether some have to be copied, which made() then does.
  bool find_results() {
    bool again = false;
    places_.clear();
    for (size_t i = 0; i < results_.size(); ++i) {
      const Tensor& result = results_[i];
      VITRO_CHECK(result.defined(), "export_graph: result ", i, " is an undefined tensor");
      (void)result.const_data();
      places_.push_back(place_of(result));
      if (places_.back() != nowhere) continue;
      VITRO_CHECK(!copied_[i], "export_graph: result ", i, " is not an output of the graph");
      again = copied_[i] = true;
    }
    return again;
  }

  static constexpr int64_t nowhere = -1, outside = -2;
  // The output of the graph that a result is; `outside`: an argument or weight.
  int64_t place_of(const Tensor& result) const {
    for (size_t k = 0; k < seen_.outputs.size(); ++k) {
      if (seen_.outputs[k] != result.storage().id()) continue;
      const graph::Output& output = seen_.graph->outputs()[k];
      if (output.writes >= 0) continue;
      const bool whole =
          result.impl()->offset == 0 && is_whole(result, seen_.graph->meta(output.value));
      return whole ? static_cast<int64_t>(k) : nowhere;
    }
    const auto is_result = [&](const Tensor& one) { return is_same(one, result); };
    const bool is_argument =
        std::ranges::any_of(arguments_, [&](const Tensor* one) { return is_result(*one); });
    if (is_argument || std::ranges::any_of(seen_.inputs, is_result)) return outside;
    const auto shares = [&](const Tensor& one) {
      return one.storage().id() == result.storage().id();
    };
    const bool is_view =
        std::ranges::any_of(arguments_, [&](const Tensor* one) { return shares(*one); }) ||
        std::ranges::any_of(seen_.inputs, shares);
    return is_view ? nowhere : outside;
  }
  // Whether the result is laid out as the output was in this run.
  static bool is_whole(const Tensor& result, const TensorMeta& meta) {
    const TensorImpl& impl = *result.impl();
    const auto same = [](const Sizes& said, const Ints& is) {
      return std::ranges::equal(
          said, is, [](Size a, int64_t b) { return a.hint() == b || sym::is_data(a.expr()); });
    };
    return impl.offset == 0 && same(meta.sizes, impl.sizes) && same(meta.strides, impl.strides);
  }

  // ---- inputs ----

  // All arguments in order, used or not, then the weights.
  void add_inputs() {
    new_node_.resize(seen_.graph->size());
    for (size_t a = 0; a < arguments_.size(); ++a) {
      const Tensor& argument = *arguments_[a];
      const std::optional<size_t> input = input_that_is(argument);
      const TensorMeta meta = input
                                  ? seen_.graph->nodes()[seen_.graph->inputs()[*input].n].results[0]
                                  : argument.meta();
      const std::string name = options_.inputs.empty() ? std::string("x") : options_.inputs[a];
      const NodeId id = out_.graph.add_input(name, meta);
      argument_nodes_.push_back(id);
      if (input && !taken(*input)) take(*input, id);
    }
    for (size_t i = 0; i < seen_.inputs.size(); ++i) {
      if (taken(i)) continue;
      const Tensor& weight = seen_.inputs[i];
      for (const Tensor* one : arguments_)
        VITRO_CHECK(one->storage().id() != weight.storage().id(), "export_graph: ",
                    one->dtype() == weight.dtype()
                        ? "arguments share memory that the function writes; pass copies"
                        : "a view of an argument as another dtype cannot be saved");
      const graph::Node& node = (*seen_.graph)[seen_.graph->inputs()[i]];
      take(i, add_weight(weight, node.results[0], node.name));
    }
  }

  std::optional<size_t> input_that_is(const Tensor& argument) const {
    for (size_t i = 0; i < seen_.inputs.size(); ++i)
      if (is_same(seen_.inputs[i], argument)) return i;
    return std::nullopt;
  }
  bool taken(size_t input) const { return new_node_[seen_.graph->inputs()[input].n].has_value(); }
  void take(size_t input, NodeId id) { new_node_[seen_.graph->inputs()[input].n] = id; }

  NodeId add_weight(const Tensor& tensor, const TensorMeta& meta, const std::string& name) {
    const NodeId id = out_.graph.add_input(name, meta, graph::InputKind::parameter);
    out_.weights.emplace(out_.graph[id].name, weight_of(tensor));
    weight_nodes_.emplace_back(tensor, id);
    return id;
  }

  ModelWeight weight_of(const Tensor& tensor) {
    const auto named_in = [&](const auto& all) {
      const auto found =
          std::ranges::find_if(all, [&](auto& one) { return is_same(*one.second, tensor); });
      return found == all.end() ? std::string() : found->first;
    };
    const Tensor held = tensor;
    if (std::string name = named_in(known_.parameters); !name.empty())
      return {name, ModelWeight::Kind::parameter, held};
    if (std::string name = named_in(known_.buffers); !name.empty())
      return {name, ModelWeight::Kind::buffer, held};
    const TensorImpl& impl = *tensor.impl();
    if (impl.is_parameter && impl.parameter_name != 0)
      return {std::string(module_path(impl.parameter_name)), ModelWeight::Kind::parameter, held};
    // What is written must be a buffer.
    return {cat("tensor_", out_.weights.size()),
            is_written(tensor) ? ModelWeight::Kind::buffer : ModelWeight::Kind::constant, held};
  }
  bool is_written(const Tensor& tensor) const {
    return std::ranges::any_of(seen_.graph->outputs(), [&](const graph::Output& one) {
      return one.writes >= 0 && is_same(seen_.inputs[static_cast<size_t>(one.writes)], tensor);
    });
  }

  // ---- nodes and outputs ----

  Value moved(Value value) const { return {new_node_.at(value.node.n).value(), value.output}; }

  void add_nodes() {
    const graph::Graph& g = *seen_.graph;
    for (uint32_t n = 0; n < g.size(); ++n) {
      graph::Node node = g.nodes()[n];
      if (node.is_input()) continue;
      for (graph::Arg& arg : node.args)
        if (auto* value = std::get_if<Value>(&arg)) *value = moved(*value);
      new_node_[n] = out_.graph.add(std::move(node));
    }
    out_.graph.set_symbols(g.symbols(), g.hints());
  }

  void add_outputs() {
    const graph::Graph& g = *seen_.graph;
    for (const graph::Output& one : g.outputs()) {
      if (one.writes < 0) continue;
      const NodeId target = *new_node_[g.inputs()[static_cast<size_t>(one.writes)].n];
      const auto& inputs = out_.graph.inputs();
      out_.graph.add_output(moved(one.value),
                            static_cast<int>(std::ranges::find(inputs, target) - inputs.begin()));
    }
    for (size_t i = 0; i < results_.size(); ++i)
      out_.graph.add_output(places_[i] == outside
                                ? Value{node_outside(results_[i]), 0}
                                : moved(g.outputs()[static_cast<size_t>(places_[i])].value));
  }

  // Without those that the graph has as numbers: "s1 == 16" of an input f32[s0, 16].
  void add_guards() {
    std::vector<std::pair<sym::Expr, sym::Expr>> known;
    for (const GuardReport& one : guards_) {
      if (!one.guard || one.guard->question != sym::Guard::Question::equal || !one.guard->answer)
        continue;
      const auto& [question, a, b, answer] = *one.guard;
      if (a.is_symbol() && b.constant()) known.emplace_back(a, b);
      if (b.is_symbol() && a.constant()) known.emplace_back(b, a);
    }
    std::erase_if(known, [&](const auto& one) {
      const auto& symbols = out_.graph.symbols();
      return std::ranges::find(symbols, one.first) != symbols.end();
    });
    for (const GuardReport& one : guards_) {
      if (!one.guard || one.counts_only) continue;
      sym::Guard guard = *one.guard;
      guard.a = sym::substitute(guard.a, known);
      guard.b = sym::substitute(guard.b, known);
      if (!guard.a.constant() || !guard.b.constant()) out_.guards.push_back(guard);
    }
  }

  // An argument, a weight, or a tensor that the graph does not read.
  NodeId node_outside(const Tensor& tensor) {
    for (size_t a = 0; a < arguments_.size(); ++a)
      if (is_same(*arguments_[a], tensor)) return argument_nodes_[a];
    for (const auto& [weight, id] : weight_nodes_)
      if (is_same(weight, tensor)) return id;
    return add_weight(tensor, tensor.meta(), "tensor");
  }

  std::span<const Tensor* const> arguments_;
  Run run_;
  const KnownWeights& known_;
  const ExportOptions& options_;
  Seen seen_;
  std::vector<Tensor> results_;
  std::vector<bool> copied_;     // results
  std::vector<int64_t> places_;  // of results
  std::vector<GuardReport> guards_;
  ExportedGraph out_;
  std::vector<std::optional<NodeId>> new_node_;  // by node of the captured graph
  std::vector<NodeId> argument_nodes_;
  std::vector<std::pair<Tensor, NodeId>> weight_nodes_;
};

}  // namespace

std::span<const Tensor* const> real_tensors(const compiled::TensorArguments& arguments,
                                            std::string_view what) {
  VITRO_CHECK(!arguments.has_complex(), "export_graph: ", what,
              " must be tensors of real numbers; pass view_as_real(x)");
  return arguments.tensors();
}

ExportedGraph export_run(std::span<const Tensor* const> arguments, Run run,
                         const KnownWeights& known, const ExportOptions& options) {
  return Exporter(arguments, run, known, options).made();
}

}  // namespace exported

void save(const ExportedGraph& program, const std::string& path) {
  std::vector<io::SavedWeight> saved;
  std::vector<io::PackageWeight> weights;
  const graph::Graph& g = program.graph;
  for (size_t i = 0; i < g.inputs().size(); ++i) {
    const auto found = program.weights.find(g[g.inputs()[i]].name);
    if (found == program.weights.end()) continue;
    const ModelWeight& weight = found->second;
    const auto kind = weight.kind == ModelWeight::Kind::parameter ? io::SavedWeight::Kind::parameter
                      : weight.kind == ModelWeight::Kind::buffer  ? io::SavedWeight::Kind::buffer
                                                                  : io::SavedWeight::Kind::constant;
    saved.push_back({i, weight.name, kind});
    weights.push_back({weight.name, kind, weight.tensor});
  }
  VITRO_CHECK(saved.size() == program.weights.size(), "save: ", path,
              ": a weight has the name of no input of the graph");
  if (const std::string wrong = graph::verify(g); !wrong.empty())
    throw_error(cat("save: ", path, ": ", wrong));
  io::write_package(path, io::program_text({g, saved, program.outputs, program.guards}), weights);
}

void save(const graph::Graph& graph, const std::string& path) {
  save(ExportedGraph{graph, {}, {}, {}}, path);
}

}  // namespace vitro
