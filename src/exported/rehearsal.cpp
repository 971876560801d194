// Runs a plan on the tensors of a graph builder, which have no elements; a value is unknown where
// these would be needed.
#include "exported/rehearsal.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "exported/effects.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/graph/build.h"
#include "vitro/ops/create.h"

namespace vitro::exported {
namespace {

using Kind = io::ProgramArgument::Kind;
using Values = std::vector<ArgValue>;

// A call needs elements, or a tensor that has some.
struct NeedsElements {};

class WithoutElements : public graph::Builder {
 public:
  void call(const OpCall& call, std::span<Tensor> results) override {
    const auto is_own = [&](const Operand& one) {
      return !one.is_tensor() || one.tensor().impl()->call == call_number();
    };
    if (call.in_place || !std::ranges::all_of(call.operands, is_own)) throw NeedsElements();
    if (++calls_ > most_of_step || ++all_calls_ > most) throw NeedsElements();
    Builder::call(call, results);
  }
  void begin_step() { calls_ = 0; }
  void materialize(TensorImpl&, Need, std::source_location) override { throw NeedsElements(); }

 private:
  // Recurrent layers make calls for each step of a sequence, and files may claim any size.
  static constexpr int most_of_step = 1000, most = 100'000;
  int calls_ = 0, all_calls_ = 0;
};

// The arguments of a step, of the values of a graph.
struct Arguments {
  Values positional;
  std::vector<NamedArg> named;

  Arguments(const Step& step, const Values& values)
      : positional(step.positional), named(step.named) {
    for (const Step::Hole& hole : step.holes) {
      ArgValue& value = hole.is_named ? named[hole.index].value : positional[hole.index];
      value = value_of(*hole.argument, values);
      const auto* number = hole.needs_tensor ? std::get_if<Scalar>(&value) : nullptr;
      if (number) value = scalar_tensor(*number, number->dtype());
    }
  }
  Values called(const Step& step) const {
    return ops::evaluate(*step.overload, positional, named, step.node->where);
  }
  void each(const std::function<void(ArgValue&)>& f) {
    for (ArgValue& one : positional) f(one);
    for (NamedArg& one : named) f(one.value);
  }
};

Tensor zeros_of(const Tensor& t) {
  if (!t.defined()) return t;
  Sizes sizes;
  for (const Size size : t.sizes()) sizes.push_back(size.hint());
  return zeros(sizes, t.dtype());
}

bool has_numbers_as_sizes(const Tensor& t) {
  const Sizes sizes = t.defined() ? t.sizes() : Sizes();
  return std::ranges::none_of(sizes, [](Size one) { return one.is_symbolic(); });
}

// Whether the call is an error on zeros, too, without the interpreters of this thread.
bool fails_on_zeros(const Step& step, Arguments arguments) {
  constexpr int64_t most = int64_t{1} << 24;  // elements; more are not tried
  int64_t count = 0;
  std::vector<Tensor*> tensors;
  arguments.each([&](ArgValue& value) {
    if (auto* one = std::get_if<Tensor>(&value)) tensors.push_back(one);
    if (auto* all = std::get_if<std::vector<Tensor>>(&value))
      for (Tensor& one : *all) tensors.push_back(&one);
  });
  for (const Tensor* one : tensors)
    if (one->defined()) count += std::min(one->numel().hint(), most);
  if (count >= most) return false;
  std::vector<Tensor> own;
  for (const Tensor* one : tensors) own.push_back(*one);
  const UsingStack eager(nullptr);
  try {
    for (size_t i = 0; i < own.size(); ++i) *tensors[i] = zeros_of(own[i]);
    (void)arguments.called(step);
  } catch (const Error&) {
    return true;
  }
  return false;
}

class Rehearsal {
 public:
  Rehearsal(const Plan& plan, std::string_view model, WithoutElements& builder)
      : plan_(plan),
        model_(model),
        builder_(builder),
        values_(plan.graph->values.size()),
        is_known_(plan.graph->values.size(), false) {}

  void set(const io::ProgramArgument& name, ArgValue value) {
    if (name.kind != Kind::value) return;
    values_[name.value] = std::move(value);
    is_known_[name.value] = true;
  }
  void run() {
    for (const Step& step : plan_.steps) {
      try {
        if (knows_operands(step)) take(step);
      } catch (const NeedsElements&) {  // its results stay unknown
      }
    }
  }
  bool knows(const io::ProgramArgument& argument) const {
    if (argument.kind == Kind::value) return is_known_[argument.value];
    return std::ranges::all_of(argument.list, [&](const auto& one) { return knows(one); });
  }
  ArgValue value(const io::ProgramArgument& argument) const { return value_of(argument, values_); }

 private:
  bool knows_operands(const Step& step) const {
    return std::ranges::all_of(step.node->inputs,
                               [&](const io::ProgramInput& one) { return knows(one.argument); });
  }

  void take(const Step& step) {
    const auto& outputs = step.node->outputs;
    if (step.control == Control::region) return enter(step);
    if (outputs.empty() || step.node->inputs.empty()) return;
    if (step.number) return set(outputs[0], applied(step));
    if (!step.overload || draws_random_numbers(step)) return;
    // The result is the operand, whose dtype and sizes stay.
    if (step.overload->schema.in_place())
      return set(outputs[0], value(step.node->inputs[0].argument));
    const Arguments arguments(step, values_);
    if (is_long_list(step, arguments)) return;
    const Values results = results_of(step, arguments);
    if (step.changes_operand && !arguments.positional.empty() && !results.empty())
      replace(arguments.positional[0], results[0]);
    for (size_t i = 0; i < outputs.size() && i < results.size(); ++i)
      set_all(outputs[i], results[i]);
  }

  Values results_of(const Step& step, const Arguments& arguments) const {
    builder_.begin_step();
    try {
      return arguments.called(step);
    } catch (const Error& error) {
      if (!fails_on_zeros(step, arguments)) throw NeedsElements();
      refuse(step, error);
    } catch (const std::exception&) {  // a defect, or no memory: the call will show it
      throw NeedsElements();
    }
  }

  // Whether the results may be more tensors than memory holds: a file may claim any size.
  static bool is_long_list(const Step& step, const Arguments& arguments) {
    constexpr int64_t longest = 4096;
    const auto& results = step.overload->schema.results;
    const auto* tensor =
        arguments.positional.empty() ? nullptr : std::get_if<Tensor>(&arguments.positional[0]);
    if (results.empty() || !results[0].type.list || !tensor) return false;
    const Sizes sizes = tensor->sizes();
    return std::ranges::any_of(sizes, [](Size one) { return one.hint() > longest; });
  }

  ArgValue applied(const Step& step) const {
    std::vector<Scalar> numbers;
    for (const io::ProgramInput& input : step.node->inputs) {
      const ArgValue one = value(input.argument);
      const auto* number = std::get_if<Scalar>(&one);
      if (!number) throw NeedsElements();
      numbers.push_back(*number);
    }
    try {
      return step.number->apply(numbers);
    } catch (const Error&) {
      throw NeedsElements();
    }
  }

  // A list of tensors is one value.  Sizes that are symbols depend on elements.
  void set_all(const io::ProgramArgument& output, ArgValue result) {
    auto* tensors = std::get_if<std::vector<Tensor>>(&result);
    const auto* tensor = std::get_if<Tensor>(&result);
    if (tensor && !has_numbers_as_sizes(*tensor)) return;
    if (output.kind != Kind::list) return set(output, std::move(result));
    for (size_t i = 0; tensors && i < output.list.size() && i < tensors->size(); ++i)
      set_all(output.list[i], (*tensors)[i]);
  }

  void replace(const ArgValue& operand, const ArgValue& result) {
    const auto *from = std::get_if<Tensor>(&operand), *to = std::get_if<Tensor>(&result);
    for (ArgValue& one : values_) {
      auto* tensor = std::get_if<Tensor>(&one);
      if (from && to && tensor && tensor->same_as(*from)) *tensor = *to;
    }
  }

  // A sub-graph that runs once: its operands follow it.
  void enter(const Step& step) {
    Rehearsal inner(step.graphs[0], model_, builder_);
    const auto& inputs = step.node->inputs;
    const auto graph = std::ranges::find_if(
        inputs, [](const auto& one) { return one.argument.kind == Kind::graph; });
    size_t next = 0;
    for (auto one = graph + 1; one < inputs.end() && next < step.graphs[0].graph->inputs.size();
         ++one)
      inner.set(step.graphs[0].graph->inputs[next++], value(one->argument));
    inner.run();
    const auto& results = step.graphs[0].graph->outputs;
    for (size_t i = 0; i < step.node->outputs.size() && i < results.size(); ++i)
      if (inner.knows(results[i])) set_all(step.node->outputs[i], inner.value(results[i]));
  }

  [[noreturn]] void refuse(const Step& step, const Error& error) const {
    const std::string place = file_and_line(step.node->where);
    throw_error(cat("model ", model_, ": node ", step.node->name, " (",
                    short_target(step.node->target), ")", place.empty() ? "" : cat(" of ", place),
                    ": ", error.message()));
  }

  const Plan& plan_;
  std::string_view model_;
  WithoutElements& builder_;
  Values values_;
  std::vector<bool> is_known_;
};

}  // namespace

void rehearse(const Plan& plan, const std::vector<Known>& inputs, std::string_view model) {
  WithoutElements builder;
  const Using use(&builder);
  Rehearsal rehearsal(plan, model, builder);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const io::ProgramArgument& name = plan.graph->inputs[i];
    if (const auto* meta = std::get_if<TensorMeta>(&inputs[i]))
      rehearsal.set(name, builder.input("x", *meta));
    if (const auto* value = std::get_if<ArgValue>(&inputs[i])) rehearsal.set(name, *value);
  }
  rehearsal.run();
}

}  // namespace vitro::exported
