// Finds what each node calls and matches its arguments with the schema.
#include "exported/plan.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::exported {
namespace {

using Kind = io::ProgramArgument::Kind;

// ---- names ----

constexpr std::string_view ops_prefix = "torch.ops.", control_prefix = "higher_order.";

struct Renamed {
  std::string_view from, to;
  std::string_view argument, new_argument;
};
constexpr Renamed renamed[] = {
    // PyTorch's view may be of what is not contiguous here: attention returns other strides.
    {"view", "reshape", "size", "shape"},
    {"_unsafe_view", "reshape", "size", "shape"},
    // Of one argument; the others are where.self and so on.
    {"where", "nonzero_numpy", "condition", "self"}};

}  // namespace

const SchemaArgument* argument_of(const Schema& schema, std::string_view name) {
  for (const Renamed& one : renamed)
    if (one.to == schema.name && one.argument == name) name = one.new_argument;
  return schema.argument(name);
}

namespace {

// Errors unless their first operand is true.
constexpr std::string_view assertions[] = {"aten._assert_async.msg", "aten._assert_async.default"};

constexpr std::pair<std::string_view, Control> controls[] = {
    {"cond", Control::cond},
    {"while_loop", Control::while_loop},
    {"scan", Control::scan},
    {"map_impl", Control::map},
    {"map", Control::map},
    {"associative_scan", Control::associative_scan},
    {"wrap_with_set_grad_enabled", Control::region},
    {"wrap_with_autocast", Control::region},
};

Control control_of(std::string_view target) {
  if (!target.starts_with(control_prefix)) return Control::none;
  target.remove_prefix(control_prefix.size());
  for (const auto& [name, control] : controls)
    if (name == target) return control;
  return Control::none;
}

// Whether the node is a region of torch.autocast in which ops on the CPU compute with other dtypes:
// (device type, dtype, whether it is on, whether casts are cached, graph, operands...).
bool casts(const io::ProgramNode& node) {
  if (short_target(node.target) != "higher_order.wrap_with_autocast") return false;
  if (node.inputs.size() < 3) return true;
  const io::ProgramArgument &device = node.inputs[0].argument, &on = node.inputs[2].argument;
  const bool is_off = on.kind == Kind::number && !on.number.as_bool();
  return !is_off && (device.kind != Kind::text || device.text == "cpu");
}

// "aten.add.Tensor" -> "add.Tensor", "aten.relu.default" -> "relu"; empty: another library's.
std::string op_name(std::string_view target) {
  const size_t dot = target.find('.');
  const std::string_view library = target.substr(0, dot);
  if (dot == target.npos || (library != "aten" && library != "transformers")) return "";
  std::string_view name = target.substr(dot + 1);
  constexpr std::string_view usual = ".default";
  if (name.ends_with(usual)) name.remove_suffix(usual.size());
  for (const Renamed& one : renamed)
    if (name == one.from) name = one.to;
  return std::string(name);
}

bool is_view(const Schema& schema) {
  if (schema.arguments.empty() || schema.results.size() != 1) return false;
  const Alias &operand = schema.arguments[0].alias, &result = schema.results[0].alias;
  return operand.set != 0 && operand.set == result.set && !operand.written;
}

// Of a view that an op makes of its operand itself the op that makes another tensor: "squeeze.dim"
// of "squeeze_.dim", "transpose.int" of "transpose_"; null if the node calls something else.
const ops::Overload* view_in_place(std::string_view name, const io::ProgramNode& node) {
  const size_t end = std::min(name.find('.'), name.size());
  if (end == 0 || name[end - 1] != '_') return nullptr;
  const std::string_view overload = end == name.size() ? "" : name.substr(end + 1);
  for (const ops::Overload& one : ops::overloads(name.substr(0, end - 1))) {
    const bool fits = is_view(one.schema) &&
                      (overload.empty() || overload == one.schema.overload) &&
                      std::ranges::all_of(node.inputs, [&](const io::ProgramInput& input) {
                        return argument_of(one.schema, input.name) != nullptr;
                      });
    if (fits) return &one;
  }
  return nullptr;
}

// The tensors that a node defines.
std::vector<uint32_t> tensors_of(const io::ProgramNode& node, const io::ProgramGraph& graph) {
  std::vector<uint32_t> out;
  const std::function<void(const io::ProgramArgument&)> add = [&](const io::ProgramArgument& one) {
    if (one.kind == Kind::value && !graph.values[one.value].is_number) out.push_back(one.value);
    for (const io::ProgramArgument& inner : one.list) add(inner);
  };
  for (const io::ProgramArgument& one : node.outputs) add(one);
  return out;
}

// ---- arguments ----

bool is_constant(const io::ProgramArgument& argument) {
  if (argument.kind == Kind::value || argument.kind == Kind::graph) return false;
  return std::ranges::all_of(argument.list, is_constant);
}

std::string text_of_argument(const io::ProgramArgument& argument) {
  if (argument.kind == Kind::value) return "a value";
  if (argument.kind == Kind::graph) return "a graph";
  return argument.kind == Kind::list ? "a list" : text_of(value_of(argument, {}));
}

// Which values of a graph are in the same memory, by the schemas of the ops.
class Aliases {
 public:
  explicit Aliases(const Plan& plan) : plan_(plan) {
    for (size_t i = 0; i < plan.steps.size(); ++i)
      if (plan.steps[i].overload) add(plan.steps[i], i);
  }

  // Whether a copy as the result of step i, a view, could be distinguished from a view: after it
  // there is a write on one side that the other side shows.
  bool needs_memory(size_t i) const {
    const io::ProgramArgument* source = first_operand(plan_.steps[i]);
    const auto& outputs = plan_.steps[i].node->outputs;
    if (!source || outputs.size() != 1 || outputs[0].kind != Kind::value) return false;
    std::vector<bool> of_view(plan_.graph->values.size(), false), of_source = of_view;
    of_view[outputs[0].value] = of_source[source->value] = true;
    for (const Edge& edge : edges_)
      if (edge.step > i && of_view[edge.from]) of_view[edge.to] = true;
    for (bool grows = true; grows;) {
      grows = false;
      for (const Edge& edge : edges_) {
        if (of_source[edge.from] == of_source[edge.to]) continue;
        if (of_view[edge.from] || of_view[edge.to]) continue;
        grows = of_source[edge.from] = of_source[edge.to] = true;
      }
    }
    return is_written_and_seen(i, of_view, of_source) || is_written_and_seen(i, of_source, of_view);
  }

 private:
  struct Edge {
    size_t step;
    uint32_t from, to;
  };
  struct Write {
    size_t step;
    uint32_t value;
  };

  static const io::ProgramArgument* first_operand(const Step& step) {
    if (step.node->inputs.empty()) return nullptr;
    const io::ProgramArgument& out = step.node->inputs[0].argument;
    return out.kind == Kind::value ? &out : nullptr;
  }
  static void each_value(const io::ProgramArgument& of, const std::function<void(uint32_t)>& f) {
    if (of.kind == Kind::value) f(of.value);
    for (const io::ProgramArgument& one : of.list) each_value(one, f);
  }

  void add(const Step& step, size_t at) {
    const Schema& schema = step.overload->schema;
    for (const io::ProgramInput& input : step.node->inputs) {
      const SchemaArgument& argument = *argument_of(schema, input.name);
      if (argument.alias.written)
        each_value(input.argument, [&](uint32_t value) { writes_.push_back({at, value}); });
      if (argument.alias.set == 0) continue;
      for (size_t r = 0; r < step.node->outputs.size() && r < schema.results.size(); ++r) {
        if (schema.results[r].alias.set != argument.alias.set) continue;
        each_value(input.argument, [&](uint32_t from) {
          each_value(step.node->outputs[r], [&](uint32_t to) { edges_.push_back({at, from, to}); });
        });
      }
    }
  }

  bool is_written_and_seen(size_t after, const std::vector<bool>& written,
                           const std::vector<bool>& seen) const {
    return std::ranges::any_of(writes_, [&](const Write& write) {
      return write.step > after && written[write.value] && is_seen(write.step, seen);
    });
  }
  // Inputs and outputs of the graph are seen by its caller.
  bool is_seen(size_t after, const std::vector<bool>& values) const {
    bool out = false;
    const auto note = [&](uint32_t value) { out = out || values[value]; };
    for (const io::ProgramArgument& one : plan_.graph->inputs) each_value(one, note);
    for (const io::ProgramArgument& one : plan_.graph->outputs) each_value(one, note);
    for (size_t i = after + 1; i < plan_.steps.size(); ++i)
      for (const io::ProgramInput& input : plan_.steps[i].node->inputs)
        each_value(input.argument, note);
    return out;
  }

  const Plan& plan_;
  std::vector<Edge> edges_;
  std::vector<Write> writes_;
};

void mark_exact_views(Plan& plan) {
  const Aliases aliases(plan);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    Step& step = plan.steps[i];
    if (!step.overload) continue;
    const std::string_view target = short_target(step.node->target);
    const bool changes_dtype = target == "aten.view.dtype";
    const bool is_exact =
        (changes_dtype || target == "aten.view.default") && aliases.needs_memory(i);
    if (!changes_dtype) step.needs_memory = is_exact;
    if (changes_dtype && !is_exact) step.copy = ops::overload("view_copy.dtype");
  }
}

class PlanMaker {
 public:
  explicit PlanMaker(std::string_view model) : model_(model) {}

  Plan plan(const io::ProgramGraph& graph) {
    Plan out;
    out.graph = &graph;
    for (const io::ProgramNode& node : graph.nodes) out.steps.push_back(step(node, graph));
    mark_releases(out);
    mark_exact_views(out);
    return out;
  }

  void check_complete() const {
    if (missing_.empty()) return;
    std::string text =
        cat("model ", model_, ": calls ", missing_.size(),
            missing_.size() == 1 ? " function" : " functions", " that Vitro does not have:");
    for (const auto& [target, lines] : missing_) {
      text += cat("\n  ", target, ", ", lines.count, lines.count == 1 ? " call" : " calls");
      for (size_t i = 0; i < lines.places.size(); ++i)
        text += cat(i == 0 ? ": " : ", ", lines.places[i]);
    }
    throw_error(text);
  }

 private:
  struct Lines {
    size_t count = 0;
    std::vector<std::string> places;  // the first few
  };

  void note_missing(const io::ProgramNode& node) {
    Lines& lines = missing_[std::string(short_target(node.target))];
    ++lines.count;
    const std::string place = file_and_line(node.where);
    const bool is_new = std::ranges::find(lines.places, place) == lines.places.end();
    if (!place.empty() && is_new && lines.places.size() < 4) lines.places.push_back(place);
  }

  Step step(const io::ProgramNode& node, const io::ProgramGraph& graph) {
    Step out;
    out.node = &node;
    out.tensors = tensors_of(node, graph);
    const std::string_view target = short_target(node.target);
    out.control = control_of(target);
    if (casts(node)) {
      note_missing(node);
      return out;
    }
    if (out.control != Control::none) return add_graphs(node, std::move(out));
    out.number = io::number_operator(target);
    if (out.number) {
      check(node, out.number->takes(node.inputs.size()), "another number of operands");
      return out;
    }
    out.asserts = std::ranges::find(assertions, target) != std::end(assertions);
    if (out.asserts) {
      check(node, !node.inputs.empty(), "no operands");
      return out;
    }
    const std::string name = op_name(target);
    out.overload = name.empty() ? nullptr : chosen(name, node, graph);
    if (!out.overload && (out.overload = view_in_place(name, node))) out.changes_operand = true;
    if (!out.overload) {
      note_missing(node);
    } else {
      add_arguments(node, graph, out);
    }
    return out;
  }

  Step add_graphs(const io::ProgramNode& node, Step out) {
    for (const io::ProgramInput& input : node.inputs)
      if (input.argument.kind == Kind::graph) out.graphs.push_back(plan(*input.argument.graph));
    const size_t needed =
        out.control == Control::cond || out.control == Control::while_loop ? 2 : 1;
    check(node, out.graphs.size() == needed, "another number of sub-graphs");
    return out;
  }

  static bool is_number(const io::ProgramArgument& argument, const io::ProgramGraph& graph) {
    if (argument.kind == Kind::number) return true;
    return argument.kind == Kind::value && graph.values[argument.value].is_number;
  }
  // Whether a number stands where the schema has a tensor.
  static bool needs_tensor(const SchemaArgument& wanted, const io::ProgramArgument& given,
                           const io::ProgramGraph& graph) {
    return wanted.type.kind == ArgKind::tensor && !wanted.type.list && is_number(given, graph);
  }
  // The overload that the node names or, where it gives a number for a tensor, as Python may, the
  // one for numbers.
  static const ops::Overload* chosen(std::string_view name, const io::ProgramNode& node,
                                     const io::ProgramGraph& graph) {
    const ops::Overload* named = ops::overload(name);
    if (!named) return nullptr;
    const auto fits = [&](const ops::Overload& one) {
      return std::ranges::all_of(node.inputs, [&](const io::ProgramInput& input) {
        const SchemaArgument* wanted = argument_of(one.schema, input.name);
        return wanted && !needs_tensor(*wanted, input.argument, graph) &&
               (wanted->type.kind != ArgKind::scalar || is_number(input.argument, graph) ||
                wanted->type.optional);
      });
    };
    const bool has_mismatch = std::ranges::any_of(node.inputs, [&](const io::ProgramInput& input) {
      const SchemaArgument* wanted = argument_of(named->schema, input.name);
      return wanted && needs_tensor(*wanted, input.argument, graph);
    });
    if (!has_mismatch) return named;
    const auto all = ops::overloads(named->schema.name);
    const auto found = std::ranges::find_if(all, fits);
    return found == all.end() ? named : &*found;
  }

  void add_arguments(const io::ProgramNode& node, const io::ProgramGraph& graph, Step& out) {
    const Schema& schema = out.overload->schema;
    std::vector<const io::ProgramInput*> given(schema.arguments.size(), nullptr);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const io::ProgramInput& input = node.inputs[i];
      const SchemaArgument* wanted = argument_of(schema, input.name);
      check(node, wanted != nullptr, cat("the argument ", input.name, " of ", schema));
      given[static_cast<size_t>(wanted - schema.arguments.data())] = &input;
    }
    bool is_positional = true;
    for (size_t i = 0; i < given.size(); ++i) {
      const SchemaArgument& wanted = schema.arguments[i];
      is_positional = is_positional && given[i] && !wanted.keyword_only;
      if (given[i]) add_argument(node, graph, wanted, given[i]->argument, is_positional, out);
    }
  }

  void add_argument(const io::ProgramNode& node, const io::ProgramGraph& graph,
                    const SchemaArgument& wanted, const io::ProgramArgument& given,
                    bool is_positional, Step& out) {
    check(node, given.kind != Kind::graph, cat("a graph as ", wanted.name));
    const bool wants_tensor = needs_tensor(wanted, given, graph);
    ArgValue value;
    if (!is_constant(given) || wants_tensor) {
      const size_t index = is_positional ? out.positional.size() : out.named.size();
      out.holes.push_back({!is_positional, index, &given, wants_tensor});
    } else {
      value = value_of(given, {});
      const bool fits = ops::takes(wanted.type, value) || (is_none(value) && wanted.default_text);
      check(
          node, fits,
          cat(wanted.name, '=', text_of_argument(given), ", the schema is ", out.overload->schema));
    }
    if (is_positional) {
      out.positional.push_back(std::move(value));
    } else {
      out.named.push_back({wanted.name, std::move(value)});
    }
  }

  void check(const io::ProgramNode& node, bool is_fine, std::string_view got) const {
    if (is_fine) return;
    const std::string place = file_and_line(node.where);
    throw_error(cat("model ", model_, ": node ", node.name, " (", short_target(node.target), ")",
                    place.empty() ? "" : cat(" of ", place), ": does not take ", got));
  }

  // A value is released by the last step that uses it, or the one that defines it.
  static void mark_releases(Plan& plan) {
    const io::ProgramGraph& graph = *plan.graph;
    constexpr size_t never = SIZE_MAX, kept = SIZE_MAX - 1;
    std::vector<size_t> last(graph.values.size(), never);
    const std::function<void(const io::ProgramArgument&, size_t)> note =
        [&](const io::ProgramArgument& argument, size_t at) {
          if (argument.kind == Kind::value) last[argument.value] = at;
          for (const io::ProgramArgument& one : argument.list) note(one, at);
        };
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      for (const auto& output : plan.steps[i].node->outputs) note(output, i);
      for (const auto& input : plan.steps[i].node->inputs) note(input.argument, i);
    }
    for (const io::ProgramArgument& output : graph.outputs) note(output, kept);
    for (uint32_t value = 0; value < last.size(); ++value) {
      if (last[value] == never) {
        plan.unused.push_back(value);
      } else if (last[value] != kept) {
        plan.steps[last[value]].release.push_back(value);
      }
    }
  }

  std::string_view model_;
  std::map<std::string, Lines> missing_;
};

}  // namespace

std::string_view short_target(std::string_view target) {
  if (target.starts_with(ops_prefix)) target.remove_prefix(ops_prefix.size());
  return target;
}

Plan make_plan(const io::ProgramGraph& graph, std::string_view model) {
  PlanMaker maker(model);
  Plan plan = maker.plan(graph);
  maker.check_complete();
  return plan;
}

ArgValue value_of(const io::ProgramArgument& argument, std::span<const ArgValue> values) {
  switch (argument.kind) {
    case Kind::none:
      return {};
    case Kind::value:
      return values[argument.value];
    case Kind::number:
      return argument.number;
    case Kind::text:
      return argument.text;
    case Kind::dtype:
      return argument.dtype;
    case Kind::graph:
      throw_error("a graph where a value is needed");
    case Kind::list:
      break;
  }
  if (argument.of_tensors) {
    std::vector<Tensor> tensors;
    for (const io::ProgramArgument& one : argument.list) {
      const ArgValue value = value_of(one, values);
      const auto* tensor = std::get_if<Tensor>(&value);
      tensors.push_back(tensor ? *tensor : Tensor());
    }
    return tensors;
  }
  std::vector<Scalar> numbers;
  for (const io::ProgramArgument& one : argument.list) {
    const ArgValue value = value_of(one, values);
    const auto* number = std::get_if<Scalar>(&value);
    VITRO_CHECK(number, "a list of numbers contains ", text_of(value));
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace vitro::exported
