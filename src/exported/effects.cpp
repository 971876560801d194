// What the steps of a program do besides computing, by the schemas of their ops and by their names
// where schemas do not say.
#include "exported/effects.h"

#include <algorithm>
#include <functional>
#include <map>

namespace vitro::exported {
namespace {

using Kind = io::ProgramArgument::Kind;

void each_step(const Plan& plan, const std::function<void(const Plan&, const Step&)>& f) {
  for (const Step& step : plan.steps) {
    f(plan, step);
    for (const Plan& inner : step.graphs) each_step(inner, f);
  }
}

// Which weights each value may share memory with, as a list of inputs.
using Shares = std::vector<std::vector<uint32_t>>;

void note_written(const Plan& plan, Shares shares, std::vector<bool>& written);

const io::ProgramArgument* argument_named(const io::ProgramNode& node, std::string_view name) {
  for (const io::ProgramInput& input : node.inputs)
    if (input.name == name) return &input.argument;
  return nullptr;
}

std::vector<uint32_t> shared_by(const io::ProgramArgument& argument, const Shares& shares) {
  if (argument.kind == Kind::value) return shares[argument.value];
  std::vector<uint32_t> out;
  for (const io::ProgramArgument& one : argument.list) {
    const std::vector<uint32_t> more = shared_by(one, shares);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}
void set_shared(const io::ProgramArgument& result, const std::vector<uint32_t>& with,
                Shares& shares) {
  if (result.kind == Kind::value) shares[result.value] = with;
  for (const io::ProgramArgument& one : result.list) set_shared(one, with, shares);
}

// Batch norm in training writes its running statistics, which its schema does not say.
bool trains(const io::ProgramNode& node, std::string_view op) {
  if (op != "batch_norm" && op != "instance_norm" && op != "_native_batch_norm_legit" &&
      op != "native_batch_norm")
    return false;
  const auto* training =
      argument_named(node, op == "instance_norm" ? "use_input_stats" : "training");
  return training && training->kind == Kind::number && training->number.as_bool();
}

void note_step(const Step& step, Shares& shares, std::vector<bool>& written) {
  const io::ProgramNode& node = *step.node;
  if (step.control != Control::none) {
    // Sub-graphs: their inputs may be any operand.
    std::vector<uint32_t> all;
    for (const io::ProgramInput& input : node.inputs) {
      const std::vector<uint32_t> more = shared_by(input.argument, shares);
      all.insert(all.end(), more.begin(), more.end());
    }
    for (const Plan& inner : step.graphs)
      note_written(inner, Shares(inner.graph->values.size(), all), written);
    for (const auto& output : node.outputs) set_shared(output, all, shares);
    return;
  }
  if (!step.overload) return;
  const Schema& schema = step.overload->schema;
  const bool in_training = trains(node, schema.name);
  std::map<char, std::vector<uint32_t>> sets;
  for (const io::ProgramInput& input : node.inputs) {
    const SchemaArgument& argument = *argument_of(schema, input.name);
    const std::vector<uint32_t> with = shared_by(input.argument, shares);
    const bool writes =
        argument.alias.written || (in_training && argument.name.starts_with("running_"));
    for (const uint32_t one : with) written[one] = written[one] || writes;
    if (argument.alias.set != 0) sets[argument.alias.set] = with;
  }
  for (size_t i = 0; i < node.outputs.size() && i < schema.results.size(); ++i)
    if (const char set = schema.results[i].alias.set; set != 0)
      set_shared(node.outputs[i], sets[set], shares);
}

void note_written(const Plan& plan, Shares shares, std::vector<bool>& written) {
  for (const Step& step : plan.steps) note_step(step, shares, written);
}

}  // namespace

// Ops with a generator, named rand..., and those that drop elements at random.
bool draws_random_numbers(const Step& step) {
  if (!step.overload) return false;
  const Schema& schema = step.overload->schema;
  const auto number = [&](std::string_view name) -> const Scalar* {
    const io::ProgramArgument* given = argument_named(*step.node, name);
    return given && given->kind == Kind::number ? &given->number : nullptr;
  };
  for (const std::string_view name : {"train", "training"})
    if (const Scalar* trains = number(name); trains && !trains->as_bool()) return false;
  for (const std::string_view name : {"dropout", "dropout_p"})
    if (const Scalar* p = number(name); p && !p->is(0)) return true;
  const std::string_view op = schema.name;
  return schema.argument("generator") || op.starts_with("rand") || op == "normal" ||
         ((op.ends_with("dropout") || op.ends_with("dropout_")) && schema.argument("p")) ||
         op.starts_with("bernoulli") || op.starts_with("multinomial") || op.starts_with("rrelu");
}

std::vector<bool> written_inputs(const Plan& plan) {
  Shares shares(plan.graph->values.size());
  for (size_t i = 0; i < plan.graph->inputs.size(); ++i) {
    const io::ProgramArgument& input = plan.graph->inputs[i];
    if (input.kind == Kind::value) shares[input.value] = {static_cast<uint32_t>(i)};
  }
  std::vector<bool> written(plan.graph->inputs.size(), false);
  note_written(plan, std::move(shares), written);
  return written;
}

bool writes_in_place(const Plan& plan) {
  bool out = false;
  each_step(plan, [&](const Plan&, const Step& step) {
    if (!step.overload) return;
    out = out || trains(*step.node, step.overload->schema.name) ||
          std::ranges::any_of(step.overload->schema.arguments,
                              [](const SchemaArgument& one) { return one.alias.written; });
  });
  return out;
}

bool asks_for_elements(const Plan& plan) {
  bool out = false;
  each_step(plan, [&](const Plan&, const Step& step) {
    out = out || step.asserts || (step.control != Control::none && step.control != Control::region);
    if (!step.overload) return;
    const std::string& name = step.overload->schema.name;
    out = out || name == "item" || name == "_local_scalar_dense" ||
          (ops::returns_number(step.overload->schema) && !name.starts_with("sym_"));
  });
  return out;
}

bool draws_random_numbers(const Plan& plan) {
  bool out = false;
  each_step(plan, [&](const Plan&, const Step& step) { out = out || draws_random_numbers(step); });
  return out;
}

}  // namespace vitro::exported
