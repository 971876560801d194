#include "exported/input_checks.h"

#include <algorithm>
#include <optional>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::exported {
namespace {

using io::Expression;

std::optional<int64_t> enforced_low(const io::ProgramRange& range) {
  return range.low && *range.low > 2 ? range.low : std::nullopt;
}

int64_t value_at(const Expression& e, const std::string& symbol, int64_t value) {
  return evaluate(e,
                  [&](const Expression& leaf) {
                    VITRO_CHECK(leaf.text == symbol, "not the only symbol");
                    return Scalar(value);
                  })
      .as_int();
}

// The value of the only symbol in e == value, if e is linear in it.
std::optional<int64_t> solution(const Expression& e, const std::string& symbol, int64_t value) {
  try {
    const int64_t rest = value_at(e, symbol, 0), slope = value_at(e, symbol, 1) - rest;
    if (slope == 0 || (value - rest) % slope != 0) return std::nullopt;
    const int64_t found = (value - rest) / slope;
    if (value_at(e, symbol, found) != value) return std::nullopt;
    return found;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// L['d']['a'] of d['a']; a field .u is also [0].
std::string as_python(const std::string& path) {
  const size_t end = std::min(path.find_first_of("[."), path.size());
  return cat("L['", path.substr(0, end), "']", path.substr(end));
}

std::string joined(std::span<const Size> sizes) {
  std::string out = "[";
  for (size_t i = 0; i < sizes.size(); ++i) out += cat(i == 0 ? "" : ", ", sizes[i].hint());
  return out + "]";
}

}  // namespace

ModelSize described(const io::ProgramSize& size, const io::Program& program) {
  ModelSize out;
  if (!size.expression) {
    out.number = out.example = size.number;
    out.text = cat(size.number);
    return out;
  }
  if (size.number >= 0) out.example = size.number;
  out.text = cat(*size.expression);
  for (const io::ProgramRange& range : program.ranges) {
    if (cat(range.expression) != out.text) continue;
    out.min = enforced_low(range).value_or(1);
    if (range.high && *range.high < sym::largest_size) out.max = range.high;
  }
  return out;
}

InputChecks::InputChecks(const io::Program& program, const std::vector<ModelInput>& inputs)
    : program_(program), inputs_(inputs) {
  for (const io::InputSpec& spec : program.inputs)
    if (spec.kind == io::InputSpec::Kind::user || spec.kind == io::InputSpec::Kind::frozen)
      specs_.push_back(&spec);
  for (size_t i = 0; i < inputs.size(); ++i) by_path_.emplace(as_python(inputs[i].path), i);
  const auto check_leaves = [&](const Expression& e, const auto& self) -> void {
    const bool is_known = e.kind != Expression::Kind::input || e.of == Expression::Of::length ||
                          by_path_.contains(e.text);
    VITRO_CHECK(is_known, "a guard speaks of ", e.text, ", which is no input");
    for (const Expression& operand : e.operands) self(operand, self);
  };
  for (const io::Guard& guard : program.guards) check_leaves(guard.condition, check_leaves);
}

void InputChecks::check_tensor(size_t input, const Tensor& given) const {
  const ModelInput& wanted = inputs_[input];
  VITRO_CHECK(given.defined(), "input ", wanted.name, ": is an undefined tensor, needs ",
              wanted.text());
  const Sizes sizes = given.sizes();
  const auto refuse = [&](std::string_view why) {
    throw_error(cat("input ", wanted.name, ": got ", given.dtype(), joined(sizes), ", needs ",
                    wanted.text(), why));
  };
  if (given.dtype() != wanted.dtype) refuse("");
  VITRO_CHECK(given.device() == cpu, "input ", wanted.name, ": is on ", given.device(),
              ", needs the CPU");
  if (sizes.size() != wanted.sizes.size()) refuse("");
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto& number = wanted.sizes[d].number;
    if (number && *number != sizes[d].hint()) refuse(cat(" (dimension ", d, ")"));
  }
}

void InputChecks::check_literal(size_t input, const ArgValue& given) const {
  const ModelInput& wanted = inputs_[input];
  const auto *a = std::get_if<Scalar>(&given), *b = std::get_if<Scalar>(&wanted.literal);
  const bool is_same =
      a && b ? !a->is_complex() && !b->is_complex() && a->as_double() == b->as_double()
             : same_value(given, wanted.literal);
  VITRO_CHECK(is_same, "input ", wanted.name, ": got ", text_of(given),
              ", the program was exported for ", text_of(wanted.literal));
}

std::vector<InputChecks::Known> InputChecks::known_sizes(std::span<const ArgValue> values) const {
  std::vector<Known> out;
  for (size_t i = 0; i < values.size(); ++i) {
    const io::InputSpec& spec = *specs_[i];
    if (spec.meta) {
      const Sizes sizes = std::get<Tensor>(values[i]).sizes();
      for (size_t d = 0; d < sizes.size(); ++d) {
        const auto& expression = spec.meta->sizes[d].expression;
        if (expression)
          out.push_back(
              {&*expression, sizes[d].hint(), cat("size ", d, " of input ", inputs_[i].name)});
      }
    } else if (spec.expression) {
      const Scalar number = std::get<Scalar>(values[i]).hint();
      if (!number.is_floating() && !number.is_complex())
        out.push_back({&*spec.expression, number.as_int(), cat("input ", inputs_[i].name)});
    }
  }
  return out;
}

// Sizes that are symbols give their values; then expressions of one unknown symbol are solved.
InputChecks::Symbols InputChecks::solved(const std::vector<Known>& known) const {
  Symbols out;
  for (const Known& one : known)
    if (one.expression->kind == Expression::Kind::symbol)
      out.emplace(one.expression->text, one.value);
  for (const Known& one : known) {
    const std::vector<std::string> symbols = symbols_of(*one.expression);
    if (symbols.size() != 1 || out.contains(symbols[0])) continue;
    const auto value = solution(*one.expression, symbols[0], one.value);
    VITRO_CHECK(value, one.of, " is ", one.value, ", the program needs ", *one.expression,
                " for an integer ", symbols[0]);
    out.emplace(symbols[0], *value);
  }
  return out;
}

void InputChecks::check_ranges(const Symbols& symbols, const std::vector<Known>& known) const {
  const auto value_in = [&](const Expression& e) -> std::optional<int64_t> {
    for (const std::string& one : symbols_of(e))
      if (!symbols.contains(one)) return std::nullopt;
    return evaluate(e, [&](const Expression& leaf) { return Scalar(symbols.at(leaf.text)); })
        .as_int();
  };
  for (const Known& one : known) {
    const auto wanted = value_in(*one.expression);
    if (!wanted || *wanted == one.value) continue;
    std::string given;
    for (const Known& other : known)
      if (given.empty() && other.expression->kind == Expression::Kind::symbol &&
          std::ranges::count(symbols_of(*one.expression), other.expression->text) != 0)
        given = cat(", as ", other.of, " is ", other.value);
    throw_error(cat(one.of, " is ", one.value, ", the program needs ", *one.expression, " = ",
                    *wanted, given));
  }
  for (const io::ProgramRange& range : program_.ranges) {
    const auto value = value_in(range.expression);
    if (!value) continue;
    const auto low = enforced_low(range);
    const bool is_inside = (!low || *value >= *low) && (!range.high || *value <= *range.high);
    if (is_inside) continue;
    std::string of = range.text;
    for (const Known& one : known)
      if (cat(*one.expression) == cat(range.expression)) of = cat(one.of, " (", range.text, ")");
    throw_error(cat(of, " is ", *value, ", the program was exported for ",
                    low ? cat(*low) : std::string("1"), " to ",
                    range.high ? cat(*range.high) : std::string("any size")));
  }
}

Scalar InputChecks::number_of(const Expression& input, std::span<const ArgValue> values) const {
  using Of = Expression::Of;
  if (input.of == Of::length) {  // the number of inputs just below the path
    std::vector<std::string> seen;
    for (const auto& [path, index] : by_path_) {
      if (!path.starts_with(input.text + "[")) continue;
      const std::string next = path.substr(0, path.find(']', input.text.size()));
      if (std::ranges::find(seen, next) == seen.end()) seen.push_back(next);
    }
    return Scalar(static_cast<int64_t>(seen.size()));
  }
  const ArgValue& value = values[by_path_.find(input.text)->second];
  const auto* tensor = std::get_if<Tensor>(&value);
  if (input.of == Of::value) {
    const auto* number = std::get_if<Scalar>(&value);
    VITRO_CHECK(number, input.text, " is no number");
    return number->hint();
  }
  VITRO_CHECK(tensor, input.text, " is no tensor");
  if (input.of == Of::rank) return Scalar(tensor->rank());
  if (input.of == Of::offset) return Scalar(tensor->meta().offset.hint());
  const Sizes all = input.of == Of::size ? tensor->sizes() : tensor->strides();
  const int64_t dim = input.dim < 0 ? input.dim + tensor->rank() : input.dim;
  VITRO_CHECK(dim >= 0 && dim < tensor->rank(), input.text, " has no dimension ", input.dim);
  return Scalar(all[static_cast<size_t>(dim)].hint());
}

void InputChecks::check_guards(const Symbols& symbols, std::span<const ArgValue> values) const {
  for (const io::Guard& guard : program_.guards) {
    const Scalar holds = evaluate(guard.condition, [&](const Expression& leaf) {
      if (leaf.kind == Expression::Kind::input) return number_of(leaf, values);
      const auto found = symbols.find(leaf.text);
      VITRO_CHECK(found != symbols.end(), "guard ", guard.text, ": has a symbol ", leaf.text,
                  " that is no size of an input");
      return Scalar(found->second);
    });
    VITRO_CHECK(holds.as_bool(), "the program was exported for inputs with ", guard.text,
                ", which these do not have; export it with sizes that are dynamic, or call it with "
                "such sizes");
  }
}

void InputChecks::check(std::span<const ArgValue> values) const {
  for (size_t i = 0; i < values.size(); ++i) {
    const ModelInput& wanted = inputs_[i];
    if (wanted.kind == ModelInput::Kind::literal) {
      check_literal(i, values[i]);
    } else if (wanted.kind == ModelInput::Kind::tensor) {
      const auto* tensor = std::get_if<Tensor>(&values[i]);
      VITRO_CHECK(tensor, "input ", wanted.name, ": got ", text_of(values[i]), ", needs ",
                  wanted.text());
      check_tensor(i, *tensor);
    } else {
      VITRO_CHECK(std::holds_alternative<Scalar>(values[i]), "input ", wanted.name, ": got ",
                  text_of(values[i]), ", needs a number");
    }
  }
  const std::vector<Known> known = known_sizes(values);
  const Symbols symbols = solved(known);
  check_ranges(symbols, known);
  check_guards(symbols, values);
}

}  // namespace vitro::exported
