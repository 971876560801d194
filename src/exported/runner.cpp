// Steps through a plan; control flow runs its sub-graphs, as often as the data say.
#include "exported/runner.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "vitro/base/called_as.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro::exported {
namespace {

using Kind = io::ProgramArgument::Kind;
using Values = std::vector<ArgValue>;

// Calls f(value) for each tensor or number, in order, of lists in lists.
void append_leaves(ArgValue value, Values& out) {
  if (auto* tensors = std::get_if<std::vector<Tensor>>(&value)) {
    for (Tensor& one : *tensors) out.emplace_back(std::move(one));
  } else if (auto* numbers = std::get_if<std::vector<Scalar>>(&value)) {
    for (Scalar& one : *numbers) out.emplace_back(one);
  } else {
    out.push_back(std::move(value));
  }
}

class Run {
 public:
  Run(const Plan& plan, Values inputs, const Observer& observer)
      : plan_(plan), observer_(observer), values_(plan.graph->values.size()) {
    const io::ProgramGraph& graph = *plan.graph;
    VITRO_CHECK(inputs.size() == graph.inputs.size(), "a graph with ", graph.inputs.size(),
                " inputs was given ", inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i)
      if (graph.inputs[i].kind == Kind::value)
        values_[graph.inputs[i].value] = std::move(inputs[i]);
    for (const uint32_t one : plan.unused) values_[one] = {};
  }

  Values outputs() {
    for (const Step& step : plan_.steps) {
      const ModuleScope scope(step.node->module);
      take(step, results(step));
      if (observer_) observer_(plan_, step, values_);
      for (const uint32_t one : step.release) values_[one] = {};
    }
    Values out;
    for (const io::ProgramArgument& one : plan_.graph->outputs)
      out.push_back(value_of(one, values_));
    return out;
  }

 private:
  Values results(const Step& step) {
    if (step.overload) return call(step);
    if (step.number) return {applied(step)};
    if (step.control != Control::none) return controlled(step);
    check_assertion(step);
    return Values(step.node->outputs.size());
  }

  void check_assertion(const Step& step) {
    const auto& inputs = step.node->inputs;
    const bool holds = truth(value_of(inputs[0].argument, values_), step.node->where);
    const CalledAs name(short_target(step.node->target), step.node->where);
    const ArgValue message = inputs.size() > 1 ? value_of(inputs[1].argument, values_) : ArgValue();
    const auto* text = std::get_if<std::string>(&message);
    VITRO_CHECK(holds, "_assert_async: ", text ? *text : std::string("the tensor is not true"));
  }

  Values call(const Step& step) {
    Values positional = step.positional;
    std::vector<NamedArg> named = step.named;
    for (const Step::Hole& hole : step.holes) {
      ArgValue& value = hole.is_named ? named[hole.index].value : positional[hole.index];
      value = value_of(*hole.argument, values_);
      const auto* number = hole.needs_tensor ? std::get_if<Scalar>(&value) : nullptr;
      if (number) value = scalar_tensor(*number, number->dtype(), {}, step.node->where);
    }
    const auto* first = positional.empty() ? nullptr : std::get_if<Tensor>(&positional[0]);
    const bool copies = step.copy && first && first->is_deferred();
    Values out =
        ops::evaluate(copies ? *step.copy : *step.overload, positional, named, step.node->where);
    if (step.needs_memory) check_is_view(step, positional, out);
    if (step.changes_operand) replace(positional, out);
    return out;
  }

  // All values that are the operand, under whatever name, become the result.
  void replace(const Values& operands, const Values& results) {
    const auto *operand = operands.empty() ? nullptr : std::get_if<Tensor>(&operands[0]),
               *result = std::get_if<Tensor>(&results[0]);
    if (!operand || !result) return;
    for (ArgValue& value : values_) {
      auto* tensor = std::get_if<Tensor>(&value);
      if (tensor && tensor->same_as(*operand)) *tensor = *result;
    }
  }

  // Deferred tensors have no memory to compare, so that strides decide as in `reshape`.
  static void check_is_view(const Step& step, const Values& operands, const Values& results) {
    const auto *of = operands.empty() ? nullptr : std::get_if<Tensor>(&operands[0]),
               *view = std::get_if<Tensor>(&results[0]);
    if (!of || !view || ops::view_strides(of->rule_meta(), view->sizes())) return;
    const CalledAs name("view", step.node->where);
    throw_error(
        "the strides of the tensor allow no view of this shape, and the program writes to "
        "its elements later; pass inputs that are contiguous");
  }

  ArgValue applied(const Step& step) {
    const CalledAs name(step.number->name(), step.node->where);
    std::vector<Scalar> numbers;
    for (const io::ProgramInput& input : step.node->inputs) {
      const ArgValue value = value_of(input.argument, values_);
      const auto* number = std::get_if<Scalar>(&value);
      VITRO_CHECK(number, step.number->name(), ": needs numbers, got ", text_of(value));
      numbers.push_back(*number);
    }
    return step.number->apply(numbers);
  }

  // Gives the names of a node's results their values.
  void take(const Step& step, Values results) {
    const auto& outputs = step.node->outputs;
    size_t next = 0;
    const bool is_flat = step.control != Control::none;  // results are a flat list
    for (const io::ProgramArgument& output : outputs) {
      if (is_flat && output.kind == Kind::list) {
        for (const io::ProgramArgument& one : output.list) set(step, one, results, next++);
      } else {
        set(step, output, results, next++);
      }
    }
  }
  void set(const Step& step, const io::ProgramArgument& output, Values& results, size_t at) {
    if (output.kind == Kind::none) return;
    VITRO_CHECK(at < results.size(), "node ", step.node->name, ": has ", results.size(),
                " results, the program wants more");
    if (output.kind == Kind::value) {
      values_[output.value] = std::move(results[at]);
      return;
    }
    Values elements;
    append_leaves(std::move(results[at]), elements);
    for (size_t i = 0; i < output.list.size(); ++i) set(step, output.list[i], elements, i);
  }

  // ---- control flow ----

  // The operands of a higher-order op from the given one on, flat.
  Values operands(const Step& step, size_t from) const {
    Values out;
    for (size_t i = from; i < step.node->inputs.size(); ++i)
      append_leaves(value_of(step.node->inputs[i].argument, values_), out);
    return out;
  }
  Values list(const Step& step, size_t index) const {
    Values out;
    if (index < step.node->inputs.size())
      append_leaves(value_of(step.node->inputs[index].argument, values_), out);
    return out;
  }

  // Where the operands of a region begin.
  static size_t after_graph(const Step& step) {
    const auto is_graph = [](const io::ProgramInput& one) {
      return one.argument.kind == Kind::graph;
    };
    const auto& inputs = step.node->inputs;
    return static_cast<size_t>(std::ranges::find_if(inputs, is_graph) - inputs.begin()) + 1;
  }

  static bool truth(const ArgValue& value, std::source_location where) {
    if (const auto* number = std::get_if<Scalar>(&value)) return number->as_bool();
    const auto* tensor = std::get_if<Tensor>(&value);
    VITRO_CHECK(tensor, "a condition is ", text_of(value));
    return tensor->item(where).as_bool();
  }
  static Values joined(Values a, const Values& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  Values controlled(const Step& step) {
    const CalledAs name(short_target(step.node->target), step.node->where);
    switch (step.control) {
      case Control::cond:
        return chosen(step);
      case Control::while_loop:
        return repeated(step);
      case Control::scan:
        return scanned(step, list(step, 1), list(step, 2), list(step, 3), step.graphs[0]);
      case Control::map:
        return scanned(step, {}, list(step, 1), list(step, 2), step.graphs[0]);
      case Control::associative_scan:
        return accumulated(step);
      case Control::region:
        return run(step.graphs[0], operands(step, after_graph(step)), observer_);
      case Control::none:
        break;
    }
    return {};
  }

  Values chosen(const Step& step) {
    const bool is_true = truth(value_of(step.node->inputs[0].argument, values_), step.node->where);
    return run(step.graphs[is_true ? 0 : 1], operands(step, 3));
  }

  Values repeated(const Step& step) {
    Values carried = list(step, 2);
    const Values additional = list(step, 3);
    const auto goes_on = [&] {
      const Values out = run(step.graphs[0], joined(carried, additional));
      VITRO_CHECK(out.size() == 1, "the condition has ", out.size(), " results, needs one");
      return truth(out[0], step.node->where);
    };
    while (goes_on()) carried = run(step.graphs[1], joined(carried, additional));
    return carried;
  }

  static const Tensor& tensor(const ArgValue& value) {
    const auto* out = std::get_if<Tensor>(&value);
    VITRO_CHECK(out && out->defined(), "needs tensors, got ", text_of(value));
    return *out;
  }
  static Values slices(const Values& of, int64_t i, std::source_location where) {
    Values out;
    for (const ArgValue& one : of) out.emplace_back(select({tensor(one), where}, 0, i));
    return out;
  }
  static int64_t rounds(const Values& over) {
    VITRO_CHECK(!over.empty() && tensor(over[0]).rank() > 0, "needs tensors with dimensions");
    const int64_t count = tensor(over[0]).size(0);
    VITRO_CHECK(count > 0, "has no elements to go over, so that the results have no sizes");
    return count;
  }
  static Values stacked(const std::vector<Values>& each, std::source_location where) {
    Values out;
    for (size_t k = 0; k < each[0].size(); ++k) {
      std::vector<Tensor> parts;
      for (const Values& one : each) parts.push_back(tensor(one.at(k)));
      out.emplace_back(stack(parts, 0, where));
    }
    return out;
  }

  // (carried..., slice...) -> (carried..., result...), for each slice along dimension 0.
  Values scanned(const Step& step, Values carried, const Values& over, const Values& additional,
                 const Plan& body) {
    const std::source_location where = step.node->where;
    std::vector<Values> each;
    for (int64_t i = 0, count = rounds(over); i < count; ++i) {
      Values out = run(body, joined(joined(carried, slices(over, i, where)), additional));
      VITRO_CHECK(out.size() >= carried.size(), "the body has ", out.size(), " results, needs ",
                  carried.size(), " or more");
      const auto first = out.begin() + std::ssize(carried);
      each.emplace_back(first, out.end());
      carried.assign(out.begin(), first);
    }
    return joined(std::move(carried), stacked(each, where));
  }

  Values accumulated(const Step& step) {
    const Values over = list(step, 1), additional = list(step, 2);
    const std::source_location where = step.node->where;
    std::vector<Values> each{slices(over, 0, where)};
    for (int64_t i = 1, count = rounds(over); i < count; ++i)
      each.push_back(
          run(step.graphs[0], joined(joined(each.back(), slices(over, i, where)), additional)));
    return stacked(each, where);
  }

  const Plan& plan_;
  const Observer& observer_;
  Values values_;
};

}  // namespace

std::vector<ArgValue> run(const Plan& plan, std::vector<ArgValue> inputs,
                          const Observer& observer) {
  return Run(plan, std::move(inputs), observer).outputs();
}

}  // namespace vitro::exported
