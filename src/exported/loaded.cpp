// Reads a package, describes its inputs and outputs, and binds its weights.
#include "exported/loaded.h"

#include <algorithm>
#include <utility>

#include "exported/effects.h"
#include "exported/rehearsal.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/ops/create.h"
#include "vitro/ops/shapes.h"
#include "vitro/ops/view.h"

namespace vitro::exported {

using InputKind = io::InputSpec::Kind;
using OutputKind = io::OutputSpec::Kind;

bool is_users(const io::InputSpec& spec) {
  return spec.kind == InputKind::user || spec.kind == InputKind::frozen;
}
bool is_returned(const io::OutputSpec& spec) {
  return spec.kind == OutputKind::user || spec.kind == OutputKind::loss ||
         spec.kind == OutputKind::gradient;
}

std::string type_text(DType dtype, const std::vector<ModelSize>& sizes) {
  std::string out = cat(dtype, '[');
  for (size_t i = 0; i < sizes.size(); ++i) out += cat(i == 0 ? "" : ", ", sizes[i].text);
  return out + "]";
}

namespace {

// Keeps the tensors that nodes define, as they are then.
Observer keeper(const Plan& plan, const KeptNodes& kept, std::vector<ArgValue>& out) {
  return [&kept, &out, copies = writes_in_place(plan)](const Plan& at, const Step& step,
                                                       std::span<const ArgValue> values) {
    for (const uint32_t one : step.tensors) {
      if (!kept.has(at.graph->values[one].name)) continue;
      const auto* tensor = std::get_if<Tensor>(&values[one]);
      if (!tensor || !tensor->defined()) {
        out.emplace_back(Tensor::empty({0}));
      } else {
        out.emplace_back(copies ? clone(*tensor) : *tensor);
      }
    }
  };
}

// ---- describing ----

void describe_inputs(Loaded& loaded) {
  const io::Program& program = loaded.program;
  const std::vector<std::string> paths = io::argument_paths(program);
  for (const io::InputSpec& spec : program.inputs) {
    if (!is_users(spec)) continue;
    ModelInput input;
    input.path = paths.at(loaded.inputs.size());
    input.name = spec.name.empty() ? input.path : spec.name;
    if (spec.kind == InputKind::frozen) {
      input.kind = ModelInput::Kind::literal;
      input.literal = value_of(spec.literal, {});
    } else if (spec.meta) {
      VITRO_CHECK(spec.meta->is_known_dtype, "input ", spec.name, ": has a dtype that Vitro lacks");
      input.dtype = spec.meta->dtype;
      for (const io::ProgramSize& size : spec.meta->sizes)
        input.sizes.push_back(described(size, program));
    } else {
      input.kind = ModelInput::Kind::number;
      input.literal = Scalar(spec.example);
      input.dtype = DType::i64;
    }
    loaded.inputs.push_back(std::move(input));
  }
}

// "logits" of ".logits", "y" of "['y']", "output_1[0]" of "[1][0]".
std::string output_name(std::string_view path) {
  if (path.empty()) return "output";
  if (path.starts_with('.')) return std::string(path.substr(1));
  if (const size_t quote = path.find("']"); path.starts_with("['") && quote != path.npos)
    return cat(path.substr(2, quote - 2), path.substr(quote + 2));
  const size_t end = path.find(']');
  const std::string_view rest = path.substr(end + 1);
  return cat("output_", path.substr(1, end - 1), rest);
}

void describe_outputs(Loaded& loaded) {
  const io::Program& program = loaded.program;
  const std::vector<std::string> paths = io::leaf_paths(program.out, "");
  size_t next = 0;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const io::OutputSpec& spec = program.outputs[i];
    if (!is_returned(spec)) continue;
    ModelOutput output;
    output.name = spec.kind == OutputKind::gradient ? cat("gradient of ", spec.target)
                  : next < paths.size()             ? output_name(paths[next])
                                                    : cat("output_", next);
    if (spec.kind != OutputKind::gradient) ++next;
    output.is_tensor = spec.meta.has_value();
    if (spec.meta) {
      output.dtype = spec.meta->dtype;
      for (const io::ProgramSize& size : spec.meta->sizes)
        output.sizes.push_back(described(size, program));
    }
    loaded.outputs->push_back(std::move(output));
  }
}

// ---- calls ----

// Complex tensors and dtypes that Vitro lacks are not values of a graph; a size without an example
// is unknown.
Known known_of(const io::InputSpec& spec, const ArgValue& bound) {
  if (const auto* weight = std::get_if<Tensor>(&bound))
    return weight->is_complex() ? Known() : Known(weight->meta());
  if (spec.kind == InputKind::frozen) return value_of(spec.literal, {});
  if (!spec.meta) return ArgValue(Scalar(spec.example));
  if (!spec.meta->is_known_dtype || is_complex(spec.meta->dtype)) return {};
  Sizes sizes;
  for (const io::ProgramSize& size : spec.meta->sizes) {
    if (size.number < 0) return {};
    sizes.push_back(size.number);
  }
  return ops::dense(spec.meta->dtype, cpu, std::move(sizes));
}

void check_calls(const Loaded& loaded) {
  std::vector<Known> inputs;
  for (size_t i = 0; i < loaded.bound.size(); ++i)
    inputs.push_back(known_of(loaded.program.inputs[i], loaded.bound[i]));
  rehearse(loaded.plan, inputs, loaded.program.name);
}

// ---- weights ----

std::string numbers_of_meta(const io::ProgramMeta& meta) {
  std::string out = cat(meta.dtype, '[');
  for (size_t i = 0; i < meta.sizes.size(); ++i)
    out += cat(i == 0 ? "" : ", ", meta.sizes[i].number);
  return out + "]";
}

void check_weight(const io::InputSpec& spec, const Tensor& tensor) {
  const io::ProgramMeta& meta = *spec.meta;
  const Sizes sizes = tensor.sizes();
  bool is_same = tensor.dtype() == meta.dtype && sizes.size() == meta.sizes.size();
  for (size_t d = 0; is_same && d < sizes.size(); ++d)
    is_same = sizes[d].hint() == meta.sizes[d].number;
  VITRO_CHECK(is_same, "weight ", spec.target, ": is ", tensor.dtype(), " of rank ", sizes.size(),
              " and ", tensor.numel().hint(), " elements, the program needs ",
              numbers_of_meta(meta));
}

void find_written(Loaded& loaded) {
  const std::vector<io::InputSpec>& inputs = loaded.program.inputs;
  for (const io::OutputSpec& output : loaded.program.outputs) {
    loaded.written.push_back(inputs.size());
    if (is_returned(output)) continue;
    const bool is_of_user = output.kind == OutputKind::user_input;
    const auto found = std::ranges::find_if(inputs, [&](const io::InputSpec& input) {
      return is_users(input) == is_of_user &&
             (is_of_user ? input.name : input.target) == output.target;
    });
    VITRO_CHECK(found != inputs.end() && found->meta && output.meta, "the program writes to ",
                output.target, ", which is not a tensor that it takes");
    loaded.written.back() = static_cast<size_t>(found - inputs.begin());
  }
}

void bind_weights(const io::PackageModel& package, Loaded& loaded) {
  std::vector<bool> is_written = written_inputs(loaded.plan);
  for (const size_t input : loaded.written)
    if (input < is_written.size()) is_written[input] = true;
  for (size_t i = 0; i < loaded.program.inputs.size(); ++i) {
    const io::InputSpec& spec = loaded.program.inputs[i];
    loaded.bound.emplace_back();
    if (is_users(spec)) continue;
    const bool is_constant = spec.kind == InputKind::constant || !spec.persistent;
    Tensor tensor =
        (is_constant ? package.constant(spec.target) : package.weight(spec.target)).value();
    check_weight(spec, tensor);
    if (is_written[i]) {
      loaded.written_weights.push_back(loaded.weights.size());
    } else if (!tensor.is_complex()) {
      tensor.set_parameter(true, spec.target);
    }
    const auto kind = spec.kind == InputKind::parameter ? ModelWeight::Kind::parameter
                      : spec.kind == InputKind::buffer  ? ModelWeight::Kind::buffer
                                                        : ModelWeight::Kind::constant;
    loaded.weights.push_back({spec.target, kind, tensor});
    loaded.bound.back() = tensor;
  }
}

}  // namespace

std::vector<ArgValue> Loaded::run(const std::vector<Tensor>& tensors,
                                  const std::vector<Scalar>& numbers, const KeptNodes* kept) const {
  std::vector<ArgValue> given = bound;
  size_t next_tensor = 0, next_number = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    if (program.inputs[i].kind != InputKind::user) continue;
    if (program.inputs[i].meta) {
      given[i] = tensors.at(next_tensor++);
    } else {
      given[i] = numbers.at(next_number++);
    }
  }
  const std::vector<ArgValue> before = has_mutations() ? given : std::vector<ArgValue>();
  std::vector<ArgValue> of_nodes;
  std::vector<ArgValue> all =
      exported::run(plan, std::move(given), kept ? keeper(plan, *kept, of_nodes) : Observer());
  std::vector<ArgValue> out;
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_returned(program.outputs[i])) {
      out.push_back(std::move(all[i]));
    } else {
      const auto* value = std::get_if<Tensor>(&all[i]);
      VITRO_CHECK(value, "the program writes ", text_of(all[i]), " to the tensor ",
                  program.outputs[i].target);
      copy_(std::get<Tensor>(before[written[i]]), *value);
    }
  }
  std::ranges::move(of_nodes, std::back_inserter(out));
  return out;
}
bool Loaded::has_mutations() const {
  return !std::ranges::all_of(program.outputs, is_returned);
}

std::shared_ptr<Loaded> load_program(const std::string& path, std::string_view model) {
  const auto file = CompiledFile::open(path).value();
  auto loaded = std::make_shared<Loaded>();
  loaded->path = file ? file->package() : path;
  loaded->compiled_file = file;
  io::Package package = io::Package::open(loaded->path).value();
  if (file) {
    VITRO_CHECK(model.empty() || model == file->header().model, path, ": has the compiled model ",
                file->header().model, ", and no ", model);
    model = file->header().model;
  }
  const io::PackageModel chosen = package.model(model).value();
  loaded->package = chosen;
  try {
    loaded->program = io::parse_program(chosen.program_json, chosen.name).value();
    loaded->plan = make_plan(loaded->program.graph, loaded->program.name);
    describe_inputs(*loaded);
    describe_outputs(*loaded);
    find_written(*loaded);
    bind_weights(chosen, *loaded);
    check_calls(*loaded);
    loaded->loaded_weights = LoadedWeights(loaded->weights);
    loaded->checks = std::make_unique<InputChecks>(loaded->program, loaded->inputs);
  } catch (const Error& e) {
    const bool has_path = e.message().starts_with(path);
    throw_error(has_path ? std::string(e.message()) : cat(path, ": ", e.message()));
  }
  return loaded;
}

}  // namespace vitro::exported
