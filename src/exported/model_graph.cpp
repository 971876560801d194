// Describes the nodes of a program, from the file's text where the plan does not keep it.
#include "exported/model_graph.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "vitro/base/cat.h"
#include "vitro/base/module_path.h"

namespace vitro::exported {
namespace {

using Values = std::vector<uint32_t>;

void add_value(Values& out, uint32_t value) {
  if (std::ranges::find(out, value) == out.end()) out.push_back(value);
}

// The values in an argument or result, in order.
void append_values(Values& out, const io::ProgramArgument& argument) {
  if (argument.kind == io::ProgramArgument::Kind::value) out.push_back(argument.value);
  for (const io::ProgramArgument& one : argument.list) append_values(out, one);
}

ModelNode node_of(const Plan& plan, const Step& step) {
  ModelNode out{std::string(short_target(step.node->target)),
                std::string(module_path(step.node->module)),
                file_and_line(step.node->where),
                {}};
  for (const uint32_t one : step.tensors) out.results.emplace_back(plan.graph->values[one].name);
  return out;
}

ModelGraph::Value described_value(const io::ProgramValue& value,
                                  const std::optional<io::ProgramMeta>& meta,
                                  const io::Program& program) {
  ModelGraph::Value out{.kind = ModelGraph::Value::Kind::result, .name = value.name, .type = {}};
  if (!meta || !meta->is_known_dtype) return out;
  std::vector<ModelSize> sizes;
  for (const io::ProgramSize& size : meta->sizes) sizes.push_back(described(size, program));
  out.type = type_text(meta->dtype, sizes);
  return out;
}

// The numbers of the values of a sub-graph that its node runs once: operands and results are values
// of the graph around it.  A result that is an operand gets its number there.
std::vector<uint32_t> values_inside(const Step& step, std::vector<uint32_t>& values,
                                    ModelGraph& out) {
  const io::ProgramGraph& inner = *step.graphs[0].graph;
  std::vector<uint32_t> numbers;
  for (const io::ProgramValue& one : inner.values) {
    numbers.push_back(static_cast<uint32_t>(out.values.size()));
    out.values.push_back({ModelGraph::Value::Kind::result, one.name, {}});
  }
  Values operands, results, inputs, outputs;
  for (const io::ProgramInput& one : step.node->inputs) append_values(operands, one.argument);
  for (const io::ProgramArgument& one : step.node->outputs) append_values(results, one);
  for (const io::ProgramArgument& one : inner.inputs) append_values(inputs, one);
  for (const io::ProgramArgument& one : inner.outputs) append_values(outputs, one);
  for (size_t i = 0; i < inputs.size() && i < operands.size(); ++i)
    numbers[inputs[i]] = values[operands[i]];
  for (size_t i = 0; i < outputs.size() && i < results.size(); ++i) {
    if (std::ranges::find(inputs, outputs[i]) != inputs.end()) {
      values[results[i]] = numbers[outputs[i]];
    } else {
      numbers[outputs[i]] = values[results[i]];
    }
  }
  return numbers;
}

// `values`: the numbers in `out` of the values of the plan's graph.
void add_nodes(const Plan& plan, std::vector<uint32_t>& values, ModelGraph& out) {
  const auto numbers = [&](const io::ProgramArgument& of, Values& to) {
    Values found;
    append_values(found, of);
    for (const uint32_t one : found) add_value(to, values[one]);
  };
  for (const Step& step : plan.steps) {
    if (step.control == Control::region) {
      std::vector<uint32_t> inside = values_inside(step, values, out);
      add_nodes(step.graphs[0], inside, out);
      continue;
    }
    ModelGraph::Node node{node_of(plan, step), {}, {}};
    for (const io::ProgramInput& one : step.node->inputs) numbers(one.argument, node.operands);
    for (const io::ProgramArgument& one : step.node->outputs) numbers(one, node.results);
    out.nodes.push_back(std::move(node));
  }
}

}  // namespace

std::vector<ModelNode> nodes_of(const Plan& plan) {
  std::vector<ModelNode> out;
  const std::function<void(const Plan&)> add = [&](const Plan& one) {
    for (const Step& step : one.steps) {
      out.push_back(node_of(one, step));
      for (const Plan& inner : step.graphs) add(inner);
    }
  };
  add(plan);
  return out;
}

ModelGraph graph_of(const Loaded& loaded) {
  const io::Program& program = loaded.program;
  const io::ProgramGraph& graph = program.graph;
  const auto metas = io::parse_metas(loaded.package.program_json, program).value();
  ModelGraph out;
  for (size_t i = 0; i < graph.values.size(); ++i)
    out.values.push_back(described_value(graph.values[i], metas[i], program));
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const io::InputSpec& spec = program.inputs[i];
    if (graph.inputs[i].kind != io::ProgramArgument::Kind::value) continue;
    ModelGraph::Value& value = out.values[graph.inputs[i].value];
    value.kind = is_users(spec) ? ModelGraph::Value::Kind::input : ModelGraph::Value::Kind::weight;
    if (!is_users(spec)) value.name = spec.target;
  }
  std::vector<uint32_t> all(graph.values.size());
  std::iota(all.begin(), all.end(), uint32_t{0});
  add_nodes(loaded.plan, all, out);
  size_t returned = 0;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (!is_returned(program.outputs[i])) continue;
    const std::string& name = (*loaded.outputs)[returned++].name;
    if (graph.outputs[i].kind == io::ProgramArgument::Kind::value)
      out.outputs.push_back({name, all[graph.outputs[i].value]});
  }
  return out;
}

}  // namespace vitro::exported
