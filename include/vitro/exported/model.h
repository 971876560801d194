// A model that PyTorch exported, loaded and run:
//   torch.export.save(torch.export.export(model, (x, y)), "model.pt2")        # in Python
//
//   auto model = vitro::load("model.pt2");
//   auto out = model({x, y});                       // or by name: model({{"x", x}, {"y", y}})
//   Tensor logits = out["logits"];                  // or by number: out[0]
//   int64_t n = std::get<Scalar>(out.value(1)).as_int();       // a result that is a number
//   auto fast = model.compile();                    // fused kernels, made by the first call
//   auto soon = model.compile({.asynchronous = true});   // calls run op by op meanwhile
//   model.save_compiled("model.vitro", {{x, y}});
//   auto file = vitro::load("model.vitro");         // compiled, without the compiler library
// Inputs and outputs are the leaves of the exported arguments and results, in order; nested ones
// are called by path: "xs[0]", "d['a']".  None is std::monostate().  A call checks what the export
// relied on: dtypes, sizes, ranges of dynamic sizes, guards.  Weights stay in the file, which must
// not be changed meanwhile. Messages and `explain` show the lines of the model's Python code.
// Threads: calls may be concurrent; those of a model that writes to its own buffers wait for each
// other.  Copies share weights and buffers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/capture/options.h"
#include "vitro/capture/report.h"
#include "vitro/core/arg_value.h"

namespace vitro {

struct ModelSize {
  std::optional<int64_t> number;  // of a size that cannot vary
  std::string text;               // "8", or of a size that can "s9", "2*s9"
  int64_t min = 0;
  std::optional<int64_t> max;  // none: no bound
  int64_t example = 1;         // what it was in the export
};

struct ModelInput {
  enum class Kind : uint8_t {
    tensor,
    number,   // an integer, float or bool that may vary
    literal,  // a value that the export has made part of the program; need not be given
  };
  std::string name;  // the export's: "d_a"
  std::string path;  // "d['a']"
  Kind kind = Kind::tensor;
  DType dtype = DType::f32;
  std::vector<ModelSize> sizes;
  ArgValue literal;          // of a number: its value in the export
  std::string text() const;  // "ids: i64[s0, 128]"
};

struct ModelOutput {
  std::string name;  // "logits", "parts[1]"; of a single one "output", of a tuple "output_0"
  bool is_tensor = true;
  DType dtype = DType::f32;
  std::vector<ModelSize> sizes;
  std::string text() const;
};

struct ModelWeight {
  enum class Kind : uint8_t { parameter, buffer, constant };
  std::string name;  // "encoder.layer.0.weight"
  Kind kind = Kind::parameter;
  Tensor tensor;
};

// The results of a call.
class ModelResults {
 public:
  ModelResults(std::vector<ArgValue> values,
               std::shared_ptr<const std::vector<ModelOutput>> outputs)
      : values_(std::move(values)), outputs_(std::move(outputs)) {}
  size_t size() const { return values_.size(); }
  // A tensor; Error if there is none of that number or name, or if it is a number or None.
  const Tensor& operator[](size_t index) const;
  const Tensor& operator[](std::string_view name) const;
  // Any result.
  const ArgValue& value(size_t index) const;
  const std::string& name(size_t index) const;
  const std::vector<ArgValue>& values() const { return values_; }

 private:
  std::vector<ArgValue> values_;
  std::shared_ptr<const std::vector<ModelOutput>> outputs_;
};

// One call of an op in the program, for statistics.
struct ModelNode {
  std::string target;                // "aten.add.Tensor"
  std::string module;                // "encoder.layer.0"
  std::string location;              // "bert.py:12"
  std::vector<std::string> results;  // the names of the tensors that it defines: "add_1"
};

// The program as a graph, for pictures and searches.  A node that runs sub-graphs by the data
// (`cond`) is one node, and they are left out; regions (of `no_grad`) are there node by node.
struct ModelGraph {
  struct Value {
    enum class Kind : uint8_t { input, weight, result };
    Kind kind = Kind::result;
    std::string name;  // the export's: "add_1"; of a weight "encoder.weight"
    std::string type;  // "f32[s0, 64]"; empty: a number, or the file does not say
  };
  struct Node {
    ModelNode call;
    std::vector<uint32_t> operands, results;  // values, each once
  };
  struct Output {
    std::string name;  // as outputs() has it
    uint32_t value;
  };
  std::vector<Value> values;
  std::vector<Node> nodes;      // in the order in which they run
  std::vector<Output> outputs;  // those of a call that are values of the program
};

// How save_compiled compiles, and what it keeps of the weights.
struct SaveCompiledOptions {
  enum class Weights : uint8_t {
    // As the model's file has them, and again in the order in which this machine's kernels read
    // them, so that nothing is packed at the first call.
    packed,
    value,  // only as the model's file has them
    // Neither weights nor program, but the path of the file that the model was loaded from, which
    // must stay there unchanged; from the folder of the new file if it is below that.
    reference,
  };
  std::vector<std::string> isas = {};  // "baseline", "avx2", "avx512"; none: this machine's
  Weights weights = Weights::packed;
  bool exact = false;  // as in CompileOptions
};

class ExportedModel {
 public:
  // One value for each input in order; those of kind literal may be left out, all or none.
  ModelResults operator()(std::initializer_list<ArgValue> inputs) const;
  ModelResults operator()(std::span<const ArgValue> inputs) const;
  // By name or path.
  ModelResults operator()(std::initializer_list<NamedArg> inputs) const;
  ModelResults operator()(std::span<const NamedArg> inputs) const;

  const std::string& name() const;
  const std::vector<ModelInput>& inputs() const;
  const std::vector<ModelOutput>& outputs() const;
  // Parameters, buffers and constants, those that share memory too.
  const std::vector<ModelWeight>& parameters() const;
  // The tensors of the export's example call, one for each input of kind tensor; empty if the file
  // does not have them, or if they cannot be read: then the other one says why.
  std::vector<Tensor> example() const;
  std::string example_problem() const;
  // The program's nodes, those of its sub-graphs after the node that runs them.
  std::vector<ModelNode> nodes() const;
  // Reads the file's types of all values, which takes longer than loading it.  Error: they are
  // damaged.
  ModelGraph graph() const;
  // Conditions on inputs, as Python, that a call checks.
  std::vector<std::string> guards() const;
  const std::string& torch_version() const;
  // Whether calls draw random numbers, so that each gives other results.
  bool draws_random_numbers() const;

  // The same model with more outputs: after its own the tensors that its nodes define, by their
  // names, all or only some, to find where a result comes from.  Nodes of sub-graphs that run a
  // number of times are left out; a tensor that is not there (an optional result) is an empty one.
  // Shares the weights.
  ExportedModel with_node_results(std::span<const std::string> only = {}) const;

  // The same model with calls compiled; shares the weights.
  ExportedModel compile(CompileOptions options = {}) const;
  bool is_compiled() const;
  // Writes a file with the program, the weights, and what a call with `example` runs: kernels for
  // each instruction set, and the plans that launch them.  Sizes that the export lets vary do so
  // here, except sizes of 1 and 0 in the example.  `load` gives a compiled model of it, whose calls
  // need no compiler; calls that run something else (with a size of 1, or another branch of
  // `cond`) are compiled as ever.  Calls the model, on a copy of the example, and gives buffers
  // that it writes their values back: no other thread may call such a model meanwhile. The file is
  // for this build of the library and for machines whose own instruction set, the widest that they
  // have, is one of those; elsewhere `load` refuses it.  It contains native code: load only files
  // that you trust. Error: the model cannot be compiled, or the file not written, or it is the
  // model's own.
  void save_compiled(const std::string& path, std::span<const ArgValue> example,
                     const SaveCompiledOptions& options = {}) const;
  void save_compiled(const std::string& path, std::initializer_list<ArgValue> example,
                     const SaveCompiledOptions& options = {}) const;
  // What was compiled; empty for a model that is not.  Waits as wait() does.
  CompiledReport report() const;
  // Until everything is compiled that calls needed before, if compiled with `asynchronous`.
  void wait() const;

  struct State;

 private:
  friend ExportedModel load(const std::string& path, std::string_view model);
  ExportedModel compiled_for_file(const std::string& name, bool exact) const;
  explicit ExportedModel(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// A file of torch.export.save, or of save_compiled, whose model is compiled.  `model` chooses one
// of a file that holds several.  Error: the file cannot be read, or the program needs what Vitro
// lacks; then all of it is listed, with the Python lines that call it.
ExportedModel load(const std::string& path, std::string_view model = {});

}  // namespace vitro
