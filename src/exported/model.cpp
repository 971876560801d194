// Loads a package, and calls its program: arguments in, checks, the run, mutations, results out.
#include "vitro/exported/model.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

#include "base/build_id.h"
#include "capture/codes.h"
#include "exported/compiled_file.h"
#include "exported/effects.h"
#include "exported/loaded.h"
#include "exported/model_graph.h"
#include "exported/plan.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/base/nearest.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

using exported::is_returned;
using exported::KeptNodes;
using exported::Loaded;
using exported::Plan;

// ---- compiled calls ----

// The program as a function of tensors and numbers. The first form is for frozen calls, which
// return tensors only.
struct TensorBody {
  std::shared_ptr<const Loaded> loaded;
  std::shared_ptr<const KeptNodes> kept;
  std::vector<Tensor> operator()(const std::vector<Tensor>& tensors,
                                 const std::vector<Scalar>& numbers) const {
    std::vector<Tensor> out;
    for (ArgValue& value : loaded->run(tensors, numbers, kept.get())) {
      auto* tensor = std::get_if<Tensor>(&value);
      if (tensor) out.push_back(std::move(*tensor));
    }
    return out;
  }
};
struct ValueBody {
  std::shared_ptr<const Loaded> loaded;
  std::shared_ptr<const KeptNodes> kept;
  std::vector<ArgValue> operator()(const std::vector<Tensor>& tensors,
                                   const std::vector<Scalar>& numbers) const {
    std::vector<ArgValue> out = loaded->run(tensors, numbers, kept.get());
    for (ArgValue& value : out) {
      auto* number = std::get_if<Scalar>(&value);
      if (number && number->is_symbolic()) value = Scalar(number->as_int());
    }
    return out;
  }
};

bool returns_only_tensors(const io::Program& program) {
  for (size_t i = 0; i < program.outputs.size(); ++i)
    if (is_returned(program.outputs[i]) && !program.outputs[i].meta &&
        program.graph.outputs[i].kind == io::ProgramArgument::Kind::value)
      return false;
  return true;
}

}  // namespace

struct ExportedModel::State {
  std::shared_ptr<Loaded> loaded;
  std::shared_ptr<const std::vector<ModelOutput>> outputs;
  std::shared_ptr<const KeptNodes> kept;       // null: none
  std::optional<Compiled<TensorBody>> frozen;  // if it can be; `compiled` is there as well
  std::optional<Compiled<ValueBody>> compiled;
  // A call of `frozen` failed that `compiled` could make: an op of the program reads elements.
  struct Split {
    std::atomic<bool> is_known = false;
    std::once_flag once;
    std::string why;  // once it is known
  };
  std::shared_ptr<Split> split = std::make_shared<Split>();
  bool marks_sizes = false;  // those that may vary are symbols from the first call on

  std::vector<ArgValue> run(const std::vector<Tensor>& tensors,
                            const std::vector<Scalar>& numbers) const {
    std::unique_lock<std::mutex> hold(loaded->writing, std::defer_lock);
    if (!loaded->written_weights.empty()) hold.lock();
    if (is_frozen()) {
      try {
        return filled((*frozen)(tensors, numbers));
      } catch (const Error& e) {
        std::vector<ArgValue> out =
            (*compiled)(tensors, numbers);  // may fail, too: the call's data
        std::call_once(split->once, [&] { split->why = e.message(), split->is_known = true; });
        return out;
      }
    }
    if (compiled) return (*compiled)(tensors, numbers);
    return loaded->run(tensors, numbers, kept.get());
  }
  bool is_frozen() const { return frozen && !split->is_known; }
  // The tensors with the literals of the program among them.
  std::vector<ArgValue> filled(std::vector<Tensor> tensors) const {
    std::vector<ArgValue> out;
    size_t next = 0;
    const io::Program& program = loaded->program;
    for (size_t i = 0; i < program.outputs.size(); ++i) {
      if (!is_returned(program.outputs[i])) continue;
      if (program.graph.outputs[i].kind == io::ProgramArgument::Kind::value) {
        out.emplace_back(std::move(tensors.at(next++)));
      } else {
        out.push_back(exported::value_of(program.graph.outputs[i], {}));
      }
    }
    while (next < tensors.size()) out.emplace_back(std::move(tensors[next++]));
    return out;
  }
};

// ---- texts ----

std::string ModelInput::text() const {
  if (kind == Kind::literal) return cat(name, " = ", text_of(literal));
  if (kind == Kind::number) return cat(name, ": a number");
  return cat(name, ": ", exported::type_text(dtype, sizes));
}
std::string ModelOutput::text() const {
  return is_tensor ? cat(name, ": ", exported::type_text(dtype, sizes)) : name;
}

// ---- results ----

const ArgValue& ModelResults::value(size_t index) const {
  VITRO_CHECK(index < values_.size(), "output ", index, ": the model has ", values_.size(),
              " outputs, numbered from 0");
  return values_[index];
}
const std::string& ModelResults::name(size_t index) const {
  (void)value(index);
  return (*outputs_)[index].name;
}
const Tensor& ModelResults::operator[](size_t index) const {
  const auto* tensor = std::get_if<Tensor>(&value(index));
  VITRO_CHECK(tensor, "output ", name(index), ": is ", text_of(value(index)),
              ", not a tensor; value(", index, ") returns it");
  return *tensor;
}
const Tensor& ModelResults::operator[](std::string_view name) const {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < outputs_->size(); ++i) {
    if ((*outputs_)[i].name == name) return (*this)[i];
    names.push_back((*outputs_)[i].name);
  }
  std::string all;
  for (const std::string_view one : names) all += cat(all.empty() ? "" : ", ", one);
  throw_error(cat("the model has no output ", name, "; its outputs are ", all));
}

// ---- calls ----

namespace {

// The tensor, with the sizes marked that may vary.
Tensor marked(const Tensor& given, const ModelInput& input) {
  const bool varies =
      std::ranges::any_of(input.sizes, [](const ModelSize& s) { return !s.number; });
  if (!varies) return given;
  const Tensor out = detach(given);
  for (size_t d = 0; d < input.sizes.size(); ++d)
    if (!input.sizes[d].number) mark_dynamic(out, static_cast<int64_t>(d));
  return out;
}

}  // namespace

ModelResults ExportedModel::operator()(std::span<const ArgValue> inputs) const {
  const Loaded& loaded = *state_->loaded;
  const auto is_literal = [](const ModelInput& one) {
    return one.kind == ModelInput::Kind::literal;
  };
  const auto literals = static_cast<size_t>(std::ranges::count_if(loaded.inputs, is_literal));
  const size_t all = loaded.inputs.size();
  if (inputs.size() != all && inputs.size() != all - literals) {
    std::string needed;
    for (const ModelInput& one : loaded.inputs) needed += cat("\n  ", one.text());
    throw_error(cat("model ", name(), ": got ", inputs.size(), " inputs, needs ", all - literals,
                    ":", needed));
  }
  std::vector<ArgValue> values;
  std::vector<Tensor> tensors;
  std::vector<Scalar> numbers;
  size_t next = 0;
  for (const ModelInput& one : loaded.inputs) {
    const bool is_left_out = is_literal(one) && inputs.size() != all;
    values.push_back(is_left_out ? one.literal : inputs[next++]);
  }
  loaded.checks->check(values);
  for (size_t i = 0; i < all; ++i) {
    if (loaded.inputs[i].kind == ModelInput::Kind::tensor)
      tensors.push_back(state_->marks_sizes ? marked(std::get<Tensor>(values[i]), loaded.inputs[i])
                                            : std::get<Tensor>(values[i]));
    if (loaded.inputs[i].kind == ModelInput::Kind::number)
      numbers.push_back(std::get<Scalar>(values[i]));
  }
  values.clear();
  return {state_->run(tensors, numbers), state_->outputs};
}

ModelResults ExportedModel::operator()(std::span<const NamedArg> inputs) const {
  const Loaded& loaded = *state_->loaded;
  std::vector<std::optional<ArgValue>> found(loaded.inputs.size());
  for (const NamedArg& given : inputs) {
    size_t at = 0;
    while (at < found.size() && loaded.inputs[at].name != given.name &&
           loaded.inputs[at].path != given.name)
      ++at;
    if (at == found.size()) {
      std::string all;
      for (const ModelInput& one : loaded.inputs) all += cat(all.empty() ? "" : ", ", one.name);
      throw_error(cat("model ", name(), ": has no input ", given.name, "; its inputs are ", all));
    }
    VITRO_CHECK(!found[at], "model ", name(), ": input ", given.name, " is given twice");
    found[at] = given.value;
  }
  std::vector<ArgValue> values;
  for (size_t i = 0; i < found.size(); ++i) {
    const ModelInput& wanted = loaded.inputs[i];
    const bool is_literal = wanted.kind == ModelInput::Kind::literal;
    VITRO_CHECK(found[i] || is_literal, "model ", name(), ": input ", wanted.text(), " is missing");
    values.push_back(found[i] ? *found[i] : wanted.literal);
  }
  return (*this)(std::span<const ArgValue>(values));
}

ModelResults ExportedModel::operator()(std::initializer_list<ArgValue> inputs) const {
  return (*this)(std::span<const ArgValue>(inputs.begin(), inputs.size()));
}
ModelResults ExportedModel::operator()(std::initializer_list<NamedArg> inputs) const {
  return (*this)(std::span<const NamedArg>(inputs.begin(), inputs.size()));
}

// ---- what it is ----

namespace {

// No tensors if the file has no example.
Result<std::vector<Tensor>> example_of(const Loaded& loaded) {
  if (!loaded.package.has_sample_inputs) return std::vector<Tensor>();
  Result<std::vector<Tensor>> tensors = loaded.package.sample_tensors();
  if (!tensors) return tensors;
  std::vector<const ModelInput*> wanted;
  for (const ModelInput& one : loaded.inputs)
    if (one.kind == ModelInput::Kind::tensor) wanted.push_back(&one);
  const auto fail = [&](const std::string& why) {
    return Failure{cat(loaded.path, ": the sample inputs: ", why)};
  };
  if (tensors->size() != wanted.size())
    return fail(cat("have ", tensors->size(), " tensors, the program takes ", wanted.size()));
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Tensor& given = (*tensors)[i];
    const bool fits = given.dtype() == wanted[i]->dtype &&
                      static_cast<size_t>(given.rank()) == wanted[i]->sizes.size();
    if (!fits)
      return fail(cat("tensor ", i, " is ", given.dtype(), " of rank ", given.rank(),
                      ", the program takes ", wanted[i]->text()));
  }
  return tensors;
}

}  // namespace

const std::string& ExportedModel::name() const {
  return state_->loaded->program.name;
}
const std::vector<ModelInput>& ExportedModel::inputs() const {
  return state_->loaded->inputs;
}
const std::vector<ModelOutput>& ExportedModel::outputs() const {
  return *state_->outputs;
}
const std::vector<ModelWeight>& ExportedModel::parameters() const {
  return state_->loaded->weights;
}
const std::string& ExportedModel::torch_version() const {
  return state_->loaded->program.torch_version;
}
bool ExportedModel::draws_random_numbers() const {
  return exported::draws_random_numbers(state_->loaded->plan);
}
std::vector<std::string> ExportedModel::guards() const {
  std::vector<std::string> out;
  for (const io::Guard& one : state_->loaded->program.guards) out.push_back(one.text);
  return out;
}
std::vector<Tensor> ExportedModel::example() const {
  const Result<std::vector<Tensor>> tensors = example_of(*state_->loaded);
  return tensors ? *tensors : std::vector<Tensor>();
}
std::string ExportedModel::example_problem() const {
  const Result<std::vector<Tensor>> tensors = example_of(*state_->loaded);
  return tensors ? "" : tensors.why();
}

std::vector<ModelNode> ExportedModel::nodes() const {
  return exported::nodes_of(state_->loaded->plan);
}
ModelGraph ExportedModel::graph() const {
  return exported::graph_of(*state_->loaded);
}

ExportedModel ExportedModel::with_node_results(std::span<const std::string> only) const {
  auto kept = std::make_shared<KeptNodes>();
  kept->names.insert(only.begin(), only.end());
  auto outputs = std::make_shared<std::vector<ModelOutput>>(*state_->loaded->outputs);
  const std::function<void(const Plan&)> add = [&](const Plan& plan) {
    for (const exported::Step& step : plan.steps) {
      // The steps of a region come before its results.
      if (step.control == exported::Control::region) add(step.graphs[0]);
      for (const uint32_t one : step.tensors)
        if (kept->has(plan.graph->values[one].name))
          outputs->emplace_back().name = plan.graph->values[one].name;
    }
  };
  add(state_->loaded->plan);
  auto state = std::make_shared<State>();
  state->loaded = state_->loaded;
  state->outputs = std::move(outputs);
  state->kept = std::move(kept);
  return ExportedModel(std::move(state));
}

// ---- compiling ----

ExportedModel ExportedModel::compile(CompileOptions options) const {
  auto state = std::make_shared<State>();
  state->loaded = state_->loaded;
  state->outputs = state_->outputs;
  state->kept = state_->kept;
  state->marks_sizes = state_->marks_sizes;
  const Loaded& loaded = *state->loaded;
  if (options.name == CompileOptions().name) options.name = loaded.program.name;
  // What is run again after a frozen call that failed must not have been written before.
  const bool can_freeze = !exported::asks_for_elements(loaded.plan) &&
                          !exported::draws_random_numbers(loaded.plan) &&
                          loaded.written_weights.empty() && !loaded.has_mutations() &&
                          returns_only_tensors(loaded.program);
  if (can_freeze) {
    CompileOptions of_frozen = options;
    of_frozen.fullgraph = of_frozen.frozen = true;
    state->frozen.emplace(TensorBody{state->loaded, state->kept}, std::move(of_frozen));
  }
  options.frozen = false;
  state->compiled.emplace(ValueBody{state->loaded, state->kept}, std::move(options));
  return ExportedModel(std::move(state));
}

// As the calls of a file are compiled, and as they were when it was written.
ExportedModel ExportedModel::compiled_for_file(const std::string& name, bool exact) const {
  const ExportedModel out = compile({.name = name, .exact = exact});
  auto state = std::make_shared<State>(*out.state_);
  state->marks_sizes = true;
  return ExportedModel(std::move(state));
}

namespace {

std::vector<kernels::Isa> isas_of(const SaveCompiledOptions& options) {
  std::vector<kernels::Isa> out;
  for (const std::string& name : options.isas) {
    const auto isa = exported::isa_named(name);
    VITRO_CHECK(isa, "save_compiled: there is no instruction set ", name,
                "; needs baseline, avx2 or avx512");
    if (std::ranges::find(out, *isa) == out.end()) out.push_back(*isa);
  }
  if (out.empty()) out.push_back(kernels::machine_isa());
  return out;
}

// Gives weights that calls write their values back.
class WeightsAsBefore {
 public:
  explicit WeightsAsBefore(const Loaded& loaded) {
    for (const size_t one : loaded.written_weights)
      weights_.emplace_back(loaded.weights[one].tensor, clone(loaded.weights[one].tensor));
  }
  ~WeightsAsBefore() {
    for (const auto& [weight, before] : weights_) copy_(weight, before);
  }
  WeightsAsBefore(const WeightsAsBefore&) = delete;

 private:
  std::vector<std::pair<Tensor, Tensor>> weights_;
};

// Of inputs that calls may write.
std::vector<ArgValue> copies(std::span<const ArgValue> inputs) {
  std::vector<ArgValue> out(inputs.begin(), inputs.end());
  for (ArgValue& one : out)
    if (auto* tensor = std::get_if<Tensor>(&one)) one = clone(*tensor);
  return out;
}

// Every segment must have been compiled: a file has no code for the others.
void check_all_compiled(const CompiledReport& report) {
  for (const SegmentReport& segment : report.segments)
    VITRO_CHECK(segment.compiled, "save_compiled: the model cannot be compiled: ", segment.why_not);
}

}  // namespace

void ExportedModel::save_compiled(const std::string& path, std::span<const ArgValue> example,
                                  const SaveCompiledOptions& options) const {
  constexpr int calls = 3;  // the first ones may run op by op
  const Loaded& loaded = *state_->loaded;
  std::error_code is_new;  // the file need not exist
  VITRO_CHECK(!std::filesystem::equivalent(path, loaded.path, is_new), "save_compiled: ", path,
              " is the file that the model was loaded from; name another one");
  exported::CompiledHeader header{build_id(), loaded.package.name, name(), options.exact, {}, {},
                                  {}};
  const std::vector<kernels::Isa> isas = isas_of(options);
  const ExportedModel fast = compiled_for_file(header.name, options.exact);
  pipeline::CompiledHere here;
  {
    const WeightsAsBefore weights(loaded);
    const std::vector<ArgValue> own = copies(example);
    for (int i = 0; i < calls; ++i) (void)fast(own);
  }
  check_all_compiled(fast.report());
  // What the calls have packed is for this machine.
  const auto panels = options.weights == SaveCompiledOptions::Weights::packed
                          ? loaded.loaded_weights.panels()
                          : exported::NamedPanels();
  std::vector<exported::TargetEntries> targets;
  for (const kernels::Isa isa : isas) {
    header.targets.push_back(exported::compiled_target(isa));
    exported::TargetEntries& target = targets.emplace_back();
    for (const pipeline::CompiledHere::Captured& captured : here.graphs) {
      const auto done = pipeline::compile_for(captured, isa, target.code);
      VITRO_CHECK(done, "save_compiled: the model cannot be compiled for ", kernels::name(isa),
                  ": ", done.why());
    }
    if (isa == kernels::machine_isa())
      for (const auto& [key, memory] : panels) target.panels.emplace(key, memory->bytes());
  }
  if (options.weights == SaveCompiledOptions::Weights::reference) {
    header.package = exported::path_from(path, loaded.path);
    header.identity = exported::identity_of(loaded.path).value();
  }
  exported::write_compiled_file(path, loaded.path, header, targets);
}

void ExportedModel::save_compiled(const std::string& path, std::initializer_list<ArgValue> example,
                                  const SaveCompiledOptions& options) const {
  save_compiled(path, std::span<const ArgValue>(example.begin(), example.size()), options);
}

bool ExportedModel::is_compiled() const {
  return state_->compiled.has_value();
}

void ExportedModel::wait() const {
  if (state_->is_frozen()) return state_->frozen->wait();
  if (state_->compiled) state_->compiled->wait();
}

CompiledReport ExportedModel::report() const {
  if (state_->is_frozen()) return state_->frozen->report();
  if (!state_->compiled) return {};
  CompiledReport out = state_->compiled->report();
  if (state_->split->is_known)
    out.fallbacks.insert(out.fallbacks.begin(),
                         {&capture::not_repeatable, state_->split->why, {}, 1});
  return out;
}

ExportedModel load(const std::string& path, std::string_view model) {
  std::shared_ptr<Loaded> loaded = exported::load_program(path, model);
  const std::shared_ptr<const exported::CompiledFile> file = loaded->compiled_file;
  if (file) {
    loaded->panels = std::make_shared<exported::FilePanels>(file, loaded->loaded_weights);
    backend::add_panels_source(loaded->panels);
    jit::add_entry_source(file);
  }
  auto state = std::make_shared<ExportedModel::State>();
  state->outputs = loaded->outputs;
  state->loaded = std::move(loaded);
  const ExportedModel out(std::move(state));
  if (!file) return out;
  return out.compiled_for_file(file->header().name, file->header().exact);
}

}  // namespace vitro
