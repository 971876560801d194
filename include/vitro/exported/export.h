// A program written for PyTorch: a function or module is captured as one graph and saved as
// torch.export.save does, so that torch.export.load and vitro::load read it.
//   struct Net : nn::Module {
//     nn::Linear out{*this, "out", 128, 10};
//     Tensor operator()(const Tensor& x) { return softmax(out(x), -1); }
//   } model;
//   vitro::save(vitro::export_graph(std::ref(model), x), "model.pt2");
//   program = torch.export.load("model.pt2"); program.module()(x)                # in Python
// Sizes are those of the arguments, or may vary: mark_dynamic(x, 0) before the export.  Numbers
// among the arguments, and what the function decides by sizes and numbers, become part of the
// program; conditions on sizes that may vary are saved and checked by both readers.  Sizes that are
// equal in the arguments, and may vary, are one size of the program: give different ones.  Sizes of
// 1 and of arguments that nothing reads do not vary.
// Threads: exports may be concurrent.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "vitro/base/function_ref.h"
#include "vitro/compile/compile.h"
#include "vitro/exported/model.h"
#include "vitro/graph/graph.h"

namespace vitro {

// A graph and the tensors of those of its inputs that are weights.
struct ExportedGraph {
  graph::Graph graph;
  // By the names of the graph's inputs.
  std::map<std::string, ModelWeight> weights = {};
  // Of the outputs that write nothing; if there are any, the program returns a dict.
  std::vector<std::string> outputs = {};
  // Conditions on the graph's symbols.
  std::vector<sym::Guard> guards = {};
};

struct ExportOptions {
  // The names of the tensors in the arguments and in the result, in order; none: "x", "x_1" and so
  // on, and a result without names.
  std::vector<std::string> inputs = {}, outputs = {};
  // Whether all sizes of the arguments may vary.
  bool dynamic = false;
};

// Writes a package.  Error: the graph has ops that ATen does not have, all in one message with the
// lines that call them, or a symbol that is not a size of an input; or the file cannot be written.
void save(const ExportedGraph& program, const std::string& path);
// All inputs are arguments.
void save(const graph::Graph& graph, const std::string& path);

namespace exported {

// Names of parameters and buffers, with their tensors.
struct KnownWeights {
  std::vector<std::pair<std::string, const Tensor*>> parameters, buffers;
};
// The tensors. Error if one is complex: the graph would have the pairs of its numbers.
std::span<const Tensor* const> real_tensors(const compiled::TensorArguments& arguments,
                                            std::string_view what);
using Run = FunctionRef<std::vector<Tensor>()>;  // the leaves of the result
ExportedGraph export_run(std::span<const Tensor* const> arguments, Run run,
                         const KnownWeights& known, const ExportOptions& options);

template <class F>
KnownWeights known_weights(F& f) {
  KnownWeights out;
  if constexpr (requires { f.get().named_parameters(); }) {
    return known_weights(f.get());
  } else if constexpr (requires { f.named_parameters(); }) {
    for (auto& [name, tensor] : f.named_parameters(false))
      out.parameters.emplace_back(name, tensor);
    for (auto& [name, tensor] : f.named_buffers(false)) out.buffers.emplace_back(name, tensor);
  }
  return out;
}

}  // namespace exported

// The graph of f(args...), which is called a few times.  To avoid copying a model, pass
// std::ref(model).  Its parameters and buffers keep their names; other tensors that it reads become
// constants.  What it writes, the program writes, too.  Error: what `f` throws, or the reason why
// it is not one graph (it reads elements, for instance).
template <class F, class... Args>
ExportedGraph export_graph(const ExportOptions& options, F f, const Args&... args) {
  compiled::TensorArguments arguments;
  (compiled::leaves(args, arguments), ...);
  const auto run = [&] {
    using Result = compiled::ResultOf<F, const Args&...>;
    if constexpr (std::is_void_v<Result>) {
      std::invoke(f, args...);
      return std::vector<Tensor>();
    } else {
      const Result result = std::invoke(f, args...);
      compiled::TensorArguments leaves;
      compiled::leaves(result, leaves);
      std::vector<Tensor> out;
      for (const Tensor* one : exported::real_tensors(leaves, "results")) out.push_back(*one);
      return out;
    }
  };
  return exported::export_run(exported::real_tensors(arguments, "arguments"), run,
                              exported::known_weights(f), options);
}
template <class F, class... Args>
  requires(!std::is_same_v<F, ExportOptions>)
ExportedGraph export_graph(F f, const Args&... args) {
  return export_graph(ExportOptions(), std::move(f), args...);
}

}  // namespace vitro
