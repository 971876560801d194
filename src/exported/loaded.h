// A program as it was loaded.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exported/compiled_file.h"
#include "exported/input_checks.h"
#include "exported/packed_weights.h"
#include "exported/plan.h"
#include "exported/runner.h"
#include "io/pt2/package.h"
#include "io/pt2/program.h"
#include "vitro/exported/model.h"

namespace vitro::exported {

// Whether the user gives the input, even if only as a literal; whether a call returns the output.
bool is_users(const io::InputSpec& spec);
bool is_returned(const io::OutputSpec& spec);

// "f32[s0, 64]"
std::string type_text(DType dtype, const std::vector<ModelSize>& sizes);

// The tensors of nodes that are outputs too, by their names; none: all.
struct KeptNodes {
  std::set<std::string, std::less<>> names;
  bool has(std::string_view name) const { return names.empty() || names.contains(name); }
};

// What a program is, made once and shared by all models of it.
struct Loaded {
  std::string path;                                   // of the package
  std::shared_ptr<const CompiledFile> compiled_file;  // null: it is only a package
  io::PackageModel package;
  io::Program program;
  Plan plan;
  std::vector<ModelInput> inputs;
  std::shared_ptr<std::vector<ModelOutput>> outputs = std::make_shared<std::vector<ModelOutput>>();
  std::vector<ModelWeight> weights;
  LoadedWeights loaded_weights;
  std::shared_ptr<const FilePanels> panels;  // of the compiled file
  std::vector<ArgValue> bound;  // the inputs of the graph, of which those of the user are None
  std::vector<size_t> written;  // by output that is not returned: the input that it is copied to
  std::unique_ptr<InputChecks> checks;
  std::vector<size_t> written_weights;  // those that calls write
  std::mutex writing;                   // held by calls then

  // The outputs of the graph given the inputs of the user and, if asked for, the tensors that its
  // nodes define.
  std::vector<ArgValue> run(const std::vector<Tensor>& tensors, const std::vector<Scalar>& numbers,
                            const KeptNodes* kept) const;
  // Whether a call writes to its inputs or to buffers.
  bool has_mutations() const;
};

// As vitro::load, which documents the arguments and errors.
std::shared_ptr<Loaded> load_program(const std::string& path, std::string_view model);

}  // namespace vitro::exported
